"""Stock RL by command: training, checkpoints, going on, and the agent it makes."""

import importlib.util
import json
import re
import sys
import zipfile
from dataclasses import asdict, replace

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.baselines.perceptron import Network
from ludarium.agents.baselines.sb3 import learner as sb3_training
from ludarium.agents.baselines.sb3 import model as sb3
from ludarium.agents.baselines.sb3.learner import SB3Training
from ludarium.agents.baselines.sb3.self_play import PastSelves
from ludarium.agents.learning import run as learning
from ludarium.agents.learning.checkpoint import kept_checkpoints
from ludarium.agents.learning.measure import against_random, as_a_team
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.envs.registry import make_game

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


@pytest.mark.parametrize(
    ("algorithm", "opponent"), [("ppo", "random"), ("maskable-ppo", "greedy"), ("a2c", "self"), ("dqn", "self")]
)
def test_each_algorithm_becomes_an_agent(algorithm, opponent, tmp_path):
    seen = []
    assert train(short(algorithm, opponent=opponent), tmp_path, progress=lambda *told: seen.append(told)) == tmp_path
    file = tmp_path / "model.zip"
    lines = metrics(tmp_path)
    first, total = (140, 260) if algorithm == "a2c" else (128, 256)  # whole rollouts: five steps in each of four games
    assert [line["steps"] for line in lines] == [first, total]
    assert all(0 <= line["score"] <= 1 for line in lines)
    assert seen[-1][:2] == (total, 256)
    game = make_game("tictactoe")
    again = against_random(game, make_agent(f"sb3:{tmp_path}", game).policy, 10, 5).scores
    assert [again["score_first"], again["score_second"]] == lines[-1]["by_seat"]
    assert lines[-1]["score"] == sum(lines[-1]["by_seat"]) / 2
    assert make_agent(f"sb3:{file}", game).name == f"sb3:{file}"


class Stop(Exception):
    pass


