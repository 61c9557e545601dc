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
    keep: int = 10,
    workers: int | None = None,
    executor: str = "threads",
    progress: Progress = lambda done, total, text: None,
    measured: Callable[[dict[str, Any]], None] = lambda line: None,
) -> Path:
    """Train, or continue a run that was stopped; a finished one is left as it is.

    After Ctrl-C the current step is finished and saved, then KeyboardInterrupt is raised; a second one stops at once.

    Args:
        learner: the learner with its options.
        out_dir: the folder of the run; it is created if necessary.
        keep: how many checkpoints stay, at most: the last, and others evenly spaced before it. Each takes the space of
            the run's arrays. What is learned does not depend on it.
        workers: how many workers; by default one per core. The result does not depend on it.
        executor: where they run: `"threads"`, `"processes"` or `"dask:ADDRESS"`; the result is the same.
        progress: called after each step, see `Progress`.
        measured: called with each line of the metrics that has a measurement, once it is on disk.

    Returns:
        The folder, which is an agent by its path.

    Raises:
        ValueError: if the folder holds a run with other options, a damaged one, or something else; or if `keep` is not
            an integer of at least 0.
        KeyboardInterrupt: after Ctrl-C, if the run is not over; its message says how far the run has come.
    """
    if type(keep) is not int or keep < 0:
        raise ValueError(f"train: keep must be an integer of at least 0, not {keep!r}")
    folder, game = Path(out_dir), learner.learned
    run = Run.open(learner, folder)
    journal, now = _Journal(folder, run), run.checkpoint
    progress(_done(learner, now), learner.budget, "")
    if learner.is_over(game, now):
        return folder
    ends = checkpoints(learner)
    stays = _evenly_spaced(ends, keep)
    with pool(executor, workers) as parallel, _interrupt() as interrupted:
        while not (learner.is_over(game, now) or interrupted.is_set()):
            before = _done(learner, now)
            until = ends[min(bisect_right(ends, before), len(ends) - 1)]
            now, metrics = learner.advance(game, now, until, parallel)
            over, after = learner.is_over(game, now), _done(learner, now)
            due = over or after >= until
            kept = keep > 0 and (over or bisect_right(stays, before) < bisect_right(stays, after))
            now, line, text = _measured(learner, game, now, metrics) if due else (now, metrics, "")
            if line:
                line = {**learner.counts(now), **line}
            journal.add(now, line, due, kept)
            if due:
                measured(line)
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


def _evenly_spaced(ends: list[int], count: int) -> list[int]:
    """So many of the ends, or all if there are fewer; the last is among them."""
    count = min(count, len(ends))
    return [ends[len(ends) * share // count - 1] for share in range(1, count + 1)]


def _done(learner: Learner, now: Checkpoint) -> int:
    return int(getattr(now, learner.unit))


def _measured(
    learner: Learner, game: Game, now: Checkpoint, metrics: dict[str, Any]
) -> tuple[Checkpoint, dict[str, Any], str]:
    """Measure the player; return the run, its line in the metrics, and a text for people."""
    measurement = learner.measure(game, now)
    now = replace(now, test_games=now.test_games + measurement.games)
    return now, {**metrics, **measurement.scores, "test_games": now.test_games}, measurement.text


class _Journal:
    """What has happened since the last save, and when it is time for the next."""

    def __init__(self, folder: Path, run: Run) -> None:
        self._folder, self._run, self._lines = folder, run, list[dict[str, Any]]()
        self._saved, self._cost, self._changed = time.monotonic(), 0.0, False

    def add(self, now: Checkpoint, line: dict[str, Any], due: bool, kept: bool) -> None:
        """Record a step; save if the player was measured, or much would be lost; if it is kept, it also stays."""
        self._run, self._changed = replace(self._run, checkpoint=now), True
        self._lines += [line] if line else []
        waited = time.monotonic() - self._saved
        if due or waited > max(_SECONDS_BETWEEN_SAVES, self._cost / _MOST_TIME_SAVING):
            self.save(kept)

    def save(self, kept: bool = False) -> None:
        """Save the metrics, and what is kept, first: if they are ahead of the checkpoint, they are dropped later."""
        if not self._changed:
            return
        started = time.monotonic()
        add_metrics(self._folder, self._lines)
        if kept:
            self._run.keep(self._folder)
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
