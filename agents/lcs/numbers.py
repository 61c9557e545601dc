"""CMA-ES moves the numbers of the best list, whose rules stay as they are otherwise, as the original wished.

The threshold of each condition is a dimension, unless its feature is a fact. Its unit is the distance from the least to
the greatest level of the feature. Thresholds of counts are whole numbers, the nearest to the point, so a list that has
moved less than half a step in all directions plays as it did.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.language import FEATURES
from ludarium.agents.lcs.operators import Random, Rules
from ludarium.agents.lcs.racing import Player, Race
from ludarium.agents.learning import cma
from ludarium.envs.files import Arrays

Floats = NDArray[np.float64]
CHILDREN, DECKS = 12, 400
"""The children of a generation, and on how many decks, the same for all, they are judged."""
_SPREAD = 0.1
"""The standard deviation in the first generation."""
_ROWS = ("mean", "covariance", "path", "step_path")
_LEVELS = [feature.levels or (1.0,) for feature in FEATURES]
_LOW, _HIGH = np.array([levels[0] for levels in _LEVELS]), np.array([levels[-1] for levels in _LEVELS])
_DIGITS = np.array([2 if any(level % 1 for level in levels) else 0 for levels in _LEVELS])
_MOVABLE = np.array([*(len(levels) > 1 for levels in _LEVELS), False])  # the last is that of no condition, -1


def start(most: int) -> Arrays:
    """The state before the first generation, with room for so many thresholds: the list is not known yet."""
    return {
        "cma": np.zeros((len(_ROWS), most)),
        "cma_step": np.zeros(2),  # the step size, and the number of generations
    }


def count(rules: Rules) -> int:
    """How many thresholds of a list can be moved."""
    return int(np.count_nonzero(_MOVABLE[rules["feature"]]))


def evolve(arrays: Arrays, race: Race, rules: Rules, keys: NDArray[np.uint64], random: Random) -> None:
    """A generation of CMA-ES; the state changes.

    Args:
        arrays: what the run knows.
        race: lets the children play.
        rules: the list, whose own thresholds are the first mean.
        keys: decks that were not played before.
        random: the draws.
    """
    state, number = _state(arrays, rules), int(arrays["cma_step"][1])
    points = cma.sample(state, random.standard_normal((CHILDREN, count(rules))))
    children = [Player(_moved(rules, point)) for point in points]
    race.judge(children, keys)
    order = np.argsort([-child.mean for child in children], kind="stable")
    cma.update(state, points[order], number)
    arrays["cma"][:, : count(rules)] = [state[name] for name in _ROWS]
    arrays["cma_step"][:] = state["sigma"][0], number + 1


def middle(arrays: Arrays, rules: Rules) -> Rules:
    """The list with the thresholds of the distribution's mean."""
    return _moved(rules, arrays["cma"][0, : count(rules)])


def _state(arrays: Arrays, rules: Rules) -> Arrays:
    """The state of CMA-ES, in the dimensions that the list has."""
    dimensions, (step, generations) = count(rules), arrays["cma_step"]
    if generations:
        return {**dict(zip(_ROWS, arrays["cma"][:, :dimensions], strict=True)), "sigma": np.array([step])}
    return {**cma.start(dimensions, _SPREAD, diagonal=True), "mean": _point(rules)}


def _point(rules: Rules) -> Floats:
    """Where the thresholds of a list are."""
    movable = _MOVABLE[rules["feature"]]
    features = rules["feature"][movable]
    return np.asarray((rules["threshold"][movable] - _LOW[features]) / (_HIGH - _LOW)[features])


def _moved(rules: Rules, point: Any) -> Rules:
    """A copy of a list with its thresholds at a point."""
    rules, movable = rules.copy(), _MOVABLE[rules["feature"]]
    features = rules["feature"][movable]
    low, high = _LOW[features], _HIGH[features]
    scale = 10.0 ** _DIGITS[features]
    rules["threshold"][movable] = np.round(np.clip(low + point * (high - low), low, high) * scale) / scale
    return rules
