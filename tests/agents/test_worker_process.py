import multiprocessing
import os
import signal
import time
from types import SimpleNamespace

import pytest

from ludarium.agents.worker_process import WorkerProcess


def test_a_worker_is_gone_even_if_its_child_holds_the_pipe():
    worker = object.__new__(WorkerProcess)
    worker._connection, held = multiprocessing.Pipe()
    worker.process = SimpleNamespace(is_alive=lambda: False)
    with pytest.raises(EOFError):
        worker._receive(time.monotonic() + 5)
    held.close()


def test_a_worker_ignores_ctrl_c_which_its_programs_may_hear():
    worker = WorkerProcess(os.getcwd())
    assert worker.call(signal.getsignal, (signal.SIGINT,), None) == signal.SIG_IGN
    assert worker.call(signal.pthread_sigmask, (signal.SIG_BLOCK, []), None) == set()
    worker.kill()
