"""What the command says of learners and of trained agents."""

import io
import json
import os
import signal
import threading
import time

import pytest

from ludarium.agents.learning.registry import learner_names
from ludarium.agents.learning.run import train
from ludarium.evaluation.cli import terminal, training, training_log
from ludarium.evaluation.cli.training_log import TrainingLog


def test_learners_are_listed_with_what_they_take(output):
    said = " ".join(output("learners").split())
    assert all(name in said for name in learner_names())
    assert "sb3:ppo, sb3:a2c, sb3:dqn, sb3:maskable-ppo takes any game" in said
    assert "td takes two-seat zero-sum games without hidden information" in said
    assert "without hidden information; presets: seed, modern" in said
    assert "epsilon=0.5" in said
    assert said.endswith(" ludarium learners NAME says what each option means")


def test_a_learner_says_what_its_options_mean(output):
    common, *presets = output("learners", "ifthen").split("--preset ")
    assert presets[-1].endswith("\nludarium agents ifthen says which options the agent ifthen:FOLDER takes\n")
    assert "  generations = 0  the budget in generations; 0: as many as fit into games." in common
    assert [preset.partition("\n")[0] for preset in presets] == ["seed", "modern", "single"]
    assert "  randomness_rate = 0.05  the probability, from 0 to 1, that a child's randomness is not" in presets[0]
    assert "  population = 1  1, a map that plays itself.\n" in presets[2]


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


def test_json_lines_are_the_measurements_and_the_result(output, tmp_path):
    out = tmp_path / "run"
    command = "train", "gaia", "tictactoe", "--games", "2000", "--set", "test_games=20", "--set", "checkpoints=3"
    *measured, result = map(json.loads, output(*command, "--out", out, "--json").splitlines())
    stored = [line for line in map(json.loads, (out / "metrics.jsonl").read_text().splitlines()) if "score" in line]
    assert len(stored) == 3
    assert measured == [{**line, "total": 2000, "unit": "games"} for line in stored]
    assert result == {"agent": f"gaia:{out}", "folder": str(out), "result": stored[-1], "note": ""}
    assert output(*command, "--out", out, "--json") == json.dumps(result) + "\n"  # nothing is measured again


def test_a_log_says_how_far_it_is_and_how_long_it_will_take():
    now, lines = [100.0], []
    log = TrainingLog("gaia tictactoe", "games", lines.append, lambda: now[0])
    log.tell()  # before the run is opened
    log.show(1000, 9000, "")
    now[0] += 30
    log.tell()
    log.show(3000, 9000, "generation 3, random 93.1 %")
    log.show(5000, 9000, "")
    now[0] += 3630
    log.tell()
    assert lines == [
        "gaia tictactoe: 1,000 of 9,000 games, 0:30 so far, time left unknown",
        "gaia tictactoe: 5,000 of 9,000 games, generation 3, random 93.1 %, 1:01:00 so far, about 1:01:00 left",
    ]


def test_a_bar_keeps_what_was_last_said_until_something_else_is(monkeypatch):
    screen = terminal.Console(file=io.StringIO(), force_terminal=True, color_system=None, width=100)
    monkeypatch.setattr(terminal, "console", screen)
    monkeypatch.setattr(training, "console", screen)
    with training._shown("gaia tictactoe", None, quiet=False) as show:
        show(100, 900, "random 50.0 %")
        show(200, 900, "")
    (*_, last) = [line for line in screen.file.getvalue().splitlines() if "gaia tictactoe" in line]
    assert "200/900 random 50.0 %" in last


def test_without_a_terminal_a_log_goes_on_while_a_step_takes_long(output, monkeypatch, tmp_path):
    told = threading.Event()

    def slow(config, folder, progress, **options):
        progress(1, 10, "random 50.0 %")
        assert told.wait(60)
        return train(config, folder, progress=progress, **options)

    def write(text):
        told.set()
        print(text)

    monkeypatch.setattr("ludarium.agents.learning.run.train", slow)
    monkeypatch.setattr(training_log, "SECONDS", 0.001)
    monkeypatch.setattr(training, "print_line", write)
    arguments = "--games", "10", "--set", "test_games=2", "--out", tmp_path / "run"
    assert "tabular-q hexapawn: 1 of 10 games, random 50.0 %, " in output("train", "tabular-q", "hexapawn", *arguments)


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
        assert ludarium("tournament", file, "--store", store, "--executor", "threads")[0] == 0
    assert ludarium("report", store, "--out", tmp_path / "report")[0] == 0
    (verdict,) = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["verdicts"]
    assert verdict["strength"]["learned"] == [20, 40]
