"""Where work runs: local processes, threads, or a Dask cluster, all as `concurrent.futures.Executor`."""

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

_MOST_REBUILDS = 20


class Workers:
    """A pool of workers that goes on when some of them die.

    Args:
        kind: `"processes"` (local; a killed one is replaced), `"threads"` (for compiled agents, which run without
            Python's global lock), or `"dask:ADDRESS"`, such as `dask:tcp://10.0.0.1:8786` (needs
            `pip install "ludarium[scale]"`).
        size: how many workers; by default one per core, or as many as the cluster has.

    Raises:
        ValueError: for an unknown kind or a size below 1.
        ModuleNotFoundError: if Dask is not installed.
        OSError: if there is no cluster at the address.
    """

    def __init__(self, kind: str = "processes", size: int | None = None) -> None:
        if size is not None and size < 1:
            raise ValueError(f"workers must be at least 1, not {size}")
        self.size = size or os.cpu_count() or 1
        self._kind = kind
        self._rebuilds = 0
        self._lock = threading.Lock()
        self._client: Any = None
        self._executor = self._make()

    def _make(self) -> Executor:
        if self._kind == "threads":
            return ThreadPoolExecutor(self.size)
        if self._kind == "processes":
            return ProcessPoolExecutor(self.size, mp_context=multiprocessing.get_context("spawn"))
        scheme, _, address = self._kind.partition(":")
        if scheme != "dask":
            raise ValueError(f"executor must be 'processes', 'threads' or 'dask:ADDRESS', not {self._kind!r}")
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ModuleNotFoundError("executor 'dask:…' needs Dask: pip install \"ludarium[scale]\"") from None
        self._client = Client(address, timeout="10s")
        self.size = max(1, sum(self._client.ncores().values()))
        return self._client.get_executor()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Run `function(*arguments)`; the function and its arguments must be importable in another process.

        Raises:
            RuntimeError: if workers keep dying, so that it is pointless to go on.
        """
        with self._lock:
            try:
                return self._executor.submit(function, *arguments)
            except BrokenProcessPool:
                self._rebuild()
                return self._executor.submit(function, *arguments)

    def is_lost(self, future: "Future[Any]") -> bool:
        """Whether a finished future has no result because a worker died; the work must then be submitted again."""
        return future.cancelled() or isinstance(future.exception(), BrokenProcessPool | CancelledError)

    def _rebuild(self) -> None:
        self._rebuilds += 1
        if self._rebuilds > _MOST_REBUILDS:
            raise RuntimeError(f"worker processes died {self._rebuilds} times; is there enough memory?")
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        if self._client is not None:
            self._client.close()
        else:
            self._executor.shutdown(wait=error[0] is None, cancel_futures=True)
