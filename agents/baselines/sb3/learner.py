"""Training of Stable-Baselines3 and sb3-contrib models: `ludarium train sb3:maskable-ppo tictactoe --steps 100000`.

The algorithms are the stock ones, on the compiled vector environment with the opponent inside. The folder of a run
holds

| file | what it is |
|---|---|
| `run.json` | the options |
| `model.zip` | the last checkpoint; the folder is an agent by its path: `sb3:runs/x` |
| `metrics.jsonl` | one line a checkpoint: steps, scores against the random agent |
| `pool/STEPS.npz` | self-play: the past selves, as plain arrays |
| `log/STEPS/` | SB3's own log of what was trained from so many steps on |

There is a checkpoint where a rollout begins, after the update that the last one led to: its steps are those that were
learned from. A run that was stopped goes on from its last checkpoint with the weights, the optimizer's state, the count
of steps and the past selves. It begins new games with a new stream of chance and, for DQN, an empty replay buffer; so
unlike the learners of this package, a resumed run is not the very run it would have been.

Needs the extra `ludarium[rl]`.
"""

import importlib.util
import inspect
import json
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.random import random
from ludarium.agents.baselines.sb3.model import ALGORITHMS, network_of, read_manifest, save_model
from ludarium.agents.learning.run import add_metrics, check_unused, drop_metrics, reading
from ludarium.agents.values.perceptron import Network
from ludarium.envs.batch import play_games
from ludarium.envs.chance import below, seed_key, stream
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

Show = Callable[[int, int, str], None]

_ROLLOUT = 2048  # decisions
_PPO_RATE = 0.001
_TESTING, _SELVES = 1, 2  # streams of a seed
_LOGS = ("none", "csv", "tensorboard")
_OURS = ("policy", "env", "seed", "device", "tensorboard_log", "verbose", "self")


@dataclass(frozen=True, kw_only=True)
class SB3Training:
    """A run of stock RL.

    Attributes:
        algorithm: one of `ludarium.agents.baselines.sb3.model.ALGORITHMS`.
        game: the game's spec.
        steps: the learner's decisions in all; whole rollouts are finished.
        seed: the seed of the model and of the games.
        opponent: who sits in the other seats: the spec of a compiled agent, or "self" for `PastSelves`.
        num_envs: games in step.
        checkpoints: how many there are, evenly spaced but for whole rollouts.
        test_games: games against the random agent at each checkpoint, as many in each seat.
        pool: self-play: how many past selves there are to meet; the oldest leave.
        snapshot_every: self-play: decisions between one past self and the next.
        log: SB3's own log beside the metrics: "none", "csv", or "tensorboard", which must be installed.
        settings: keyword arguments of the algorithm, such as `learning_rate`. As a default `n_steps` of PPO and
            MaskablePPO is 2048 // num_envs: a rollout of all games together is then the 2,048 decisions that SB3's own
            default, made for one game, stands for; and their `learning_rate` is 0.001, since with SB3's 0.0003 they do
            not learn to block a threat from a few ten thousand decisions (docs/baselines.md shows both).

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
    pool: int = 10
    snapshot_every: int = 10_000
    log: str = "none"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"sb3: algorithm must be one of {', '.join(ALGORITHMS)}, not {self.algorithm!r}")
        for option in ("steps", "seed", "num_envs", "checkpoints", "test_games", "pool", "snapshot_every"):
            value, least = getattr(self, option), 0 if option == "seed" else 1
            if type(value) is not int or value < least:
                raise ValueError(f"sb3: {option} must be an integer of at least {least}, not {value!r}")
        if self.seed >= 2**32:
            raise ValueError(f"sb3: seed must be an integer below 2**32, not {self.seed!r}")
        if self.log not in _LOGS:
            raise ValueError(f"sb3: log must be one of {', '.join(_LOGS)}, not {self.log!r}")
        if self.log == "tensorboard" and importlib.util.find_spec("tensorboard") is None:
            raise ValueError("sb3: log='tensorboard' needs TensorBoard: pip install tensorboard; or log='csv'")
        parameters = inspect.signature(_kind(self.algorithm)).parameters
        known = [name for name in parameters if name not in _OURS and not name.startswith("_")]
        for name in self.settings:
            if name not in known:
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
        ValueError: if the folder holds a run with other options, a damaged one, or something else, or if the algorithm
            refuses its settings.
    """
    import torch

    folder, game = Path(out_dir), make_game(config.game)
    file = folder / "model.zip"
    options = _options(config)
    _check_folder(folder, options)
    done = _steps(config, game, file)
    if done < config.steps:
        model = _model(config, game, file, done)
        folder.mkdir(parents=True, exist_ok=True)
        _declare(folder / "run.json", options)
    drop_metrics(folder, "steps", done)
    if done >= config.steps:
        return file
    if config.log != "none":
        from stable_baselines3.common.logger import configure

        model.set_logger(configure(str(folder / "log" / _number(done)), [config.log]))
    selves = None
    if config.opponent == "self":
        selves = PastSelves(config, game, folder / "pool", done)
        selves.meet(model)
        env = _environment(config, game, selves.seats)
        env.seed(_seed(config, done))
        model.set_env(env)
    recorder = _recorder(config, game, folder, selves, progress)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums would depend on their number, and small networks do not gain by more
    try:
        _ask(config, model.learn, config.steps - done, callback=recorder, reset_num_timesteps=False)
    finally:
        torch.set_num_threads(threads)
        model.env.close()
    return file


