"""Guards, in words: how a ward ended, and which limit a bot exceeds; `external/test_subprocess.py` runs them."""

import os
from types import SimpleNamespace

import pytest

from ludarium.agents import guard


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (0, "exited with status 0"),
        (3, "exited with status 3"),
        (-11, "was killed by SIGSEGV"),
        (-99, "was killed by signal 99"),
    ],
)
def test_exit_codes(code, told):
    assert guard.how(code) == told


@pytest.mark.parametrize(
    ("memory", "processes", "told"),
    [
        (300, 3, ""),
        (299, 3, "used 300 MB of memory, more than 299 MB"),
        (299, 2, "had 3 processes, more than 2"),
    ],
)
def test_limits_are_for_all_processes_together(memory, processes, told, monkeypatch):
    pages = (100 << 20) // os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(guard, "_descendants", lambda: [7, 8, 9])
    monkeypatch.setattr(guard, "Path", lambda path: SimpleNamespace(read_text=lambda: f"{2 * pages} {pages} 1 1 0 1 0"))
    assert guard._excess(memory << 20, processes) == told
