"""What the others would do by the same rules, and what each hint would change about that, in compiled code.

So a hint means what the rules make of it: whoever gives it asks which card its receiver would then play. What happens
between a hint and its receiver's turn is foreseen too, as far as the others would play without hints.
"""

from typing import Any

from ludarium.agents.lcs.language import DISCARD, PLAY
from ludarium.agents.lcs.match import asks_for, pick_card
from ludarium.agents.lcs.scene import (
    AFTER,
    AGE,
    ALONE,
    BAD,
    BY_RANK,
    CHOP,
    CHOP_CRITICAL,
    COLOR_TOLD,
    DEAD,
    FOCUS,
    FRESH,
    GAIN,
    GOOD,
    LOSSES_EXPECTED,
    MISTAKES_EXPECTED,
    NEWS,
    PLACE,
    PLAYABLE,
    PLAYED_RANK,
    PLAYS_EXPECTED,
    PLAYS_NEXT,
    RANK_TOLD,
    RECEIVER,
    SAVES,
    SURE,
    TOLD_RANK,
    TOUCHED,
    TOUCHES,
    TOUCHES_CHOP,
    TOUCHES_CRITICAL,
    TOUCHES_DEAD,
    TOUCHES_NEW,
    TOUCHES_PLAYABLE,
    UNLOCKS,
    USELESS,
    WITH_CHOP,
    describe,
    last_ranks,
    newest,
    weigh,
)  # fmt: skip
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record


@jit
def foresee(v: Record, m: Record, rules: Any) -> None:
    """What each of the others would do at its next turn if nobody gave a hint before."""
    m.foreseen = 1
    fits, gone = m.playable, m.dead
    for i in range(len(rules)):
        m.asked[i] = rules[i].action <= DISCARD and asks_for(v, m, rules, i)
    for seat in range(1, v.seats):
        m.fits[seat], m.gone[seat] = fits, gone
        describe(v, m, seat)
        m.plays[seat] = expected(v, m, rules, PLAY, seat, seat)
        m.drops[seat] = expected(v, m, rules, DISCARD, seat, seat) if m.plays[seat] < 0 else -1
        if m.plays[seat] >= 0:
            card = _card(v, seat, m.plays[seat])
            if fits & card:
                m.position[PLAYS_EXPECTED] += 1.0
                gone |= card
                fits ^= card
                if v.rank[seat, m.plays[seat]] + 1 < v.ranks:
                    fits |= (card << 1) & ~gone
            else:
                m.position[MISTAKES_EXPECTED] += 1.0
        m.position[LOSSES_EXPECTED] += _loses(v, m, seat, m.drops[seat])
    m.position[PLAYS_NEXT] = m.plays[1] >= 0


@jit
def expected(v: Record, m: Record, rules: Any, action: int, row: int, seat: int) -> int:
    """The slot that the owner of a hand would play, or discard, by the first such rule that fires; -1 for none."""
    for i in range(len(rules)):
        if rules[i].action == action and (m.asked[i] != 0):
            slot = pick_card(v, m, rules, i, row, seat)
            if slot >= 0:
                return slot
    return -1


@jit
def consider(v: Record, m: Record, rules: Any) -> None:
    """The features of every hint."""
    m.considered = 1
    if not m.foreseen:
        foresee(v, m, rules)
    for seat in range(1, v.seats):
        m.owner[AFTER] = seat
        for slot in range(v.held[seat]):  # what no hint changes
            m.cards[AFTER, slot, PLACE] = m.cards[seat, slot, PLACE]
            m.cards[AFTER, slot, AGE] = m.cards[seat, slot, AGE]
        for color in range(v.colors):
            _consider(v, m, rules, seat, color, -1)
        for rank in range(v.ranks):
            _consider(v, m, rules, seat, -1, rank)


@jit
def _consider(v: Record, m: Record, rules: Any, seat: int, color: int, rank: int) -> None:
    """The features of one hint: a color, or a rank."""
    told, hint = 0, (seat - 1) * v.colors + color
    if rank >= 0:
        hint = (v.seats - 1) * v.colors + (seat - 1) * v.ranks + rank
        for c in range(v.colors):
            told |= 1 << (c * v.ranks + rank)
    else:
        told = ((1 << v.ranks) - 1) << color * v.ranks
    touched = 0
    for slot in range(v.held[seat]):
        touched |= (told >> (v.color[seat, slot] * v.ranks + v.rank[seat, slot]) & 1) << slot
    m.hints[hint, TOUCHES] = 0.0
    if touched == 0:
        return
    _imagine(v, m, seat, touched, told, rank >= 0)
    weigh(v, m, seat, AFTER)
    m.hints[hint, RECEIVER] = seat
    m.hints[hint, TOLD_RANK] = rank + 1
    _count_touched(v, m, seat, hint, touched, rank >= 0)
    _foresee_answer(v, m, rules, seat, hint)


