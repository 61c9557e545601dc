"""The four steps: deletion, specialisation, generalisation, merging."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import four_steps
from ludarium.agents.lcs.four_steps import Steps, creep, delete, generalise, merge, specialise
from ludarium.agents.lcs.operators import Limits
from ludarium.agents.lcs.rule_set import RuleSet
from ludarium.agents.lcs.text import read_rules, rules_text

STEPS = Steps(1, 4, sigma="literal", rate=0.1, protect=0, keep_parent=False, limits=Limits(9, 4))


def rule_set(text: str, *utility: float) -> RuleSet:
    rules = RuleSet.of(RuleSet.start(read_rules(text)))
    rules.utility[:] = utility
    return rules


def test_the_weakest_rules_are_deleted() -> None:
    rules = rule_set("play\ndiscard\nhint\nplay: lives >= 2\n", 4.0, 1.0, 2.0, 3.0)
    delete(rules, STEPS._replace(modified=2), lambda: read_rules("hint-rank"))
    assert rules_text(rules.rows) == "play\nhint-rank\nhint-rank\nplay: lives >= 2\n"
    assert rules.utility.tolist() == [4, 0, 0, 3]


@pytest.mark.parametrize("sigma", ["literal", "anneal", "self"])
def test_creeping_narrows_or_widens(sigma: str) -> None:
    random = np.random.default_rng(2)
    for narrower in (True, False):
        rule = read_rules("play: card:r1 >= 0.5 and tokens < 4")[0]
        before, sigmas = rule["threshold"].copy(), np.full(8, 0.1)
        creep(rule, sigmas, 3, STEPS._replace(sigma=sigma), random, narrower)
        assert (rule["threshold"][0] > before[0]) == narrower
        assert (rule["threshold"][1] < before[1]) == narrower
        assert sigmas[0] != 0.1


@pytest.mark.parametrize("keep", [False, True])
def test_wide_rules_are_narrowed_and_narrow_ones_widened(keep: bool) -> None:
    text = "play: lives >= 2 and tokens < 4\nplay: tokens < 4 and lives >= 2\nhint\n"
    steps, random = STEPS._replace(keep_parent=keep), np.random.default_rng(3)
    for step, chosen, conditions in ((specialise, 0, {2, 3}), (generalise, 1, {1})):
        place, lengths = 2 if keep else chosen, set()  # the weakest gives way, or the parent itself
        for _ in range(10):  # a condition that is drawn may be there already
            rules = rule_set(text, 1.0, 2.0, 0.5)
            rules.uses[:] = 9, 1, 0
            before = rules.rows.copy()
            step(rules, steps, random)
            lengths.add(np.count_nonzero(rules.rows["feature"][place] >= 0))
            assert rules.changes.tolist() == [int(place == number) for number in range(3)]
            assert (rules.utility == 0).tolist() == [place == number for number in range(3)]
            assert all(rules.rows[number] == before[number] for number in range(3) if number != place)
        assert lengths == conditions


def test_merging_crosses_only_rules_of_the_same_structure() -> None:
    random = np.random.default_rng(1)
    rules = rule_set("play: card:r1 >= 0.2\nplay: card:y1 >= 0.6\ndiscard: card:r1 >= 0.9", 3.0, 2.0, 1.0)
    merge(rules, STEPS, random)
    assert rules.rows["action"][2] == 0
    assert rules.rows["threshold"][2, 0] in (0.2, 0.6, 0.4)
    assert rules.utility.tolist() == [3.0, 2.0, 0.0]
    rules = rule_set("play: card:r1 >= 0.2\nplay: lives >= 2\ndiscard: card:r1 >= 0.9", 3.0, 2.0, 1.0)
    before = rules_text(rules.rows)
    merge(rules, STEPS, random)
    assert rules_text(rules.rows) == before


def test_the_father_is_the_best_of_those_alike() -> None:
    random, children = np.random.default_rng(1), set()
    text = "play: card:r1 >= 0.2\nplay: card:r1 >= 0.9\nplay: card:r1 >= 0.6\ndiscard: card:r1 >= 0.5"
    for _ in range(20):
        child: Any = four_steps._child(rule_set(text, 4.0, 1.0, 3.0, 0.0), STEPS, random)
        children.add(child["threshold"][0])
    assert children == {0.2, 0.6, 0.4}
