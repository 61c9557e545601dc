"""Where results live: one SQLite file per tournament, one row per game; nothing acknowledged is ever lost.

The file is in write-ahead mode and only the coordinator writes, a whole chunk of games in one transaction. Each game
has a unique key, so a game cannot be counted twice, and a resumed tournament plays the games whose keys are missing.
A separate table has a row for each session that played some of the games: when, where, with which software.
"""

import contextlib
import itertools
import json
import os
import sqlite3
import struct
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.times import BUCKETS
from ludarium.evaluation.tournament.entrants import not_importable
from ludarium.evaluation.tournament.lock import FileLock, Locked
from ludarium.evaluation.tournament.session import Machine, command_line, machine

_APPLICATION = 0x4C554441  # "LUDA" in the file's header marks it as ours
_SCHEMA = 6
_MOVES_IN_A_BYTE = 3  # the first schema that stores moves in one byte if they fit
_WITH_TIMES = 4  # the first schema that stores how long moves took
_SAME_SEEDS = 5  # the first schema whose agents got the seeds that they get now, so that its games can go on
_WITH_CHECKSUMS = 6  # the first schema that stores a checksum of each game
_KEY = 5  # number of columns in the primary key; they come first
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
    ending INTEGER NOT NULL,   -- see ludarium.envs.batch
    cause TEXT NOT NULL,       -- why a seat forfeited; empty if none did
    moves BLOB NOT NULL,       -- the decisions in order, each a `move_type` of the game
    checksum INTEGER NOT NULL, -- of all that is before it: see `checksum`
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
    machine TEXT NOT NULL      -- JSON: see ludarium.evaluation.tournament.session
)
"""
_TIMES = """
CREATE TABLE IF NOT EXISTS times (  -- how long moves took: counts, which resumed sessions add to
    event INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    opponent INTEGER NOT NULL, -- the same where a team of one plays a cooperative game
    apart INTEGER NOT NULL,    -- as in `TimeRow`
    bucket INTEGER NOT NULL,   -- see ludarium.evaluation.play.times
    decisions INTEGER NOT NULL,
    PRIMARY KEY (event, entrant, opponent, apart, bucket)
) WITHOUT ROWID
"""


_BYTE = 256  # number of values of a byte
_COLUMNS = "event, a, b, pair, leg, payoff_a, payoff_b, ending, cause, moves"
_NUMBERS = struct.Struct("<5q2dq")  # the columns before `cause`
_ROWS = 100
"""Rows per statement: inserted one by one, the calls would cost as much as SQLite's own work."""
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_REFUSED = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
)  # fmt: skip


class StoreError(ValueError):
    """A file is not a store, is damaged, is in use, cannot be written, or belongs to another tournament."""


def move_type(game: Game) -> np.dtype[Any]:
    """The type of a stored decision: one byte if the game has at most 256 actions, otherwise two, little-endian."""
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

    @property
    def key(self) -> tuple[int, int, int, int, int]:
        """What tells it from all other games of its store."""
        return self.event, self.a, self.b, self.pair, self.leg


def checksum(row: Sequence[Any]) -> int:
    """The CRC-32 of a game with the columns of `GameRow`: its numbers in eight bytes each, its cause, its moves."""
    event, a, b, pair, leg, payoff_a, payoff_b, ending, cause, moves = row
    numbers = _NUMBERS.pack(event, a, b, pair, leg, payoff_a + 0.0, payoff_b + 0.0, ending)  # SQLite knows no -0.0
    return zlib.crc32(numbers + cause.encode() + moves)


IN_PYTHON, IN_COMPILED_CODE = 1, 2
"""Where decisions were timed: in Python their times include the call, of a compiled agent a few microseconds."""


class TimeRow(NamedTuple):
    """How many decisions took how long, with the columns of the table `times`.

    `apart` is `IN_PYTHON` or `IN_COMPILED_CODE`; or 0 in older stores, for the mean of both sides.
    """

    event: int
    entrant: int
    opponent: int
    apart: int
    bucket: int
    decisions: int


