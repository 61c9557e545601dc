"""Which target a rule picks, in compiled code."""

from ludarium.agents.lcs.language import (
    FIRST_CARD,
    FIRST_HINT,
    HINT_COLOR,
    HINT_RANK,
    MOST_CONDITIONS,
    MOST_ORDERS,
    NUMBER,
    OWN,
)
from ludarium.agents.lcs.scene import (
    DECK_NEXT,
    FIRST_FACT,
    RANK_TOLD,
    TABLE,
    count_pattern,
    pattern_cards,
    pattern_seat,
)
from ludarium.envs.hanabi.beliefs import chance, share
from ludarium.envs.hanabi.rules import MAX_HAND
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, count_bits

_CARD_PATTERN, _MATCH, _TELLS = NUMBER["card"], NUMBER["match"], NUMBER["tells"]
_FIRST_FACT, _LAST_FACT = FIRST_CARD + FIRST_FACT, FIRST_CARD + FIRST_FACT + RANK_TOLD


@jit
def position_value(v: Record, m: Record, feature: int, pattern: int) -> float:
    """The value of a feature of the position."""
    if feature == OWN or TABLE <= feature <= DECK_NEXT:
        return count_pattern(v, m, feature, pattern)
    return m.position[feature]


@jit
def card_value(v: Record, m: Record, feature: int, pattern: int, row: int, slot: int) -> float:
    """The value of a feature of a card in a row of the scene."""
    if feature == _CARD_PATTERN:
        cards = pattern_cards(v, pattern)
        return chance(v, m, 0, slot, cards) if row == 0 else share(m, m.owner[row], m.sets[row, slot], cards)
    if is_fact(feature):
        return float(m.facts[row, feature - _FIRST_FACT] >> slot & 1)
    return m.cards[row, feature - FIRST_CARD, slot]


@jit
def is_fact(feature: int) -> bool:
    """Whether a feature of cards is either 0 or 1."""
    return _FIRST_FACT <= feature <= _LAST_FACT


@jit
def hint_value(v: Record, m: Record, feature: int, pattern: int, hint: int) -> float:
    """The value of a feature of a hint, given as action - 2h."""
    if feature != _TELLS:
        return m.hints[feature - FIRST_HINT, hint]
    colors = (v.seats - 1) * v.colors
    by_color = hint < colors
    number, width = (hint, v.colors) if by_color else (hint - colors, v.ranks)
    seat, value, cards, count = 1 + number // width, number % width, pattern_cards(v, pattern), 0
    if pattern_seat(pattern) not in (0, seat):
        return 0.0
    for slot in range(v.held[seat]):
        color, rank = v.color[seat, slot], v.rank[seat, slot]
        if (color if by_color else rank) == value and cards >> (color * v.ranks + rank) & 1:
            count += 1
    return float(count)


@jit
def is_of_position(feature: int) -> bool:
    """Whether a feature is about the position, not about a target."""
    return feature < FIRST_CARD or feature == OWN


@jit
def holds(rule: Record, c: int, value: float) -> bool:
    """Whether a condition of a rule holds for the value of its feature."""
    return (value >= rule.threshold[c]) != (rule.negated[c] != 0)


@jit
def asks_for(v: Record, m: Record, rule: Record) -> bool:
    """Whether a rule's conditions on the position hold; what the others would do must be known before."""
    for c in range(MOST_CONDITIONS):
        feature = rule.feature[c]
        if feature < 0:
            break
        if is_of_position(feature) and not holds(rule, c, position_value(v, m, feature, rule.pattern[c])):
            return False
    return True


@jit
def pick_card(v: Record, m: Record, rule: Record, row: int, seat: int) -> int:
    """The slot of a row that a rule picks, -1 for none; of equals the oldest."""
    left = (1 << v.held[seat]) - 1  # as bits of slots
    for c in range(MOST_CONDITIONS):
        feature = rule.feature[c]
        if feature < 0:
            break
        if not is_of_position(feature):
            left &= _cards_for(v, m, rule, c, row, left)
            if left == 0:
                return -1
    for k in range(MOST_ORDERS):
        feature = rule.order[k]
        if feature < 0 or left & (left - 1) == 0:
            break
        left = _first(v, m, rule, k, row, left)
    return _lowest(left)


