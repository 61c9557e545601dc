"""The command that lists the examples that come with the package, and copies them."""

import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from ludarium.evaluation.cli.output import check_out_folder
from ludarium.evaluation.cli.terminal import app, print_line, say

_SOURCES = (".js", ".py", ".toml")
_MARKS = re.compile(r'^("""|//|#) ?|"""$')  # of a comment, and of a docstring


@app.command(rich_help_panel="Look up")
def examples(
    folder: Annotated[
        Path | None, typer.Argument(help="Copy them to this folder, which need not exist; nothing is overwritten.")
    ] = None,
) -> None:
    """List the examples: games, agents, learners, a plug-in. Given a folder, copy them there, to change them."""
    source = _folder()
    files = sorted(file for file in source.rglob("*") if file.suffix in _SOURCES)
    if folder is None:
        for file in files:
            print_line(f"{file.relative_to(source).as_posix():<32}{_first_line(file)}")
        say("ludarium examples FOLDER copies them; their comments call the folder examples", "dim")
        return
    check_out_folder(folder, option="FOLDER")
    copies = {file: folder / file.relative_to(source) for file in files}
    if present := [str(copy) for copy in copies.values() if copy.exists()]:
        raise ValueError(f"{present[0]} exists and is not overwritten; give another folder")
    for file, copy in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    print_line(f"{len(copies)} files are in {folder}")


def _folder() -> Path:
    """The examples: in an installed package inside it, in a checkout beside its sources."""
    import ludarium

    package = Path(ludarium.__file__).resolve().parent
    return next(place for place in (package / "examples", package.parents[1] / "examples") if place.is_dir())


def _first_line(file: Path) -> str:
    """The first line of a file's opening comment."""
    return _MARKS.sub("", file.read_text(encoding="utf-8").partition("\n")[0])
