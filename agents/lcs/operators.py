"""How lists of rules are made and varied: random rules, covering, mutation, crossover.

A list is an array of shape (rules,) of `RULE`. Draws come from a NumPy generator made from the seed and the number of
the generation.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.language import (
    ACTIONS,
    ANY,
    CARD,
    DISCARD,
    FEATURES,
    FIRST_CARD,
    FIRST_HINT,
    HINT_COLOR,
    HINT_RANK,
    MOST_ORDERS,
    NUMBER,
    OWN,
    POSITION,
    RULE,
    empty_rules,
    pattern_number,
    scope_of,
)
from ludarium.agents.lcs.text import rule_text

Rules = NDArray[Any]
Random = np.random.Generator
_ACTIONS = np.array([0.3, 0.2, 0.3, 0.1, 0.1])
_OF_SCOPE = [np.array([n for n, f in enumerate(FEATURES) if f.scope == scope and f.levels]) for scope in range(3)]
_OFTEN = ("tokens", "playable", "dead", "critical", "touched", "fresh", "focus", "chop", "good", "bad", "gain", "saves")
_WEIGHTS = np.array([4.0 if f.name in _OFTEN else 0.15 if f.pattern else 1.0 for f in FEATURES])
"""How often a new condition or order asks for each feature; a pattern seldom: there are many, and each says little."""
_ON_POSITION = 0.25
"""The probability that a new condition asks about the position, not about the target."""
_ONE_ORDER_LESS = 0.3
"""The probability that an order goes, when it is to change."""
_IDLE_WEIGHT = 0.2
"""How often a rule that never fired is changed, as a share of the average."""
_ONE_RULE, _TWO_PARTS = 0.5, 0.25
"""The shares of the crossovers in which a child gets one rule, or the end of the other list; the rest is by action."""
_ORDERS = [np.array([n for n in numbers if not FEATURES[n].pattern]) for numbers in _OF_SCOPE]

WORDS = frozenset(range(OWN))
"""The features that lists may evolve with: all but `own`, which is the original's; here `card` asks of the target."""
_FELLOW = NUMBER["fellow"]
"""The only one whose patterns name seats; whom a hint is for, `receiver` asks."""

CHANGES: Mapping[str, int] = {
    "creep": 15, "specialise": 8, "generalise": 7, "replace": 5, "reorder": 8, "action": 2, "move": 5, "delete": 5,
    "exception": 7, "new": 38,
}  # fmt: skip
"""The kinds of changes of a list, and how many of a hundred are of each; see `mutate`."""


class Limits(NamedTuple):
    """How large lists and rules may become, and how they may change.

    Attributes:
        rules: the greatest length, from 1, of a list.
        conditions: the greatest number, from 1, of conditions of a rule.
        features: the features that conditions may have, by number.
        orders: the features that orders may have.
        changes: the kinds of changes, and their shares; see `CHANGES`.
    """

    rules: int
    conditions: int
    features: frozenset[int] = WORDS
    orders: frozenset[int] = WORDS
    changes: Mapping[str, int] = CHANGES

    def choose(self, random: Random, scope: int, orders: bool = False) -> int:
        """A random feature of a scope, or -1."""
        numbers = [n for n in (_ORDERS if orders else _OF_SCOPE)[scope] if n in self.features]
        if not numbers:
            return -1
        ends = np.cumsum(_WEIGHTS[numbers])
        return int(numbers[int(np.searchsorted(ends, random.random() * ends[-1], side="right"))])


# --- new rules --------------------------------------------------------------------------------------------------------


def random_rule(random: Random, limits: Limits) -> Rules:
    """A random rule, mostly with one or two conditions, shape (1,)."""
    rule = empty_rules(1)
    rule["action"] = random.choice(len(ACTIONS), p=_ACTIONS)
    for _ in range(min(int(random.geometric(0.5)), limits.conditions)):
        add_condition(rule[0], random, limits)
    for _ in range(int(random.integers(MOST_ORDERS + 1))):
        change_order(rule[0], random, limits)
    return rule


def random_list(random: Random, limits: Limits, count: int) -> Rules:
    """A list of random rules."""
    return np.concatenate([random_rule(random, limits) for _ in range(min(count, limits.rules))])


