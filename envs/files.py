"""Writes files so that they are complete at every moment; reads archives that may be damaged, or made to do harm.

An archive of a few kilobytes can unpack to terabytes. So it says first how large its parts are, no part is read beyond
that, and nothing is read of one that is too large.
"""

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
"""Arrays by name, as a file of arrays holds them."""
LARGEST = 2 * 1024**3
"""Bytes that an archive may have once it is unpacked: ten times the largest that Ludarium makes, the decisions of 770
matches with the odds of all results, 0.2 GB."""
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack pieces of any size
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


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


def open_archive(file: str | Path | IO[bytes]) -> zipfile.ZipFile:
    """An archive to read parts of with `read_part`.

    Raises:
        ValueError: if it is too large once it is unpacked, or packed in a way that `np.savez` and Stable-Baselines3 do
            not use. A damaged one raises whatever the libraries raise, so call it in `reading`.
    """
    archive = zipfile.ZipFile(file)
    size = sum(part.file_size for part in archive.infolist())
    if size > LARGEST:
        raise ValueError(f"it has {size:,} bytes once it is unpacked, and at most {LARGEST:,} are read")
    for part in archive.infolist():
        if part.compress_type not in _BOUNDED:
            raise ValueError(f"{part.filename!r} in it is neither stored nor deflated, and nothing else is read")
    return archive


def read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """One part of an archive, of no more bytes than the archive says."""
    with archive.open(name) as part:
        return part.read(archive.getinfo(name).file_size)


def read_arrays(file: str | Path | IO[bytes]) -> Arrays:
    """The arrays of an `.npz` file, without pickle.

    Raises:
        ValueError: if it is not one, is too large once it is unpacked, or an array promises more than the file holds. A
            damaged one raises whatever the libraries raise, so call it in `reading`.
    """
    if not zipfile.is_zipfile(file):
        raise ValueError("it is not an .npz file")
    with open_archive(file) as archive:
        return {part.filename.removesuffix(".npy"): _read_array(archive, part) for part in archive.infolist()}


def _read_array(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> NDArray[Any]:
    """An array, if the part is as long as its header says: the array is made before it is read."""
    with archive.open(part) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"the array {part.filename!r} is of version {version}; known are {list(_HEADERS)}")
        shape, _, kind = _HEADERS[version](stream)
        held, promised = part.file_size - stream.tell(), math.prod(shape) * kind.itemsize
    if not kind.hasobject and (promised != held or not kind.itemsize):
        raise ValueError(f"the array {part.filename!r} promises {promised:,} bytes, the file holds {held:,}")
    with archive.open(part) as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)  # refuses objects
    return array
