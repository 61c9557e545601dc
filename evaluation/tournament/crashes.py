"""Work whose worker died: its games are played one by one in a process of their own, to find out who kills it.

Before each call into an agent, the process reports which seat it asks in which game. A game in which the process dies
is played again, in a new process: it may have been killed from outside. If it dies again, the agent asked last plays
this game once more without the other, whose moves are repeated from a script. If the process dies, that agent was it.
If not, the other may have left a thread that crashes later, and is tried in the same way, at the pace of the game. If
neither dies, nothing is certain, and the agent asked last forfeits. All other games count as they were played.
"""

import contextlib
import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, AgentFailure
from ludarium.agents.worker_process import WorkerDied, call_in_copy, report
from ludarium.envs.batch import ILLEGAL
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.adjudication import adjudicator_of
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.games import Played, compile_games, play_game
from ludarium.evaluation.play.match import MatchResult, bench, game_keys, match_result, seated_games
from ludarium.evaluation.play.openings import openings_of
from ludarium.evaluation.tournament.event import GameEntry
from ludarium.evaluation.tournament.pieces import Work, pairing_of, seating_of

_MAKING = -1  # as the number of a game: the agents are being made
_AFTERMATH = 2.0  # seconds in which a thread may crash
_MOST_DEATHS = 5  # in one game, if they may all have come from outside


class Asked(NamedTuple):
    """The last call before a death: game, seat (while agents are made: which of them), and number of the call."""

    game: int
    seat: int
    call: int


class Answered(NamedTuple):
    """An answer to a call: seat, action, and the seconds that it took."""

    seat: int
    action: int
    seconds: float


class Finished(NamedTuple):
    """A game that came to its end, and the seconds that it took."""

    played: Played
    seconds: float


class Trial(NamedTuple):
    """Which seat's agent plays a game without the other, and the answers given in it before."""

    seat: int
    script: tuple[Answered, ...]


class _Announced(Agent):
    """An agent whose calls are reported before they are made, and its answers."""

    def __init__(self, agent: Agent, announce: Callable[[], None], seat: int) -> None:
        self._agent, self._announce, self._seat = agent, announce, seat
        self.name, self.policy = agent.name, agent.policy  # which decides how its seed is drawn

    @property
    def needs_state(self) -> bool:  # type: ignore[override]
        return self._agent.needs_state

    @property
    def needs_view(self) -> bool:  # type: ignore[override]
        return self._agent.needs_view

    def reset(self, seat: int, seed: int) -> None:
        self._announce()
        self._agent.reset(seat, seed)

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        self._announce()
        started = time.perf_counter()
        action = self._agent(observation, action_mask, info)
        if isinstance(action, int | np.integer):
            report(Answered(self._seat, int(action), time.perf_counter() - started))
        return action


class _Scripted(Agent):
    """Repeats what an agent played, at its pace; then it waits for threads that crash, and gives up."""

    def __init__(self, answers: list[Answered]) -> None:
        self._answers = iter(answers)

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        answer = next(self._answers, None)
        if answer is None:
            time.sleep(_AFTERMATH)
            raise AgentFailure("the script ends")
        time.sleep(answer.seconds)
        return answer.action


def play_guarded(entry: GameEntry, *arguments: Any) -> "list[Finished] | Failed":
    """As `play_one_by_one`, in a copy of this process; what all copies need is loaded here, once."""
    _load(entry.game)
    played: list[Finished] | Failed = call_in_copy(play_one_by_one, entry, *arguments)
    return played


@functools.cache
def _load(game: str) -> None:
    """Load the compiled code of games played one by one."""
    compile_games(make_game(game), [])


def play_one_by_one(
    entry: GameEntry,
    agents: tuple[str, ...],
    work: Work,
    seed: int,
    first: int,
    trial: Trial | None,
) -> list[Finished] | Failed:
    """Play a piece of work from game number `first` on, and report each call and each game.

    With a trial, play only that game, and only with the agent that is tried.

    Returns:
        The games, or `Failed` if an agent cannot be made.
    """
    rules = make_game(entry.game)
    seating, adjudicator = seating_of(rules, work), adjudicator_of(entry.adjudicate, rules)
    keys, agent_keys = game_keys(seed, work.first, work.pairs, len(seating), pairing_of(work))
    who = np.tile(seating, (work.pairs, 1))
    pairs = np.repeat(np.arange(work.first, work.first + work.pairs), len(seating))
    openings = openings_of(rules, entry.begin, seed, pairs)
    tried = None if trial is None else int(who[first, trial.seat])
    with contextlib.ExitStack() as closing:
        benches: list[list[Agent]] = []
        for player in range(len(agents)):
            if tried not in (None, player):
                script = trial.script if trial is not None else ()
                benches.append([_Scripted([a for a in script if a.seat == seat]) for seat in range(rules.seats)])
                continue
            report(Asked(_MAKING, player, 0))
            try:
                benches.append(bench(agents, player, rules, closing))
            except (ValueError, TypeError, OSError) as error:
                return Failed(str(error))
        finished = []
        for number in range(first, len(who) if trial is None else first + 1):
            seated = _announced([benches[player][seat] for seat, player in enumerate(who[number])], number)
            started = time.perf_counter()
            chance = keys[number], agent_keys[number], openings.of(rules, number)
            played = play_game(rules, seated, *chance, adjudicator, entry.control)
            finished.append(Finished(played, time.perf_counter() - started))
            report(finished[-1])
        return finished


