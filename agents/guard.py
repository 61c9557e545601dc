"""Guards a process, its ward: a worker (`worker_process.py`), or a bot, which `external/process.py` starts.

    python -I -S guard.py PARENT REPORT MEMORY PROCESSES COMMAND...

On Linux the guard is the reaper of whatever the ward starts, so that it can end all of it, even processes that left the
ward's process group. It does so when the ward ends, when it gets SIGTERM, when the process PARENT is gone, and when a
bot exceeds one of its limits (MEMORY bytes in total, PROCESSES).

A bot inherits standard input, output and error; how it ended is written to the file descriptor REPORT. This file uses
only the standard library, and starts in a few hundredths of a second.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

_PR_SET_CHILD_SUBREAPER = 36
_INTERVAL = 0.05  # seconds between checks
_PATIENCE = 5.0  # seconds that killed processes have to disappear


class Ended(NamedTuple):
    """How a ward ended: in words, and its exit code, as `Popen.returncode`; None if its guard ended it."""

    cause: str
    code: int | None


def fork(
    is_abandoned: Callable[[], bool], excess: Callable[[], str] = lambda: "", close: Sequence[int] = ()
) -> Ended | None:
    """Split this process in two: a ward in a session of its own, and its guard, which stays behind in this one.

    Args:
        is_abandoned: whether a process is gone without which the ward is to end.
        excess: says why the ward must be ended; empty if it need not be.
        close: file descriptors that the guard closes, so that only the ward holds them.

    Returns:
        At once, None in the ward; in the guard how the ward ended, when nothing of what it started is left.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    asked: list[int] = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    ward = os.fork()
    if ward == 0:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for end in (wake, wakeup):
            os.close(end)
        os.setsid()
        return None
    for descriptor in close:
        os.close(descriptor)
    ended = None
    try:
        while ended is None:
            if select.select([wake], [], [], _INTERVAL)[0]:
                os.read(wake, 512)
            ended = _ended(ward)
            if ended is None and (cause := excess()):
                ended = Ended(cause, None)
            elif ended is None and (asked or is_abandoned()):
                ended = Ended("was ended", None)
    finally:
        _end_all(ward)
    return ended


def how(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exited with status {code}"
    return f"was killed by {next((one.name for one in signal.Signals if one == -code), f'signal {-code}')}"


def _run(parent: int, report: int, memory: int, processes: int, command: list[str]) -> None:
    """Run the command until it ends or must be ended."""
    os.set_inheritable(report, False)
    ended = fork(lambda: os.getppid() != parent, lambda: _excess(memory, processes), close=(0, 1, 2))
    if ended is None:
        _become(command, report, memory)
    else:
        os.write(report, ended.cause.encode())


def _become(command: list[str], report: int, memory: int) -> NoReturn:
    """Turn this process into the bot."""
    import resource  # here, since Windows has none, where other modules are loaded that import this one

    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):  # ignored by Python or by workers, and inherited
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        least = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.setrlimit(resource.RLIMIT_DATA, (least, least))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(report, f"cannot be run: {error.strerror}; ".encode())
    finally:
        os._exit(127)


def _ended(ward: int) -> Ended | None:
    """How the ward ended, or None while it runs; also reap other processes that have ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return None
            if process == ward:
                code = os.waitstatus_to_exitcode(status)
                return Ended(how(code), code)
    return Ended("ended", None)


def _excess(memory: int, processes: int) -> str:
    """Which limit is exceeded, or an empty text."""
    count, used, page = 0, 0, os.sysconf("SC_PAGE_SIZE")
    for process in _descendants():
        count += 1
        with contextlib.suppress(OSError, IndexError, ValueError):
            used += page * int(Path(f"/proc/{process}/statm").read_text().split()[1])
    if count > processes:
        return f"had {count} processes, more than {processes}"
    if used > memory:
        return f"used {used >> 20} MB of memory, more than {memory >> 20} MB"
    return ""


def _descendants() -> Iterator[int]:
    """The descendants of this process; none if the system does not list them (only Linux does)."""
    parents = [os.getpid()]
    while parents:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parents.pop()}/task").iterdir():
                with contextlib.suppress(OSError):
                    children = [int(child) for child in (task / "children").read_text().split()]
                    parents += children
                    yield from children


def _end_all(ward: int) -> None:
    """Kill the ward's group and every descendant, until none is left."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            os.killpg(ward, signal.SIGKILL)
        for process in list(_descendants()):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


if __name__ == "__main__":
    numbers = [int(number) for number in sys.argv[1:5]]
    _run(numbers[0], numbers[1], numbers[2], numbers[3], sys.argv[5:])
