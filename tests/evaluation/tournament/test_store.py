"""The file of results: nothing is lost, doubled or overwritten."""

import contextlib
import os
import platform
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from datetime import datetime, timedelta
from typing import cast

import pytest

from ludarium.evaluation.tournament import lock, session
from ludarium.evaluation.tournament.session import machine
from ludarium.evaluation.tournament.store import IN_COMPILED_CODE, IN_PYTHON, GameRow, Store, StoreError, TimeRow

TOURNAMENT = {"name": "test", "seed": 1, "agents": ["a", "b"], "games": [{"game": "othello"}]}


def row(pair, leg=0, payoff=1.0):
    return GameRow(0, 0, 1, pair, leg, payoff, -payoff, 0, "", b"\1")


def change(path, sql, *values):
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        return db.execute(sql, values).fetchall()


@pytest.fixture
def path(tmp_path):
    (tmp_path / "new").mkdir()
    return tmp_path / "new" / "results.db"


def test_a_place_where_there_can_be_no_store(tmp_path):
    """No folder is made: its name may be a slip."""
    (tmp_path / "file").touch()
    for folder in ("none", "file"):
        with pytest.raises(StoreError, match=f"{folder}/x.db cannot be made: there is no folder .*{folder}; make it"):
            Store(tmp_path / folder / "x.db", TOURNAMENT)
    for tournament in (TOURNAMENT, None):
        with pytest.raises(StoreError, match=r" is a folder; give a file of results, such as .*games\.db"):
            Store(tmp_path, tournament)
    with pytest.raises(FileNotFoundError, match="there are no results at "):
        Store(tmp_path / "none.db")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_games_come_back_in_order(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(2), row(0, 1), row(0)])
        assert store.games() == store.games(event=0) == [row(0), row(0, 1), row(2)]
        assert store.games(event=1) == []
        assert store.pairs(0, 0, 1) == {0, 2}
        assert store.count() == 3
    with Store(path) as again:
        assert again.tournament == TOURNAMENT
        assert again.count() == 3


def test_a_game_cannot_be_counted_twice(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
        store.add([row(0, payoff=-1.0), row(1)])
        assert store.games() == [row(0), row(1)]


def test_games_are_added_all_or_none(path):
    with Store(path, TOURNAMENT) as store:
        with pytest.raises(TypeError):
            store.add([*(row(pair) for pair in range(150)), row(150)._replace(moves=cast(bytes, object()))])
        assert (store.count(), store.sessions()) == (0, [])
        store.add([row(0)])
        assert [session.games for session in store.sessions()] == [1]


def test_results_of_another_tournament_are_not_touched(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
    with pytest.raises(StoreError, match=r"results of another tournament \(different: seed\); give another file"):
        Store(path, {**TOURNAMENT, "seed": 2})
    with pytest.raises(StoreError, match=r"results of another tournament \(different: curve\)"):
        Store(path, {**TOURNAMENT, "curve": ["td:x"]})
    with Store(path, TOURNAMENT) as store:
        assert store.count() == 1


def test_a_tournament_is_extended_by_entrants_games_and_pairs_alone(path):
    begun = {**TOURNAMENT, "games": [{"game": "othello", "pairs": 3}]}
    more = {**begun, "agents": ["a", "b", "c"]}
    more["games"] = [{"game": "othello", "pairs": 5}, {"game": "hexapawn", "pairs": 1}]
    with Store(path, begun) as store:
        for changed in (
            {"seed": 2},
            {"agents": ["b", "a"]},
            {"agents": ["a"]},
            {"games": []},
            {"games": [{"game": "othello", "pairs": 2}]},
            {"games": [{"game": "hexapawn", "pairs": 3}]},
        ):
            with pytest.raises(StoreError, match=r"db: a tournament can only be extended by entrants, games and pairs"):
                store.extend({**begun, **changed})
        store.extend(begun)
        assert store.tournament == begun
        store.extend(more)
        assert store.tournament == more
    with Store(path, more) as store:
        assert store.tournament == more


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"x", " is not a file of results; it was left as it is"),
        (b"Dear Ada,\n" * 100, " is not a file of results; it was left as it is"),
        (b"SQLite format 3\0" + b"x" * 5000, " is not a file of results, or is damaged ("),
        (None, " is a database, but not one of ours; it was left as it is"),
    ],
)
def test_a_foreign_or_damaged_file_is_left_as_it_is(tmp_path, content, text):
    path = tmp_path / "letter.db"
    if content is None:
        change(path, "CREATE TABLE games (x)")
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(f"{path}{text}")):
        Store(path, TOURNAMENT)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("PRAGMA user_version = 99", "has schema 99, but this version of Ludarium supports 6: upgrade to read it"),
        ("DELETE FROM tournament", "has no entry 'tournament': it is damaged"),
    ],
)
def test_a_newer_schema_and_a_store_without_its_tournament_are_refused(path, sql, text):
    Store(path, TOURNAMENT).close()
    change(path, sql)
    with pytest.raises(StoreError, match=text):
        Store(path, TOURNAMENT)


