"""Calls in threads of their own: the server goes on while agents think, and gives up on those that never end.

Compiled players release Python's lock while they think. A thread cannot be stopped, so a call that is given up may go
on for a while, and what it returns is dropped; it must own what it changes.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


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

    def run() -> None:
        result, failed = None, None
        try:
            result = function(*arguments)
        except BaseException as error:  # agents may raise anything, SystemExit too
            failed = error if isinstance(error, Exception) else RuntimeError(repr(error))
        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(settle, result, failed)

    threading.Thread(target=run, name="table", daemon=True).start()
    return await asyncio.wait_for(answer, limit)
