"""`ludarium table`: the command, and its server with clients that say nothing, or half of it, or are too many."""

import contextlib
import errno
import json
import os
import queue
import signal
import socket
import sqlite3
import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlparse

import pytest

COMMAND = "table", "--no-browser", "--port"


def test_a_game_survives_a_restart(start, refused, tmp_path):
    games = tmp_path / "made" / "games.db"
    running, client = start("--port", 0, "--games", games)
    try:
        held = f"another table keeps its games in {games} (process {running.pid}); stop it, or give this one another"
        assert refused(*COMMAND, 0, "--games", games) == f"{held} file: --games OTHER"
        key = client.open("hexapawn?rows=5&columns=5", "me", "random", seed=1)
        before = client.play(key, client.my_turn(key)["view"]["moves"][0]["text"])
        running.send_signal(signal.SIGKILL)
        running.wait(10)
        running, again = start("--port", 0, "--games", games)
        assert again.token != client.token
        after = again.my_turn(key)
        assert after == before
        again.play(key, after["view"]["moves"][0]["text"])
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 0
    finally:
        running.kill()
    if os.name == "posix":
        assert games.stat().st_mode & 0o077 == games.parent.stat().st_mode & 0o077 == 0


def test_the_browser_gets_the_token_from_a_file_that_nobody_else_reads(client_of, ludarium, monkeypatch, tmp_path):
    """Everybody on the machine sees the command line of a browser."""
    opened: queue.Queue[str] = queue.Queue()

    def serve(port, ready, *others, **options):
        ready("http://127.0.0.1:8642/#secret/s/0:0:1:1:0")
        uri = opened.get(timeout=30)
        assert "secret" not in uri
        file = Path(unquote(urlparse(uri).path))
        assert 'content="0; url=http://127.0.0.1:8642/#secret/s/0:0:1:1:0"' in file.read_text()
        if os.name == "posix":
            assert (file.stat().st_mode | file.parent.stat().st_mode) & 0o077 == 0
        opened.put(file)

    from ludarium.evaluation.table import serving

    monkeypatch.setattr(serving, "serve", serve)
    monkeypatch.setattr(webbrowser, "open", opened.put)
    code, told, _ = ludarium("table", "--games", tmp_path / "games.db")
    assert code == 0
    assert "http://127.0.0.1:8642/#secret/s/0:0:1:1:0" in told
    assert not opened.get(timeout=1).exists()


@pytest.mark.skipif(os.name != "posix", reason="it needs limits of the system")
def test_more_connections_than_files_fill_no_log(start, tmp_path):
    with (tmp_path / "log").open("w") as log:
        running, client = start("--port", 0, "--games", tmp_path / "games.db", stderr=log, few=True)
        try:
            address = "127.0.0.1", client.port
            idle = [socket.create_connection(address, timeout=30) for _ in range(120)]
            assert idle[-1].recv(100).startswith(b"HTTP/1.1 503 ")
            for connection in idle:
                connection.close()
            while True:  # until the server has seen that they are gone
                with contextlib.suppress(OSError, ValueError):
                    if client.call("GET", "lobby")[0] == 200:
                        break
        finally:
            running.kill()
            running.wait(10)
    assert (tmp_path / "log").stat().st_size < 1000


def test_that_no_more_files_can_be_open_is_told_once_and_other_faults_each_time(client_of, caplog):
    from ludarium.evaluation.table.serving import _Faults

    others = []
    loop, faults = SimpleNamespace(default_exception_handler=others.append), _Faults()
    contexts = [
        {"exception": OSError(errno.EMFILE, "too many")},
        {"exception": OSError(errno.ENFILE, "too many in all")},
        *({"exception": OSError(errno.EPIPE, "gone")}, {"exception": ValueError("wrong")}, {"message": "odd"}),
    ]
    for context in contexts * 2:
        faults(loop, context)
    assert others == contexts[2:] * 2
    (message,) = caplog.messages
    assert message.startswith(f"too many files are open ([Errno {errno.EMFILE}] too many): ")


def test_without_the_extra_it_says_what_to_install(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "starlette", None)
    told = '`ludarium table` needs starlette, which is not installed: pip install "ludarium[web]"'
    assert refused("table") == told


def test_a_port_that_is_taken(client_of, refused, tmp_path):
    from ludarium.evaluation.table.serving import listen

    with listen(0) as taken:
        port = taken.getsockname()[1]
        told = refused(*COMMAND, port, "--games", tmp_path / "games.db")
    assert told == f"port {port} is taken, perhaps by another table; give another --port, or 0"


@pytest.mark.parametrize("content", [b"something else", b""])
def test_a_file_of_games_is_one_of_ours(client_of, refused, tmp_path, content):
    games = tmp_path / "games.db"
    if content:
        games.write_bytes(content)
    else:  # a database of another program
        with sqlite3.connect(games) as database:
            database.execute("CREATE TABLE sessions (key TEXT)")
    games.chmod(0o644)
    before = games.read_bytes(), games.stat().st_mode
    assert "give another --games" in refused(*COMMAND, 0, "--games", games)
    assert (games.read_bytes(), games.stat().st_mode) == before


def connected(client):
    return contextlib.closing(socket.create_connection(("127.0.0.1", client.port), timeout=30))


def cut_off(connection):
    """Whether the server ends the connection; what it says before is dropped."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


def test_who_sends_half_a_request_is_cut_off_and_who_listens_is_not(serving, monkeypatch):
    with serving() as client:
        monkeypatch.setattr("ludarium.evaluation.table.serving.PATIENCE", 0.3)
        key = client.open("hexapawn", "me", "random", seed=1)
        whole = f"GET /page/icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n".encode()
        body = whole.replace(b"GET /page/icon.svg", b"POST /api/tables") + b"Content-Type: application/json\r\n"
        body += f"Authorization: Bearer {client.token}\r\nContent-Length: 9\r\n\r\n{{".encode()
        with client.listening(key) as page:
            begun = next(page)
            for first, sent in ((b"", b""), (b"", whole), (b"", body), (whole + b"\r\n", whole)):
                with connected(client) as connection:
                    if first:
                        connection.sendall(first)
                        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
                    connection.sendall(sent)
                    assert cut_off(connection)
            client.play(key, "a1a2")
            assert next(page)["version"] > begun["version"]


def test_there_are_only_so_many_connections(serving, monkeypatch):
    with serving() as client, contextlib.ExitStack() as stack:
        monkeypatch.setattr("ludarium.evaluation.table.serving._MOST", 3)
        for _ in range(3):
            kept = stack.enter_context(connected(client))
            kept.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\n".encode())
            assert kept.recv(10).startswith(b"HTTP/1.1 2")
        with connected(client) as another:
            head, _, body = another.recv(4096).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert json.loads(body)["error"] == "too many connections: close some pages of the table"


def test_fifty_games_may_be_open(table):
    with contextlib.ExitStack() as stack:
        for _ in range(50):
            key = table.post("tables", game="hexapawn", seats=["me", "random"])["key"]
            page = stack.enter_context(table.listening(key))
            next(page)
        assert table.play(key, "a1a2")["history"]
        assert next(page)


@pytest.mark.parametrize("path", ["/", "/api/lobby", "/nowhere"])
def test_there_are_no_web_sockets(table, path, caplog):
    headers = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13", "sec-websocket-key": "x"}
    answer = table.send("GET", path, headers={**headers, "host": "evil.example"})
    assert answer.status == 400
    assert json.loads(answer.body)["error"] == "there is nothing but HTTP/1.1 here, no web sockets"
    assert not caplog.records