def covering_rule(random: Random, limits: Limits, sample: Any) -> Rules:
    """A rule that fires in a position, with a target drawn from it; shape (1,).

    Args:
        random: the draws.
        limits: how large a rule may become.
        sample: an element of an array of `SAMPLE`; if nothing is known of the position, the rule is a random one.
    """
    if not sample["known"]:
        return random_rule(random, limits)
    hints = np.flatnonzero(sample["hints"][:, _TOUCHES] > 0)
    chances = _ACTIONS * [1, not sample["tokens_full"], *[len(hints) > 0] * 3]
    rule = empty_rules(1)
    rule["action"] = action = int(random.choice(len(ACTIONS), p=chances / chances.sum()))
    if scope_of(action) == CARD:
        values = sample["cards"][random.integers(max(sample["held"], 1))]
    else:
        hint = int(random.choice(hints))
        values = sample["hints"][hint]
        if action in (HINT_COLOR, HINT_RANK):
            rule["action"] = HINT_RANK if values[_TOLD_RANK] > 0 else HINT_COLOR
    for _ in range(min(int(random.geometric(0.5)), limits.conditions)):
        _add_fact(rule[0], random, limits, sample["position"], values)
    for _ in range(int(random.integers(MOST_ORDERS + 1))):
        change_order(rule[0], random, limits)
    return rule


_TOUCHES = next(n for n, f in enumerate(FEATURES) if f.name == "touches") - FIRST_HINT
_TOLD_RANK = next(n for n, f in enumerate(FEATURES) if f.name == "told-rank") - FIRST_HINT


def _add_fact(rule: Any, random: Random, limits: Limits, position: Any, values: Any) -> None:
    """Add a condition that holds: a level that the value of a feature reaches, or does not reach."""
    scope = scope_of(rule["action"])
    number = limits.choose(random, POSITION if random.random() < _ON_POSITION else scope, orders=True)
    if number < 0:
        return
    first = {POSITION: 0, CARD: FIRST_CARD}.get(FEATURES[number].scope, FIRST_HINT)
    value = (position if FEATURES[number].scope == POSITION else values)[number - first]
    levels = np.array(FEATURES[number].levels)
    negated = not (value >= levels).any() or (not (value >= levels).all() and random.random() < 0.5)
    fitting = levels[(value < levels) == negated]
    if number not in rule["feature"]:
        put_condition(rule, number, negated, 0, float(random.choice(fitting)))


# --- changes of a rule ------------------------------------------------------------------------------------------------


def add_condition(rule: Any, random: Random, limits: Limits) -> None:
    """Specialise a rule by a random condition, if there is room."""
    if np.count_nonzero(rule["feature"] >= 0) >= limits.conditions:
        return
    scope = scope_of(rule["action"]) if random.random() < 1 - _ON_POSITION else POSITION
    number = limits.choose(random, scope)
    if number < 0:
        return
    feature, pattern = FEATURES[number], 0
    if feature.pattern:
        color = ANY if random.random() < 0.5 else int(random.integers(5))
        rank = int(random.integers(5)) if color == ANY or random.random() < 0.5 else ANY
        pattern = pattern_number(color, rank, int(random.integers(5)) if number == _FELLOW else 0)
    if number not in rule["feature"]:
        put_condition(rule, number, bool(random.integers(2)), pattern, float(random.choice(feature.levels)))


def put_condition(rule: Any, number: int, negated: bool, pattern: int, threshold: float) -> None:
    """Write a condition behind the others of a rule."""
    place = int(np.count_nonzero(rule["feature"] >= 0))
    rule["feature"][place], rule["negated"][place] = number, negated
    rule["pattern"][place], rule["threshold"][place] = pattern, threshold


def remove_condition(rule: Any, random: Random) -> None:
    """Generalise a rule: remove one of its conditions, if it has any."""
    count = int(np.count_nonzero(rule["feature"] >= 0))
    if count:
        place = int(random.integers(count))
        for field, empty in (("feature", -1), ("negated", 0), ("pattern", 0), ("threshold", 0)):
            rule[field][place:-1] = rule[field][place + 1 :].copy()
            rule[field][-1] = empty


def creep(rule: Any, random: Random) -> None:
    """Move the threshold of a condition to the next level; turn round a condition that has only one."""
    count = int(np.count_nonzero(rule["feature"] >= 0))
    if not count:
        return
    place = int(random.integers(count))
    levels = FEATURES[rule["feature"][place]].levels
    if len(levels) == 1:
        rule["negated"][place] ^= 1
        return
    at = int(np.argmin(np.abs(np.array(levels) - rule["threshold"][place])))
    at += 1 if random.random() < 0.5 else -1
    rule["threshold"][place] = levels[min(max(at, 0), len(levels) - 1)]


def change_order(rule: Any, random: Random, limits: Limits) -> None:
    """Give a rule another order at a random place, or take one away."""
    features = [n for n in _ORDERS[scope_of(rule["action"])] if n in limits.orders]
    if not features:
        return
    place = int(random.integers(MOST_ORDERS))
    if place and rule["order"][0] < 0:
        place = 0
    if rule["order"][place] >= 0 and random.random() < _ONE_ORDER_LESS:
        rule["order"][place:-1], rule["least"][place:-1] = rule["order"][place + 1 :], rule["least"][place + 1 :]
        rule["order"][-1], rule["least"][-1] = -1, 0
        return
    rule["order"][place] = random.choice(features)
    rule["least"][place] = random.integers(2)


