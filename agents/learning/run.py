"""Training by self-play: what every learner of this package shares.

A learner is a frozen dataclass of options with three methods; `train` runs it (learners that keep a population add two,
and `ludarium.agents.learning.evolution` runs them). What a learner knows is a dictionary of
arrays, and game number i draws its randomness from (seed, i), so training is a function of the options alone: where
it was stopped, even by `kill -9`, leaves no trace. The folder of a run holds

| file | what it is |
|---|---|
| `checkpoint.json` | the manifest: schema, learner, options, games and decisions so far, name of the next file |
| `arrays-….npz` | what was learned, as plain arrays without pickle |
| `metrics.jsonl` | one line of JSON a checkpoint: games, decisions, scores against the random agent |

The manifest is the first file of a run, without arrays as long as nothing was learned. It is replaced as a whole, and
last; so the folder is a checkpoint at every moment, and an agent by its path: `tabular-q:runs/x`, `td:runs/x`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.baselines.random import random
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

Arrays = dict[str, NDArray[Any]]

LEARNING, TESTING = 1, 2
"""Streams of a seed: the games that are learned from, and those that measure."""
_SCHEMA = 1
_MANIFEST, _METRICS = "checkpoint.json", "metrics.jsonl"
_OF_RUNS = (_MANIFEST, _METRICS, "arrays-*", "run.json", "model.zip")  # files by which a folder is somebody's run
_MOST = 10**12


@dataclass(frozen=True, kw_only=True)
class Learner:
    """Options that all learners have; subclasses add theirs, and say how they learn.

    Attributes:
        game: the game's spec.
        games: how many games to learn from: the budget. Schedules are stretched over it.
        seed: everything is a function of it.
        checkpoints: how many there are, evenly spaced; the last is the end.
        test_games: games against the random agent at each checkpoint, half of them in each seat.

    Raises:
        ValueError: for options out of range, or a game this learner does not take.
    """

    name: ClassVar[str]
    with_chance: ClassVar[bool] = False  # whether it also takes games with chance
    game: str
    games: int = 10_000
    seed: int = 0
    checkpoints: int = 10
    test_games: int = 400

    def __post_init__(self) -> None:
        if not isinstance(self.game, str):
            raise ValueError(f"{self.name}: game must be the spec of a game, not {self.game!r}")
        self.check_at_least(1, "games")
        self.check_at_least(1, "checkpoints", most=10**6)
        self.check_at_least(0, "seed", most=2**64 - 1)
        self.check_at_least(2, "test_games", most=10**7)
        self.check(make_game(self.game))

    def check(self, game: Game) -> None:
        """Refuse what this learner does not take: the game, or an option's value."""
        chance_refused = bool(game.max_outcomes) and not self.with_chance
        if game.seats != 2 or not game.zero_sum or game.hidden_information or chance_refused:
            without = "hidden information" if self.with_chance else "chance and without hidden information"
            raise ValueError(
                f"{self.name}: {game.spec} cannot be learned; it takes two-seat zero-sum games without {without}"
            )

    def check_at_least(self, least: int, *options: str, most: int = _MOST) -> None:
        """Refuse options that are not integers of at least `least`, or more than compiled code and memory can hold."""
        for option in options:
            value = getattr(self, option)
            if type(value) is not int or value < least:
                raise ValueError(f"{self.name}: {option} must be an integer of at least {least}, not {value!r}")
            if value > most:
                raise ValueError(f"{self.name}: {option} must be an integer of at most {most}, not {value!r}")

    def check_choice(self, option: str, *choices: str) -> None:
        """Refuse an option that is none of these."""
        if getattr(self, option) not in choices:
            known = ", ".join(map(repr, choices))
            raise ValueError(f"{self.name}: {option} must be one of {known}, not {getattr(self, option)!r}")

    def check_number(self, least: float, most: float, *options: str) -> None:
        """Refuse options that are not numbers from `least` to `most`."""
        for option in options:
            value = getattr(self, option)
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
                raise ValueError(f"{self.name}: {option} must be a number from {least} to {most}, not {value!r}")

    def start(self, game: Game) -> Arrays:
        """What is known before the first game."""
        raise NotImplementedError

    def learn(self, game: Game, arrays: Arrays, first: int, count: int) -> int:
        """Learn from games `first` to `first + count - 1`; their decisions. The dictionary changes, and its arrays."""
        raise NotImplementedError

    def fits(self, game: Game, arrays: Arrays) -> bool:
        """Whether arrays from a file can be this learner's: compiled code trusts their sizes."""
        return {k: (a.dtype, a.shape) for k, a in arrays.items()} == {
            k: (a.dtype, a.shape) for k, a in self.start(game).items()
        }

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        """The player that plays by what was learned, and explores no more."""
        raise NotImplementedError

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """A learner from options by name; whole numbers do for others.

        Raises:
            ValueError: for an unknown option, or a value that is not allowed.
        """
        known = {field.name: field for field in fields(cls)}
        for option in options:
            if option not in known:
                raise ValueError(f"{cls.name}: unknown option {option!r}; the options are: {', '.join(known)}")
        for option, field in known.items():
            if field.default is MISSING and option not in options:
                raise ValueError(f"{cls.name}: the option {option!r} is missing")
            if isinstance(field.default, bool) and type(options.get(option, True)) is not bool:
                raise ValueError(f"{cls.name}: {option} must be True or False, not {options[option]!r}")
        return cls(**options)


