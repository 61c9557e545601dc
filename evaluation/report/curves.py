"""How entrants learned: the metrics in the folder of a training run, for agents whose spec names the run.

A spec such as `td:runs/x` or `sb3:runs/x/model.zip` points to a run; its `metrics.jsonl` has a line of JSON for each
checkpoint. The report uses the scores, against other agents or of a team by itself, and the number of decisions or
games until then.
"""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludarium.agents.learning.checkpoint import run_of_game
from ludarium.agents.specs import split_options
from ludarium.envs.game import Game
from ludarium.evaluation.statistics.intervals import mean_interval

RANDOM, GREEDY = "random", "greedy"
"""Whom a run's player was measured against; in a team game it is the team itself, under the name of the first."""
_METRICS = "metrics.jsonl"
_SCORES = {RANDOM: "score", GREEDY: "score_greedy"}  # the metrics' names
_UNITS = {"decisions": "decisions", "steps": "decisions", "games": "games"}  # by the metric's name, best first
_MOST_POINTS = 200


class Curve(NamedTuple):
    """The learning curve of one run, or of several.

    Attributes:
        agent: the entrant.
        unit: what `learned` counts: `"decisions"` or `"games"`.
        learned: the number of decisions or games before each measurement, ascending; the mean over the runs.
        scores: share of the points against the opponent, or of a team's maximum, 0 to 1; the mean over the runs.
        opponent: `RANDOM` or `GREEDY`.
        margins: half the 95 % interval over several runs; empty for one.
    """

    agent: str
    unit: str
    learned: list[float]
    scores: list[float]
    opponent: str = RANDOM
    margins: Sequence[float] = ()


def read_curves(agents: Iterable[tuple[str, str]], game: Game, opponent: str = RANDOM) -> list[Curve]:
    """The curves of the entrants, given as (name, spec), whose spec points to a run of the game with measurements."""
    curves = []
    for name, spec in agents:
        folder = run_folder(spec, game)
        curve = _curve(name, folder / _METRICS, opponent) if folder is not None else None
        if curve is not None:
            curves.append(curve)
    return curves


def mean_curve(name: str, curves: Sequence[Curve]) -> Curve:
    """The mean of several runs' curves, as far as all have got, with a band over the runs."""
    if len(curves) == 1:
        return curves[0]._replace(agent=name)
    learned = [sum(amounts) / len(amounts) for amounts in zip(*(curve.learned for curve in curves), strict=False)]
    intervals = [mean_interval(scores) for scores in zip(*(curve.scores for curve in curves), strict=False)]
    scores, margins = [mean for mean, _ in intervals], [margin for _, margin in intervals]
    return Curve(name, curves[0].unit, learned, scores, curves[0].opponent, margins)


def run_folder(spec: str, game: Game) -> Path | None:
    """The folder of the run that a spec `NAME:FOLDER` or `NAME:FOLDER/FILE`, with or without options, points to.

    FOLDER is a run, or holds one for each game (`ludarium.agents.learning.checkpoint.run_of_game`).
    """
    try:
        _, _, argument = split_options(spec)[0].partition(":")
        if not argument:
            return None
        path = Path(argument)
        return next((run for run in (run_of_game(path, game), path.parent) if (run / _METRICS).is_file()), None)
    except (OSError, ValueError):  # not a path, such as a long command
        return None


def _curve(name: str, file: Path, opponent: str) -> Curve | None:
    """The curve in a file of metrics, or None; lines without a score, or torn by a crash, are left out."""
    lines = []
    for text in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line: Any = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and _is_number(line.get(_SCORES[opponent])):
            lines.append(line)
    for metric, unit in _UNITS.items():
        points = dict(sorted((line[metric], line[_SCORES[opponent]]) for line in lines if _is_number(line.get(metric))))
        if points:
            learned, scores = _thinned(list(points)), _thinned(list(points.values()))
            return Curve(name, unit, learned, scores, opponent)
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _thinned(values: list[float]) -> list[float]:
    """At most `_MOST_POINTS` of the values, evenly spread, including the first and the last."""
    if len(values) <= _MOST_POINTS:
        return values
    return [values[round(i * (len(values) - 1) / (_MOST_POINTS - 1))] for i in range(_MOST_POINTS)]
