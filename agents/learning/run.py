"""The one loop that runs every learner: budget, progress, metrics, checkpoints, Ctrl-C, `kill -9`, workers.

A learner defines one step (`Learner.advance`) and how its player is measured. Everything else is here, once.
"""

import signal
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludarium.agents.learning.checkpoint import Checkpoint, add_metrics
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.parallel import workers as pool
from ludarium.agents.learning.runs import Run
from ludarium.envs.game import Game

Progress = Callable[[int, int, str], None]
"""Called with the units done, the units in total, and a short text."""

_SECONDS_BETWEEN_SAVES = 1.0
_MOST_TIME_SAVING = 0.05  # as a share of the running time


def train(
    learner: Learner,
    out_dir: str | Path,
    *,
    workers: int | None = None,
    executor: str = "threads",
    progress: Progress = lambda done, total, text: None,
) -> Path:
    """Train, or continue a run that was stopped; a finished one is left as it is.

    After Ctrl-C the current step is finished and saved, then KeyboardInterrupt is raised; a second one stops at once.

    Args:
        learner: the learner with its options.
        out_dir: the folder of the run; it is created if necessary.
        workers: how many workers; by default one per core. The result does not depend on it.
        executor: where they run: `"threads"`, `"processes"` or `"dask:ADDRESS"`; the result is the same.
        progress: called after each step, see `Progress`.

    Returns:
        The folder, which is an agent by its path.

    Raises:
        ValueError: if the folder holds a run with other options, a damaged one, or something else.
        KeyboardInterrupt: after Ctrl-C, if the run is not over; its message says how far the run has come.
    """
    folder, game = Path(out_dir), learner.learned
    run = Run.open(learner, folder)
    journal, now = _Journal(folder, run), run.checkpoint
    progress(_done(learner, now), learner.budget, "")
    if learner.is_over(game, now):
        return folder
    ends = checkpoints(learner)
    with pool(executor, workers) as parallel, _interrupt() as interrupted:
        while not (learner.is_over(game, now) or interrupted.is_set()):
            until = ends[min(bisect_right(ends, _done(learner, now)), len(ends) - 1)]
            now, told = learner.advance(game, now, until, parallel)
            due = _done(learner, now) >= until or learner.is_over(game, now)
            now, line, text = _measured(learner, game, now, told) if due else (now, told, "")
            if line:
                line = {**learner.counts(now), **line}
            journal.add(now, line, due)
            progress(_done(learner, now), learner.budget, ", ".join(filter(None, (learner.summary(line), text))))
    journal.save()
    if not learner.is_over(game, now):
        done = f"{_done(learner, now):,} of {learner.budget:,} {learner.unit}"
        raise KeyboardInterrupt(f"stopped after {done}; run the same command to continue")
    return folder


def checkpoints(learner: Learner) -> list[int]:
    """The numbers of units after which the player is measured, in increasing order; the last is the budget."""
    shares = range(1, learner.checkpoints + 1)
    return sorted({max(1, learner.budget * share // learner.checkpoints) for share in shares})


def _done(learner: Learner, now: Checkpoint) -> int:
    return int(getattr(now, learner.unit))


def _measured(
    learner: Learner, game: Game, now: Checkpoint, told: dict[str, Any]
) -> tuple[Checkpoint, dict[str, Any], str]:
    """Measure the player; return the run, its line in the metrics, and a text for people."""
    found = learner.measure(game, now)
    now = replace(now, test_games=now.test_games + found.games)
    return now, {**told, **found.scores, "test_games": now.test_games}, found.text


class _Journal:
    """What has happened since the last save, and when it is time for the next."""

    def __init__(self, folder: Path, run: Run) -> None:
        self._folder, self._run, self._lines = folder, run, list[dict[str, Any]]()
        self._saved, self._cost, self._changed = time.monotonic(), 0.0, False

    def add(self, now: Checkpoint, line: dict[str, Any], due: bool) -> None:
        """Record a step; save if the player was measured, or much would be lost."""
        self._run, self._changed = replace(self._run, checkpoint=now), True
        self._lines += [line] if line else []
        waited = time.monotonic() - self._saved
        if due or waited > max(_SECONDS_BETWEEN_SAVES, self._cost / _MOST_TIME_SAVING):
            self.save()

    def save(self) -> None:
        """Save the metrics first: those ahead of the checkpoint are dropped when the run continues."""
        if not self._changed:
            return
        started = time.monotonic()
        add_metrics(self._folder, self._lines)
        self._run.save(self._folder)
        self._saved, self._lines, self._changed = time.monotonic(), [], False
        self._cost = self._saved - started


@contextmanager
def _interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; a second one does what it always does."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # other threads cannot handle signals
        yield interrupted
        return
    usual = signal.getsignal(signal.SIGINT)

    def finish(number: int, frame: Any) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, finish)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, usual)