@pytest.mark.parametrize(("algorithm", "rollout"), [("maskable-ppo", 128), ("dqn", 16)])
def test_a_checkpoint_has_learned_from_all_of_its_steps(algorithm, rollout, tmp_path, monkeypatch):
    """An update is counted where it ends; a checkpoint must know of all of them, and so must a run that goes on."""
    kind, saved, updates = sb3_training.algorithm_class(algorithm), [], []
    update, save_model = kind.train, sb3_training.save_model

    def counted(self, *arguments, **options):
        update(self, *arguments, **options)
        updates.append(self.num_timesteps)

    def watched(model, path, game):
        saved.append((model.num_timesteps, updates[-1] if updates else 0))
        save_model(model, path, game)

    monkeypatch.setattr(kind, "train", counted)
    monkeypatch.setattr(sb3_training, "save_model", watched)
    train(short(algorithm, checkpoints=10), tmp_path, keep=0)
    assert [line["steps"] for line in metrics(tmp_path)] == [steps for steps, _ in saved]
    assert len(saved) == min(10, 256 // rollout)
    assert all(steps % rollout == 0 and learned == steps for steps, learned in saved)


@pytest.mark.parametrize(
    ("module", "at"), [(sb3_training, "measure"), (learning, "add_metrics"), (sb3_training, "save_model")]
)
def test_a_run_that_was_stopped_at_its_last_checkpoint_goes_on(module, at, tmp_path, monkeypatch):
    called, function = [], getattr(module, at)

    def stop(*arguments):
        called.append(at)
        if len(called) == 2:
            raise Stop
        return function(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(module, at, stop)
        with pytest.raises(Stop):
            train(short(), tmp_path, keep=1)
    assert sb3.read_manifest(str(tmp_path / "model.zip"))["steps"] == 128
    train(short(), tmp_path, keep=1)
    assert [line["steps"] for line in metrics(tmp_path)] == [128, 256]
    (tmp_path / "metrics.jsonl").unlink()
    train(short(), tmp_path, keep=1)
    assert metrics(tmp_path) == []


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    def stop(done, total, text):
        if done == 128:
            raise Stop

    with pytest.raises(Stop):
        train(short(), tmp_path, progress=stop)
    assert [line["steps"] for line in metrics(tmp_path)] == [128]
    seen = []
    file = train(short(), tmp_path, progress=lambda *told: seen.append(told[0])) / "model.zip"
    assert seen == [128, 256]
    assert metrics(tmp_path)[-1]["steps"] == 256
    before = file.read_bytes()
    train(short(), tmp_path)
    assert file.read_bytes() == before  # it is finished


def test_going_on_restores_weights_and_optimizer(tmp_path, monkeypatch):
    import torch
    from sb3_contrib import MaskablePPO

    train(short(), tmp_path)
    stored = MaskablePPO.load(tmp_path / "model.zip", device="cpu").get_parameters()
    options = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(options | {"steps": 512}))
    updates = []

    def learn(self, steps, log_interval=1, **arguments):
        updates.append((self.num_timesteps, steps, self.get_parameters()))
        self.num_timesteps = 512

    monkeypatch.setattr(MaskablePPO, "learn", learn)
    train(short(steps=512), tmp_path)
    done, left, parameters = updates[0]
    assert (done, left) == (256, 1)
    for name, weights in stored["policy"].items():
        assert torch.equal(parameters["policy"][name], weights)
    assert parameters["policy.optimizer"]["state"][0]["step"] == stored["policy.optimizer"]["state"][0]["step"] > 0


@pytest.mark.parametrize("algorithm", ["ppo", "maskable-ppo"])
@pytest.mark.parametrize(("num_envs", "n_steps"), [(16, 128), (3, 682), (5000, 2)])
def test_a_rollout_is_2048_decisions(algorithm, num_envs, n_steps):
    config = SB3Training(algorithm=algorithm, game="tictactoe", num_envs=num_envs)
    assert config.keywords["n_steps"] == n_steps
    assert replace(config, settings={"n_steps": 7}).keywords["n_steps"] == 7


def test_only_ppo_has_another_learning_rate_than_sb3():
    for algorithm in sb3.ALGORITHMS:
        config = SB3Training(algorithm=algorithm, game="tictactoe")
        own = config.keywords.get("learning_rate")
        assert own == (0.001 if "ppo" in algorithm else None)
        given = replace(config, settings={"learning_rate": 0.5})
        assert given.keywords["learning_rate"] == 0.5


# --- self-play ---


def met(monkeypatch):
    """A list of what there is when a rollout begins: steps so far, the past selves, and the environment's weights."""
    pools, weigh = [], PastSelves.weigh

    def watched(self, opponent, weights):
        weigh(self, opponent, weights)
        pools.append((self.model_steps, self.steps, weights.tolist()))

    def followed(self, model, follow=PastSelves.follow):
        self.model_steps = model.num_timesteps
        follow(self, model)

    monkeypatch.setattr(PastSelves, "weigh", watched)
    monkeypatch.setattr(PastSelves, "follow", followed)
    return pools


def test_a_pool_of_past_selves_is_kept_and_met(tmp_path, monkeypatch):
    pools = met(monkeypatch)
    train(short(opponent="self", steps=1280, snapshot_every=256, pool=3), tmp_path)
    assert [now for now, _, _ in pools] == list(range(0, 1280, 128))  # a rollout is 32 steps in four games
    assert pools[0][1:] == ([0], [1, 0, 0, 0])
    assert pools[-1][1:] == ([512, 768, 1024], pytest.approx([1 / 3, 0, 1 / 3, 1 / 3]))
    assert all(pool == sorted(pool) and pool[-1] > now - 256 for now, pool, _ in pools)
    again = met(monkeypatch)
    train(short(opponent="self", steps=1280, snapshot_every=256, pool=3), tmp_path / "again")
    assert again == pools[: len(again)]
    assert metrics(tmp_path) == metrics(tmp_path / "again")


@pytest.mark.parametrize("game", ["tictactoe", "hanabi?preset=very-small&seats=3"])
def test_the_environment_plays_past_selves_and_the_others_of_a_mixture(game, tmp_path, monkeypatch):
    """What a snapshot is written into is what the environment plays; the one that left the pool stays for a while."""
    checked, follow = [], PastSelves.follow

    def watched(self, model):
        follow(self, model)
        vector, others = model.get_env().vector, make_game(game).seats - 1
        opponents = np.array(vector._setting._opponents).reshape(-1, others)
        assert len(opponents) == len(vector.weights) == 4
        assert (
            vector._setting._arrays["policies"][:, 1] == [one.policy.block.ctypes.data for one in opponents.flat]
        ).all()
        assert all(one.name == "random" for one in opponents[0])
        kept = sorted((tmp_path / "pool").iterdir())[-3:]
        for file in kept:
            player = Network.load(file).policy(make_game(game), deterministic=False)
            same = [all(one.policy.block.tobytes() == player.block.tobytes() for one in row) for row in opponents[1:]]
            assert any(same)
        self.weigh("1*random+3*self", vector.weights)
        assert vector.weights[0] == 1
        assert vector.weights[1:].sum() == pytest.approx(3)
        checked.append(len(kept))

    monkeypatch.setattr(PastSelves, "follow", watched)
    train(short(game=game, opponent="1*random+3*self", pool=2, steps=512, snapshot_every=128, test_games=3), tmp_path)
    assert checked == [1, 2, 3, 3]


def test_going_on_keeps_the_pool(tmp_path, monkeypatch):
    config = short(opponent="self", steps=1024, snapshot_every=128, pool=3)

    def stop(done, total, text):
        if done > 700:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path, progress=stop)
    assert [line["steps"] for line in metrics(tmp_path)] == [512]
    kept = {file.name: file.read_bytes() for file in (tmp_path / "pool").iterdir()}
    assert sorted(kept)[-1] == "000000000640.npz"  # younger than the checkpoint
    pools = met(monkeypatch)
    train(config, tmp_path)
    assert pools[0][0] == 512
    assert pools[0][1] == [256, 384, 512]
    assert pools[-1][1] == [640, 768, 896]
    assert (tmp_path / "pool" / "000000000384.npz").read_bytes() == kept["000000000384.npz"]


