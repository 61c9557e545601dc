"""The file of games: who may read it, and what happens to the games while it cannot be written."""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import sqlite3

import pytest

from ludarium.evaluation.table import kept
from ludarium.evaluation.table.kept import Kept


@pytest.mark.skipif(os.name != "posix", reason="it needs permissions of files")
def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    games = tmp_path / "games.db"
    Kept(games).close()
    files = [games, *(tmp_path / f"games.db-{name}" for name in ("wal", "shm", "journal"))]
    for file in files:
        file.touch()
        file.chmod(0o644)
    with contextlib.closing(Kept(games)):
        assert not any(file.stat().st_mode & 0o077 for file in files if file.exists())


def test_the_token_that_earlier_versions_kept_is_removed(tmp_path):
    games = tmp_path / "games.db"
    with contextlib.closing(sqlite3.connect(games)) as database:
        database.executescript(
            "CREATE TABLE sessions (key TEXT PRIMARY KEY, changed REAL NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;"
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
            "INSERT INTO settings VALUES ('token', 'an-old-secret');"
            "INSERT INTO sessions VALUES ('key', 0, '{\"moves\": []}');"
            f"PRAGMA application_id = {kept._APPLICATION}; PRAGMA user_version = 1;"
        )
    assert b"an-old-secret" in games.read_bytes()
    with contextlib.closing(Kept(games)) as opened:
        assert opened.find("key") == {"moves": []}
    assert b"an-old-secret" not in games.read_bytes()


def test_all_that_wait_are_written_in_their_order(tmp_path):
    async def write():
        await asyncio.gather(*(opened.keep("key", {"number": number}) for number in range(100)), opened.keep("b", {}))
        await asyncio.gather(opened.forget("b"), opened.keep("c", {}), opened.forget("c"))

    with contextlib.closing(Kept(tmp_path / "games.db")) as opened:
        asyncio.run(write())
        assert opened.latest(5) == [("key", {"number": 99})]


@pytest.fixture
def full(serving, tmp_path):
    """A client of a table, whose file of games cannot be written while `client.full()` is open."""
    games = tmp_path / "games.db"

    @contextlib.contextmanager
    def fails():
        with contextlib.closing(sqlite3.connect(games)) as database:
            for change in ("INSERT", "DELETE"):
                told = "SELECT RAISE(ABORT, 'database or disk is full');"
                database.execute(f"CREATE TRIGGER {change}_fails BEFORE {change} ON sessions BEGIN {told} END")
            yield
            for change in ("INSERT", "DELETE"):
                database.execute(f"DROP TRIGGER {change}_fails")

    with serving(games=games) as client:
        client.full = fails
        yield client


SENTENCE = "the file of games cannot be written (database or disk is full); mend that and try again"


@pytest.mark.parametrize(
    ("game", "others", "action", "body"),
    [
        ("hexapawn", ["random"], "play", {"action": 0}),
        ("hexapawn", ["random"], "rewind", {"ply": 0}),
        ("hexapawn", ["random"], "resign", {}),
        ("backgammon", ["me"], "resign", {"lost": "gammon"}),
        ("backgammon", ["me"], "chance", {"outcome": 1}),
    ],
)
def test_a_change_that_cannot_be_kept_is_not_made_and_can_be_tried_again(full, game, others, action, body):
    key = full.open(game, "me", *others, seed=1)
    state = full.my_turn(key)
    if game == "hexapawn":
        state = full.play(key, state["view"]["moves"][0]["text"])
    if action == "play":
        body = {"action": state["view"]["moves"][0]["action"]}
    if action == "chance":
        chance = state["view"]["chance"]
        body = {"outcome": next(number for number, _ in chance["choices"] if number != chance["outcome"])}
    asked = {**body, "version": state["version"]}
    with full.full():
        for _ in range(2):
            assert full.call("POST", f"tables/{key}/{action}", asked) == (503, {"error": SENTENCE})
            assert full.state(key) == state
    full.post(f"tables/{key}/{action}", **asked)
    after = full.my_turn(key)
    assert (after["history"], after["view"], after["over"]) != (state["history"], state["view"], state["over"])


def test_nothing_else_happens_either_while_the_file_cannot_be_written(full):
    key = full.open("tictactoe", "perfect", "random", seed=1)
    full.post(f"tables/{key}/pace", paused=True)
    before = full.state(key)
    with full.full():
        for path, body in (
            (f"tables/{key}/pace", {"paused": False}),
            (f"tables/{key}/forget", {}),
            (f"tables/{key}/again", {}),
            ("tables", {"game": "hexapawn", "seats": ["me", "random"]}),
        ):
            assert full.call("POST", path, body) == (503, {"error": SENTENCE})
        assert full.state(key) == before
    assert [table["key"] for table in full.call("GET", "lobby")[1]["tables"]] == [key]
    full.post(f"tables/{key}/forget")
    assert full.call("POST", f"tables/{key}/pace", {"paused": True})[0] == 404
    assert full.call("GET", "lobby")[1]["tables"] == []


def test_what_agents_did_while_the_file_was_full_is_kept_with_the_next_move(full, tmp_path):
    key = full.open("tictactoe", "me", "me", seed=1)
    full.play(key, "b2")
    watched = full.open("tictactoe", "random", "random", seed=1)
    with full.full():
        full.post(f"tables/{watched}/pace", step=True)
        assert full.wait(watched, lambda state: state["history"])
    full.post(f"tables/{watched}/pace", paused=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "games.db")) as database:
        (data,) = database.execute("SELECT data FROM sessions WHERE key = ?", (watched,)).fetchone()
    assert len(json.loads(data)["moves"]) == len(full.state(watched)["history"])


def test_the_table_goes_on_while_the_file_is_busy(serving, tmp_path, monkeypatch):
    games = tmp_path / "games.db"
    monkeypatch.setattr(kept, "PATIENCE", 60.0)
    with serving(games=games) as client, contextlib.closing(sqlite3.connect(games, isolation_level=None)) as other:
        key, looked_at = (client.open("hexapawn", "me", "random", seed=1) for _ in range(2))
        other.execute("BEGIN IMMEDIATE")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            played = pool.submit(client.play, key, "a1a2")
            assert client.state(looked_at)["ready"]
            assert client.call("GET", f"tables/{looked_at}/plies/0/known")[0] == 409
            assert client.state(key)["history"] == []
            assert not played.done()
            other.execute("ROLLBACK")
            assert len(played.result(30)["history"]) == 2


def test_a_file_that_stays_busy_refuses_the_move(serving, tmp_path, monkeypatch):
    games = tmp_path / "games.db"
    monkeypatch.setattr(kept, "PATIENCE", 0.1)
    with serving(games=games) as client, contextlib.closing(sqlite3.connect(games, isolation_level=None)) as other:
        key = client.open("hexapawn", "me", "random", seed=1)
        state = client.my_turn(key)
        asked = {"action": state["view"]["moves"][0]["action"], "version": state["version"]}
        other.execute("BEGIN IMMEDIATE")
        status, answer = client.call("POST", f"tables/{key}/play", asked)
        assert (status, "(database is locked)" in answer["error"]) == (503, True)
        other.execute("ROLLBACK")
        client.post(f"tables/{key}/play", **asked)
        assert len(client.my_turn(key)["history"]) == 2
