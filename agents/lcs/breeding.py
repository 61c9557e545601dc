"""How whole lists breed: who has children, what these inherit, and whose places they take."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludarium.agents.lcs.games import FIRED
from ludarium.agents.lcs.operators import Limits, Random, Rules, cross, mutate
from ludarium.agents.lcs.racing import Player, admit

_DRAWN = 3
"""Players of whom the best becomes a parent, or the worst gives up its place."""
_TWO_PARENTS = 0.4
"""The probability that a child has two."""
_UNCHANGED = 0.5
"""The probability that a child of two parents is not changed further."""
_LAST_CHANGE = 0.5
"""The probability that a change is the last one."""


class Heredity(NamedTuple):
    """What children may inherit.

    Attributes:
        limits: how large lists may become, and how they change.
        crossover: whether children may have two parents.
        credit: whether rules that fire more often are changed more often.
        covering: whether half of the new rules are made to fire in a position that was met.
    """

    limits: Limits
    crossover: bool
    credit: bool
    covering: bool


def parent(members: Sequence[Player], random: Random) -> Player:
    """The best of some players; the best come first."""
    return members[int(random.integers(len(members), size=_DRAWN).min())]


def child(mother: Player, members: Sequence[Player], heredity: Heredity, random: Random) -> Rules:
    """A child of a player, and perhaps of another one."""
    rules, uses, limits = mother.rules, mother.credit[:-1, FIRED], heredity.limits
    father = parent(members, random)
    if heredity.crossover and father is not mother and random.random() < _TWO_PARENTS:
        rules = cross(rules, father.rules, random, limits)
        if random.random() < _UNCHANGED:
            return rules
    sample = mother.sample[0] if heredity.covering else None
    for _ in range(int(random.geometric(_LAST_CHANGE))):
        weights = uses if heredity.credit and len(uses) == len(rules) else np.ones(len(rules))
        rules = mutate(rules, random, limits, weights, sample)
    return rules


def join(
    members: list[Player], children: Sequence[Player], rivals: Sequence[Player] | None, stay: list[bool], random: Random
) -> None:
    """Let children join the players, whose list changes.

    Args:
        members: the players.
        children: their children.
        rivals: the mother of each; None: all children take the place of anybody.
        stay: which of the children have kept up with their mothers.
        random: the draws.
    """
    for number, newcomer in enumerate(children):
        places = random.integers(len(members), size=_DRAWN).tolist()
        if rivals is None:
            members[places[0]] = newcomer
        elif stay[number]:
            admit(members, newcomer, rivals[number], places)
