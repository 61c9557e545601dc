import multiprocessing
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
