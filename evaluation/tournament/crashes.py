"""Work whose worker died: its games are played one by one in a process of their own, to find out who kills it.

Before each call into an agent, the process reports which seat it asks in which game. A game in which the process dies
is played again, in a new process: it may have been killed from outside. If it dies a second time at the same call, that
seat's agent is the cause and forfeits this game. If the two deaths differ, as they may when an agent leaves a thread
that crashes later, each agent plays the game without the other, against `random`; if only one of them dies there, it
forfeits, and otherwise the one that was asked last. All other games count as they were played.
"""

import contextlib
import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.specs import make_agent
from ludarium.agents.worker_process import WorkerDied, call_in_copy, report
from ludarium.envs.batch import ILLEGAL
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.games import Played, play_game
from ludarium.evaluation.play.match import MatchResult, bench, game_keys, match_result, seated_games
from ludarium.evaluation.tournament.pieces import Work, pairing_of, seating_of

_MAKING = -1  # as the number of a game: the agents are being made
_MOST_DEATHS = 5  # in one game, if they may all have come from outside


class Asked(NamedTuple):
    """The last call before a death: game, seat (while agents are made: which of them), and number of the call."""

    game: int
    seat: int
    call: int


class Finished(NamedTuple):
    """A game that came to its end, and the seconds that it took."""

    played: Played
    seconds: float


class _Announced(Agent):
    """An agent whose calls are reported before they are made."""

    def __init__(self, agent: Agent, announce: Callable[[], None]) -> None:
        self._agent, self._announce = agent, announce
        self.name = agent.name

    @property
    def needs_state(self) -> bool:  # type: ignore[override]
        return self._agent.needs_state

    def reset(self, seat: int, seed: int) -> None:
        self._announce()
        self._agent.reset(seat, seed)

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        self._announce()
        return self._agent(observation, action_mask, info)


def play_guarded(game: str, *arguments: Any) -> "list[Finished] | Failed":
    """As `play_one_by_one`, in a copy of this process; what all copies need is loaded here, once."""
    _load(game)
    played: list[Finished] | Failed = call_in_copy(play_one_by_one, game, *arguments)
    return played


@functools.cache
def _load(game: str) -> None:
    """Load the compiled code of games played one by one."""
    rules = make_game(game)
    play_game(rules, [make_agent("random", rules) for _ in range(rules.seats)], seed_key(0), seed_key(0), 1)


def play_one_by_one(
    game: str, agents: tuple[str, ...], work: Work, seed: int, opening: int, first: int, alone: int | None
) -> list[Finished] | Failed:
    """Play a piece of work from game number `first` on, and report each call and each game.

    With `alone`, play only that game, and let `random` take the seats of the other agent than the one in that seat.

    Returns:
        The games, or `Failed` if an agent cannot be made.
    """
    rules = make_game(game)
    seating = seating_of(rules, work)
    keys, agent_keys = game_keys(seed, work.first, work.pairs, len(seating), pairing_of(work))
    who = np.tile(seating, (work.pairs, 1))
    if alone is not None:
        agents = tuple(spec if player == who[first, alone] else "random" for player, spec in enumerate(agents))
    with contextlib.ExitStack() as closing:
        benches = []
        for player in range(len(agents)):
            report(Asked(_MAKING, player, 0))
            try:
                benches.append(bench(agents, player, rules, closing))
            except (ValueError, TypeError, OSError) as error:
                return Failed(str(error))
        finished = []
        for number in range(first, len(who) if alone is None else first + 1):
            seated = _announced([benches[player][seat] for seat, player in enumerate(who[number])], number)
            started = time.perf_counter()
            played = play_game(rules, seated, keys[number], agent_keys[number], opening)
            finished.append(Finished(played, time.perf_counter() - started))
            report(finished[-1])
        return finished


def _announced(agents: list[Agent], number: int) -> list[_Announced]:
    calls = iter(range(1 << 62))

    def announce(seat: int) -> Callable[[], None]:
        return lambda: report(Asked(number, seat, next(calls)))

    return [_Announced(agent, announce(seat)) for seat, agent in enumerate(agents)]


