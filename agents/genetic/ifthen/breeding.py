"""How if-then players breed: a child takes each pair, and its randomness, from one of two parents. Compiled.

The formulas and options are those of the original program, "IfThenLearning"; see `IfThen`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.hashing import EMPTY, find
from ludarium.agents.genetic.ifthen.maps import FIRST_SLOTS, FORGOTTEN, WINDOW, Maps, clear, put
from ludarium.envs.chance import below, derive, uniform
from ludarium.envs.jit import jit


class Heredity(NamedTuple):
    """The options that affect breeding; see `IfThen`."""

    randomness_rate: float
    rerandomise_limit: float
    other_parent: bool  # randomness_inheritance is "text"
    drop: bool  # missing_genes is "drop"
    evidence: bool  # inheritance is "evidence"


@jit
def mothers_share(maps: Any, mother: int, father: int) -> float:
    """The mother's win rate divided by the sum of both win rates; ½ if neither parent has won."""
    hers = maps.wins[mother] / max(maps.games[mother], 1)
    his = maps.wins[father] / max(maps.games[father], 1)
    return hers / (hers + his) if hers + his > 0.0 else 0.5


@jit
def inherit_randomness(own: float, other: float, heredity: Any, stream: Any) -> float:
    """A child's randomness, from 0 to 1, given that of the parent it takes after (own) and of the other parent.

    `"code"`: own + U · own · 0.05 - own · 0.025, where U is uniform in [0, 1). `"text"`: own + 0.05 · other.
    """
    if heredity.other_parent:
        randomness = own + 0.05 * other
    else:
        randomness = own + (uniform(stream) * own * 0.05 - own * 0.025)
    return min(max(randomness, 0.0), 1.0)


@jit
def inherit_pairs(maps: Any, child: int, mother: int, father: int, share: float, heredity: Any, stream: Any) -> None:
    """Fill a child's map: each pair comes from the mother with probability `share`, otherwise from the father.

    With `evidence`, the parent with more visits passes the pair on, and `share` decides only between equals. A pair
    that one parent lacks comes from the other; with `drop`, only if the draw picks the one that has it. Values of
    windows that both parents know are averaged, since only sums of windows are meaningful.
    """
    clear(maps, child)
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
def draw_parents(survivors: int, place: int, key: Any, stream: Any) -> Any:
    """Draw the parents of the child in a place: two different survivors, by their places.

    The stream is set to that child's own: what else is drawn for it comes next.
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
        one, two = draw_parents(survivors, place, key, stream)
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


def ahead_of_parents(before: NDArray[np.int64], after: NDArray[np.int64], survivors: int, key: np.uint64) -> float:
    """The share of newborn children that their first ranking puts ahead of both parents; a third if it is random.

    Args:
        before: (members,) int64: the ranking that the children were bred from; they took the last places of it.
        after: (members,) int64: the next ranking.
        survivors: the number of survivors in `before`.
        key: the key that they were bred with.
    """
    draws, ranks = np.zeros(2, dtype=np.uint64), np.argsort(after)
    ahead = 0
    for place in range(survivors, len(before)):
        parents = before[list(draw_parents(survivors, place, key, draws))]
        ahead += bool(ranks[before[place]] < ranks[parents].min())
    return ahead / (len(before) - survivors)


@jit
def differences(maps: Any, member: int, other: int) -> Any:
    """How many of the pairs that two members share differ, and how many they share.

    Pairs of a position differ if their moves do, pairs of a window if their values have opposite signs. In large tables
    only the first slots are compared: keys are hashes, so these are a fair sample.
    """
    different, known = 0, 0
    for slot in range(FIRST_SLOTS):
        key, move = maps.keys[member, slot], maps.moves[member, slot]
        if key != EMPTY and move != FORGOTTEN:
            theirs = find(maps.keys[other], key)
            if maps.keys[other, theirs] == key and maps.moves[other, theirs] != FORGOTTEN:
                opposed = move == WINDOW and maps.values[member, slot] * maps.values[other, theirs] < 0.0
                known += 1
                different += opposed or move != maps.moves[other, theirs]
    return different, known


@jit
def disagreement(maps: Any, order: Any) -> float:
    """The fraction of shared pairs in which neighbours in the ranking differ."""
    different, known = 0, 0
    for place in range(len(order) - 1):
        differ, both = differences(maps, order[place], order[place + 1])
        different, known = different + differ, known + both
    return different / max(known, 1)


@jit
def unusual(maps: Any, order: Any, first: int, shares: Any) -> None:
    """How unusual members are: the fraction of the pairs they share with the others in which they differ from them.

    Args:
        maps: the population.
        order: (members,) int64: the members, the best first.
        first: the first place of the ranking to compute this for.
        shares: (members,) float64: the results by place, written from `first` on.
    """
    for place in range(first, len(order)):
        different, known = 0, 0
        for other in order:
            if other != order[place]:
                differ, both = differences(maps, order[place], other)
                different, known = different + differ, known + both
        shares[place] = different / max(known, 1)


def protect(maps: Maps, order: NDArray[np.int64], survivors: int, share: float) -> NDArray[np.int64]:
    """The ranking with the most unusual players moved up to the survivors' last places.

    Args:
        maps: the population.
        order: (members,) int64: the members, the best first.
        survivors: the number of survivors.
        share: the fraction of the survivors' places behind the champion that goes to the members that differ in the
            most pairs from the others, among those not ranked above these places.
    """
    kept, shares = survivors - places_protected(survivors, share), np.zeros(len(order))
    unusual(maps, order, kept, shares)
    raised = np.argsort(-shares, kind="stable")[: survivors - kept]
    places = np.full(len(order), 2)
    places[:kept], places[raised] = 0, 1
    return order[np.argsort(places, kind="stable")]


def places_protected(survivors: int, share: float) -> int:
    """The number of survivors' places that a share of those behind the champion amounts to."""
    return int(share * (survivors - 1) + 0.5)
