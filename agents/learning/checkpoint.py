"""What a run keeps on disk, so that it can be stopped at any moment and its folder is an agent.

The folder of a run holds

| file | what it is |
|---|---|
| `checkpoint.json` | the manifest: schema, learner, options, games and decisions so far, name of the next file |
| `arrays-….npz` | what was learned, as plain arrays without pickle |
| `metrics.jsonl` | JSON, one object per line: counts, scores, and what the learner reports about itself |

The manifest is the first file of a run; the arrays follow once something has been learned. Later the manifest is
replaced as a whole, and last; so the folder is a checkpoint at every moment, and an agent by its path:
`tabular-q:runs/x`, `td:runs/x`.
"""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludarium.envs.files import Arrays, read_arrays, reading, replacing
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game

if TYPE_CHECKING:
    from ludarium.agents.learning.learner import Learner


_SCHEMA = 1
_MANIFEST, _METRICS = "checkpoint.json", "metrics.jsonl"
_OF_RUNS = (_MANIFEST, _METRICS, "arrays-*", "run.json", "model.zip")  # files that show that a folder holds a run


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run: the options, what was learned, and how much it took.

    Attributes:
        learner: the options.
        arrays: what was learned.
        games: games learned from.
        decisions: decisions in them.
        test_games: games played in addition, to measure.
        generations: generations completed; 0 for learners without generations.
    """

    learner: "Learner"
    arrays: Arrays
    games: int = 0
    decisions: int = 0
    test_games: int = 0
    generations: int = 0

    @property
    def moment(self) -> int:
        """How far the run has come: games, or generations if nothing is played; 0 before anything is learned."""
        return self.games or self.generations

    def save(self, folder: Path) -> None:
        """Write the checkpoint; anyone who reads meanwhile, or after a crash, finds the previous one."""
        name = f"arrays-{self.moment:012}.npz"
        if self.moment:  # what is known before the first game follows from the options
            with replacing(folder / name) as part, part.open("wb") as file:
                np.savez_compressed(file, **self.arrays)  # type: ignore[arg-type]
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
        with replacing(folder / _MANIFEST) as part:
            part.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        for old in folder.glob("arrays-[0-9]*.npz*"):
            if old.name != name:
                old.unlink()

    @classmethod
    def load(cls, folder: Path, kind: "type[Learner]") -> "Checkpoint":
        """Read the checkpoint in a folder.

        Raises:
            ValueError: if there is none, or it is damaged, of another schema or of another kind of learner.
        """
        file = folder / _MANIFEST
        if not file.is_file():
            raise ValueError(f"{folder}: there is no trained model here: it has no {_MANIFEST}")
        with reading(f"{file}: this is not the manifest of a trained model"):
            manifest, stored = _read(folder)
            schema, name = manifest["schema"], manifest["learner"]
        if type(schema) is not int or schema != _SCHEMA:
            raise ValueError(f"{file}: the schema must be {_SCHEMA}, not {schema!r}; update Ludarium or train again")
        if name != kind.name:
            raise ValueError(f"{file}: the model was trained by {name!r}, not by {kind.name!r}; give another folder")
        with reading(f"{folder}: the trained model is damaged"):
            learner = kind.from_options(manifest["options"])
            game, counts = make_game(learner.game), _counts(manifest)
            now = cls(learner, {}, *counts)
            if getattr(now, learner.unit) > learner.budget:
                done = getattr(now, learner.unit)
                raise ValueError(f"{learner.unit} must be at most the budget, {learner.budget}, not {done}")
            if not now.moment:
                arrays = learner.start(game)
            elif stored is None:
                raise ValueError(f"there is no {manifest['arrays']}")
            else:
                arrays = read_arrays(stored)
            fits = learner.fits(game, arrays)
        if not fits:
            raise ValueError(f"{folder}: the trained model is damaged: its arrays are not those of {learner.name}")
        return cls(learner, arrays, *counts)

    @classmethod
    def of_game(cls, path: str, game: Game, kind: "type[Learner]") -> "Checkpoint":
        """Read the checkpoint that an agent's path stands for in a game: see `run_of_game`.

        Raises:
            ValueError: as `load` does, or if the run learned another game, or nothing yet.
        """
        if not path:
            raise ValueError(f"{kind.name}: the folder of a run is missing; give {kind.name}:FOLDER")
        found = cls.load(run_of_game(path, game), kind)
        if not found.learner.plays(game):
            raise ValueError(f"{path}: the model was trained on {found.learner.game}, not on {game.spec}")
        if not found.moment:
            raise ValueError(f"{path}: there is no trained model here yet: the run has not reached a checkpoint")
        return found

    @classmethod
    def open(cls, learner: "Learner", folder: Path) -> "Checkpoint":
        """Open the run in a folder, or a new one; drop metrics that a crash left ahead of the checkpoint.

        Raises:
            ValueError: if the folder holds a run with other options, a damaged one, or something else.
        """
        now = cls(learner, {})
        if (folder / _MANIFEST).exists():
            now = cls.load(folder, type(learner))
        else:
            check_unused(folder)
        if now.moment:
            check_same(folder, asdict(learner), asdict(now.learner))
        else:  # nothing is lost if the options differ
            now = cls(learner, learner.start(make_game(learner.game)))
            folder.mkdir(parents=True, exist_ok=True)
            now.save(folder)
        unit, done = ("games", now.games) if now.games else ("generation", now.generations)
        drop_metrics(folder, unit, done)
        return now


def learner_in(folder: Path) -> str:
    """The name of the learner whose run is in a folder; empty if none is."""
    try:
        return str(json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))["learner"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def file_name(spec: str) -> str:
    """A spec as the name of a file or folder: `"othello?size=6"` is `othello-size-6`."""
    return spec.translate(str.maketrans(":?&=", "----"))


def run_of_game(path: str | Path, game: Game) -> Path:
    """The run that an agent's path stands for: the folder itself, or the folder in it that is named after the game.

    So `td:runs/mine` is one agent that plays several games, if `runs/mine/tictactoe` and `runs/mine/othello-size-6`
    exist.
    """
    own = Path(path) / file_name(game.spec)
    return own if own.is_dir() else Path(path)


def check_unused(folder: Path) -> None:
    """Refuse a folder that holds any file of a run.

    Raises:
        ValueError: if it does.
    """
    for found in (file for pattern in _OF_RUNS for file in folder.glob(pattern) if file.stat().st_size):
        raise ValueError(f"{folder}: the folder holds something else, {found.name}; choose another folder")


def check_same(folder: Path, given: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Refuse to continue a run that has other options.

    Raises:
        ValueError: if an option differs.
    """
    for option in given:
        if given[option] != stored[option]:
            raise ValueError(
                f"{folder}: the run in this folder has {option}={stored[option]!r}, not {given[option]!r}; "
                "give the same options to continue it, or choose another folder"
            )


