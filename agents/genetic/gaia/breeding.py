"""How the first players and their children are made without a memory: as in the original."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.games import BIRTH
from ludarium.agents.genetic.gaia.patterns import RULE, Generator
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
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
    """The random rules of the first players, shape (players, rules) of `RULE`."""
    rules = np.zeros((gaia.population, gaia.rules), dtype=RULE)
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
