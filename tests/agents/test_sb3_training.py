"""Stock RL by command: training, checkpoints, going on, and the agent it makes."""

import json
import re
import sys

import pytest

from ludarium.agents import make_agent
from ludarium.agents.baselines.sb3_training import SB3Training, scores_against_random, train
from ludarium.envs.registry import make_game
from ludarium.evaluation import cli

pytest.importorskip("sb3_contrib")

SETTINGS = {
    "ppo": {"n_steps": 32, "batch_size": 32, "n_epochs": 1},
    "maskable-ppo": {"n_steps": 32, "batch_size": 32, "n_epochs": 1},
    "a2c": {},
    "dqn": {"learning_starts": 16, "buffer_size": 1000},
}


def short(algorithm="maskable-ppo", **options):
    given = {"game": "tictactoe", "steps": 256, "num_envs": 4, "checkpoints": 2, "test_games": 10, "seed": 5}
    return SB3Training(algorithm=algorithm, settings=SETTINGS[algorithm], **given | options)


def metrics(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_each_algorithm_becomes_an_agent(algorithm, tmp_path):
    seen = []
    file = train(short(algorithm), tmp_path, progress=lambda *told: seen.append(told))
    assert file == tmp_path / "model.zip"
    lines = metrics(tmp_path)
    total = 260 if algorithm == "a2c" else 256  # whole rollouts: five steps in each of four games
    assert [line["steps"] for line in lines] == [128, total]
    assert all(0 <= line["score"] <= 1 for line in lines)
    assert seen[-1][:2] == (total, 256)
    game = make_game("tictactoe")
    assert scores_against_random(game, file, 10, 5) == lines[-1]["by_seat"]
    assert lines[-1]["score"] == sum(lines[-1]["by_seat"]) / 2
    assert make_agent(f"sb3:{file}", game).name == f"sb3:{file}"


class Stop(Exception):
    pass


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    def stop(done, total, text):
        if done > 128:
            raise Stop

    with pytest.raises(Stop):
        train(short(), tmp_path, progress=stop)
    assert [line["steps"] for line in metrics(tmp_path)] == [128]
    seen = []
    file = train(short(), tmp_path, progress=lambda *told: seen.append(told[0]))
    assert seen[0] == 132  # one step in each of four games
    assert metrics(tmp_path)[-1]["steps"] == 256
    before = file.read_bytes()
    assert train(short(), tmp_path).read_bytes() == before  # it is finished


def test_going_on_restores_weights_and_optimizer(tmp_path, monkeypatch):
    import torch
    from sb3_contrib import MaskablePPO

    train(short(), tmp_path)
    stored = MaskablePPO.load(tmp_path / "model.zip", device="cpu").get_parameters()
    options = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(options | {"steps": 512}))
    found = []

    def learn(self, steps, **arguments):
        found.append((self.num_timesteps, steps, self.get_parameters()))

    monkeypatch.setattr(MaskablePPO, "learn", learn)
    train(short(steps=512), tmp_path)
    done, left, parameters = found[0]
    assert (done, left) == (256, 256)
    for name, weights in stored["policy"].items():
        assert torch.equal(parameters["policy"][name], weights)
    assert parameters["policy.optimizer"]["state"][0]["step"] == stored["policy.optimizer"]["state"][0]["step"] > 0


def test_the_same_seed_gives_the_same_scores(tmp_path):
    train(short(), tmp_path / "a")
    train(short(), tmp_path / "b")
    assert metrics(tmp_path / "a") == metrics(tmp_path / "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "sb3: steps must be an integer of at least 1, not 0"),
        ({"num_envs": 1.5}, "sb3: num_envs must be an integer of at least 1, not 1.5"),
        ({"algorithm": "sarsa"}, "sb3: algorithm must be one of ppo, a2c, dqn, maskable-ppo, not 'sarsa'"),
        ({"settings": {"depth": 3}}, "sb3: ppo has no setting 'depth'; it has: learning_rate, n_steps"),
        ({"settings": {"seed": 3}}, "sb3: ppo has no setting 'seed'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SB3Training(**{"algorithm": "ppo", "game": "tictactoe"} | options)


def test_another_run_in_the_folder(tmp_path):
    train(short(), tmp_path)
    with pytest.raises(ValueError, match="the run that is here has seed=5, not 6; give the same options"):
        train(short(seed=6), tmp_path)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(ValueError, match=r"run\.json: these are not the options of a run; choose another folder"):
        train(short(), tmp_path)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ValueError, match="sb3: Stable-Baselines3 is not installed: pip install"):
        SB3Training(algorithm="ppo", game="tictactoe")


@pytest.fixture
def command(monkeypatch, capsys):
    """`ludarium train …` in this process: exit code, output, error output."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["ludarium", "train", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, *capsys.readouterr()

    return call


def test_the_command(command, tmp_path):
    settings = [f"--set={key}={value}" for key, value in (("num_envs", 4), ("test_games", 4), ("n_steps", 8))]
    code, out, _ = command(
        "sb3:a2c", "hexapawn", "--steps", "64", "--opponent", "greedy", "--out", str(tmp_path), *settings
    )
    assert code == 0
    assert f"the agent: sb3:{tmp_path / 'model.zip'}" in out.replace("\n", "")
    assert json.loads((tmp_path / "run.json").read_text())["opponent"] == "greedy"
    code, _, err = command("sb3:a2c", "hexapawn", "--games", "64")
    assert code == 2
    assert "sb3:a2c counts its budget in --steps, not in --games" in err


def test_a_cooperative_game_is_scored_by_its_points(tmp_path):
    file = train(short(game="hanabi?preset=very-small", steps=128, test_games=4), tmp_path)
    scores = scores_against_random(make_game("hanabi?preset=very-small"), file, 4, 1)
    assert len(scores) == 2
    assert all(0 <= score <= 1 for score in scores)
