"""Make the shipped decisions of backgammon experts, or measure: `python benchmarks/decisions.py make|measure FOLDER`.

The folder holds the match files of https://github.com/msagradian/bg-mining, which are under the MIT licence. `make`
writes their decisions beside the code, compact. `measure` prints what the files hold, and how many games a second
`ludarium data` makes decisions of, from its start to its end; how quickly and in how much memory the shipped decisions
are read; and what the parts of the work take.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from ludarium.envs.backgammon.decision_files import SHIPPED, save
from ludarium.envs.backgammon.decisions import Decisions
from ludarium.envs.backgammon.recorded_decisions import PlayedGame, Tally, build, read_played
from ludarium.envs.record_files import files_in
from ludarium.envs.records import RecordError

T = TypeVar("T")
HELD_OUT = 0.1
READ = "from ludarium.envs.backgammon.decision_files import shipped; shipped()"


def read(folder: Path) -> list[PlayedGame | RecordError]:
    """The games of all files."""
    return [game for file in files_in(folder) for game in read_played(file)]


def make(folder: Path) -> None:
    """Write the shipped decisions."""
    decisions, _ = build(read(folder), held_out=HELD_OUT)
    save(decisions, SHIPPED, compact=True)
    matches, held_out = len(np.unique(decisions.matches)), decisions.part(held_out=True)
    print(f"{len(decisions):,} decisions of {matches} matches, {len(held_out):,} of them held out, with", end=" ")
    print(f"{len(decisions.results):,} results: {SHIPPED.stat().st_size:,} bytes")


def measure(folder: Path) -> None:
    """Print counts and speeds as Markdown."""
    opening = run(sys.executable, "-c", READ)
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # a child begins with all of its parent's
    build(read_played(files_in(folder)[0]))  # what must be compiled is compiled before the clock runs
    games, reading = timed(lambda: read(folder))
    (decisions, tally), making = timed(lambda: build(games, held_out=HELD_OUT))
    print("| what | count |", "|---|---|", sep="\n")
    for name, count in counts(len(games), decisions, tally).items():
        print(f"| {name} | {count:,} |")
    print(f"\nThe shipped decisions are read in {opening:.1f} s, with the start of Python, and {megabytes:,.0f} MB.")
    print("\n| `ludarium data`, the whole command | seconds | games a second |", "|---|---|---|", sep="\n")
    command = [str(Path(sys.executable).with_name("ludarium")), "data", "backgammon", str(folder)]
    with tempfile.TemporaryDirectory() as out:
        for size in sorted({1, os.cpu_count() or 1}):
            options = ("--held-out", str(HELD_OUT), "--workers", str(size), "--out", f"{out}/{size}.npz")
            seconds = run(*command, *options)
            print(f"| {size} process{'es' * (size > 1)} | {seconds:.1f} | {len(games) / seconds:,.0f} |", flush=True)
    print("\n| a second of processor time | |", "|---|---|", sep="\n")
    print(f"| games read and replayed | {len(games) / reading:,.0f} |")
    print(f"| decisions made of them | {tally.decisions / making:,.0f} |")


def counts(games: int, decisions: Decisions, tally: Tally) -> dict[str, int]:
    """What the files hold."""
    return {
        "games": games,
        "refused": len(tally.refused),
        "matches": tally.matches,
        "games recorded twice": tally.duplicate_games,
        "decisions": tally.decisions,
        **{f"dropped: {name}": count for name, count in tally.dropped.items()},
        "left": len(decisions),
        "results": len(decisions.results),
        "with several right choices": int((np.add.reduceat(decisions.chosen, decisions.offsets[:-1]) > 1).sum()),
        "held out": int(decisions.held_out.sum()),
    }


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result, and the seconds of processor time that it took."""
    before = time.process_time()
    return work(), time.process_time() - before


def run(*command: str) -> float:
    """Run a command; the seconds that it takes."""
    before = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("make", "measure"))
    parser.add_argument("folder", type=Path, help="of match files")
    args = parser.parse_args()
    {"make": make, "measure": measure}[args.part](args.folder)


if __name__ == "__main__":
    main()
