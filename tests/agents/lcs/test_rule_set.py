"""A set of rules with utilities: the order in which they decide, and what they get."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs.games import MISPLAYED, SCORED, Record
from ludarium.agents.lcs.language import empty_rules
from ludarium.agents.lcs.rule_set import FIRST_SIGMA, Pay, RuleSet, complete, ranked
from ludarium.agents.lcs.text import read_rules

PAY = Pay({SCORED: 1.0, MISPLAYED: -2.0}, final=2.0, alpha=0.5)


def rewarded(pay: Pay) -> RuleSet:
    """Three of 30 rules with utility after a game of four moves: by the second, the third, none, and the second."""
    rules = RuleSet.of(RuleSet.start(30))
    rules.utility[:3] = 4.0, 8.0, 6.0
    order = ranked(rules.utility, np.random.default_rng(1))
    assert order[:3].tolist() == [1, 2, 0]
    trace = np.array([[0, SCORED], [1, MISPLAYED], [30, SCORED], [0, 0]])
    triggers = np.zeros(30, dtype=np.int64)
    triggers[:3] = 3, 1, 4
    none = np.zeros(1, dtype=np.uint8)
    rules.reward(order, Record(np.zeros(1), np.zeros((31, 3)), 0, 4, np.zeros(1), trace, triggers, none), pay)
    return rules


def test_utility_is_momentum_of_rewards_and_the_points_on_the_table_go_to_every_rule_that_decided() -> None:
    rules = rewarded(PAY)  # two cards scored, and that the game counted nothing does not matter
    assert rules.utility[1] == 0.5 * (0.5 * 8 + 0.5 * 1) + 0.5 * 4
    assert rules.utility[2] == 0.5 * (0.5 * 6 + 0.5 * -2) + 0.5 * 4
    assert rules.utility[0] == 4.0
    assert (rules.age == 1).all()


def test_coverage_counts_the_rules_that_fire_whether_they_decide_or_not() -> None:
    assert rewarded(PAY).uses[:3].tolist() == [4, 3, 1]


def test_in_a_bucket_brigade_rules_pay_those_before_them() -> None:
    rules = rewarded(PAY._replace(chained=True))
    first = 0.5 * 8 + 0.5 * (1 + 6)  # what it brought, and the utility of the rule that decided next
    second = 0.5 * 6 + 0.5 * (-2 + first)
    assert rules.utility[2] == second
    assert rules.utility[1] == 0.5 * first + 0.5 * 4


def test_fitness_may_be_cautious_or_accurate() -> None:
    rules = rewarded(PAY)
    assert rules.variance[1] == pytest.approx(0.5 * 0.5 * 7**2 + 0.5 * (4 - 4.5) ** 2)
    assert (rules.fitness("momentum") == rules.utility).all()
    assert rules.fitness("samuel", 2.0)[1] == pytest.approx(rules.utility[1] - 2 * np.sqrt(rules.variance[1]))
    assert rules.fitness("samuel", 2.0)[0] == 4.0
    accuracy = rules.fitness("accuracy")
    assert accuracy[1] == -np.sqrt(rules.variance[1])
    assert accuracy[0] == -np.inf  # of which nothing is known
    rules.variance[:3] = 4.0, 0.01, 0.0
    assert rules.fitness("accuracy")[:3].tolist() == [-2.0, -0.1, -np.inf]


def test_equals_are_ranked_at_random() -> None:
    random = np.random.default_rng(1)
    first = [int(ranked(np.array([1.0, 2.0, 2.0, 2.0]), random)[0]) for _ in range(300)]
    assert [first.count(place) for place in range(4)] == [0, *(pytest.approx(100, abs=30) for _ in range(3))]


def test_nothing_is_known_of_a_new_rule() -> None:
    rules = RuleSet.of(RuleSet.start(2))
    for known in rules[1:]:
        known[:] = 7
    rule = empty_rules(1)[0]
    rule["action"] = 3
    assert rules.put(1, rule)
    assert rules.rows["action"].tolist() == [0, 3]
    assert [known[1].max() for known in rules[1:]] == [0, FIRST_SIGMA, 0, 0, 0, 0]
    assert all((known[0] == 7).all() for known in rules[1:])


def test_the_same_rule_is_refused_in_whatever_order_it_is_written() -> None:
    rules = RuleSet.of(RuleSet.start(3))
    one, same, other = read_rules(
        "play: lives < 3 and own:0.5:r >= 1\nplay: own:0.5:r >= 1 and lives < 3\nplay: own:0.5:r >= 1 and lives < 2\n"
    )
    assert rules.put(0, one)
    rules.utility[:] = 5
    assert not rules.put(1, same)
    assert rules.utility.tolist() == [5, 5, 5]
    rows = iter((same, same, other))
    rules.renew(2, lambda: np.array([next(rows)]))
    assert rules.rows[2] == read_rules("play: lives < 2 and own:0.5:r >= 1")[0]


def test_runs_of_earlier_versions_get_what_they_lack() -> None:
    arrays: Any = RuleSet.start(3)
    old = {name: array for name, array in arrays.items() if name != "variance"} | {"samples": np.zeros(1)}
    complete(old)
    assert old.keys() == {*arrays, "met"}
    assert not old["variance"].any()
    complete(old)
    assert old.keys() == {*arrays, "met"}
