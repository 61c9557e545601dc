"""The `ludarium` command: one module for each kind of thing it does."""

import os
import sys
from typing import NoReturn

from ludarium.evaluation.cli import (  # noqa: F401  (each adds its commands)
    analyse,
    check,
    data,
    disk,
    events,
    examples,
    export,
    inspect,
    look,
    measure,
    play,
    rate,
    table,
    training,
)
from ludarium.evaluation.cli.encoding import replace_what_cannot_be_shown
from ludarium.evaluation.cli.streams import open_closed_streams
from ludarium.evaluation.cli.terminal import app, compilation_line

__all__ = ["app", "main"]


def main() -> None:
    """Run the command; a user's mistake ends in one line, not in a traceback."""
    open_closed_streams()
    replace_what_cannot_be_shown()
    try:
        os.getcwd()
    except FileNotFoundError:
        _fail("the folder in which the command was called has been deleted; go to one that exists")
    try:
        with compilation_line():
            app()
    except OSError as error:
        _fail(_told(error))
    except (ValueError, TypeError, ModuleNotFoundError) as error:
        _fail(f"{error}")
    except MemoryError as error:
        _fail(f"not enough memory: {str(error) or 'ask for less'}")


def _told(error: OSError) -> str:
    """What the system refuses, as a sentence; errors of our own have one."""
    if error.strerror is None:
        return f"{error}"
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"there is no file {error.filename}"
    where = "the output or a file" if error.filename is None else error.filename
    return f"{where} cannot be read or written: {error.strerror}"


def _fail(text: str) -> NoReturn:
    print(f"ludarium: {text}", file=sys.stderr)
    raise SystemExit(2)
