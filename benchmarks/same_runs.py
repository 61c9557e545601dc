"""Shows whether learners still learn the same: `python benchmarks/same_runs.py`, on the code before and after a change.

Trains every preset of every learner, and its twins, for a few generations or games, and prints a hash of all that each
run has learned, and of its metrics but for times. `--against FILE`, with what was printed before, prints the lines that
differ, and ends with status 1 if there are any. `--only gaia` runs the lines that begin so. Two minutes on one core.
"""

import argparse
import hashlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run

BOARDS = ("tictactoe", "othello?size=4")
SMALL = {"checkpoints": 2, "test_games": 20, "seed": 1}
TWINS: tuple[dict[str, Any], ...] = ({}, {"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"})


class Case(NamedTuple):
    """A run: the learner, the preset or nothing, the game, and the options that differ."""

    learner: str
    preset: str
    game: str
    options: dict[str, Any]

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.learner}/{self.preset or '-'}/{self.game}/{options}"


def cases() -> Iterator[Case]:
    """All runs."""
    for game in BOARDS:
        yield Case("tabular-q", "", game, {"games": 500})
        yield Case("td", "", game, {"games": 300})
    yield Case("td", "", "backgammon", {"games": 20, "hidden": 10})
    yield Case("td", "", "othello", {"games": 50})
    for game in BOARDS:
        for twin in TWINS:
            yield Case("ifthen", "seed", game, {"population": 8, "generations": 5, **twin})
            yield Case("ifthen", "modern", game, {"games": 400, **twin})
            yield Case("gaia", "seed", game, {"population": 8, "generations": 4, **twin})
            yield Case("gaia", "modern", game, {"games": 1200, **twin})
            yield Case("gaia", "alone", game, {"games": 20_000, **twin})
        yield Case("ifthen", "single", game, {"games": 300})
        yield Case("ifthen", "seed", game, {"population": 1, "generations": 5})
        yield Case("gaia", "seed", game, {"communicate": True, "crowding": 0.9, "light_every": 2, "generations": 3})
    quick = {"depth": 1, "rivals": 2, "population": 6, "games": 200}
    taught = {"tuples": "all-1", "population": 6, "lessons": 10, "games": 200}
    for twin in TWINS:
        yield Case("minimax", "seed", "othello?size=6", {"depth": 2, "generations": 2, **twin})
        yield Case("minimax", "modern", "othello?size=6", {**quick, **twin})
        yield Case("minimax", "tuples", "othello", {**taught, **twin})
    yield Case("minimax", "seed", "othello", {"depth": 2, "generations": 2})
    yield Case("minimax", "modern", "othello", quick)
    for twin in TWINS:
        yield Case("gengammon", "seed", "backgammon", {"population": 10, "batch": 50, "generations": 4, **twin})
    for preset, options in (
        ("modern", {}),
        ("modern", {"selection": "none"}),
        ("backprop", {}),
        ("games", {"spread": 0.05, "population": 4, "batch": 10}),
    ):
        yield Case("gengammon", preset, "backgammon", {"batch": 50, "generations": 4, "hidden": 8, **options})
    for game in ("hanabi", "hanabi?seats=3"):
        for twin in TWINS:
            yield Case("lcs", "seed", game, {"rules": 30, "games": 40, **twin})
            yield Case("lcs", "modern", game, {"population": 4, "founders": 8, "decks": 20, "games": 600, **twin})
            yield Case("lcs", "thresholds", game, {"decks": 20, "games": 1000, **twin})
        yield Case("lcs", "modern", game, {"origin": "hand", "population": 4, "decks": 20, "games": 400})
        yield Case("lcs", "modern", game, {"islands": 2, "population": 4, "founders": 8, "decks": 20, "games": 1500})
    for options in (
        {"given_hint": True, "covering": True, "protect": 10, "keep_parent": True},
        {"fitness": "samuel", "credit": "td", "explore": 0.1, "other_seats": "3"},
        {"fitness": "accuracy", "sigma": "self"},
    ):
        yield Case("lcs", "seed", "hanabi", {"rules": 30, "games": 40, **options})


def hashed(case: Case) -> str:
    """A hash of all that a run has learned, and of its metrics."""
    kind, options = learner_presets(case.learner), {"game": case.game, **SMALL, **case.options}
    learner = kind.learner(options, case.preset)
    digest = hashlib.blake2b(digest_size=8)
    with tempfile.TemporaryDirectory() as place:
        folder = train(learner, Path(place) / "run", workers=1)
        arrays = Run.load(folder, kind).arrays
        for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
            kept = {name: value for name, value in json.loads(line).items() if "seconds" not in name}
            digest.update(json.dumps(kept, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape} ".encode())
        for column in columns(arrays[name]):
            digest.update(column)
    return digest.hexdigest()


def columns(array: NDArray[Any]) -> Iterator[bytes]:
    """The bytes of an array, those of a record field by field: what lies between fields means nothing."""
    if array.dtype.names is None:
        yield array.tobytes()
    else:
        for name in array.dtype.names:
            yield from columns(array[name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the beginning of the lines to run")
    parser.add_argument("--against", type=Path, help="a file with what was printed before")
    args = parser.parse_args()
    before = set(args.against.read_text(encoding="utf-8").splitlines()) if args.against else set()
    different = False
    for case in cases():
        if f"{case}".startswith(args.only):
            line = f"{hashed(case)} {case}"
            if line not in before:
                print(line, flush=True)
                different = True
    raise SystemExit(1 if different and args.against else 0)


if __name__ == "__main__":
    main()
