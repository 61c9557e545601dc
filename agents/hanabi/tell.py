"""Rules that give a hint: they return the action, or -1. The docstrings begin with the rules' names in the literature.

*Anyone* means the other seats in turn, from the next; *missing* means color or rank, if no hint named it yet.
"""

from ludarium.agents.hanabi.scene import (
    card_of,
    color_hint,
    is_playable,
    rank_hint,
    tell_color,
    tell_missing,
    tell_rank,
)
from ludarium.envs.chance import below
from ludarium.envs.hanabi.beliefs import chance, share
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Floats, Record


@jit
def _missing(v: Record, m: Record, seat: int, cards: int, rank_first: bool) -> int:
    """What is missing of the first such card of a seat among a set of cards."""
    for place in range(v.hand_size):
        slot = m.order[seat, place]
        if slot >= 0 and card_of(v, seat, slot) & cards:
            action = tell_missing(v, seat, slot, rank_first)
            if action >= 0:
                return action
    return -1


@jit
def _missing_of_anyone(v: Record, m: Record, cards: int) -> int:
    """The same of the first such seat, rank first."""
    for seat in range(1, v.seats):
        action = _missing(v, m, seat, cards, True)
        if action >= 0:
            return action
    return -1


@jit
def _cards_told(v: Record, number: int) -> int:
    """The set of cards of the rank or color that hint `number` tells."""
    if number >= v.ranks:
        return ((1 << v.ranks) - 1) << (number - v.ranks) * v.ranks
    cards = 0
    for color in range(v.colors):
        cards |= 1 << (color * v.ranks + number)
    return cards


# --- to the next seat -------------------------------------------------------------------------------------------------


def playable_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellPlayableCard: color or rank, at random, of the first playable card of the next seat."""
    for place in range(v.hand_size):
        slot = m.order[1, place]
        if slot >= 0 and is_playable(v, 1, slot):
            return tell_color(v, 1, slot) if below(stream, 2) else tell_rank(v, 1, slot)
    return -1


def playable_card_outer(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellPlayableCardOuter: what is missing of the first such playable card of the next seat, rank first."""
    return _missing(v, m, 1, m.playable, True)