@dataclass(frozen=True)
class Checkpoint:
    """A moment of a run: the options, what was learned, and what it took.

    Attributes:
        learner: the options.
        arrays: what was learned.
        games: games learned from.
        decisions: decisions in them.
        test_games: games played besides, to measure.
        generations: generations lived through; 0 where there are none.
    """

    learner: Learner
    arrays: Arrays
    games: int = 0
    decisions: int = 0
    test_games: int = 0
    generations: int = 0

    def save(self, folder: Path) -> None:
        """Write it; whoever reads meanwhile, or after a crash, finds the one before."""
        name = f"arrays-{self.games:012}.npz"
        if self.games:  # what is known before the first game follows from the options
            with (folder / (name + ".part")).open("wb") as file:
                np.savez_compressed(file, **self.arrays)  # type: ignore[arg-type]
            (folder / (name + ".part")).replace(folder / name)
        manifest = {
            "schema": _SCHEMA,
            "learner": self.learner.name,
            "options": asdict(self.learner),
            "games": self.games,
            "decisions": self.decisions,
            "test_games": self.test_games,
            "generations": self.generations,
            "arrays": name,
        }
        _replace(folder / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
        for old in folder.glob("arrays-[0-9]*.npz*"):
            if old.name != name:
                old.unlink()

    @classmethod
    def load(cls, folder: Path, kind: type[Learner]) -> "Checkpoint":
        """The checkpoint in a folder.

        Raises:
            ValueError: if there is none, or it is damaged, of another schema or of another kind of learner.
        """
        file = folder / _MANIFEST
        if not file.is_file():
            raise ValueError(f"{folder}: there is no trained model here: it has no {_MANIFEST}")
        with reading(f"{file}: this is not the manifest of a trained model"):
            manifest: Any = json.loads(file.read_text(encoding="utf-8"))
            schema, name = manifest["schema"], manifest["learner"]
        if type(schema) is not int or schema != _SCHEMA:
            raise ValueError(f"{file}: the schema must be {_SCHEMA}, not {schema!r}; update Ludarium or train anew")
        if name != kind.name:
            raise ValueError(f"{file}: the model was trained by {name!r}, not by {kind.name!r}")
        with reading(f"{folder}: the trained model is damaged"):
            learner = kind.from_options(manifest["options"])
            game, counts = make_game(learner.game), _counts(manifest, learner)
            arrays = _read_arrays(folder / Path(manifest["arrays"]).name) if counts[0] else learner.start(game)
            fits = learner.fits(game, arrays)
        if not fits:
            raise ValueError(f"{folder}: the trained model is damaged: its arrays are not those of {learner.name}")
        return cls(learner, arrays, *counts)

    @classmethod
    def of_game(cls, path: str, game: Game, kind: type[Learner]) -> "Checkpoint":
        """The checkpoint that an agent's path stands for in a game: see `run_of_game`.

        Raises:
            ValueError: as `load` does, or if the run learned another game, or nothing yet.
        """
        if not path:
            raise ValueError(f"{kind.name}: the folder of a run is missing; give {kind.name}:FOLDER")
        found = cls.load(run_of_game(path, game), kind)
        if make_game(found.learner.game).spec != game.spec:
            raise ValueError(f"{path}: the model was trained on {found.learner.game}, not on {game.spec}")
        if not found.games:
            raise ValueError(f"{path}: there is no trained model here yet: the run has not come to a checkpoint")
        return found


@contextmanager
def reading(problem: str) -> Iterator[None]:
    """Put whatever a damaged file makes libraries raise, which are many things, into one `ValueError`: the problem."""
    try:
        yield
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"{problem}: {reason}") from None


