"""Throws damaged files at the readers of recorded games: `python tests/fuzz_readers.py --files 10000`.

Every file must give games, or errors that name the file, within two seconds of processor time; anything else stops the
run. The test suite runs the same with fewer files.
"""

import argparse
import functools
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
LARGEST = 256 * 1024
"""Bytes of a damaged file: as many as the table takes."""
_SECONDS = 2
_MOST_REPEATS = 50_000
_POISON = (  # what numbers, texts and nesting may look like and no record does
    b"1e999", b"-1e999", b"Infinity", b"NaN", b"9" * 5000, b"99999999999999999999", b"-1", b"\0", b"\xff", b"null",
    b"\\ud800", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\\u0000", b"[" * 3000, b'{"a":' * 3000, b"[" * 900 + b"]" * 900,
    b"(;" * 500, b"(;GM[othello]", b" 7 point match\n Game 1\n", b"\n Game 1\n A : 0  B : 0\n", b"Doubles =>",
    b"Wins 1", b"; Set Pos=-b----E-C---eE---c-e----B-\n", b" 6/5", b"(1)", b" ",
)  # fmt: skip


def damage(data: bytes, random: np.random.Generator) -> bytes:
    """The file with one to five random changes.

    Bytes are replaced, inserted, cut out, doubled or repeated many thousand times, the end is cut off, or something
    is put in that numbers and texts of records never are.
    """
    for _ in range(random.integers(1, 6)):
        at, length = int(random.integers(0, len(data) + 1)), int(random.integers(1, 60))
        piece = random.integers(0, 256, length, dtype=np.uint8).tobytes()
        times = int(random.integers(2, _MOST_REPEATS))
        poison = _POISON[random.integers(len(_POISON))]
        data = [
            data[:at] + piece[:1] + data[at + 1 :],
            data[:at] + piece + data[at:],
            data[:at] + data[at + length :],
            data[:at] + data[at : at + length] * 2 + data[at + length :],
            data[:at],
            data[:at] + data[at : at + length % 4 + 1] * times + data[at:],
            data[:at] + data[at : at + length] * (times // length) + data[at:],
            data[:at] + poison + data[at + int(random.integers(0, 8)) :],
            data[:at] + poison * (times // len(poison) + 1) + data[at:],
        ][random.choice(9, p=[0.25, 0.15, 0.15, 0.1, 0.05, 0.07, 0.07, 0.1, 0.06])][:LARGEST]
    return data


def fuzz(files: int, seed: int = 0) -> Counter[str]:
    """Read this many damaged files; how many gave games, games and errors, or only an error.

    Raises:
        Exception: whatever a reader raises that is not a `RecordError`, or `TimeoutError`; a note names the file.
    """
    random = np.random.default_rng(seed)
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            sample = SAMPLES[number % len(SAMPLES)]
            path = Path(folder) / sample.name
            path.write_bytes(damage(sample.read_bytes(), random))
            game = sample.parent.parent.name
            try:
                outcomes[read_in_time(path, game)] += 1
            except Exception as error:
                error.add_note(f"file {number} of seed {seed}, made of {sample.name}")
                raise
    return outcomes


@functools.cache
def _compile() -> None:
    """Compile what must be compiled before the clock runs, which may not stop the compiler."""
    for sample in SAMPLES:
        replay_file(sample, sample.parent.parent.name)


def read_in_time(path: Path, game: str | None) -> str:
    """Read one file; says how it went: `refused`, `read`, or `read, with errors`.

    Raises:
        Exception: as `fuzz` does.
    """
    _compile()
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
    names = [name for record in (*result.whole, *result.stopped) for name in record.seats]
    "".join(names).encode()  # half characters cannot be shown
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
