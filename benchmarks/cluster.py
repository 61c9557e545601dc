"""A simulated cluster, on which the schedule of tournaments itself runs in simulated time.

`Round` hands out pieces of work as it does in a tournament; only its workers, and its writing to the store, take
simulated time. The clocks are those of three parties: the command, Dask's scheduler, and each worker. Dask gives a
bundle to a worker that has the fewest; here none is moved later, as Dask would do, so idle time is rather overstated.
"""

import heapq
import itertools
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import Arguments, Done, Work
from ludarium.evaluation.tournament.schedule import Progress, Round, games_in_all
from ludarium.evaluation.tournament.sequential import LEGS
from ludarium.evaluation.tournament.store import Store

NOTICED = 30.0  # seconds until Dask gives up a silent connection: distributed.comm.timeouts.tcp


@dataclass(frozen=True)
class Costs:
    """What everything but the games costs, in seconds.

    Attributes:
        hand_out: time of the command for a bundle, from handing it out to having its result.
        schedule: time of Dask's scheduler for a bundle.
        pass_on: time of Dask's scheduler for each game of a result.
        travel: from one machine to another.
        receive: time of the command for each game of a result.
        store: time of the command for a transaction, that of a bundle.
        store_game: time of the command for each game in it.
        start: time of a worker before its first game.
        besides: time of a worker for each piece besides its games.
    """

    hand_out: float = 0.0
    schedule: float = 0.0
    pass_on: float = 0.0
    travel: float = 0.0
    receive: float = 0.0
    store: float = 0.0
    store_game: float = 0.0
    start: float = 0.0
    besides: float = 0.0


@dataclass(frozen=True)
class Machines:
    """The machines of a cluster.

    Attributes:
        slowness: of each machine: how many times longer it takes than the one that was measured.
        cores: number of workers on each.
        gone: when machines vanish, by their number, in seconds.
    """

    slowness: tuple[float, ...]
    cores: int
    gone: dict[int, float]


@dataclass(frozen=True)
class Games:
    """How long games take: seconds a pair, and the standard deviation of a pair as a share of that."""

    pace: float
    spread: float


@dataclass
class Usage:
    """Where the time went, in seconds; `capacity` is that of all workers until the end, or until they vanish."""

    seconds: float
    capacity: float
    playing: float
    starting: float
    lost: float
    command: float
    scheduler: float
    bundles: int

    @property
    def idle(self) -> float:
        """The share of the workers' time in which they played no games that count."""
        return 1 - self.playing / self.capacity


