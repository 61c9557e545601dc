"""The games of the table in one SQLite file, so that they outlive the server; and the token, so that open pages do."""

import contextlib
import json
import os
import secrets
import sqlite3
import time
from pathlib import Path
from typing import Any

_APPLICATION = 0x4C555442  # "LUTB" in the file's header marks it as ours
_SCHEMA = 1
_TABLES = f"""
CREATE TABLE sessions (key TEXT PRIMARY KEY, changed REAL NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_SCHEMA};
"""


class Kept:
    """A file of sessions.

    Args:
        path: the file, made if there is none, for its owner's eyes only; None keeps everything in memory.

    Raises:
        ValueError: if it is another kind of file, or of another version.
    """

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self._db = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
        try:
            self._open(path)
        except sqlite3.Error as error:
            self._db.close()
            raise ValueError(f"{path} cannot be used as the file of games ({error}); give another --games") from None
        except ValueError:
            self._db.close()
            raise

    def _open(self, path: Path | None) -> None:
        (tables,) = self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not tables:
            self._db.executescript(_TABLES)
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION or schema != _SCHEMA:
            raise ValueError(
                f"{path} is not a file of games of this version; it was left as it is; give another --games"
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def token(self) -> str:
        """The token of this file's server; the same every time, so that a page goes on after a restart."""
        made = secrets.token_urlsafe(24)
        self._db.execute("INSERT OR IGNORE INTO settings VALUES ('token', ?)", (made,))
        (token,) = self._db.execute("SELECT value FROM settings WHERE name = 'token'").fetchone()
        return str(token)

    def keep(self, key: str, data: dict[str, Any]) -> None:
        """Keep a session as it is now."""
        self._db.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (key, time.time(), json.dumps(data)))

    def find(self, key: str) -> dict[str, Any] | None:
        """A session's data; None if there is no such session."""
        row = self._db.execute("SELECT data FROM sessions WHERE key = ?", (key,)).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def latest(self, most: int) -> list[tuple[str, dict[str, Any]]]:
        """The sessions that changed last, the newest first."""
        rows = self._db.execute("SELECT key, data FROM sessions ORDER BY changed DESC LIMIT ?", (most,)).fetchall()
        return [(key, json.loads(data)) for key, data in rows]

    def forget(self, key: str) -> None:
        """Remove a session."""
        self._db.execute("DELETE FROM sessions WHERE key = ?", (key,))

    def close(self) -> None:
        """Close the file."""
        self._db.close()
