"""Calls in threads of their own: the server goes on while agents think, and gives up on those that never end.

Compiled players release Python's lock while they think. A thread cannot be stopped, so a call that is given up may go
on for a while, and what it returns is dropped; it must own what it changes. Threads are used again, since starting one
keeps the server waiting until it runs.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

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
