"""Runs the server on this machine's loopback interface until it is stopped."""

import asyncio
import contextlib
import errno
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludarium.evaluation.table import lobby
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.connections import Server
from ludarium.evaluation.table.kept import Kept
from ludarium.evaluation.table.lobby import run_folders
from ludarium.evaluation.table.people import PeoplesGames
from ludarium.evaluation.table.seating import Seating
from ludarium.evaluation.table.server import application
from ludarium.evaluation.table.stored import StoredGames
from ludarium.evaluation.table.tables import Tables

_HOST = "127.0.0.1"


def serve(
    port: int,
    ready: Callable[[str], None],
    games: Path | None,
    runs: Path,
    move_time: float,
    *,
    allow_programs: bool = False,
    store: Path | None = None,
    game: str | None = None,
    move: int | None = None,
    people: PeoplesGames | None = None,
) -> None:
    """Serve the table until Ctrl-C.

    Args:
        port: where to listen; 0 for any free port.
        ready: called with the address, token and all, once it is reachable.
        games: the file that keeps the games; None keeps none.
        runs: a folder with trained runs.
        move_time: seconds that an agent may think about a move.
        allow_programs: whether the page may name programs.
        store: a tournament's store, whose games can be looked at.
        game: the key of one of them, `EVENT:A:B:PAIR:LEG`, that the address opens.
        move: the number of moves after which it is shown; None for its end.
        people: where finished games can be kept.

    Raises:
        ValueError: if the port is taken, `games` is not a file of games or another server has it, `store` is not a
            store, or there is no such game or move in it.
        FileNotFoundError: if there is no such store.
    """
    stored = None if store is None else StoredGames(store)
    place = "" if game is None else _place(stored, game, move)
    with contextlib.closing(listen(port)) as listener, contextlib.closing(Kept(games)) as kept:
        port, token, folders = listener.getsockname()[1], secrets.token_urlsafe(24), run_folders(runs)
        tables = Tables(kept, Seating(folders, allow_programs, move_time), move_time)
        given: dict[str, Any] = {"allow_programs": allow_programs, "stored": stored, "people": people}
        app = application(tables, folders, port=port, token=token, **given)
        server = Server(app, lambda: ready(f"http://{_HOST}:{port}/#{token}{place}"))
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_run(server, listener, tables))


def _place(stored: StoredGames | None, game: str, move: int | None) -> str:
    """Where the page shows a stored game."""
    if stored is None:
        raise ValueError(f"--game {game} needs the store that holds the game: ludarium table STORE --game {game}")
    moves = len(stored.taken_up(game)[1]["moves"])
    if move is not None and move > moves:
        raise ValueError(f"the game {game} has {moves} moves, there is no position after {move}")
    return f"/s/{game}" + ("" if move is None else f"/{move}")


async def _run(server: Server, listener: socket.socket, tables: Tables) -> None:
    preparing = asyncio.create_task(apart(lobby.prepare))
    try:
        await server.serve([listener])
    finally:
        preparing.cancel()
        await tables.close()


def listen(port: int) -> socket.socket:
    """A socket that only this machine reaches."""
    # With the protocol named, asyncio sends small answers at once (TCP_NODELAY): 40 ms less for each.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is taken, perhaps by another table; give another --port, or 0") from None
        raise ValueError(f"port {port} cannot be used: {error.strerror}") from None
    return listener
