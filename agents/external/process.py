"""A program that plays: how it is started, asked, kept within its limits and ended.

Every program runs under a guard (`agents/guard.py`), which ends it, and whatever it started, when it exceeds a limit or
this process is gone. Lines go to its standard input and come from its standard output. What it writes to standard error
is kept: the last line becomes part of the cause of a failure, and with `log` everything goes to a file.
"""

import contextlib
import math
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents import guard
from ludarium.agents.agent import Agent, AgentFailure
from ludarium.agents.time_control import TimeControl
from ludarium.envs.game import Game

_GUARD = Path(guard.__file__)
_MEGABYTE = 1 << 20
_CHUNK = 1 << 16
_TAIL = 4096  # bytes of standard error that are kept
_LONGEST_POLL = 2**30  # milliseconds that fit into a C int
_FAREWELL = 1.0  # seconds a program has to end by itself


class Process:
    """A running program that is asked and answers in lines of text.

    Args:
        command: the program and its arguments.
        memory: maximum megabytes it may use.
        processes: maximum number of processes, itself included.
        output: maximum bytes it may write between two calls of `allow`.
        log: file to which its standard error is appended; none if empty.
        echo: whether what it writes to standard error goes to that of this process, too.

    All methods raise `AgentFailure` when the program fails to do its part; after that it can only be killed.
    """

    def __init__(
        self, command: Sequence[str], *, memory: int, processes: int, output: int, log: str, echo: bool = False
    ) -> None:
        self._most_output, self._log, self._echo = output, log, echo
        self._report, report = os.pipe()
        bounds = [os.getpid(), report, memory * _MEGABYTE, processes]
        try:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_GUARD), *map(str, bounds), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[report],
                start_new_session=True,  # Ctrl-C in the terminal is for us alone
            )
        finally:
            os.close(report)
        streams = (self._guard.stdin, self._guard.stdout, self._guard.stderr)
        self._stdin, self._stdout, self._stderr = (stream.fileno() for stream in streams if stream is not None)
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._lines: deque[str] = deque()
        self._partial = self._tail = b""
        self.allow(0)
        self.kill = weakref.finalize(self, _kill, self._guard, self._report, os.getpid())
        """End it at once, with everything that it started."""

    def allow(self, seconds: float) -> None:
        """Start the clock: everything up to the next call must be done within this many seconds."""
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._written = 0

    def send(self, line: str) -> None:
        """Write a line to its standard input."""
        rest = memoryview(f"{line}\n".encode())
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                self._poll.register(self._stdin, select.POLLOUT)
                self._wait()
                self._poll.unregister(self._stdin)
            except BrokenPipeError:
                raise self._ended() from None

    def receive(self) -> str:
        """The next line of its standard output."""
        while not self._lines:
            self._wait()
        return self._lines.popleft()

    def check_silence(self) -> None:
        """Fail if it wrote something without being asked."""
        self._read_output()
        self._lines = deque(line for line in self._lines if line.strip())
        if self._lines or self._partial:
            line = self._lines[0] if self._lines else self._partial.decode(errors="replace")
            raise self.failure(f"wrote without being asked: {shortened(line)}")

    def failure(self, cause: str) -> AgentFailure:
        """The failure for a cause, with the last line of standard error."""
        self._read_errors()
        lines = self._tail.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return AgentFailure(cause + (f"; its last words: {shortened(last)}" if last else ""))

    def close(self, farewell: str) -> None:
        """Send the farewell, and end the program if it does not end by itself."""
        with contextlib.suppress(AgentFailure, OSError):
            self.allow(_FAREWELL)
            self.send(farewell)
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(_FAREWELL)
        with contextlib.suppress(AgentFailure, OSError):
            self._read_errors()
        self.kill()

    def _wait(self) -> None:
        """Wait until it writes or can be written to."""
        left = self._deadline - time.monotonic()
        events = self._poll.poll(math.ceil(min(1000 * left, _LONGEST_POLL))) if left > 0 else []
        if not events:
            raise self.failure(f"gave no answer within {self._seconds:g} s")
        for stream, _ in events:
            if stream == self._stdout:
                self._read_output()
            elif stream == self._stderr:
                self._read_errors()

    def _read_output(self) -> None:
        data = _read(self._stdout)
        if data == b"":
            raise self._ended()
        if data is not None:
            *lines, self._partial = (self._partial + data).split(b"\n")
            self._lines.extend(line.decode(errors="replace") for line in lines)
            self._count(data)

    def _read_errors(self) -> None:
        data = _read(self._stderr)
        if data == b"":
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._stderr)
        elif data is not None:
            self._tail = (self._tail + data)[-_TAIL:]
            if self._log:
                with open(self._log, "ab") as log:
                    log.write(data)
            if self._echo:
                with contextlib.suppress(OSError):  # nobody reads it
                    print(data.decode(errors="replace"), end="", file=sys.stderr, flush=True)
            self._count(data)

    def _count(self, data: bytes) -> None:
        self._written += len(data)
        if self._written > self._most_output:
            raise AgentFailure(f"wrote more than {self._most_output} bytes for one answer")

    def _ended(self) -> AgentFailure:
        """The failure of a program that closed its output or its input, with what the guard reports about it."""
        said = b""
        deadline = time.monotonic() + _FAREWELL
        while select.select([self._report], [], [], max(0.0, deadline - time.monotonic()))[0]:
            data = os.read(self._report, _CHUNK)
            if not data:
                break
            said += data
        return self.failure(said.decode(errors="replace") or "closed its input or output")