def test_the_models_that_a_run_keeps_are_agents(tmp_path):
    config, game, seen = short(steps=512, checkpoints=4), make_game("tictactoe"), []

    def stop(done, total, text):
        if done > 300:
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path, keep=2, progress=stop)
    assert kept_checkpoints(tmp_path) == [256]
    kept = make_agent(f"sb3:{tmp_path}@256", game).policy.block
    (tmp_path / "checkpoints" / "512").mkdir()  # ahead of the checkpoint, as a crash may leave it
    (tmp_path / "checkpoints" / "512" / "model.zip").write_bytes((tmp_path / "model.zip").read_bytes())
    train(config, tmp_path, keep=2, progress=lambda done, *_: seen.append((done, kept_checkpoints(tmp_path))))
    assert seen[0] == (384, [256])
    assert kept_checkpoints(tmp_path) == [256, 512]
    first, last, now = (make_agent(f"sb3:{tmp_path}{at}", game).policy.block for at in ("@256", "@512", ""))
    assert first.tobytes() == kept.tobytes() != last.tobytes() == now.tobytes()
    with pytest.raises(ValueError, match="no checkpoint was kept at 300; these were: 256, 512"):
        make_agent(f"sb3:{tmp_path}@300", game)


def test_foreign_files_in_the_pool_are_left_alone(tmp_path):
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "mine.npz").write_text("mine")
    train(short(opponent="self"), tmp_path)
    assert (tmp_path / "pool" / "mine.npz").read_text() == "mine"


# --- logs ---


def test_the_log_of_sb3(tmp_path):
    train(short(log="csv"), tmp_path)
    header, *lines = (tmp_path / "log" / "000000000000" / "progress.csv").read_text().splitlines()
    assert {"rollout/ep_rew_mean", "train/loss", "time/total_timesteps"} <= set(header.split(","))
    assert len(lines) == 2
    train(short(), tmp_path / "none")
    assert not (tmp_path / "none" / "log").exists()
    assert metrics(tmp_path) == metrics(tmp_path / "none")


