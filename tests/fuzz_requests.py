"""Throws damaged requests at `ludarium table`: `python tests/fuzz_requests.py --requests 20000`.

The server runs as a person starts it, in an empty folder, with a game of each kind, one of them with hidden cards.
Every request must be answered with a status below 500, or with a sentence where there is no room; a refusal is one
sentence; no answer has the seed of a game that goes on; nothing is written but the file of games, and no program is
run. In the end the server is killed, and another one must show every game as it was. The test suite runs the same with
fewer requests.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]
SEED = 8_675_309_123_456_789
GAMES = {
    "hexapawn": ("me", "random"),
    "tictactoe": ("random", "me"),
    "othello?size=4": ("me", "greedy"),
    "backgammon?cube=True": ("me", "random"),
    "hanabi": ("me", "random"),
    "tictactoe?rows=4&columns=4": ("random", "random"),
}
SAMPLES = sorted(path for path in (Path(__file__).parent / "envs").glob("*/data/*") if path.suffix != ".wtb")
CANARY = "written-by-a-stranger"
AGENTS = ("random", "greedy", "perfect", "alphabeta?depth=2", "mcts?simulations=5", "expert?nodes=50", "beam?depth=2")
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0.5, 2**31, 2**63, 2**64, 10**30, -(10**30), 1e308, float("inf"), float("nan"), "", " ", "\0",
    "\ud800", "é" * 400, "x" * 600, "9" * 5000, [], {}, [[]], {"a": {}}, ["me"], ["me"] * 50, [None, "me"], "me",
    f"process:touch {CANARY}", f"gtp:touch {CANARY}", f"isolated:os:getcwd?log={CANARY}", f"random?log={CANARY}",
    f"isolated?log={CANARY}", f"sb3:{CANARY}?trust=True", "sb3:../../etc/passwd?trust=True&algorithm=ppo",
    f"greedy?evaluation=process:touch {CANARY}", "greedy?evaluation=os:abort", "os:abort", "sys:exit", "/etc/passwd",
    "td:/", "td:..", "lcs:/etc/passwd", "gaia:.?member=-1", "random?seed=1", "trusted:os:abort",
    "perfect?limit=10000000000", "perfect?limit=-1", "mcts?simulations=0", "mcts?simulations=nan",
    "mcts?exploration=inf", "alphabeta?depth=1e9", "alphabeta?depth=-1", "expert?nodes=-5", "beam?width=0", "random?",
    "random?a", "random?a=b=c", "?", ":", "a:", ":a", "hexapawn?rows=1000000", "hexapawn?rows=-3", "othello?size=5",
    "tictactoe?rows=2&columns=50000000", "hanabi?seats=99", "hanabi?colors=0", "backgammon?match_length=10000000",
    "backgammon?variant=x", "../../etc/passwd", "a" * 300 + "?b=" + "c" * 190, "hexapawn?rows=3&rows=4",
)  # fmt: skip
"""Values to put where something else belongs."""
_TIME = 60.0  # seconds until an answer counts as none: a busy machine is no reason to fail
_NO_TIME = 0.2
_MOST_LOGGED = 100_000
_MOST_GAMES = 20


class Request(NamedTuple):
    """A request as it is sent: method, path, headers, and the bytes of the body."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def raw(self) -> bytes:
        """The bytes on the wire."""
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in self.headers.items())]
        head = "\r\n".join([*lines, f"content-length: {len(self.body)}", "", ""])
        return head.encode("utf-8", "surrogatepass") + self.body


class Server:
    """`ludarium table` in a folder of its own, and connections to it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._log = folder, folder.parent / "log.txt"
        environment = os.environ | {"HOME": str(folder), "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
        command = [*COMMAND, "--port", "0", "--games", str(folder / "games.db")]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        result = re.search(r"http://127\.0\.0\.1:(\d+)/#([\w-]+)", self._process.stdout.readline())
        assert result is not None, self.log()
        self.port, self.token = int(result[1]), result[2]
        self.headers = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "connection": "close",
        }

    def request(self, method: str, path: str, body: Any = None) -> Request:
        """A request as the page sends it."""
        return Request(method, f"/api/{path}", self.headers, b"" if body is None else json.dumps(body).encode())

    def send(self, raw: bytes, patience: float = _TIME) -> tuple[int, bytes]:
        """The status and the body of the answer to some bytes; 0 if the server hangs up without one."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as connection:
            with contextlib.suppress(ConnectionError):  # it may have hung up already
                connection.sendall(raw)
            answer = _answer(connection)
        head, _, body = answer.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.1 (\d\d\d) ", head)
        return int(status[1]) if status else 0, body

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer that is no refusal."""
        status, answer = self.send(self.request(method, path, body).raw())
        assert status in (200, 201), (method, path, status, answer[:200])
        return json.loads(answer)

    def state(self, key: str) -> Any:
        """A game as the page gets it."""
        return self.call("GET", f"tables/{key}")

    def log(self) -> str:
        """Everything that servers of this folder have said."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """End it before it can tidy up."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


