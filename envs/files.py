"""Files that are whole at every moment, and one error for those that are not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path to write to; it takes the place of `file` at the end, unless an error was raised.

    Whoever reads meanwhile, or after a crash, finds the file that was there before.
    """
    part = file.with_name(file.name + ".part")
    yield part
    part.replace(file)


@contextmanager
def reading(problem: str) -> Iterator[None]:
    """Turn any error from reading a damaged file into one `ValueError` that begins with the problem."""
    try:
        yield
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"{problem}: {reason}") from None
