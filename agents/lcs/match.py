"""Which target a rule picks, in compiled code."""

from typing import Any

from ludarium.agents.lcs.language import (
    FIRST_CARD,
    FIRST_HINT,
    HINT_COLOR,
    HINT_RANK,
    MOST_CONDITIONS,
    MOST_ORDERS,
    NUMBER,
)
from ludarium.agents.lcs.scene import DECK_NEXT, TABLE, TOUCHES, count_pattern, pattern_cards
from ludarium.envs.hanabi.beliefs import share
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

_CARD_PATTERN, _MATCH, _TELLS = NUMBER["card"], NUMBER["match"], NUMBER["tells"]


@jit
def position_value(v: Record, m: Record, feature: int, pattern: int) -> float:
    """The value of a feature of the position."""
    return count_pattern(v, m, feature, pattern) if TABLE <= feature <= DECK_NEXT else m.position[feature]


@jit
def card_value(v: Record, m: Record, feature: int, pattern: int, row: int, slot: int) -> float:
    """The value of a feature of a card in a row of the scene."""
    if feature == _CARD_PATTERN:
        return share(m, m.owner[row], m.sets[row, slot], pattern_cards(v, pattern))
    return m.cards[row, slot, feature - FIRST_CARD]


@jit
def hint_value(v: Record, m: Record, feature: int, pattern: int, hint: int) -> float:
    """The value of a feature of a hint, given as action - 2h."""
    if feature != _TELLS:
        return m.hints[hint, feature - FIRST_HINT]
    colors = (v.seats - 1) * v.colors
    by_color = hint < colors
    number, width = (hint, v.colors) if by_color else (hint - colors, v.ranks)
    seat, told, cards, count = 1 + number // width, number % width, pattern_cards(v, pattern), 0
    for slot in range(v.held[seat]):
        color, rank = v.color[seat, slot], v.rank[seat, slot]
        if (color if by_color else rank) == told and cards >> (color * v.ranks + rank) & 1:
            count += 1
    return float(count)


@jit
def holds(rules: Any, i: int, c: int, value: float) -> bool:
    """Whether a condition of a rule holds for the value of its feature."""
    return (value >= rules[i].threshold[c]) != (rules[i].negated[c] != 0)


@jit
def asks_for(v: Record, m: Record, rules: Any, i: int) -> bool:
    """Whether a rule's conditions on the position hold; what the others would do must be known before."""
    for c in range(MOST_CONDITIONS):
        feature = rules[i].feature[c]
        if feature < 0:
            break
        if feature < FIRST_CARD and not holds(rules, i, c, position_value(v, m, feature, rules[i].pattern[c])):
            return False
    return True


@jit
def fits_card(v: Record, m: Record, rules: Any, i: int, row: int, slot: int) -> bool:
    """Whether a rule's conditions on its card hold for a card of a row."""
    for c in range(MOST_CONDITIONS):
        feature = rules[i].feature[c]
        if feature < 0:
            break
        if feature >= FIRST_CARD:
            value = card_value(v, m, feature, rules[i].pattern[c], row, slot)
            if not holds(rules, i, c, value):
                return False
    return True


@jit
def pick_card(v: Record, m: Record, rules: Any, i: int, row: int, seat: int) -> int:
    """The slot of a row that a rule picks, -1 for none; of equals the oldest."""
    found = -1
    for slot in range(v.held[seat]):
        if fits_card(v, m, rules, i, row, slot):
            better = found < 0
            if found >= 0:
                for k in range(MOST_ORDERS):
                    feature = rules[i].order[k]
                    if feature < 0:
                        break
                    change = _rank(v, m, rules, i, row, slot, feature) - _rank(v, m, rules, i, row, found, feature)
                    if change != 0.0:
                        better = (change < 0.0) == (rules[i].least[k] != 0)
                        break
            if better:
                found = slot
    return found


@jit
def _rank(v: Record, m: Record, rules: Any, i: int, row: int, slot: int, feature: int) -> float:
    """What an order goes by: a feature of a card, or what the rule's conditions that are not negated require of it."""
    if feature != _MATCH:
        return m.cards[row, slot, feature - FIRST_CARD]
    total = 0.0
    for c in range(MOST_CONDITIONS):
        feature = rules[i].feature[c]
        if feature < 0:
            break
        if feature >= FIRST_CARD and not rules[i].negated[c]:
            total += card_value(v, m, feature, rules[i].pattern[c], row, slot)
    return total


@jit
def pick_hint(v: Record, m: Record, rules: Any, i: int) -> int:
    """The hint that a rule picks, as action - 2h, -1 for none; of equals the lowest."""
    first, count = 0, (v.seats - 1) * (v.colors + v.ranks)
    if rules[i].action == HINT_COLOR:
        count = (v.seats - 1) * v.colors
    elif rules[i].action == HINT_RANK:
        first = (v.seats - 1) * v.colors
    found = -1
    for hint in range(first, count):
        if m.hints[hint, TOUCHES] > 0.0 and _fits_hint(v, m, rules, i, hint):
            better = found < 0
            if found >= 0:
                for k in range(MOST_ORDERS):
                    feature = rules[i].order[k]
                    if feature < 0:
                        break
                    change = m.hints[hint, feature - FIRST_HINT] - m.hints[found, feature - FIRST_HINT]
                    if change != 0.0:
                        better = (change < 0.0) == (rules[i].least[k] != 0)
                        break
            if better:
                found = hint
    return found


@jit
def _fits_hint(v: Record, m: Record, rules: Any, i: int, hint: int) -> bool:
    for c in range(MOST_CONDITIONS):
        feature = rules[i].feature[c]
        if feature < 0:
            break
        if feature >= FIRST_HINT:
            value = hint_value(v, m, feature, rules[i].pattern[c], hint)
            if not holds(rules, i, c, value):
                return False
    return True
