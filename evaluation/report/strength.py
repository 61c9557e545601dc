"""How strong the checkpoints of a tournament's curve are: their ratings, by how much the runs had learned."""

import contextlib
from collections.abc import Mapping
from typing import NamedTuple

from ludarium.agents.learning.registry import learner_presets
from ludarium.evaluation.statistics.intervals import mean_interval
from ludarium.evaluation.tournament.curve import number_in
from ludarium.evaluation.tournament.event import Tournament


class Strength(NamedTuple):
    """How strong the checkpoints of a tournament's curve are in one game; each met the same other agents.

    Attributes:
        runs: the training runs.
        unit: what `learned` counts: `"games"`, `"generations"`, `"steps"`, or what the learner says.
        learned: the number of each checkpoint, the mean over the runs, ascending.
        values: Elo; in cooperative games the mean points of the team. The mean over the runs.
        margins: half the 95 % interval: over several runs, or of the one run's value.
        others: the values of the other agents, by name.
    """

    runs: tuple[str, ...]
    unit: str
    learned: list[float]
    values: list[float]
    margins: list[float]
    others: dict[str, float]


def strength(tournament: Tournament, figures: Mapping[str, tuple[float, float]]) -> Strength | None:
    """The strength of the curve's checkpoints; None if there is no curve, or too few have played.

    Args:
        tournament: the tournament.
        figures: Elo or points, and half their intervals, of the entrants that have played, by name.
    """
    runs: dict[str, dict[int, str]] = {run: {} for run in tournament.curve}
    for label, spec in zip(tournament.labels, tournament.agents, strict=True):
        for run in runs:
            if (number := number_in(run, spec)) is not None:
                runs[run][number] = label
    columns = [tuple(column) for column in zip(*(sorted(run.items()) for run in runs.values()), strict=False)]
    columns = [column for column in columns if all(label in figures for _, label in column)]
    if not columns:
        return None
    intervals = [
        mean_interval([figures[label][0] for _, label in column]) if len(runs) > 1 else figures[column[0][1]]
        for column in columns
    ]
    checkpoints = {label for run in runs.values() for label in run.values()}
    return Strength(
        tuple(runs),
        _unit(next(iter(runs))),
        [sum(number for number, _ in column) / len(column) for column in columns],
        [value for value, _ in intervals],
        [margin for _, margin in intervals],
        {label: value for label, (value, _) in figures.items() if label not in checkpoints},
    )


def _unit(run: str) -> str:
    with contextlib.suppress(ValueError):  # the learner may not be installed here
        return learner_presets(run.partition(":")[0]).classes[0].numbers
    return "checkpoint"
