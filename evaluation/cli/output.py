"""Where results go: to a file, if it can be written; or with `--json` to standard output, and nothing else there."""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

_OUT, _ERR = 1, 2  # file descriptors
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else.")]


@contextlib.contextmanager
def output_for_result(as_json: bool) -> Iterator[Callable[[Any], None]]:
    """With JSON output, what this process and those it starts print goes to standard error until the result is.

    Yields:
        A function that prints JSON meanwhile, as a line on standard output.
    """
    if not as_json:
        yield print_json
        return
    stdout = sys.stdout
    stdout.flush()
    kept = os.dup(_OUT)
    os.dup2(_ERR, _OUT)  # for agents in other processes, and for libraries that are not in Python

    def write(data: Any) -> None:
        os.dup2(kept, _OUT)
        with contextlib.redirect_stdout(stdout):
            print_json(data)
            stdout.flush()
        os.dup2(_ERR, _OUT)

    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield write
    finally:
        os.dup2(kept, _OUT)
        os.close(kept)


def print_json(data: Any) -> None:
    """Print a result as JSON."""
    print(json.dumps(data, allow_nan=False))


def check_out(out: Path | None, *needed: Path, option: str = "--out", like: str = "results.json") -> None:
    """Refuse a file for results that cannot be written, or would overwrite one of these files.

    Args:
        out: the file, which need not exist; None for no file.
        needed: the files.
        option: the option that gives it, for errors.
        like: a name for such a file, for errors.

    Raises:
        ValueError: if it is refused.
    """
    if out is None:
        return
    if out.is_dir():
        raise ValueError(f"{option} {out} is a folder; give a file, such as {out / like}")
    _check_place(out, option, out.absolute().parents)
    for path in needed:
        if out.resolve() == path.resolve():
            raise ValueError(f"{option} {out} would overwrite {path}, which is needed; give another file")


def check_out_folder(out: Path, *, option: str = "--out") -> None:
    """Refuse what cannot be a folder for results; it need not exist.

    Args:
        out: the folder.
        option: the option or argument that gives it, for errors.

    Raises:
        ValueError: if it is refused.
    """
    if out.exists() and not out.is_dir():
        raise ValueError(f"{option} {out} is a file; give a folder, which need not exist")
    _check_place(out, option, (out.absolute(), *out.absolute().parents))


def _check_place(out: Path, option: str, folders: Iterable[Path]) -> None:
    """Refuse a place if the first of these folders that exists takes no new files."""
    folder = next(path for path in folders if path.exists())
    if not folder.is_dir():
        raise ValueError(f"{option} {out} cannot be written: {folder} is a file, not a folder; give another")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = f"{folder} takes no new files ({error.strerror})"
        raise ValueError(f"{option} {out} cannot be written: {why}; give another") from None
