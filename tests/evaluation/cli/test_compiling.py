"""What a terminal shows while functions are compiled, and that it is gone afterwards."""

import io
import sys

import pytest
from rich.console import Console

from ludarium.envs import compilation
from ludarium.envs.compilation import Compilation
from ludarium.evaluation.cli import terminal

BEGUN, OVER = Compilation("othello", 12, 31), Compilation("othello", 31, 31)
TOLD = "compiling othello for this machine, once: 12 of 31"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def tell(state):
    compilation._listener(state)


@pytest.fixture
def screen(monkeypatch):
    """What the console of all commands shows; it is a terminal."""
    console = Console(file=Terminal(), force_terminal=True, width=100)
    monkeypatch.setattr(terminal, "console", console)
    return console.file


def test_a_line_of_standard_error_comes_and_goes(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "60")
    with terminal.compilation_line():
        tell(BEGUN)
        tell(OVER)
    assert sys.stderr.getvalue() == f"\r{TOLD:<59}\r{'':<59}\r"


def test_off_a_terminal_there_is_no_such_line():
    before = compilation._listener
    with terminal.compilation_line():
        assert compilation._listener is before


def test_a_progress_bar_says_it_in_place_of_its_task(screen):
    with terminal.progress_bar() as bar:
        task = bar.add_task("match", total=5)
        tell(BEGUN)
        assert bar.tasks[task].description == TOLD
        tell(OVER)
        assert bar.tasks[task].description == "match"


def test_so_does_whoever_is_at_work(screen):
    with terminal.at_work("thinking"):
        tell(BEGUN)
        tell(OVER)
    assert "thinking" in screen.getvalue()
