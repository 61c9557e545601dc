"""What a run keeps on disk, so that it can be stopped at any moment and its folder is an agent.

The folder of a run holds

| file | what it is |
|---|---|
| `checkpoint.json` | the manifest: schema, learner, preset, options, games and decisions so far, next file |
| `arrays-….npz` | what was learned, as plain arrays without pickle |
| `metrics.jsonl` | JSON, one object per line: counts, scores, and what the learner reports about itself |
| `checkpoints/20/` | an earlier checkpoint that is kept: a folder of the same kind, without metrics |

The manifest is the first file of a run; the arrays follow once something has been learned. Later the manifest is
replaced as a whole, and last; so the folder is a checkpoint at every moment, and an agent by its path:
`tabular-q:runs/x`, `td:runs/x`. So is each checkpoint that is kept: `td:runs/x@20`.
"""

import io
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.files import Arrays, read_arrays, reading, replacing
from ludarium.envs.game import Game

_SCHEMA = 1
_MANIFEST, _METRICS, _KEPT = "checkpoint.json", "metrics.jsonl", "checkpoints"
_OPTIONS, _MODEL = "run.json", "model.zip"  # of Stable-Baselines3
_OF_RUNS = (_MANIFEST, _METRICS, "arrays-*", _OPTIONS, _MODEL, _KEPT)  # files that show that a folder holds a run


