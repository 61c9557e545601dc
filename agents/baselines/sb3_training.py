"""Training of Stable-Baselines3 and sb3-contrib models: `ludarium train sb3:maskable-ppo tictactoe --steps 100000`.

The algorithms are the stock ones, on the compiled vector environment with the opponent inside. The folder of a run
holds `run.json` (the options), `model.zip` (the last checkpoint, an agent by its path: `sb3:runs/x/model.zip`) and
`metrics.jsonl` (one line a checkpoint). A run that was stopped goes on from its last checkpoint with the weights, the
optimizer's state and the count of steps. It begins new games with a new stream of chance and, for DQN, an empty
replay buffer; so unlike the learners of this package, a resumed run is not the very run it would have been.

Needs the extra `ludarium[rl]`.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.agents.baselines.sb3 import ALGORITHMS, SB3Agent, _read_manifest, save_model
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.envs.single import GameEnv

Show = Callable[[int, int, str], None]

_OURS = ("policy", "env", "seed", "device", "tensorboard_log", "verbose", "self")


@dataclass(frozen=True, kw_only=True)
class SB3Training:
    """A run of stock RL.

    Attributes:
        algorithm: one of `ludarium.agents.baselines.sb3.ALGORITHMS`.
        game: the game's spec.
        steps: the learner's decisions in all; whole rollouts are finished.
        seed: the seed of the model and of the games.
        opponent: who sits in the other seats: the spec of a compiled agent.
        num_envs: games in step.
        checkpoints: how many there are, evenly spaced.
        test_games: games against the random agent at each checkpoint, as many in each seat.
        settings: keyword arguments of the algorithm, such as `learning_rate`.

    Raises:
        ValueError: for an option out of range, an unknown algorithm or setting, or if the extra is not installed.
    """

    algorithm: str
    game: str
    steps: int = 100_000
    seed: int = 0
    opponent: str = "random"
    num_envs: int = 16
    checkpoints: int = 10
    test_games: int = 100
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"sb3: algorithm must be one of {', '.join(ALGORITHMS)}, not {self.algorithm!r}")
        for option, least in (("steps", 1), ("seed", 0), ("num_envs", 1), ("checkpoints", 1), ("test_games", 1)):
            value = getattr(self, option)
            if type(value) is not int or value < least:
                raise ValueError(f"sb3: {option} must be an integer of at least {least}, not {value!r}")
        known = [name for name in inspect.signature(_kind(self.algorithm)).parameters if name not in _OURS]
        for name in self.settings:
            if name not in known or name.startswith("_"):
                raise ValueError(f"sb3: {self.algorithm} has no setting {name!r}; it has: {', '.join(known)}")


def train(config: SB3Training, out_dir: str | Path, *, progress: Show = lambda done, total, text: None) -> Path:
    """Train, or go on from the last checkpoint; see the module for what that restores.

    Args:
        config: the options.
        out_dir: the folder of the run; it is made if need be.
        progress: called with the steps done, the steps in all, and the last score as text.

    Returns:
        The model's file.

    Raises:
        ValueError: if the folder holds a run with other options.
    """
    from ludarium.envs.sb3 import SB3VecEnv

    folder, game = Path(out_dir), make_game(config.game)
    folder.mkdir(parents=True, exist_ok=True)
    _declare(config, folder / "run.json")
    file = folder / "model.zip"
    done = _steps(file)
    if done >= config.steps:
        return file
    seed = config.seed if done == 0 else int(seed_key(config.seed, done) % 2**31)
    env = SB3VecEnv(game, config.num_envs, opponent=config.opponent)
    model = _kind(config.algorithm)("MlpPolicy", env, seed=seed, device="cpu", **config.settings)
    model.seed = config.seed  # what the manifest tells
    if done:
        model.set_parameters(str(file), device="cpu")  # tensors only
        model.num_timesteps = done
    try:
        model.learn(config.steps - done, callback=_recorder(config, game, folder, progress), reset_num_timesteps=False)
    finally:
        env.close()
    return file


def _recorder(config: SB3Training, game: Game, folder: Path, progress: Show) -> Any:
    """The callback that saves and measures at each checkpoint, and at the end."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Recorder(BaseCallback):
        def _on_training_start(self) -> None:
            self.saved = self.model.num_timesteps
            self.text = ""

        def _on_step(self) -> bool:
            progress(self.num_timesteps, config.steps, self.text)
            due = self.num_timesteps - self.saved >= config.steps / config.checkpoints
            if due and self.num_timesteps < config.steps:  # the last comes after the last update
                self.record()
            return True

        def _on_training_end(self) -> None:
            self.record()

        def record(self) -> None:
            self.saved = self.model.num_timesteps
            save_model(self.model, folder / "model.zip", game)
            self.model.policy.set_training_mode(True)
            by_seat = scores_against_random(game, folder / "model.zip", config.test_games, config.seed)
            score = sum(by_seat) / len(by_seat)
            self.text = f"random {100 * score:.1f} %"
            with (folder / "metrics.jsonl").open("a", encoding="utf-8") as metrics:
                metrics.write(json.dumps({"steps": self.saved, "score": score, "by_seat": by_seat}) + "\n")
            progress(self.saved, config.steps, self.text)

    return Recorder()


def scores_against_random(game: Game, file: Path, games: int, seed: int) -> list[float]:
    """A model's share of the points against the random agent, by seat: win 1, draw ½.

    In cooperative games, where all win together, it is the share of the greatest payoff, the others being random.
    """
    agent = SB3Agent(game, str(file))
    scores = []
    for seat in range(game.seats):
        view, points = GameEnv(game, opponent="random", seat=seat), []
        for number in range(-(-games // game.seats)):
            observation, info = view.reset(seed=int(seed_key(seed, number) % 2**31))
            over = False
            while not over:
                action = agent(observation, info["action_mask"], info)
                observation, _, terminated, truncated, info = view.step(action)
                over = terminated or truncated
            payoff = float(info["payoffs"][seat])
            points.append(payoff / game.payoff_range[1] if game.cooperative else (1 + np.sign(payoff)) / 2)
        scores.append(float(np.mean(points)))
    return scores


def _kind(algorithm: str) -> Any:
    try:
        if algorithm == "maskable-ppo":
            from sb3_contrib import MaskablePPO

            return MaskablePPO
        import stable_baselines3
    except ImportError:
        raise ValueError('sb3: Stable-Baselines3 is not installed: pip install "ludarium[rl]"') from None
    return getattr(stable_baselines3, algorithm.upper())


def _declare(config: SB3Training, file: Path) -> None:
    """Write the options, or make sure that those that are there are the same."""
    options = json.loads(json.dumps(asdict(config) | {"settings": dict(config.settings)}))
    if not file.exists():
        part = file.with_name(file.name + ".part")
        part.write_text(json.dumps(options, indent=1) + "\n", encoding="utf-8")
        part.replace(file)
        return
    try:
        stored: Any = json.loads(file.read_text(encoding="utf-8"))
        different = [name for name in options if stored[name] != options[name]]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{file}: these are not the options of a run; choose another folder") from None
    for name in different:
        raise ValueError(
            f"{file.parent}: the run that is here has {name}={stored[name]!r}, not {options[name]!r}; "
            "give the same options to go on with it, or another folder"
        )


def _steps(file: Path) -> int:
    """Steps of the last checkpoint; 0 if there is none."""
    return int(_read_manifest(str(file)).get("steps") or 0) if file.exists() else 0
