"""The wheel and the source archive, and empty environments into which the wheel is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOT = """
from ludarium.agents.external.openspiel import OpenSpielAgent

def agent(game):
    def bot(theirs, player, seed):
        import pyspiel
        return pyspiel.make_uniform_random_bot(player, seed)
    return OpenSpielAgent(game, bot)
"""
OURS = ("LUDARIUM_", "NUMBA_", "PYTEST_", "PYTHON", "VIRTUAL_ENV")


@pytest.fixture(scope="session")
def build():
    """`build(sources, folder, *options)`: build archives of the sources into a folder, without a network."""
    pytest.importorskip("hatchling")

    def build(sources, folder, *options):
        command = [sys.executable, "-P", "-m", "hatchling", "build", "-d", str(folder), *options]
        subprocess.run(command, cwd=sources, check=True, capture_output=True)

    return build


@pytest.fixture(scope="session")
def built(build, tmp_path_factory):
    """The wheel and the source archive."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


class Installed:
    """The wheel in an environment of its own, and commands that know of no other one.

    Args:
        folder: a folder for the environment, and for the commands to work in.
        wheel: the wheel.
        extra: the extra to install with it.
    """

    def __init__(self, folder, wheel, extra=""):
        self.environment, self.work = folder / "environment", folder / "work"
        self.work.mkdir()
        (self.work / "openspiel_bot.py").write_text(BOT)
        self.variables = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        self.variables |= {"HOME": str(self.work), "COLUMNS": "200"}
        subprocess.run([sys.executable, "-m", "venv", str(self.environment)], env=self.variables, check=True)
        what = f"{wheel}[{extra}]" if extra else wheel
        self.run("python", "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", what)

    def start(self, program, *arguments):
        """A program of the environment, as a process."""
        command = [self.environment / "bin" / program, *map(str, arguments)]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.work, env=self.variables, **streams)

    def run(self, program, *arguments, status=0):
        """What a program prints, and its errors, after it has ended with this status."""
        process = self.start(program, *arguments)
        out, err = process.communicate()
        assert process.returncode == status, out + err
        return out, err

    def output(self, line):
        """What a command prints; it must succeed."""
        return self.run("ludarium", *line.split())[0]

    def refusal(self, line):
        """The sentence with which a command refuses."""
        return self.run("ludarium", *line.split(), status=2)[1].splitlines()[-1]


@pytest.fixture(scope="session")
def install(built, tmp_path_factory):
    """`install(extra)`: the wheel in an empty environment, with an extra or without."""
    return lambda extra="": Installed(tmp_path_factory.mktemp(extra or "plain"), built[0], extra)