def _answer(connection: socket.socket) -> bytes:
    """Everything up to the end; of server-sent events, which have none, the first."""
    answer = b""
    with contextlib.suppress(ConnectionError, TimeoutError):
        while piece := connection.recv(1 << 16):
            answer += piece
            if b"text/event-stream" in answer and b"data: " in answer:
                break
    return answer


def templates(server: Server, keys: list[str], random: np.random.Generator) -> Request:
    """A request that the page might send now, to one of the games."""
    key, ply = keys[random.integers(len(keys))], int(random.integers(0, 12))
    game = list(GAMES)[random.integers(len(GAMES))]
    version = int(random.integers(0, 40))
    agent = AGENTS[random.integers(len(AGENTS))]
    table = f"tables/{key}"
    choices: list[tuple[str, str, Any]] = [
        ("GET", "lobby", None), ("GET", "agents/hexapawn", None), ("GET", "runs/tictactoe", None),
        ("GET", "pictures/othello", None), ("GET", table, None), ("GET", f"{table}/events", None),
        ("GET", f"{table}/plies/{ply}", None), ("GET", f"{table}/plies/{ply}/after/{ply}", None),
        ("GET", f"{table}/plies/{ply}/known", None), ("GET", f"{table}/record/json", None), ("GET", "stored", None),
        ("POST", "stored", {"key": "0:0:1:0:0"}), ("POST", f"{table}/rewind", {"ply": ply, "version": version}),
        ("POST", f"{table}/chance", {"outcome": ply, "version": version}),
        ("POST", f"{table}/resign", {"lost": "game", "version": version}),
        ("POST", f"{table}/pace", {"paused": True, "delay": 0, "step": True}), ("POST", f"{table}/keep", {}),
        ("POST", f"{table}/advice", {"agent": agent, "ply": ply}),
        ("POST", f"{table}/again", {"swap": True, "seed": SEED}),
        ("POST", "tables", {"game": game, "seats": list(GAMES[game]), "seed": SEED, "position": "start"}),
    ]  # fmt: skip
    method, path, body = choices[random.integers(len(choices))]
    draw = random.random()
    if draw < 0.2:
        sample = SAMPLES[random.integers(len(SAMPLES))]
        method, path = "POST", "records"
        body = {"name": sample.name, "text": scrambled(sample.read_bytes()[:20_000], random).decode("latin-1")}
    elif draw < 0.35:
        state = server.state(key)
        moves = state["view"]["moves"]
        action = moves[random.integers(len(moves))]["action"] if moves else ply
        method, path, body = "POST", f"{table}/play", {"action": action, "version": state["version"]}
    return server.request(method, path, body)


def scrambled(data: bytes, random: np.random.Generator) -> bytes:
    """The bytes with one to four of them replaced, cut out, doubled many times, or from other places."""
    for _ in range(random.integers(1, 5)):
        at, length = int(random.integers(0, len(data) + 1)), int(random.integers(1, 40))
        piece = random.integers(0, 256, length, dtype=np.uint8).tobytes()
        data = [
            data[:at] + piece + data[at + length :],
            data[:at] + data[at + length :],
            data[:at] + data[at : at + 3] * 500 + data[at:],
            data[:at] + data[:length] + data[at:],
        ][random.integers(4)]
    return data


def damaged(request: Request, random: np.random.Generator) -> tuple[bytes, float]:
    """The bytes of a request in which a field, the path, a header or any byte is not as it should be; some are whole.

    With it comes the time to wait for an answer: short for requests that the server may think have not ended.
    """
    draw = random.random()
    if draw < 0.2:
        return request.raw(), _TIME
    if draw < 0.65 and request.body:
        return _with_other_field(request, random).raw(), _TIME
    if draw < 0.8:
        return request._replace(path=_other_path(request.path, random)).raw(), _TIME
    if draw < 0.87:
        return request._replace(body=_other_body(random)).raw(), _TIME
    if draw < 0.95:
        return request._replace(headers=_other_headers(request.headers, random)).raw(), _NO_TIME
    return scrambled(request.raw(), random), _NO_TIME


