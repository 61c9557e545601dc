"""Calls in threads of their own."""

import asyncio
import os
import threading
import time

import pytest

from ludarium.agents.worker_process import WorkerDied
from ludarium.evaluation.table import apart as module
from ludarium.evaluation.table.apart import Processes, apart


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


def test_few_threads_wait_for_the_next_call(monkeypatch):
    monkeypatch.setattr(module, "_idle", [])
    monkeypatch.setattr(module, "_MOST_IDLE", 2)
    together = threading.Barrier(4)

    async def calls():
        await asyncio.gather(*(apart(together.wait, limit=60) for _ in range(4)))

    before = set(threading.enumerate())
    asyncio.run(calls())
    for thread in set(threading.enumerate()) - before - set(module._idle):
        thread.join(60)
    assert len(module._idle) == 2


def test_a_call_that_takes_too_long():
    with pytest.raises(TimeoutError):
        asyncio.run(apart(time.sleep, 0.5, limit=0.05))


def test_a_process_that_dies_or_takes_too_long_costs_its_own_call_alone():
    processes = Processes(1, os.getpid)

    async def calls():
        first = await processes.call(os.getpid, limit=60)
        assert await processes.call(os.getpid, limit=60) == first != os.getpid()
        with pytest.raises(ValueError, match="invalid literal"):
            await processes.call(int, "x", limit=60)
        assert await processes.call(os.getpid, limit=60) == first
        with pytest.raises(WorkerDied, match="exited with status 3"):
            await processes.call(os._exit, 3, limit=60)
        assert not processes._alive
        with pytest.raises(TimeoutError):
            await processes.call(time.sleep, 100, limit=0)
        assert not processes._alive
        await processes.call(os.getpid, limit=60)
        (waiting,) = processes._alive
        waiting.kill()
        assert len(set(await asyncio.gather(*(processes.call(os.getpid, limit=60) for _ in range(5))))) == 1

    asyncio.run(calls())
    (last,) = processes._alive
    processes.end()
    assert not last.is_alive()


def test_a_process_prepares_once_and_without_a_limit(monkeypatch):
    calls = []

    class Worker:
        def __init__(self, folder):
            calls.append(folder)

        def is_alive(self):
            return True

        def call(self, function, arguments, limit=None):
            calls.append((function, arguments, limit))

    monkeypatch.setattr(module, "WorkerProcess", Worker)
    processes = Processes(1, os.getpid)

    async def two_calls():
        for number in (3, 4):
            await processes.call(abs, number, limit=7)

    asyncio.run(two_calls())
    assert calls == [os.getcwd(), (os.getpid, (), None), (abs, (3,), 7), (abs, (4,), 7)]
    processes._alive.clear()
