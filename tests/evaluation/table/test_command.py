"""`ludarium table`: the command, and the server that it runs."""

import contextlib
import os
import queue
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]


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


def test_a_game_survives_a_restart(start, ludarium, tmp_path):
    games = tmp_path / "made" / "games.db"
    running, client = start("--port", 0, "--games", games)
    try:
        code, _, told = ludarium("table", "--no-browser", "--port", 0, "--games", games)
        assert (code, told) == (
            2,
            f"ludarium: another table keeps its games in {games} (process {running.pid}); stop it, or give this one "
            "another file: --games OTHER\n",
        )
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


def test_without_the_extra_it_says_what_to_install(ludarium, monkeypatch):
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert ludarium("table") == (
        2,
        "",
        "ludarium: `ludarium table` needs starlette, which is not installed: pip install 'ludarium[web]'\n",
    )


def test_a_port_that_is_taken(client_of, ludarium, tmp_path):
    from ludarium.evaluation.table.serving import listen

    with listen(0) as taken:
        port = taken.getsockname()[1]
        code, _, told = ludarium("table", "--no-browser", "--port", port, "--games", tmp_path / "games.db")
    assert code == 2
    assert told == f"ludarium: port {port} is taken, perhaps by another table; give another --port, or 0\n"


@pytest.mark.parametrize("content", [b"something else", b""])
def test_a_file_of_games_is_one_of_ours(client_of, ludarium, tmp_path, content):
    games = tmp_path / "games.db"
    if content:
        games.write_bytes(content)
    else:  # a database of another program
        with sqlite3.connect(games) as database:
            database.execute("CREATE TABLE sessions (key TEXT)")
    games.chmod(0o644)
    before = games.read_bytes(), games.stat().st_mode
    code, _, told = ludarium("table", "--no-browser", "--port", 0, "--games", games)
    assert code == 2
    assert "give another --games" in told
    assert (games.read_bytes(), games.stat().st_mode) == before