def add_metrics(folder: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append lines to the metrics of a run."""
    with (folder / _METRICS).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def drop_metrics(folder: Path, unit: str, done: int) -> None:
    """Drop the metrics of a run that are ahead of a checkpoint after `done` games or steps, and broken lines."""
    kept, file = [], folder / _METRICS
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True) if file.exists() else []
    for line in lines:
        try:
            if json.loads(line)[unit] <= done and line.endswith("\n"):
                kept.append(line)
        except (ValueError, KeyError, TypeError, RecursionError):
            break
    with replacing(file) as part:
        part.write_text("".join(kept), encoding="utf-8")


def last_metrics(folder: Path) -> str:
    """The last line of a run's metrics; empty if there is none."""
    lines = (folder / _METRICS).read_text(encoding="utf-8").splitlines()
    return lines[-1] if lines else ""


def _counts(manifest: Mapping[str, Any]) -> list[int]:
    """The numbers of games, decisions, games to measure, and generations in a manifest."""
    counts = {"generations": 0, **manifest}  # older manifests have no generations
    numbers = [counts[key] for key in ("games", "decisions", "test_games", "generations")]
    for number in numbers:
        if type(number) is not int or not 0 <= number < 2**63:
            raise ValueError(f"counts must be integers of at least 0, not {number!r}")
    return numbers


def _read(folder: Path) -> tuple[Any, io.BytesIO | None]:
    """The manifest of a run and the file of arrays that it names, if there is one.

    A run that goes on replaces both, so what has disappeared meanwhile is looked for under its new name.
    """
    text = ""
    while True:
        last, text = text, (folder / _MANIFEST).read_text(encoding="utf-8")
        manifest = json.loads(text)
        try:
            return manifest, io.BytesIO((folder / Path(str(manifest.get("arrays"))).name).read_bytes())
        except OSError:
            if text == last:
                return manifest, None
