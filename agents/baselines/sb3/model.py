"""Trained Stable-Baselines3 and sb3-contrib models as agents: `sb3:path/to/model.zip`, `sb3:folder/of/a/run`.

In addition to what SB3 itself saves, `save_model` writes the layers that choose actions as plain arrays (`policy.npz`)
and a small JSON manifest (`ludarium.json`). Such a model is played by a compiled policy, without SB3 and PyTorch:
`ludarium.agents.baselines.perceptron`.

Models with activations other than tanh and ReLU, and files to which `declare_model` added a manifest, are played by
PyTorch, which needs the extra `ludarium[rl]`. SB3's own `load` unpickles parts of the file, which can run any code.
This adapter does not: it builds the policy from the game's spaces and the manifest, and reads nothing but tensors.
Models with policies other than `MlpPolicy` need `trust=True`, which loads them SB3's own way: only for files that you
made.
"""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent, SpecAgent
from ludarium.agents.baselines import perceptron
from ludarium.agents.baselines.perceptron import Network
from ludarium.agents.learning.checkpoint import run_of_game
from ludarium.envs.files import open_archive, read_part, reading, replacing
from ludarium.envs.game import Game

ALGORITHMS = ("ppo", "a2c", "dqn", "maskable-ppo")
ACTIVATIONS = ("Tanh", "ReLU", "ELU", "GELU", "LeakyReLU", "SiLU")
_MANIFEST, _TENSORS, _LAYERS = "ludarium.json", "policy.pth", "policy.npz"
_SCHEMA = 1


def trained(
    game: Game, path: str, *, deterministic: bool = True, trust: bool = False, algorithm: str = ""
) -> "CompiledAgent | SB3Agent":
    """The agent `sb3:PATH`. Only legal actions are considered, even if the algorithm does not know masks.

    Args:
        game: the game that the model was trained on, with the same options.
        path: the model's file, or the folder of a run, `runs/x`, or a checkpoint that it has kept, `runs/x@STEPS`.
        deterministic: play the best action; otherwise draw from the policy's probabilities (not for DQN).
        trust: load the whole file SB3's way, which runs any code that it holds.
        algorithm: one of `ALGORITHMS`, for files without a manifest (then `trust` is needed too).

    Raises:
        ValueError: if the file cannot be read, is not a model, has no manifest, holds more than tensors, or is for
            another game; or if Stable-Baselines3 is needed and not installed.
    """
    if not path:
        raise ValueError("sb3: the model is missing; give sb3:FILE, or sb3:FOLDER for what `ludarium train` made")
    place = run_of_game(path, game)
    if place.is_dir():
        path = str(place / "model.zip")
    manifest = read_manifest(path)
    algorithm = algorithm or manifest.get("algorithm", "")
    if not manifest and not trust:
        raise ValueError(
            f"{path}: the model has no manifest; add one with ludarium.agents.baselines.sb3.model.declare_model, "
            "or load it SB3's way with trust=True and algorithm=..., if it comes from you"
        )
    _check_algorithm(algorithm)
    if manifest and manifest["game"] != game.spec:
        raise ValueError(f"{path}: the model was trained on {manifest['game']}, not on {game.spec}")
    if algorithm == "dqn" and not deterministic:
        raise ValueError(f"{path}: DQN has no probabilities to draw from; leave deterministic=True")
    name = f"sb3:{path}"
    if trust:
        return SB3Agent(name, _trusted_policy(path, algorithm), deterministic)
    if layers := _read_entry(path, _LAYERS):
        try:
            return CompiledAgent(name, Network.load(io.BytesIO(layers)).policy(game, deterministic=deterministic))
        except ValueError as error:
            raise ValueError(f"{path}: {_LAYERS}: {error}") from None
    return SB3Agent(name, _policy(path, game, manifest), deterministic)


