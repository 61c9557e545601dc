"""Who may ask: everything that keeps other pages, other machines and oversized requests away from the table.

The server listens on the loopback interface alone. A page of another site can still make a browser send requests there,
and a name of another site can be made to lead there (DNS rebinding): so `Host` must be ours, and `Origin` and
`Sec-Fetch-Site`, which browsers send and pages cannot forge, must not be foreign. Only the way to the page itself is
open: the file from which the command opens it counts as another place, and it holds no secret. All of the API needs the
token, which the address that the command printed holds, and which travels in a header, so it is in no log and no link.
"""

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

LARGEST_BODY = 256 * 1024
"""Bytes of a request's body."""
_MOST_DRAINED = 16 * LARGEST_BODY
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


class Guard:
    """Lets through to an ASGI application what comes from our own page, and adds the headers that bind the page.

    Args:
        app: the application.
        port: the port it is reached at.
        token: what requests to `/api/` must bring.
    """

    def __init__(self, app: _App, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._token = token

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def bound(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in _HEADERS.items())]
            await send(message)

        if objection := self._objection(scope):
            await _drain(receive)
            await _refuse(bound, *objection)
            return
        await self._app(scope, _Limited(receive), bound)

    def _objection(self, scope: _Scope) -> tuple[int, str] | None:
        """The status and the sentence with which a request is refused; None if it is not."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            headers[key] = value.decode("latin-1") if key not in headers else f"{headers[key]}, and another"
        if "upgrade" in headers:
            return 400, "there is nothing but HTTP/1.1 here, no web sockets"
        host = headers.get("host", "")
        if host not in self._hosts:
            return 403, "this server answers only to 127.0.0.1 and localhost, at its own port"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "requests from other pages are refused"
        how = scope["method"], scope["path"], headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
        arrives = how == ("GET", "/", "navigate", "document")  # in a window of its own, from wherever
        if not arrives and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "requests from other pages are refused"
        if not scope["path"].startswith("/api/"):
            return None
        header = headers.get("authorization", "").encode("latin-1")
        if not hmac.compare_digest(header, f"Bearer {self._token}".encode()):
            return 401, "the token is missing or wrong: open the address that `ludarium table` printed"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > LARGEST_BODY:
            return 413, f"a request may have at most {LARGEST_BODY} bytes"
        if scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0] != "application/json":
            return 415, "the request must be JSON, of the type application/json"
        return None


class TooLarge(ValueError):
    """A body longer than `LARGEST_BODY`, which did not say so beforehand."""


class _Limited:
    """Receives at most `LARGEST_BODY` bytes."""

    def __init__(self, receive: _Receive) -> None:
        self._receive, self._left = receive, LARGEST_BODY

    async def __call__(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLarge(f"a request may have at most {LARGEST_BODY} bytes")
        return message


async def _drain(receive: _Receive) -> None:
    """Read what is left of a body that nobody wants: a client that is still sending might miss the answer."""
    left = _MOST_DRAINED
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if not message.get("more_body", False):
            return


async def _refuse(send: _Send, status: int, message: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": message}).encode()})
