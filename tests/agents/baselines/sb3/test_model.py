"""Trained Stable-Baselines3 models as agents: safe loading, and the same play as SB3's own."""

import contextlib
import io
import json
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.sb3 import model as sb3
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

pytest.importorskip("sb3_contrib")

LEARNERS = {
    "ppo": {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "policy_kwargs": {"net_arch": [16]}},
    "a2c": {"policy_kwargs": {"net_arch": {"pi": [8, 8], "vf": [16]}}},
    "dqn": {"learning_starts": 10, "policy_kwargs": {"net_arch": [16, 16]}},
    "maskable-ppo": {"n_steps": 32, "batch_size": 32, "n_epochs": 1},
}


@pytest.fixture(scope="module")
def tictactoe():
    return make_game("tictactoe")


@pytest.fixture(scope="module")
def trained(tictactoe, tmp_path_factory):
    """A model of each algorithm, hardly trained, and its file."""
    import stable_baselines3
    import torch
    from sb3_contrib import MaskablePPO
    from torch import nn

    from ludarium.envs.sb3 import SB3VecEnv

    folder = tmp_path_factory.mktemp("models")
    models = {}
    for name, options in LEARNERS.items():
        kind = MaskablePPO if name == "maskable-ppo" else getattr(stable_baselines3, name.upper())
        if name == "a2c":
            options = {**options, "policy_kwargs": {**options["policy_kwargs"], "activation_fn": nn.ReLU}}
        model = kind("MlpPolicy", SB3VecEnv("tictactoe", 2), seed=1, device="cpu", **options).learn(128)
        with torch.no_grad():  # what 128 steps leave is close to indifference
            for parameter in model.policy.parameters():
                parameter += 0.3 * torch.randn(parameter.shape)
        sb3.save_model(model, folder / f"{name}.zip", tictactoe)
        models[name] = model, str(folder / f"{name}.zip")
    return models


def views(game, count=30):
    """Positions as their mover sees them, with masks."""
    draws = np.random.default_rng(1)
    position, views = game.start(), []
    while len(views) < count:
        if position.over:
            position = game.start()
        views.append((position.observe(position.turn), position.action_mask()))
        position.play(draws.choice(position.legal_actions()))
    return views


@pytest.mark.parametrize("name", LEARNERS)
def test_it_plays_what_the_model_would(name, trained, tictactoe):
    model, path = trained[name]
    agent = make_agent(f"sb3:{path}", tictactoe)
    assert isinstance(agent, CompiledAgent)
    check_agent(f"sb3:{path}", tictactoe, games=3)
    seen = views(tictactoe, 2000)
    observations, masks = (np.array(part) for part in zip(*seen, strict=True))
    masked = {"action_masks": masks.astype(bool)} if name == "maskable-ppo" else {}
    theirs, _ = model.predict(observations, deterministic=True, **masked)
    ours = [agent(*view, {"game": tictactoe}) for view in seen]
    legal = masks[np.arange(len(theirs)), theirs] == 1
    assert (np.array(ours) == theirs)[legal].all()
    assert legal.mean() > (0.99 if masked else 0.1)
    assert not play_match(tictactoe, [f"sb3:{path}", "random"], 5, seed=1).forfeits


@pytest.mark.parametrize("name", LEARNERS)
def test_pytorch_plays_the_same(name, trained, tictactoe):
    _, path = trained[name]
    compiled, torch_plays = (make_agent(f"sb3:{path}{options}", tictactoe) for options in ("", "?trust=True"))
    assert isinstance(torch_plays, sb3.SB3Agent)
    info = {"game": tictactoe}
    assert all(compiled(*view, info) == torch_plays(*view, info) for view in views(tictactoe, 500))


def test_other_activations_are_played_by_pytorch(tictactoe, tmp_path):
    from stable_baselines3 import PPO
    from torch import nn

    from ludarium.envs.sb3 import SB3VecEnv

    model = PPO("MlpPolicy", SB3VecEnv("tictactoe", 1), device="cpu", policy_kwargs={"activation_fn": nn.ELU})
    sb3.save_model(model, tmp_path / "elu.zip", tictactoe)
    assert isinstance(make_agent(f"sb3:{tmp_path}/elu.zip", tictactoe), sb3.SB3Agent)
    check_agent(f"sb3:{tmp_path}/elu.zip?deterministic=False", tictactoe, games=2)


def test_a_folder_is_its_model(trained, tictactoe, tmp_path):
    shutil.copy(trained["ppo"][1], tmp_path / "model.zip")
    assert make_agent(f"sb3:{tmp_path}", tictactoe).policy is not None


WITHOUT_TORCH = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib"):
    sys.modules[name] = None
