"""When a network has learned enough: which of those that a run went through does best on matches it has not seen.

Wide networks learn few decisions by heart, and then play worse and worse. So some of the matches are set aside. Now and
then the network is judged by their decisions, and the best so far is the champion.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.examples import VALIDATION, examples_of
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.outcomes import add_outcome_gradient, judged_of
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays

if TYPE_CHECKING:
    from ludarium.agents.genetic.gengammon.learner import Gengammon

LOOKS, PARTS = 60, 8
"""How often a run's network is judged, if it takes so many generations; and into how many parts that is divided."""


class _Look(NamedTuple):
    """A network to judge by some of the decisions, for any worker."""

    learner: "Gengammon"
    network: Network
    some: NDArray[np.int64]


def new_best(arrays: Arrays) -> Arrays:
    """The first network is the best so far, and anything is better."""
    return {
        "best_hidden": arrays["hidden"].copy(),
        "best_output": arrays["output"].copy(),
        "best": np.full(1, -np.inf),
    }


def look(learner: "Gengammon", arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
    """After generation `number`: if it is time to, judge the network, and keep it if it is the best.

    Returns:
        For the metrics, the mean likelihood of the decisions of the matches that are set aside.
    """
    done = number + 1
    if done % max(learner.generations // LOOKS, 1) and done < learner.generations:
        return {}
    known, network = _known(learner), learner.network(arrays["hidden"], arrays["output"])
    parts = [_Look(learner, network, some) for some in np.array_split(np.arange(known.number), PARTS)]
    worth = sum(parallel(_judge, parts)) / known.number if known.number else np.inf  # a single match is not set aside
    if worth >= arrays["best"][0]:
        arrays["best"][0] = worth
        for name in ("hidden", "output"):
            arrays[f"best_{name}"][:] = arrays[name]
    return {"validation": worth} if known.number else {}


def _known(learner: "Gengammon") -> Any:
    find = judged_of if learner.output == "outcomes" else examples_of
    return find(learner.decisions, VALIDATION, learner.seen, learner.validation)


def _judge(part: _Look) -> float:
    """The sum of the likelihoods of the decisions, or of the positions that a judge has seen."""
    known, network = _known(part.learner), part.network
    if part.learner.output == "outcomes":
        unused = np.zeros_like(network.hidden), np.zeros_like(network.output)
        return float(add_outcome_gradient(known, part.some, network, unused))
    return float(rank(known, part.some, network).likelihood.sum())
