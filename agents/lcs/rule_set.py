"""A set of rules with utilities: which of them decide, what they get for it, and rules in the places of others."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.games import SCORED, Record
from ludarium.agents.lcs.language import DOUBT, MOST_CONDITIONS, empty_rules
from ludarium.agents.lcs.operators import Random, Rules, padded
from ludarium.envs.files import Arrays
from ludarium.envs.hanabi.view import VIEW

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
FIRST_SIGMA = 0.1
"""The size of the first mutations, as a share of a feature's range."""
_TRIES = 100
CONDITION = ("feature", "negated", "pattern", "threshold")
"""The fields of a condition."""


class Pay(NamedTuple):
    """What rules get for moves.

    Attributes:
        at_once: what a move brings, by what it did: `SCORED`, ….
        final: what a point on the table brings at the end of the game.
        alpha: the weight of the old utility; the reward has the rest.
        chained: whether a rule is paid by the next one that decides, as in a bucket brigade, and only the last of a
            game by the points; otherwise all that decided get these.
    """

    at_once: Mapping[int, float]
    final: float
    alpha: float
    chained: bool = False


class RuleSet(NamedTuple):
    """A set of rules, all different; all arrays are those of the run, and change.

    Attributes:
        rows: shape (rules,) of `RULE`; the conditions of a rule are in order, so equal rules are equal bytes.
        utility: shape (rules,).
        sigma: shape (rules, conditions): the size of the next mutation of each threshold, a share of its range.
        changes: shape (rules,) int64: how often each was mutated.
        uses: shape (rules,): in how many positions each fired, whether it decided or not.
        age: shape (rules,) int64: in games.
        variance: shape (rules,): of the rewards around the utility.
    """

    rows: Rules
    utility: Floats
    sigma: Floats
    changes: Integers
    uses: Floats
    age: Integers
    variance: Floats

    @classmethod
    def of(cls, arrays: Arrays) -> "RuleSet":
        """The set of a run that began with `start`."""
        return cls(arrays["rules"][0], *(arrays[name] for name in cls._fields[1:]))

    @classmethod
    def start(cls, count: int) -> Arrays:
        """Room for so many rules, as the arrays of a run."""
        rows, lengths = padded([empty_rules(count)], count)
        return {
            "rules": rows,
            "lengths": lengths,
            "utility": np.zeros(count),
            "sigma": np.full((count, MOST_CONDITIONS), FIRST_SIGMA),
            "changes": np.zeros(count, dtype=np.int64),
            "uses": np.zeros(count),
            "age": np.zeros(count, dtype=np.int64),
            "variance": np.zeros(count),
        }

    def put(self, place: int, rule: Any, sigma: Floats | None = None, changes: int = 0) -> bool:
        """A new rule in a place, of which nothing else is known; not if there is the same already.

        Args:
            place: the place.
            rule: an element of `RULE`.
            sigma: the size of the next mutation of each threshold; by default the first.
            changes: how often the rule was mutated.

        Returns:
            Whether there is a new rule.
        """
        rule, sigma = rule.copy(), np.full(MOST_CONDITIONS, FIRST_SIGMA) if sigma is None else sigma.copy()
        put_in_order(rule, sigma)
        if (self.rows == rule).any():
            return False
        self.rows[place], self.sigma[place], self.changes[place] = rule, sigma, changes
        for record in (self.utility, self.uses, self.age, self.variance):
            record[place] = 0
        return True

    def renew(self, place: int, new_rule: Callable[[], Rules]) -> None:
        """Put a rule in a place that differs from all others: the first such that `new_rule` makes, shape (1,)."""
        any(self.put(place, new_rule()[0]) for _ in range(_TRIES))

    def fitness(self, kind: str, caution: float = 0.0) -> Floats:
        """What makes a rule good.

        Args:
            kind: `"momentum"`, its utility; `"samuel"`, that less `caution` standard deviations of its rewards (after
                Grefenstette's SAMUEL); or `"accuracy"`, as in XCS a small deviation, of whatever rewards.
            caution: see there.
        """
        deviation = np.sqrt(self.variance)
        if kind == "accuracy":
            return np.where(deviation > 0, -deviation, -np.inf)
        return self.utility - caution * deviation if kind == "samuel" else self.utility

    def reward(self, order: Integers, record: Record, pay: Pay) -> None:
        """Give the rules that made the moves of a game what these brought.

        Args:
            order: the places of the rules, in the order in which they were asked.
            record: of a study of one game.
            pay: the rewards.
        """
        trace = record.trace[: record.decisions]
        score = pay.final * np.count_nonzero(trace[:, 1] == SCORED)
        deciders = [(int(order[place]), int(event)) for place, event in trace if place < len(order)]
        for number, (rule, event) in enumerate(deciders):
            if pay.chained:
                after = self.utility[deciders[number + 1][0]] if number + 1 < len(deciders) else score
                self._learn(rule, pay.at_once.get(event, 0.0) + after, pay.alpha)
            elif event in pay.at_once:
                self._learn(rule, pay.at_once[event], pay.alpha)
        for rule in () if pay.chained else dict.fromkeys(rule for rule, _ in deciders):
            self._learn(rule, score, pay.alpha)
        self.uses[order] += record.triggers
        self.age[:] += 1

    def _learn(self, rule: int, reward: float, alpha: float) -> None:
        surprise = reward - self.utility[rule]
        self.variance[rule] = alpha * self.variance[rule] + (1 - alpha) * surprise**2
        self.utility[rule] = alpha * self.utility[rule] + (1 - alpha) * reward


def ranked(fitness: Floats, random: Random) -> Integers:
    """The places of rules, the best first; equals in a random order."""
    return np.lexsort((random.permutation(len(fitness)), -fitness))


def put_in_order(rule: Any, sigma: Floats) -> None:
    """Sort the conditions of a rule by feature and pattern, and with them the sizes of their mutations."""
    order = np.lexsort((rule["pattern"], rule["pattern"] % DOUBT, rule["feature"], rule["feature"] < 0))
    for field in CONDITION:
        rule[field] = rule[field][order]
    sigma[:] = sigma[order]


def complete(arrays: Arrays) -> None:
    """Give a run of an earlier version what this one also keeps."""
    if arrays.pop("samples", None) is not None:
        arrays["met"], arrays["variance"] = np.zeros(VIEW.itemsize, dtype=np.uint8), np.zeros_like(arrays["utility"])