def _announced(agents: list[Agent], number: int) -> list[_Announced]:
    calls = iter(range(1 << 62))

    def announce(seat: int) -> Callable[[], None]:
        return lambda: report(Asked(number, seat, next(calls)))

    return [_Announced(agent, announce(seat), seat) for seat, agent in enumerate(agents)]


class Inquest:
    """Plays a piece of work one by one, from death to death.

    Args:
        entry: the game, and how it is played.
        agents: the specs of the entrants.
        work: the piece.
        seed: the tournament's seed.
        known: entrants that have killed processes before; one death is enough to blame them, unless it was a signal
            that may have come from outside.

    Attributes:
        guilty: the entrants found to have killed the process.
    """

    def __init__(
        self,
        entry: GameEntry,
        agents: tuple[str, ...],
        work: Work,
        seed: int,
        known: set[int],
    ) -> None:
        self._given = entry, agents, work, seed
        self._game = make_game(entry.game)
        self._seating = seating_of(self._game, work)
        self._known = known
        self._played: list[Played] = []
        self._seconds = 0.0
        self._deaths: list[WorkerDied] = []  # in the game that is being played
        self._trials: list[Trial] = []  # still to be held
        self.guilty: set[int] = set()

    def next_call(self) -> tuple[Any, ...]:
        """What a worker is to do next: a function and its arguments."""
        return play_guarded, *self._given, len(self._played), self._trials[0] if self._trials else None

    def tell(self, outcome: "list[Finished] | WorkerDied | Failed") -> "MatchResult | Failed | None":
        """Learn how the last call ended; returns the result if there is nothing left to play."""
        if self._trials:
            self._tell_trial(died=isinstance(outcome, WorkerDied))
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
        if len(self._played) == self._games:  # it died when it had nothing left to do
            return None
        asked = next((one for one in reversed(death.reports) if isinstance(one, Asked)), Asked(_MAKING, 0, 0))
        self._deaths.append(death)
        if asked.game == _MAKING:
            failed = Failed(f"agent {self._given[1][asked.seat]!r}: its process {death} while it was made")
            return failed if len(self._deaths) > 1 else None
        suspect = self._entrant(asked.game, asked.seat)
        if suspect in self._known and death.by_itself:
            self._blame(suspect)
        elif len(self._deaths) > 1:
            other = next((one for one in self._given[2][1:3] if one != suspect), None)
            if other is None:
                self._blame(suspect)
            else:
                script = _answers(death.reports)
                self._trials = [Trial(self._seat(one), script) for one in (suspect, other)]
        return None

    def _tell_trial(self, died: bool) -> None:
        trial, *self._trials = self._trials
        tried = self._entrant(len(self._played), trial.seat)
        if died:
            self._trials = []
            self._blame(tried)
        elif not self._trials and (self._deaths[-1].by_itself or len(self._deaths) >= _MOST_DEATHS):
            suspect = next(one for one in self._given[2][1:3] if one != tried)
            self._blame(suspect, "; it was asked last, but it is not certain which agent was the cause")

    @property
    def _games(self) -> int:
        return self._given[2].pairs * len(self._seating)

    def _entrant(self, game: int, seat: int) -> int:
        """Which entrant has a seat in a game."""
        work = self._given[2]
        return work.b if self._seating[game % len(self._seating), seat] else work.a

    def _seat(self, entrant: int) -> int:
        """The first seat of an entrant in the game that is being played."""
        return next(s for s in range(self._game.seats) if self._entrant(len(self._played), s) == entrant)

    def _blame(self, entrant: int, doubt: str = "") -> None:
        cause = f"its process {self._deaths[-1]}{doubt}"
        if not doubt:
            self.guilty.add(entrant)
        self._played.append(Played(np.zeros(self._game.seats), ILLEGAL + self._seat(entrant), [], cause))
        self._deaths = []

    def _result(self) -> MatchResult | None:
        _, agents, work, *_ = self._given
        if len(self._played) < self._games:
            return None
        played = seated_games(self._game, self._played, self._seating)
        return match_result(self._game, list(agents), work.first, self._seating, played, self._seconds)


def _answers(reports: list[Any]) -> tuple[Answered, ...]:
    """The answers in the game that was not finished."""
    last = max((i for i, one in enumerate(reports) if isinstance(one, Finished)), default=-1)
    return tuple(one for one in reports[last + 1 :] if isinstance(one, Answered))
