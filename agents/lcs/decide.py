"""What a rule wants in a position, in compiled code: the others' plans and the hints are looked at when one asks."""

from typing import Any

from ludarium.agents.lcs.foresight import consider, foresee
from ludarium.agents.lcs.language import DISCARD, MOST_CONDITIONS, PLAY
from ludarium.agents.lcs.match import holds, is_of_position, pick_card, pick_hint, position_value
from ludarium.agents.lcs.scene import LOSSES_EXPECTED, PLAYS_NEXT
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record


@jit
def is_asked(v: Record, m: Record, rules: Any, i: int) -> bool:
    """Whether a rule's action can be legal, and its conditions on the position hold."""
    action = rules[i].action
    if (action > DISCARD and v.information == 0) or (action == DISCARD and v.information == v.information_tokens):
        return False
    for c in range(MOST_CONDITIONS):
        feature = rules[i].feature[c]
        if feature < 0:
            break
        if is_of_position(feature):
            if PLAYS_NEXT <= feature <= LOSSES_EXPECTED and not m.foreseen:
                foresee(v, m, rules)
            if not holds(rules[i], c, position_value(v, m, feature, rules[i].pattern[c])):
                return False
    return True


@jit
def target(v: Record, m: Record, rules: Any, i: int) -> int:
    """The action that a rule wants, -1 if it does not fire."""
    if not is_asked(v, m, rules, i):
        return -1
    action = rules[i].action
    if action <= DISCARD:
        slot = pick_card(v, m, rules[i], 0, 0)
        return slot + v.hand_size if slot >= 0 and action == PLAY else slot
    if not m.considered:
        consider(v, m, rules)
    hint = pick_hint(v, m, rules[i])
    return 2 * v.hand_size + hint if hint >= 0 else -1
