"""Tournaments: who meets whom in which games; `run` plays what is missing and stores the results.

The schedule is a function of the tournament alone (in a Swiss tournament also of the results of earlier rounds). So a
tournament that was killed is resumed by playing the pairs missing from its store, and ends as if nothing had happened.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import numpy as np

from ludarium.agents.specs import is_foreign
from ludarium.agents.worker_process import WorkerDied
from ludarium.agents.workers import Workers
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.match import MatchResult
from ludarium.evaluation.tournament.crashes import Inquest
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import Arguments, Done, Work, game_rows, play_bundle, time_rows
from ludarium.evaluation.tournament.sequential import LEGS, PairingTest
from ludarium.evaluation.tournament.sizing import FIRST, LARGEST, QUEUED, Speed, piece_pairs, piece_seconds
from ludarium.evaluation.tournament.store import Store, StoreError
from ludarium.evaluation.tournament.swiss import swiss_pairings

_LEAST_TESTED = 64  # pairs in a piece under a sequential test, at least
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
    """Threads, which start at once, unless there is Python code of others, which may hang or crash, or a clock.

    Python runs one thread at a time, so timed games in threads would take time from each other.
    """
    foreign = any(isinstance(agent, str) and is_foreign(agent) for agent in tournament.agents)
    return "threads" if not foreign and all(entry.reproducible for entry in tournament.games) else "processes"


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
        Round(tournament, store, pool, state, isolate).play(
            pairings, progress, finished if ending else lambda event: None
        )
    return state


class Round:
    """Plays pairings: keeps every worker busy, and stores each piece of work as it comes back.

    Pieces travel in bundles, since those of small pairings would take less time than their journey.
    """

    def __init__(self, tournament: Tournament, store: Store, pool: Workers, state: Progress, isolate: bool) -> None:
        self.tournament, self.store, self.pool, self.state, self.isolate = tournament, store, pool, state, isolate
        self.running: dict[Future[Any], tuple[list[Work], Inquest | None]] = {}
        self.running_in: Counter[int] = Counter()  # the number of these, by the event of their first piece
        self.finished: SimpleQueue[Future[Any]] = SimpleQueue()
        self.speed = Speed()
        self.left = 0  # number of pairs that have not been handed out
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
        missing, failed = self.bundles(self.missing(pairings)), ""
        open_events = list(dict.fromkeys(event for event, _, _ in pairings))
        while True:
            held = sum(len(test.held) for pairing, test in self.tests.items() if pairing not in self.given_up)
            for bundle in itertools.islice(missing, max(0, QUEUED * self.pool.size - len(self.running) - held)):
                self.submit(bundle)
            first = min(
                (event for event, number in self.running_in.items() if number), default=len(self.tournament.games)
            )
            while open_events and open_events[0] < first:  # all that was missing of it has been played
                finished(open_events.pop(0))
            if not self.running:
                break
            played: list[tuple[Work, MatchResult]] = []
            for work, result in self.outcomes(self.next_finished()):
                if isinstance(result, Failed):
                    failed = result.cause
                    self.given_up.add(work[:3])
                else:
                    played += self.counted(work, result)
            if played:
                self.keep(played)
                progress(self.state)
        if failed:
            raise ValueError(
                f"an agent could be made when the tournament began, but not later: {failed}; all other games are "
                "stored, and the same command plays what is missing"
            )

    def next_finished(self) -> "Future[Any]":
        """The next bundle that is over, as soon as there is one."""
        return self.finished.get()

    def counted(self, work: Work, result: MatchResult) -> list[tuple[Work, MatchResult]]:
        """What is to be stored now; under a sequential test in the order of pairs, and none after its decision."""
        test = self.tests.get(work[:3])
        if test is None:
            return [(work, result)]
        ready = list(test.take(work, result))
        if ready:
            self.spare(test)
        return ready

    def keep(self, played: list[tuple[Work, MatchResult]]) -> None:
        """Store pieces of work, in one transaction."""
        rows = (game_rows(result, work) for work, result in played)
        times = (time_rows(result, work) for work, result in played)
        self.store.add(itertools.chain.from_iterable(rows), itertools.chain.from_iterable(times))
        for work, result in played:
            self.state.add(work, result)

    def spare(self, test: PairingTest) -> None:
        """Once a test is decided, its other games are not part of the tournament."""
        if test.over:
            self.state.total -= LEGS * (test.most - test.sprt.pairs)

    def submit(self, bundle: list[Work]) -> None:
        safe = [work for work in bundle if not self.crashing & {work.a, work.b}]
        for work in bundle:
            if work not in safe:
                self.examine(work, None)
        if safe:
            future = self.pool.submit(play_bundle, [self.arguments(work) for work in safe])
            self.follow(future, safe, None)

    def examine(self, work: Work, inquest: Inquest | None) -> None:
        """Play a piece one by one, or go on with that: see `crashes.py`."""
        inquest = inquest or Inquest(*self.arguments(work), self.crashing)
        self.follow(self.pool.submit_guarded(*inquest.next_call()), [work], inquest)

    def follow(self, future: "Future[Any]", bundle: list[Work], inquest: Inquest | None) -> None:
        self.running[future] = bundle, inquest
        self.running_in[bundle[0].event] += 1
        future.add_done_callback(self.finished.put)

    def arguments(self, work: Work) -> Arguments:
        entrants = [work.a] if work.a == work.b else [work.a, work.b]
        agents = tuple(self.tournament.played(entrant, self.isolate) for entrant in entrants)
        return self.tournament.games[work.event], agents, work, self.tournament.seed

    def outcomes(self, future: "Future[Any]") -> Iterator[tuple[Work, MatchResult | Failed]]:
        """The pieces of a bundle, with their results; those without one have been submitted again."""
        bundle, inquest = self.running.pop(future)
        self.running_in[bundle[0].event] -= 1
        death = self.pool.death_of(future)
        if inquest is not None:
            result = inquest.tell(death or future.result())
            self.crashing |= inquest.guilty
            if result is None:
                self.examine(bundle[0], inquest)
            else:
                yield bundle[0], result
        elif death is not None:
            self.play_again(bundle, death)
        else:
            for work, done in zip(bundle, future.result(), strict=True):
                if isinstance(done, Done):
                    self.speed.learn(work, done.result.seconds, done.besides)
                yield work, done.result if isinstance(done, Done) else done

    def play_again(self, bundle: list[Work], death: WorkerDied) -> None:
        """Submit the pieces of a bundle once more, each by itself; who dies there is examined."""
        for work in bundle:
            if work in self.lost or (death.by_itself and len(bundle) == 1):
                self.examine(work, None)
            else:
                self.lost.add(work)
                self.submit([work])

    def bundles(self, pieces: Iterable[Work]) -> Iterator[list[Work]]:
        """Pieces of work in bundles; several only if they are small."""
        bundle: list[Work] = []
        spent, pairs = 0.0, 0
        for work in pieces:
            seconds = self.speed.seconds(work)
            if bundle and (seconds is None or pairs + work.pairs > self.largest(work.event)):
                yield bundle
                bundle, spent, pairs = [], 0.0, 0
            bundle.append(work)
            spent, pairs = spent + (seconds or 0), pairs + work.pairs
            if self.tests or seconds is None or spent >= self.wanted_seconds(seconds / work.pairs) / 2:
                yield bundle
                bundle, spent, pairs = [], 0.0, 0
        if bundle:
            yield bundle

    def wanted_seconds(self, pace: float) -> float:
        return piece_seconds(self.left * pace, self.pool.size)

    def missing(self, pairings: list[tuple[int, int, int]]) -> Iterator[Work]:
        """The pairs missing from the store, in pieces: see `sizing.py`."""
        after = sum(self.tournament.games[event].pairs for event, _, _ in pairings)
        for event, a, b in pairings:
            pairs = self.tournament.games[event].pairs
            after -= pairs
            test = self.test((event, a, b))
            for first, end in self.gaps((event, a, b)):
                while first < end and not (test is not None and (test.over or (event, a, b) in self.given_up)):
                    self.left = after + pairs - first
                    pace, timed = self.speed.pace(event, a, b), not self.tournament.games[event].reproducible
                    size = piece_pairs(pace, self.left, self.pool.size, first=1 if timed else FIRST)
                    size = min(size, end - first, self.largest(event))
                    if test is not None:  # little is played in vain when it is decided
                        size = min(size, max(_LEAST_TESTED, first // (4 * self.pool.size)))
                    self.left -= size
                    yield Work(event, a, b, first, size)
                    first += size

    def largest(self, event: int) -> int:
        """The maximum number of pairs in a piece, or in a bundle."""
        return max(1, min(LARGEST, _MOST_MOVES // self.tournament.games[event].rules.max_moves))

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
    first = tournament.entrants(event)[0]
    return [(a, b) for a, b in tournament.pairings(event) if a == first]


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