@jit
def _imagine(v: Record, m: Record, seat: int, touched: int, told: int, by_rank: bool) -> None:
    """The hand of a seat after a hint, in the row `AFTER`."""
    free = ~m.touched[seat]
    with_chop, focus, alone = touched & free & -free != 0, newest(touched), touched & (touched - 1) == 0
    free = ~(m.touched[seat] | touched)
    chop = free & -free
    for slot in range(v.held[seat]):
        bit, before = 1 << slot, m.sets[seat, slot]
        if touched & bit:
            m.sets[AFTER, slot] = before & told
            m.cards[AFTER, slot, TOUCHED] = m.cards[AFTER, slot, FRESH] = 1.0
            m.cards[AFTER, slot, FOCUS], m.cards[AFTER, slot, ALONE] = bit == focus, alone
            m.cards[AFTER, slot, BY_RANK], m.cards[AFTER, slot, WITH_CHOP] = by_rank, with_chop
            m.cards[AFTER, slot, COLOR_TOLD] = v.color_told[seat, slot] >= 0 or not by_rank
            m.cards[AFTER, slot, RANK_TOLD] = v.rank_told[seat, slot] >= 0 or by_rank
        else:
            m.sets[AFTER, slot] = before & ~told
            for feature in range(TOUCHED, RANK_TOLD + 1):
                m.cards[AFTER, slot, feature] = m.cards[seat, slot, feature]
        m.cards[AFTER, slot, CHOP] = chop == bit


@jit
def _count_touched(v: Record, m: Record, seat: int, hint: int, touched: int, by_rank: bool) -> None:
    """What a hint touches, and what its receiver then knows for certain."""
    for feature in range(SURE, CHOP_CRITICAL + 1):
        m.hints[hint, feature] = 0.0
    for slot in range(v.held[seat]):
        m.hints[hint, SURE] += (m.cards[AFTER, slot, PLAYABLE] >= 1.0) - (m.cards[seat, slot, PLAYABLE] >= 1.0) * 1.0
        m.hints[hint, USELESS] += (m.cards[AFTER, slot, DEAD] >= 1.0) - (m.cards[seat, slot, DEAD] >= 1.0) * 1.0
        if touched >> slot & 1:
            card, known = _card(v, seat, slot), RANK_TOLD if by_rank else COLOR_TOLD
            critical = card & m.critical & ~m.gone[seat] != 0
            m.hints[hint, TOUCHES] += 1.0
            m.hints[hint, NEWS] += 1.0 - m.cards[seat, slot, known]
            m.hints[hint, TOUCHES_NEW] += 1.0 - m.cards[seat, slot, TOUCHED]
            m.hints[hint, TOUCHES_PLAYABLE] += card & m.fits[seat] != 0
            m.hints[hint, TOUCHES_DEAD] += card & m.gone[seat] != 0
            m.hints[hint, TOUCHES_CRITICAL] += critical
            if m.cards[seat, slot, CHOP] > 0.0:
                m.hints[hint, TOUCHES_CHOP], m.hints[hint, CHOP_CRITICAL] = 1.0, critical


@jit
def _foresee_answer(v: Record, m: Record, rules: Any, seat: int, hint: int) -> None:
    """What the receiver of a hint would then do, compared with what it would do without."""
    plays = expected(v, m, rules, PLAY, AFTER, seat)
    drops = expected(v, m, rules, DISCARD, AFTER, seat) if plays < 0 else -1
    value = _worth(v, m, seat, plays)
    m.hints[hint, GOOD], m.hints[hint, BAD] = value > 0, value < 0
    m.hints[hint, GAIN] = value - _worth(v, m, seat, m.plays[seat])
    m.hints[hint, PLAYED_RANK] = v.rank[seat, plays] + 1 if plays >= 0 else 0
    following = _card(v, seat, plays) & ~last_ranks(v) if plays >= 0 else 0
    m.hints[hint, UNLOCKS] = (following << 1) & m.visible != 0
    m.hints[hint, SAVES] = _loses(v, m, seat, m.drops[seat]) - _loses(v, m, seat, drops)


@jit
def _worth(v: Record, m: Record, seat: int, slot: int) -> int:
    """1 if a seat would play a playable card, -1 if another, 0 if none."""
    if slot < 0:
        return 0
    return 1 if _card(v, seat, slot) & m.fits[seat] else -1


@jit
def _loses(v: Record, m: Record, seat: int, slot: int) -> int:
    """1 if a seat would discard a critical card."""
    return 1 if slot >= 0 and _card(v, seat, slot) & m.critical & ~m.gone[seat] else 0


@jit
def _card(v: Record, seat: int, slot: int) -> int:
    """The set of just the card in a slot of another seat."""
    return 1 << (v.color[seat, slot] * v.ranks + v.rank[seat, slot])
