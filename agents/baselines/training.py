"""Training by self-play: what every learner of this package shares.

A learner is a frozen dataclass of options with three methods; `train` runs it (learners that keep a population add two,
and `ludarium.agents.genetic.evolution` runs them). What a learner knows is a dictionary of
arrays, and game number i draws its randomness from (seed, i), so training is a function of the options alone: where
it was stopped, even by `kill -9`, leaves no trace. The folder of a run holds

| file | what it is |
|---|---|
| `checkpoint.json` | the manifest: schema, learner, options, games and decisions so far, name of the next file |
| `arrays-….npz` | what was learned, as plain arrays without pickle |
| `metrics.jsonl` | one line of JSON a checkpoint: games, decisions, scores against the random agent |

The manifest is replaced as a whole, and last; so the folder is a checkpoint at every moment, and an agent by its path:
`tabular-q:runs/x`, `td:runs/x`.
"""

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.baselines.random import random
from ludarium.envs.arena import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

Arrays = dict[str, NDArray[Any]]

LEARNING, TESTING = 1, 2
"""Streams of a seed: the games that are learned from, and those that measure."""
_SCHEMA = 1
_MANIFEST, _METRICS = "checkpoint.json", "metrics.jsonl"


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
        self.check_at_least(1, "games", "checkpoints")
        self.check_at_least(0, "seed")
        self.check_at_least(2, "test_games")
        self.check(make_game(self.game))

    def check(self, game: Game) -> None:
        """Refuse what this learner does not take: the game, or an option's value."""
        chance_refused = bool(game.max_outcomes) and not self.with_chance
        if game.seats != 2 or not game.zero_sum or game.hidden_information or chance_refused:
            without = "hidden information" if self.with_chance else "chance and without hidden information"
            raise ValueError(
                f"{self.name}: {game.spec} cannot be learned; it takes two-seat zero-sum games without {without}"
            )

    def check_at_least(self, least: int, *options: str) -> None:
        """Refuse options that are not integers of at least `least`."""
        for option in options:
            value = getattr(self, option)
            if type(value) is not int or value < least:
                raise ValueError(f"{self.name}: {option} must be an integer of at least {least}, not {value!r}")

    def check_choice(self, option: str, *choices: str) -> None:
        """Refuse an option that is none of these."""
        if getattr(self, option) not in choices:
            known = ", ".join(map(repr, choices))
            raise ValueError(f"{self.name}: {option} must be one of {known}, not {getattr(self, option)!r}")

    def check_share(self, *options: str) -> None:
        """Refuse options that are not between 0 and 1."""
        for option in options:
            value = getattr(self, option)
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise ValueError(f"{self.name}: {option} must be a number from 0 to 1, not {value!r}")

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
        for old in folder.glob("arrays-*.npz*"):
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
        try:
            manifest: Any = json.loads(file.read_text(encoding="utf-8"))
            schema, name = manifest["schema"], manifest["learner"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{file}: this is not the manifest of a trained model") from None
        if schema != _SCHEMA:
            raise ValueError(f"{file}: the schema must be {_SCHEMA}, not {schema!r}; update Ludarium or train anew")
        if name != kind.name:
            raise ValueError(f"{file}: the model was trained by {name!r}, not by {kind.name!r}")
        try:
            learner = kind.from_options(manifest["options"])
            with np.load(folder / Path(manifest["arrays"]).name) as stored:
                arrays = {key: stored[key] for key in stored.files}
            counts = [int(manifest[key]) for key in ("games", "decisions", "test_games")]
            counts.append(int(manifest.get("generations", 0)))  # manifests of before there were any do not say
        except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{folder}: the trained model is damaged: {error}") from None
        if not learner.fits(make_game(learner.game), arrays):
            raise ValueError(f"{folder}: the trained model is damaged: its arrays are not those of {learner.name}")
        return cls(learner, arrays, *counts)

    @classmethod
    def of_game(cls, path: str, game: Game, kind: type[Learner]) -> "Checkpoint":
        """The checkpoint that an agent's path stands for in a game: see `run_of_game`.

        Raises:
            ValueError: as `load` does, or if the run learned another game.
        """
        found = cls.load(run_of_game(path, game), kind)
        if make_game(found.learner.game).spec != game.spec:
            raise ValueError(f"{path}: the model was trained on {found.learner.game}, not on {game.spec}")
        return found


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
        ValueError: if the folder holds a run with other options, or a damaged one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / _MANIFEST).exists():
        now = Checkpoint.load(folder, type(config))
        _check_same(folder, config, now.learner)
    else:
        now = Checkpoint(config, config.start(make_game(config.game)))
    _replace(folder / _METRICS, "".join(_read_metrics(folder / _METRICS, now.games)))
    return now


def add_metrics(folder: Path, lines: Iterable[Mapping[str, float]]) -> None:
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


def _read_metrics(file: Path, games: int) -> list[str]:
    """The lines up to so many games; what a crash left behind them is dropped, a torn line too."""
    kept = []
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True) if file.exists() else []:
        try:
            if json.loads(line)["games"] <= games and line.endswith("\n"):
                kept.append(line)
        except (ValueError, KeyError, TypeError):
            break
    return kept


def _replace(file: Path, text: str) -> None:
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