from ludarium.agents import make_agent
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match
play_match(make_game("tictactoe"), [sys.argv[1], "ppo"], 3, seed=1)
"""


def test_it_plays_without_pytorch(trained):
    subprocess.run([sys.executable, "-P", "-c", WITHOUT_TORCH, f"sb3:{trained['dqn'][1]}"], check=True)


# --- files ---


def test_sb3_can_still_load_the_file(trained):
    from stable_baselines3 import PPO

    assert PPO.load(trained["ppo"][1]).num_timesteps == 128


def test_the_manifest_says_how_it_was_made(trained):
    with zipfile.ZipFile(trained["a2c"][1]) as archive:
        assert json.loads(archive.read("ludarium.json")) == {
            "schema": 1, "game": "tictactoe", "algorithm": "a2c", "net_arch": {"pi": [8, 8], "vf": [16]},
            "activation": "ReLU", "steps": 130, "seed": 1,
        }  # fmt: skip


def test_drawing_from_the_policy(trained, tictactoe):
    import torch

    model, path = trained["maskable-ppo"]
    agent = make_agent(f"sb3:{path}?deterministic=False", tictactoe)
    check_agent(agent, tictactoe, games=2)
    observation, mask = views(tictactoe)[2]
    counts = np.zeros(9)
    agent.reset(0, 7)
    for _ in range(4_000):
        counts[agent(observation, mask, {"game": tictactoe})] += 1
    with torch.no_grad():
        seen, _ = model.policy.obs_to_tensor(observation)
        wanted = model.policy.get_distribution(seen, mask.astype(bool)).distribution.probs[0].numpy()
    assert np.abs(counts / 4_000 - wanted).max() < 0.03
    with pytest.raises(ValueError, match="DQN has no probabilities to draw from; leave deterministic=True"):
        make_agent(f"sb3:{trained['dqn'][1]}?deterministic=False", tictactoe)


def test_a_model_that_sb3_saved_is_declared(trained, tictactoe, tmp_path):
    model, _ = trained["a2c"]
    plain = tmp_path / "plain.zip"
    model.save(plain)
    with pytest.raises(
        ValueError, match=r"plain.zip: the model has no manifest; add one with .*declare_model, or load"
    ):
        make_agent(f"sb3:{plain}", tictactoe)
    with pytest.raises(ValueError, match="algorithm must be one of ppo, a2c, dqn, maskable-ppo, not ''"):
        make_agent(f"sb3:{plain}?trust=True", tictactoe)
    trusted = make_agent(f"sb3:{plain}?trust=True&algorithm=a2c", tictactoe)
    with pytest.raises(ValueError, match=r"activation must be one of Tanh, ReLU, .*, not 'Square'"):
        sb3.declare_model(plain, tictactoe, "a2c", activation="Square")
    sb3.declare_model(plain, tictactoe, "a2c", net_arch={"pi": [8, 8], "vf": [16]}, activation="ReLU")
    with pytest.raises(ValueError, match=r"plain\.zip: the model has a manifest already"):
        sb3.declare_model(plain, tictactoe, "a2c")
    declared = make_agent(f"sb3:{plain}", tictactoe)
    assert all(trusted(*view, {}) == declared(*view, {}) for view in views(tictactoe))


def rewritten(path, target, **entries):
    """A copy of a model's file with other entries; without those that are None."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name not in entries:
                new.writestr(name, old.read(name))
        for name, data in entries.items():
            if data is not None:
                new.writestr(name, data)
    return target


