"""A match in one line: `ludarium.match(my_function, "greedy", game="othello", pairs=200)`.

It is a tournament of two agents in one game, kept in memory: the command `ludarium match` plays the same games.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ludarium.agents.time_control import MARGIN
from ludarium.envs.batch import ADJUDICATED, FINISHED, TRUNCATED
from ludarium.envs.compilation import Compilation, compilation_shown
from ludarium.envs.game import Game
from ludarium.envs.openings import find_openings
from ludarium.envs.registry import make_game
from ludarium.evaluation.html_table import paragraph
from ludarium.evaluation.play.match import FORFEIT, Forfeit
from ludarium.evaluation.report.replay import ending_of, episode_of
from ludarium.evaluation.report.wording import clock_note
from ludarium.evaluation.statistics.ratings import fit
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.figures import duration, plus_minus
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.schedule import run, usual_executor
from ludarium.evaluation.tournament.seeds import settled
from ludarium.evaluation.tournament.standings import Row, Table, Timing, results_of, tables
from ludarium.evaluation.tournament.store import GameRow, Store, move_type

_ENDINGS = {FINISHED: "finished", TRUNCATED: "cut off", ADJUDICATED: "adjudicated"}


@dataclass(frozen=True, repr=False)
class Match:
    """A match that has been played.

    Attributes:
        tournament: what was played; `tournament.seed` plays it again, unless there was a clock.
        table: the standings, better agent first.
        rows: the games, as a store keeps them.
        elo: how much stronger the first agent is, and half the 95 % interval of that; None in cooperative games.
        seconds: time taken in all, with compilation.
    """

    tournament: Tournament
    table: Table
    rows: tuple[GameRow, ...]
    elo: tuple[float, float] | None
    seconds: float

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def agents(self) -> tuple[str, str]:
        """The names of the two agents."""
        first, second = self.tournament.labels
        return first, second

    @property
    def score(self) -> float:
        """The first agent's score, 0 to 1 (a win is 1, a draw ½); in cooperative games its mean return as a team."""
        return self._line(0).score

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `score`, within what scores there can be."""
        low, high = self.game.payoff_range if self.game.cooperative else (0.0, 1.0)
        margin = self._line(0).margin
        return max(low, self.score - margin), min(high, self.score + margin)

    @property
    def games(self) -> list[dict[str, Any]]:
        """The games as records, one dictionary per game, as `pandas.DataFrame` takes them.

        The keys: `pair`; `agent`, the name of the agent whose result it is: the first, in cooperative games the team;
        `opponent`; `seat` of the agent; `score`: 1, ½ or 0, in cooperative games the return; `points`, its return;
        `ending`: finished, adjudicated, cut off or forfeit; `cause` of a forfeit; and `moves`, a list of actions.
        """
        return [self._record(row) for row in self.rows]

    @property
    def forfeits(self) -> list[Forfeit]:
        """The games that an agent did not finish, and why."""
        forfeits = []
        for row in self.rows:
            if row.ending >= FORFEIT:
                seat = row.ending - FORFEIT
                forfeits.append(Forfeit(row.pair, row.leg, seat, self.agents[entrant_at(row, seat)], row.cause))
        return forfeits

    @property
    def timing(self) -> list[Timing]:
        """How long each agent's moves took."""
        times = {timing.agent: timing for timing in self.table.times}
        return [times[name] for name in self.agents if name in times]

    def _line(self, entrant: int) -> Row:
        return next(row for row in self.table.rows if row.agent == self.agents[entrant])

    def _record(self, row: GameRow) -> dict[str, Any]:
        points = float(row.payoff_a)
        return {
            "pair": row.pair,
            "agent": self.agents[row.a],
            "opponent": self.agents[row.b],
            "seat": row.leg,
            "score": points if self.game.cooperative else float(1 + np.sign(points)) / 2,
            "points": points,
            "ending": _ENDINGS.get(row.ending, "forfeit"),
            "cause": row.cause,
            "moves": np.frombuffer(row.moves, dtype=move_type(self.game)).tolist(),
        }

    def __str__(self) -> str:
        return "\n".join((self._verdict(), self._course(), self._times(), *self._clock()))

    def __repr__(self) -> str:
        return f"<Match {self._verdict()}>"

    def _verdict(self) -> str:
        (first, second), lines = self.agents, [self._line(0), self._line(1)]
        if self.elo is None:
            scores = [f"{line.agent} {plus_minus(line.score, line.margin, 2)}" for line in lines]
            return f"{self.game.spec}: {', '.join(scores)} points, each as a team"
        score, elo = plus_minus(100 * lines[0].score, 100 * lines[0].margin, 1), plus_minus(*self.elo, 0, sign=True)
        return f"{self.game.spec}: {first} scores {score} % against {second}, {elo} Elo"

    def _course(self) -> str:
        parts = [f"{len(self.rows):,} games in {duration(self.seconds)}"]
        if not self.game.cooperative:
            scores = [record["score"] for record in self.games]
            parts[0] += f": {scores.count(1.0)} won, {scores.count(0.5)} drawn, {scores.count(0.0)} lost"
            if self.game.payoff_range[1] != 1:
                line = self._line(0)
                parts.append(f"{plus_minus(line.points, line.points_margin, 2, sign=True)} points a game")
        for name in dict.fromkeys(forfeit.agent for forfeit in self.forfeits):
            lost = [forfeit.cause for forfeit in self.forfeits if forfeit.agent == name]
            parts.append(f"{name} forfeited {len(lost)}, the first since it {lost[0]}")
        if self.table.repeated:
            parts.append("always the same two games: random opening moves (opening=4) would help")
        return "; ".join(parts)

    def _times(self) -> str:
        times = [f"{one.agent} {duration(one.median)}" for one in self.timing]
        return f"a move takes {', '.join(times) or 'an unknown time'}; seed {self.tournament.seed}"

    def _clock(self) -> list[str]:
        """A sentence about the clock, if there was one."""
        (entry,) = self.tournament.games
        return [] if entry.control is None else [clock_note(entry.control, self.rows)]

    def _repr_html_(self) -> str:
        notes = "".join(map(paragraph, self._clock()))
        return f"{paragraph(self._verdict())}{self.table._repr_html_()}{notes}{self._last_game()}"

    def _last_game(self) -> str:
        """The end of the last game, as a picture with its caption."""
        row = self.rows[-1]
        position = episode_of(self.tournament, self.game, row).position
        ending = escape(ending_of(self.tournament, row, self.game, position))
        return f"<figure>{position.picture().svg()}<figcaption>the last game: {ending}</figcaption></figure>"


