"""How if-then players breed: a child takes each pair, and its randomness, from one of two parents. Compiled.

The formulas are those of the original program, "IfThenLearning".
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.hashing import EMPTY, find
from ludarium.agents.genetic.ifthen.contest import Order, cut
from ludarium.agents.genetic.ifthen.maps import FIRST_SLOTS, FORGOTTEN, WINDOW, Maps, put
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import below, derive, uniform
from ludarium.envs.jit import jit

_SPREAD = 0.05
"""An inherited randomness differs from the parent's by up to half of this share of it."""
_OTHERS_SHARE = 0.05
"""The share of the other parent's randomness that is added to the parent's, by the text of the original."""


class Heredity(NamedTuple):
    """What children inherit, and how.

    Attributes:
        randomness_rate: the probability that a child's randomness is not inherited but chosen again.
        rerandomise_limit: the upper limit of a randomness that is chosen again.
        other_parent: whether a share of the other parent's randomness is added to the inherited one.
        drop: whether a pair that only one parent has is inherited only if the child would take it from that parent.
        evidence: whether a pair that both parents have comes from the one that learned it in more games.
    """

    randomness_rate: float
    rerandomise_limit: float = 1.0
    other_parent: bool = False
    drop: bool = False
    evidence: bool = False


def survivors_of(members: int) -> int:
    """The number of members that survive a generation: half of them, rounded up."""
    return members - members // 2


def founders(draws: Any, count: int, limit: float) -> Sequence[float]:
    """The randomness of `count` players without parents, uniform between 0 and a limit."""
    return [limit * uniform(draws) for _ in range(count)]


def replace_by_founders(maps: Maps, order: Order, limit: float, key: np.uint64) -> None:
    """Replace the bottom half of a ranking by players that know nothing; their randomness is below a limit."""
    replaced = order[survivors_of(len(order)) :]
    maps.forget(replaced, founders(np.array([key, 0], dtype=np.uint64), len(replaced), limit))


def replace_by_children(maps: Maps, order: Order, heredity: Heredity, key: np.uint64, parallel: Parallel) -> None:
    """Replace the bottom half of a ranking by children of the others, see `breed`."""
    survivors = survivors_of(len(order))

    def part(ends: tuple[int, int]) -> None:
        breed(maps, order, survivors, *ends, heredity, key)

    if parallel.shares_memory:
        parallel(part, cut(len(order) - survivors, survivors))
    else:  # sending maps takes longer than breeding them here
        part((survivors, len(order)))


@jit
def mothers_share(maps: Any, mother: int, father: int) -> float:
    """The mother's win rate divided by the sum of both win rates; ½ if neither parent has won."""
    hers = maps.wins[mother] / max(maps.games[mother], 1)
    his = maps.wins[father] / max(maps.games[father], 1)
    return hers / (hers + his) if hers + his > 0.0 else 0.5


@jit
def inherit_randomness(own: float, other: float, heredity: Any, stream: Any) -> float:
    """A child's randomness, from 0 to 1, given that of the parent it takes after (own) and of the other parent.

    By the code of the original: own + U · own · 0.05 - own · 0.025, where U is uniform in [0, 1). By its text, with
    `other_parent`: own + 0.05 · other.
    """
    if heredity.other_parent:
        randomness = own + _OTHERS_SHARE * other
    else:
        randomness = own + (uniform(stream) * own * _SPREAD - own * (_SPREAD / 2))
    return min(max(randomness, 0.0), 1.0)


@jit
def inherit_pairs(maps: Any, child: int, mother: int, father: int, share: float, heredity: Any, stream: Any) -> None:
    """Fill a child's map: each pair comes from the mother with probability `share`, otherwise from the father.

    With `evidence`, the parent with more visits passes the pair on, and `share` decides only between equals. A pair
    that one parent lacks comes from the other; with `drop`, only if the child would take it from the one that has it.
    Values of windows that both parents know are averaged, since only sums of windows are meaningful.
    """
    maps.keys[child, :], maps.entries[child] = EMPTY, 0
    for parent, other in ((mother, father), (father, mother)):
        for slot in range(maps.keys.shape[1]):
            key, move = maps.keys[parent, slot], maps.moves[parent, slot]
            if key == EMPTY or move == FORGOTTEN:
                continue
            theirs = find(maps.keys[other], key)
            both = maps.keys[other, theirs] == key and maps.moves[other, theirs] != FORGOTTEN
            if both and parent == father:
                continue  # was decided in the mother's pass
            giver, place = parent, slot
            if both or heredity.drop:
                from_mother = uniform(stream) < share
                if both and heredity.evidence and maps.visits[parent, slot] != maps.visits[other, theirs]:
                    from_mother = maps.visits[parent, slot] > maps.visits[other, theirs]
                if from_mother != (parent == mother):
                    if not both:
                        continue
                    giver, place = other, theirs
            value = maps.values[giver, place]
            if both and move == WINDOW:
                value = (maps.values[parent, slot] + maps.values[other, theirs]) / 2.0
            put(maps, child, key, maps.moves[giver, place], value, maps.visits[giver, place])


