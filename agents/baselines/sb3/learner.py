"""Training of Stable-Baselines3 and sb3-contrib models: `ludarium train sb3:maskable-ppo tictactoe --steps 100000`.

The algorithms are the stock ones, on the compiled vector environment, which contains the opponent. The folder of a run
holds

| file | what it is |
|---|---|
| `run.json` | the options |
| `model.zip` | the last checkpoint; the folder is an agent by its path: `sb3:runs/x` |
| `metrics.jsonl` | one line per checkpoint: steps, scores against other agents |
| `checkpoints/STEPS/model.zip` | an earlier checkpoint that is kept; the agent `sb3:runs/x@STEPS` |
| `pool/STEPS.npz` | self-play: the past selves, as plain arrays |
| `log/STEPS/` | SB3's own log of the training from STEPS on |

One step of the loop is one rollout and the update that follows it. A run that was stopped continues from its last
checkpoint with the weights, the optimizer's state, the count of steps and the past selves. It begins new games with a
new random stream and, for DQN, an empty replay buffer; so, unlike with the learners of this package, a resumed run
differs from one that was never stopped.

Needs the extra `ludarium[rl]`.
"""

import importlib.util
import inspect
import json
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from ludarium.agents.baselines.sb3.model import (
    ALGORITHMS,
    algorithm_class,
    network_of,
    read_manifest,
    save_model,
    trained,
)
from ludarium.agents.baselines.sb3.self_play import SELF, PastSelves, numbered
from ludarium.agents.learning.checkpoint import Checkpoint, check_same, check_unused, drop_kept, drop_metrics
from ludarium.agents.learning.learner import Learner, Takes
from ludarium.agents.learning.measure import Measurement, measure
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.learning.presets import Presets
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays, reading, replacing
from ludarium.envs.game import Game
from ludarium.envs.opponents import read_mixture
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

_ROLLOUT = 2048  # decisions
_PPO_RATE = 0.001
_LOGS = ("none", "csv", "tensorboard")
_OURS = ("policy", "env", "seed", "device", "tensorboard_log", "verbose", "self")


