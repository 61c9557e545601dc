"""The four fixed steps by which a set of rules evolves: deletion, specialisation, generalisation, merging."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.lcs.language import FEATURES, MOST_CONDITIONS
from ludarium.agents.lcs.operators import Limits, Random, Rules, add_condition, remove_condition
from ludarium.agents.lcs.rule_set import Floats, RuleSet

_LEAST_SIGMA, _MOST_SIGMA = 1e-4, 1.0
_LEAST_THRESHOLD = 0.01  # what is at least 0 excludes nothing
_AVERAGE = 0.5
"""The share of crossovers that take the average of the parents' thresholds; the others take conditions from either."""


class Steps(NamedTuple):
    """How rules are chosen and changed.

    Attributes:
        modified: how many rules each step changes.
        tournament: how many rules meet when one is to be changed.
        sigma: how the size of mutations changes: `"literal"`, `"anneal"` or `"self"`; see `Original`.
        rate: the learning rate of that formula.
        protect: how many games a rule is not deleted for while others can be.
        keep_parent: whether a changed rule replaces the weakest one, not the rule that it comes from.
        limits: how large rules may become, and what they may ask.
    """

    modified: int
    tournament: int
    sigma: str
    rate: float
    protect: int
    keep_parent: bool
    limits: Limits

    def drawn(self, rules: RuleSet, random: Random) -> Any:
        """The places of the rules in a tournament."""
        return random.choice(len(rules.rows), size=min(self.tournament, len(rules.rows)), replace=False)


def delete(rules: RuleSet, steps: Steps, new_rule: Callable[[], Rules]) -> None:
    """Replace the weakest rules by new ones, each of shape (1,)."""
    for place in rules.weakest(steps.protect)[: steps.modified]:
        rules.put(int(place), new_rule()[0])


def specialise(rules: RuleSet, steps: Steps, random: Random) -> None:
    """Narrow rules of low utility that fire often, and give nested ones another condition."""
    for _ in range(steps.modified):
        _alter(rules, steps, random, narrower=True)


def generalise(rules: RuleSet, steps: Steps, random: Random) -> None:
    """Widen rules of high utility that seldom fire, and take a condition from nested ones."""
    for _ in range(steps.modified):
        _alter(rules, steps, random, narrower=False)


def merge(rules: RuleSet, steps: Steps, random: Random) -> None:
    """Cross good rules with the same action and features; each child replaces the weakest rule."""
    for _ in range(steps.modified):
        child = _child(rules, steps, random)
        if child is not None:
            rules.put(int(rules.weakest(steps.protect)[0]), child)


def _alter(rules: RuleSet, steps: Steps, random: Random, narrower: bool) -> None:
    """Change the winner of a tournament for rules that are too wide, or too narrow."""
    some = steps.drawn(rules, random)
    wide = np.argsort(np.argsort(rules.uses[some])) - np.argsort(np.argsort(rules.utility[some]))
    place = int(some[np.argmax(wide if narrower else -wide)])
    rule, sigma, changes = rules.rows[place].copy(), rules.sigma[place].copy(), int(rules.changes[place])
    creep(rule, sigma, changes, steps, random, narrower)
    nested = np.count_nonzero(rule["feature"] >= 0) > 1
    if nested and narrower:
        add_condition(rule, random, steps.limits)
    elif nested:
        remove_condition(rule, random)
    spot = int(rules.weakest(steps.protect)[0]) if steps.keep_parent else place
    rules.put(spot, rule)
    rules.sigma[spot], rules.changes[spot] = sigma, changes + 1


def creep(rule: Any, sigma: Floats, changes: int, steps: Steps, random: Random, narrower: bool) -> None:
    """Move all thresholds so that fewer, or more, positions fulfil a rule; it and its `sigma` change.

    σ = σ' · exp(rate / √(n + 1) · N(0, 1)) after n changes; with `"self"`, as in evolution strategies, 1 / √(2 √k) for
    k conditions instead of the rate.
    """
    conditions = int(np.count_nonzero(rule["feature"] >= 0))
    rate = steps.rate / np.sqrt(changes + 1)
    if steps.sigma == "self":
        rate = 1 / np.sqrt(2 * np.sqrt(max(conditions, 1)))
    factor = np.exp(rate * random.standard_normal())  # the same for all that are nested
    step = abs(float(random.standard_normal()))
    for place in range(conditions):
        sigma[place] = min(max(sigma[place] * factor, _LEAST_SIGMA), _MOST_SIGMA)
        feature = FEATURES[rule["feature"][place]]
        size = step * sigma[place] * feature.most / (np.sqrt(changes + 1) if steps.sigma == "anneal" else 1.0)
        up = narrower != bool(rule["negated"][place])
        moved = rule["threshold"][place] + (size if up else -size)
        rule["threshold"][place] = round(min(max(moved, _LEAST_THRESHOLD), feature.most), 4)


def _child(rules: RuleSet, steps: Steps, random: Random) -> Any:
    """A child of the winner of a tournament and the best rule that is like it; None if there is none."""
    rows, some = rules.rows, steps.drawn(rules, random)
    mother = int(some[np.argmax(rules.utility[some])])
    alike = (rows["action"] == rows["action"][mother]) & (rows["feature"] == rows["feature"][mother]).all(axis=1)
    alike[mother] = False
    if not alike.any():
        return None
    father = int(np.argmax(np.where(alike, rules.utility, -np.inf)))
    child = rows[mother].copy()
    if random.random() < _AVERAGE:
        child["threshold"] = np.round((rows["threshold"][mother] + rows["threshold"][father]) / 2, 4)
    else:
        mine = random.random(MOST_CONDITIONS) < 0.5
        for field in ("threshold", "negated", "pattern"):
            child[field] = np.where(mine, rows[field][mother], rows[field][father])
    return child