class SB3Agent(SpecAgent):
    """An SB3 policy, played by PyTorch."""

    remembered = ("_draws",)

    def __init__(self, name: str, policy: Any, deterministic: bool) -> None:
        self.name = name
        self._policy = policy
        self._policy.set_training_mode(False)
        self._deterministic = deterministic
        self._draws = np.random.default_rng(0)

    def reset(self, seat: int, seed: int) -> None:
        self._draws = np.random.default_rng(seed)

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        import torch

        with torch.no_grad():
            seen, _ = self._policy.obs_to_tensor(observation)
            if hasattr(self._policy, "q_net"):
                scores = self._policy.q_net(seen)
            else:
                scores = self._policy.get_distribution(seen).distribution.logits
        worth: NDArray[np.float64] = scores[0].numpy().astype(np.float64)
        if not self._deterministic:
            worth += self._draws.gumbel(size=len(worth))  # the greatest is then a draw from the softmax
        return int(np.where(action_mask == 1, worth, -np.inf).argmax())


def save_model(model: Any, path: str | Path, game: Game) -> None:
    """Save a trained model, atomically, so that it can be an agent.

    Args:
        model: a model of one of `ALGORITHMS` with `MlpPolicy`.
        path: the file, such as `model.zip`.
        game: the game it was trained on.

    Raises:
        ValueError: for other models: their policy cannot be described by a manifest.
    """
    from stable_baselines3.common.torch_layers import FlattenExtractor

    algorithm = {"PPO": "ppo", "A2C": "a2c", "DQN": "dqn", "MaskablePPO": "maskable-ppo"}.get(type(model).__name__, "")
    _check_algorithm(algorithm or type(model).__name__)
    policy = model.policy
    if type(policy) is not _policy_class(algorithm) or policy.features_extractor_class is not FlattenExtractor:
        raise ValueError(f"only models with MlpPolicy can be saved with a manifest, not {type(policy).__name__}")
    with replacing(Path(path)) as part:
        with part.open("wb") as file:
            model.save(file, exclude=["_update_current_progress_remaining"])  # ours, not part of the model
        declare_model(
            part, game, algorithm, net_arch=policy.net_arch, activation=policy.activation_fn.__name__,
            steps=int(model.num_timesteps), seed=model.seed,
        )  # fmt: skip
        if policy.activation_fn.__name__ in perceptron.ACTIVATIONS:
            with zipfile.ZipFile(part, "a") as archive, archive.open(_LAYERS, "w") as entry:
                network_of(policy).save(entry)


def network_of(policy: Any) -> Network:
    """The layers of an `MlpPolicy` that choose actions; its activation is one of `perceptron.ACTIVATIONS`."""
    if hasattr(policy, "q_net"):
        modules = list(policy.q_net.q_net)
    else:
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    linear = [module for module in modules if hasattr(module, "weight")]
    return Network(
        policy.activation_fn.__name__,
        [np.ascontiguousarray(module.weight.detach().cpu().numpy().T) for module in linear],
        [module.bias.detach().cpu().numpy().copy() for module in linear],
    )


def declare_model(
    path: str | Path,
    game: Game,
    algorithm: str,
    *,
    net_arch: list[int] | dict[str, list[int]] | None = None,
    activation: str | None = None,
    steps: int | None = None,
    seed: int | None = None,
) -> None:
    """Add the manifest to a model's file, without loading it.

    Args:
        path: a file that SB3 saved, of a model with `MlpPolicy`.
        game: the game it was trained on.
        algorithm: one of `ALGORITHMS`.
        net_arch: the layers as given in `policy_kwargs`; None for SB3's default.
        activation: one of `ACTIVATIONS`; None for SB3's default.
        steps: decisions it was trained for, if known.
        seed: the seed of its training, if known.

    Raises:
        ValueError: for another algorithm or activation, or if the file is not a model or has a manifest already.
    """
    _check_algorithm(algorithm)
    if activation is not None and activation not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
    if read_manifest(str(path)):
        raise ValueError(f"{path}: the model has a manifest already")
    manifest = {
        "schema": _SCHEMA,
        "game": game.spec,
        "algorithm": algorithm,
        "net_arch": net_arch,
        "activation": activation,
        "steps": steps,
        "seed": seed,
    }
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(_MANIFEST, json.dumps(manifest, indent=1))


