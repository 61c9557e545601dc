"""Shared by the benchmarks of speed: the one timer, and which peers are installed."""

import importlib.util
import time
from collections.abc import Callable


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def fastest(
    *works: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The shortest time of each task in seconds; tasks alternate, so that a busy machine slows all of them alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            started = clock()
            work()
            taken.append(clock() - started)
    return [min(taken) for taken in times]
