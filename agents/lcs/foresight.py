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
    asked_hint,
    describe,
    newest,
    weigh,
)  # fmt: skip
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, count_bits


@jit
def foresee(v: Record, m: Record, rules: Any) -> None:
    """What each of the others would do at its next turn if nobody gave a hint before."""
    m.foreseen = 1
    fits, gone = m.playable, m.dead
    m.plans[PLAY] = m.plans[DISCARD] = 0
    for i in range(len(rules)):
        action = rules[i].action
        if action <= DISCARD and asks_for(v, m, rules[i]):
            m.plan[action, m.plans[action]] = i
            m.plans[action] += 1
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
    for n in range(m.plans[action]):
        slot = pick_card(v, m, rules[m.plan[action, n]], row, seat)
        if slot >= 0:
            return slot
    return -1


@jit
def consider(v: Record, m: Record, rules: Any) -> None:
    """The features of every hint."""
    m.considered = 1
    if not m.foreseen:
        foresee(v, m, rules)
    answers = False  # whether a rule asks what follows from a hint
    for feature in (GOOD, BAD, GAIN, SAVES, PLAYED_RANK, UNLOCKS, SURE, USELESS):
        answers |= asked_hint(m, feature)
    m.legal = 0
    for seat in range(1, v.seats):
        m.owner[AFTER] = seat
        for slot in range(v.held[seat]):  # what no hint changes
            m.cards[AFTER, PLACE, slot], m.cards[AFTER, AGE, slot] = (
                m.cards[seat, PLACE, slot],
                m.cards[seat, AGE, slot],
            )
        _touch(v, m, seat)
        for number in range(v.colors + v.ranks):
            touched, rank = m.touching[number], number - v.colors
            if touched == 0:
                continue
            if rank < 0:
                hint, cards = (seat - 1) * v.colors + number, ((1 << v.ranks) - 1) << (number * v.ranks)
            else:
                hint, cards = (v.seats - 1) * v.colors + (seat - 1) * v.ranks + rank, m.firsts << rank
            m.legal |= 1 << hint
            m.hints[RECEIVER, hint], m.hints[TOLD_RANK, hint] = seat, max(rank + 1, 0)
            _count_touched(v, m, seat, hint, touched, rank >= 0)
            if answers:
                _imagine(v, m, seat, touched, cards, rank >= 0)
                weigh(v, m, seat, AFTER)
                _foresee_answer(v, m, rules, seat, hint)


@jit
def _touch(v: Record, m: Record, seat: int) -> None:
    """The slots of a seat's hand that a hint of each color and rank touches."""
    for number in range(v.colors + v.ranks):
        m.touching[number] = 0
    for slot in range(v.held[seat]):
        m.touching[v.color[seat, slot]] |= 1 << slot
        m.touching[v.colors + v.rank[seat, slot]] |= 1 << slot


@jit
def _count_touched(v: Record, m: Record, seat: int, hint: int, touched: int, by_rank: bool) -> None:
    """What a hint touches."""
    fits = gone = critical = 0
    for slot in range(v.held[seat]):
        card = _card(v, seat, slot)
        fits |= (1 if card & m.fits[seat] else 0) << slot
        gone |= (1 if card & m.gone[seat] else 0) << slot
        critical |= (1 if card & m.critical & ~m.gone[seat] else 0) << slot
    chop = touched & m.facts[seat, CHOP]
    m.hints[TOUCHES, hint] = count_bits(touched)
    m.hints[NEWS, hint] = count_bits(touched & ~m.facts[seat, RANK_TOLD if by_rank else COLOR_TOLD])
    m.hints[TOUCHES_NEW, hint] = count_bits(touched & ~m.facts[seat, TOUCHED])
    m.hints[TOUCHES_PLAYABLE, hint] = count_bits(touched & fits)
    m.hints[TOUCHES_DEAD, hint] = count_bits(touched & gone)
    m.hints[TOUCHES_CRITICAL, hint] = count_bits(touched & critical)
    m.hints[TOUCHES_CHOP, hint], m.hints[CHOP_CRITICAL, hint] = chop != 0, chop & critical != 0


@jit
def _imagine(v: Record, m: Record, seat: int, touched: int, cards: int, by_rank: bool) -> None:
    """The hand of a seat after a hint, in the row `AFTER`."""
    for slot in range(v.held[seat]):
        m.sets[AFTER, slot] = m.sets[seat, slot] & (cards if touched >> slot & 1 else ~cards)
    others, before = ~touched, m.facts[seat, TOUCHED]
    for fact in (FOCUS, ALONE, BY_RANK, WITH_CHOP):
        m.facts[AFTER, fact] = m.facts[seat, fact] & others
    m.facts[AFTER, TOUCHED], m.facts[AFTER, FRESH] = before | touched, m.facts[seat, FRESH] | touched
    m.facts[AFTER, FOCUS] |= newest(touched)
    m.facts[AFTER, ALONE] |= touched if touched & (touched - 1) == 0 else 0
    m.facts[AFTER, BY_RANK] |= touched if by_rank else 0
    m.facts[AFTER, WITH_CHOP] |= touched if touched & m.facts[seat, CHOP] else 0
    m.facts[AFTER, COLOR_TOLD] = m.facts[seat, COLOR_TOLD] | (0 if by_rank else touched)
    m.facts[AFTER, RANK_TOLD] = m.facts[seat, RANK_TOLD] | (touched if by_rank else 0)
    m.facts[AFTER, CHOP] = ~(before | touched) & ((before | touched) + 1)


@jit
def _foresee_answer(v: Record, m: Record, rules: Any, seat: int, hint: int) -> None:
    """What the receiver of a hint would then know and do, compared with what it would without."""
    m.hints[SURE, hint] = m.hints[USELESS, hint] = 0.0
    for slot in range(v.held[seat]):
        m.hints[SURE, hint] += (m.cards[AFTER, PLAYABLE, slot] >= 1.0) - (m.cards[seat, PLAYABLE, slot] >= 1.0) * 1.0
        m.hints[USELESS, hint] += (m.cards[AFTER, DEAD, slot] >= 1.0) - (m.cards[seat, DEAD, slot] >= 1.0) * 1.0
    plays = expected(v, m, rules, PLAY, AFTER, seat)
    value = _worth(v, m, seat, plays)
    m.hints[GOOD, hint], m.hints[BAD, hint] = value > 0, value < 0
    m.hints[GAIN, hint] = value - _worth(v, m, seat, m.plays[seat])
    m.hints[PLAYED_RANK, hint] = v.rank[seat, plays] + 1 if plays >= 0 else 0
    following = _card(v, seat, plays) & ~(m.firsts << (v.ranks - 1)) if plays >= 0 else 0
    m.hints[UNLOCKS, hint] = (following << 1) & m.visible != 0
    if asked_hint(m, SAVES):
        drops = expected(v, m, rules, DISCARD, AFTER, seat) if plays < 0 else -1
        m.hints[SAVES, hint] = _loses(v, m, seat, m.drops[seat]) - _loses(v, m, seat, drops)


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
