"""Tournaments: who meets whom in which games; `run` plays what is missing and stores the results.

The schedule is a function of the tournament alone (in a Swiss tournament also of the results of earlier rounds). So a
tournament that was killed is resumed by playing the pairs missing from its store, and ends as if nothing had happened.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ludarium.agents.specs import is_foreign
from ludarium.agents.workers import Workers
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.match import MatchResult
from ludarium.evaluation.play.openings import Book
from ludarium.evaluation.tournament.crashes import Inquest
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import Work, game_rows, play_work, time_rows
from ludarium.evaluation.tournament.sequential import LEGS, PairingTest
from ludarium.evaluation.tournament.store import Store, StoreError
from ludarium.evaluation.tournament.swiss import swiss_pairings

_FIRST_PIECE, _LARGEST_PIECE = 4, 4096  # pairs in one piece of work: while a pairing's speed is unknown, and at most
_LAST_PIECE, _LEAST_TESTED = 256, 64  # pairs, at least: near the end of a pairing; under a sequential test
_MOST_MOVES = 1 << 23  # maximum number of moves in all games of a piece: they are in memory until the piece is stored


@dataclass
class Progress:
    """The progress of a tournament.

    Attributes:
        total: number of games in all.
        done: number of games in the store.
        decisions, seconds: totals of this run, by (event, entrant).
    """

    total: int
    done: int = 0
    decisions: Counter[tuple[int, int]] = field(default_factory=Counter)
    seconds: defaultdict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))

    def add(self, work: Work, result: MatchResult) -> None:
        """Count a finished piece of work."""
        self.done += result.games
        for entrant in {work.a, work.b}:
            self.decisions[work.event, entrant] += result.decisions
            self.seconds[work.event, entrant] += result.seconds


def usual_executor(tournament: Tournament) -> str:
    """Threads, which start at once, unless there is Python code of others, which may hang or crash."""
    return (
        "processes" if any(isinstance(agent, str) and is_foreign(agent) for agent in tournament.agents) else "threads"
    )


def run(
    tournament: Tournament,
    store: Store,
    *,
    executor: str | None = None,
    workers: int | None = None,
    isolate: bool = True,
    progress: Callable[[Progress], None] = lambda state: None,
) -> Progress:
    """Play all games that are missing from a store of this tournament.

    Args:
        tournament: what to play.
        store: a store opened for this tournament.
        executor: `"processes"` (the default), `"threads"` or `"dask:ADDRESS"`: see `ludarium.agents.workers`.
        workers: number of workers; by default one per core. Agents that are objects play in one thread of this process,
            unless `workers` or `executor` ask for more: then they need importable names.
        isolate: whether Python code of others plays in processes of its own, unless its spec says `trusted:`. It plays
            the same moves there, so a tournament may go on in either way.
        progress: called at the start, and whenever games have been stored.

    Raises:
        ValueError: for agents that a game refuses, and objects that workers cannot import, before anything is played.

    Examples:
        >>> from ludarium.evaluation import GameEntry, Store, Tournament, run
        >>> tournament = Tournament(("greedy", "random"), (GameEntry("tictactoe", pairs=10, opening=1),), seed=1)
        >>> with Store(None, tournament.data()) as store:
        ...     run(tournament, store, executor="threads").done
        20
    """
    if tournament.has_objects and executor in (None, "threads") and workers in (None, 1):
        executor, workers = "threads", 1
    else:
        tournament, executor = tournament.importable(), executor or "processes"
    with Workers(executor, workers) as pool:
        tournament.check(pool, isolate=isolate)
        return play(tournament, store, pool, progress, isolate=isolate)


def play(
    tournament: Tournament,
    store: Store,
    pool: Workers,
    progress: Callable[[Progress], None] = lambda state: None,
    finished: Callable[[int], None] = lambda event: None,
    *,
    isolate: bool = True,
) -> Progress:
    """As `run`, for a tournament that has been checked, on workers that stay open.

    `finished` is called with the number of each game of the tournament as soon as all of its games are stored.
    """
    state = Progress(games_in_all(tournament), store.count())
    progress(state)
    for pairings, ending in _rounds(tournament, store):
        _Round(tournament, store, pool, state, isolate).play(
            pairings, progress, finished if ending else lambda event: None
        )
    return state


class _Round:
    """Plays pairings: keeps every worker busy, and stores each piece of work as it comes back."""

    def __init__(self, tournament: Tournament, store: Store, pool: Workers, state: Progress, isolate: bool) -> None:
        self.tournament, self.store, self.pool, self.state, self.isolate = tournament, store, pool, state, isolate
        self.running: dict[Future[Any], tuple[Work, Inquest | None]] = {}
        self.pace: dict[tuple[int, int, int], float] = {}  # seconds per pair, by pairing
        self.tests: dict[tuple[int, int, int], PairingTest] = {}  # by pairing, under a sequential test
        self.given_up: set[tuple[int, int, int]] = set()  # pairings of which a piece could not be played
        self.lost: set[Work] = set()  # pieces whose worker was killed once
        self.crashing: set[int] = set()  # entrants that kill their workers

    def play(
        self,
        pairings: list[tuple[int, int, int]],
        progress: Callable[[Progress], None],
        finished: Callable[[int], None],
    ) -> None:
        """Play the missing games of these pairings, which are in the order of their events.

        Raises:
            ValueError: at the end, if some agents could not be made; their games are not in the store.
        """
        missing, failed = self.missing(pairings), ""
        open_events = list(dict.fromkeys(event for event, _, _ in pairings))
        while True:
            held = sum(len(test.held) for pairing, test in self.tests.items() if pairing not in self.given_up)
            for work in itertools.islice(missing, max(0, 2 * self.pool.size - len(self.running) - held)):
                self.submit(work)
            first = min((work.event for work, _ in self.running.values()), default=len(self.tournament.games))
            while open_events and open_events[0] < first:  # all that was missing of it has been played
                finished(open_events.pop(0))
            if not self.running:
                break
            for future in wait(self.running, return_when=FIRST_COMPLETED).done:
                work, inquest = self.running.pop(future)
                result = self.outcome(future, work, inquest)
                if isinstance(result, Failed):
                    failed = result.cause
                    self.given_up.add(work[:3])
                elif result is not None:
                    self.keep(work, result)
                    progress(self.state)
        if failed:
            raise ValueError(
                f"an agent could be made when the tournament began, but not later: {failed}; all other games are "
                "stored, and the same command plays what is missing"
            )

    def keep(self, work: Work, result: MatchResult) -> None:
        """Store a piece of work; under a sequential test in the order of pairs, and none after its decision."""
        test = self.tests.get(work[:3])
        ready = [(work, result)] if test is None else list(test.take(work, result))
        for one, part in ready:
            self.store.add(game_rows(part, one), time_rows(part, one))
            self.state.add(one, part)
        if test is not None and ready:
            self.spare(test)

    def spare(self, test: PairingTest) -> None:
        """Once a test is decided, its other games are not part of the tournament."""
        if test.over:
            self.state.total -= LEGS * (test.most - test.sprt.pairs)

    def submit(self, work: Work) -> None:
        if self.crashing & {work.a, work.b}:
            self.examine(work, None)
        else:
            self.running[self.pool.submit(play_work, *self.arguments(work))] = work, None

    def examine(self, work: Work, inquest: Inquest | None) -> None:
        """Play a piece one by one, or go on with that: see `crashes.py`."""
        inquest = inquest or Inquest(*self.arguments(work), self.crashing)
        self.running[self.pool.submit_guarded(*inquest.next_call())] = work, inquest

    def arguments(self, work: Work) -> tuple[str, tuple[Any, ...], Work, int, int | Book, str]:
        entry = self.tournament.games[work.event]
        entrants = [work.a] if work.a == work.b else [work.a, work.b]
        agents = tuple(self.tournament.played(entrant, self.isolate) for entrant in entrants)
        return entry.game, agents, work, self.tournament.seed, entry.begin, entry.adjudicate

    def outcome(self, future: "Future[Any]", work: Work, inquest: Inquest | None) -> MatchResult | Failed | None:
        """What a piece of work came to; None if it has been submitted again."""
        death = self.pool.death_of(future)
        if inquest is not None:
            result = inquest.tell(death or future.result())
            self.crashing |= inquest.guilty
            if result is None:
                self.examine(work, inquest)
            return result
        if death is not None:
            if death.by_itself or work in self.lost:
                self.examine(work, None)
            else:
                self.lost.add(work)
                self.submit(work)
            return None
        done = future.result()
        if isinstance(done, Failed):
            return done
        self.pace[work[:3]] = done.seconds / work.pairs
        return done.result

    def missing(self, pairings: list[tuple[int, int, int]]) -> Iterator[Work]:
        """The pairs missing from the store, in pieces of about a second."""
        for event, a, b in pairings:
            entry = self.tournament.games[event]
            largest = max(1, min(_LARGEST_PIECE, _MOST_MOVES // entry.rules.max_moves))
            test = self.test((event, a, b))
            for first, end in self.gaps((event, a, b)):
                while first < end and not (test is not None and (test.over or (event, a, b) in self.given_up)):
                    pace = self.pace.get((event, a, b))
                    size = _FIRST_PIECE if pace is None else max(1, min(largest, int(1 / max(pace, 1e-6))))
                    left = end - first
                    size = min(size, left, max(_LAST_PIECE, left // 2))  # smaller at the end: a shorter wait
                    if test is not None:  # little is played in vain when it is decided
                        size = min(size, max(_LEAST_TESTED, first // (4 * self.pool.size)))
                    yield Work(event, a, b, first, size)
                    first += size

    def test(self, pairing: tuple[int, int, int]) -> PairingTest | None:
        """The sequential test of a pairing, with what is stored of it."""
        if self.tournament.sprt is None:
            return None
        pairs = self.tournament.games[pairing[0]].pairs
        test = PairingTest(self.tournament.sprt, pairs, self.store.games_between(*pairing))
        self.tests[pairing] = test
        self.spare(test)
        return test

    def gaps(self, pairing: tuple[int, int, int]) -> Iterator[tuple[int, int]]:
        """The pairs of a pairing that are not in the store, each gap as its first and the one after its last."""
        pairs = self.tournament.games[pairing[0]].pairs
        for before, end in itertools.pairwise([-1, *sorted(self.store.pairs(*pairing)), pairs]):
            if before + 1 < end:
                yield before + 1, end


def games_in_all(tournament: Tournament) -> int:
    """Number of games in all; for a Swiss tournament the maximum."""
    total = 0
    for event, entry in enumerate(tournament.games):
        n, every = len(tournament.entrants(event)), len(tournament.pairings(event))
        pairings = {
            "round-robin": every,
            "gauntlet": len(_gauntlet(tournament, event)),
            "swiss": min(every, tournament.rounds * (n // 2)),
        }
        if entry.rules.cooperative:
            total += entry.pairs * (n + 2 * every * entry.crossplay)
        else:
            total += entry.pairs * 2 * pairings[tournament.format]
    return total


def _gauntlet(tournament: Tournament, event: int) -> list[tuple[int, int]]:
    """The pairings of the first entrant."""
    return [(a, b) for a, b in tournament.pairings(event) if a == tournament.entrants(event)[0]]


def _rounds(tournament: Tournament, store: Store) -> Iterator[tuple[list[tuple[int, int, int]], bool]]:
    """Pairings as (event, a, b), in groups that can be played in parallel; and whether their events end with them."""
    at_once: list[tuple[int, int, int]] = []
    swiss = []
    for event, entry in enumerate(tournament.games):
        entrants = tournament.entrants(event)
        if entry.rules.cooperative:
            at_once += [(event, a, a) for a in entrants]
            at_once += [(event, a, b) for a, b in tournament.pairings(event) if entry.crossplay]
        elif tournament.format == "swiss":
            swiss.append(event)
        else:
            every = tournament.format == "round-robin"
            met = tournament.pairings(event) if every else _gauntlet(tournament, event)
            at_once += [(event, a, b) for a, b in met]
    yield at_once, True
    for event in swiss:
        for drawn in _swiss_rounds(tournament, store, event):
            yield drawn, False


def _swiss_rounds(tournament: Tournament, store: Store, event: int) -> Iterator[list[tuple[int, int, int]]]:
    """The rounds of one game, until no pairing is left; each is drawn when the rounds before it are stored."""
    entrants = tournament.entrants(event)
    won_pairing = 4 * tournament.games[event].pairs  # two games per pair, two points per win
    stored = {(row.a, row.b) for row in store.games(event)}
    met: set[tuple[int, int]] = set()
    rests: Counter[int] = Counter()
    for _ in range(tournament.rounds):
        scores = _scores(store, event, met)
        order = sorted(entrants, key=lambda i: (-scores[i] - won_pairing * rests[i], i))
        pairings = swiss_pairings(order, met, rests)
        if not pairings:
            return
        met.update(pairings)
        rests.update(set(entrants).difference(*pairings))
        entry = tournament.games[event]
        if not stored <= met and any(len(store.pairs(event, a, b)) < entry.pairs for a, b in pairings):
            raise StoreError(
                f"{store.path} holds pairings that are not due before this round is played: it was made by a version "
                "of Ludarium that paired differently; continue with that version, or give another file"
            )
        yield [(event, a, b) for a, b in pairings]


def _scores(store: Store, event: int, met: set[tuple[int, int]]) -> Counter[int]:
    """Points so far in the pairings drawn so far: a win is 2, a draw 1."""
    scores: Counter[int] = Counter()
    for row in store.games(event):
        if (row.a, row.b) in met:
            won = int(np.sign(row.payoff_a))
            scores[row.a] += 1 + won
            scores[row.b] += 1 - won
    return scores