class Session(NamedTuple):
    """A process that added games to a store.

    Attributes:
        started: when it opened the store: UTC, ISO 8601.
        seconds: time from then to its last game.
        games: number of games that it added.
        command: its command line.
        machine: where it ran, and with which software; nothing is recorded about workers on other machines.
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
        tournament: the tournament as plain data. A new file is made for it, in a folder that exists; an existing file
            must belong to it. Until it is closed, other processes cannot open it in this way, so that no game is
            played twice. None opens an existing file of any tournament, also on a read-only disk. A file of which
            agents got other seeds than now is read as it is, and takes no more games.

    Raises:
        StoreError: for a foreign, damaged or newer file, one of another tournament, or a place where there can be none;
            every method also raises it if the file is damaged, in use by another process or cannot be written. Nothing
            is overwritten.
        FileNotFoundError: if there is no such file and no tournament is given.
    """

    def __init__(self, path: Path | None, tournament: dict[str, Any] | None = None) -> None:
        self.path = path
        self._started, self._clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        self._session: int | None = None  # its number, once there are games of this session
        if path is not None:
            check_path(path, made=tournament is not None)
            _check_importable(path, tournament or {})
        new = path is None or not path.exists() or path.stat().st_size == 0
        if new and tournament is None:
            raise FileNotFoundError(f"there are no results at {path}")
        if path is not None and not new:
            with path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise StoreError(f"{path} is not a file of results; it was left as it is")
        self._lock = _lock(path) if path is not None and tournament is not None else None
        try:
            self._open(path, tournament, new)
        except BaseException:
            self._release()
            raise

    def _open(self, path: Path | None, tournament: dict[str, Any] | None, new: bool) -> None:
        with self._errors():
            self._db = _connect(path, only_read=tournament is None)
            if new:
                self._create(tournament)
            self._check_kind()
            if tournament is not None:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
            self.tournament: dict[str, Any] = self._read_tournament()
            self._checksums = self._schema() >= _WITH_CHECKSUMS
        if tournament is not None and tournament != self.tournament:
            raise StoreError(
                f"{path} holds the results of another tournament "
                f"(different: {', '.join(_changed(tournament, self.tournament))}); "
                "give another file, or the tournament as it was"
            )

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn SQLite's errors about the file into `StoreError`; errors about values or calls are raised as is."""
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # no code: invalid UTF-8
            if code in _IN_USE:
                problem = f"is in use by another process ({error}); wait for it to end, or close it"
            elif code in _REFUSED:
                problem = f"cannot be opened or written ({error}); check the disk and its permissions"
            elif code == sqlite3.SQLITE_NOTADB:
                problem = f"is not a file of results, or is damaged ({error}); it was left as it is"
            else:
                problem = f"is damaged ({error}); it was left as it is"
            raise StoreError(f"{self.path} {problem}") from error

    def _create(self, tournament: dict[str, Any] | None) -> None:
        text = json.dumps(tournament, sort_keys=True).replace("'", "''")
        self._db.executescript(
            f"BEGIN IMMEDIATE;{_TABLES}{_SESSIONS};{_TIMES};INSERT INTO tournament VALUES ('tournament', '{text}');"
            f"PRAGMA application_id = {_APPLICATION};PRAGMA user_version = {_SCHEMA};COMMIT;"
        )

    def _check_kind(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION:
            raise StoreError(f"{self.path} is a database, but not one of ours; it was left as it is")
        schema = self._schema()
        if schema > _SCHEMA:
            raise StoreError(
                f"{self.path} has schema {schema}, but this version of Ludarium supports {_SCHEMA}: upgrade to read it"
            )

    def _schema(self) -> int:
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        return int(schema)

    def _read_tournament(self) -> Any:
        row = self._db.execute("SELECT value FROM tournament WHERE key = 'tournament'").fetchone()
        if row is None:
            raise StoreError(f"{self.path} has no entry 'tournament': it is damaged; it was left as it is")
        try:
            tournament = json.loads(row[0])
            if self._schema() == 1:
                for entry in tournament["games"]:
                    entry["crossplay"] = False  # schema 1 had none
            if isinstance(tournament["games"], list) and isinstance(tournament["agents"], list):
                return tournament
        except (ValueError, TypeError, KeyError):
            pass
        raise StoreError(f"{self.path} has an invalid entry 'tournament': it is damaged; it was left as it is")

    def add(self, rows: Iterable[tuple[Any, ...]], times: Iterable[TimeRow] = ()) -> None:
        """Add games, all or none, each with the columns of `GameRow`, and how long their moves took.

        Games already stored stay as they are. The games are safe when this returns.
        """
        with self._errors(), self._db:  # commits, or rolls back
            self._db.execute("BEGIN IMMEDIATE")
            session = self._session or self._new_session()
            added = sum(self._insert(block) for block in _blocks(rows))
            self._db.executemany(
                "INSERT INTO times VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET decisions = decisions + excluded.decisions",
                times,
            )
            self._db.execute(
                "UPDATE sessions SET seconds = ?, games = games + ? WHERE number = ?",
                (round(time.monotonic() - self._clock, 3), added, session),
            )
        self._session = session

    def extend(self, tournament: dict[str, Any]) -> None:
        """Let more entrants, games or pairs into the tournament; those that are in it keep their numbers.

        Raises:
            StoreError: if anything else would change.
        """
        shorter = {**tournament}
        for name in ("agents", "games"):
            shorter[name] = tournament[name][: len(self.tournament[name])]
        shorter["games"] = [
            {**new, "pairs": min(new["pairs"], old["pairs"])}
            for new, old in zip(shorter["games"], self.tournament["games"], strict=False)
        ]
        if shorter != self.tournament:
            raise StoreError(f"{self.path}: a tournament can only be extended by entrants, games and pairs")
        text = json.dumps(tournament, sort_keys=True)
        with self._errors(), self._db:
            self._db.execute("UPDATE tournament SET value = ? WHERE key = 'tournament'", (text,))
        self.tournament = tournament

    def _insert(self, rows: list[tuple[Any, ...]]) -> int:
        """Insert rows in one statement; returns how many were new."""
        if self._checksums:
            rows = [(*row, checksum(row)) for row in rows]
        values = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
        return self._db.execute(
            f"INSERT OR IGNORE INTO games VALUES {values}", list(itertools.chain.from_iterable(rows))
        ).rowcount

    def _new_session(self) -> int:
        """Add a row for this process, in the transaction that adds its first games; returns its number."""
        if self._schema() < _SAME_SEEDS:
            raise StoreError(
                f"{self.path} was begun by an older version of Ludarium, in which agents got other seeds, so its games "
                "would not go on as they began; report it as it is, or play into another file"
            )
        facts = self._started, command_line(), json.dumps(machine()._asdict())
        entered = self._db.execute(
            "INSERT INTO sessions (started, seconds, games, command, machine) VALUES (?, 0, 0, ?, ?)", facts
        )
        assert entered.lastrowid is not None
        return entered.lastrowid

    def sessions(self) -> list[Session]:
        """The sessions that added games, in order; files before schema 2 have none."""
        query = "SELECT started, seconds, games, command, machine FROM sessions ORDER BY number"
        with self._errors():
            rows = self._db.execute(query).fetchall() if self._schema() > 1 else []
        try:
            return [
                Session(started, seconds, games, command, Machine(**json.loads(text)))
                for started, seconds, games, command, text in rows
            ]
        except (ValueError, TypeError) as error:
            raise StoreError(f"{self.path} is damaged (a session's machine: {error}); it was left as it is") from None

    def times(self) -> list[TimeRow]:
        """How long moves took, in the order of the keys; files before schema 4 do not say.

        Raises:
            StoreError: if these are not counts of the tournament's games.
        """
        query = "SELECT * FROM times ORDER BY event, entrant, opponent, apart, bucket"
        with self._errors():
            rows = [TimeRow(*row) for row in self._db.execute(query)] if self._schema() >= _WITH_TIMES else []
        events, entrants = (range(len(self.tournament[key])) for key in ("games", "agents"))
        for row in rows:
            known = row.event in events and row.entrant in entrants and row.opponent in entrants
            if not known or row.bucket not in range(BUCKETS) or type(row.decisions) is not int or row.decisions < 0:
                raise StoreError(f"{self.path} is damaged (times {tuple(row)!r} are not of its tournament)")
        return rows

    def pairs(self, event: int, a: int, b: int) -> set[int]:
        """Numbers of the pairs that have been played."""
        query = "SELECT DISTINCT pair FROM games WHERE event=? AND a=? AND b=?"
        with self._errors():
            return {pair for (pair,) in self._db.execute(query, (event, a, b))}

    def games(self, event: int | None = None) -> list[GameRow]:
        """All games, or those of one event, in the order of their keys."""
        return self._read("", ()) if event is None else self._read("WHERE event=?", (event,))

    def games_between(self, event: int, a: int, b: int) -> list[GameRow]:
        """The games of one pairing, in the order of their keys."""
        return self._read("WHERE event=? AND a=? AND b=?", (event, a, b))

    def _read(self, where: str, values: tuple[int, ...]) -> list[GameRow]:
        query = f"SELECT {_COLUMNS} FROM games {where} ORDER BY event, a, b, pair, leg"
        with self._errors():
            rows = [GameRow(*row) for row in self._db.execute(query, values)]
            narrow = self._schema() >= _MOVES_IN_A_BYTE
        self._check_games(rows)
        return rows if narrow else [self._narrowed(row) for row in rows]

    def changed(self) -> Iterator[tuple[int, ...]]:
        """The keys of games that are not as they were stored, by their checksums; older files have none."""
        if self._checksums:
            with self._errors():
                for *row, stored in self._db.execute(f"SELECT {_COLUMNS}, checksum FROM games"):
                    if checksum(row) != stored:
                        yield tuple(row[:_KEY])

    def _check_games(self, rows: list[GameRow]) -> None:
        """Raise an error unless all games belong to the tournament and its entrants."""
        events, entrants = (range(len(self.tournament[key])) for key in ("games", "agents"))
        for key in {row[:3] for row in rows}:
            if key[0] not in events or key[1] not in entrants or key[2] not in entrants:
                bad = next(row[:_KEY] for row in rows if row[:3] == key)
                raise StoreError(f"{self.path} is damaged (a game {bad!r} is not one of its tournament's)")

    def _narrowed(self, row: GameRow) -> GameRow:
        """A row of an older file, in which every move had two bytes, as it would be stored now."""
        wanted = move_type(make_game(self.tournament["games"][row.event]["game"]))
        try:
            moves = np.frombuffer(row.moves, dtype="<i2")
        except ValueError:  # half a move
            moves = np.array([-1], dtype="<i2")
        if (moves < 0).any() or (moves > np.iinfo(wanted).max).any():
            raise StoreError(f"{self.path}: the moves of game {':'.join(map(str, row[:_KEY]))} are damaged")
        return row._replace(moves=moves.astype(wanted).tobytes())

    def count(self) -> int:
        """Number of games."""
        with self._errors():
            (number,) = self._db.execute("SELECT COUNT(*) FROM games").fetchone()
        return int(number)

    def close(self) -> None:
        """Close the file; the write-ahead log is merged into it."""
        self._db.close()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def check_path(path: Path, *, made: bool = True) -> None:
    """Refuse a path at which there can be no store.

    Args:
        path: the path.
        made: whether a store is made if there is none.

    Raises:
        StoreError: if it is a folder, or if it is to be made in a folder that there is not.
    """
    if path.is_dir():
        raise StoreError(f"{path} is a folder; give a file of results, such as {path / 'games.db'}")
    if made and not path.parent.is_dir():
        raise StoreError(f"{path} cannot be made: there is no folder {path.parent}; make it, or give another file")


def _changed(tournament: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    """In what two tournaments differ; `openings` if that is all in which their games do."""
    changed = sorted(name for name in tournament | stored if tournament.get(name) != stored.get(name))
    if [_without_openings(entry) for entry in tournament["games"]] == list(map(_without_openings, stored["games"])):
        changed = ["openings" if name == "games" else name for name in changed]
    return changed


def _without_openings(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "openings"}


def _check_importable(path: Path, tournament: dict[str, Any]) -> None:
    """Refuse to keep a tournament whose agents nobody would find again."""
    for agent in tournament.get("agents", []):
        for name, spec in agent.items() if isinstance(agent, dict) else ():
            if spec is None:
                raise StoreError(f"{path}: {not_importable(name)}")


def _lock(path: Path) -> FileLock | None:
    """Keep other processes from playing into the same file; None in a folder that cannot be written."""
    if not os.access(path.resolve().parent, os.W_OK):
        return None
    try:
        return FileLock(Path(f"{path.resolve()}-lock"))
    except Locked as held:
        who = f"process {held.process}" if held.process else "another process"
        raise StoreError(f"{path} is in use by {who}, which plays into it; wait for it to end, or stop it") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be opened or written ({error}); check the disk and its permissions") from None


def _connect(path: Path | None, *, only_read: bool) -> sqlite3.Connection:
    """Open a file; for reading only, in a folder that cannot be written, without SQLite's companion files."""
    if path is None:
        return sqlite3.connect(":memory:", isolation_level=None)
    file, mode = path.resolve(), "rwc"
    if only_read and not os.access(file.parent, os.W_OK):
        mode = "ro" if Path(f"{file}-wal").exists() else "ro&immutable=1"  # without a log nobody is writing to it
    return sqlite3.connect(f"{file.as_uri()}?mode={mode}", uri=True, isolation_level=None)


def _blocks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows in blocks of `_ROWS`."""
    rest = iter(rows)
    while block := list(itertools.islice(rest, _ROWS)):
        yield block
