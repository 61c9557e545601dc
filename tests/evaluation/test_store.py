"""The file of results: nothing is lost, doubled or overwritten."""

import os
import re
import signal
import sqlite3
import subprocess
import sys

import pytest

from ludarium.evaluation.store import GameRow, Store, StoreError

TOURNAMENT = {"name": "test", "seed": 1}


def row(pair, leg=0, payoff=1.0):
    return GameRow(0, 0, 1, pair, leg, payoff, -payoff, 0, "", b"\1\0")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "results.db"


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
        with pytest.raises(sqlite3.Error):
            store.add([row(0), row(1)._replace(cause=None)._replace(moves=object())])
        assert store.count() == 0


def test_results_of_another_tournament_are_not_touched(path):
    with Store(path, TOURNAMENT) as store:
        store.add([row(0)])
    with pytest.raises(StoreError, match=r"results of another tournament \(different: seed\); give another file"):
        Store(path, {**TOURNAMENT, "seed": 2})
    with Store(path, TOURNAMENT) as store:
        assert store.count() == 1


def test_no_file(path):
    with pytest.raises(FileNotFoundError, match="there are no results at "):
        Store(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"x", " is not a file of results; it was left as it is"),
        (b"Dear Ada,\n" * 100, " is not a file of results; it was left as it is"),
        (b"SQLite format 3\0" + b"x" * 5000, " is not a file of results, or is damaged ("),
    ],
)
def test_a_foreign_or_damaged_file_is_left_as_it_is(tmp_path, content, text):
    path = tmp_path / "letter.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=re.escape(f"{path}{text}")):
        Store(path, TOURNAMENT)
    assert path.read_bytes() == content


def test_a_foreign_database_is_left_as_it_is(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE games (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is a database, but not one of ours; it was left as it is"):
        Store(path, TOURNAMENT)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(path):
    Store(path, TOURNAMENT).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match=r"has schema 99; this version of Ludarium knows 1: upgrade to read it"):
        Store(path, TOURNAMENT)


def test_a_store_without_its_tournament_is_damaged(path):
    Store(path, TOURNAMENT).close()
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM tournament")
    db.close()
    with pytest.raises(StoreError, match="has no entry 'tournament': it is damaged"):
        Store(path, TOURNAMENT)


WRITER = """
import sys
from pathlib import Path
from ludarium.evaluation.store import GameRow, Store
with Store(Path(sys.argv[1]), {"name": "test", "seed": 1}) as store:
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
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = int([line, *writer.stdout.read().split()][-1])
    writer.wait()
    with Store(path) as store:
        pairs = store.pairs(0, 0, 1)
        assert set(range(acknowledged + 1)) <= pairs
        assert store.count() == 2 * len(pairs)