def test_a_game_that_was_changed_is_known_by_its_checksum(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0), row(1)._replace(payoff_a=-0.0, payoff_b=0.0, cause="é"), row(2)])
        store.add([row(3)._replace(payoff_a=0.0, payoff_b=-0.0)])
        assert list(store.changed()) == []
        store._db.execute("UPDATE games SET payoff_a = 1 WHERE pair = 1")
        store._db.execute("UPDATE games SET moves = x'' WHERE pair = 2")
        assert list(store.changed()) == [row(1)[:5], row(2)[:5]]


def test_what_is_written_is_what_other_versions_read(path):
    """The checksum is of five integers, two floats, one more integer, the cause and the moves; no zero is negative."""
    with Store(path, TOURNAMENT) as store:
        store.add([row(2, 1)._replace(payoff_a=-0.0, cause="é")], [TimeRow(0, 0, 1, IN_PYTHON, 30, 5)])
        store.add([], [TimeRow(0, 0, 1, IN_COMPILED_CODE, 30, 5)])
    checked = zlib.crc32(struct.pack("<5q2dq", 0, 0, 1, 2, 1, 0.0, -1.0, 0) + "é".encode() + b"\1")
    assert change(path, "SELECT * FROM games") == [(0, 0, 1, 2, 1, 0.0, -1.0, 0, "é", b"\1", checked)]
    assert change(path, "SELECT * FROM times") == [(0, 0, 1, 1, 30, 5), (0, 0, 1, 2, 30, 5)]


@pytest.mark.parametrize("schema", range(2, 7))
def test_what_each_schema_knows(path, schema):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)._replace(moves=b"\1\0")], [TimeRow(0, 0, 1, 1, 30, 5)])
    change(path, "UPDATE games SET payoff_a = 0")
    change(path, f"PRAGMA user_version = {schema}")
    with Store(path, TOURNAMENT) as store:
        assert [one.moves for one in store.games()] == [b"\1\0" if schema >= 3 else b"\1"]
        assert (len(store.sessions()), len(store.times()), len(list(store.changed()))) == (1, schema >= 4, schema >= 6)


@pytest.mark.parametrize("value", ["{", "[]", "3", "{}", '{"agents": 3, "games": []}', b"\xff"])
@pytest.mark.parametrize("schema", [1, 6])
def test_a_store_whose_tournament_is_none_is_damaged(path, value, schema):
    Store(path, TOURNAMENT).close()
    change(path, "UPDATE tournament SET value = ?", value)
    change(path, f"PRAGMA user_version = {schema}")
    for tournament in (None, TOURNAMENT):
        with pytest.raises(StoreError, match=r"results\.db has an invalid entry 'tournament': it is damaged"):
            Store(path, tournament)


def test_damaged_pages_are_left_as_they_are(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(pair)._replace(moves=bytes(60)) for pair in range(500)])
    with path.open("r+b") as file:
        file.seek(4096)  # the first page says what tables there are
        file.write(b"\xff" * 4 * 4096)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"results\.db is damaged \(.*\); it was left as it is"):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read", [Store.games, Store.count, Store.sessions, lambda store: store.pairs(0, 0, 1)])
def test_a_table_that_is_lost(path, read):
    with Store(path, TOURNAMENT) as store:
        for table in ("games", "sessions"):
            store._db.execute(f"DROP TABLE {table}")
        with pytest.raises(StoreError, match=r"results\.db is damaged \(no such table: \w+\); it was left as it is"):
            read(store)
        with pytest.raises(StoreError, match=r"results\.db is damaged"):
            store.add([row(0)])


def test_a_text_that_is_none(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
        store._db.execute("UPDATE games SET cause = CAST(x'ff' AS TEXT)")
        with pytest.raises(StoreError, match=r"results\.db is damaged \(Could not decode"):
            store.games()


@pytest.mark.parametrize("text", ["{", "[]", "{}", "3"])
def test_a_session_of_no_machine(path, text):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
        store._db.execute("UPDATE sessions SET machine = ?", (text,))
        with pytest.raises(StoreError, match=r"results\.db is damaged \(a session's machine: "):
            store.sessions()


@pytest.mark.parametrize(("column", "value"), [("event", 1), ("event", -1), ("a", 2), ("b", 2), ("event", "x")])
def test_games_that_are_not_of_the_tournament(path, column, value):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0), row(1)])
        store._db.execute(f"UPDATE games SET {column} = ? WHERE pair = 1", (value,))
        with pytest.raises(StoreError, match=r"results\.db is damaged \(a game \(.*, 1, 0\) is not one of its"):
            store.games()


