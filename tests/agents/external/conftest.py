"""Bots and engines for these tests: programs beside them."""

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def command():
    """The command of a Python program beside the tests; the interpreter starts without what the bots do not need."""

    def command(program, *arguments):
        return shlex.join([sys.executable, "-I", "-S", str(_HERE / program), *map(str, arguments)])

    return command


@pytest.fixture(scope="session")
def all_gone():
    """Wait until the processes whose ids a file lists are gone; which are left."""

    def all_gone(file, seconds=5.0):
        deadline = time.monotonic() + seconds
        while True:
            left = [pid for pid in Path(file).read_text().split() if _alive(pid)]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.02)

    return all_gone


def _alive(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True
