"""The four fixed steps by which a set of rules evolves: deletion, specialisation, generalisation, merging."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.lcs.bootstrap import Language, add_condition, nested
from ludarium.agents.lcs.language import CHANCES, DOUBT, FEATURES, MOST_CONDITIONS
from ludarium.agents.lcs.operators import Random, Rules
from ludarium.agents.lcs.rule_set import CONDITION, FIRST_SIGMA, Floats, Integers, RuleSet, ranked

_LEAST_SIGMA, _MOST_SIGMA = 1e-4, 1.0
_LEAST_THRESHOLD = 0.01  # what is at least 0 excludes nothing
_AVERAGE = 0.5
"""The share of crossovers that take the average of the parents' thresholds; the others take each from either."""
_TRIES = 100


class Steps(NamedTuple):
    """How rules are chosen and changed.

    Attributes:
        modified: how many rules each step changes.
        tournament: how many rules meet when one is to be changed.
        sigma: how the size of mutations changes: `"literal"`, `"anneal"` or `"self"`; see `Original`.
        rate: the learning rate of that formula.
        fitness: what makes a rule good; see `RuleSet.fitness`.
        caution: see there.
        protect: how many games, from 0, a rule is not deleted for while others can be.
        keep_parent: whether a changed rule replaces the weakest one, not the rule that it comes from.
        language: what rules may say.
    """

    modified: int
    tournament: int
    sigma: str
    rate: float
    fitness: str
    caution: float
    protect: int
    keep_parent: bool
    language: Language

    def fitness_of(self, rules: RuleSet) -> Floats:
        """How good each rule is."""
        return rules.fitness(self.fitness, self.caution)

    def weakest(self, rules: RuleSet, random: Random) -> Integers:
        """The places of rules, the weakest first; the young ones last, equals in a random order."""
        places = ranked(-self.fitness_of(rules), random)
        return places[np.argsort(rules.age[places] < self.protect, kind="stable")]

    def drawn(self, places: Integers, random: Random) -> Integers:
        """The places of the rules in a tournament of some."""
        return random.choice(places, size=min(self.tournament, len(places)), replace=False)


def delete(rules: RuleSet, steps: Steps, random: Random, new_rule: Callable[[], Rules]) -> None:
    """Replace the weakest rules by new ones, each of shape (1,)."""
    for place in steps.weakest(rules, random)[: steps.modified]:
        rules.renew(int(place), new_rule)


def specialise(rules: RuleSet, steps: Steps, random: Random) -> None:
    """Narrow rules of low fitness that fire often, and give compound ones another condition."""
    for _ in range(steps.modified):
        _alter(rules, steps, random, narrower=True)


def generalise(rules: RuleSet, steps: Steps, random: Random) -> None:
    """Widen rules of high fitness that seldom fire, and take a condition from compound ones."""
    for _ in range(steps.modified):
        _alter(rules, steps, random, narrower=False)


def merge(rules: RuleSet, steps: Steps, random: Random) -> None:
    """Cross good rules that differ in numbers alone; each child replaces the weakest rule."""
    for _ in range(steps.modified):
        parents = _parents(rules, steps, random)
        if parents is not None:
            child, sigma = _child(rules, *parents, random)
            rules.put(int(steps.weakest(rules, random)[0]), child, sigma, int(rules.changes[parents[0]]))


def _alter(rules: RuleSet, steps: Steps, random: Random, narrower: bool) -> None:
    """Change the winner of a tournament for rules that are too wide, or too narrow."""
    some = steps.drawn(np.arange(len(rules.rows)), random)
    wide = np.argsort(np.argsort(rules.uses[some])) - np.argsort(np.argsort(steps.fitness_of(rules)[some]))
    place = int(some[np.argmax(wide if narrower else -wide)])
    rule, sigma, changes = rules.rows[place].copy(), rules.sigma[place].copy(), int(rules.changes[place])
    creep(rule, sigma, changes, steps, random, narrower)
    others = nested(rule)
    if len(others) > 1 and not narrower:
        remove_condition(rule, sigma, int(random.choice(others)))
    elif 1 < len(others) < steps.language.nested:
        types = [*steps.language.types, *steps.language.hints(rule["action"])]
        any(add_condition(rule, random, steps.language, types) for _ in range(_TRIES))
    spot = int(steps.weakest(rules, random)[0]) if steps.keep_parent else place
    rules.put(spot, rule, sigma, changes + 1)


def remove_condition(rule: Any, sigma: Floats, place: int) -> None:
    """Remove a condition of a rule, and the size of its mutations; those that follow move up."""
    for field, empty in zip(CONDITION, (-1, 0, 0, 0), strict=True):
        rule[field] = np.append(np.delete(rule[field], place), empty)
    sigma[:] = np.append(np.delete(sigma, place), FIRST_SIGMA)


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
    step = abs(float(random.standard_normal())) / (np.sqrt(changes + 1) if steps.sigma == "anneal" else 1.0)
    for place in range(conditions):
        sigma[place] = min(max(sigma[place] * factor, _LEAST_SIGMA), _MOST_SIGMA)
        _move(
            rule, place, step * sigma[place] * (1 if narrower != bool(rule["negated"][place]) else -1), steps.language
        )


def _move(rule: Any, place: int, share: float, language: Language) -> None:
    """Move the threshold of a condition by a share of its range, and so the probability that its pattern names."""
    number, pattern = int(rule["feature"][place]), int(rule["pattern"][place])
    most = language.most(number, pattern)
    rule["threshold"][place] = round(max(min(rule["threshold"][place] + share * most, most), _LEAST_THRESHOLD), 4)
    if FEATURES[number].chance:
        doubt = min(max(round(pattern // DOUBT - share * CHANCES), 0), CHANCES - 1)
        rule["pattern"][place] = pattern % DOUBT + doubt * DOUBT


def _parents(rules: RuleSet, steps: Steps, random: Random) -> tuple[int, int] | None:
    """The winner of a tournament of rules that are like others, and the best that is like it; None if none are.

    Rules are alike that have the same action and ask the same: they differ in thresholds and probabilities.
    """
    rows = rules.rows
    asked = np.column_stack([rows["action"], rows["feature"], rows["negated"], rows["pattern"] % DOUBT])
    _, kind, sizes = np.unique(asked, axis=0, return_inverse=True, return_counts=True)
    alike = np.flatnonzero(sizes[kind] > 1)
    if not len(alike):
        return None
    fitness, some = steps.fitness_of(rules), steps.drawn(alike, random)
    mother = int(some[np.argmax(fitness[some])])
    mates = random.permutation([place for place in alike if kind[place] == kind[mother] and place != mother])
    return mother, int(mates[np.argmax(fitness[mates])])


def _child(rules: RuleSet, mother: int, father: int, random: Random) -> tuple[Any, Floats]:
    """A child of two rules that are alike, and the sizes of its mutations."""
    child, both = rules.rows[mother].copy(), [mother, father]
    if random.random() < _AVERAGE:
        child["threshold"] = np.round(rules.rows["threshold"][both].mean(axis=0), 4)
        return child, rules.sigma[both].mean(axis=0)
    mine = random.random(MOST_CONDITIONS) < 0.5
    for field in ("threshold", "pattern"):
        child[field] = np.where(mine, rules.rows[field][mother], rules.rows[field][father])
    return child, np.where(mine, rules.sigma[mother], rules.sigma[father])
