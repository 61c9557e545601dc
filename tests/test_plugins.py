"""Installed plug-ins: the example package, and broken ones beside it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[1] / "examples" / "plugin"
BROKEN = {
    "ludarium.games": ("broken_game = nowhere:Game", "wrong_game = oddities:SEVEN"),
    "ludarium.agents": ("broken_agent = nowhere:agent", "failing_agent = failing:agent"),
    "ludarium.learners": ("broken_learner = nowhere:Learner",),
}
CHECK = """
from ludarium.agents import check_agent
from ludarium.envs import make_game
from ludarium.envs.conformance import check_game
check_game(make_game("nim"), games=5)
check_agent("nim-sum?largest_first=True", make_game("nim"), games=3)
"""
END = "the list ends\n"
LISTS = f"""
import contextlib, sys
from ludarium.evaluation.cli import main
for sys.argv in (["ludarium", "games"], ["ludarium", "agents"], ["ludarium", "learners"]):
    with contextlib.suppress(SystemExit):
        main()
    if sys.argv[1] != "learners":
        print({END!r}, end="", flush=True)
"""
COMMAND = "import sys; from ludarium.evaluation.cli import main; sys.argv[0] = 'ludarium'; main()"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Run Python with the example installed, and a package of broken plug-ins; returns its output."""
    pytest.importorskip("pip")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("site")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*install, "--target", str(folder), str(PLUGIN)], check=True)
    info = folder / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    sections = ("\n".join((f"[{group}]", *points)) for group, points in BROKEN.items())
    (info / "entry_points.txt").write_text("\n".join(sections))
    (folder / "oddities.py").write_text("SEVEN = 7\n")
    (folder / "failing.py").write_text("raise RuntimeError('no licence')\n")
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]

    def run(*arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"}
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_example_keeps_the_contracts(python):
    python("-c", CHECK)


def test_a_broken_plug_in_hides_no_other(python):
    games, agents, learners = python("-c", LISTS).split(END)
    assert "nim  Nim: 2 seats, 15 actions" in games
    assert "broken_game  broken: game 'broken_game': the plug-in nowhere:Game cannot be loaded: No module" in games
    assert "wrong_game  broken: game 'wrong_game': the plug-in oddities:SEVEN is not a subclass of" in games
    assert "\n  largest_first = False" in agents[agents.index("nim-sum") :]
    assert "broken_agent  broken: agent 'nowhere:agent': there is no module 'nowhere'" in agents
    assert "failing_agent  broken: agent 'failing:agent': the module failing cannot be loaded: RuntimeError(" in agents
    assert "broken_learner  broken: learner 'broken_learner': the plug-in nowhere:Learner cannot be loaded" in learners
    assert ("othello" in games, "random" in agents, "gaia" in learners) == (True, True, True)


def test_its_agent_plays_its_game_from_the_command_line(python):
    shown = python("-c", COMMAND, "match", "nim", "nim-sum", "random", "--pairs", "5", "--workers", "1")
    assert "1  nim-sum" in shown
    assert "forfeited" not in shown
