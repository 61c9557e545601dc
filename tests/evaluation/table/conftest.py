"""A table on a free port, and requests to it as any program would send them."""

import asyncio
import contextlib
import http.client
import json
import re
import secrets
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]


def needs_web():
    """Skip a test where the table cannot be served."""
    for module in ("starlette", "uvicorn"):
        pytest.importorskip(module, reason="the table needs the extra 'web'")


class Client:
    """Sends requests to a table as its page does."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    def send(self, method, path, body=None, headers=None, raw=None):
        """The status, the headers and the bytes of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"authorization": f"Bearer {self.token}", "content-type": "application/json", **(headers or {})}
        data = raw if raw is not None else None if body is None else json.dumps(body)
        with contextlib.closing(connection):
            connection.request(method, path, data, {key: value for key, value in given.items() if value is not None})
            answer = connection.getresponse()
            return SimpleNamespace(status=answer.status, headers=dict(answer.getheaders()), body=answer.read())

    def call(self, method, path, body=None):
        """The status and the JSON of an answer of the API."""
        answer = self.send(method, f"/api/{path}", body)
        return answer.status, json.loads(answer.body)

    def post(self, path, **body):
        status, data = self.call("POST", path, body)
        assert status in (200, 201), data
        return data

    def get(self, path):
        status, data = self.call("GET", path)
        assert status == 200, data
        return data

    def refused(self, path, **body):
        """The status and the sentence of a request that is refused."""
        status, data = self.call("POST", path, body)
        return status, data["error"]

    def advice(self, key, agent, ply=0):
        return self.post(f"tables/{key}/advice", agent=agent, ply=ply)

    def first_moves(self, key):
        """Play the first move of every position to the end; the last state."""
        while not (state := self.my_turn(key))["over"]:
            self.play(key, state["view"]["moves"][0]["text"])
        return state

    def open(self, game, *seats, **more):
        """The key of a new game, once its agents sit."""
        key = self.post("tables", game=game, seats=list(seats), **more)["key"]
        self.wait(key, lambda state: state["ready"] or state["failure"])
        return key

    def change(self, key, action, **body):
        """Ask for a change of a game as it stands."""
        return self.post(f"tables/{key}/{action}", **body, version=self.state(key)["version"])

    def state(self, key):
        return self.call("GET", f"tables/{key}")[1]

    @contextlib.contextmanager
    def listening(self, key):
        """`next` on it gives what one page is told next."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", f"/api/tables/{key}/events", headers={"authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        assert answer.getheader("content-type").startswith("text/event-stream")

        def told():
            while True:
                line = answer.readline()
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

        with contextlib.closing(connection):
            yield told()

    def wait(self, key, until):
        """The state of a game, once something holds of it."""
        for _ in range(6000):
            state = self.state(key)
            if until(state):
                return state
            time.sleep(0.01)
        raise AssertionError(f"it never came: {state}")

    def my_turn(self, key):
        return self.wait(key, lambda state: state["over"] or state["turn"] in state["people"])

    def play(self, key, text):
        """Play a move by its text, once it is a person's turn; the state after the replies."""
        state = self.my_turn(key)
        (action,) = [move["action"] for move in state["view"]["moves"] if move["text"] == text]
        self.post(f"tables/{key}/play", action=action, version=state["version"])
        return self.my_turn(key)


@contextlib.contextmanager
def _serving(games=None, runs=(), move_time=60.0, allow_programs=False, store=None, people=None):
    """A table in a thread of this process, on a free port."""
    needs_web()
    from ludarium.evaluation.table.agents import Seating
    from ludarium.evaluation.table.http import application
    from ludarium.evaluation.table.records import StoredGames
    from ludarium.evaluation.table.serving import Server, listen
    from ludarium.evaluation.table.store import Kept, Tables

    stored = None if store is None else StoredGames(store)
    started, running = threading.Event(), SimpleNamespace()

    async def run():
        with contextlib.closing(listen(0)) as listener, contextlib.closing(Kept(games)) as kept:
            port, token = listener.getsockname()[1], secrets.token_urlsafe(24)
            tables = Tables(kept, Seating(runs, allow_programs, move_time), move_time)
            given = {"allow_programs": allow_programs, "stored": stored, "people": people}
            app = application(tables, list(runs), port=port, token=token, **given)
            running.server, running.client = Server(app, started.set), Client(port, token)
            running.client.tables = tables
            await running.server.serve([listener])
            await tables.close()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert started.wait(30)
    try:
        yield running.client
    finally:
        running.server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="session")
def table():
    """One table for all tests that do not need their own."""
    with _serving() as client:
        yield client


@pytest.fixture
def serving():
    """`serving(…)`: a table of one's own, with other options, within a `with`."""
    return _serving


@pytest.fixture
def client_of():
    """`client_of(port, token)`: sends requests to a table that runs somewhere."""
    needs_web()
    return Client


@pytest.fixture
def start(client_of):
    """Runs the command; gives its process, and a client of its server."""

    def run(*options, stderr=None, few=False):
        limited = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"] if few else []
        command = [*limited, *COMMAND, *map(str, options)]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
        port, token = re.search(r"http://127\.0\.0\.1:(\d+)/#([\w-]+)", running.stdout.readline()).groups()
        return running, client_of(int(port), token)

    return run
