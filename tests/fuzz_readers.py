"""Throws damaged files at the readers of recorded games: `python tests/fuzz_readers.py --files 10000`.

Every file must give games, or errors that name the file, within five seconds of processor time; anything else stops
the run. The test suite runs the same with fewer files.
"""

import argparse
import signal
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

import numpy as np

from ludarium.envs.record_files import replay_file
from ludarium.envs.records import RecordError

_HERE = Path(__file__).resolve().parent / "envs"
SAMPLES = sorted(path for path in _HERE.glob("*/data/*") if path.suffix in (".wtb", ".ggf", ".txt", ".mat", ".json"))
_SECONDS = 5


def damage(data: bytes, random: np.random.Generator) -> bytes:
    """The file with one to five random changes: bytes replaced, inserted, cut out or doubled, or the end cut off."""
    for _ in range(random.integers(1, 6)):
        at, length = int(random.integers(0, len(data) + 1)), int(random.integers(1, 60))
        piece = random.integers(0, 256, length, dtype=np.uint8).tobytes()
        data = [
            data[:at] + piece[:1] + data[at + 1 :],
            data[:at] + piece + data[at:],
            data[:at] + data[at + length :],
            data[:at] + data[at : at + length] * 2 + data[at + length :],
            data[:at],
        ][random.choice(5, p=[0.4, 0.2, 0.2, 0.15, 0.05])]
    return data


def fuzz(files: int, seed: int = 0) -> Counter[str]:
    """Read this many damaged files; how many gave games, games and errors, or only an error.

    Raises:
        Exception: whatever a reader raises that is not a `RecordError`, or `TimeoutError`.
    """
    random = np.random.default_rng(seed)
    outcomes: Counter[str] = Counter()
    for sample in SAMPLES:  # what must be compiled is compiled before the clock runs
        replay_file(sample, sample.parent.parent.name)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            sample = SAMPLES[number % len(SAMPLES)]
            path = Path(folder) / sample.name
            path.write_bytes(damage(sample.read_bytes(), random))
            game = sample.parent.parent.name
            outcomes[read_in_time(path, game)] += 1
    return outcomes


def read_in_time(path: Path, game: str | None) -> str:
    """Read one file; says how it went: `refused`, `read`, or `read, with errors`.

    Raises:
        Exception: as `fuzz` does.
    """
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)  # processor time: a busy machine is no reason to fail
    try:
        result = replay_file(path, game)
    except RecordError as error:
        if error.file != path.name:
            raise AssertionError(f"the error does not name the file: {error}") from error
        return "refused"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "read, with errors" if result.errors else "read"


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"a file took more than {_SECONDS} s of processor time")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for outcome, count in fuzz(arguments.files, arguments.seed).most_common():
        print(f"{count:6} {outcome}")
