"""A lock that a process holds on a file as long as it lives: the system drops it even after `kill -9`."""

import contextlib
import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Locked(Exception):
    """Another process holds the lock; `process` is its number, 0 if it is not known."""

    def __init__(self, process: int) -> None:
        super().__init__(process)
        self.process = process


class FileLock:
    """An exclusive lock between processes, held on a companion file from creation to `release`.

    The companion file is removed on release; after a kill it stays, unlocked, and the next process takes it over. On
    Windows there is no lock. Two locks on the same file in one process do not exclude each other.

    Raises:
        Locked: if another process holds it.
        OSError: if the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        while True:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                self._acquire()
                if self._is_in_place():
                    break
            except BaseException:
                os.close(self._file)
                raise
            os.close(self._file)  # its last owner removed it in the meantime

    def _acquire(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.read(self._file, 20)
            raise Locked(int(text) if text.isdigit() else 0) from None
        os.truncate(self._file, 0)
        os.write(self._file, str(os.getpid()).encode())

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Remove the file and give up the lock."""
        with contextlib.suppress(OSError):
            self.path.unlink()
        os.close(self._file)
