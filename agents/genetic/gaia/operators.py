"""Selection, inheritance and mutation of players made of rules.

A population is an array of `RULE` of shape (players, rules). All that a player knows is in its rules, so these are
functions of that array; the compiled ones draw random numbers from the stream that they are given.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.rules import RULE, Generator, Rules, random_rule, same
from ludarium.envs.chance import below, uniform
from ludarium.envs.jit import jit

SELECTIONS = {"best-50": (50, 0), "best-10": (10, 0), "best-20": (20, 0), "best-40-worst-10": (40, 10), "none": (50, 0)}
"""For each name, two percentages: the best players, which become parents, and the worst, which do too. Children replace
all others. `"none"` ranks at random."""


class Heredity(NamedTuple):
    """The options that affect children, see `ludarium.agents.genetic.gaia.original.Original`."""

    mutation: float
    mutation_spread: float
    mutate_equal: bool
    heavier: bool
    inherit_weight: bool
    no_repeats: bool


def parents_and_replaced(selection: str, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which ranks of `count` players become parents, and which are replaced.

    Args:
        selection: a name in `SELECTIONS`.
        count: the number of players. A single one is a parent, and stays.

    Returns:
        The ranks of the parents, at least 2 of several, and those of the replaced, both from best to worst.
    """
    best, worst = (count * percent // 100 for percent in SELECTIONS[selection])
    best = max(2, best)
    ranks = np.arange(count)
    return np.concatenate([ranks[:best], ranks[max(best, count - worst) :]]), ranks[best : max(best, count - worst)]


def couples(parents: NDArray[np.int64], children: int) -> NDArray[np.int64]:
    """The mother and the father of each child, shape (children, 2): neighbours in the list of parents.

    Children are shared out evenly among the couples, and the roles are swapped for a couple's second child. If the
    number of parents is odd, the last is paired with the first.
    """
    pairs = np.stack([parents[::2], np.resize(np.concatenate([parents[1::2], parents[:1]]), len(parents[::2]))], axis=1)
    numbers = np.arange(children)
    of_children = pairs[numbers % len(pairs)]
    exchanged = numbers // len(pairs) % 2 == 1
    of_children[exchanged] = of_children[exchanged, ::-1]
    return of_children


def random_players(players: int, rules: int, generator: Generator, stream: NDArray[np.uint64]) -> Rules:
    """Players with random rules, shape (players, rules)."""
    made = np.zeros((players, rules), dtype=RULE)
    replace_all(made.reshape(-1), generator, stream)
    return made


def children(
    rules: Rules,
    parents: NDArray[np.int64],
    count: int,
    heredity: Heredity,
    generator: Generator,
    stream: NDArray[np.uint64],
) -> Rules:
    """Children of couples of parents, see `couples`.

    Args:
        rules: the population, shape (players, rules).
        parents: the parents' ranks, in the order in which they are paired.
        count: the number of children.
        heredity: see `Heredity`.
        generator: makes the random rules.
        stream: the random stream.

    Returns:
        Their rules, shape (children, rules).
    """
    born = np.empty((count, rules.shape[1]), dtype=RULE)
    for child, (mother, father) in zip(born, couples(parents, count), strict=True):
        inherit(child, rules[mother], rules[father], heredity.heavier, heredity.inherit_weight)
        alike = heredity.mutate_equal and equal(rules[mother], rules[father])
        probability = 1.0 if alike else float(heredity.mutation)
        mutate(child, probability, float(heredity.mutation_spread), generator, stream)
        if heredity.no_repeats:
            replace_repeated(child, generator, stream)
    return born


@jit
def shuffle(values: Any, stream: Any) -> None:
    """Shuffle values in place (Fisher and Yates)."""
    for last in range(len(values) - 1, 0, -1):
        other = below(stream, last + 1)
        values[last], values[other] = values[other], values[last]


@jit
def replace_all(rules: Any, generator: Any, stream: Any) -> None:
    """Replace all rules by random ones."""
    for number in range(len(rules)):
        random_rule(rules[number], generator, stream)


@jit
def inherit(child: Any, mother: Any, father: Any, heavier: bool, keep_weight: bool) -> None:
    """Write a child's rules: the mother's and the father's alternately, or in each place the heavier of the two."""
    for number in range(len(child)):
        from_mother = mother[number].weight >= father[number].weight if heavier else number % 2 == 0
        child[number] = mother[number] if from_mother else father[number]
        if not keep_weight:
            child[number].weight, child[number].uses = 0.0, 0


@jit
def mutate(rules: Any, probability: float, spread: float, generator: Any, stream: Any) -> int:
    """Replace some rules by random ones, and return how many.

    Each rule mutates with the given probability; after one that has mutated, with `spread` times that, at most 1.
    """
    count, factor = 0, 1.0
    for number in range(len(rules)):
        if uniform(stream) < min(1.0, factor * probability):
            random_rule(rules[number], generator, stream)
            count += 1
            factor = spread
        else:
            factor = 1.0
    return count


@jit
def equal(mother: Any, father: Any) -> bool:
    """Whether two players have the same rules in the same places."""
    shared = 0
    for number in range(len(mother)):
        shared += same(mother[number], father[number])
    return shared == len(mother)


@jit
def replace_repeated(rules: Any, generator: Any, stream: Any) -> int:
    """Replace each rule that repeats an earlier one of the same player by a random one, and return how many."""
    count = 0
    for number in range(1, len(rules)):
        for earlier in range(number):
            if same(rules[number], rules[earlier]):
                random_rule(rules[number], generator, stream)
                count += 1
                break
    return count


@jit
def replace_light(rules: Any, threshold: float, generator: Any, stream: Any) -> int:
    """Replace each rule whose weight is at most the threshold by a random one, and return how many."""
    count = 0
    for number in range(len(rules)):
        if rules[number].weight <= threshold:
            random_rule(rules[number], generator, stream)
            count += 1
    return count


@jit
def similarity(a: Any, b: Any) -> float:
    """The share of a player's rules that another player has too."""
    shared = 0
    for number in range(len(a)):
        for other in range(len(b)):
            if same(a[number], b[other]):
                shared += 1
                break
    return shared / len(a)


@jit
def shared_weights(population: Any, weights: Any, threshold: float) -> Any:
    """The weights of players, lowered for those that resemble others.

    The crowd of a player is the sum of those of its similarities to others that exceed the threshold. A positive weight
    is divided by 1 + crowd, any other is multiplied by it.
    """
    lowered = weights.copy()
    for one in range(len(population)):
        crowd = 1.0
        for other in range(len(population)):
            if other != one:
                alike = similarity(population[one], population[other])
                crowd += alike if alike > threshold else 0.0
        lowered[one] = weights[one] / crowd if weights[one] > 0 else weights[one] * crowd
    return lowered


@jit
def communicate(population: Any, results: Any) -> None:
    """Add what each copy of a rule won and lost to the weights of all its other copies.

    Args:
        population: the rules, shape (players, rules); their weights are updated in place.
        results: the wins minus losses of each rule, shape (players, rules), which its own weight already includes.
    """
    for player in range(len(population)):
        for number in range(population.shape[1]):
            if results[player, number] == 0.0:
                continue
            rule = population[player, number]
            for other in range(len(population)):
                for place in range(population.shape[1]):
                    if (other != player or place != number) and same(population[other, place], rule):
                        population[other, place].weight += results[player, number]
