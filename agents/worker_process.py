"""A worker process, at both ends of its pipe: here it is asked, there it works; and what is learned when it dies.

On Linux workers are copies of one process, `multiprocessing`'s fork server, which runs nobody else's code. It imports
what the asking process has imported of this package, so that workers need not.
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import Any

from ludarium.agents import guard

_POLL = 0.2  # seconds between looks whether a silent worker is still alive
_CUT = 120  # exit status of a worker that finds its connection closed, or is ended by its guard
_UNKNOWN = 255  # exit status that `multiprocessing` gives to copies of a fork server that is gone
_ANSWERED = 121  # exit status of a copy that has answered
_PR_SET_PDEATHSIG = 1  # of prctl: the signal to get when the parent ends
_END = "end"  # the message that asks a worker to end
_PATIENCE = 10.0  # seconds that a guard has to end its worker
_connection: Connection | None = None  # in a worker: to the process that asks
_thread = threading.local()
_closers: list[Callable[[], None]] = []
_context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")  # unsafe on macOS
_status = threading.Lock()  # `multiprocessing` reads the exit status of a copy once, for one thread


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


def call_in_copy(function: Callable[..., Any], *arguments: Any) -> Any:
    """In a worker: run it in a copy of this process (Linux; elsewhere in this one), whose death costs only this call.

    A copy takes far less time than a new worker. The worker must have run nobody else's code, since threads do
    not survive being copied. The copy answers for the worker; only its death is left to tell.
    """
    if sys.platform != "linux" or _connection is None:
        return function(*arguments)
    copy = os.fork()
    if copy == 0:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _send(_connection, _answer(os.getcwd(), function, arguments))
        _leave(_ANSWERED)
    code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    if code == _ANSWERED:
        raise _Answered
    raise _death(code, [])


class _Answered(BaseException):
    """A copy has answered."""


def _death(code: int | None, reports: list[Any]) -> WorkerDied:
    """What to raise for a process with this exit code; None if it did not end."""
    if code is None or code == _CUT:
        return WorkerDied("closed its connection", reports, by_itself=True)
    if code == _UNKNOWN:
        return WorkerDied("was lost", reports, by_itself=False)
    return WorkerDied(guard.how(code), reports, by_itself=code not in (-signal.SIGKILL, -signal.SIGTERM))


class WorkerProcess:
    """The asking end.

    The process that it starts splits into the worker and its guards (`guard.py`), which end the worker when this
    process is gone, and with it all that the worker's agents have started.

    Args:
        folder: the working directory of the worker.
    """

    def __init__(self, folder: str) -> None:
        self._connection, theirs = _context.Pipe()
        self._process = _context.Process(target=_serve, args=(theirs, folder, dict(os.environ)))
        resource_tracker.ensure_running()  # the first process would start it, and it would let the signal in again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # Ctrl-C is for the asking process
        try:
            with _status:
                _context.set_forkserver_preload(_imported())  # for the first process, which starts the server
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def call(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        heard: Callable[[Any], None] | None = None,
        limit: float | None = None,
    ) -> Any:
        """Have it run `function(*arguments)`; returns or raises what the function does.

        Each report is given to `heard` as it comes.

        Raises:
            TimeoutError: if it takes more than `limit` seconds, after which the process is killed.
            WorkerDied: if the process dies first.
        """
        reports: list[Any] = []
        deadline = float("inf") if limit is None else time.monotonic() + limit
        try:
            self._connection.send((function, arguments))
            while (answer := self._receive(deadline))[0] == "report":
                reports.append(answer[1])
                if heard is not None:
                    heard(answer[1])
        except (EOFError, ConnectionError):
            raise self._death(reports) from None
        except TimeoutError:
            self.kill()
            self._connection.close()
            raise
        kind, value = answer
        if kind == "died":  # a copy of it: `call_in_copy`
            cause, by_itself = value
            raise WorkerDied(cause, reports, by_itself=by_itself)
        if kind == "raised":
            raise value
        return value

    def _receive(self, deadline: float) -> Any:
        while not self._connection.poll(_POLL):
            if time.monotonic() > deadline:
                raise TimeoutError("the worker took too long")
            if not self.is_alive() and not self._connection.poll(0):  # a child of its may hold the pipe
                raise EOFError
        return self._connection.recv()

    def ask_to_end(self) -> None:
        """Ask it to end once it has done what it is doing."""
        with contextlib.suppress(OSError):
            self._connection.send(_END)

    def is_alive(self) -> bool:
        """Whether it has not ended; for any thread, as are `join`, `terminate` and `kill`."""
        return self._exit_code() is None

    def join(self, seconds: float) -> bool:
        """Wait until it has ended, for so many seconds at most: whether it has."""
        return bool(wait_for([self._process.sentinel], seconds))

    def terminate(self) -> None:
        """Have its guard end it, with all that it started."""
        with _status:
            if self._process.exitcode is None:  # else its number may be another process's by now
                self._process.terminate()

    def kill(self) -> None:
        """End it at once, with all that it started; whoever waits for an answer hears of it."""
        self.terminate()
        ended = self.join(_PATIENCE)
        with _status:
            if not ended:
                self._process.kill()
            self._process.join(_PATIENCE)

    def _exit_code(self) -> int | None:
        with _status:
            code: int | None = self._process.exitcode
        return code

    def _death(self, reports: list[Any]) -> WorkerDied:
        self.join(_POLL)
        self.kill()
        self._connection.close()
        return _death(self._exit_code(), reports)


def _imported() -> list[str]:
    """The modules of this package, and of its compiler, that this process has imported."""
    return [name for name in sys.modules if name.partition(".")[0] in ("ludarium", "numba")]


def _serve(connection: Connection, folder: str, environment: dict[str, str]) -> None:
    """The working end: do what is asked until the other end is gone, under two guards."""
    global _connection
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal goes to all, and is for the asking process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked until here
    os.environ.clear()
    os.environ.update(environment)  # it may have changed since the fork server began
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # or agents without a seed would play alike; `random` does so by itself
    os.setsid()  # so that signals to the group of the asking process do not reach the guards
    asker, parent, outer = multiprocessing.parent_process(), os.getppid(), os.getpid()
    assert asker is not None
    _leave_a_guard(connection, lambda: os.getppid() != parent or not asker.is_alive())
    _leave_a_guard(connection, lambda: os.getppid() != outer)  # either may be killed: the other then ends the worker
    _connection = connection
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
            try:
                answer = _answer(folder, *asked)
            except _Answered:
                continue
        _send(connection, answer)
        del asked, answer  # they may be large
    close_all()
    _leave(0)


def _answer(folder: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    own = os.getpid()
    answer: tuple[str, Any]
    try:
        os.chdir(folder)
        value = function(*arguments)
    except _Answered:
        raise
    except WorkerDied as death:
        answer = "died", (str(death), death.by_itself)
    except BaseException as error:
        answer = "raised", _sendable(error)
    else:
        answer = "returned", value
    if os.getpid() != own:  # the work has forked, and this is the copy
        os._exit(0)
    return answer


def _sendable(error: BaseException) -> BaseException:
    """The error itself if it survives being sent, with its traceback as a note."""
    known = type(error).__module__.partition(".")[0] in ("builtins", "ludarium") and isinstance(error, Exception)
    sendable = error if known else RuntimeError(repr(error))
    sendable.add_note("".join(traceback.format_exception(error)))
    return sendable


def _send(connection: Connection, message: tuple[str, Any]) -> None:
    try:
        connection.send(message)
    except OSError:  # closed at either end: nobody listens any more
        _leave(_CUT)
    except Exception as error:  # it cannot be pickled
        connection.send(("raised", _sendable(error)))


def _leave_a_guard(connection: Connection, is_abandoned: Callable[[], bool]) -> None:
    """Go on as the ward of a guard, which stays behind in this process and ends as the ward does."""
    ended = guard.fork(is_abandoned, close=[connection.fileno()])
    if ended is None:
        return
    code = _CUT if ended.code is None else ended.code
    if code < 0:
        import resource  # Windows has none

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # not for SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else _CUT)


def _leave(status: int) -> None:
    """End at once: threads that are left, and what they registered for the end, cannot delay it."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)
