"""Runs the independent parts of one step of learning on any number of threads, processes or machines."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

from ludarium.agents.workers import Workers

Part = TypeVar("Part")
Result = TypeVar("Result")


class Parallel(Protocol):
    """Maps a function over independent parts; the results are in the parts' order.

    Attributes:
        shares_memory: whether the function sees the caller's own arrays and may change them. Otherwise another process
            must be able to import it, its arguments and result are copied, and so it must return whatever it changes.
        size: how many workers there are. No result may depend on it.
    """

    shares_memory: bool

    @property
    def size(self) -> int: ...

    def __call__(self, function: Callable[[Part], Result], parts: Sequence[Part], /) -> list[Result]: ...


@contextmanager
def workers(executor: str = "threads", size: int | None = None) -> Iterator[Parallel]:
    """Start workers for the parts of a learner's steps.

    Args:
        executor: `"threads"` (compiled code runs without Python's global lock), `"processes"` or `"dask:ADDRESS"`, see
            `ludarium.agents.workers`.
        size: how many workers; by default one per core, or as many as the cluster has.

    Raises:
        ValueError: for an unknown executor or a size below 1.
    """
    if executor == "threads":
        if size is not None and size < 1:
            raise ValueError(f"workers must be at least 1, not {size}")
        with ThreadPoolExecutor(size or os.cpu_count() or 1) as pool:
            yield _Threads(pool, size or os.cpu_count() or 1)
    else:
        with Workers(executor, size) as pool:
            yield _Elsewhere(pool)


class _Threads:
    shares_memory = True

    def __init__(self, pool: ThreadPoolExecutor, size: int) -> None:
        self._pool, self._size = pool, size

    @property
    def size(self) -> int:
        return self._size

    def __call__(self, function: Callable[[Part], Result], parts: Sequence[Part], /) -> list[Result]:
        return list(self._pool.map(function, parts) if self._size > 1 else map(function, parts))


class _Elsewhere:
    shares_memory = False

    def __init__(self, pool: Workers) -> None:
        self._pool = pool

    @property
    def size(self) -> int:
        return self._pool.size

    def __call__(self, function: Callable[[Part], Result], parts: Sequence[Part], /) -> list[Result]:
        futures = [self._pool.submit(function, part) for part in parts]
        for number, part in enumerate(parts):
            while True:
                try:
                    futures[number].result()
                except Exception:
                    if self._pool.death_of(futures[number]) is None:
                        raise
                    futures[number] = self._pool.submit(function, part)  # its worker died
                else:
                    break
        return [future.result() for future in futures]