def match(
    a: Any,
    b: Any,
    *,
    game: str,
    pairs: int = 100,
    seed: int | None = None,
    opening: int = 0,
    openings: str | Sequence[str] = (),
    adjudicate: str = "",
    clock: str = "",
    margin: int = MARGIN,
    workers: int | None = None,
    progress: bool | None = None,
) -> Match:
    """Play two agents against each other, in pairs of games with the same chance and exchanged seats.

    In cooperative games each plays the same decks as a team by itself.

    Args:
        a: the first agent: a spec such as `"mcts?simulations=100"`; a callable (observation, action_mask, info) or an
            object with such a method `act`; an `Agent`; a model with `predict`, as those of Stable-Baselines3; or
            `{"mine": …}`, one of these with a name.
        b: the second one.
        game: the game's spec, such as `"othello?size=6"`.
        pairs: pairs of games; in cooperative games, decks.
        seed: the games are a function of it, whatever the number of workers; by default 0, or a secret one if specs
            name code of others: see docs/tournaments/guarantees.md.
        opening: random moves at the start of each game.
        openings: instead a file of openings, the name of a shipped set, or openings themselves, in a random order that
            is a function of the seed: see docs/tournaments/openings.md.
        adjudicate: `"exact"`: in Othello, both sides are played exactly once 12 squares are empty.
        clock: the time of each agent in a game: `"60+0.5"`, seconds and what each move adds, or `"2/move"`. Then the
            games are no function of the seed: see docs/tournaments/clocks.md.
        margin: of the clock, in milliseconds, for communication.
        workers: how many play; by default one per core. Objects play in this process; if workers are asked for, they
            need importable names.
        progress: whether to show a progress bar; by default in terminals and notebooks.

    Raises:
        ValueError: for settings that cannot be, agents that the game refuses, names that clash, or objects that workers
            cannot import.
        TypeError: for what is no agent.

    Examples:
        >>> import ludarium
        >>> result = ludarium.match("alphabeta?depth=2", "random", game="tictactoe", pairs=50, seed=1, opening=1)
        >>> result.score
        0.965
    """
    book = find_openings(make_game(game), openings) if isinstance(openings, str) else tuple(openings)
    entry = GameEntry(game, pairs, opening, openings=book, adjudicate=adjudicate, clock=clock, margin=margin)
    tournament = Tournament((a, b), (entry,), name="match", seed=seed or 0)
    if len(tournament.agents) != 2:
        raise ValueError(f"match: expected two agents, each with at most one name, not {tournament.labels}")
    specs = [agent for agent in tournament.agents if isinstance(agent, str)]
    tournament = replace(tournament, seed=settled(seed, specs, None))
    executor = None if tournament.has_objects else usual_executor(tournament)
    started = time.perf_counter()
    with _shown(progress) as show, Store(None, tournament.data()) as store:
        run(tournament, store, executor=executor, workers=workers, progress=show)
        rows, times = store.games(), store.times()
    (table,) = tables(tournament, rows, times=times)
    return Match(tournament, table, tuple(rows), _elo(tournament, table, rows), time.perf_counter() - started)


def _elo(tournament: Tournament, table: Table, rows: list[GameRow]) -> tuple[float, float] | None:
    if table.game.cooperative:
        return None
    first, second = tournament.labels
    entrants = [tournament.labels.index(row.agent) for row in table.rows]
    ratings = fit(results_of(table, entrants, rows), anchor=second)
    place = ratings.entrants.index(first)
    return float(ratings.elo[place]), float(ratings.margins()[place])


def _has_bar(console: Console, progress: bool | None) -> bool:
    """Whether there is a progress bar: by default in a terminal, and in a notebook that can draw one."""
    if progress is not None:
        return progress
    return console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)


@contextlib.contextmanager
def _shown(progress: bool | None) -> Iterator[Callable[[Any], None]]:
    """A progress bar in a terminal or a notebook; gives what a tournament tells its progress to."""
    console = Console(file=sys.stderr)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("games")
    hidden = not _has_bar(console, progress)
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=hidden)
    task = bar.add_task("match", total=None)

    def compiling(state: Compilation) -> None:
        bar.update(task, description="match" if state.is_over else str(state))

    with bar, contextlib.nullcontext() if hidden else compilation_shown(compiling):
        yield lambda state: bar.update(task, description="match", total=state.total, completed=state.done)
