"""Writes files so that they are complete at every moment, and turns errors from damaged ones into one kind."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
"""Arrays by name, as a file of arrays holds them."""


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path to write to, which replaces `file` at the end unless an error is raised.

    Until then, and after a crash, anyone who reads `file` finds the previous version.
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


def read_arrays(file: BinaryIO) -> Arrays:
    """The arrays of an `.npz` file, without pickle.

    Raises:
        ValueError: if it is not one. A damaged one raises whatever the libraries raise, so call it in `reading`.
    """
    if not zipfile.is_zipfile(file):
        raise ValueError("it is not an .npz file")
    file.seek(0)
    with np.load(file, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}