@jit
def choose_parents(survivors: int, place: int, key: Any, stream: Any) -> Any:
    """Choose the parents of the child in a place at random: two different survivors, by their places.

    The stream is set to that child's own: whatever else is random about it comes next.
    """
    stream[0], stream[1] = derive(key, place), np.uint64(0)
    one = below(stream, survivors)
    return one, (one + 1 + below(stream, survivors - 1)) % survivors


@jit
def breed(maps: Any, order: Any, survivors: int, first: int, last: int, heredity: Any, key: Any) -> None:
    """Breed children for the places `first` to `last - 1` of the ranking, each of two different survivors.

    Args:
        maps: the population; the rows of the members in those places are overwritten.
        order: (members,) int64: the members, the best first.
        survivors: the number of survivors, the best members; at least 2.
        first: the first place.
        last: the place after the last.
        heredity: see `Heredity`.
        key: the child in place i is a function of this key, i and the survivors.
    """
    stream = np.zeros(2, dtype=np.uint64)
    for place in range(first, last):
        one, two = choose_parents(survivors, place, key, stream)
        child, mother, father = order[place], order[one], order[two]
        share = mothers_share(maps, mother, father)
        if uniform(stream) < heredity.randomness_rate:
            randomness = uniform(stream) * heredity.rerandomise_limit
        elif uniform(stream) < share:
            randomness = inherit_randomness(maps.randomness[mother], maps.randomness[father], heredity, stream)
        else:
            randomness = inherit_randomness(maps.randomness[father], maps.randomness[mother], heredity, stream)
        inherit_pairs(maps, child, mother, father, share, heredity, stream)
        maps.randomness[child], maps.wins[child], maps.games[child] = randomness, 0, 0


def ahead_of_parents(before: Order, after: Order, key: np.uint64) -> float:
    """The share of newborn children that their first ranking puts ahead of both parents; a third if it is random.

    Args:
        before: (members,) int64: the ranking that the children were bred from; they took the last places of it.
        after: (members,) int64: the next ranking.
        key: the key that they were bred with.
    """
    draws, ranks = np.zeros(2, dtype=np.uint64), np.argsort(after)
    survivors, ahead = survivors_of(len(before)), 0
    for place in range(survivors, len(before)):
        parents = before[list(choose_parents(survivors, place, key, draws))]
        ahead += bool(ranks[before[place]] < ranks[parents].min())
    return ahead / (len(before) - survivors)


@jit
def differences(maps: Any, member: int, other: int) -> Any:
    """How many of the pairs that two members share differ, and how many they share.

    Pairs of a position differ if their moves do, pairs of a window if their values have opposite signs. In large tables
    only the first slots are compared: keys are hashes, so these are a fair sample.
    """
    different, common = 0, 0
    for slot in range(FIRST_SLOTS):
        key, move = maps.keys[member, slot], maps.moves[member, slot]
        if key != EMPTY and move != FORGOTTEN:
            theirs = find(maps.keys[other], key)
            if maps.keys[other, theirs] == key and maps.moves[other, theirs] != FORGOTTEN:
                opposed = move == WINDOW and maps.values[member, slot] * maps.values[other, theirs] < 0.0
                common += 1
                different += opposed or move != maps.moves[other, theirs]
    return different, common


@jit
def disagreement(maps: Any, order: Any) -> float:
    """The fraction of shared pairs in which neighbours in the ranking differ."""
    different, common = 0, 0
    for place in range(len(order) - 1):
        differ, both = differences(maps, order[place], order[place + 1])
        different, common = different + differ, common + both
    return different / max(common, 1)
