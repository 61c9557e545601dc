"""The `ludarium` command: one module for each kind of thing it does."""

import sys

from ludarium.evaluation.cli import inspect, look, measure, play, sit, training  # noqa: F401  (they add their commands)
from ludarium.evaluation.cli.terminal import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command; mistakes of the user end in one line, not in a traceback."""
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        print(f"ludarium: {error}", file=sys.stderr)
        raise SystemExit(2) from None
