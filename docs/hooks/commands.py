"""The reference of the command, from the command itself."""

from typing import Any

import typer
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click

from ludarium.evaluation.cli import app


def on_files(files: Files, config: Any) -> None:
    """Add `reference/commands.md`."""
    command = typer.main.get_command(app)
    _say_all(command)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="ludarium")
    files.append(File.generated(config, "reference/commands.md", content=text))


def _say_all(command: Any) -> None:
    """In lists of commands, show the first sentence of each in full."""
    for inner in getattr(command, "commands", {}).values():
        inner.short_help = (inner.help or "").split("\n\n")[0].replace("\n", " ")
        _say_all(inner)