@dataclass(frozen=True)
class Checkpoint:
    """What a run has learned so far, and how much it took.

    Attributes:
        arrays: what was learned.
        games: games learned from.
        decisions: decisions in them.
        test_games: games played in addition, to measure.
        generations: generations completed; 0 for learners without generations.
    """

    arrays: Arrays
    games: int = 0
    decisions: int = 0
    test_games: int = 0
    generations: int = 0

    @property
    def moment(self) -> int:
        """How far the run has come: games, or generations if nothing is played; 0 before anything is learned."""
        return self.games or self.generations

    @property
    def number(self) -> int:
        """What a kept checkpoint is called: its generation, or its games, or its decisions, the first that count."""
        return self.generations or self.games or self.decisions

    def save(self, folder: Path, heading: Mapping[str, Any]) -> None:
        """Write the checkpoint; anyone who reads meanwhile, or after a crash, finds the previous one.

        Args:
            folder: the folder of the run.
            heading: what the manifest says about the learner: its name, its preset and its options.
        """
        name = f"arrays-{self.moment:012}.npz"
        if self.moment:  # what is known before the first game follows from the options
            with replacing(folder / name) as part, part.open("wb") as file:
                np.savez_compressed(file, **self.arrays)  # type: ignore[arg-type]
        manifest = {
            "schema": _SCHEMA,
            **heading,
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


class Stored(NamedTuple):
    """A manifest, as it is read.

    Attributes:
        learner: the learner's name.
        preset: its preset; None in runs of earlier versions, and of learners without presets.
        options: its options.
        counts: the numbers of games, decisions, games to measure, and generations.
        arrays: reads what was learned.
    """

    learner: str
    preset: str | None
    options: Mapping[str, Any]
    counts: list[int]
    arrays: Callable[[], Arrays]


def read_run(folder: Path, learner: str) -> Stored:
    """What the folder of a run holds.

    Args:
        folder: the folder.
        learner: the name that its learner must have.

    Raises:
        ValueError: if there is no run, or it is damaged, of another schema or of another learner.
    """
    file = folder / _MANIFEST
    if not file.is_file():
        raise ValueError(f"{folder}: there is no trained model here: it has no {_MANIFEST}")
    with reading(f"{file}: this is not the manifest of a trained model"):
        manifest, data = _read(folder)
        schema, name = manifest["schema"], manifest["learner"]
    if type(schema) is not int or schema != _SCHEMA:
        raise ValueError(f"{file}: the schema must be {_SCHEMA}, not {schema!r}; update Ludarium or train again")
    if name != learner:
        raise ValueError(f"{file}: the model was trained by {name!r}, not by {learner!r}; give another folder")
    with reading(f"{folder}: the trained model is damaged"):
        arrays = partial(_read_arrays, manifest.get("arrays"), data)
        return Stored(name, manifest.get("preset"), manifest["options"], _counts(manifest), arrays)


def _read_arrays(name: str | None, data: io.BytesIO | None) -> Arrays:
    if data is None:
        raise ValueError(f"there is no {name}")
    return read_arrays(data)


def holds_run(folder: Path) -> bool:
    """Whether a folder holds a run, whole or damaged."""
    return (folder / _MANIFEST).exists()


def learner_in(folder: Path) -> str:
    """The name of the learner whose run is in a folder; empty if none is."""
    try:
        return str(json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))["learner"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def options_in(folder: Path) -> dict[str, Any]:
    """The options of the run in a folder, its learner and its preset among them; empty if none can be read."""
    try:
        if (folder / _OPTIONS).exists():
            return {"learner": "sb3", **json.loads((folder / _OPTIONS).read_text(encoding="utf-8"))}
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return {"learner": manifest["learner"], "preset": manifest.get("preset"), **manifest["options"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def file_name(spec: str) -> str:
    """A spec as the name of a file or folder: `"othello?size=6"` is `othello-size-6`."""
    return spec.translate(str.maketrans(":?&=", "----"))


def run_of_game(path: str | Path, game: Game) -> Path:
    """The run that an agent's path stands for: the folder itself, or the folder in it that is named after the game.

    So `td:runs/mine` is one agent that plays several games, if `runs/mine/tictactoe` and `runs/mine/othello-size-6`
    exist. After an `@`, a number names a checkpoint that the run has kept: `runs/mine@20`.

    Raises:
        ValueError: if the run has not kept that checkpoint.
    """
    place, number = _split(path)
    own = place / file_name(game.spec)
    run = own if own.is_dir() else place
    return run if number is None else _kept(run, number)


def checkpoint_at(path: str | Path) -> Path:
    """The folder of a run, or of the checkpoint that it has kept, if the path ends in one: `runs/x@20`.

    Raises:
        ValueError: if the run has not kept that checkpoint.
    """
    run, number = _split(path)
    return run if number is None else _kept(run, number)


def _split(path: str | Path) -> tuple[Path, int | None]:
    """The folder of a run, and the number of a checkpoint, if the path names one and is no folder itself."""
    run, at, number = str(path).rpartition("@")
    if not at or not (number.isascii() and number.isdecimal()) or Path(path).exists():
        return Path(path), None
    return Path(run), int(number)


def _kept(run: Path, number: int) -> Path:
    numbers = kept_checkpoints(run)
    if number in numbers:
        return kept_folder(run, number)
    if not numbers:
        raise ValueError(f"{run}: no checkpoint is kept here, so there is none at {number}; train with --keep 10")
    raise ValueError(f"{run}: no checkpoint was kept at {number}; these were: {', '.join(map(str, numbers))}")


def kept_folder(run: Path, number: int) -> Path:
    """Where a run keeps a checkpoint, see `Checkpoint.number`."""
    return run / _KEPT / str(number)


def kept_checkpoints(run: Path) -> list[int]:
    """The numbers of the checkpoints that a run has kept whole, in increasing order."""
    files = (file for name in (_MANIFEST, _MODEL) for file in (run / _KEPT).glob(f"*/{name}"))
    return sorted(int(file.parent.name) for file in files if file.parent.name.isdecimal())


def is_kept(folder: Path) -> bool:
    """Whether a folder is a checkpoint that a run has kept, by its place."""
    return folder.parent.name == _KEPT


def drop_kept(run: Path, number: int) -> None:
    """Drop what a run has kept ahead of the checkpoint with this number."""
    for folder in (run / _KEPT).glob("*"):
        if folder.name.isdecimal() and int(folder.name) > number:
            shutil.rmtree(folder)


def check_unused(folder: Path) -> None:
    """Refuse a folder that holds any file of a run.

    Raises:
        ValueError: if it does.
    """
    for other in (file for pattern in _OF_RUNS for file in folder.glob(pattern) if file.stat().st_size):
        raise ValueError(f"{folder}: the folder holds something else, {other.name}; choose another folder")


def check_same(folder: Path, options: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Refuse to continue a run that has other options.

    Raises:
        ValueError: if an option differs.
    """
    for option in options:
        if options[option] != stored[option]:
            raise ValueError(
                f"{folder}: the run in this folder has {option}={stored[option]!r}, not {options[option]!r}; "
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