class Inquest:
    """Plays a piece of work one by one, from death to death.

    Args:
        game: the game's spec.
        agents: the specs of the entrants.
        work: the piece.
        seed: the tournament's seed.
        opening: random moves at the start of each game.
        known: entrants that have killed processes before; one death is enough to blame them, unless it was a signal
            that may have come from outside.

    Attributes:
        guilty: the entrants found to have killed the process.
    """

    def __init__(
        self, game: str, agents: tuple[str, ...], work: Work, seed: int, opening: int, known: set[int]
    ) -> None:
        self._given = game, agents, work, seed, opening
        self._game = make_game(game)
        self._seating = seating_of(self._game, work)
        self._known = known
        self._played: list[Played] = []
        self._seconds = 0.0
        self._deaths: list[tuple[Asked, WorkerDied]] = []  # in the game that is being played
        self._alone: list[int] = []  # seats still to be tried alone
        self._died_alone: list[int] = []
        self.guilty: set[int] = set()

    def next_call(self) -> tuple[Any, ...]:
        """What a worker is to do next: a function and its arguments."""
        return play_guarded, *self._given, len(self._played), self._alone[0] if self._alone else None

    def tell(self, outcome: "list[Finished] | WorkerDied | Failed") -> "MatchResult | Failed | None":
        """Learn how the last call ended; returns the result if there is nothing left to play."""
        if self._alone:
            self._tell_alone(outcome)
        elif isinstance(outcome, WorkerDied):
            return self._tell_death(outcome) or self._result()
        elif isinstance(outcome, Failed):
            return outcome
        else:
            self._add(outcome)
        return self._result()

    def _add(self, finished: list[Finished]) -> None:
        if finished:
            self._played += [one.played for one in finished]
            self._seconds += sum(one.seconds for one in finished)
            self._deaths = []

    def _tell_death(self, death: WorkerDied) -> Failed | None:
        self._add([one for one in death.reports if isinstance(one, Finished)])
        asked = next((one for one in reversed(death.reports) if isinstance(one, Asked)), Asked(_MAKING, 0, 0))
        self._deaths.append((asked, death))
        if asked.game == _MAKING:
            failed = Failed(f"agent {self._given[1][asked.seat]!r}: its process {death} while it was made")
            return failed if len(self._deaths) > 1 else None
        if self._whose(asked.seat) in self._known and death.by_itself:
            self._blame(asked.seat)
        elif len(self._deaths) > 1:
            if self._deaths[-2][0] == asked or len(self._given[1]) == 1:
                self._blame(asked.seat)
            else:
                other = next(s for s in range(self._game.seats) if self._whose(s) != self._whose(asked.seat))
                self._alone, self._died_alone = [asked.seat, other], []
        return None

    def _tell_alone(self, outcome: Any) -> None:
        seat = self._alone.pop(0)
        if isinstance(outcome, WorkerDied):
            self._died_alone.append(seat)
        if not self._alone:
            asked, death = self._deaths[-1]
            if len(self._died_alone) == 1:
                self._blame(self._died_alone[0])
            elif death.by_itself or len(self._deaths) >= _MOST_DEATHS:
                self._blame(asked.seat, "; it was asked last, and it is not certain which agent was the cause")

    def _whose(self, seat: int) -> int:
        """Which entrant has a seat in the game that is being played; seats of one player belong to one entrant."""
        _, _, work, _, _ = self._given
        player = self._seating[len(self._played) % len(self._seating), seat]
        return work.b if player else work.a

    def _blame(self, seat: int, doubt: str = "") -> None:
        cause = f"its process {self._deaths[-1][1]}{doubt}"
        self.guilty.add(self._whose(seat))
        self._played.append(Played(np.zeros(self._game.seats), ILLEGAL + seat, [], cause))
        self._deaths = []

    def _result(self) -> MatchResult | None:
        _, agents, work, _, _ = self._given
        if len(self._played) < work.pairs * len(self._seating):
            return None
        played = seated_games(self._game, self._played)
        return match_result(self._game, list(agents), work.first, self._seating, played, self._seconds)