@dataclass(frozen=True, kw_only=True)
class SB3Training(Learner):
    """A run of a stock RL algorithm; see `Learner` for the other options.

    Attributes:
        algorithm: one of `ludarium.agents.baselines.sb3.model.ALGORITHMS`.
        steps: the budget: the learner's decisions in total; the last rollout is always finished.
        opponent: who sits in the other seats: the spec of a compiled agent, "self" for `PastSelves`, or a mixture of
            both, `"3*self+1*random"`, from which an opponent is drawn for each game.
        num_envs: number of games played in lockstep, from 1.
        pool: self-play: how many past selves, from 1, can be met; the oldest leave.
        snapshot_every: self-play: decisions between one past self and the next.
        log: SB3's own log, in addition to the metrics: "none", "csv", or "tensorboard", which must be installed.
        settings: keyword arguments of the algorithm, such as `learning_rate`. By default `n_steps` of PPO and
            MaskablePPO is 2048 // num_envs, so that a rollout of all games together has the 2,048 decisions of SB3's
            own default, which is meant for one game; and their `learning_rate` is 0.001, since with SB3's 0.0003 they
            do not learn to block a threat within a few tens of thousands of decisions (docs/results/baselines.md
            shows both).

    Raises:
        ValueError: for an option out of range, an unknown algorithm or setting, or if the extra is not installed.
    """

    name: ClassVar[str] = "sb3"
    variants: ClassVar[tuple[str, ...]] = ALGORITHMS
    numbers: ClassVar[str] = "steps"
    takes: ClassVar[Takes] = Takes(seats=0, zero_sum=False, chance=True, hidden=True)
    algorithm: str
    steps: int = 100_000
    test_games: int = 100
    opponent: str = "random"
    num_envs: int = 16
    pool: int = 10
    snapshot_every: int = 10_000
    log: str = "none"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def settle(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"sb3: algorithm must be one of {', '.join(ALGORITHMS)}, not {self.algorithm!r}")
        self.check_at_least(1, "steps", "num_envs", "pool", "snapshot_every")
        if type(self.seed) is int and self.seed >= 2**32:
            raise ValueError(f"sb3: seed must be an integer below 2**32, not {self.seed!r}")
        if self.log not in _LOGS:
            raise ValueError(f"sb3: log must be one of {', '.join(_LOGS)}, not {self.log!r}")
        if self.log == "tensorboard" and importlib.util.find_spec("tensorboard") is None:
            raise ValueError("sb3: log='tensorboard' needs TensorBoard: pip install tensorboard; or log='csv'")
        parameters = inspect.signature(algorithm_class(self.algorithm)).parameters
        settings = [name for name in parameters if name not in _OURS and not name.startswith("_")]
        for name in self.settings:
            if name not in settings:
                raise ValueError(f"sb3: {self.algorithm} has no setting {name!r}; it has: {', '.join(settings)}")
        if not self.with_selves:
            self.check_idle("without opponent='self'", "pool", "snapshot_every")

    @classmethod
    def from_options(cls, options: Mapping[str, Any], variant: str = "") -> Self:
        """Make a run from options by name; the variant is the algorithm, and all options but ours are its settings."""
        if not variant:
            raise ValueError(f"sb3: the algorithm is missing; use {', '.join(f'sb3:{name}' for name in ALGORITHMS)}")
        if "games" in options:
            raise ValueError(f"sb3:{variant} counts its budget in --steps, not in --games")
        ours = cls.__dataclass_fields__.keys() - {"settings", "algorithm"}
        own = {name: value for name, value in options.items() if name in ours}
        settings = {name: value for name, value in options.items() if name not in ours}
        return cls(algorithm=variant, settings=settings, **own)

    @property
    def with_selves(self) -> bool:
        """Whether past selves are among the opponents."""
        return any(spec == SELF for spec, _ in read_mixture(self.opponent))

    @property
    def unit(self) -> str:
        return "decisions"

    @property
    def budget(self) -> int:
        return self.steps

    def resume(self, folder: Path) -> "ModelCheckpoint":
        return ModelCheckpoint.open(self, folder)

    def advance(self, game: Game, now: Checkpoint, until: int, parallel: Parallel) -> tuple[Checkpoint, dict[str, Any]]:
        assert isinstance(now, ModelCheckpoint)
        model = now.model
        if now.selves is not None:
            now.selves.follow(model)
            now.selves.weigh(self.opponent, now.weights)
        with _one_thread():
            ask(self, model.learn, 1, log_interval=_log_interval(model), reset_num_timesteps=False)
        if model.num_timesteps >= self.steps:
            model.logger.close()
        return replace(now, decisions=int(model.num_timesteps)), {}

    def counts(self, now: Checkpoint) -> dict[str, int]:
        return {"steps": now.decisions}

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        raise TypeError("a model of Stable-Baselines3 is not a dictionary of arrays; see SB3Training.agent")

    def measure(self, game: Game, now: Checkpoint) -> Measurement:
        assert isinstance(now, ModelCheckpoint)
        measurement = measure(game, network_of(now.model.policy).policy(game), self.test_games, self.seed)
        if game.seats != 2 or game.cooperative:
            return measurement
        first, second = "score_first", "score_second"
        others = {name: value for name, value in measurement.scores.items() if name not in (first, second)}
        return measurement._replace(
            scores={**others, "by_seat": [measurement.scores[first], measurement.scores[second]]}
        )

    @property
    def keywords(self) -> dict[str, Any]:
        """The algorithm's keyword arguments, with the defaults that differ from SB3's."""
        if self.algorithm in ("ppo", "maskable-ppo"):
            steps = max(2, _ROLLOUT // self.num_envs)
            return {"n_steps": steps, "learning_rate": _PPO_RATE, **self.settings}
        return dict(self.settings)


@dataclass(frozen=True)
class ModelCheckpoint(Checkpoint):
    """The state of a run, with a live model that continues from where it is.

    Attributes:
        model: SB3's model; None if the run is over.
        selves: the past selves, if they are among the opponents.
        weights: the environment's weights of the opponents.
    """

    model: Any = None
    selves: PastSelves | None = None
    weights: Any = None

    def save(self, folder: Path, heading: Mapping[str, Any]) -> None:
        save_model(self.model, folder / "model.zip", make_game(heading["options"]["game"]))

    @classmethod
    def open(cls, learner: SB3Training, folder: Path) -> "ModelCheckpoint":
        """Open the run in a folder as its last checkpoint left it, or a new one.

        Raises:
            ValueError: if the folder holds a run with other options, a damaged one, or something else, or if the
                algorithm refuses its settings.
        """
        game, file = make_game(learner.game), folder / "model.zip"
        options = _written(learner)
        _check_folder(folder, options)
        done, model, selves, weights = _steps(learner, game, file), None, None, None
        if done < learner.steps:
            model = _model(learner, game, file, done)
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(folder / "run.json") as part:
                part.write_text(json.dumps(options, indent=1) + "\n", encoding="utf-8")
            if learner.with_selves:
                selves = PastSelves(
                    game, learner.pool, learner.snapshot_every, learner.algorithm == "dqn", folder / "pool", done,
                    network_of(model.policy),
                )  # fmt: skip
                env = _environment(learner, game, selves.line_ups(learner.opponent))
                weights = env.get_attr("weights")[0]
                env.seed(_seed(learner, done))
                model.set_env(env)
            model.set_logger(_logger(learner, folder / "log" / numbered(done)))
        drop_kept(folder, done)
        drop_metrics(folder, "steps", done)
        return cls({}, decisions=done, model=model, selves=selves, weights=weights)


def ask(learner: SB3Training, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function of Stable-Baselines3.

    Raises:
        ValueError: for whatever the library raises; its messages do not name the settings, which are usually the cause.
    """
    try:
        return function(*arguments, **options)
    except Exception as error:
        frames = [frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(error.__traceback__)][1:]
        if any(name.startswith("ludarium.") for name in frames):  # raised by our code, which the library called
            raise
        settings = ", ".join(f"{name}={value!r}" for name, value in learner.settings.items()) or "its default settings"
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"sb3: {learner.algorithm} refuses {settings}: {reason}") from error


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run PyTorch on one thread: sums depend on the number of threads, and small networks gain nothing from more."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _model(learner: SB3Training, game: Game, file: Path, done: int) -> Any:
    """The model after `done` steps."""
    env = _environment(learner, game, "random" if learner.with_selves else learner.opponent)
    kind, seed = algorithm_class(learner.algorithm), _seed(learner, done)
    model = ask(learner, kind, "MlpPolicy", env, seed=seed, device="cpu", **learner.keywords)
    model.seed = learner.seed  # for the manifest
    if done:
        with reading(f"{file}: the model is damaged, or has other settings"):
            model.set_parameters(str(file), device="cpu")  # tensors only
        model.num_timesteps = done
    follow = model._update_current_progress_remaining
    # Its schedules are stretched over the whole run, although `learn` is called for one rollout at a time.
    model._update_current_progress_remaining = lambda now, total: follow(now, learner.steps)
    return model


def _environment(learner: SB3Training, game: Game, opponent: Any) -> Any:
    from stable_baselines3.common.vec_env import VecMonitor

    from ludarium.envs.sb3 import SB3VecEnv

    env = SB3VecEnv(game, learner.num_envs, opponent=opponent)
    return env if learner.log == "none" else VecMonitor(env)  # from which SB3's log gets the episodes' returns


def _logger(learner: SB3Training, folder: Path) -> Any:
    from stable_baselines3.common.logger import Logger, configure

    return Logger(None, []) if learner.log == "none" else configure(str(folder), [learner.log])


def _log_interval(model: Any) -> int | None:
    """The `log_interval` with which `learn`, called for one rollout at a time, writes its log when SB3 would."""
    usual: int = inspect.signature(model.learn).parameters["log_interval"].default
    if not hasattr(model, "rollout_buffer"):
        return usual  # it counts episodes
    number = model.num_timesteps // (model.n_steps * model.n_envs) + 1
    return 1 if number % usual == 0 else None


def _seed(learner: SB3Training, done: int) -> int:
    """The seed for SB3 in a run that continues from `done` steps."""
    return learner.seed if done == 0 else int(seed_key(learner.seed, done) % 2**31)


def _written(learner: SB3Training) -> dict[str, Any]:
    """The options as `run.json` stores them."""
    try:
        options: dict[str, Any] = json.loads(json.dumps(asdict(learner) | {"settings": dict(learner.settings)}))
    except TypeError as error:
        raise ValueError(f"sb3: settings must be numbers, strings, lists and dictionaries of them: {error}") from None
    return options


def _check_folder(folder: Path, options: Mapping[str, Any]) -> None:
    """Refuse a folder that holds another run, or something else.

    If there is no checkpoint, nothing is lost, so the options may differ.
    """
    file = folder / "run.json"
    if not file.exists():
        check_unused(folder)
        return
    try:
        stored: Any = json.loads(file.read_text(encoding="utf-8"))
        complete = {name: stored[name] for name in options}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{file}: these are not the options of a run; choose another folder") from None
    if (folder / "model.zip").exists():
        check_same(folder, options, complete)


def _steps(learner: SB3Training, game: Game, file: Path) -> int:
    """Steps of the last checkpoint; 0 if there is none.

    Raises:
        ValueError: if it is damaged, or not of this game and algorithm.
    """
    if not file.exists():
        return 0
    manifest = read_manifest(str(file))
    for name, value in (("game", game.spec), ("algorithm", learner.algorithm)):
        if manifest.get(name) != value:
            raise ValueError(f"{file}: the model's {name} must be {value!r}, not {manifest.get(name)!r}")
    return int(manifest.get("steps") or 0)


SB3 = Presets((SB3Training,), agent=trained)
