"""What the cards that a seat does not see may be: sets of cards, and their probabilities, from a view.

A set of cards is a number: bit color × ranks + rank. `believe` derives from a view the sets that matter and, for each
seat, the cards that it has not seen, as far as the viewer knows: the deck, the viewer's hand and its own. (It does see
the viewer's hand; the viewer cannot tell what follows from that.) `chance` is then the probability that a card is in a
set, for its owner. There are two ways to count:

- *marginal*: each card by itself, among the unseen cards that hints leave it;
- *exact*: all cards of the hand together, since a card that is certainly in one slot is not in another.
"""

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from ludarium.envs.hanabi.rules import MAX_HAND, MAX_SEATS, copies
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import c_function, jit
from ludarium.envs.kernels import Record, count_bits, function

_CARDS, _SUBSETS = 25, 1 << MAX_HAND
_call_count = function("ppi")  # `_call_count(address, v, b, seat)`: call `_count`

BELIEFS: list[tuple[Any, ...]] = [
    ("exact", np.int64),  # the way to count, from `counting`; the only field to set before `believe`
    ("playable", np.int64),  # the set of cards that fit onto the fireworks now
    ("dead", np.int64),  # that will never fit again
    ("critical", np.int64),  # that are not dead, and of which only one copy is left
    # For each seat the unseen cards: a set of those of which there is one, one of those with two, one with three.
    ("pools", np.int64, (MAX_SEATS, 3)),
    # In exact counting, the probabilities of each card in each slot, once they have been needed.
    ("counted", np.int64, (MAX_SEATS,)),
    ("chances", np.float64, (MAX_SEATS, MAX_HAND, _CARDS)),
    ("ways", np.float64, (_CARDS + 1, _SUBSETS)),
    ("rest", np.float64, (_SUBSETS,)),
    ("rest_before", np.float64, (_SUBSETS,)),
]
"""The fields, with which the record of a policy's block begins (`align=True`)."""
_BELIEFS = np.dtype(BELIEFS, align=True)


def counting(exact: bool) -> int:
    """The field `exact`: 0 for marginal counting, else the address of exact counting, compiled on first use."""
    return _exact_counting() if exact else 0


@cache  # the signature takes longer to make than all else in making a player
def _exact_counting() -> int:
    signature = types.int64(numba.from_dtype(VIEW), numba.from_dtype(_BELIEFS), types.int64)
    return c_function(_count, signature).address or 0


@jit
def believe(v: Record, b: Record) -> None:
    """Derive from a view all but the probabilities."""
    _value_cards(v, b)
    once, twice, thrice = _unseen(v)
    for seat in range(v.seats):
        b.pools[seat, 0], b.pools[seat, 1], b.pools[seat, 2] = once, twice, thrice
        b.counted[seat] = 0
        if seat > 0:
            for slot in range(v.held[seat]):
                card = 1 << (v.color[seat, slot] * v.ranks + v.rank[seat, slot])
                if not b.pools[seat, 0] & card:
                    b.pools[seat, 0] |= card
                elif not b.pools[seat, 1] & card:
                    b.pools[seat, 1] |= card
                else:
                    b.pools[seat, 2] |= card


@jit
def _value_cards(v: Record, b: Record) -> None:
    b.playable = b.dead = b.critical = 0
    for color in range(v.colors):
        reachable = True
        for rank in range(v.ranks):
            card = color * v.ranks + rank
            left = copies(v, rank) - v.discards[card]
            if rank < v.fireworks[color]:
                b.dead |= 1 << card
                continue
            reachable &= left > 0
            if not reachable:
                b.dead |= 1 << card
                continue
            if left == 1:
                b.critical |= 1 << card
            if rank == v.fireworks[color]:
                b.playable |= 1 << card


@jit
def _unseen(v: Record) -> tuple[int, int, int]:
    """The cards that the viewer does not see, as the sets of which there is one, there are two, three."""
    once = twice = thrice = 0
    for color in range(v.colors):
        for rank in range(v.ranks):
            card = color * v.ranks + rank
            left = copies(v, rank) - v.discards[card] - (1 if rank < v.fireworks[color] else 0)
            once |= (1 if left > 0 else 0) << card
            twice |= (1 if left > 1 else 0) << card
            thrice |= (1 if left > 2 else 0) << card
    for seat in range(1, v.seats):
        for slot in range(v.held[seat]):
            card = 1 << (v.color[seat, slot] * v.ranks + v.rank[seat, slot])
            if thrice & card:
                thrice ^= card
            elif twice & card:
                twice ^= card
            else:
                once &= ~card
    return once, twice, thrice


@jit
def unseen(b: Record, seat: int, cards: int) -> int:
    """How many cards of a set a seat has not seen, as far as the viewer knows."""
    once, twice, thrice = b.pools[seat, 0], b.pools[seat, 1], b.pools[seat, 2]
    return count_bits(once & cards) + count_bits(twice & cards) + count_bits(thrice & cards)


@jit
def share(b: Record, seat: int, possible: int, wanted: int) -> float:
    """Of the unseen cards in the set `possible`, the share that is in `wanted`; 0 if there are none."""
    total = unseen(b, seat, possible)
    return unseen(b, seat, possible & wanted) / total if total > 0 else 0.0


