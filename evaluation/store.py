"""Where results live: one SQLite file a tournament, one row a game, nothing acknowledged is ever lost.

The file is in write-ahead mode and only the coordinator writes, a whole chunk of games in one transaction. Each game
has a unique key, so a game cannot be counted twice; which games are missing says what a resumed tournament must play.
Beside the games, and apart from them, is a row for each session that played some: when, where, with which software.
"""

import itertools
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.session import Machine, command_line, machine

_APPLICATION = 0x4C554441  # "LUDA" in the file's header: says whose file it is
_SCHEMA = 3
_MOVES_IN_A_BYTE = 3  # the first schema that keeps them so where they fit
_KEY = 5  # columns of the primary key, the first ones
_MAGIC = b"SQLite format 3\0"
_TABLES = """
CREATE TABLE tournament (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    event INTEGER NOT NULL,    -- number of the game in the tournament's list
    a INTEGER NOT NULL,        -- entrants; both are the same where a team of one plays a cooperative game
    b INTEGER NOT NULL,
    pair INTEGER NOT NULL,     -- number of the pair: dice, cards and opening are a function of (seed, pair)
    leg INTEGER NOT NULL,      -- 0: a has the first seat; 1: b has it
    payoff_a REAL NOT NULL,
    payoff_b REAL NOT NULL,
    ending INTEGER NOT NULL,   -- see ludarium.envs.arena
    cause TEXT NOT NULL,       -- why a seat forfeited; empty if none did
    moves BLOB NOT NULL,       -- the decisions in order, each a `move_type` of the game
    PRIMARY KEY (event, a, b, pair, leg)
) WITHOUT ROWID;
"""
_SESSIONS = """
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    started TEXT NOT NULL,     -- UTC, ISO 8601
    seconds REAL NOT NULL,     -- from then to the last game
    games INTEGER NOT NULL,    -- that it added
    command TEXT NOT NULL,
    machine TEXT NOT NULL      -- JSON: see ludarium.evaluation.session
)
"""


_BYTE = 256  # values of one
_ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ROWS = 100
"""Rows in a statement: one by one, calling SQLite would cost as much as what it does."""


class StoreError(ValueError):
    """A file that is not a store, is damaged, or belongs to another tournament."""


def move_type(game: Game) -> np.dtype[Any]:
    """What holds a decision in a store: one byte where the game has at most 256 actions, else two, little-endian."""
    return np.dtype("u1" if game.actions <= _BYTE else "<i2")


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


class Session(NamedTuple):
    """A process that added games to a store.

    Attributes:
        started: when it opened the store: UTC, ISO 8601.
        seconds: from then to its last game.
        games: how many it added.
        command: its command line.
        machine: where it ran, and with which software; of workers elsewhere nothing is known.
    """

    started: str
    seconds: float
    games: int
    command: str
    machine: Machine


