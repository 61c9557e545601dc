"""What the rules' features are in a position, in compiled code: of the position, and of the cards of any hand.

A hand is described as its owner sees it, as far as the viewer knows that; so the same rules tell what the viewer should
play, and what others will. Row 0 of the tables is the viewer's hand, row s that of seat s, and row `AFTER` a hand as it
would be after a hint. What costs time is computed only if a rule asks for it (`needs`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.language import ANY, CARD, CHANCES, DOUBT, FEATURES, FIRST_CARD, FIRST_HINT, NOT, OWN, SEAT
from ludarium.envs.hanabi.beliefs import BELIEFS, believe, chance, next_draw, unseen
from ludarium.envs.hanabi.rules import HINT_RANK, MAX_HAND, MAX_SEATS, copies
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

AFTER = MAX_SEATS
MOST_HINTS = (MAX_SEATS - 1) * 10
_POSITION, _CARD, _HINT = FIRST_CARD, FIRST_HINT - FIRST_CARD, OWN - FIRST_HINT
_FACTS = sum(feature.scope == CARD and feature.is_fact for feature in FEATURES)

SCENE: list[tuple[Any, ...]] = [
    *BELIEFS,
    ("needs", np.int64),  # the features that rules ask for, as bits; see `needs`
    ("position", np.float64, (_POSITION,)),
    ("cards", np.float64, (MAX_SEATS + 1, _CARD, MAX_HAND)),  # but for the facts
    ("facts", np.int64, (MAX_SEATS + 1, _FACTS)),  # the slots for which each is so, as bits
    ("hints", np.float64, (_HINT, MOST_HINTS)),  # by action - 2h
    ("legal", np.int64),  # the hints that touch a card, as bits
    ("touching", np.int64, (10,)),  # scratch: the slots that a hint of each color, then of each rank touches
    ("sets", np.int64, (MAX_SEATS + 1, MAX_HAND)),  # the cards that hints leave a card, by row of `cards`
    ("owner", np.int64, (MAX_SEATS + 1,)),  # whose hand is in a row
    ("visible", np.int64),  # cards in hands that the viewer sees
    ("firsts", np.int64),  # the cards of the lowest rank
    ("fits", np.int64, (MAX_SEATS,)),  # the playable and the dead cards when a seat's turn comes, as far as can be told
    ("gone", np.int64, (MAX_SEATS,)),
    ("plays", np.int64, (MAX_SEATS,)),  # the slot that a seat would play then, or else the one it would discard; or -1
    ("drops", np.int64, (MAX_SEATS,)),
    ("foreseen", np.int64),  # whether `plays` and `drops` are known
    ("considered", np.int64),  # whether `hints` is
]
"""The fields, with which the record of a policy's block begins (`align=True`)."""


# The columns of `position`, `cards`, `facts` and `hints`, in the order of `FEATURES`.
TOKENS, LIVES, DECK, SCORE, SEATS, PACE, LOWEST = range(7)
TABLE, DISCARDS, FELLOW, DECK_NEXT, PLAYS_NEXT, PLAYS_EXPECTED, MISTAKES_EXPECTED, LOSSES_EXPECTED = range(7, 15)
PLAYABLE, DEAD, CRITICAL, SOON, SEEN, OF_PATTERN, PLACE, AGE = range(8)
TOUCHED, FRESH, FOCUS, ALONE, BY_RANK, WITH_CHOP, SAVED, CHOP, COLOR_TOLD, RANK_TOLD = range(10)  # of `facts`
FIRST_FACT, BEST, OPENS, MATCH = 8, 18, 19, 20
(
    RECEIVER, GOOD, BAD, GAIN, SURE, USELESS, NEWS, TOUCHES, TOUCHES_NEW, TOUCHES_PLAYABLE, TOUCHES_DEAD,
    TOUCHES_CRITICAL, TOUCHES_CHOP, CHOP_CRITICAL, SAVES, TOLD_RANK, PLAYED_RANK, UNLOCKS, TELLS,
) = range(19)  # fmt: skip
assert (_POSITION, _CARD, _HINT) == (LOSSES_EXPECTED + 1, MATCH + 1, TELLS + 1)
assert all(FEATURES[FIRST_CARD + card].is_fact == (0 <= card - FIRST_FACT < _FACTS) for card in range(_CARD))

