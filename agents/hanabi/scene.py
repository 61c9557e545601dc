"""What the rules derive from a view before the first of them is asked, and small words that they share."""

from typing import Any

import numpy as np

from ludarium.envs.hanabi.beliefs import BELIEFS, believe, chance
from ludarium.envs.hanabi.rules import MAX_HAND, MAX_SEATS
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

SCENE: list[tuple[Any, ...]] = [
    *BELIEFS,
    ("by_age", np.int64),  # whether the first card is the oldest, not the one in the first place; set before `look`
    ("order", np.int8, (MAX_SEATS, MAX_HAND)),  # each hand's slots in that order, -1 where there is no card
    ("done", np.int64),  # the cards that were played already
    ("lowest", np.int64),  # the height of the lowest firework
]
"""The fields, with which the record of a policy's block begins (`align=True`)."""


@jit
def look(v: Record, m: Record) -> None:
    """Fill in the scene of a view."""
    believe(v, m)
    m.done, m.lowest = 0, v.ranks
    for color in range(v.colors):
        m.done |= ((1 << v.fireworks[color]) - 1) << color * v.ranks
        m.lowest = min(m.lowest, v.fireworks[color])
    for seat in range(v.seats):
        for place in range(v.hand_size):
            m.order[seat, place] = -1
        for slot in range(v.held[seat]):
            m.order[seat, slot if m.by_age else v.place[seat, slot]] = slot


@jit
def card_of(v: Record, seat: int, slot: int) -> int:
    """The set of just the card in a slot of another seat."""
    return 1 << (v.color[seat, slot] * v.ranks + v.rank[seat, slot])


@jit
def is_playable(v: Record, seat: int, slot: int) -> bool:
    """Whether the card of another seat fits onto its firework now."""
    return v.rank[seat, slot] == v.fireworks[v.color[seat, slot]]


@jit
def told_done(v: Record, m: Record, seat: int, slot: int) -> bool:
    """Whether what hints named is enough to know that a card was played already."""
    color, rank = v.color_told[seat, slot], v.rank_told[seat, slot]
    if color >= 0 and (v.fireworks[color] == v.ranks or 0 <= rank < v.fireworks[color]):
        return True
    return 0 <= rank < m.lowest


@jit
def told_playable(v: Record, seat: int, slot: int) -> bool:
    """Whether color and rank were named, and the card fits onto its firework now."""
    color, rank = v.color_told[seat, slot], v.rank_told[seat, slot]
    return color >= 0 and rank >= 0 and v.fireworks[color] == rank


@jit
def color_hint(v: Record, seat: int, color: int) -> int:
    """The action that hints a color."""
    return 2 * v.hand_size + (seat - 1) * v.colors + color


@jit
def rank_hint(v: Record, seat: int, rank: int) -> int:
    """The action that hints a rank."""
    return 2 * v.hand_size + (v.seats - 1) * v.colors + (seat - 1) * v.ranks + rank


@jit
def tell_color(v: Record, seat: int, slot: int) -> int:
    """The action that tells a seat the color of its card."""
    return color_hint(v, seat, v.color[seat, slot])


@jit
def tell_rank(v: Record, seat: int, slot: int) -> int:
    """The action that tells a seat the rank of its card."""
    return rank_hint(v, seat, v.rank[seat, slot])


@jit
def tell_missing(v: Record, seat: int, slot: int, rank_first: bool) -> int:
    """The action that tells a seat what was not told yet of its card, -1 if both were."""
    if v.rank_told[seat, slot] < 0 and (rank_first or v.color_told[seat, slot] >= 0):
        return tell_rank(v, seat, slot)
    if v.color_told[seat, slot] < 0:
        return tell_color(v, seat, slot)
    return -1


@jit
def likeliest(v: Record, m: Record, cards: int, least: float) -> int:
    """The slot of the seat's own card most likely in a set, if at least so likely, else -1; of equals the last."""
    best, best_slot = least, -1
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0:
            probability = chance(v, m, 0, slot, cards)
            if probability >= best:
                best, best_slot = probability, slot
    return best_slot
