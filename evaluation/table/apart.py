"""Calls in threads and processes of their own: the server goes on meanwhile, and gives up on those that never end.

Compiled players release Python's lock while they think. A thread cannot be stopped, so a call that is given up may go
on for a while, and what it returns is dropped; it must own what it changes. Threads are used again, since starting one
keeps the server waiting until it runs. A process can be killed; so work on a stranger's file is done in one.
"""

import asyncio
import atexit
import contextlib
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ludarium.agents.worker_process import WorkerProcess

Result = TypeVar("Result")
_MOST_IDLE = 32
_idle: list["_Worker"] = []


async def apart(function: Callable[..., Result], *arguments: Any, limit: float | None = None) -> Result:
    """Call a function in a thread of its own and wait for what it returns or raises.

    Args:
        function: the function.
        *arguments: what it is called with.
        limit: seconds to wait; None for as long as it takes.

    Raises:
        TimeoutError: if it takes longer.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Result] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if answer.done():  # nobody waits any more
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)

    def call() -> None:
        result, failed = None, None
        try:
            result = function(*arguments)
        except BaseException as error:  # agents may raise anything, SystemExit too
            failed = error if isinstance(error, Exception) else RuntimeError(repr(error))
        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(settle, result, failed)

    _worker().calls.put(call)
    async with asyncio.timeout(limit):  # `wait_for` may go on when it is cancelled just as the answer arrives
        return await answer


def _worker() -> "_Worker":
    try:
        return _idle.pop()
    except IndexError:
        return _Worker()


class _Worker(threading.Thread):
    """A thread that makes one call after the other, and ends with the process."""

    def __init__(self) -> None:
        super().__init__(name="table", daemon=True)
        self.calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            self.calls.get()()
            if len(_idle) >= _MOST_IDLE:
                return
            _idle.append(self)


class Processes:
    """A few processes, started when they are needed and kept, since starting one takes seconds.

    Args:
        most: how many there are at most; a call that finds all of them busy waits.
        prepare: a function that each calls first, so that no limit is spent on what is done once.
    """

    def __init__(self, most: int, prepare: Callable[[], None]) -> None:
        self._prepare = prepare
        self._free = threading.BoundedSemaphore(most)
        self._idle: list[WorkerProcess] = []
        self._alive: set[WorkerProcess] = set()
        atexit.register(self.end)

    async def call(self, function: Callable[..., Result], *arguments: Any, limit: float) -> Result:
        """Call a function in one of them and wait for what it returns or raises.

        Args:
            function: a function that another process can import.
            *arguments: what it is called with.
            limit: seconds after which the process is killed, from when it begins.

        Raises:
            TimeoutError: if it takes longer.
            WorkerDied: if the process dies.
        """
        return await apart(self._call, function, arguments, limit)

    def _call(self, function: Callable[..., Result], arguments: tuple[Any, ...], limit: float) -> Result:
        with self._free:
            waiting = self._waiting()
            worker = waiting or self._started()
            try:
                if waiting is None:
                    worker.call(self._prepare, ())
                result: Result = worker.call(function, arguments, limit=limit)
                return result
            finally:
                if worker.is_alive():
                    self._idle.append(worker)
                else:
                    self._alive.discard(worker)

    def _waiting(self) -> WorkerProcess | None:
        """A process that waits for a call, if there is one; one that was killed meanwhile costs no call."""
        while self._idle:
            with contextlib.suppress(IndexError):  # another thread may take the last one
                worker = self._idle.pop()
                if worker.is_alive():
                    return worker
                self._alive.discard(worker)
        return None

    def _started(self) -> WorkerProcess:
        worker = WorkerProcess(os.getcwd())
        self._alive.add(worker)
        return worker

    def end(self) -> None:
        """Kill all of them."""
        while self._alive:
            self._alive.pop().kill()
