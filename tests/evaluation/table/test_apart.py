"""Calls in threads of their own."""

import asyncio
import time

import pytest

from ludarium.evaluation.table.apart import apart


def test_a_call_that_is_given_up_just_as_its_answer_arrives_does_not_go_on():
    """The answer and the cancellation are in the loop's queue at once, the answer first."""

    async def give_up():
        loop = asyncio.get_running_loop()

        def hold():
            time.sleep(0.2)  # meanwhile the thread answers
            loop.call_soon(call.cancel)

        call = asyncio.create_task(apart(lambda: loop.call_soon_threadsafe(hold), limit=5))
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(give_up())


def test_a_call_that_takes_too_long():
    with pytest.raises(TimeoutError):
        asyncio.run(apart(time.sleep, 0.5, limit=0.05))
