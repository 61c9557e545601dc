"""What networks learn, the choices of experts or a judge's odds, and how some of it would have a network change.

A lesson only names its decisions, so it can be sent to other processes. Each process reads them once.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.examples import examples_of, filled_up
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.gradient import add_gradient, add_outcome_gradient
from ludarium.agents.genetic.gengammon.mutants import Slopes, pool
from ludarium.agents.genetic.gengammon.neurons import Mutation, credit
from ludarium.agents.genetic.gengammon.odds import credit_outcomes, judged_of

PARTS = 8
"""The work of a generation is divided into this many parts, whatever the number of workers."""


class Lesson(NamedTuple):
    """What there is to learn from a file of decisions.

    Attributes:
        file: as in `examples.decisions_of`.
        part: one of `examples.PARTS`.
        seen: the name of what networks see.
        validation: as in `examples.part_of`.
        outcomes: whether that is a judge's odds, whose examples are positions. Otherwise it is the choices of experts,
            and the fitness is the logarithm of their probability.
        contradicting: as in `examples.part_of`; for choices.
    """

    file: str
    part: str
    seen: str
    validation: float = 0.0
    outcomes: bool = False
    contradicting: str = "all"

    @property
    def examples(self) -> Any:
        """`Examples`, or `Judged`; errors as in `examples_of` and `judged_of`."""
        if self.outcomes:
            return judged_of(self.file, self.part, self.seen, self.validation)
        return examples_of(self.file, self.part, self.seen, self.validation, self.contradicting)


class Asked(NamedTuple):
    """A network, and examples that are to say how it should change, for any worker.

    Attributes:
        lesson: where the examples are.
        network: the network.
        some: the numbers of the examples.
        seed: of the run, for mutants.
        mutation: the mutants that show it, if there are any.
    """

    lesson: Lesson
    network: Network
    some: NDArray[np.int64]
    seed: int = 0
    mutation: Mutation | None = None


def split(array: NDArray[Any]) -> list[NDArray[Any]]:
    """Up to `PARTS` parts of about the same length."""
    return [part for part in np.array_split(array, PARTS) if len(part)]


def fitness(asked: Asked) -> float:
    """The sum of the fitness over the examples."""
    lesson, network = asked.lesson, asked.network
    if lesson.outcomes:
        unused = np.zeros_like(network.hidden), np.zeros_like(network.output)
        return float(add_outcome_gradient(lesson.examples, asked.some, network, unused))
    return float(rank(lesson.examples, asked.some, network).likelihood.sum())


def gradient(asked: Asked) -> tuple[float, Slopes]:
    """The sum of the fitness over the examples, and the slope of that sum for each weight."""
    network, out = _with_room(asked.network)
    add = add_outcome_gradient if asked.lesson.outcomes else add_gradient
    total = add(asked.lesson.examples, asked.some, network, out)
    return total, _without_lanes(out, asked.network)


def credits_of(asked: Asked) -> tuple[float, Slopes]:
    """As `gradient`, but the slopes are what mutants say that they are."""
    assert asked.mutation is not None
    network, out = _with_room(asked.network)
    add = credit_outcomes if asked.lesson.outcomes else credit
    total = add(asked.lesson.examples, asked.some, network, pool(asked.seed), asked.mutation, out)
    for array in out:
        array /= 2 * asked.mutation.size
    return total, _without_lanes(out, asked.network)


def mean_of(answers: list[tuple[float, Slopes]], number: int) -> tuple[float, Slopes]:
    """The mean fitness and slopes over all examples, by the sums over parts of them."""
    hidden, output = (np.asarray(sum(slopes[place] for _, slopes in answers)) / number for place in range(2))
    return sum(total for total, _ in answers) / number, (hidden, output)


def _with_room(network: Network) -> tuple[Network, Slopes]:
    """The network, filled up with hidden units, and zeros for its slopes."""
    wide = filled_up(network)
    return wide, (np.zeros_like(wide.hidden), np.zeros_like(wide.output))


def _without_lanes(slopes: Slopes, network: Network) -> Slopes:
    """The slopes of the units that the network had before it was filled up."""
    (hidden, output), units = slopes, network.hidden.shape[1]
    return hidden[:, :units], np.append(output[:units], output[-1:], axis=0)