EVERYTHING = (1 << len(FEATURES)) - 1
"""All features, as `needs` has them."""
_SOURCES = {
    FIRST_CARD + BEST: PLAYABLE,
    FIRST_CARD + FIRST_FACT + SAVED: CRITICAL,
    FIRST_HINT + SURE: PLAYABLE,
    FIRST_HINT + USELESS: DEAD,
}


def needs(rules: NDArray[Any]) -> int:
    """The features that rules ask for, and those that these follow from, as bits."""
    asked = {int(number) for field in ("feature", "order") for number in rules[field].ravel() if number >= 0}
    asked |= {FIRST_CARD + source for number, source in _SOURCES.items() if number in asked}
    return sum(1 << number for number in asked)


@jit
def asked_card(m: Record, feature: int) -> bool:
    """Whether a rule asks for a feature of cards, a column of `cards`."""
    return m.needs >> (FIRST_CARD + feature) & 1 != 0


@jit
def asked_hint(m: Record, feature: int) -> bool:
    """Whether a rule asks for a feature of hints, a column of `hints`."""
    return m.needs >> (FIRST_HINT + feature) & 1 != 0


@jit
def look(v: Record, m: Record) -> None:
    """Describe the position and the viewer's hand; the rest when a rule asks for it."""
    believe(v, m)
    m.foreseen = m.considered = 0
    m.fits[0], m.gone[0] = m.playable, m.dead
    m.firsts = first_ranks(v)
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
        m.facts[seat, TOUCHED] = m.facts[seat, FOCUS] = m.facts[seat, WITH_CHOP] = 0
    for i in range(v.moves):
        target = v.move_target[i]
        if target >= 0:
            cards = int(v.move_touched[i])
            old = m.facts[target, TOUCHED]
            chop = ~old & (old + 1)
            m.facts[target, TOUCHED] = old | cards
            m.facts[target, FOCUS] = (m.facts[target, FOCUS] & ~cards) | newest(cards)
            m.facts[target, WITH_CHOP] = (m.facts[target, WITH_CHOP] & ~cards) | (cards if cards & chop else 0)
        else:
            seat, slot = v.move_seat[i], v.move_slot[i]
            m.facts[seat, TOUCHED] = without(m.facts[seat, TOUCHED], slot)
            m.facts[seat, FOCUS] = without(m.facts[seat, FOCUS], slot)
            m.facts[seat, WITH_CHOP] = without(m.facts[seat, WITH_CHOP], slot)


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
    """The features of a hand as it is, in its own row; which cards were touched is known."""
    m.owner[seat] = seat
    fresh = alone = by_rank = color_told = rank_told = 0
    for slot in range(v.held[seat]):
        last = v.last_hint[seat, slot]
        m.sets[seat, slot] = v.possible[seat, slot]
        m.cards[seat, PLACE, slot], m.cards[seat, AGE, slot] = slot, v.age[seat, slot]
        fresh |= int(v.fresh[seat, slot]) << slot
        alone |= int(v.alone[seat, slot]) << slot
        by_rank |= (1 if last >= 0 and v.move_kind[last] == HINT_RANK else 0) << slot
        color_told |= (1 if v.color_told[seat, slot] >= 0 else 0) << slot
        rank_told |= (1 if v.rank_told[seat, slot] >= 0 else 0) << slot
    free = ~m.facts[seat, TOUCHED]
    m.facts[seat, CHOP] = free & -free
    m.facts[seat, FRESH], m.facts[seat, ALONE], m.facts[seat, BY_RANK] = fresh, alone, by_rank
    m.facts[seat, COLOR_TOLD], m.facts[seat, RANK_TOLD] = color_told, rank_told
    weigh(v, m, seat, seat)


