"""What the rules' features are in a position, in compiled code: of the position, and of the cards of any hand.

A hand is described as its owner sees it, as far as the viewer knows that; so the same rules tell what the viewer should
play, and what others will. Row 0 of the tables is the viewer's hand, row s that of seat s, and row `AFTER` a hand as it
would be after a hint.
"""

from typing import Any

import numpy as np

from ludarium.agents.lcs.language import ANY, FEATURES, FIRST_CARD, FIRST_HINT
from ludarium.envs.hanabi.beliefs import BELIEFS, believe, chance, next_draw, unseen
from ludarium.envs.hanabi.rules import HINT_RANK, MAX_HAND, MAX_SEATS, copies
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

AFTER = MAX_SEATS
MOST_HINTS = (MAX_SEATS - 1) * 10
_POSITION, _CARD, _HINT = FIRST_CARD, FIRST_HINT - FIRST_CARD, len(FEATURES) - FIRST_HINT

SCENE: list[tuple[Any, ...]] = [
    *BELIEFS,
    ("position", np.float64, (_POSITION,)),
    ("cards", np.float64, (MAX_SEATS + 1, MAX_HAND, _CARD)),
    ("hints", np.float64, (MOST_HINTS, _HINT)),  # by action - 2h; `touches` is 0 where a hint is not legal
    ("sets", np.int64, (MAX_SEATS + 1, MAX_HAND)),  # the cards that hints leave a card, by row of `cards`
    ("owner", np.int64, (MAX_SEATS + 1,)),  # whose hand is in a row
    ("visible", np.int64),  # cards in hands that the viewer sees
    ("fits", np.int64, (MAX_SEATS,)),  # the playable and the dead cards when a seat's turn comes, as far as can be told
    ("gone", np.int64, (MAX_SEATS,)),
    ("plays", np.int64, (MAX_SEATS,)),  # the slot that a seat would play then, or else the one it would discard; or -1
    ("drops", np.int64, (MAX_SEATS,)),
    ("touched", np.int64, (MAX_SEATS,)),  # slots of each hand, as bits: see the features of these names
    ("focus", np.int64, (MAX_SEATS,)),
    ("with_chop", np.int64, (MAX_SEATS,)),
    ("foreseen", np.int64),  # whether `plays` and `drops` are known
    ("considered", np.int64),  # whether `hints` is
]
"""The fields, with which the record of a policy's block begins (`align=True`)."""


# The columns of `position`, `cards` and `hints`, in the order of `FEATURES`.
TOKENS, LIVES, DECK, SCORE, SEATS, PACE, LOWEST = range(7)
TABLE, DISCARDS, FELLOW, DECK_NEXT, PLAYS_NEXT, PLAYS_EXPECTED, MISTAKES_EXPECTED, LOSSES_EXPECTED = range(7, 15)
PLAYABLE, DEAD, CRITICAL, SOON, SEEN, OF_PATTERN, PLACE, AGE = range(8)
TOUCHED, FRESH, FOCUS, ALONE, BY_RANK, WITH_CHOP, SAVED, CHOP, COLOR_TOLD, RANK_TOLD, BEST, OPENS, MATCH = range(8, 21)
(
    RECEIVER, GOOD, BAD, GAIN, SURE, USELESS, NEWS, TOUCHES, TOUCHES_NEW, TOUCHES_PLAYABLE, TOUCHES_DEAD,
    TOUCHES_CRITICAL, TOUCHES_CHOP, CHOP_CRITICAL, SAVES, TOLD_RANK, PLAYED_RANK, UNLOCKS, TELLS,
) = range(19)  # fmt: skip
assert (_POSITION, _CARD, _HINT) == (LOSSES_EXPECTED + 1, MATCH + 1, TELLS + 1)


@jit
def look(v: Record, m: Record) -> None:
    """Describe the position and the viewer's hand; the rest when a rule asks for it."""
    believe(v, m)
    m.foreseen = m.considered = 0
    m.fits[0], m.gone[0] = m.playable, m.dead
    m.visible = 0
    for seat in range(1, v.seats):
        for slot in range(v.held[seat]):
            m.visible |= 1 << (v.color[seat, slot] * v.ranks + v.rank[seat, slot])
    _look_at_table(v, m)
    _recall(v, m)
    describe(v, m, 0)


@jit
def _look_at_table(v: Record, m: Record) -> None:
    m.position[TOKENS], m.position[LIVES], m.position[DECK] = v.information, v.lives, v.deck_size
    m.position[SCORE], m.position[SEATS] = v.score, v.seats
    greatest, lowest = 0, v.ranks
    for color in range(v.colors):
        height = v.fireworks[color]
        lowest = min(lowest, height)
        while height < v.ranks and v.discards[color * v.ranks + height] < copies(v, height):
            height += 1
        greatest += height
    m.position[PACE] = max(0, v.score + v.deck_size + v.seats - greatest)
    m.position[LOWEST] = lowest
    for name in range(PLAYS_NEXT, LOSSES_EXPECTED + 1):
        m.position[name] = 0.0


