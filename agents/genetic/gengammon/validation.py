"""When a network has learned enough: a run keeps the one that does best on matches it has not learned from.

Wide networks learn few decisions by heart, and then play worse and worse. So some of the matches are set aside. Now and
then the network is judged by their decisions, and the best so far is the champion.
"""

import numpy as np

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.lessons import Asked, Lesson, fitness, split
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays

LOOKS = 60
"""How often a run's network is judged, if it takes so many generations."""


def new_best(arrays: Arrays) -> Arrays:
    """The first network is the best so far, and anything is better."""
    return {"best_hidden": arrays["hidden"].copy(), "best_output": arrays["output"].copy(), "best": np.full(1, -np.inf)}


def is_time(done: int, generations: int) -> bool:
    """Whether the network is judged after so many generations of a run."""
    return done % max(generations // LOOKS, 1) == 0 or done >= generations


def look(arrays: Arrays, network: Network, aside: Lesson, parallel: Parallel) -> dict[str, float]:
    """Judge the network, and keep it if it is the best; the arrays change.

    Args:
        arrays: what the run knows.
        network: the network.
        aside: what is set aside.
        parallel: maps functions over parts.

    Returns:
        For the metrics, the mean fitness on what is set aside.
    """
    number = aside.examples.number
    parts = [Asked(aside, network, some) for some in split(np.arange(number))]
    worth = sum(parallel(fitness, parts)) / number if number else np.inf  # a single match is not set aside
    if worth >= arrays["best"][0]:
        arrays["best"][0] = worth
        for name in ("hidden", "output"):
            arrays[f"best_{name}"][:] = arrays[name]
    return {"validation": worth} if number else {}
