"""Where results go: to a file, if it can be written; or with `--json` to standard output, and nothing else there."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

_OUT, _ERR = 1, 2  # file descriptors
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else.")]


@contextlib.contextmanager
def output_for_result(as_json: bool) -> Iterator[None]:
    """With JSON output, what this process and those it starts print goes to standard error until the result is."""
    if not as_json:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(_OUT)
    os.dup2(_ERR, _OUT)  # for agents in other processes, and for libraries that are not in Python
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, _OUT)
        os.close(kept)


def print_json(data: Any) -> None:
    """Print a result as JSON."""
    print(json.dumps(data, allow_nan=False))


def check_out(out: Path | None, *needed: Path) -> None:
    """Refuse an `--out` that cannot be written, or that would overwrite one of these files."""
    if out is None:
        return
    if out.is_dir():
        raise ValueError(f"--out {out} is a folder; give a file, such as {out / 'results.json'}")
    parent = next(path for path in out.absolute().parents if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ValueError(f"--out {out} cannot be written: {parent} is {_why_not(parent)}")
    for path in needed:
        if out.resolve() == path.resolve():
            raise ValueError(f"--out {out} would overwrite {path}, which is needed; give another file")


def _why_not(folder: Path) -> str:
    return "read-only" if folder.is_dir() else "a file, not a folder"