@jit
def _recall(v: Record, m: Record) -> None:
    """Which cards now in hand were touched, as the newest of a hint, or together with the chop of that time."""
    for seat in range(v.seats):
        m.touched[seat] = m.focus[seat] = m.with_chop[seat] = 0
    for i in range(v.moves):
        target = v.move_target[i]
        if target >= 0:
            cards = int(v.move_touched[i])
            old = m.touched[target]
            m.focus[target] = (m.focus[target] & ~cards) | newest(cards)
            chop = ~old & (old + 1)
            m.with_chop[target] = (m.with_chop[target] & ~cards) | (cards if cards & chop else 0)
            m.touched[target] = old | cards
        else:
            seat, slot = v.move_seat[i], v.move_slot[i]
            m.touched[seat] = without(m.touched[seat], slot)
            m.focus[seat] = without(m.focus[seat], slot)
            m.with_chop[seat] = without(m.with_chop[seat], slot)


@jit
def newest(slots: int) -> int:
    """The highest bit of a set of slots."""
    while slots & (slots - 1):
        slots &= slots - 1
    return slots


@jit
def without(slots: int, slot: int) -> int:
    """A set of slots after the card in one of them has left: younger cards move up."""
    older = (1 << slot) - 1
    return (slots & older) | ((slots >> 1) & ~older)


@jit
def describe(v: Record, m: Record, seat: int) -> None:
    """The features of a hand as it is, in its own row."""
    m.owner[seat] = seat
    free = ~m.touched[seat]
    chop = free & -free
    for slot in range(v.held[seat]):
        bit = 1 << slot
        last = v.last_hint[seat, slot]
        m.sets[seat, slot] = v.possible[seat, slot]
        m.cards[seat, slot, PLACE], m.cards[seat, slot, AGE] = slot, v.age[seat, slot]
        m.cards[seat, slot, TOUCHED] = last >= 0
        m.cards[seat, slot, FRESH], m.cards[seat, slot, ALONE] = v.fresh[seat, slot], v.alone[seat, slot]
        m.cards[seat, slot, FOCUS] = m.focus[seat] & bit != 0
        m.cards[seat, slot, BY_RANK] = last >= 0 and v.move_kind[last] == HINT_RANK
        m.cards[seat, slot, WITH_CHOP] = m.with_chop[seat] & bit != 0
        m.cards[seat, slot, CHOP] = chop == bit
        m.cards[seat, slot, COLOR_TOLD] = v.color_told[seat, slot] >= 0
        m.cards[seat, slot, RANK_TOLD] = v.rank_told[seat, slot] >= 0
    weigh(v, m, seat, seat)


@jit
def weigh(v: Record, m: Record, seat: int, row: int) -> None:
    """The probabilities of a hand's cards, from the sets in a row, at its owner's turn."""
    fits, gone = m.fits[seat], m.gone[seat]
    before = (m.visible >> 1) & ~last_ranks(v)  # the cards that come just before those that the viewer sees
    soon, critical = ((fits & ~last_ranks(v)) << 1) & ~gone, m.critical & ~gone
    best = 0.0
    for slot in range(v.held[seat]):
        cards = m.sets[row, slot]
        total = max(unseen(m, seat, cards), 1)
        m.cards[row, slot, PLAYABLE] = unseen(m, seat, cards & fits) / total
        m.cards[row, slot, DEAD] = unseen(m, seat, cards & gone) / total
        m.cards[row, slot, CRITICAL] = unseen(m, seat, cards & critical) / total
        m.cards[row, slot, SOON] = unseen(m, seat, cards & soon) / total
        m.cards[row, slot, OPENS] = unseen(m, seat, cards & before) / total
        m.cards[row, slot, SEEN] = unseen(m, seat, cards & m.visible) / total
        if m.exact != 0 and row == 0:
            m.cards[row, slot, PLAYABLE] = chance(v, m, 0, slot, fits)
            m.cards[row, slot, DEAD] = chance(v, m, 0, slot, gone)
            m.cards[row, slot, CRITICAL] = chance(v, m, 0, slot, critical)
        best = max(best, m.cards[row, slot, PLAYABLE])
        m.cards[row, slot, SAVED] = (
            m.cards[row, slot, BY_RANK] * m.cards[row, slot, WITH_CHOP] * (m.cards[row, slot, CRITICAL] > 0.0)
        )
    for slot in range(v.held[seat]):
        m.cards[row, slot, BEST] = best


@jit
def last_ranks(v: Record) -> int:
    """The set of the cards that complete a firework."""
    cards = 0
    for color in range(v.colors):
        cards |= 1 << (color * v.ranks + v.ranks - 1)
    return cards


@jit
def pattern_cards(v: Record, pattern: int) -> int:
    """The set of cards that a pattern names."""
    color, rank = pattern // 6 % 6, pattern % 6
    cards = 0
    for card in range(v.colors * v.ranks):
        right_color = color == ANY or card // v.ranks == color
        right_rank = rank == ANY or card % v.ranks == rank
        cards |= (1 if right_color and right_rank else 0) << card
    return cards


@jit
def count_pattern(v: Record, m: Record, feature: int, pattern: int) -> float:
    """The value of a feature of the position that has a pattern."""
    cards, seat = pattern_cards(v, pattern), pattern // 36
    if feature == DECK_NEXT:
        return next_draw(v, m, 0, cards)
    count = 0
    if feature == FELLOW:
        for other in range(1, v.seats):
            if seat in (0, other):
                for slot in range(v.held[other]):
                    count += cards >> (v.color[other, slot] * v.ranks + v.rank[other, slot]) & 1
        return float(count)
    for color in range(v.colors):
        for rank in range(v.ranks):
            if cards >> (color * v.ranks + rank) & 1:
                count += v.discards[color * v.ranks + rank] if feature == DISCARDS else rank < v.fireworks[color]
    return float(count)
