"""Runs one bot and keeps it within its limits: a separate program, which `process.py` starts.

    python -I -S guard.py PARENT REPORT MEMORY PROCESSES COMMAND...

The bot inherits standard input, output and error. On Linux the guard is the reaper of whatever the bot starts, so that
it can end all of it, even processes that left the bot's process group. It does so when the bot ends, when one of the
limits is exceeded (MEMORY bytes in total, PROCESSES), when it gets SIGTERM, and when the process PARENT is gone. It
writes the cause to the file descriptor REPORT. It uses only the standard library, and starts in a few hundredths of a
second.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_INTERVAL = 0.05  # seconds between checks
_PATIENCE = 5.0  # seconds that killed processes have to disappear
_PAGE = os.sysconf("SC_PAGE_SIZE")


def main(parent: int, report: int, memory: int, processes: int, command: list[str]) -> None:
    """Run the command until it ends or must be ended."""
    os.set_inheritable(report, False)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    asked: list[int] = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    bot = os.fork()
    if bot == 0:
        _become(command, report, memory)
    for stream in (0, 1, 2):  # so that only the bot holds its ends of the pipes
        os.close(stream)
    cause = ""
    try:
        while not cause:
            if select.select([wake], [], [], _INTERVAL)[0]:
                os.read(wake, 512)
            cause = _ended(bot) or _excess(memory, processes)
            if asked or os.getppid() != parent:
                cause = cause or "was ended"
    finally:
        _end_all(bot)
    os.write(report, cause.encode())


def _become(command: list[str], report: int, memory: int) -> None:
    """Turn this process into the bot, in a session of its own."""
    try:
        os.setsid()
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


def _ended(bot: int) -> str:
    """How the bot ended, or an empty text while it runs; also reap other processes that have ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return ""
            if process == bot:
                code = os.waitstatus_to_exitcode(status)
                return f"exited with status {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"
    return "ended"


def _excess(memory: int, processes: int) -> str:
    """Which limit is exceeded, or an empty text."""
    count = used = 0
    for process in _descendants():
        count += 1
        with contextlib.suppress(OSError, IndexError, ValueError):
            used += _PAGE * int(Path(f"/proc/{process}/statm").read_text().split()[1])
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
                    found = [int(child) for child in (task / "children").read_text().split()]
                    parents += found
                    yield from found


def _end_all(bot: int) -> None:
    """Kill the bot's group and every descendant, until none is left."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            os.killpg(bot, signal.SIGKILL)
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
    given = [int(number) for number in sys.argv[1:5]]
    main(given[0], given[1], given[2], given[3], sys.argv[5:])
