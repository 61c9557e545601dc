"""A worker process, at both ends of its pipe: here it is asked, there it works; and what is learned when it dies."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

_POLL = 0.2  # seconds between looks whether a silent worker is still alive
_CUT = 120  # exit status of a worker that finds its connection closed
_END = "end"  # the message that asks a worker to end
_connection: Connection | None = None  # in a worker: to the process that asks
_thread = threading.local()
_closers: list[Callable[[], None]] = []


class WorkerDied(Exception):
    """A worker process died while it worked; the message says how: "was killed by SIGSEGV".

    Attributes:
        reports: what the work had reported by then.
        by_itself: whether it ended by its own doing. SIGKILL and SIGTERM may have come from outside.
    """

    def __init__(self, cause: str, reports: list[Any], *, by_itself: bool) -> None:
        super().__init__(cause)
        self.reports = reports
        self.by_itself = by_itself


def report(value: Any) -> None:
    """In work that a worker does: tell the asking process something, even if the worker dies right after."""
    if _connection is not None:
        _send(_connection, ("report", value))
    elif (heard := getattr(_thread, "heard", None)) is not None:
        heard(value)


def call_here(function: Callable[..., Any], arguments: tuple[Any, ...], heard: Callable[[Any], None]) -> Any:
    """Run `function(*arguments)` in this thread, as a process would; its reports go to `heard`."""
    _thread.heard = heard
    try:
        return function(*arguments)
    finally:
        _thread.heard = None


def at_end(close: Callable[[], None]) -> None:
    """Call a function when this worker ends, or, for threads, when all of them have."""
    if close not in _closers:
        _closers.append(close)


def close_all() -> None:
    """Call the functions given to `at_end`."""
    while _closers:
        with contextlib.suppress(Exception):
            _closers.pop()()


class WorkerProcess:
    """The asking end.

    Args:
        folder: the working directory of the worker.
    """

    def __init__(self, folder: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, folder))
        self.process.start()
        theirs.close()

    def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], heard: Callable[[Any], None] | None = None
    ) -> Any:
        """Have it run `function(*arguments)`; returns or raises what the function does.

        Each report is given to `heard` as it comes.

        Raises:
            WorkerDied: if the process dies first.
        """
        reports: list[Any] = []
        try:
            self._connection.send((function, arguments))
            while (answer := self._receive())[0] == "report":
                reports.append(answer[1])
                if heard is not None:
                    heard(answer[1])
        except (EOFError, ConnectionError):
            raise self._death(reports) from None
        kind, value = answer
        if kind == "raised":
            raise value
        return value

    def _receive(self) -> Any:
        while not self._connection.poll(_POLL):
            if not self.process.is_alive() and not self._connection.poll(0):  # a child of its may hold the pipe
                raise EOFError
        return self._connection.recv()

    def ask_to_end(self) -> None:
        """Ask it to end once it has done what it is doing."""
        with contextlib.suppress(OSError):
            self._connection.send(_END)

    def _death(self, reports: list[Any]) -> WorkerDied:
        self.process.join(_POLL)
        code = self.process.exitcode
        if code is None or code == _CUT:
            self.process.kill()
            self.process.join()
            cause = "closed its connection"
        else:
            cause = f"exited with status {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"
        self._connection.close()
        return WorkerDied(cause, reports, by_itself=code not in (-signal.SIGKILL, -signal.SIGTERM))


def _serve(connection: Connection, folder: str) -> None:
    """The working end: do what is asked until the other end is gone."""
    global _connection
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal goes to all, and is for the asking process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked until here
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _connection = connection
    own = os.getpid()
    answer: tuple[str, Any]
    while True:
        try:
            asked = connection.recv()
        except (EOFError, OSError):  # the other end is gone
            break
        except Exception as error:  # something that this process cannot import
            asked, answer = None, ("raised", _sendable(error))
        else:
            if asked == _END:
                break
            answer = _answer(folder, *asked)
        if os.getpid() != own:  # the work has forked, and this is the copy
            os._exit(0)
        _send(connection, answer)
        del asked, answer  # they may be large
    close_all()
    _leave(0)


def _answer(folder: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        os.chdir(folder)
        return "returned", function(*arguments)
    except BaseException as error:
        return "raised", _sendable(error)


def _sendable(error: BaseException) -> BaseException:
    """The error itself if it survives being sent, with its traceback as a note."""
    known = type(error).__module__.partition(".")[0] in ("builtins", "ludarium") and isinstance(error, Exception)
    told = error if known else RuntimeError(repr(error))
    told.add_note("".join(traceback.format_exception(error)))
    return told


def _send(connection: Connection, message: tuple[str, Any]) -> None:
    try:
        connection.send(message)
    except OSError:  # closed at either end: nobody listens any more
        _leave(_CUT)
    except Exception as error:  # it cannot be pickled
        connection.send(("raised", _sendable(error)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _leave(status: int) -> None:
    """End at once: threads that are left, and what they registered for the end, cannot delay it."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)