def _with_other_field(request: Request, random: np.random.Generator) -> Request:
    body = json.loads(request.body)
    name = [*body, "other"][random.integers(len(body) + 1)]
    value = HOSTILE[random.integers(len(HOSTILE))]
    if isinstance(body.get(name), list) and random.random() < 0.7:
        value = [value if random.random() < 0.6 else one for one in body[name]]
    if random.random() < 0.1:
        body.pop(name, None)
    else:
        body[name] = value
    return request._replace(body=json.dumps(body).encode())


def _other_path(path: str, random: np.random.Generator) -> str:
    parts = path.split("/")
    odd = ("", "..", "%00", "%2e%2e%2f", "-1", "9" * 40, "a" * 3000, "é", "%ff", "?a=b", "random%3Fx", " ", "#")
    parts[random.integers(1, len(parts))] = odd[random.integers(len(odd))]
    return "/".join(parts).encode("utf-8").decode("latin-1")


def _other_headers(headers: dict[str, str], random: np.random.Generator) -> dict[str, str]:
    odd = [
        ("host", "example.org"), ("host", ""), ("authorization", "Bearer x"), ("authorization", "Bearer " + "é" * 20),
        ("content-type", "text/plain"), ("origin", "http://example.org"), ("sec-fetch-site", "cross-site"),
        ("cookie", "a=" + "b" * 5000), ("transfer-encoding", "chunked"), ("expect", "100-continue"),
        ("connection", "upgrade"), ("upgrade", "websocket"), ("x", "y" * 70_000), ("content-encoding", "gzip"),
    ]  # fmt: skip
    name, value = odd[random.integers(len(odd))]
    return headers | {name: value.encode("utf-8").decode("latin-1")}


def _other_body(random: np.random.Generator) -> bytes:
    odd = (
        b"", b"null", b"[]", b"[" * 100_000, b'{"a":' * 20_000, b'{"actions": [Infinity]}', b"9" * 10_000, b"\xff\xfe",
        b'"' + b"a" * 300_000 + b'"', b'{"game": "hexapawn", "game": 3}', b"{", b"\0" * 1000,
    )  # fmt: skip
    return odd[random.integers(len(odd))]


def fuzz(requests: int, seed: int = 0) -> Counter[int]:
    """Send this many damaged requests; how many were answered with which status, 0 where none was.

    Raises:
        AssertionError: if something is not as the module says.
    """
    random, statuses = np.random.default_rng(seed), Counter[int]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "home"
        folder.mkdir()
        server = Server(folder)
        try:
            keys = list(_opened(server))
            for _ in range(requests):
                raw, patience = damaged(templates(server, keys, random), random)
                status, body = server.send(raw, patience)
                assert status or patience < _TIME, f"no answer to {raw[:400]!r}"
                check(raw, status, body)
                statuses[status] += 1
                if status == 201 and len(keys) >= _MOST_GAMES:  # there is room for 500 only
                    server.call("POST", f"tables/{json.loads(body)['key']}/forget", {})
                elif status == 201:
                    keys.append(json.loads(body)["key"])
            before = {key: _settled(server, key) for key in keys}
            server.kill()
            server = Server(folder)
            for key, state in before.items():
                assert _settled(server, key) == state, f"the game {key} is not as it was"
        finally:
            server.kill()
        log = server.log()
        assert "Traceback" not in log, log[-3000:]
        assert len(log) < _MOST_LOGGED, f"the server wrote {len(log)} characters"
        written = {path.name for path in folder.rglob("*") if path.is_file()}
        assert {name for name in written if not name.startswith("games.db")} == set(), written
    return statuses


def _opened(server: Server) -> Iterator[str]:
    for game, seats in GAMES.items():
        yield server.call("POST", "tables", {"game": game, "seats": list(seats), "seed": SEED})["key"]


def _settled(server: Server, key: str) -> dict[str, Any]:
    """What must outlive the server: a game's moves, once no agent has to move."""
    server.call("POST", f"tables/{key}/pace", {"paused": True})
    state = server.state(key)
    return {name: state[name] for name in ("game", "seats", "history", "result", "over")}


def check(raw: bytes, status: int, body: bytes) -> None:
    """Raise `AssertionError` if an answer is none that there may be."""
    told = f"{raw[:400]!r}: {status} {body[:400]!r}"
    assert status < 500 or status == 503, told
    assert str(SEED).encode() not in body or b'"over":true' in body.replace(b" ", b""), told
    if status >= 400 and body.startswith(b"{"):
        error = json.JSONDecoder().raw_decode(body.decode())[0]["error"]  # damage can make two requests of one
        assert "\n" not in error, told
        assert len(error) < 1000, told


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for answered, count in sorted(fuzz(arguments.requests, arguments.seed).items()):
        print(f"{count:6} {answered or 'hung up'}")