def test_times_add_up(path):
    first, second = TimeRow(0, 0, 1, 1, 30, 5), TimeRow(0, 1, 0, 1, 31, 6)
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)], [first, second])
    with Store(path, TOURNAMENT) as store:
        store.add([row(1)], [first])
        assert store.times() == [first._replace(decisions=10), second]


@pytest.mark.parametrize("wrong", [{"event": 1}, {"entrant": 2}, {"opponent": "x"}, {"bucket": -1}, {"decisions": 0.5}])
def test_times_that_are_not_of_the_tournament(path, wrong):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)], [TimeRow(0, 0, 1, 1, 30, 5)._replace(**wrong)])
        with pytest.raises(StoreError, match=r"results\.db is damaged \(times \(.*\) are not of its tournament"):
            store.times()


def test_a_store_in_use(path):
    with Store(path, TOURNAMENT) as store, Store(path, TOURNAMENT) as other:
        store._db.execute("PRAGMA busy_timeout = 0")
        other._db.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"results\.db is in use by another process \(database is locked\); wait"):
            store.add([row(0)])
        other._db.execute("COMMIT")
        store.add([row(0)])
        assert store.count() == 1


@pytest.mark.skipif(lock.fcntl is None, reason="Windows has no such lock")
@pytest.mark.parametrize(("left", "who"), [("", "another process"), ("17", "process 17")])
def test_a_store_into_which_somebody_plays(path, monkeypatch, left, who):
    def taken(file, how):
        raise BlockingIOError

    path.with_name("results.db-lock").write_text(left)
    monkeypatch.setattr(lock.fcntl, "lockf", taken)
    with pytest.raises(StoreError, match=rf"results\.db is in use by {who}, which plays into it; wait for it to end"):
        Store(path, TOURNAMENT)
    assert not path.exists()


