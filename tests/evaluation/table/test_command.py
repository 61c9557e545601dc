"""`ludarium table`: the command, and the server that it runs."""

import os
import re
import signal
import sqlite3
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-P", "-c", "from ludarium.evaluation.cli import main; main()", "table", "--no-browser"]


@pytest.fixture
def start(client_of):
    """Runs the command; gives its process, and a client of its server."""

    def run(*options):
        running = subprocess.Popen([*COMMAND, *map(str, options)], stdout=subprocess.PIPE, text=True)
        port, token = re.search(r"http://127\.0\.0\.1:(\d+)/#([\w-]+)", running.stdout.readline()).groups()
        return running, client_of(int(port), token)

    return run


def test_a_game_survives_a_restart(start, tmp_path):
    games = tmp_path / "games.db"
    running, client = start("--port", 0, "--games", games)
    try:
        key = client.open("hexapawn?rows=5&columns=5", "me", "random", seed=1)
        before = client.play(key, client.my_turn(key)["view"]["moves"][0]["text"])
        running.send_signal(signal.SIGKILL)
        running.wait(10)
        running, again = start("--port", 0, "--games", games)
        assert again.token != client.token
        after = again.my_turn(key)
        assert {**after, "version": 0} == {**before, "version": 0}
        again.play(key, after["view"]["moves"][0]["text"])
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 0
    finally:
        running.kill()
    if os.name == "posix":
        assert games.stat().st_mode & 0o077 == 0


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
    before = games.read_bytes()
    code, _, told = ludarium("table", "--no-browser", "--port", 0, "--games", games)
    assert code == 2
    assert "give another --games" in told
    assert games.read_bytes() == before
