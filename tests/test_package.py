"""The package in a checkout: its links, its imports, and the directions they may take."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ludarium

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("envs", "agents", "evaluation")


def run(*command, **arguments):
    """Standard output of a command; its errors, if it fails, are the message."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_links_lead_to_the_folders():
    for folder in FOLDERS:
        link = ROOT / "src" / "ludarium" / folder
        assert link.is_symlink()
        assert link.resolve() == ROOT / folder


def test_the_tests_behind_the_promises_of_security_are_there():
    named = set(re.findall(r"`(tests/[\w/.]+)`", (ROOT / "docs" / "security.md").read_text()))
    assert len(named) > 10
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_a_clone_without_links_says_what_to_do(tmp_path):
    package = tmp_path / "ludarium"
    package.mkdir()
    shutil.copy(ROOT / "src" / "ludarium" / "__init__.py", package)
    for folder in FOLDERS:  # what Git leaves where there are no links
        (package / folder).write_text(f"../../{folder}")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    told = subprocess.run([sys.executable, "-c", "import ludarium"], env=environment, capture_output=True, text=True)
    assert told.stderr.splitlines()[-1].startswith("ImportError: ludarium: src/ludarium/envs is no link")


IMPORT = """
import sys, ludarium, ludarium.envs, ludarium.envs.registry
heavy = {"numba", "llvmlite", "torch", "PIL", "rich", "typer", "stable_baselines3", "pyspiel"}
"""
WITHOUT_SOME_SYSTEMS = """
import os, sys
for name in ("resource", "fcntl", "termios"): sys.modules[name] = None
del os.sysconf, os.fork, os.setsid
import ludarium.agents.learning.run, ludarium.agents.workers, ludarium.agents.guard, ludarium.evaluation.cli
heavy = set()
"""
USE = """
import sys, gymnasium, ludarium
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import Store
tournament = Tournament(("greedy", "random"), (GameEntry("tictactoe", 2),))
run(tournament, Store(None, tournament.data()), executor="threads")
heavy = {"torch", "PIL", "ludarium.agents.learning.learner", "ludarium.agents.othello.endgame.solver"}
"""


@pytest.mark.parametrize("code", [IMPORT, WITHOUT_SOME_SYSTEMS, USE], ids=["import", "some systems", "use"])
def test_neither_heavy_modules_nor_the_folders_under_their_bare_names_are_loaded(code):
    """And modules that only some systems have are not needed."""
    shown = "print(sorted((heavy | {'envs', 'agents', 'evaluation'}) & set(sys.modules)))"
    assert run(sys.executable, "-P", "-c", code + shown) == "[]\n"


def test_public_names_are_there():
    import ludarium.agents
    import ludarium.envs
    import ludarium.evaluation

    for module in (ludarium, ludarium.envs, ludarium.agents, ludarium.evaluation):
        assert all(hasattr(module, name) for name in module.__all__)
        assert {"__doc__", *module.__all__} <= set(dir(module))
    with pytest.raises(AttributeError, match=r"module 'ludarium\.envs' has no attribute 'Gmae'"):
        ludarium.envs.Gmae  # noqa: B018


@pytest.fixture
def contracts(tmp_path):
    """Check the import contracts of a copy of the project."""
    pytest.importorskip("importlinter")
    for name in (*FOLDERS, "src"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def check():
        command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "PYTHONSAFEPATH": "1"}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return tmp_path, check


def test_imports_go_one_way(contracts):
    folder, check = contracts
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr
    with (folder / "envs" / "chance.py").open("a") as file:
        file.write("\nimport ludarium.agents\nimport gymnasium\n")
    done = check()
    assert done.returncode == 1
    assert "ludarium.envs is not allowed to import ludarium.agents" in done.stdout
    assert "ludarium.envs.chance is not allowed to import gymnasium" in done.stdout


def test_the_package_can_be_run():
    done = subprocess.run([sys.executable, "-m", "ludarium", "--version"], capture_output=True, text=True, check=True)
    assert ludarium.__version__ in done.stdout
