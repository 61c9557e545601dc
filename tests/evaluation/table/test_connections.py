"""Clients that say nothing, or half of it, or are too many."""

import contextlib
import json
import socket

import pytest


@pytest.fixture
def connections():
    return pytest.importorskip("ludarium.evaluation.table.connections", reason="the table needs the extra 'web'")


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


def test_who_sends_half_a_request_is_cut_off_and_who_listens_is_not(serving, monkeypatch, connections):
    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    with serving() as client:
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


def test_there_are_only_so_many_connections(serving, monkeypatch, connections):
    monkeypatch.setattr(connections, "_MOST", 3)
    with serving() as client, contextlib.ExitStack() as stack:
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
