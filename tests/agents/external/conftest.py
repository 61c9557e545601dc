"""Bots and engines for these tests: programs beside them."""

import shlex
import sys
from pathlib import Path

import pytest

from ludarium.envs.registry import make_game

_HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def command():
    """The command of a Python program beside the tests; the interpreter starts without what the bots do not need."""

    def command(program, *arguments):
        return shlex.join([sys.executable, "-I", "-S", str(_HERE / program), *map(str, arguments)])

    return command


@pytest.fixture(scope="session")
def tictactoe():
    return make_game("tictactoe")
