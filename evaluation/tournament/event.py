"""What is played: a tournament, its games and its agents, as Python values, as plain data, and as a file."""

import functools
import itertools
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.agents.external.isolated import IsolatedAgent
from ludarium.agents.external.process import ProcessAgent
from ludarium.agents.specs import apart, make_agent
from ludarium.agents.time_control import MARGIN, TimeControl
from ludarium.agents.worker_process import WorkerDied, report
from ludarium.agents.workers import Workers
from ludarium.envs.game import Game
from ludarium.envs.openings import find_openings
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.adjudication import adjudicator_of
from ludarium.evaluation.play.calls import Failed, call_agent
from ludarium.evaluation.play.match import twin
from ludarium.evaluation.play.openings import ORDERS, Book, openings_of
from ludarium.evaluation.statistics.sprt import Hypotheses
from ludarium.evaluation.tournament.curve import number_in, read_curve, with_checkpoints
from ludarium.evaluation.tournament.entrants import entered, importable, not_importable, numbered, own_name
from ludarium.evaluation.tournament.seeds import SECRET, settled

FORMATS = ("round-robin", "gauntlet", "swiss")
_EXPECTED = {int: "an integer", str: "a string", bool: "true or false"}
_MOST_PAIRS = 1_000_000_000


@dataclass(frozen=True)
class GameEntry:
    """A game of a tournament.

    Attributes:
        game: its spec.
        pairs: pairs of games in each pairing; in cooperative games, decks for each team.
        opening: number of random moves at the start of each game. Games without chance need some; otherwise two
            deterministic agents would play the same game again and again.
        agents: who takes part, by their names (or specs); all, if empty. A run of the curve stands for its
            checkpoints.
        crossplay: in cooperative games, also seat every two entrants at one table, in alternate seats; twice with each
            deck, so that each has the first seat once.
        openings: with which openings the games begin, as texts that `ludarium.envs.openings` reads; both games of a
            pair with the same. With more pairs than openings they repeat.
        order: `"random"`, a function of the seed, or `"sequential"`.
        adjudicate: `"exact"`: as soon as the result is known exactly, both sides are played exactly to the end. For
            Othello alone: see `ludarium.evaluation.play.adjudication`.
        clock: the time that each seat has in a game, as `TimeControl.read` takes it; empty for no clock.
        margin: of the clock, in milliseconds.
    """

    game: str
    pairs: int = 100
    opening: int = 0
    agents: tuple[str, ...] = ()
    crossplay: bool = False
    openings: tuple[str, ...] = ()
    order: str = ORDERS[0]
    adjudicate: str = ""
    clock: str = ""
    margin: int = MARGIN

    @property
    def begin(self) -> int | Book:
        """How its games begin: with so many random moves, or with the openings of a book."""
        return Book(self.openings, self.order) if self.openings else self.opening

    @property
    def control(self) -> TimeControl | None:
        """The time that each seat has; None without a clock.

        Raises:
            ValueError: if `clock` or `margin` cannot be.
        """
        return TimeControl.read(self.clock, self.margin) if self.clock else None

    @property
    def reproducible(self) -> bool:
        """Whether its games are a function of the seed; timed games also depend on the machine and its load."""
        return not self.clock

    @functools.cached_property
    def rules(self) -> Game:
        """The game itself, made once."""
        return make_game(self.game)

    def data(self) -> dict[str, Any]:
        """The settings as plain data; without openings, adjudication or clock if it has none, as in older stores."""
        used = {"openings": self.openings, "order": self.openings, "adjudicate": self.adjudicate}
        used |= {"clock": self.clock, "margin": self.clock}
        settings = {**asdict(self), "agents": list(self.agents), "openings": list(self.openings)}
        return {name: value for name, value in settings.items() if used.get(name, True)}

    def __getstate__(self) -> dict[str, Any]:
        """The settings alone: a worker makes the game itself."""
        return {setting.name: getattr(self, setting.name) for setting in fields(self)}


PEOPLE = "games at the table"
"""The name of tournaments without a schedule: people choose which games they play, and which are kept."""


