"""The connections to the server: how many there may be at once, and how long a client may take to say what it wants.

Uvicorn waits forever for the rest of a request, and where no more files can be opened, asyncio says so thousands of
times a second. A page needs one connection for as long as it looks at a game, and sometimes another.
"""

import asyncio
import errno
import json
import logging
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_LOG = logging.getLogger(__name__)
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
        for socket in sockets or ():
            socket.listen(_QUEUE)  # which asyncio has set to the number that it accepts at once
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