@jit
def weigh(v: Record, m: Record, seat: int, row: int) -> None:
    """The probabilities of a hand's cards that rules ask for, from the sets in a row, at its owner's turn.

    `SEEN` and `OPENS` count all hands that the viewer sees, whoever owns the cards.
    """
    fits, gone = m.fits[seat], m.gone[seat]
    lasts = m.firsts << (v.ranks - 1)
    soon, critical = ((fits & ~lasts) << 1) & ~gone, m.critical & ~gone
    before = (m.visible >> 1) & ~lasts  # the cards that come just before those that the viewer sees
    best, risky = 0.0, 0
    for slot in range(v.held[seat]):
        cards = m.sets[row, slot]
        if row == AFTER and cards == m.sets[seat, slot]:
            for feature in range(SEEN + 1):
                m.cards[row, feature, slot] = m.cards[seat, feature, slot]
            m.cards[row, OPENS, slot] = m.cards[seat, OPENS, slot]
        else:
            total = max(unseen(m, seat, cards), 1)
            if asked_card(m, PLAYABLE):
                m.cards[row, PLAYABLE, slot] = unseen(m, seat, cards & fits) / total
            if asked_card(m, DEAD):
                m.cards[row, DEAD, slot] = unseen(m, seat, cards & gone) / total
            if asked_card(m, CRITICAL):
                m.cards[row, CRITICAL, slot] = unseen(m, seat, cards & critical) / total
            if asked_card(m, SOON):
                m.cards[row, SOON, slot] = unseen(m, seat, cards & soon) / total
            if asked_card(m, OPENS):
                m.cards[row, OPENS, slot] = unseen(m, seat, cards & before) / total
            if asked_card(m, SEEN):
                m.cards[row, SEEN, slot] = unseen(m, seat, cards & m.visible) / total
        if m.exact != 0 and row == 0:
            m.cards[row, PLAYABLE, slot] = chance(v, m, 0, slot, fits)
            m.cards[row, DEAD, slot] = chance(v, m, 0, slot, gone)
            m.cards[row, CRITICAL, slot] = chance(v, m, 0, slot, critical)
            m.cards[row, SOON, slot] = chance(v, m, 0, slot, soon)
            m.cards[row, OPENS, slot] = chance(v, m, 0, slot, before)
            m.cards[row, SEEN, slot] = chance(v, m, 0, slot, m.visible)
        best = max(best, m.cards[row, PLAYABLE, slot])
        risky |= (1 if m.cards[row, CRITICAL, slot] > 0.0 else 0) << slot
    m.facts[row, SAVED] = m.facts[row, BY_RANK] & m.facts[row, WITH_CHOP] & risky
    if asked_card(m, BEST):
        for slot in range(v.held[seat]):
            m.cards[row, BEST, slot] = best


@jit
def first_ranks(v: Record) -> int:
    """The set of the cards of the lowest rank."""
    cards = 0
    for color in range(v.colors):
        cards |= 1 << (color * v.ranks)
    return cards


@jit
def pattern_cards(v: Record, pattern: int) -> int:
    """The set of cards that a pattern names."""
    color, rank, every = pattern // 6 % 6, pattern % 6, (1 << (v.colors * v.ranks)) - 1
    cards = every
    if color != ANY:
        cards &= ((1 << v.ranks) - 1) << (color * v.ranks)
    if rank != ANY:
        cards &= first_ranks(v) << rank if rank < v.ranks else 0
    return cards ^ every if pattern // NOT % 2 else cards


@jit
def pattern_seat(pattern: int) -> int:
    """The seat that a pattern names, 0 for none."""
    return pattern // SEAT % 5


@jit
def count_pattern(v: Record, m: Record, feature: int, pattern: int) -> float:
    """The value of a feature of the position that has a pattern."""
    cards, seat = pattern_cards(v, pattern), pattern_seat(pattern)
    if feature == DECK_NEXT:
        return next_draw(v, m, 0, cards)
    count = 0
    if feature == OWN:
        least = 1.0 - pattern // DOUBT / CHANCES - 1e-9
        for slot in range(v.held[0]):
            count += chance(v, m, 0, slot, cards) >= least
        return float(count)
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