def _check_algorithm(algorithm: str) -> None:
    if algorithm not in ALGORITHMS:
        raise ValueError(f"sb3: algorithm must be one of {', '.join(ALGORITHMS)}, not {algorithm!r}")


def read_manifest(path: str) -> dict[str, Any]:
    """The manifest of a model's file; empty if it has none.

    Raises:
        ValueError: if there is no such file, or it is not a model, or its manifest is damaged.
    """
    if not os.path.isfile(path):
        raise ValueError(f"{path}: there is no such file; save a model with save_model")
    if _read_entry(path, _TENSORS) is None:
        raise ValueError(f"{path}: this is not a model of Stable-Baselines3: it holds no {_TENSORS}")
    text = _read_entry(path, _MANIFEST)
    if text is None:
        return {}
    with reading(f"{path}: this is not a model of Stable-Baselines3"):
        manifest: Any = json.loads(text)
    if not isinstance(manifest, dict) or manifest.get("schema") != _SCHEMA or "game" not in manifest:
        raise ValueError(f"{path}: the manifest must have the schema {_SCHEMA}; update Ludarium, or declare it again")
    steps = manifest.get("steps")
    if steps is not None and (type(steps) is not int or steps < 0):
        raise ValueError(f"{path}: the manifest is damaged: steps must be an integer of at least 0, not {steps!r}")
    return manifest


def _read_entry(path: str, name: str) -> bytes | None:
    """A part of a model's file; None if it has no such part."""
    with reading(f"{path}: this is not a model of Stable-Baselines3"), open_archive(path) as archive:
        return read_part(archive, name) if name in archive.namelist() else None


def algorithm_class(algorithm: str) -> Any:
    """The class of an algorithm.

    Raises:
        ValueError: if the extra is not installed.
    """
    try:
        if algorithm == "maskable-ppo":
            from sb3_contrib import MaskablePPO

            return MaskablePPO
        import stable_baselines3
    except ImportError:
        raise ValueError('sb3: Stable-Baselines3 is not installed: pip install "ludarium[rl]"') from None
    return getattr(stable_baselines3, algorithm.upper())


def _policy_class(algorithm: str) -> Any:
    try:
        if algorithm == "maskable-ppo":
            from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

            return MaskableActorCriticPolicy
        if algorithm == "dqn":
            from stable_baselines3.dqn.policies import DQNPolicy

            return DQNPolicy
        from stable_baselines3.common.policies import ActorCriticPolicy

        return ActorCriticPolicy
    except ImportError:
        raise ValueError('sb3: Stable-Baselines3 is not installed: pip install "ludarium[rl]"') from None


def _policy(path: str, game: Game, manifest: dict[str, Any]) -> Any:
    """The policy that the manifest describes, with the tensors of the file."""
    kind = _policy_class(manifest["algorithm"])
    import torch
    from gymnasium.spaces import Discrete

    from ludarium.envs.single import observation_space

    keywords = {}
    if manifest.get("net_arch") is not None:
        keywords["net_arch"] = manifest["net_arch"]
    if manifest.get("activation") in ACTIVATIONS:
        keywords["activation_fn"] = getattr(torch.nn, manifest["activation"])
    data = io.BytesIO(_read_entry(path, _TENSORS) or b"")
    with reading(f"{path}: {_TENSORS} is not what the manifest says, or holds more than tensors"):
        open_archive(data)  # PyTorch's own, whose size it does not check
        data.seek(0)
        policy = kind(observation_space(game), Discrete(game.actions), lambda _: 0.0, **keywords)
        policy.load_state_dict(torch.load(data, map_location="cpu", weights_only=True))
    return policy


def _trusted_policy(path: str, algorithm: str) -> Any:
    """The policy as SB3 loads it, pickled objects included."""
    kind = algorithm_class(algorithm)
    with reading(f"{path}: Stable-Baselines3 cannot load this as a model of {algorithm}"):
        return kind.load(path, device="cpu").policy
