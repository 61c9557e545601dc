"""Runs the server on this machine's loopback interface until it is stopped.

Uvicorn waits forever for the rest of a request, and where no more files can be opened, asyncio says so thousands of
times a second. So there is a limit to the connections, and to how long a client may take to say what it wants. A page
needs one connection for as long as it looks at a game, and sometimes another.
"""

import asyncio
import contextlib
import errno
import json
import logging
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ludarium.evaluation.table import lobby
from ludarium.evaluation.table.agents import Seating
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.http import application
from ludarium.evaluation.table.records import StoredGames
from ludarium.evaluation.table.store import Kept, PeoplesGames, Tables

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_LOG = logging.getLogger(__name__)
_HOST = "127.0.0.1"
PATIENCE = 10.0
"""Seconds in which a request must have come, from the connection or its first byte to its last."""
_MOST = 250
_AT_ONCE = 4  # connections that asyncio accepts before it looks at any: each takes a file
_QUEUE = 128  # connections that the system holds until then
_UNFINISHED = (h11.IDLE, h11.SEND_BODY)


def most_connections() -> int:
    """How many connections there may be: half of the files that this process may open, the others are for agents."""
    if resource is None:
        return _MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if files == resource.RLIM_INFINITY else min(_MOST, files // 2)


class Connection(H11Protocol):
    """A connection that is cut off if it is one too many, or its client takes too long to say what it wants."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.write(_too_many())
            transport.close()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state not in _UNFINISHED:
            self._stop()
        elif self._timer is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(PATIENCE, self.transport.abort)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _too_many() -> bytes:
    body = json.dumps({"error": "too many connections: close some pages of the table"}).encode()
    head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body


class Server(uvicorn.Server):
    """Serves an application on one socket.

    Args:
        app: the ASGI application.
        ready: called once it can be reached.
    """

    def __init__(self, app: Any, ready: Callable[[], None]) -> None:
        # Below errors, uvicorn has a line for everything that a client does wrong.
        quiet: dict[str, Any] = {"log_level": "error", "access_log": False, "server_header": False}
        limits: dict[str, Any] = {"backlog": _AT_ONCE, "timeout_graceful_shutdown": 1}
        super().__init__(uvicorn.Config(app, http=Connection, ws="none", lifespan="off", **quiet, **limits))
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_Faults())
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_QUEUE)  # which asyncio has set to the number that it accepts at once
        self._ready()


class _Faults:
    """Tells of faults in the loop, but only once that it cannot open more files."""

    def __init__(self) -> None:
        self._told = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)):
            loop.default_exception_handler(context)
        elif not self._told:
            self._told = True
            _LOG.error("too many files are open (%s): some connections wait until others end", error)


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
        port, token, folders = listener.getsockname()[1], secrets.token_urlsafe(24), lobby.run_folders(runs)
        tables = Tables(kept, Seating(folders, allow_programs, move_time), move_time)
        settings: dict[str, Any] = {"allow_programs": allow_programs, "stored": stored, "people": people}
        app = application(tables, folders, port=port, token=token, **settings)
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
