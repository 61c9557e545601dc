"""Where work runs: local processes, threads, or a Dask cluster, all as `concurrent.futures.Future`.

A worker process is our own (`worker_process.py`), driven by one thread of this process. So when one dies, exactly the
call that it was making is lost, and a worker that hangs can be ended from here.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

from ludarium.agents.worker_process import WorkerDied, WorkerProcess, call_here, close_all

_MOST_DEATHS = 20  # workers that die in a row without having done anything
_GRACE = 0.5  # seconds that they have to end when they are interrupted


class Workers:
    """A pool of workers that goes on when some of them die.

    Args:
        kind: `"processes"` (local; a killed one is replaced), `"threads"` (for compiled agents, which run without
            Python's global lock), or `"dask:ADDRESS"`, such as `dask:tcp://10.0.0.1:8786` (needs
            `pip install "ludarium[scale]"`).
        size: how many workers; by default one per core, or as many as the cluster has.
        patience: seconds that processes have to end by themselves at the end.

    Attributes:
        abandoned: after an interrupt, whether a thread still runs that nothing can end.

    Raises:
        ValueError: for an unknown kind or a size below 1.
        ModuleNotFoundError: if Dask is not installed.
        OSError: if there is no cluster at the address; from any method, if its scheduler can no longer be reached.
    """

    def __init__(self, kind: str = "processes", size: int | None = None, patience: float = 3.0) -> None:
        if size is not None and size < 1:
            raise ValueError(f"workers must be at least 1, not {size}")
        self.size = size or os.cpu_count() or 1
        self.abandoned = False
        self._patience = patience
        self._running: set[Future[Any]] = set()
        self._processes: _Processes | None = None
        self._guards: _Processes | None = None
        self._client: Any = None
        self._executor: Executor | None = None
        scheme, _, self._address = kind.partition(":")
        if kind == "threads":
            self._executor = ThreadPoolExecutor(self.size)
        elif scheme == "dask":
            self._client, self._executor = _cluster(self._address)
            self.size = max(1, sum(self._client.ncores().values()))
        elif kind != "processes":
            raise ValueError(f"executor must be 'processes', 'threads' or 'dask:ADDRESS', not {kind!r}")

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Run `function(*arguments)`; the function and its arguments must be importable in another process.

        Raises:
            ChildProcessError: if workers keep dying, so that it is pointless to go on.
        """
        if self._executor is None:
            return self.submit_here(function, *arguments)
        self._check_cluster()
        future = self._executor.submit(function, *arguments)
        if self._client is None:
            self._running.add(future)
            future.add_done_callback(self._running.discard)
        return future

    def submit_here(
        self, function: Callable[..., Any], *arguments: Any, heard: Callable[[Any], None] | None = None
    ) -> "Future[Any]":
        """Run it on this machine; unless workers are threads, in a process whose death costs this call alone.

        If it dies, the future raises `WorkerDied`, with what the function reported until then. Reports also go to
        `heard`, in another thread, as they come.

        Raises:
            ChildProcessError: if workers keep dying, so that it is pointless to go on.
        """
        if self._client is None and self._executor is not None:
            return self.submit(call_here, function, arguments, heard or (lambda value: None))
        self._processes = self._processes or _Processes(self.size if self._client is None else os.cpu_count() or 1)
        return self._processes.submit(function, arguments, heard)

    def submit_guarded(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Run work that is likely to kill its process on this machine, in a copy of a process kept for that.

        Only imports that come with the function stay in that process: see `call_in_copy`.

        Raises:
            ChildProcessError: if workers keep dying, so that it is pointless to go on.
        """
        self._guards = self._guards or _Processes(self.size if self._client is None else os.cpu_count() or 1)
        return self._guards.submit(function, arguments, None)

    def death_of(self, future: "Future[Any]") -> WorkerDied | None:
        """Why a finished future has no result if a worker died, else None; the work must then be submitted again."""
        self._check_cluster()
        if future.cancelled():
            return WorkerDied("was lost", [], by_itself=False)
        error = future.exception()
        if isinstance(error, WorkerDied):
            return error
        if type(error).__name__ == "KilledWorker":  # Dask gives up a task after several workers
            return WorkerDied("died again and again", [], by_itself=True)
        lost = isinstance(error, CancelledError) or type(error).__name__ == "CommClosedError"
        return WorkerDied("was lost", [], by_itself=False) if lost else None

    def _check_cluster(self) -> None:
        """Raise an error if Dask has lost its scheduler, with which all work is lost."""
        if self._client is not None and self._client.status != "running":
            raise ConnectionError(
                f"the Dask scheduler at {self._address} can no longer be reached; start it and its workers again, then "
                "repeat the command: it goes on from what is stored"
            )

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        interrupted = error[0] is not None
        for processes in filter(None, (self._processes, self._guards)):
            processes.end(_GRACE if interrupted else self._patience, ask=not interrupted)
        if self._client is not None:
            if not interrupted:
                self._client.run(close_all, on_error="ignore")
            self._client.close()
        elif self._executor is not None:
            self._executor.shutdown(wait=not interrupted, cancel_futures=True)
            self.abandoned = bool(wait(list(self._running), _GRACE).not_done)
            if not self.abandoned:
                close_all()


def _cluster(address: str) -> tuple[Any, Executor]:
    """A client of the Dask cluster at an address, and its executor."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ModuleNotFoundError("executor 'dask:…' needs Dask: pip install \"ludarium[scale]\"") from None
    try:
        client = Client(address, timeout="10s")
    except ValueError as error:
        raise ValueError(f"executor 'dask:{address}' names no address such as tcp://10.0.0.1:8786: {error}") from None
    return client, client.get_executor(pure=False)  # work that is submitted again is done again


class _Processes:
    """Worker processes, each driven by a thread: the thread's future has the result, or the exception `WorkerDied`."""

    def __init__(self, size: int) -> None:
        self._threads = ThreadPoolExecutor(size, initializer=_leave_signals_to_the_main_thread)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._alive: list[WorkerProcess] = []
        self._ending = False
        self._deaths = 0
        self._folder = os.getcwd()

    def submit(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], heard: Callable[[Any], None] | None
    ) -> "Future[Any]":
        if self._deaths > _MOST_DEATHS:
            raise ChildProcessError(f"worker processes died {self._deaths} times in a row; is there enough memory?")
        return self._threads.submit(self._call, function, arguments, heard)

    def _call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], heard: Callable[[Any], None] | None
    ) -> Any:
        worker = self._worker()
        try:
            result = worker.call(function, arguments, heard)
        except WorkerDied as death:
            with self._lock:
                self._deaths = 0 if death.reports else self._deaths + 1
                if not worker.is_alive():  # it may have been a copy of it
                    self._own.worker = None
                    self._alive.remove(worker)
            raise
        self._deaths = 0
        return result

    def _worker(self) -> WorkerProcess:
        """This thread's process; a new one if it has none."""
        worker: WorkerProcess | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._ending:
                    raise CancelledError
                worker = self._own.worker = WorkerProcess(self._folder)
                self._alive.append(worker)
        return worker

    def end(self, patience: float, *, ask: bool) -> None:
        """End all processes; with `ask`, by themselves if they do it within `patience` seconds."""
        with self._lock:
            self._ending = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        workers = list(self._alive)
        for worker in workers:
            worker.ask_to_end() if ask else worker.terminate()
        deadline = time.monotonic() + patience
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.kill()
        self._threads.shutdown()


def _leave_signals_to_the_main_thread() -> None:
    """So that Ctrl-C wakes the main thread."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
