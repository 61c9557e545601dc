"""A set of rules with utilities: which of them decide, what they get for it, and rules in the places of others."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.games import Record
from ludarium.agents.lcs.language import MOST_CONDITIONS
from ludarium.agents.lcs.operators import Rules, padded
from ludarium.envs.files import Arrays

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
FIRST_SIGMA = 0.1
"""The size of the first mutations, as a share of a feature's range."""


class RuleSet(NamedTuple):
    """A set of rules; all arrays are those of the run, and change.

    Attributes:
        rows: shape (rules,) of `RULE`.
        utility: shape (rules,).
        sigma: shape (rules, conditions): the size of the next mutation of each threshold, a share of its range.
        changes: shape (rules,) int64: how often each was mutated.
        uses: shape (rules,): how many moves each has made.
        age: shape (rules,) int64: in games.
    """

    rows: Rules
    utility: Floats
    sigma: Floats
    changes: Integers
    uses: Floats
    age: Integers

    @classmethod
    def of(cls, arrays: Arrays) -> "RuleSet":
        """The set of a run that began with `start`."""
        return cls(arrays["rules"][0], *(arrays[name] for name in cls._fields[1:]))

    @classmethod
    def start(cls, rules: Rules) -> Arrays:
        """New rules, shape (n,) of `RULE`, as the arrays of a run."""
        count = len(rules)
        rows, lengths = padded([rules], count)
        return {
            "rules": rows,
            "lengths": lengths,
            "utility": np.zeros(count),
            "sigma": np.full((count, MOST_CONDITIONS), FIRST_SIGMA),
            "changes": np.zeros(count, dtype=np.int64),
            "uses": np.zeros(count),
            "age": np.zeros(count, dtype=np.int64),
        }

    def put(self, place: int, rule: Any) -> None:
        """A new rule in a place: nothing is known of it."""
        self.rows[place] = rule
        self.utility[place], self.uses[place], self.age[place] = 0.0, 0.0, 0
        self.sigma[place], self.changes[place] = FIRST_SIGMA, 0

    def by_utility(self, ties: Integers | None = None) -> Integers:
        """The rules in order of decreasing utility; of equals, the one with the least of `ties`, or the first."""
        return np.lexsort((np.arange(len(self.rows)) if ties is None else ties, -self.utility))

    def weakest(self, protect: int) -> Integers:
        """The rules from the least utility; those younger than `protect` games last."""
        return np.lexsort((self.utility, self.age < protect))

    def reward(self, order: Integers, record: Record, at_once: Mapping[int, float], final: float, alpha: float) -> None:
        """Give the rules that made moves what these brought, then all of them the score.

        Args:
            order: the places of the rules, in the order in which they were asked.
            record: of one game.
            at_once: what a move brings, by what it did: `SCORED`, ….
            final: what a point of the score brings.
            alpha: the weight of the old utility; the reward has the rest.
        """
        used = set()
        for place, event in record.trace[: record.decisions].tolist():
            if place < len(order):
                rule = int(order[place])
                used.add(rule)
                self.uses[rule] += 1
                if event in at_once:
                    self.utility[rule] = alpha * self.utility[rule] + (1 - alpha) * at_once[event]
        for rule in used:
            self.utility[rule] = alpha * self.utility[rule] + (1 - alpha) * final * float(record.scores[0])
        self.age[:] += 1
