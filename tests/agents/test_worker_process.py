import multiprocessing
import os
import signal
import sys
import time
from types import SimpleNamespace

import pytest

from ludarium.agents import worker_process
from ludarium.agents.worker_process import WorkerDied, WorkerProcess, at_end, call_in_copy, close_all


def test_a_worker_is_gone_even_if_its_child_holds_the_pipe():
    worker = object.__new__(WorkerProcess)
    worker._connection, held = multiprocessing.Pipe()
    worker._process = SimpleNamespace(exitcode=0)
    with pytest.raises(EOFError):
        worker._receive(time.monotonic() + 5)
    held.close()


@pytest.fixture(scope="module")
def worker():
    process = WorkerProcess(os.getcwd())
    yield process
    process.kill()


def test_a_worker_ignores_ctrl_c_which_its_programs_may_hear(worker):
    assert worker.call(signal.getsignal, (signal.SIGINT,), None) == signal.SIG_IGN
    assert worker.call(signal.pthread_sigmask, (signal.SIG_BLOCK, []), None) == set()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no copy is made")
def test_a_copy_answers_or_dies_and_its_worker_goes_on(worker):
    own = worker.call(os.getpid, (), None)
    assert worker.call(call_in_copy, (os.getpid,), None) not in (own, os.getpid())
    with pytest.raises(ValueError, match="invalid literal"):
        worker.call(call_in_copy, (int, "x"), None)
    with pytest.raises(WorkerDied, match="exited with status 3"):
        worker.call(call_in_copy, (os._exit, 3), None)
    assert worker.call(os.getpid, (), None) == own


def test_workers_have_chance_of_their_own_and_the_environment_of_now(worker, monkeypatch):
    own = ["__import__('numpy').random.random()", "__import__('random').random()"]
    chances = [worker.call(eval, (each,)) for each in own]
    for level in ("1", "2"):
        monkeypatch.setenv("LEVEL", level)
        later = WorkerProcess(os.getcwd())
        assert later.call(os.getenv, ("LEVEL",)) == level
        chances += [later.call(eval, (each,)) for each in own]
        later.kill()
    assert worker.call(os.getenv, ("LEVEL",)) is None
    assert len(set(chances)) == 6


def test_an_unknown_end_may_have_come_from_outside():
    unknown, own = (worker_process._death(code, ["a game"]) for code in (255, 3))
    assert (str(unknown), unknown.reports, unknown.by_itself) == ("was lost", ["a game"], False)
    assert (str(own), own.by_itself) == ("exited with status 3", True)


def test_the_last_is_closed_first_and_everything_once(monkeypatch):
    closed = []

    def engine():
        closed.append("engine")
        raise OSError("it is gone")

    def book():
        closed.append("book")

    monkeypatch.setattr("ludarium.agents.worker_process._closers", [])
    for close in (book, engine, book):
        at_end(close)
    close_all()
    close_all()
    assert closed == ["engine", "book"]
