"""What the command says of learners and of trained agents."""

import json
import os
import signal
import time

import pytest

from ludarium.agents.learning.registry import learner_names
from ludarium.agents.learning.run import train


def test_agents_tells_of_all_that_training_makes(ludarium):
    _, out, _ = ludarium("agents")
    for spec in ("process:COMMAND", "sb3:FOLDER", "tabular-q:FOLDER", "td:FOLDER", "ifthen:FOLDER", "gaia:FOLDER"):
        assert spec in out


def test_learners_are_listed_with_what_they_take(ludarium):
    code, out, _ = ludarium("learners")
    assert code == 0
    assert all(name in out for name in learner_names())
    said = " ".join(out.split())
    assert "sb3:ppo, sb3:a2c, sb3:dqn, sb3:maskable-ppo takes any game" in said
    assert "td takes two-seat zero-sum games without hidden information" in said
    assert "without hidden information; presets: seed, modern" in said
    assert "epsilon=0.5" in said


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("td:deep", "td has no variants, so td:deep cannot be trained; use td"),
        ("sb3", "sb3: the algorithm is missing; use sb3:ppo, sb3:a2c, sb3:dqn, sb3:maskable-ppo"),
        ("gaja", "unknown learner 'gaja'; did you mean 'gaia'?"),
    ],
)
def test_names_that_no_learner_has(ludarium, learner, message):
    code, _, err = ludarium("train", learner, "tictactoe")
    assert code == 2
    assert message in err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["seed=1000"], "--set seed=1000: seed has an option of its own; give --seed 1000"),
        (["games=5"], "--set games=5: games has an option of its own; give --games 5"),
        (["opponent=self"], "--set opponent=self: opponent has an option of its own; give --opponent self"),
        (["out=x"], "--set out=x: out has an option of its own; give --out x"),
        (["workers=2"], "--set workers=2: workers has an option of its own; give --workers 2"),
        (["preset=modern"], "--set preset=modern: preset has an option of its own; give --preset modern"),
        (["game=othello"], "--set game=othello: the game is an argument; give it as ludarium train LEARNER GAME"),
        (["rules"], "--set takes an option of the learner, such as test_games=100, not 'rules'"),
        (["=3"], "--set takes an option of the learner, such as test_games=100, not '=3'"),
        (["rules=3", "rules=4"], "--set rules= is given twice; give it once"),
    ],
)
def test_settings_that_are_none_of_the_learner(ludarium, given, message):
    """The error names the option that the command has for it."""
    settings = [word for text in given for word in ("--set", text)]
    assert ludarium("train", "gaia", "tictactoe", *settings) == (2, "", f"ludarium: {message}\n")


def test_set_is_no_setting(ludarium):
    _, _, err = ludarium("train", "gaia", "tictactoe", "--set", "set=3")
    assert "gaia --preset seed: unknown option 'set'; the options are: " in err


@pytest.mark.parametrize(
    ("learner", "arguments"),
    [
        ("tabular-q", ("--games", "400000")),
        ("td", ("--games", "400000")),
        ("ifthen", ("--games", "400000")),
        ("gaia", ("--games", "400000")),
        ("sb3:a2c", ("--steps", "400000", "--set", "num_envs=4")),
    ],
)
def test_ctrl_c_saves_and_says_how_to_go_on(ludarium, learner, arguments, tmp_path, monkeypatch):
    """All learners alike, before the first checkpoint too; the run then goes on."""
    if learner.startswith("sb3"):
        pytest.importorskip("stable_baselines3")
    pressed = []

    def interrupting(config, folder, progress, **options):
        def show(done, total, said):
            progress(done, total, said)
            if done and not pressed:
                pressed.append(done)
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)

        return train(config, folder, progress=show, **options)

    monkeypatch.setattr("ludarium.agents.learning.run.train", interrupting)
    out = tmp_path / "run"
    code, _, err = ludarium("train", learner, "hexapawn", *arguments, "--out", out, "--set", "test_games=2")
    assert code == 130
    unit = "decisions" if learner.startswith("sb3") else "games"
    assert f"stopped after {pressed[0]:,} of 400,000 {unit}; run the same command to continue" in err
    if learner.startswith("sb3"):
        assert (out / "model.zip").exists()
    else:
        assert json.loads((out / "checkpoint.json").read_text())["games"] == pressed[0]
