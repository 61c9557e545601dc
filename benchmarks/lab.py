"""Shared by the studies of learners: their command line, runs that are trained once, and means with intervals.

A study is a list of named parts, and a part is a function that fills tables of a `results.Study`. Plug-in games are the
connect four of `examples`, unless `LUDARIUM_GAMES` says otherwise.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray
from results import Study

from ludarium.agents.learning import run as learning
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.runs import Run
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.evaluation.statistics.intervals import half_width, mean_interval

os.environ.setdefault("LUDARIUM_GAMES", str(Path(__file__).resolve().parents[1] / "examples" / "connect_four.py"))

Part = Callable[[Study, argparse.Namespace], None]


class Trained(NamedTuple):
    """A run that is over.

    Attributes:
        run: the run.
        metrics: the lines of its metrics.
        seconds: how long the training took, by the clock that was asked for.
    """

    run: Run
    metrics: list[dict[str, Any]]
    seconds: float

    @property
    def game(self) -> Game:
        """The game that was learned."""
        return self.run.learner.learned

    @property
    def champion(self) -> Policy:
        """The player that was trained."""
        return self.run.learner.policy(self.game, self.run.arrays)


def trained(
    learner: Learner, folder: Path, clock: Callable[[], float] = time.process_time, workers: int | None = 1
) -> Trained:
    """The run of a learner in a folder; it is trained first if that has not been done.

    Args:
        learner: the learner.
        folder: of the run; a run that was stopped goes on. Its seconds are kept in `cpu.json`.
        clock: counts the seconds, by default those of the processor.
        workers: as in `train`.
    """
    started, spent = clock(), folder / "cpu.json"
    learning.train(learner, folder, workers=workers)
    if not spent.exists():
        spent.write_text(json.dumps(clock() - started), encoding="utf-8")
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    seconds = float(json.loads(spent.read_text(encoding="utf-8")))
    return Trained(Run.load(folder, type(learner)), [json.loads(line) for line in lines], seconds)


def trained_anew(learner: Learner, clock: Callable[[], float] = time.process_time) -> Trained:
    """The run of a learner, which is kept nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        return trained(learner, Path(folder), clock)


def over_seeds(values: Sequence[float], digits: int = 2, sign: str = "") -> str:
    """The mean of one value per training seed, ± half of its 95 % interval (Student's t); one value alone as it is.

    Args:
        values: the values.
        digits: how many follow the point.
        sign: `+` to show the sign of positive means, too.
    """
    mean, half = mean_interval(values)
    return f"{mean:{sign}.{digits}f}" + (f" ± {half:.{digits}f}" if len(values) > 1 else "")


def over_games(scores: NDArray[Any], scale: float = 1, digits: int = 2) -> str:
    """The mean of the scores of independent games or pairs, ± half of its 95 % interval.

    Args:
        scores: shape (n,).
        scale: a factor, such as 100 for percent.
        digits: how many follow the point.
    """
    return f"{scale * scores.mean():.{digits}f} ± {scale * half_width(scores):.{digits}f}"


def written(options: Mapping[str, Any]) -> str:
    """Options as a cell of a table."""
    return ", ".join(f"`{name}={value}`" for name, value in options.items())


def named(*parts: Part) -> dict[str, Part]:
    """Parts by the names that the command has for them."""
    return {part.__name__.replace("_", "-"): part for part in parts}


def run_study(name: str, parts: Mapping[str, Part], parser: argparse.ArgumentParser) -> None:
    """Run the parts of a study that the command names, by default all; with `--keep`, keep each when it is done.

    Args:
        name: the name of the study.
        parts: what fills the tables of each part, from the study and the options of the command.
        parser: knows the other options of the command.
    """
    parser.add_argument("--part", choices=parts, action="append", help="only this part; may be repeated")
    parser.add_argument("--keep", action="store_true", help="replace these parts in benchmarks/results")
    args, study = parser.parse_args(), Study(name)
    for part in args.part or parts:
        parts[part](study, args)
        if args.keep:
            study.keep()
