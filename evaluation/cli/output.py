"""What `--json` prints: one JSON document on standard output, and nothing else there."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
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