def change_action(rule: Any, random: Random) -> None:
    """Another action with the same kind of target."""
    if rule["action"] <= DISCARD:
        rule["action"] = 1 - rule["action"]
    else:
        others = [action for action in range(DISCARD + 1, len(ACTIONS)) if action != rule["action"]]
        rule["action"] = random.choice(others)


def _change_rule(rule: Any, kind: str, random: Random, limits: Limits) -> None:
    """Change a rule, if that is what this kind of change does."""
    if kind == "creep":
        creep(rule, random)
    if kind in ("generalise", "replace"):
        remove_condition(rule, random)
    if kind in ("specialise", "replace"):
        add_condition(rule, random, limits)
    if kind == "reorder":
        change_order(rule, random, limits)
    if kind == "action":
        change_action(rule, random)


# --- changes of a list ------------------------------------------------------------------------------------------------


def mutate(rules: Rules, random: Random, limits: Limits, uses: NDArray[np.float64], sample: Any) -> Rules:
    """A changed copy of a list.

    Args:
        rules: shape (n,).
        random: the draws.
        limits: how large it may become.
        uses: shape (n,): how much each rule matters; those that matter are changed more often.
        sample: a position to cover, or None.
    """
    rules = rules.copy()
    weights = uses + _IDLE_WEIGHT * uses.mean() + 1e-9
    place = int(random.choice(len(rules), p=weights / weights.sum()))
    kind, room = _kind(random, limits), len(rules) < limits.rules
    if kind == "delete" and len(rules) == 1 and "exception" in limits.changes:
        kind = "exception"  # a list cannot do without its only rule
    _change_rule(rules[place], kind, random, limits)
    if kind == "move":
        order = np.delete(np.arange(len(rules)), place)
        rules = rules[np.insert(order, int(random.integers(len(rules))), place)]
    elif kind == "delete" and len(rules) > 1:
        rules = np.delete(rules, place)
    elif kind == "exception" and room:  # the parent stays
        child = rules[place : place + 1].copy()
        add_condition(child[0], random, limits)
        change_order(child[0], random, limits)
        rules = _insert(rules, place, child)
    elif kind == "new" and room:  # the only change that still helps when the others have settled
        covered = sample is not None and random.random() < 0.5
        new = covering_rule(random, limits, sample) if covered else random_rule(random, limits)
        rules = _insert(rules, int(random.integers(len(rules) + 1)), new)
    return rules


def _kind(random: Random, limits: Limits) -> str:
    """A random kind of change; when some are left out, the others share their probability."""
    ends = np.cumsum(list(limits.changes.values()))
    return list(limits.changes)[int(np.searchsorted(ends / ends[-1], random.random(), side="right"))]


def _insert(rules: Rules, place: int, new: Rules) -> Rules:
    return np.concatenate([rules[:place], new, rules[place:]])


def cross(mother: Rules, father: Rules, random: Random, limits: Limits) -> Rules:
    """A child of two lists.

    Either it gets a rule of the father, or the first rules of one and the last of the other, or it is the mother with
    the father's rules of one action (a niche).
    """
    kind = random.random()
    if kind < _ONE_RULE:
        place = int(random.integers(len(father)))
        at = round(place / max(len(father), 1) * len(mother)) + int(random.integers(-2, 3))
        child = _insert(mother, min(max(at, 0), len(mother)), father[place : place + 1])
    elif kind < _ONE_RULE + _TWO_PARTS:
        share = random.random()
        child = np.concatenate([mother[: round(share * len(mother))], father[round(share * len(father)) :]])
    else:
        group = int(random.integers(3))
        ours, theirs = np.minimum(mother["action"], 2) == group, np.minimum(father["action"], 2) == group
        spots = (np.flatnonzero(theirs) + 0.5) / len(father)
        keys = np.concatenate([(np.flatnonzero(~ours) + 0.5) / len(mother), spots])
        child = np.concatenate([mother[~ours], father[theirs]])[np.argsort(keys, kind="stable")]
    if not len(child):
        return mother.copy()
    while len(child) > limits.rules:
        child = np.delete(child, int(random.integers(len(child))))
    return without_repeats(child)


def without_repeats(rules: Rules) -> Rules:
    """A list without rules that are the same as an earlier one."""
    first: dict[str, int] = {}
    for number, rule in enumerate(rules):
        first.setdefault(rule_text(rule), number)
    return rules[list(first.values())]


def padded(lists: list[Rules], longest: int) -> tuple[Rules, NDArray[np.int64]]:
    """Lists as one array, shape (lists, longest) of `RULE`, and their lengths; the bytes between fields are 0."""
    rules = np.zeros((len(lists), longest), dtype=RULE)
    rules[:] = empty_rules(1)
    for row, one in zip(rules, lists, strict=True):
        row[: len(one)] = one
    return rules, np.array([len(one) for one in lists])
