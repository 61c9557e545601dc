"""The `ludarium` command: one module for each kind of thing it does."""

import sys
from typing import NoReturn

from ludarium.evaluation.cli import (  # noqa: F401  (each adds its commands)
    analyse,
    check,
    data,
    events,
    inspect,
    look,
    measure,
    play,
    table,
    training,
)
from ludarium.evaluation.cli.encoding import replace_what_cannot_be_shown
from ludarium.evaluation.cli.terminal import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command; a user's mistake ends in one line, not in a traceback."""
    replace_what_cannot_be_shown()
    try:
        app()
    except FileNotFoundError as error:
        _fail(f"there is no file {error.filename}" if error.filename is not None else f"{error}")
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        _fail(f"{error}")
    except MemoryError as error:
        _fail(f"not enough memory: {str(error) or 'ask for less'}")


def _fail(text: str) -> NoReturn:
    print(f"ludarium: {text}", file=sys.stderr)
    raise SystemExit(2)