@jit
def chance(v: Record, b: Record, seat: int, slot: int, wanted: int) -> float:
    """The probability, for its owner, that a card is in the set `wanted`."""
    if not b.exact:
        return share(b, seat, v.possible[seat, slot], wanted)
    if not b.counted[seat]:
        _call_count(b.exact, v, b, seat)
    total = 0.0
    for card in range(v.colors * v.ranks):
        if wanted >> card & 1:
            total += b.chances[seat, slot, card]
    return total


@jit
def next_draw(v: Record, b: Record, seat: int, wanted: int) -> float:
    """The probability, for a seat, that the next card of the deck is in a set.

    All unseen cards but those in the seat's own hand are equally likely to come next, so this is the expected number of
    cards of the set among them, divided by how many they are. Marginal counting may err by a little.
    """
    others = unseen(b, seat, (1 << v.colors * v.ranks) - 1) - v.held[seat]
    expected = float(unseen(b, seat, wanted))
    for slot in range(v.held[seat]):
        expected -= chance(v, b, seat, slot, wanted)
    return min(max(expected / others, 0.0), 1.0) if others > 0 else 0.0


def _count(v: Record, b: Record, seat: int) -> int:
    """Exact probabilities: the share of all ways to fill the hand in which a card is in a slot.

    The cards are gone through one by one; the state is the set of slots filled so far. A card with c unseen copies can
    fill a set of n slots in c (c - 1) … (c - n + 1) ways. `ways[card]` counts how the earlier cards can have filled a
    set of slots, `rest` how this and the later cards can fill the others. That takes cards × 3^slots steps instead of
    all ways.
    """
    kinds, full = v.colors * v.ranks, (1 << v.held[seat]) - 1
    for filled in range(full + 1):
        b.ways[0, filled] = 1.0 if filled == 0 else 0.0
        b.rest[filled] = 1.0 if filled == full else 0.0
    for card in range(kinds):
        _fill_forward(v, b, seat, card, full)
    total = b.ways[kinds, full]
    for card in range(kinds - 1, -1, -1):
        _fill_backward(v, b, seat, card, full, total)
    b.counted[seat] = 1
    return 0


@jit
def _slots_for(v: Record, b: Record, seat: int, card: int) -> int:
    """The slots that can hold a card, as bits; none if no copy is unseen."""
    slots = 0
    if b.pools[seat, 0] >> card & 1:
        for slot in range(v.held[seat]):
            slots |= (v.possible[seat, slot] >> card & 1) << slot
    return slots


@jit
def _arrangements(b: Record, seat: int, card: int, slots: int) -> float:
    """The number of ways to fill slots with copies of one card."""
    left = unseen(b, seat, 1 << card)
    number = 1.0
    for _ in range(count_bits(slots)):
        number *= left
        left -= 1
    return max(number, 0.0)


@jit
def _fill_forward(v: Record, b: Record, seat: int, card: int, full: int) -> None:
    fitting = _slots_for(v, b, seat, card)
    for filled in range(full + 1):
        b.ways[card + 1, filled] = b.ways[card, filled]
    slots = fitting
    while slots:
        number = _arrangements(b, seat, card, slots)
        if number > 0.0:
            for filled in range(full + 1):
                if filled & slots == 0:
                    b.ways[card + 1, filled | slots] += number * b.ways[card, filled]
        slots = (slots - 1) & fitting


@jit
def _fill_backward(v: Record, b: Record, seat: int, card: int, full: int, total: float) -> None:
    fitting = _slots_for(v, b, seat, card)
    for slot in range(v.held[seat]):
        b.chances[seat, slot, card] = 0.0
    for filled in range(full + 1):
        b.rest_before[filled] = b.rest[filled]
    slots = fitting
    while slots:
        number = _arrangements(b, seat, card, slots)
        if number > 0.0:
            together = 0.0
            for filled in range(full + 1):
                if filled & slots == 0:
                    b.rest_before[filled] += number * b.rest[filled | slots]
                    together += number * b.ways[card, filled] * b.rest[filled | slots]
            for slot in range(v.held[seat]):
                if slots >> slot & 1 and total > 0.0:
                    b.chances[seat, slot, card] += together / total
        slots = (slots - 1) & fitting
    for filled in range(full + 1):
        b.rest[filled] = b.rest_before[filled]


def probabilities(view: Any, seat: int = 0, *, exact: bool = False) -> NDArray[np.float64]:
    """What a seat's cards may be, for Python code.

    Args:
        view: a view; see `ludarium.envs.hanabi.view`.
        seat: whose cards, counted from the viewer; for others, as far as the viewer knows what they know.
        exact: whether to consider all cards of the hand together.

    Returns:
        The probability of each card in each slot, shape (held, colors, ranks).
    """
    beliefs = np.zeros(1, dtype=_BELIEFS)
    beliefs["exact"] = counting(exact)
    shape = int(view.held[seat]), int(view.colors), int(view.ranks)
    chances = np.zeros(shape)
    _tabulate(np.array([view], dtype=VIEW), beliefs, seat, chances.reshape(shape[0], -1))
    return chances


@jit
def _tabulate(views: Any, beliefs: Any, seat: int, chances: Any) -> None:
    v, b = views[0], beliefs[0]
    believe(v, b)
    for slot in range(chances.shape[0]):
        for card in range(chances.shape[1]):
            chances[slot, card] = chance(v, b, seat, slot, 1 << card)
