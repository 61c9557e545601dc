"""Make the shipped decisions of backgammon experts, or measure: `python benchmarks/decisions.py make|measure FOLDER`.

The folder holds the match files of https://github.com/msagradian/bg-mining, which are under the MIT licence. `make`
draws matches at random and writes 20,000 of their decisions beside the code, compact. `measure` prints what the files
hold, and how many games and decisions a second of processor time are read and made.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from ludarium.envs.backgammon.decision_files import SHIPPED, save
from ludarium.envs.backgammon.decisions import Decisions
from ludarium.envs.backgammon.recorded_decisions import Tally, build
from ludarium.envs.record_files import files_in, read_records
from ludarium.envs.records import RecordedGame, RecordError, replay

T = TypeVar("T")
WANTED, SEED, HELD_OUT = 20_000, 0, 0.1


def read(folder: Path) -> list[RecordedGame | RecordError]:
    """The games of all files."""
    return [record for file in files_in(folder) for record in read_records(file, "backgammon")]


def make(folder: Path) -> None:
    """Write the shipped decisions."""
    found, _ = build(read(folder), held_out=HELD_OUT)
    drawn = draw(found, WANTED, SEED)
    save(drawn, SHIPPED, compact=True)
    matches, held_out = len(np.unique(drawn.matches)), drawn.part(held_out=True)
    print(f"{len(drawn):,} decisions of {matches} matches, {len(held_out):,} of them held out, with", end=" ")
    print(f"{len(drawn.results):,} results: {SHIPPED.stat().st_size:,} bytes")


def draw(decisions: Decisions, wanted: int, seed: int) -> Decisions:
    """The decisions of matches that are drawn at random, the last of them cut off, in their old order."""
    order = np.random.default_rng(seed).permutation(int(decisions.matches.max()) + 1)
    taken = np.argsort(order[decisions.matches], kind="stable")[:wanted]
    return decisions.select(np.isin(np.arange(len(decisions)), taken))


def measure(folder: Path) -> None:
    """Print counts and speeds as Markdown."""
    records = read(folder)
    good = [record for record in records if isinstance(record, RecordedGame)]
    for record in good[:2]:  # what must be compiled is compiled before the clock runs
        replay(record)
    build(good[:2])
    _, reading = timed(lambda: read(folder))
    _, replaying = timed(lambda: [replay(record) for record in good])
    (found, tally), making = timed(lambda: build(records, held_out=HELD_OUT))
    print("| what | count |", "|---|---|", sep="\n")
    for name, count in counts(records, found, tally).items():
        print(f"| {name} | {count:,} |")
    print("\n| a second of processor time | |", "|---|---|", sep="\n")
    print(f"| games read | {len(records) / reading:,.0f} |")
    print(f"| games read and replayed | {len(records) / (reading + replaying):,.0f} |")
    print(f"| decisions made of them | {tally.decisions / making:,.0f} |")


def counts(records: list[RecordedGame | RecordError], found: Decisions, tally: Tally) -> dict[str, int]:
    """What the files hold."""
    return {
        "games": len(records),
        "refused": len(tally.refused),
        "matches": tally.matches,
        "games recorded twice": tally.duplicate_games,
        "decisions": tally.decisions,
        **{f"dropped: {name}": count for name, count in tally.dropped.items()},
        "left": len(found),
        "results": len(found.results),
        "with several right choices": int((np.add.reduceat(found.chosen, found.offsets[:-1]) > 1).sum()),
        "held out": int(found.held_out.sum()),
    }


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result, and the seconds of processor time that it took."""
    before = time.process_time()
    return work(), time.process_time() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("make", "measure"))
    parser.add_argument("folder", type=Path, help="of match files")
    given = parser.parse_args()
    {"make": make, "measure": measure}[given.part](given.folder)


if __name__ == "__main__":
    main()
