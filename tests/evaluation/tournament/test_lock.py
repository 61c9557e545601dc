"""The lock of a file: who holds it, and what is left of it."""

import os

import pytest

from ludarium.evaluation.tournament import lock
from ludarium.evaluation.tournament.lock import FileLock, Locked

pytestmark = pytest.mark.skipif(lock.fcntl is None, reason="Windows has no such lock")


@pytest.fixture
def closed(monkeypatch):
    """The files that have been closed."""
    closed, close = [], os.close

    def record(file):
        closed.append(file)
        close(file)

    monkeypatch.setattr(os, "close", record)
    return closed


def test_a_lock_names_its_process_until_it_is_released(tmp_path, closed):
    path = tmp_path / "games.db-lock"
    path.write_text("9" * 30)  # of a process that was killed
    held = FileLock(path)
    assert path.read_text() == f"{os.getpid()}"
    held.release()
    assert not path.exists()
    assert held._file in closed


def test_a_lock_whose_file_somebody_removed_is_released(tmp_path, closed):
    held = FileLock(tmp_path / "lock")
    held.path.unlink()
    held.release()
    assert held._file in closed


@pytest.mark.parametrize(
    ("text", "process"), [("", 0), ("17", 17), ("nobody", 0), ("9" * 20, int("9" * 20)), ("9" * 30, int("9" * 20))]
)
def test_a_lock_that_another_process_holds_is_left_as_it_is(tmp_path, monkeypatch, closed, text, process):
    opened = []

    def taken(file, how):
        opened.append(file)
        assert how == lock.fcntl.LOCK_EX | lock.fcntl.LOCK_NB  # nobody waits
        raise BlockingIOError

    monkeypatch.setattr(lock.fcntl, "lockf", taken)
    (tmp_path / "lock").write_text(text)
    with pytest.raises(Locked) as locked:
        FileLock(tmp_path / "lock")
    assert locked.value.process == process
    assert (tmp_path / "lock").read_text() == text
    assert opened[0] in closed


@pytest.mark.parametrize("again", [False, True], ids=["removed", "replaced"])
def test_a_file_that_its_last_owner_removed_in_the_meantime_is_no_lock(tmp_path, monkeypatch, closed, again):
    """Another process, which comes later, would make a new one, and hold that."""
    path, files = tmp_path / "lock", []

    def acquire(file, how):
        files.append(file)
        if len(files) == 1:
            path.unlink()
            if again:
                path.write_text("17")

    monkeypatch.setattr(lock.fcntl, "lockf", acquire)
    held = FileLock(path)
    assert len(files) == 2
    assert files[0] in closed
    assert os.path.samestat(path.stat(), os.fstat(held._file))
    assert path.read_text() == f"{os.getpid()}"
    held.release()
    assert not path.exists()