class Bomb:
    """Runs when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize(
    ("entry", "layers", "message"),
    [
        ("policy.pth", False, r"policy\.pth is not what the manifest says, or holds more than tensors"),
        ("policy.npz", True, r"policy\.npz: the layers of the network cannot be read: "),
        ("data", True, ""),
        ("data", False, ""),
    ],
)
def test_pickled_code_does_not_run(entry, layers, message, trained, tictactoe, tmp_path):
    sign = tmp_path / "sign"
    entries = {entry: pickle.dumps(Bomb(str(sign)), protocol=2)}
    path = rewritten(trained["ppo"][1], tmp_path / "evil.zip", **({} if layers else {"policy.npz": None}) | entries)
    with pytest.raises(ValueError, match=message) if message else contextlib.nullcontext():
        make_agent(f"sb3:{path}", tictactoe)
    assert not sign.exists()


def test_tensors_that_grow_when_they_are_unpacked_are_not_read(tictactoe, monkeypatch):
    tensors = io.BytesIO()
    with zipfile.ZipFile(tensors, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.pkl", bytes(10_001))
    assert len(tensors.getvalue()) < 1000
    monkeypatch.setattr("ludarium.envs.files.LARGEST", 10_000)
    monkeypatch.setattr(sb3, "_read_entry", lambda path, name: tensors.getvalue())
    with pytest.raises(ValueError, match="it has 10,001 bytes once it is unpacked, and at most 10,000 are read"):
        sb3._policy("bot.zip", tictactoe, {"algorithm": "ppo"})


def test_files_that_are_no_models(trained, tictactoe, tmp_path):
    with pytest.raises(ValueError, match=r"none\.zip: there is no such file; save a model with save_model"):
        make_agent(f"sb3:{tmp_path}/none.zip", tictactoe)
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(
        ValueError, match=r"text\.zip: this is not a model of Stable-Baselines3: File is not a zip file"
    ):
        make_agent(f"sb3:{tmp_path}/text.zip", tictactoe)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme", "hello")
    with pytest.raises(ValueError, match=r"other\.zip: this is not a model .*: it holds no policy\.pth"):
        make_agent(f"sb3:{tmp_path}/other.zip", tictactoe)
    path = trained["ppo"][1]
    for manifest, message in (
        ("{", "this is not a model of Stable-Baselines3: Expecting property name"),
        ("[]", "the manifest must have the schema 1; update Ludarium, or declare it again"),
        ("[" * 100_000, "this is not a model of Stable-Baselines3: "),
        ('{"schema": 1, "game": "tictactoe", "steps": -1}', "steps must be an integer of at least 0, not -1"),
        ('{"schema": 2, "game": "tictactoe"}', "the manifest must have the schema 1"),
        ('{"schema": 1, "game": "tictactoe", "algorithm": "sac"}', "algorithm must be one of ppo, .*, not 'sac'"),
        ('{"schema": 1, "game": "tictactoe", "algorithm": "ppo"}', r"policy\.pth is not what the manifest says"),
        (
            '{"schema": 1, "game": "tictactoe", "algorithm": "ppo", "net_arch": "x"}',
            r"policy\.pth is not what the mani",
        ),
    ):
        broken = rewritten(path, tmp_path / "broken.zip", **{"ludarium.json": manifest, "policy.npz": None})
        with pytest.raises(ValueError, match=message):
            make_agent(f"sb3:{broken}", tictactoe)


@pytest.mark.parametrize(("offset", "value"), [(8, 1), (10, 99)], ids=["encrypted", "unknown compression"])
def test_files_that_cannot_be_unpacked(offset, value, trained, tictactoe, tmp_path):
    with zipfile.ZipFile(trained["ppo"][1]) as archive:
        names = archive.namelist()
    data = bytearray(Path(trained["ppo"][1]).read_bytes())
    for name in names:
        data[data.rindex(b"PK\x01\x02", 0, data.rindex(name.encode())) + offset] = value
    (tmp_path / "damaged.zip").write_bytes(data)
    with pytest.raises(ValueError, match=r"damaged\.zip: this is not a model of Stable-Baselines3: "):
        make_agent(f"sb3:{tmp_path}/damaged.zip", tictactoe)


def test_a_model_is_asked_for(tictactoe):
    with pytest.raises(ValueError, match="sb3: the model is missing; give sb3:FILE, or sb3:FOLDER"):
        make_agent("sb3:", tictactoe)


def test_a_trusted_model_of_another_algorithm(trained, tictactoe):
    with pytest.raises(ValueError, match="Stable-Baselines3 cannot load this as a model of dqn: "):
        make_agent(f"sb3:{trained['ppo'][1]}?trust=True&algorithm=dqn", tictactoe)


def test_a_model_of_another_game(trained):
    with pytest.raises(ValueError, match="the model was trained on tictactoe, not on othello"):
        make_agent(f"sb3:{trained['ppo'][1]}", make_game("othello"))


def test_models_that_a_manifest_cannot_describe(trained, tictactoe, tmp_path):
    from stable_baselines3 import PPO
    from stable_baselines3.common.policies import ActorCriticPolicy

    from ludarium.envs.sb3 import SB3VecEnv

    class OwnPolicy(ActorCriticPolicy):
        pass

    own = PPO(OwnPolicy, SB3VecEnv("tictactoe", 1), device="cpu")
    with pytest.raises(ValueError, match="only models with MlpPolicy can be saved with a manifest, not OwnPolicy"):
        sb3.save_model(own, tmp_path / "own.zip", tictactoe)
    with pytest.raises(ValueError, match="algorithm must be one of ppo, a2c, dqn, maskable-ppo, not 'OwnPolicy'"):
        sb3.save_model(own.policy, tmp_path / "own.zip", tictactoe)


def test_without_stable_baselines(trained, tictactoe, monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ValueError, match=r'Stable-Baselines3 is not installed: pip install "ludarium\[rl\]"'):
        make_agent(f"sb3:{trained['ppo'][1]}?trust=True", tictactoe)
