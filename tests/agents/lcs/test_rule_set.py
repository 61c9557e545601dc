"""A set of rules with utilities: the order in which they decide, and what they get."""

from typing import Any

import numpy as np

from ludarium.agents.lcs.games import MISPLAYED, SCORED, Record
from ludarium.agents.lcs.language import empty_rules
from ludarium.agents.lcs.rule_set import FIRST_SIGMA, RuleSet


def test_utility_is_momentum_of_rewards_and_the_score_goes_to_every_rule_used() -> None:
    rules = RuleSet.of(RuleSet.start(empty_rules(30)))
    rules.utility[:3] = 4.0, 8.0, 6.0
    order = rules.by_utility()
    assert order[:4].tolist() == [1, 2, 0, 3]
    assert rules.by_utility(np.arange(30)[::-1])[:4].tolist() == [1, 2, 0, 29]  # of equals, the least of the ties
    trace = np.array([[0, SCORED], [1, MISPLAYED], [30, SCORED], [0, 0]])
    record: Any = Record(np.array([5.0]), np.zeros((31, 3)), 0, 4, np.zeros(1), trace)
    rules.reward(order, record, {SCORED: 1.0, MISPLAYED: -2.0}, final=2.0, alpha=0.5)
    assert rules.utility[1] == 0.5 * (0.5 * 8 + 0.5 * 1) + 0.5 * 10
    assert rules.utility[2] == 0.5 * (0.5 * 6 + 0.5 * -2) + 0.5 * 10
    assert rules.utility[0] == 4.0
    assert rules.uses[:3].tolist() == [0, 2, 1]
    assert (rules.age == 1).all()


def test_the_weakest_rules_come_first_unless_they_are_young() -> None:
    rules = RuleSet.of(RuleSet.start(empty_rules(30)))
    rules.utility[:], rules.age[:] = np.arange(30), 9
    rules.age[:3] = 1
    assert rules.weakest(5)[:3].tolist() == [3, 4, 5]
    assert rules.weakest(5)[-3:].tolist() == [0, 1, 2]
    assert rules.weakest(0)[:3].tolist() == [0, 1, 2]


def test_nothing_is_known_of_a_new_rule() -> None:
    rules = RuleSet.of(RuleSet.start(empty_rules(2)))
    for known in rules[1:]:
        known[:] = 7
    rule = empty_rules(1)[0]
    rule["action"] = 3
    rules.put(1, rule)
    assert rules.rows["action"].tolist() == [0, 3]
    assert [known[1].max() for known in rules[1:]] == [0, FIRST_SIGMA, 0, 0, 0]
    assert all((known[0] == 7).all() for known in rules[1:])
