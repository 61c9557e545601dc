"""How far a training has come, as lines for a log, where no terminal shows a bar."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

SECONDS = 30.0
"""The time between two lines."""


class TrainingLog:
    """The lines of one run: how far it is, what was last measured, and how long it will take.

    Args:
        title: what the lines begin with.
        unit: what the budget counts, such as `"games"`.
        write: called with each line.
        clock: the time in seconds.
    """

    def __init__(
        self, title: str, unit: str, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._title, self._unit, self._write, self._clock = title, unit, write, clock
        self._began: tuple[float, int] | None = None
        self._done, self._total, self._said = 0, 0, ""

    def show(self, done: int, total: int, said: str) -> None:
        """Take note of a step, as `ludarium.agents.learning.run.Progress` describes it."""
        self._began = self._began or (self._clock(), done)
        self._done, self._total, self._said = done, total, said or self._said

    def tell(self) -> None:
        """Write a line."""
        if self._began is None:
            return
        started, before = self._began
        elapsed, done, total = self._clock() - started, self._done, self._total
        left = (
            f"about {_time(elapsed * (total - done) / (done - before))} left" if done > before else "time left unknown"
        )
        parts = f"{done:,} of {total:,} {self._unit}", self._said, f"{_time(elapsed)} so far", left
        self._write(f"{self._title}: {', '.join(filter(None, parts))}")

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Within it, a line is written every `SECONDS`, however long a step takes."""
        over = threading.Event()

        def tell() -> None:
            while not over.wait(SECONDS):
                self.tell()

        teller = threading.Thread(target=tell, name="training log", daemon=True)
        teller.start()
        try:
            yield
        finally:
            over.set()
            teller.join()


def _time(seconds: float) -> str:
    """A time as people read it: `"0:07"`, `"1:02:03"`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