def file_name(spec: str) -> str:
    """A spec as the name of a file or folder: `"othello?size=6"` is `othello-size-6`."""
    return spec.translate(str.maketrans(":?&=", "----"))


def run_of_game(path: str | Path, game: Game) -> Path:
    """The run that an agent's path stands for: the folder itself, or the one in it that has the game's name.

    So `td:runs/mine` is one agent that plays several games, if there are `runs/mine/tictactoe` and
    `runs/mine/othello-size-6`.
    """
    own = Path(path) / file_name(game.spec)
    return own if own.is_dir() else Path(path)


def train(
    config: Learner, out_dir: str | Path, *, progress: Callable[[int, int, str], None] = lambda done, total, text: None
) -> Path:
    """Train, or go on with a training that was stopped; a finished one is left as it is.

    Args:
        config: the learner with its options.
        out_dir: the folder of the run; it is made if need be.
        progress: called with the games done, the games in all, and the last score as text.

    Returns:
        The folder, which is an agent by its path.

    Raises:
        ValueError: if the folder holds a run with other options, or a damaged one.
    """
    folder, game = Path(out_dir), make_game(config.game)
    now = open_run(config, folder)
    progress(now.games, config.games, "")
    for end in _ends(config):
        if end <= now.games:
            continue
        arrays, decisions = dict(now.arrays), now.decisions
        for first in range(now.games, end, step := max(1, (end - now.games) // 20)):
            count = min(step, end - first)
            decisions += config.learn(game, arrays, first, count)
            progress(first + count, config.games, "")
        scores = scores_against_random(game, config.policy(game, arrays), config.test_games, config.seed)
        now = Checkpoint(config, arrays, end, decisions, now.test_games + 2 * (config.test_games // 2))
        add_metrics(folder, [{"games": end, "decisions": decisions, **scores, "test_games": now.test_games}])
        now.save(folder)
        progress(end, config.games, f"random {100 * scores['score']:.1f} %")
    return folder


def open_run(config: Learner, folder: Path) -> Checkpoint:
    """The run in a folder as it stands, or a new one; metrics that a crash left ahead of it are dropped.

    Raises:
        ValueError: if the folder holds a run with other options, a damaged one, or something else.
    """
    now = Checkpoint(config, {})
    if (folder / _MANIFEST).exists():
        now = Checkpoint.load(folder, type(config))
    else:
        check_unused(folder)
    if now.games:
        _check_same(folder, config, now.learner)
    else:  # nothing is lost if the options are others
        now = Checkpoint(config, config.start(make_game(config.game)))
        folder.mkdir(parents=True, exist_ok=True)
        now.save(folder)
    drop_metrics(folder, "games", now.games)
    return now


def check_unused(folder: Path) -> None:
    """Refuse a folder in which there is anything of a run.

    Raises:
        ValueError: if there is.
    """
    for found in (file for pattern in _OF_RUNS for file in folder.glob(pattern) if file.stat().st_size):
        raise ValueError(f"{folder}: the folder holds something else, {found.name}; choose another folder")


def drop_metrics(folder: Path, unit: str, done: int) -> None:
    """Drop the metrics of a run that are ahead of a checkpoint after so many games or steps, and torn lines."""
    _replace(folder / _METRICS, "".join(_read_metrics(folder / _METRICS, unit, done)))


def add_metrics(folder: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append lines to the metrics of a run."""
    with (folder / _METRICS).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def scores_against_random(game: Game, policy: Policy, games: int, seed: int) -> dict[str, float]:
    """A policy's share of the points against the random agent: win 1, draw ½.

    Args:
        game: a game of two seats.
        policy: the player.
        games: how many, half of them in each seat.
        seed: the games are a function of it.

    Returns:
        `score` in all, `score_first` and `score_second` by seat, from 0 to 1.
    """
    half = games // 2
    keys = np.array([seed_key(seed, TESTING, number) for number in range(half)], dtype=np.uint64)
    by_seat = []
    for seat in range(2):
        seating = np.tile([seat, 1 - seat], (half, 1))
        played = play_games(game, [policy, random(game)], seating, keys, keys)
        by_seat.append(float((1 + np.sign(played.payoffs[:, seat])).mean() / 2))
    return {"score": sum(by_seat) / 2, "score_first": by_seat[0], "score_second": by_seat[1]}


def images(game: Game) -> NDArray[np.int64]:
    """How actions look in each mirror image of a game, shape (images, actions), the game itself first.

    A game played in all its images at once is in corresponding positions all the time, so a learner can learn from
    each without any code to transform a position. Games that declare no `symmetries` have one image.
    """
    itself = np.arange(game.actions)
    rows = np.asarray(getattr(game, "symmetries", itself[None]), dtype=np.int64)
    others = rows[(rows != itself).any(axis=1)]
    return np.concatenate([itself[None], others])


def _ends(config: Learner) -> list[int]:
    """The games after which there is a checkpoint."""
    return sorted({max(1, config.games * k // config.checkpoints) for k in range(1, config.checkpoints + 1)})


def _check_same(folder: Path, config: Learner, stored: Learner) -> None:
    new, old = asdict(config), asdict(stored)
    for option in new:
        if new[option] != old[option]:
            raise ValueError(
                f"{folder}: the run that is here has {option}={old[option]!r}, not {new[option]!r}; "
                "give the same options to go on with it, or another folder"
            )


def _counts(manifest: Mapping[str, Any], learner: Learner) -> list[int]:
    """The numbers of games, decisions, games to measure, and generations that a manifest tells."""
    counts = {"generations": 0, **manifest}  # manifests of before there were generations do not say
    numbers = [counts[key] for key in ("games", "decisions", "test_games", "generations")]
    for number in numbers:
        if type(number) is not int or not 0 <= number < 2**63:
            raise ValueError(f"counts must be integers of at least 0, not {number!r}")
    if numbers[0] > learner.games:
        raise ValueError(f"games must be at most the budget, {learner.games}, not {numbers[0]}")
    return numbers


def _read_arrays(file: Path) -> Arrays:
    with np.load(file) as stored:
        return {key: stored[key] for key in stored.files}


def _read_metrics(file: Path, unit: str, done: int) -> list[str]:
    """The lines up to so many games or steps."""
    kept = []
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True) if file.exists() else []
    for line in lines:
        try:
            if json.loads(line)[unit] <= done and line.endswith("\n"):
                kept.append(line)
        except (ValueError, KeyError, TypeError, RecursionError):
            break
    return kept


def _replace(file: Path, text: str) -> None:
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