class Store:
    """A tournament's results. Use as a context manager, or call `close`.

    Args:
        path: the file; None keeps everything in memory, for results that need not outlive the process.
        tournament: the tournament as plain data. A new file is made for it; an existing one must be of the same. None
            opens an existing file, whatever its tournament. A file of an older schema is read as it is, and brought
            up to date when the first games are added.

    Raises:
        StoreError: for a foreign, damaged or newer file, or one of another tournament. Nothing is overwritten.
        FileNotFoundError: if there is no such file and no tournament to make one for.
    """

    def __init__(self, path: Path | None, tournament: dict[str, Any] | None = None) -> None:
        self.path = path
        self._started, self._clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        self._session: int | None = None  # its number, once there are games of this session
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
            self.tournament: dict[str, Any] = self._read_tournament()
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
            f"BEGIN IMMEDIATE;{_TABLES}{_SESSIONS};INSERT INTO tournament VALUES ('tournament', '{text}');"
            f"PRAGMA application_id = {_APPLICATION};PRAGMA user_version = {_SCHEMA};COMMIT;"
        )

    def _check_kind(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION:
            raise StoreError(f"{self.path} is a database, but not one of ours; it was left as it is")
        schema = self._schema()
        if schema > _SCHEMA:
            raise StoreError(
                f"{self.path} has schema {schema}; this version of Ludarium knows {_SCHEMA}: upgrade to read it"
            )

    def _schema(self) -> int:
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        return int(schema)

    def _read_tournament(self) -> Any:
        tournament = json.loads(self._value("tournament"))
        if self._schema() == 1:
            for entry in tournament.get("games", []):
                entry["crossplay"] = False  # there was none
        return tournament

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
            session = self._session or self._new_session()
            added = sum(self._insert(block) for block in _blocks(rows))
            self._db.execute(
                "UPDATE sessions SET seconds = ?, games = games + ? WHERE number = ?",
                (round(time.monotonic() - self._clock, 3), added, session),
            )
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self._session = session

    def _insert(self, rows: list[tuple[Any, ...]]) -> int:
        """Insert rows by one statement; how many were new."""
        values = ", ".join([_ROW] * len(rows))
        return self._db.execute(
            f"INSERT OR IGNORE INTO games VALUES {values}", list(itertools.chain.from_iterable(rows))
        ).rowcount

    def _new_session(self) -> int:
        """Enter this process, in a transaction that adds its first games; its number."""
        if self._schema() < _SCHEMA:
            self._upgrade()
        facts = self._started, command_line(), json.dumps(machine()._asdict())
        entered = self._db.execute(
            "INSERT INTO sessions (started, seconds, games, command, machine) VALUES (?, 0, 0, ?, ?)", facts
        )
        assert entered.lastrowid is not None
        return entered.lastrowid

    def _upgrade(self) -> None:
        """Bring an older file up to date, in a transaction that adds games."""
        narrow = [(row.moves, *row[:_KEY]) for row in self.games()]
        self._db.executemany("UPDATE games SET moves=? WHERE event=? AND a=? AND b=? AND pair=? AND leg=?", narrow)
        if self._schema() == 1:
            self._db.execute(_SESSIONS)
            text = json.dumps(self.tournament, sort_keys=True)
            self._db.execute("UPDATE tournament SET value = ? WHERE key = 'tournament'", (text,))
        self._db.execute(f"PRAGMA user_version = {_SCHEMA}")

    def sessions(self) -> list[Session]:
        """The sessions that played, in order; none are known of before schema 2."""
        if self._schema() == 1:
            return []
        query = "SELECT started, seconds, games, command, machine FROM sessions ORDER BY number"
        return [
            Session(started, seconds, games, command, Machine(**json.loads(text)))
            for started, seconds, games, command, text in self._db.execute(query)
        ]

    def pairs(self, event: int, a: int, b: int) -> set[int]:
        """Numbers of the pairs that have been played."""
        found = self._db.execute("SELECT DISTINCT pair FROM games WHERE event=? AND a=? AND b=?", (event, a, b))
        return {pair for (pair,) in found}

    def games(self, event: int | None = None) -> list[GameRow]:
        """All games, or those of one event, in the order of their keys."""
        where, values = ("WHERE event=?", (event,)) if event is not None else ("", ())
        query = f"SELECT * FROM games {where} ORDER BY event, a, b, pair, leg"
        rows = [GameRow(*row) for row in self._db.execute(query, values)]
        return [self._narrowed(row) for row in rows] if self._schema() < _MOVES_IN_A_BYTE else rows

    def _narrowed(self, row: GameRow) -> GameRow:
        """A row of an older file, whose moves had two bytes in all games, as it would be kept now."""
        wanted = move_type(make_game(self.tournament["games"][row.event]["game"]))
        try:
            moves = np.frombuffer(row.moves, dtype="<i2")
        except ValueError:  # half of one
            moves = np.array([-1], dtype="<i2")
        if (moves < 0).any() or (moves > np.iinfo(wanted).max).any():
            raise StoreError(f"{self.path}: the moves of game {':'.join(map(str, row[:_KEY]))} are damaged")
        return row._replace(moves=moves.astype(wanted).tobytes())

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


def _blocks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows, so many at a time."""
    rest = iter(rows)
    while block := list(itertools.islice(rest, _ROWS)):
        yield block
