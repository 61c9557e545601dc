"""Fixtures for all tests."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ludarium.envs.source_file import load_source
from ludarium.evaluation import cli

_ROOT = Path(__file__).resolve().parents[1]
_SHARED = _ROOT.parent / "shared" / "data"


def pytest_configure() -> None:
    """Let Ctrl-C reach the commands that tests start: they ignore it where a shell runs the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Recorded games and test vectors that are not part of the repository; tests without them are skipped."""
    if not _SHARED.is_dir():
        pytest.skip("the folder of recorded games is not beside this checkout")
    return _SHARED


@pytest.fixture(
    params=[
        "hexapawn",
        "hexapawn?rows=4&columns=3",
        "tictactoe",
        "tictactoe?rows=3&columns=5&line=4",
        "othello?size=4",
        "othello?size=6&scoring=discs&start=parallel",
        "backgammon",
        "backgammon?variant=hypergammon&cube=True&jacoby=True",
        "backgammon?variant=nackgammon&match_length=3",
        "hanabi",
        "hanabi?preset=very-small&score=points-kept",
        "hanabi?seats=3&preset=small&observation=minimal",
        "hanabi?seats=5&colors=3&observation=seer",
    ]
)
def game_spec(request: pytest.FixtureRequest) -> str:
    """Every built-in game, with several sets of options."""
    spec: str = request.param
    return spec


@pytest.fixture(scope="session")
def connect_four_class() -> Any:
    """The class of the example of a plug-in game; loading it registers it."""
    return load_source(str(_ROOT / "examples" / "connect_four.py"), "connect_four").ConnectFour


@pytest.fixture
def ludarium(monkeypatch, capsys):
    """Run the command in this process: exit code, output, error output."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ludarium", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def output(ludarium):
    """Run the command, which must succeed: its output."""

    def run(*arguments):
        code, out, err = ludarium(*arguments)
        assert code == 0, err
        return out

    return run


@pytest.fixture
def refused(ludarium):
    """Run the command, which must refuse it: the one sentence that says why."""

    def run(*arguments):
        code, out, err = ludarium(*arguments)
        *progress, sentence = err.splitlines()
        assert (code, out) == (2, "")
        assert sentence.startswith("ludarium: ")
        assert all(line.startswith("ludarium: compiling") for line in progress)
        return sentence.removeprefix("ludarium: ")

    return run


@pytest.fixture(scope="session")
def all_gone() -> Any:
    """Wait until the processes whose ids a file lists are gone; which are left."""

    def all_gone(file: Any, seconds: float = 5.0) -> list[str]:
        deadline = time.monotonic() + seconds
        while True:
            left = [pid for pid in Path(file).read_text().split() if _alive(pid)]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.02)

    return all_gone


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True