@jit
def _cards_for(v: Record, m: Record, rule: Record, c: int, row: int, left: int) -> int:
    """The cards of a row for which a condition of a rule holds; if it has a pattern, only of those that are `left`."""
    feature, threshold, slots = rule.feature[c], rule.threshold[c], 0
    if is_fact(feature):
        slots = m.facts[row, feature - _FIRST_FACT] if threshold > 0.0 else -1
    elif feature == _CARD_PATTERN:
        for slot in range(MAX_HAND):
            if left >> slot & 1:
                value = card_value(v, m, feature, rule.pattern[c], row, slot)
                slots |= (1 if value >= threshold else 0) << slot
    else:
        for slot in range(MAX_HAND):
            slots |= (1 if m.cards[row, feature - FIRST_CARD, slot] >= threshold else 0) << slot
    return ~slots if rule.negated[c] else slots


@jit
def _first(v: Record, m: Record, rule: Record, k: int, row: int, left: int) -> int:
    """Of some cards of a row, or for a row of -1 hints, those that come first by an order of a rule."""
    feature, slots, best = rule.order[k], 0, 0.0
    sign = -1.0 if rule.least[k] else 1.0
    while left:
        bit = left & -left
        value = sign * _strength(v, m, rule, feature, row, _lowest(bit))
        if slots == 0 or value > best:
            slots, best = bit, value
        elif value == best:
            slots |= bit
        left ^= bit
    return slots


@jit
def _lowest(bits: int) -> int:
    """The number of the lowest bit of a set that is not empty."""
    return count_bits((bits & -bits) - 1)


@jit
def _strength(v: Record, m: Record, rule: Record, feature: int, row: int, number: int) -> float:
    """What an order goes by: a feature of a target, or what the rule's conditions that are not negated require of it.

    The target is a slot of a row, or for a row of -1 a hint.
    """
    if feature != _MATCH:
        return _target_value(v, m, feature, 0, row, number)
    total = 0.0
    for c in range(MOST_CONDITIONS):
        feature = rule.feature[c]
        if feature < 0:
            break
        if not is_of_position(feature) and not rule.negated[c]:
            total += _target_value(v, m, feature, rule.pattern[c], row, number)
    return total


@jit
def _target_value(v: Record, m: Record, feature: int, pattern: int, row: int, number: int) -> float:
    if row < 0:
        return hint_value(v, m, feature, pattern, number)
    return card_value(v, m, feature, pattern, row, number)


@jit
def pick_hint(v: Record, m: Record, rule: Record) -> int:
    """The hint that a rule picks, as action - 2h, -1 for none; of equals the lowest."""
    left, colors = m.legal, (1 << (v.seats - 1) * v.colors) - 1
    if rule.action == HINT_COLOR:
        left &= colors
    elif rule.action == HINT_RANK:
        left &= ~colors
    for c in range(MOST_CONDITIONS):
        feature = rule.feature[c]
        if feature < 0:
            break
        if not is_of_position(feature):
            left = _hints_for(v, m, rule, c, left)
    for k in range(MOST_ORDERS):
        feature = rule.order[k]
        if feature < 0 or left & (left - 1) == 0:
            break
        left = _first(v, m, rule, k, -1, left)
    return _lowest(left) if left else -1


@jit
def _hints_for(v: Record, m: Record, rule: Record, c: int, left: int) -> int:
    """Of some hints, those for which a condition of a rule holds."""
    feature, hints = rule.feature[c], 0
    while left:
        bit = left & -left
        if holds(rule, c, hint_value(v, m, feature, rule.pattern[c], _lowest(bit))):
            hints |= bit
        left ^= bit
    return hints