@dataclass(frozen=True)
class Tournament:
    """What is to be played.

    Attributes:
        agents: the entrants: specs, or objects that `make_agent` takes, which play in this process. A mapping gives
            them names, `{"careful": "careful.py", "mine": function}`; a sequence may hold such mappings beside agents.
        games: the games.
        name: a title for people.
        seed: everything is a function of it; an integer of at least 0.
        format: `"round-robin"`: all against all; `"gauntlet"`: the first agent against each of the others; `"swiss"`:
            rounds between entrants with similar scores, each pairing at most once; an entrant that sits out a round
            scores as if it had won all its games.
        rounds: number of rounds of a Swiss tournament.
        sprt: if given, each pairing ends as soon as a sequential test has decided how much stronger its first agent is,
            after all its pairs at the latest. The verdict and the stored games are the same for any workers.
        names: the given name of each agent, empty for none; they follow from `agents`.
        curve: training runs, see `curve.py`. Their checkpoints come after the agents, unless some are among these, and
            do not play each other.

    Raises:
        ValueError: for invalid settings.
    """

    agents: Any
    games: tuple[GameEntry, ...]
    name: str = "tournament"
    seed: int = 0
    format: str = "round-robin"
    rounds: int = 5
    sprt: Hypotheses | None = None
    names: tuple[str, ...] = ()
    curve: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "curve", read_curve(self.curve))
        agents, names = entered(with_checkpoints(self.agents, self.curve), self.names)
        object.__setattr__(self, "agents", agents)
        object.__setattr__(self, "names", names)
        if not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"tournament: seed must be an integer of at least 0, not {self.seed!r}")
        if self.format not in FORMATS:
            raise ValueError(f"tournament: format must be one of {', '.join(map(repr, FORMATS))}, not {self.format!r}")
        if not self.agents:
            raise ValueError("tournament: at least one agent is needed")
        if not self.games:
            raise ValueError("tournament: at least one game is needed")
        for entry in self.games:
            if not 1 <= entry.pairs <= _MOST_PAIRS:
                raise ValueError(
                    f"tournament: pairs of {entry.game!r} must be 1 to {_MOST_PAIRS:,}, not {entry.pairs:,}"
                )
            if entry.opening < 0:
                raise ValueError(f"tournament: opening of {entry.game!r} must be at least 0, not {entry.opening}")
            if entry.openings and entry.opening:
                raise ValueError(
                    f"tournament: {entry.game!r} has opening and openings; give either a number of random moves or a "
                    "file of openings"
                )
            if entry.order not in ORDERS:
                raise ValueError(
                    f"tournament: order of {entry.game!r} must be one of {', '.join(map(repr, ORDERS))}, not "
                    f"{entry.order!r}"
                )
            if entry.order != ORDERS[0] and not entry.openings:
                raise ValueError(f"tournament: order of {entry.game!r} belongs to openings, and there are none")
            if entry.control is None and entry.margin != MARGIN:
                raise ValueError(f"tournament: margin of {entry.game!r} belongs to a clock, and there is none")
            for agent in entry.agents:
                if agent not in (*self._called, *self.curve):
                    raise ValueError(f"tournament: {agent!r} plays {entry.game!r}, but is not one of the agents")
        if self.format == "swiss" and self.rounds < 1:
            raise ValueError(f"tournament: rounds must be at least 1, not {self.rounds}")
        if self.format == "swiss" and self.curve:
            raise ValueError(
                "tournament: a curve needs the same opponents for all checkpoints, so format cannot be swiss"
            )
        if self.format == "swiss" and self.sprt is not None:
            raise ValueError("tournament: a Swiss tournament has no sprt: its rounds need all games")

    @property
    def labels(self) -> tuple[str, ...]:
        """The entrants' names; an agent entered twice is called `random` and `random (2)`."""
        return numbered(self._called)

    @property
    def _called(self) -> tuple[str, ...]:
        names = self.names or ("",) * len(self.agents)
        return tuple(name or own_name(agent) for name, agent in zip(names, self.agents, strict=True))

    @property
    def has_objects(self) -> bool:
        """Whether some entrants are objects of this process."""
        return not all(isinstance(agent, str) for agent in self.agents)

    def importable(self) -> "Tournament":
        """The same tournament, in which objects are named by specs, so that other processes can play it.

        Raises:
            ValueError: for an object without an importable name.
        """
        if not self.has_objects:
            return self
        for name, agent in zip(self.labels, self.agents, strict=True):
            if importable(agent) is None:
                raise ValueError(f"tournament: {not_importable(name)}")
        return self.from_data(self.data())

    def entrants(self, event: int) -> list[int]:
        """Who takes part in a game, as indices of `agents`."""
        chosen = self.games[event].agents
        return [i for i, name in enumerate(self._called) if not chosen or name in chosen or self.run_of(i) in chosen]

    def run_of(self, entrant: int) -> str | None:
        """The run of the curve of which an entrant is a checkpoint; None for all others."""
        return next((run for run in self.curve if number_in(run, self.agents[entrant]) is not None), None)

    def pairings(self, event: int) -> list[tuple[int, int]]:
        """Every two entrants that may meet in a game: not two checkpoints of the curve."""
        runs = {i: self.run_of(i) for i in self.entrants(event)}
        return [(a, b) for a, b in itertools.combinations(runs, 2) if runs[a] is None or runs[b] is None]

    def check(self, pool: Workers | None = None, *, isolate: bool = True) -> None:
        """Before anything is played, check every game, make every agent once for each of its games, and start programs.

        Args:
            pool: if given, a worker does it, so that an agent that kills its process does not kill this one.
            isolate: see `run`.

        Raises:
            ValueError: for settings that a game or an agent refuses, programs that do not start, agents that kill
                their process, programs that cannot be told of their clock, and openings that are none of the game or
                leave no move to the agents.
        """
        if pool is not None:
            self._check_in(pool, isolate)
            return
        for event, entry in enumerate(self.games):
            game = entry.rules
            if not game.cooperative and game.seats != 2:
                raise ValueError(
                    f"tournament: {game.spec} must have two seats or be cooperative; it has {game.seats} seats"
                )
            if game.cooperative and self.sprt is not None:
                raise ValueError(f"tournament: sprt compares opponents, and in {game.spec} there are none")
            if entry.crossplay and not game.cooperative:
                raise ValueError(f"tournament: {game.spec} is not cooperative, so it has no crossplay")
            if not game.cooperative and not self.pairings(event):
                beside = " beside the checkpoints of the curve, which do not meet" if self.curve else ""
                raise ValueError(
                    f"tournament: {game.spec} needs at least {'one agent' if beside else 'two agents'}{beside}"
                )
            openings_of(game, entry.begin, self.seed, np.arange(0))
            if entry.opening >= game.max_moves:
                raise ValueError(
                    f"tournament: opening of {game.spec} must be at most {game.max_moves - 1}, not {entry.opening}: "
                    f"a game has at most {game.max_moves} moves, and the agents need one"
                )
            adjudicator_of(entry.adjudicate, game)
            for entrant in self.entrants(event):
                report(self.labels[entrant])
                self._check_entrant(entrant, entry, self.played(entrant, isolate))

    def _check_entrant(self, entrant: int, entry: GameEntry, spec: Any) -> None:
        """Make an agent, start it if it is a program, and see whether it can be told of the clock."""
        game, label = entry.rules, self.labels[entrant]
        agent = make_agent(spec, game)
        if not isinstance(spec, str):  # it belongs to whoever gave it
            if game.cooperative or sum(spec is other for other in self.agents) > 1:
                twin(agent)  # which it will need
            return
        begun, objection = None, ""
        if isinstance(agent, ProcessAgent) and not isinstance(agent, IsolatedAgent):  # which has started
            begun = call_agent(agent.reset, 0, 0)
            objection = "" if entry.control is None else agent.clock_objection(entry.control)
        call_agent(agent.close)
        if isinstance(begun, Failed):
            raise ValueError(f"agent {label!r}: the program {begun.cause}")
        if objection:
            raise ValueError(f"agent {label!r}: {objection}")

    def played(self, entrant: int, isolate: bool) -> Any:
        """The spec of an entrant as it is played, see `run`, or the object."""
        agent = self.agents[entrant]
        return apart(agent) if isolate and isinstance(agent, str) else agent

    def _check_in(self, pool: Workers, isolate: bool) -> None:
        check = functools.partial(Tournament.check, self, isolate=isolate)
        for last in (False, False, True):
            try:
                pool.submit_here(check).result()
            except WorkerDied as death:
                if death.reports and (last or death.by_itself):
                    raise ValueError(f"agent {death.reports[-1]!r}: its process {death} while it was made") from None
                if last:
                    raise ChildProcessError(f"a worker process {death} as soon as it was started") from None
            else:
                return

    def data(self) -> dict[str, Any]:
        """The tournament as plain data.

        Named agents and objects are `{name: spec}`; None stands for an object without an importable name.
        """
        agents = [
            agent if isinstance(agent, str) and label not in self.names else {label: importable(agent)}
            for agent, label in zip(self.agents, self.labels, strict=True)
        ]
        return {
            "agents": agents,
            "games": [entry.data() for entry in self.games],
            **{name: getattr(self, name) for name in ("name", "seed", "format", "rounds")},
            **({"curve": list(self.curve)} if self.curve else {}),
            **({} if self.sprt is None else {"sprt": asdict(self.sprt)}),
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Tournament":
        """The tournament described by plain data.

        Raises:
            ValueError: for unknown, missing or wrong settings.
        """
        _check_names("tournament", data, cls)
        games = data.get("games")
        if not isinstance(games, list) or not all(isinstance(entry, dict) for entry in games):
            raise ValueError(f"tournament: games must be a list of tables ([[games]] in TOML), not {games!r}")
        agents = _read_agents(data.get("agents", [] if data.get("curve") else None))
        for entry in games:
            _check_names("tournament: game", entry, GameEntry)
            if "game" not in entry:
                raise ValueError(f"tournament: a game needs a name (game = ...): {entry!r}")
        entries = tuple(
            GameEntry(
                **{
                    **entry,
                    "agents": _read_specs("tournament: game", entry.get("agents", [])),
                    "openings": _read_texts(entry.get("openings", [])),
                }
            )
            for entry in games
        )
        settings: dict[str, Any] = {"agents": agents, "games": entries}
        if "sprt" in data:
            settings["sprt"] = _read_sprt(data["sprt"])
        return cls(**{**data, **settings})

    @classmethod
    def from_file(cls, path: Path, store: Path | None = None) -> "Tournament":
        """The tournament in a TOML file.

        Args:
            path: the file; without a seed in it, or with `seed = "secret"`, see `seeds.settled`.
            store: where its games are or will be kept.

        Raises:
            ValueError: if it is not TOML, or not a tournament.
            OSError: if it cannot be read.
        """
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: this is not a tournament in TOML ({error}): see docs/tournaments.md") from None
        try:
            _read_opening_files(data, path.parent)
            seed = data.get("seed")
            if seed not in (None, SECRET):
                return cls.from_data(data)
            tournament = cls.from_data({name: value for name, value in data.items() if name != "seed"})
            return replace(tournament, seed=settled(seed, tournament.agents, store))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _read_opening_files(data: dict[str, Any], folder: Path) -> None:
    """Put the openings in the place of their files' names."""
    games = data.get("games")
    for entry in games if isinstance(games, list) else []:
        name, game = (entry.get(key) for key in ("openings", "game")) if isinstance(entry, dict) else (None, None)
        if isinstance(name, str) and isinstance(game, str):
            entry["openings"] = list(find_openings(make_game(game), name, folder))


def _read_texts(openings: Any) -> tuple[str, ...]:
    if not isinstance(openings, list) or not all(isinstance(text, str) for text in openings):
        raise ValueError(
            f"tournament: game: openings must be a file, a shipped set or a list of openings, not {openings!r}"
        )
    return tuple(openings)


def _check_names(what: str, data: dict[str, Any], kind: Any) -> None:
    """Raise an error unless every key is a field of the dataclass, with a value of the right type."""
    settings = {item.name: item for item in fields(kind) if item.name != "names"}  # they are given with the agents
    for name, value in data.items():
        if name not in settings:
            raise ValueError(f"{what}: unknown setting {name!r}; known: {', '.join(settings)}")
        wanted: Any = settings[name].type
        if wanted in _EXPECTED and type(value) is not wanted:
            raise ValueError(f"{what}: {name} must be {_EXPECTED[wanted]}, not {value!r}")


def _read_sprt(data: Any) -> Hypotheses:
    if not isinstance(data, dict) or not {"h0", "h1"} <= data.keys():
        raise ValueError(f"tournament: sprt must be a table with h0 and h1 ([sprt] in TOML), not {data!r}")
    settings = {item.name: item.type for item in fields(Hypotheses)}
    for name, value in data.items():
        if name not in settings:
            raise ValueError(f"tournament: sprt: unknown setting {name!r}; known: {', '.join(settings)}")
        if isinstance(value, bool) or not isinstance(value, str if settings[name] is str else int | float):
            raise ValueError(f"tournament: sprt: {name} must be {'a string' if settings[name] is str else 'a number'}")
    return Hypotheses(**data)


def _read_agents(agents: Any) -> list[Any]:
    """Specs, and tables of names and specs."""
    entries = [agents] if isinstance(agents, dict) else agents
    if not isinstance(entries, list) or not all(map(_is_given, entries)):
        raise ValueError(f"tournament: agents must be a list of specs, not {agents!r}; or a table of names and specs")
    return entries


def _is_given(agent: Any) -> bool:
    return all(isinstance(spec, str) for spec in (agent.values() if isinstance(agent, dict) else [agent]))


def _read_specs(what: str, agents: Any) -> tuple[str, ...]:
    if not isinstance(agents, list) or not all(isinstance(agent, str) for agent in agents):
        raise ValueError(f"{what}: agents must be a list of specs, not {agents!r}")
    return tuple(agents)