def _model(config: SB3Training, game: Game, file: Path, done: int) -> Any:
    """The model as it is after so many steps."""
    env = _environment(config, game, "random" if config.opponent == "self" else config.opponent)
    kind, seed = _kind(config.algorithm), _seed(config, done)
    model = _ask(config, kind, "MlpPolicy", env, seed=seed, device="cpu", **_settings(config))
    model.seed = config.seed  # what the manifest tells
    if done:
        with reading(f"{file}: the model is damaged, or of other settings"):
            model.set_parameters(str(file), device="cpu")  # tensors only
        model.num_timesteps = done
    return model


def _ask(config: SB3Training, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function of the library's.

    Raises:
        ValueError: for what the library raises, whose messages do not name the settings; they are mostly the cause.
    """
    try:
        return function(*arguments, **options)
    except Exception as error:
        frames = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(error.__traceback__)][1:]
        if any(name.startswith("ludarium.") for name in frames):  # raised by ours, which the library called
            raise
        given = ", ".join(f"{name}={value!r}" for name, value in config.settings.items()) or "its default settings"
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"sb3: {config.algorithm} refuses {given}: {reason}") from error


def _environment(config: SB3Training, game: Game, opponent: Any) -> Any:
    from stable_baselines3.common.vec_env import VecMonitor

    from ludarium.envs.sb3 import SB3VecEnv

    env = SB3VecEnv(game, config.num_envs, opponent=opponent)
    return env if config.log == "none" else VecMonitor(env)  # which SB3's log has the episodes' returns from


def _seed(config: SB3Training, done: int) -> int:
    """What seeds SB3, in a run that goes on from so many steps."""
    return config.seed if done == 0 else int(seed_key(config.seed, done) % 2**31)


def _number(steps: int) -> str:
    """Steps as part of a file's name, so that names sort as numbers do."""
    return f"{steps:012}"


class PastSelves:
    """The opponents of self-play: snapshots of the network that learns, as compiled policies.

    The network as it is at the start is the first. From then on there is a snapshot at the first rollout that begins
    `snapshot_every` decisions after the last one. Each rollout meets one of the youngest `pool`, drawn by the seed, in
    all other seats; it draws its actions from its probabilities (DQN has none: it takes the best). So the learner
    does not only answer its own last change, and has to go on beating what it was.

    It is not a league: nothing is rated, a self that was overcome long ago is met as often as the last one until it
    leaves, and what no self ever played stays unknown. Games that are under way when a rollout begins go on against
    the new opponent; with short rollouts (A2C, DQN) the opponent changes within nearly every game.

    Args:
        config: the options.
        game: the game.
        folder: where the snapshots are; younger ones than the run's checkpoint are removed.
        done: steps of the checkpoint.
    """

    def __init__(self, config: SB3Training, game: Game, folder: Path, done: int) -> None:
        self._config, self._game, self._folder = config, game, folder
        self._pool: dict[int, NDArray[Any]] = {}  # by steps: the memory of a policy
        for file in sorted(folder.glob("[0-9]" * len(_number(0)) + ".npz")):
            if done > 0 and int(file.stem) <= done:
                self._add(int(file.stem), Network.load(file))
            else:
                file.unlink()

    def meet(self, model: Any) -> None:
        """Take a snapshot if one is due, and put one of the past selves in the other seats."""
        now = int(model.num_timesteps)
        if not self._pool or now - max(self._pool) >= self._config.snapshot_every:
            network = network_of(model.policy)
            self._folder.mkdir(exist_ok=True)
            part = self._folder / f"{_number(now)}.part"
            with part.open("wb") as file:
                network.save(file)
            part.replace(part.with_suffix(".npz"))
            self._add(now, network)
        self.met = self.steps[int(below(stream(self._config.seed, _SELVES, now), len(self._pool)))]
        self._memory[:] = self._pool[self.met]

    def _add(self, steps: int, network: Network) -> None:
        policy = network.policy(self._game, deterministic=self._config.algorithm == "dqn")
        memory = policy.memory
        assert memory is not None
        if not self._pool:  # the environment keeps the address of this one's memory
            self._memory = memory.copy()
            player = CompiledAgent("self", replace(policy, memory=self._memory))
            self.seats = [player] * (self._game.seats - 1)
        self._pool[steps] = memory
        for old in self.steps[: -self._config.pool]:
            del self._pool[old]

    @property
    def steps(self) -> list[int]:
        """When the past selves that can be met were what learned, in steps."""
        return list(self._pool)


def _recorder(config: SB3Training, game: Game, folder: Path, selves: PastSelves | None, progress: Show) -> Any:
    """The callback that saves and measures at each checkpoint, and at the end."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Recorder(BaseCallback):
        def _on_training_start(self) -> None:
            self.saved = self.model.num_timesteps
            self.text = ""

        def _on_rollout_start(self) -> None:  # what was learned from so far is in the weights
            if self.model.num_timesteps - self.saved >= config.steps / config.checkpoints:
                self.record()
            if selves:
                selves.meet(self.model)

        def _on_step(self) -> bool:
            progress(self.num_timesteps, config.steps, self.text)
            return True

        def _on_training_end(self) -> None:
            self.record()

        def record(self) -> None:
            """Metrics first: those that run ahead of the checkpoint are dropped when the run goes on."""
            self.saved = self.model.num_timesteps
            policy = network_of(self.model.policy).policy(game)
            by_seat = scores_by_seat(game, policy, config.test_games, config.seed)
            score = sum(by_seat) / len(by_seat)
            self.text = f"random {100 * score:.1f} %"
            add_metrics(folder, [{"steps": self.saved, "score": score, "by_seat": by_seat}])
            save_model(self.model, folder / "model.zip", game)
            progress(self.saved, config.steps, self.text)

    return Recorder()


def scores_by_seat(game: Game, policy: Policy, games: int, seed: int) -> list[float]:
    """A policy's share of the points against the random agent, by seat: win 1, draw ½.

    In cooperative games, where all win together, it is the share of the greatest payoff, the others being random.

    Args:
        game: the game.
        policy: who plays it.
        games: how many, shared by the seats, rounded up.
        seed: the games are a function of it.
    """
    number = -(-games // game.seats)
    keys = np.array([seed_key(seed, _TESTING, i) for i in range(number)], dtype=np.uint64)
    scores = []
    for seat in range(game.seats):
        seating = np.ones((number, game.seats), dtype=np.int64)
        seating[:, seat] = 0
        payoffs = play_games(game, [policy, random(game)], seating, keys, keys).payoffs[:, seat]
        scores.append(
            float(np.mean(payoffs / game.payoff_range[1] if game.cooperative else (1 + np.sign(payoffs)) / 2))
        )
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


def _settings(config: SB3Training) -> dict[str, Any]:
    """The algorithm's keyword arguments, with the defaults that differ from SB3's."""
    if config.algorithm in ("ppo", "maskable-ppo"):
        return {"n_steps": max(2, _ROLLOUT // config.num_envs), "learning_rate": _PPO_RATE, **config.settings}
    return dict(config.settings)


def _options(config: SB3Training) -> dict[str, Any]:
    """The options as `run.json` has them."""
    try:
        options: dict[str, Any] = json.loads(json.dumps(asdict(config) | {"settings": dict(config.settings)}))
    except TypeError as error:
        raise ValueError(f"sb3: settings must be numbers, texts, lists and dictionaries of them: {error}") from None
    return options


def _check_folder(folder: Path, options: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another run, or something else.

    Where there is no checkpoint, nothing is lost if the options are others.
    """
    file = folder / "run.json"
    if not file.exists():
        check_unused(folder)
        return
    try:
        stored: Any = json.loads(file.read_text(encoding="utf-8"))
        different = [name for name in options if stored[name] != options[name]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{file}: these are not the options of a run; choose another folder") from None
    for name in different if (folder / "model.zip").exists() else ():
        raise ValueError(
            f"{folder}: the run that is here has {name}={stored[name]!r}, not {options[name]!r}; "
            "give the same options to go on with it, or another folder"
        )


def _declare(file: Path, options: Mapping[str, Any]) -> None:
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(options, indent=1) + "\n", encoding="utf-8")
    part.replace(file)


def _steps(config: SB3Training, game: Game, file: Path) -> int:
    """Steps of the last checkpoint; 0 if there is none.

    Raises:
        ValueError: if it is damaged, or not of this game and algorithm.
    """
    if not file.exists():
        return 0
    manifest = read_manifest(str(file))
    for name, value in (("game", game.spec), ("algorithm", config.algorithm)):
        if manifest.get(name) != value:
            raise ValueError(f"{file}: the model's {name} must be {value!r}, not {manifest.get(name)!r}")
    return int(manifest.get("steps") or 0)
