"""What the command says of learners and of trained agents."""

import json
import os
import signal
import time

import pytest

from ludarium.agents.learning.registry import learner_names
from ludarium.agents.learning.run import train


def test_learners_are_listed_with_what_they_take(output):
    said = " ".join(output("learners").split())
    assert all(name in said for name in learner_names())
    assert "sb3:ppo, sb3:a2c, sb3:dqn, sb3:maskable-ppo takes any game" in said
    assert "td takes two-seat zero-sum games without hidden information" in said
    assert "without hidden information; presets: seed, modern" in said
    assert "epsilon=0.5" in said


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        *((learner, "--games 400000") for learner in ("tabular-q", "td", "ifthen", "gaia")),
        ("sb3:a2c", "--steps 400000 --set num_envs=4"),
    ],
)
def test_ctrl_c_saves_and_says_how_to_go_on(ludarium, learner, options, tmp_path, monkeypatch):
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
    code, _, err = ludarium("train", learner, "hexapawn", *options.split(), "--out", out, "--set", "test_games=2")
    assert code == 130
    unit = "decisions" if learner.startswith("sb3") else "games"
    assert f"stopped after {pressed[0]:,} of 400,000 {unit}; run the same command to continue" in err
    if learner.startswith("sb3"):
        assert (out / "model.zip").exists()
    else:
        assert json.loads((out / "checkpoint.json").read_text())["games"] == pressed[0]


def test_what_a_run_keeps_plays_a_tournament(ludarium, tmp_path):
    """From training to the curve in a report, by the commands alone."""
    out = tmp_path / "run"
    code, said, _ = ludarium(
        "train", "tabular-q", "tictactoe", "--games", 40, "--keep", 2, "--set", "test_games=2", "--out", out
    )
    assert code == 0
    assert f"as it was: tabular-q:{out}@N, N = 20, 40" in " ".join(said.split())
    code, _, err = ludarium("match", "tictactoe", f"tabular-q:{out}@30", "random")
    assert code != 0
    assert "no checkpoint was kept at 30; these were: 20, 40" in " ".join(err.split())
    file, store = tmp_path / "t.toml", tmp_path / "t.db"
    file.write_text(f'agents = ["random"]\ncurve = "{out}"\n[[games]]\ngame = "tictactoe"\npairs = 4\nopening = 1\n')
    for _ in range(2):  # the second time there is nothing left to play
        assert ludarium("tournament", file, "--store", store)[0] == 0
    assert ludarium("report", store, "--out", tmp_path / "report")[0] == 0
    (verdict,) = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["verdicts"]
    assert verdict["strength"]["learned"] == [20, 40]