def test_a_full_disk(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
        store._db.execute("PRAGMA max_page_count = 1")  # as many as there are
        with pytest.raises(StoreError, match=r"results\.db cannot be opened or written \(database or disk is full\)"):
            store.add([row(pair)._replace(moves=bytes(60)) for pair in range(500)])
        assert store.games() == [row(0)]


def make_read_only(monkeypatch):
    """From now on everything is as on a read-only disk: no folder can be written, and no file."""
    connect = sqlite3.connect
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(sqlite3, "connect", lambda name, **how: connect(name.replace("mode=rwc", "mode=ro"), **how))


@pytest.mark.parametrize("name", ["results.db", "50 % of #1? é.db"])
def test_a_store_on_a_read_only_disk_is_read(tmp_path, monkeypatch, name):
    with Store(tmp_path / name, TOURNAMENT) as store:
        store.add([row(0)])
    make_read_only(monkeypatch)
    with Store(tmp_path / name) as store:
        assert store.games() == [row(0)]
        assert len(store.sessions()) == 1
        assert os.listdir(tmp_path) == [name]
        with pytest.raises(StoreError, match=r"\.db cannot be opened or written \(attempt to write a readonly"):
            store.add([row(1)])


def test_a_store_on_a_read_only_disk_is_not_called_damaged(path, monkeypatch):
    Store(path, TOURNAMENT).close()
    make_read_only(monkeypatch)
    with Store(path, TOURNAMENT) as store, pytest.raises(StoreError, match=r"results\.db cannot be opened or written"):
        store.add([row(0)])
    with pytest.raises(StoreError, match=r"new\.db cannot be opened or written \(unable to open database file\)"):
        Store(path.with_name("new.db"), TOURNAMENT)


def test_what_a_killed_process_left_on_a_read_only_disk_is_read(path, tmp_path, monkeypatch):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
        shutil.copytree(path.parent, tmp_path / "killed")  # with the log
    make_read_only(monkeypatch)
    with Store(tmp_path / "killed" / path.name) as store:
        assert store.games() == [row(0)]


def test_reading_leaves_nothing_behind(path):
    Store(path, TOURNAMENT).close()
    before = path.read_bytes()
    with Store(path) as store:
        assert store.games() == []
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == before


def test_every_session_that_played_is_recorded(path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/ludarium", "tournament", "my file\udcff.toml"])
    began = time.monotonic()
    with Store(path, TOURNAMENT) as store:
        assert store.sessions() == []
        store.add([row(0), row(1)])
        store.add([row(1), row(2)])  # one is there already
    with Store(path, TOURNAMENT) as store:
        store.games()  # a session that adds nothing is none
    with Store(path, TOURNAMENT) as store:
        store.add([row(3)])
        first, second = store.sessions()
    assert (first.games, second.games) == (3, 1)
    assert first.command == "ludarium tournament 'my file\\udcff.toml'"
    assert first.machine == machine()
    assert 0 <= first.seconds <= time.monotonic() - began + 0.001
    assert datetime.fromisoformat(first.started).utcoffset() == timedelta(0)
    assert first.started <= second.started


def test_the_machine_is_described(monkeypatch, tmp_path):
    described = machine()
    assert described.cores >= 1
    assert {"ludarium", "numpy", "numba"} <= set(described.packages)
    assert f"ludarium {described.packages['ludarium']}, numpy " in str(described)
    monkeypatch.setattr(session, "_CPU_INFO", tmp_path / "none")
    assert session._processor() == (platform.processor() or platform.machine())
    (tmp_path / "none").write_text("processor : 0\nmodel name\t: Big Iron\n")
    assert session._processor() == "Big Iron"
    monkeypatch.setattr(session, "_PACKAGES", ("numpy", "no-such-package"))
    assert list(machine.__wrapped__().packages) == ["numpy"]


SCHEMA_1 = """
CREATE TABLE tournament (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    event INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL,
    payoff_a REAL NOT NULL, payoff_b REAL NOT NULL, ending INTEGER NOT NULL, cause TEXT NOT NULL, moves BLOB NOT NULL,
    PRIMARY KEY (event, a, b, pair, leg)
) WITHOUT ROWID;
INSERT INTO tournament VALUES ('tournament', '{"name": "old", "agents": ["a", "b"], "games": [{"game": "othello"}]}');
INSERT INTO games VALUES (0, 0, 1, 0, 0, 1.0, -1.0, 0, '', x'0100');
PRAGMA application_id = 1280656449;
PRAGMA user_version = 1;
"""
OLD = {"name": "old", "agents": ["a", "b"]}


@pytest.fixture
def old(tmp_path):
    """`old(game, moves)`: a store of the first schema, with one game."""

    def make(game="othello", moves="0100"):
        path = tmp_path / "old.db"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as made:
            made.executescript(SCHEMA_1.replace("othello", game).replace("0100", moves))
        return path

    return make


def test_an_older_store_is_read_as_it_is_and_takes_no_more_games(old):
    path, now = old(), {**OLD, "games": [{"game": "othello", "crossplay": False}]}
    with Store(path) as store:
        assert store.tournament == now
        assert store.games() == [row(0)]  # a byte a move
        assert store.sessions() == store.times() == []
    with Store(path, now) as store:
        with pytest.raises(StoreError, match=r"old\.db was begun by an older version of Ludarium, in which agents got"):
            store.add([row(1)])
        assert store.games() == [row(0)]
    assert change(path, "PRAGMA user_version") == [(1,)]
    assert change(path, "SELECT name FROM sqlite_master WHERE name = 'sessions'") == []
    with Store(old(moves="0000ff00")) as store:  # the first action, and the last that a byte holds
        assert [one.moves for one in store.games()] == [bytes([0, 255])]
    with Store(old("backgammon", "01020304")) as store:  # two bytes a move where a game has many actions
        assert [one.moves for one in store.games()] == [bytes([1, 2, 3, 4])]


@pytest.mark.parametrize("moves", ["0001", "010001", "ffff"])
def test_damaged_moves_of_an_older_store(old, moves):
    path = old(moves=moves)
    with Store(path) as store, pytest.raises(StoreError, match=r"old\.db: the moves of game 0:0:1:0:0 are damaged"):
        store.games()
    assert change(path, "PRAGMA user_version") == [(1,)]
    assert change(path, "SELECT hex(moves) FROM games") == [(moves.upper(),)]


WRITER = """
import sys
from pathlib import Path
from ludarium.evaluation.tournament.store import GameRow, Store
with Store(Path(sys.argv[1]), {"agents": ["a", "b"], "games": [{}]}) as store:
    for pair in range(10**9):
        store.add(GameRow(0, 0, 1, pair, leg, 1.0, -1.0, 0, "", b"") for leg in range(2))
        print(pair, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(path):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for line in writer.stdout:
        if int(line) >= 300:
            break
    with pytest.raises(StoreError, match=rf"results\.db is in use by process {writer.pid}, which plays into it; wait"):
        Store(path, {"agents": ["a", "b"], "games": [{}]})
    Store(path).close()  # to read it
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = int([line, *writer.stdout.read().split()][-1])
    writer.wait()
    with Store(path) as store:
        pairs = store.pairs(0, 0, 1)
        assert set(range(acknowledged + 1)) <= pairs
        assert store.count() == 2 * len(pairs)
    Store(path, {"agents": ["a", "b"], "games": [{}]}).close()  # the killed process's lock is gone
    assert sorted(os.listdir(path.parent)) == [path.name]
