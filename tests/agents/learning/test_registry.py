"""Learners that others bring: a file with one class gets the commands, resuming, and agents by path."""

import importlib.util
import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents import check_agent
from ludarium.agents.learning import registry
from ludarium.agents.learning.learner import SelfPlay
from ludarium.agents.learning.registry import learner_names, learner_presets, register_learner
from ludarium.agents.learning.run import train
from ludarium.envs import plugins

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SOURCE = EXAMPLES / "hill_climber.py"


@pytest.fixture(scope="module")
def hill_climber(connect_four_class):
    """The class of the example, registered for this module alone."""
    spec = importlib.util.spec_from_file_location("hill_climber", SOURCE)
    module = sys.modules["hill_climber"] = importlib.util.module_from_spec(spec)
    learner_names()
    known = dict(registry._LEARNERS)
    spec.loader.exec_module(module)
    yield module.HillClimber
    registry._LEARNERS.clear()
    registry._LEARNERS.update(known)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_it_is_one_file_of_under_100_lines():
    assert len(SOURCE.read_text().splitlines()) < 100


def test_it_learns(hill_climber, ludarium, tmp_path):
    code, out, _ = ludarium("train", "hill-climber", "connect_four", "--games", "4000", "--out", tmp_path)
    assert code == 0
    assert f"the agent: hill-climber:{tmp_path}" in out
    assert json.loads((tmp_path / "metrics.jsonl").read_text().splitlines()[-1])["score"] > 0.85


def test_what_it_knows_can_be_looked_at(hill_climber, ludarium, tmp_path):
    train(hill_climber(game="connect_four", games=200, test_games=2), tmp_path)
    code, out, _ = ludarium("inspect", f"hill-climber:{tmp_path}", "--games", "2")
    assert code == 0
    assert out.splitlines()[1] == "6 weights"
    assert "own lines of 3: " in out
    _, out, _ = ludarium("inspect", f"hill-climber:{tmp_path}", "--json")
    with np.load(next(tmp_path.glob("*.npz"))) as stored:
        assert json.loads(out)["weights"] == stored["weights"].tolist()


def test_it_resumes_to_the_same_result_and_is_an_agent(hill_climber, connect_four_class, tmp_path):
    config = hill_climber(game="connect_four", games=1000, checkpoints=2, test_games=20)

    class Stop(Exception):
        pass

    def stop(done, total, text):
        if done == 600:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path / "a", progress=stop)
    train(config, tmp_path / "a")
    assert contents(tmp_path / "a") == contents(train(config, tmp_path / "b"))
    check_agent(f"hill-climber:{tmp_path / 'a'}", connect_four_class())


def test_it_refuses_other_games(hill_climber, ludarium):
    code, _, err = ludarium("train", "hill-climber", "tictactoe")
    assert code == 2
    assert "hill-climber: it learns connect_four, not tictactoe" in err


def test_the_command_finds_it_by_the_environment(tmp_path):
    environment = {**os.environ, "LUDARIUM_GAMES": str(EXAMPLES / "connect_four.py"), "LUDARIUM_LEARNERS": str(SOURCE)}
    command = [Path(sys.executable).parent / "ludarium", "train", "hill-climber", "connect_four"]
    done = subprocess.run(
        [*command, "--games", "200", "--set", "test_games=2", "--out", tmp_path],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"the agent: hill-climber:{tmp_path}" in done.stdout
    environment["LUDARIUM_LEARNERS"] = str(EXAMPLES / "connect_four.py")
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "connect_four.py' registers no learner; put @register_learner above its class" in done.stderr


def test_a_file_that_wants_to_end_the_process_is_told(monkeypatch, tmp_path, ludarium):
    file = tmp_path / "quits.py"
    file.write_text("raise SystemExit(0)")
    monkeypatch.setenv("LUDARIUM_LEARNERS", str(file))
    monkeypatch.setattr(registry, "_plugins_found", False)
    told = f"LUDARIUM_LEARNERS: the file {str(file)!r} cannot be run: SystemExit(0)"
    assert ludarium("learners") == (2, "", f"ludarium: {told}\n")


def test_a_name_that_is_taken():
    class Other(SelfPlay):
        name = "td"

    with pytest.raises(ValueError, match="there is already a learner called 'td'; choose another name"):
        register_learner(Other)


def test_an_unknown_name():
    with pytest.raises(ValueError, match="unknown learner 'giai'; did you mean 'gaia'\\? known: tabular-q, td, sb3"):
        learner_presets("giai")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no_such_module:Learner", "learner 'mine': the plug-in no_such_module:Learner cannot be loaded"),
        ("ludarium.agents.agent:Agent", "learner 'mine': the plug-in ludarium.agents.agent:Agent is not a subclass of"),
    ],
)
def test_plug_ins_of_packages(target, message, monkeypatch):
    point = EntryPoint("mine", target, "ludarium.learners")
    monkeypatch.setattr(registry, "_LEARNERS", dict(registry._LEARNERS))
    monkeypatch.setattr(registry, "_plugins_found", False)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == "ludarium.learners" else [])
    assert "mine" in learner_names()
    with pytest.raises(ValueError, match=message):
        learner_presets("mine")