def unknown(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellUnknown: what is missing of the first such card of the next seat, color first."""
    return _missing(v, m, 1, -1, False)


def randomly(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellRandomly: color or rank, at random, of a random card of the next seat."""
    if v.held[1] == 0:
        return -1
    slot = below(stream, v.held[1])
    return tell_color(v, 1, slot) if below(stream, 2) else tell_rank(v, 1, slot)


def about_ones(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellAboutOnes: what is missing of the first 1 of the next seat, rank first."""
    return _missing(v, m, 1, _cards_told(v, 0), True)


def finesse(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellFinesse: the seat after the next the card that would follow the next seat's newest, if that is playable.

    For three or more seats. The hint must touch that card alone; of two such hints, the rank, unless it was told.
    """
    newest = v.held[1] - 1
    if v.seats < 3 or newest < 0 or not is_playable(v, 1, newest):
        return -1
    for place in range(v.hand_size):
        slot = m.order[2, place]
        if slot < 0 or v.color[2, slot] != v.color[1, newest] or v.rank[2, slot] != v.rank[1, newest] + 1:
            continue
        same_color = same_rank = 0
        for other in range(v.held[2]):
            same_color += v.color[2, other] == v.color[2, slot]
            same_rank += v.rank[2, other] == v.rank[2, slot]
        if same_color == 1 and (same_rank != 1 or v.rank_told[2, slot] >= 0):
            return tell_color(v, 2, slot)
        if same_rank == 1:
            return tell_rank(v, 2, slot)
    return -1


# --- to anyone: useful cards ------------------------------------------------------------------------------------------


def useful_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellAnyoneAboutUsefulCard: what is missing of the first such playable card of anyone, rank first."""
    return _missing_of_anyone(v, m, m.playable)


def complete_useful_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """CompleteTellUsefulCard: the same, only where one of the two was told."""
    for seat in range(1, v.seats):
        for place in range(v.hand_size):
            slot = m.order[seat, place]
            half_told = (v.rank_told[seat, slot] < 0) != (v.color_told[seat, slot] < 0)
            if slot >= 0 and half_told and is_playable(v, seat, slot):
                return tell_missing(v, seat, slot, True)
    return -1


def oldest_useful_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellAnyoneAboutOldestUsefulCard: what is missing of the oldest such playable card of anyone, color first."""
    for seat in range(1, v.seats):
        for slot in range(v.held[seat]):
            if is_playable(v, seat, slot):
                action = tell_missing(v, seat, slot, False)
                if action >= 0:
                    return action
    return -1


def ill_informed(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellIllInformed: what is missing of the first such playable or dead card of anyone, rank first."""
    return _missing_of_anyone(v, m, m.playable | m.dead)


# --- to anyone: other cards -------------------------------------------------------------------------------------------


def useless_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellAnyoneAboutUselessCard: the rank of the first card of anyone that was played already; if told, its color."""
    for seat in range(1, v.seats):
        for place in range(v.hand_size):
            slot = m.order[seat, place]
            if slot >= 0 and card_of(v, seat, slot) & m.done:
                return tell_rank(v, seat, slot) if v.rank_told[seat, slot] < 0 else tell_color(v, seat, slot)
    return -1


def dispensable(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellDispensable: a hint from which a seat learns that its card was already played.

    For the first such card: its color if that firework is complete, its rank if every firework has it, or, if one of
    the two has been told, the other.
    """
    for seat in range(1, v.seats):
        for place in range(v.hand_size):
            slot = m.order[seat, place]
            if slot < 0:
                continue
            color, rank = v.color[seat, slot], v.rank[seat, slot]
            color_told, rank_told = v.color_told[seat, slot] >= 0, v.rank_told[seat, slot] >= 0
            if not color_told and v.fireworks[color] == v.ranks:
                return tell_color(v, seat, slot)
            if not rank_told and rank < m.lowest:
                return tell_rank(v, seat, slot)
            if rank < v.fireworks[color] and color_told != rank_told:
                return tell_color(v, seat, slot) if rank_told else tell_rank(v, seat, slot)
    return -1


def fives(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellFives: the rank of a card of the highest rank that anyone holds untold."""
    for seat in range(1, v.seats):
        for slot in range(v.held[seat]):
            if v.rank[seat, slot] == v.ranks - 1 and v.rank_told[seat, slot] < 0:
                return tell_rank(v, seat, slot)
    return -1


def to_save(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellToSave: what is missing of the first such critical card of anyone, rank first."""
    return _missing_of_anyone(v, m, m.critical)


# --- to anyone: the best hint by some count; of equals, the first seat, ranks before colors ---------------------------


def most_information(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellMostInformation: the hint that touches the most cards, or the most that it was not told of yet."""
    return _most_touched(v, -1, p[0] > 0, 1.0)


def at_least_n_useless(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellAtLeastNUseless: the hint that touches the most dead cards not told of it yet, if at least so many."""
    return _most_touched(v, m.dead, True, p[0])


@jit
def _most_touched(v: Record, cards: int, untold: bool, least: float) -> int:
    """The hint that touches the most of a set of cards, or with `untold` of those not told of it yet; see above."""
    most, best = 0, -1
    for seat in range(1, v.seats):
        for number in range(v.ranks + v.colors):
            count = 0
            for slot in range(v.held[seat]):
                touched = card_of(v, seat, slot) & cards != 0 and _touches(v, seat, slot, number)
                count += touched and not (untold and _told(v, seat, slot, number))
            if count > most:
                most, best = count, _hint(v, seat, number)
    return best if most >= least else -1


@jit
def _touches(v: Record, seat: int, slot: int, number: int) -> bool:
    """Whether hint `number` (the ranks, then the colors) touches a card."""
    return v.rank[seat, slot] == number if number < v.ranks else v.color[seat, slot] == number - v.ranks


@jit
def _told(v: Record, seat: int, slot: int, number: int) -> bool:
    """Whether what hint `number` tells was told of a card."""
    return v.rank_told[seat, slot] == number if number < v.ranks else v.color_told[seat, slot] == number - v.ranks


@jit
def _hint(v: Record, seat: int, number: int) -> int:
    return rank_hint(v, seat, number) if number < v.ranks else color_hint(v, seat, number - v.ranks)


# --- by what the receiver would think ---------------------------------------------------------------------------------


def unambiguous(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellUnambiguous: to the first seat with a playable card, what is missing of one that the fewest others share.

    Others that share it, and were not told of it, are good if they are playable and bad if not: the hint is chosen by
    the most good ones, then the fewest bad ones, or the other way round.
    """
    for seat in range(1, v.seats):
        best, most = -1, -1000
        for place in range(v.hand_size):
            slot = m.order[seat, place]
            if slot < 0 or not is_playable(v, seat, slot):
                continue
            for by_color in range(2):
                number = v.ranks + v.color[seat, slot] if by_color else v.rank[seat, slot]
                if _told(v, seat, slot, number):
                    continue
                good, bad = _sharers(v, seat, slot, number)
                value = 10 * good - bad if p[0] > 0 else good - 10 * bad
                if value > most:
                    best, most = _hint(v, seat, number), value
        if best >= 0:
            return best
    return -1


@jit
def _sharers(v: Record, seat: int, slot: int, number: int) -> tuple[int, int]:
    """How many other cards of the hand, playable ones and not, a hint would touch that were not told of it."""
    good = bad = 0
    for other in range(v.held[seat]):
        if other != slot and _touches(v, seat, other, number) and not _told(v, seat, other, number):
            if is_playable(v, seat, other):
                good += 1
            else:
                bad += 1
    return good, bad


def unambiguous_2(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellUnambiguous2: to the first seat with a playable card, the hint after which it thinks best of its cards.

    The hint with the greatest sum, over the cards of the hand, of the probability for their owner that they are
    playable, weighted with p[0] for cards that are and with p[1] for cards that are not.
    """
    return _expected_plays(v, m, p[0], p[1], False)


def unambiguous_3(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellUnambiguous3: the same, for the greatest change of the sum, if it is one."""
    return _expected_plays(v, m, p[0], p[1], True)


@jit
def _expected_plays(v: Record, m: Record, good: float, bad: float, change: bool) -> int:
    for seat in range(1, v.seats):
        if not _holds_playable(v, seat):
            continue
        before = _opinion(v, m, seat, -1, good, bad) if change else -1000.0
        most, best = before, -1
        for number in range(v.ranks + v.colors):
            value = _opinion(v, m, seat, number, good, bad)
            if value > most:
                most, best = value, _hint(v, seat, number)
        if best >= 0:
            return best
    return -1


@jit
def _holds_playable(v: Record, seat: int) -> bool:
    holds = False
    for slot in range(v.held[seat]):
        holds |= is_playable(v, seat, slot)
    return holds


@jit
def _opinion(v: Record, m: Record, seat: int, number: int, good: float, bad: float) -> float:
    """How much a seat would hope to play after hint `number`, -1 for none; -10000 if the hint touches no card."""
    total, touched = 0.0, number < 0
    cards = _cards_told(v, number) if number >= 0 else 0
    for slot in range(v.held[seat]):
        possible = v.possible[seat, slot]
        if number >= 0:
            touches = _touches(v, seat, slot, number)
            touched |= touches
            possible &= cards if touches else ~cards
        weight = good if is_playable(v, seat, slot) else bad
        total += weight * share(m, seat, possible, m.playable)
    return total if touched else -10000.0


def high_probability_mistake(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TellHighProbabilityMistake: what is missing, rank first, of a card of anyone that its owner gets wrong.

    With `false_hope`, the card not playable that seems so with the greatest probability, at least the threshold; else
    the playable card that seems so with the least, at most the threshold. Of equals the last.
    """
    false_hope, threshold = p[0] > 0, p[1]
    for seat in range(1, v.seats):
        worst, worst_slot = threshold, -1
        for place in range(v.hand_size):
            slot = m.order[seat, place]
            if slot < 0 or is_playable(v, seat, slot) == false_hope:
                continue
            probability = chance(v, m, seat, slot, m.playable)
            if probability >= worst if false_hope else probability <= worst:
                worst, worst_slot = probability, slot
        if worst_slot >= 0:
            action = tell_missing(v, seat, worst_slot, True)
            if action >= 0:
                return action
    return -1
