"""How the first players and the children are made, and how children learn from evidence."""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board, board
from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.games import BIRTH, BREEDING, CHILDREN
from ludarium.agents.genetic.gaia.judgement import Evidence, improve
from ludarium.agents.genetic.gaia.patterns import RULE, Generator
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.game import Game

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia


def generator(gaia: "Gaia", game: Game) -> Generator:
    """The generator of random rules for a game."""
    seen = board(game, gaia.symmetry)
    return Generator(
        seen.needs, seen.playable, seen.squares.shape[1], float(gaia.wildcards), gaia.priorities, float(gaia.rigged)
    )


def founders(gaia: "Gaia", game: Game) -> NDArray[Any]:
    """The random rules of the first players, shape (players, rules) of `RULE`; none with `one_shot`."""
    rules = np.zeros((gaia.population, gaia.rules), dtype=RULE)
    if gaia.one_shot:
        rules["action"] = -1
        return rules
    stream = np.array([seed_key(gaia.seed, BIRTH), 0], dtype=np.uint64)
    operators.replace_all(rules.reshape(-1), generator(gaia, game), stream)
    return rules


def replaced(gaia: "Gaia") -> NDArray[np.int64]:
    """The ranks of the players that children replace."""
    if gaia.breeding == "none" or gaia.population == 1:
        return np.arange(0)
    return operators.parents_and_replaced(gaia.selection, gaia.population)[1]


def breed(gaia: "Gaia", game: Game, arrays: Arrays, number: int, stream: NDArray[np.uint64]) -> None:
    """Replace players by children, and light rules by random ones."""
    rules, make, places = arrays["rules"], generator(gaia, game), replaced(gaia)
    if len(places):
        children = _orphans if gaia.breeding == "founders" else _children
        rules[places], arrays["weights"][places] = children(gaia, rules, len(places), make, stream), 0.0
    if gaia.light_every and (number + 1) % gaia.light_every == 0:
        operators.replace_light(rules.reshape(-1), gaia.light_weight, make, stream)


def _children(gaia: "Gaia", rules: NDArray[Any], count: int, make: Generator, stream: NDArray[np.uint64]) -> Any:
    """Children of the best players, shape (count, rules)."""
    parents, _ = operators.parents_and_replaced(gaia.selection, gaia.population)
    if gaia.parents == "random":
        operators.shuffle(parents, stream)
    children = np.empty((count, gaia.rules), dtype=RULE)
    for child, (mother, father) in zip(children, operators.couples(parents, count), strict=True):
        operators.inherit(child, rules[mother], rules[father], gaia.heavier, gaia.inherit_weight)
        alike = gaia.mutate_equal and operators.equal(rules[mother], rules[father])
        operators.mutate(child, 1.0 if alike else float(gaia.mutation), float(gaia.mutation_spread), make, stream)
        if gaia.no_repeats:
            operators.replace_repeated(child, make, stream)
    return children


def _orphans(gaia: "Gaia", rules: NDArray[Any], count: int, make: Generator, stream: NDArray[np.uint64]) -> Any:
    """Children that inherit nothing: all their rules are random."""
    children = np.zeros((count, gaia.rules), dtype=RULE)
    operators.replace_all(children.reshape(-1), make, stream)
    return children


class Brood(NamedTuple):
    """A group of players to judge.

    Attributes:
        places: shape (n,) int64: their places in the population; each one's randomness is a function of its place.
        rules: shape (n, rules) of `RULE`.
        young: shape (n,) bool: whether each learns from the evidence before it is judged.
    """

    places: NDArray[np.int64]
    rules: NDArray[Any]
    young: NDArray[np.bool_]


def breed_and_judge(
    gaia: "Gaia", game: Game, arrays: Arrays, number: int, key: np.uint64, evidence: Evidence, parallel: Parallel
) -> NDArray[np.float64]:
    """Breed, let the children learn, and sort the population by cost; return the costs in the order before sorting."""
    breed(gaia, game, arrays, number, np.array([child_key(key, BREEDING), 0], dtype=np.uint64))
    young, costs = np.zeros(gaia.population, dtype=np.bool_), np.zeros(gaia.population)
    young[replaced(gaia) if gaia.population > 1 else 0] = gaia.induction
    # Deal the players out in turn: the young, which take longest, are neighbours.
    groups = [np.arange(first, gaia.population, parallel.size) for first in range(min(parallel.size, gaia.population))]
    broods = [Brood(places, arrays["rules"][places], young[places]) for places in groups]
    judge = partial(_judge, evidence, board(game, gaia.symmetry), child_key(key, CHILDREN))
    for places, (rules, found) in zip(groups, parallel(judge, broods), strict=True):
        arrays["rules"][places], costs[places] = rules, found
    order = gaia.ranking(np.argsort(costs, kind="stable"), number)
    arrays["rules"], arrays["weights"] = arrays["rules"][order], -costs[order]
    return costs


def _judge(evidence: Evidence, seen: Board, key: np.uint64, brood: Brood) -> tuple[NDArray[Any], list[float]]:
    """Let the young of a brood learn, in any process; return everyone's rules and costs."""
    each = zip(brood.places.tolist(), brood.rules, brood.young.tolist(), strict=True)
    costs = [improve(rules, evidence, seen, child_key(key, place), young) for place, rules, young in each]
    return brood.rules, costs