def _read(stream: int) -> bytes | None:
    """The bytes that have arrived, empty at the end of the stream; None if none have."""
    try:
        return os.read(stream, _CHUNK)
    except BlockingIOError:
        return None


def _kill(process: "subprocess.Popen[bytes]", report: int, owner: int) -> None:
    if os.getpid() != owner:  # a fork of this process does not own what it copied
        return
    process.send_signal(signal.SIGTERM)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    os.close(report)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def shortened(text: str) -> str:
    """A text in quotes, cut if it is long."""
    return repr(text if len(text) <= 200 else text[:200] + "…")


class Refusal(AgentFailure):
    """A program says itself that it cannot answer; it is ready for the next game."""


class ProcessAgent(Agent):
    """A player that is a program; the subclasses define the protocol.

    It is started for the first game, and lives until `close` or a failure: then it is started again for the next
    game. A copy starts its own process.

    Args:
        game: the game it plays.
        command: the program and its arguments, as typed in a terminal; no shell is involved.
        start_time: seconds it has to start, and to prepare for each game.
        move_time: seconds for each move, in games without a clock.
        memory: maximum megabytes of memory, for all its processes together.
        processes: maximum number of processes, itself included.
        output: maximum bytes it may write for one answer.
        log: file to which its standard error is appended; none if empty.
        setup: what it is sent when it starts, in its own protocol: see the subclasses.

    Raises:
        ValueError: if the command cannot be run, an option is out of range, or the adapter does not support the game.
    """

    def __init__(
        self,
        game: Game,
        command: str,
        *,
        start_time: float = 10.0,
        move_time: float = 60.0,
        memory: int = 1024,
        processes: int = 64,
        output: int = _MEGABYTE,
        log: str = "",
        setup: str = "",
    ) -> None:
        self.check_game(game)
        self.name = command
        self.game = game
        self.needs_state = not game.hidden_information
        self.setup = setup
        self._argv = _split(command)
        self._start_time = _positive("start_time", start_time)
        self._move_time = _positive("move_time", move_time)
        self._bounds: dict[str, Any] = {
            "memory": _positive("memory", memory),
            "processes": _positive("processes", processes),
            "output": _positive("output", output),
            "log": _writable(log),
        }
        self._process: Process | None = None

    def check_game(self, game: Game) -> None:
        """Refuse a game that the adapter does not support, with a ValueError."""

    def clock_objection(self, control: TimeControl) -> str:
        """Why the program, which has started, cannot be told of such a clock; empty if it can."""
        return ""

    def greet(self, process: Process) -> None:
        """Prepare the program, which has just started."""

    def new_game(self, process: Process, seat: int, seed: int) -> None:
        """Tell it that a game begins."""

    def choose(
        self, process: Process, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        """Ask it for an action."""
        raise NotImplementedError

    farewell: str = ""
    """The line that asks it to end."""

    def reset(self, seat: int, seed: int) -> None:
        with self._watched():
            self.new_game(self._started(), seat, seed)

    def _started(self) -> Process:
        """The program, started if it does not run, and with the time to start or to begin a game."""
        started = self._process is None
        if self._process is None:
            self._process = Process(self._argv, **self._bounds)
        self._process.allow(self._start_time)
        if started:
            self.greet(self._process)
        return self._process

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        if self._process is None:
            raise AgentFailure(f"{self.name!r} is not running; call reset() before each game")
        with self._watched():
            clock = info.get("clock")
            self._process.allow(self._move_time if clock is None else clock.allowed(info["seat"]))
            return self.choose(self._process, observation, action_mask, info)

    def close(self) -> None:
        if self._process is not None:
            self._process.close(self.farewell)
            self._process = None

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """End the process if anything goes wrong inside: nobody knows what it would answer next."""
        try:
            yield
        except Refusal:
            raise
        except BaseException:
            if self._process is not None:
                self._process.kill()
                self._process = None
            raise

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_process": None}

    @property
    def connected(self) -> bool:
        """Whether its program runs."""
        return self._process is not None


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command {command!r} cannot be read: {str(error).lower()}") from None
    if not words:
        raise ValueError("the command is empty; give a program and its arguments, such as 'python3 bot.py'")
    if shutil.which(words[0]) is None:
        raise ValueError(
            f"the command {command!r} cannot be run: there is no program {words[0]!r}; give its path, or put its "
            "folder on PATH"
        )
    return words


def _writable(log: str) -> str:
    if log:
        try:
            with open(log, "ab"):
                pass
        except OSError as error:
            raise ValueError(f"log must be a file that can be written, not {log!r}: {error.strerror}") from None
    return log


def _positive(name: str, value: float) -> Any:
    if not value > 0:
        raise ValueError(f"{name} must be greater than 0, not {value!r}")
    return value
