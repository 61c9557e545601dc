"""The games of the table in one SQLite file, so that they outlive the server.

The file is its owner's alone, and one server's at a time. Games are read where they are asked for, which is quick, and
written in a thread, since a disk may keep one waiting: all that wait are one transaction, in the order in which they
came. Whoever keeps a game is told once it is in the file, or that nothing was changed.
"""

import asyncio
import contextlib
import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.tournament.lock import FileLock, Locked

_APPLICATION = 0x4C555442  # "LUTB" in the file's header marks it as ours
_SCHEMA = 2
_WITH_TOKEN = 1  # the schema that kept the server's secret beside the games
_TABLES = f"""
CREATE TABLE sessions (key TEXT PRIMARY KEY, changed REAL NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_SCHEMA};
"""
_WITHOUT_TOKEN = f"""
PRAGMA secure_delete = ON;
BEGIN;
DROP TABLE settings;
PRAGMA user_version = {_SCHEMA};
COMMIT;
"""
PATIENCE = 5.0
"""Seconds to wait for a file that another program is writing to."""

_Write = tuple[str, tuple[Any, ...], "asyncio.Future[None]"]


class Kept:
    """A file of games.

    Args:
        path: the file, made if there is none, for its owner's eyes only; None keeps everything in memory.

    Raises:
        ValueError: if it is another kind of file, or of another version, or another server has it.
        OSError: if it cannot be made, or not be kept from others.
    """

    def __init__(self, path: Path | None) -> None:
        self._waiting: list[_Write] = []
        self._writing: asyncio.Task[None] | None = None
        with contextlib.ExitStack() as opened:
            if path is not None:
                path = path.resolve()
                _make(path)
                opened.callback(_lock(path).release)
            place = ":memory:" if path is None else path
            try:
                self._db = opened.enter_context(contextlib.closing(_connect(place)))
                self._prepare(path)
                self._writer = self._db  # in memory, another connection would be another database
                if path is not None:
                    _close_to_others(path)
                    self._writer = opened.enter_context(contextlib.closing(_connect(place)))
                    self._writer.execute("PRAGMA synchronous = NORMAL")
                    self._db.execute("PRAGMA busy_timeout = 0")  # nothing else goes on while it is read
            except sqlite3.Error as error:
                raise ValueError(
                    f"{path} cannot be used as the file of games ({error}); give another --games"
                ) from None
            self._opened = opened.pop_all()

    def _prepare(self, path: Path | None) -> None:
        (tables,) = self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not tables:
            self._db.executescript(_TABLES)
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION or schema not in (_WITH_TOKEN, _SCHEMA):
            raise ValueError(
                f"{path} is not a file of games of this version; it was left as it is; give another --games"
            )
        if schema == _WITH_TOKEN:
            self._db.executescript(_WITHOUT_TOKEN)
        self._db.execute("PRAGMA journal_mode = WAL")

    async def keep(self, key: str, data: dict[str, Any]) -> None:
        """Keep a game as it is now; it is in the file when this returns.

        Raises:
            Refusal: if the file cannot be written; then it holds the game as it was.
        """
        row = key, time.time(), json.dumps(data)
        await self._write("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", row)

    async def forget(self, key: str) -> None:
        """Remove a game; errors are those of `keep`."""
        await self._write("DELETE FROM sessions WHERE key = ?", (key,))

    async def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((statement, values, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            refusal: Refusal | None = None
            try:
                await apart(self._commit, batch)
            except Exception as error:
                refusal = Refusal(f"the file of games cannot be written ({error}); mend that and try again", 503)
            for *_, done in batch:
                if done.done():  # nobody waits any more
                    continue
                if refusal is not None:
                    done.set_exception(refusal)
                else:
                    done.set_result(None)
        self._writing = None

    def _commit(self, batch: list[_Write]) -> None:
        with self._writer:
            self._writer.execute("BEGIN IMMEDIATE")
            for statement, values, _ in batch:
                self._writer.execute(statement, values)

    def find(self, key: str) -> dict[str, Any] | None:
        """A game's data; None if there is no such game.

        Raises:
            Refusal: if the file cannot be read.
        """
        found = self._read("SELECT key, data FROM sessions WHERE key = ?", key)
        return found[0][1] if found else None

    def latest(self, most: int) -> list[tuple[str, dict[str, Any]]]:
        """The games that changed last, the newest first; errors are those of `find`."""
        return self._read("SELECT key, data FROM sessions ORDER BY changed DESC LIMIT ?", most)

    def _read(self, query: str, value: Any) -> list[tuple[str, dict[str, Any]]]:
        try:
            rows = self._db.execute(query, (value,)).fetchall()
        except sqlite3.Error as error:
            raise Refusal(f"the file of games cannot be read ({error}); mend that and try again", 503) from None
        return [(key, json.loads(data)) for key, data in rows]

    async def finish(self) -> None:
        """Wait until all that was to be written is."""
        if self._writing is not None:
            await self._writing

    def close(self) -> None:
        """Close the file."""
        self._opened.close()


def _connect(place: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(place, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


def _make(path: Path) -> None:
    """Make a file if there is none, and its folder, for nobody but their owner."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _close_to_others(path: Path) -> None:
    """Let nobody but its owner read a file that was made otherwise, or the files that SQLite keeps beside it."""
    for file in (path, *(Path(f"{path}-{companion}") for companion in ("wal", "shm", "journal"))):
        if file.exists() and file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _lock(path: Path) -> FileLock:
    """Keep other servers away: each would overwrite the moves of the other.

    Raises:
        ValueError: if there is one already.
    """
    try:
        return FileLock(Path(f"{path}-lock"))
    except Locked as held:
        who = f"process {held.process}" if held.process else "another process"
        raise ValueError(
            f"another table keeps its games in {path} ({who}); stop it, or give this one another file: --games OTHER"
        ) from None