def test_sb3_logs_as_often_as_it_would_by_itself(tmp_path):
    """A2C logs every hundredth rollout."""
    train(replace(short("a2c", log="csv", num_envs=1, steps=210), settings={"n_steps": 2}), tmp_path)
    header, *lines = (tmp_path / "log" / "000000000000" / "progress.csv").read_text().splitlines()
    column = header.split(",").index("time/total_timesteps")
    assert [line.split(",")[column] for line in lines] == ["200"]


def test_tensorboard_must_be_there(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="sb3: log='tensorboard' needs TensorBoard: pip install tensorboard; or log="):
        short(log="tensorboard")


# --- options ---


@pytest.mark.parametrize(
    ("algorithm", "keywords"), [("maskable-ppo", {"n_steps": 128, "learning_rate": 0.001}), ("a2c", {}), ("dqn", {})]
)
def test_defaults(algorithm, keywords):
    learner = SB3Training(game="tictactoe", algorithm=algorithm)
    assert asdict(learner) == {
        "game": "tictactoe", "algorithm": algorithm, "seed": 0, "checkpoints": 10, "test_games": 100, "steps": 100_000,
        "opponent": "random", "num_envs": 16, "pool": 10, "snapshot_every": 10_000, "log": "none", "settings": {},
    }  # fmt: skip
    assert learner.keywords == keywords


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "sb3: steps must be an integer of at least 1, not 0"),
        ({"num_envs": 1.5}, "sb3: num_envs must be an integer of at least 1, not 1.5"),
        ({"pool": 0}, "sb3: pool must be an integer of at least 1, not 0"),
        ({"log": "wandb"}, "sb3: log must be one of none, csv, tensorboard, not 'wandb'"),
        ({"algorithm": "sarsa"}, "sb3: algorithm must be one of ppo, a2c, dqn, maskable-ppo, not 'sarsa'"),
        ({"settings": {"depth": 3}}, "sb3: ppo has no setting 'depth'; it has: learning_rate, n_steps"),
        ({"settings": {"seed": 3}}, "sb3: ppo has no setting 'seed'"),
        ({"settings": {"_init_setup_model": False}}, "sb3: ppo has no setting '_init_setup_model'"),
        ({"seed": 2**32}, "sb3: seed must be an integer below 2**32, not 4294967296"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SB3Training(**{"algorithm": "ppo", "game": "tictactoe"} | options)


def test_a_model_is_no_dictionary_of_arrays():
    with pytest.raises(TypeError, match=r"a model of Stable-Baselines3 is not .*; see SB3Training\.agent"):
        SB3Training(algorithm="ppo", game="tictactoe").policy(make_game("tictactoe"), {})


def test_a_setting_that_cannot_be_called_is_not_offered():
    with pytest.raises(ValueError, match="it has: ") as refused:
        SB3Training(algorithm="ppo", game="tictactoe", settings={"depth": 3})
    assert "_init_setup_model" not in str(refused.value)


def test_settings_that_cannot_be_written_down(tmp_path):
    given = {**SETTINGS["ppo"], "policy_kwargs": {"activation_fn": object()}}
    with pytest.raises(ValueError, match="sb3: settings must be numbers, strings, lists and dictionaries of them: "):
        train(replace(short("ppo"), settings=given), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_model_that_is_damaged_or_of_other_settings(tmp_path):
    config, file = short("ppo"), tmp_path / "model.zip"

    def stop(*told):
        if file.exists():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(config, tmp_path, progress=stop)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data[:100] if name == "policy.pth" else data)
    with pytest.raises(ValueError, match=r"model\.zip: the model is damaged, or has other settings: "):
        train(config, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "settings",
    [
        {"batch_size": 0},
        {"learning_rate": "abc"},
        {"n_epochs": 0},
        {"n_steps": 0},
        {"n_steps": "abc"},
        {"gamma": float("nan")},
        {"learning_rate": 1e30},
        {"policy_kwargs": "abc"},
    ],
)
def test_settings_that_the_library_refuses_do_not_block_the_folder(settings, tmp_path):
    ((name, value),) = settings.items()
    given = {**SETTINGS["ppo"], **settings}
    with pytest.raises(ValueError, match=re.escape("sb3: ppo refuses ") + f".*{name}={re.escape(repr(value))}"):
        train(replace(short("ppo"), settings=given), tmp_path)
    train(short("ppo", steps=128), tmp_path)


def test_a_mistaken_command_does_not_block_its_folder(tmp_path):
    with pytest.raises(ValueError, match="unknown agent 'nobody'"):
        train(short(opponent="nobody"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["checkpoint.json", "metrics.jsonl", "arrays-000000000100.npz", "model.zip"])
def test_something_else_in_the_folder(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(ValueError, match=f"the folder holds something else, {name}; choose another folder"):
        train(short(), tmp_path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(name, "mine")]


def test_a_checkpoint_of_another_game_or_algorithm(tmp_path):
    train(short(), tmp_path)
    options = json.loads((tmp_path / "run.json").read_text())
    for name, value in (("game", "hexapawn"), ("algorithm", "ppo")):
        (tmp_path / "run.json").write_text(json.dumps(options | {name: value}))
        with pytest.raises(ValueError, match=rf"model\.zip: the model's {name} must be '{value}', not "):
            train(short(**{name: value}), tmp_path)


def test_another_run_in_the_folder(tmp_path):
    train(short(), tmp_path)
    with pytest.raises(ValueError, match="the run in this folder has seed=5, not 6; give the same options"):
        train(short(seed=6), tmp_path)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(ValueError, match=r"run\.json: these are not the options of a run; choose another folder"):
        train(short(), tmp_path)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ValueError, match="sb3: Stable-Baselines3 is not installed: pip install"):
        SB3Training(algorithm="ppo", game="tictactoe")


def test_the_command(ludarium, tmp_path):
    settings = [f"--set={key}={value}" for key, value in (("num_envs", 4), ("log", "csv"), ("n_steps", 8))]
    code, out, _ = ludarium(
        "train", "sb3:a2c", "hexapawn", "--steps", "64", "--opponent", "greedy", "--out", str(tmp_path), *settings
    )
    assert code == 0
    assert f"the agent: sb3:{tmp_path}" in out
    options = json.loads((tmp_path / "run.json").read_text())
    assert (options["opponent"], options["log"], options["settings"]) == ("greedy", "csv", {"n_steps": 8})
    code, _, err = ludarium("train", "sb3:a2c", "hexapawn", "--games", "64")
    assert code == 2
    assert "sb3:a2c counts its budget in --steps, not in --games" in err


def test_the_log_is_closed_at_the_end(tmp_path):
    learner = short(log="csv")
    now, game = learner.resume(tmp_path), make_game(learner.game)
    with workers("threads", 1) as parallel:
        while not learner.is_over(game, now):
            (log,) = now.model.logger.output_formats
            assert not log.file.closed
            now, _ = learner.advance(game, now, learner.steps, parallel)
    assert log.file.closed


def test_a_cooperative_game_is_scored_by_its_points(tmp_path):
    train(short(game="hanabi?preset=very-small", steps=128, test_games=4), tmp_path)
    game = make_game("hanabi?preset=very-small")
    team = as_a_team(game, make_agent(f"sb3:{tmp_path}", game).policy, 4, 5)
    assert metrics(tmp_path)[-1]["points"] == team.scores["points"] == 5 * team.scores["score"] >= 0


def test_a_run_goes_on_without_what_it_kept_ahead_of_its_model(tmp_path, monkeypatch):
    monkeypatch.setattr(sb3_training, "_steps", lambda *_: 256)  # of the model, which is not read
    for steps in (128, 256, 384):
        (tmp_path / "checkpoints" / str(steps)).mkdir(parents=True)
        (tmp_path / "checkpoints" / str(steps) / "model.zip").touch()
    lines = [json.dumps({"steps": steps}) + "\n" for steps in (128, 256, 384)]
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    monkeypatch.setattr(sb3_training, "_check_folder", lambda *_: None)
    sb3_training.ModelCheckpoint.open(short(), tmp_path)
    assert kept_checkpoints(tmp_path) == [128, 256]
    assert [line["steps"] for line in metrics(tmp_path)] == [128, 256]