class Cluster:
    """Stands for `Workers`: takes bundles, and finishes them in simulated time.

    Attributes:
        size: number of workers.
        now: the command's time.
    """

    def __init__(self, machines: Machines, costs: Costs, games: Games, seed: int = 0) -> None:
        self.machines, self.costs, self.games = machines, costs, games
        self.size = machines.cores * len(machines.slowness)
        self.now = self.command = self.scheduler = self.playing = self.starting = self.lost = self.end = 0.0
        self.bundles = 0
        self._scheduler_free = 0.0
        self._free = np.zeros(self.size)
        self._waiting = np.zeros(self.size)  # number of bundles of each worker; infinite once it has vanished
        self._started = np.zeros(self.size, dtype=bool)
        self._at: dict[int, dict[int, tuple[Future[Any], list[Work]]]] = {worker: {} for worker in range(self.size)}
        self._numbers = itertools.count()
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._random = np.random.default_rng(seed)
        self._over: Future[Any] | None = None
        for machine, when in machines.gone.items():
            self._plan(when + NOTICED, self._notice, machine)

    def spend(self, seconds: float) -> None:
        """The command does something."""
        self.now += seconds
        self.command += seconds

    def submit(self, function: object, bundle: list[Arguments]) -> "Future[Any]":
        """Hand out a bundle."""
        self.spend(self.costs.hand_out)
        self.bundles += 1
        future: Future[Any] = Future()
        self._plan(self.now + self.costs.travel, self._assign, future, [arguments[2] for arguments in bundle])
        return future

    def wait(self) -> None:
        """Let time pass until the command has the next result."""
        self._over = None
        while self._over is None:
            when, _, happens, what = heapq.heappop(self._events)
            happens(when, *what)
            if self._over is not None:
                self.now = max(self.now, when)

    def death_of(self, future: "Future[Any]") -> None:
        """Dask itself plays again what a machine takes with it."""

    def usage(self) -> Usage:
        """Where the time went."""
        gone = [min(self.machines.gone.get(machine, self.now), self.now) for machine in self._each_machine()]
        capacity = self.machines.cores * sum(gone)
        return Usage(
            self.now, capacity, self.playing, self.starting, self.lost, self.command, self.scheduler, self.bundles
        )

    def _each_machine(self) -> range:
        return range(len(self.machines.slowness))

    def _plan(self, when: float, happens: Callable[..., None], *what: Any) -> None:
        heapq.heappush(self._events, (when, next(self._numbers), happens, what))

    def _schedule(self, when: float, games: int = 0) -> float:
        """When the scheduler has given a bundle to a worker, or has passed on the games of a result."""
        spent = self.costs.schedule / 2 + self.costs.pass_on * games
        self._scheduler_free = max(when, self._scheduler_free) + spent
        self.scheduler += spent
        return self._scheduler_free

    def _assign(self, when: float, future: "Future[Any]", bundle: list[Work]) -> None:
        """A bundle is with the scheduler, which gives it to the worker that has the fewest."""
        worker = int(self._waiting.argmin())
        machine = worker // self.machines.cores
        begin = max(self._schedule(when) + self.costs.travel, self._free[worker])
        slow = self.machines.slowness[machine]
        start = 0.0 if self._started[worker] else slow * self.costs.start
        spent = [slow * self._seconds(work) for work in bundle]
        end = begin + start + sum(spent) + slow * self.costs.besides * len(bundle)
        self._started[worker], self._free[worker] = True, end
        self._waiting[worker] += 1
        number = next(self._numbers)
        self._at[worker][number] = future, bundle
        if end < self.machines.gone.get(machine, float("inf")):
            self._plan(end, self._finish, worker, number, start, spent)
        else:
            self.lost += max(0.0, self.machines.gone[machine] - begin)

    def _seconds(self, work: Work) -> float:
        mean, shape = work.pairs * self.games.pace, work.pairs / max(self.games.spread, 1e-9) ** 2
        return mean * float(self._random.gamma(shape)) / shape

    def _finish(self, when: float, worker: int, number: int, start: float, spent: list[float]) -> None:
        """A worker has played a bundle."""
        future, bundle = self._at[worker].pop(number)
        self._waiting[worker] -= 1
        self.playing += sum(spent)
        self.starting += start
        arrival = self._schedule(when + self.costs.travel, LEGS * sum(work.pairs for work in bundle))
        self._plan(arrival + self.costs.travel, self._tell, future, bundle, spent)

    def _tell(self, when: float, future: "Future[Any]", bundle: list[Work], spent: list[float]) -> None:
        """The command gets a result."""
        results: list[Any] = [
            SimpleNamespace(games=LEGS * work.pairs, seconds=seconds, decisions=0)
            for work, seconds in zip(bundle, spent, strict=True)
        ]
        future.set_result([Done(result, self.costs.besides) for result in results])
        self._over = future

    def _notice(self, when: float, machine: int) -> None:
        """The scheduler learns that a machine has vanished, and gives its bundles to others."""
        for worker in range(machine * self.machines.cores, (machine + 1) * self.machines.cores):
            self._waiting[worker] = np.inf
            for future, bundle in self._at[worker].values():
                self._plan(when, self._assign, future, bundle)
            self._at[worker].clear()


class SimulatedRound(Round):
    """A round on a simulated cluster, which keeps no games."""

    pool: Cluster  # type: ignore[assignment]

    def next_finished(self) -> "Future[Any]":
        self.pool.wait()
        return self.finished.get()

    def keep(self, played: list[tuple[Work, Any]]) -> None:
        costs, games = self.pool.costs, sum(result.games for _, result in played)
        self.pool.spend(costs.store + (costs.receive + costs.store_game) * games)
        for work, result in played:
            self.state.add(work, result)


def simulate(tournament: Tournament, cluster: Cluster) -> Usage:
    """Play a round-robin tournament of one game on a simulated cluster."""
    state = Progress(games_in_all(tournament))
    with Store(None, tournament.data()) as store:
        playing = SimulatedRound(tournament, store, cluster, state, isolate=False)  # type: ignore[arg-type]
        playing.play([(0, a, b) for a, b in tournament.pairings(0)], lambda state: None, lambda event: None)
    if state.done != state.total:
        raise AssertionError(f"{state.done:,} of {state.total:,} games were played")
    return cluster.usage()
