"""Where results live: one SQLite file a tournament, one row a game, nothing acknowledged is ever lost.

The file is in write-ahead mode and only the coordinator writes, a whole chunk of games in one transaction. Each game
has a unique key, so a game cannot be counted twice; which games are missing says what a resumed tournament must play.
"""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

_APPLICATION = 0x4C554441  # "LUDA" in the file's header: says whose file it is
_SCHEMA = 1
_MAGIC = b"SQLite format 3\0"
_TABLES = """
CREATE TABLE tournament (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    event INTEGER NOT NULL,    -- number of the game in the tournament's list
    a INTEGER NOT NULL,        -- entrants; in cooperative games both are the team
    b INTEGER NOT NULL,
    pair INTEGER NOT NULL,     -- number of the pair: dice, cards and opening are a function of (seed, pair)
    leg INTEGER NOT NULL,      -- 0: a has the first seat; 1: b has it
    payoff_a REAL NOT NULL,
    payoff_b REAL NOT NULL,
    ending INTEGER NOT NULL,   -- see ludarium.envs.arena
    cause TEXT NOT NULL,       -- why a seat forfeited; empty if none did
    moves BLOB NOT NULL,       -- the decisions in order, two bytes each, little-endian
    PRIMARY KEY (event, a, b, pair, leg)
) WITHOUT ROWID;
"""


class StoreError(ValueError):
    """A file that is not a store, is damaged, or belongs to another tournament."""


class GameRow(NamedTuple):
    """One game, with the columns of the table `games`."""

    event: int
    a: int
    b: int
    pair: int
    leg: int
    payoff_a: float
    payoff_b: float
    ending: int
    cause: str
    moves: bytes


class Store:
    """A tournament's results. Use as a context manager, or call `close`.

    Args:
        path: the file; None keeps everything in memory, for results that need not outlive the process.
        tournament: the tournament as plain data. A new file is made for it; an existing one must be of the same. None
            opens an existing file, whatever its tournament.

    Raises:
        StoreError: for a foreign, damaged or newer file, or one of another tournament. Nothing is overwritten.
        FileNotFoundError: if there is no such file and no tournament to make one for.
    """

    def __init__(self, path: Path | None, tournament: dict[str, Any] | None = None) -> None:
        self.path = path
        new = path is None or not path.exists() or path.stat().st_size == 0
        if new and tournament is None:
            raise FileNotFoundError(f"there are no results at {path}")
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        if path is not None and not new:
            with path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise StoreError(f"{path} is not a file of results; it was left as it is")
        try:
            self._db = sqlite3.connect(path or ":memory:", isolation_level=None)
            if new:
                self._create(tournament)
            self._check_kind()
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self.tournament: dict[str, Any] = json.loads(self._value("tournament"))
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{path} is not a file of results, or is damaged ({error}); it was left as it is"
            ) from None
        if tournament is not None and tournament != self.tournament:
            changed = sorted(k for k in tournament | self.tournament if tournament.get(k) != self.tournament.get(k))
            raise StoreError(
                f"{path} holds the results of another tournament (different: {', '.join(changed)}); "
                "give another file, or the tournament as it was"
            )

    def _create(self, tournament: dict[str, Any] | None) -> None:
        text = json.dumps(tournament, sort_keys=True).replace("'", "''")
        self._db.executescript(
            f"BEGIN IMMEDIATE;{_TABLES}INSERT INTO tournament VALUES ('tournament', '{text}');"
            f"PRAGMA application_id = {_APPLICATION};PRAGMA user_version = {_SCHEMA};COMMIT;"
        )

    def _check_kind(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION:
            raise StoreError(f"{self.path} is a database, but not one of ours; it was left as it is")
        if schema > _SCHEMA:
            raise StoreError(
                f"{self.path} has schema {schema}; this version of Ludarium knows {_SCHEMA}: upgrade to read it"
            )

    def _value(self, key: str) -> str:
        row = self._db.execute("SELECT value FROM tournament WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path} has no entry {key!r}: it is damaged; it was left as it is")
        value: str = row[0]
        return value

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add games, all or none, each with the columns of `GameRow`.

        Games that are there already stay as they are. The games are safe when this returns.
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def pairs(self, event: int, a: int, b: int) -> set[int]:
        """Numbers of the pairs that have been played."""
        found = self._db.execute("SELECT DISTINCT pair FROM games WHERE event=? AND a=? AND b=?", (event, a, b))
        return {pair for (pair,) in found}

    def games(self, event: int | None = None) -> list[GameRow]:
        """All games, or those of one event, in the order of their keys."""
        where, values = ("WHERE event=?", (event,)) if event is not None else ("", ())
        query = f"SELECT * FROM games {where} ORDER BY event, a, b, pair, leg"
        return [GameRow(*row) for row in self._db.execute(query, values)]

    def count(self) -> int:
        """Number of games."""
        (number,) = self._db.execute("SELECT COUNT(*) FROM games").fetchone()
        return int(number)

    def close(self) -> None:
        """Close the file; the write-ahead log goes into it."""
        self._db.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
