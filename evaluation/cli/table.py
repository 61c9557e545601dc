"""The command that opens the table in the browser."""

import contextlib
import os
import tempfile
import threading
import webbrowser
from html import escape
from pathlib import Path
from typing import Annotated

import typer

from ludarium.evaluation.cli.output import check_out
from ludarium.evaluation.cli.terminal import app, console

_PORT = 8642
_STATE = "XDG_STATE_HOME"


@app.command("table", rich_help_panel="Play")
def table(
    store: Annotated[
        Path | None, typer.Argument(help="A file of a tournament's games, such as nine.db, to open them.")
    ] = None,
    game: Annotated[str | None, typer.Option(metavar="EVENT:A:B:PAIR:LEG", help="Open this game of the store.")] = None,
    move: Annotated[int | None, typer.Option(min=0, help="Show that game after this many moves.")] = None,
    people: Annotated[
        Path | None,
        typer.Option("--store", help="A file in which people can keep finished games; made if there is none."),
    ] = None,
    name: Annotated[str, typer.Option(help="Your name in that file.")] = "person",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free one.")] = _PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    runs: Annotated[Path, typer.Option(help="The folder of trained runs to offer as opponents.")] = Path("runs"),
    games: Annotated[
        Path | None, typer.Option(help="The file that keeps the games; by default table.db in your state folder.")
    ] = None,
    move_time: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="Seconds after which an agent that thinks forfeits.")
    ] = 60,
    allow_programs: Annotated[
        bool, typer.Option("--allow-programs", help="Allow agents that are programs, Python files and modules.")
    ] = False,
) -> None:
    """Open a table in the browser: play any game against any agent, take moves back, and see why agents move."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'`ludarium table` needs {error.name}, which is not installed: pip install "ludarium[web]"'
        ) from None
    from ludarium.evaluation.table.serving import serve
    from ludarium.evaluation.table.store import PeoplesGames
    from ludarium.evaluation.tournament.store import check_path

    if people is not None:
        check_path(people)
    if not name.strip():
        raise ValueError(f"--name must be a name, such as person, not {name!r}")
    if move is not None and game is None:
        raise ValueError(f"--move {move} goes with --game, the game that it is a move of")
    kept = games or _state_folder() / "table.db"
    check_out(kept, option="--games", like="table.db")

    def ready(address: str) -> None:
        console.print(f"The table is open: [bold]{address}[/bold]", soft_wrap=True)
        console.print("The address is yours alone: it holds a secret. Ctrl-C closes the table.", style="dim")
        if browser:
            _open(address, Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="ludarium-"))))

    with contextlib.ExitStack() as opened:
        serve(
            port,
            ready,
            kept,
            runs,
            move_time,
            allow_programs=allow_programs,
            store=store,
            game=game,
            move=move,
            people=None if people is None else PeoplesGames(people, name),
        )


def _open(address: str, folder: Path) -> None:
    """Open the browser on a file that leads to the address: everybody on this machine sees what commands are given."""
    file, link = folder / "table.html", escape(address)
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as page:
        page.write(
            f'<!DOCTYPE html><meta charset="utf-8"><title>Ludarium</title>'
            f'<meta http-equiv="refresh" content="0; url={link}"><a href="{link}">To the table</a>\n'
        )
    threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()  # some take the terminal


def _state_folder() -> Path:
    """Where programs keep what they can do without."""
    try:
        return Path(os.environ.get(_STATE) or Path.home() / ".local" / "state") / "ludarium"
    except RuntimeError:
        raise ValueError("there is no home folder to keep the games in; give a file as --games") from None
