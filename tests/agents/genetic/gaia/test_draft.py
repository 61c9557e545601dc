"""How ordered lists of rules are judged by cases, and changed one rule at a time."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia.draft import (
    Cases,
    best_place,
    empty_draft,
    finish,
    insert,
    remove,
    respond,
    saving,
)
from ludarium.agents.genetic.gaia.rules import RULE

SENSES = np.array([[[1, 0, 2]], [[2, 0, 1]]], dtype=np.uint64)
"""Two positions of two squares; in the first only action 0 is good, in the second only action 1."""
REGRETS = np.array([[0.0, 1.0], [2.0, 0.0]])
UNDO = np.array([[0, 1]])


def known(regrets=REGRETS, senses=SENSES, rule_cost=0.01):
    return Cases.among(senses, regrets, np.nanmax(regrets, axis=1), rule_cost)


def rules_for(*actions):
    """Rules that match anywhere, one for each action; -1 for an empty place."""
    rules = np.zeros(len(actions), dtype=RULE)
    rules["action"] = actions
    return rules


def response(rule, evidence, undo=UNDO):
    found = np.zeros(len(evidence.regrets))
    respond(rule, evidence, undo, found)
    return found


def listed(rules, evidence, places=4):
    """A list of these rules, in this order."""
    draft = empty_draft(places, evidence)
    for rule in rules:
        insert(draft, rule, response(rule, evidence), draft.size[0])
    return draft


def judged(draft, evidence):
    rules = np.zeros(len(draft.rules), dtype=RULE)
    return finish(draft, evidence, rules), rules


def test_a_case_is_a_position_in_which_the_choice_matters():
    found = known(np.array([[0.5, 1.0], [np.nan, -0.25]]))
    assert (found.least.tolist(), found.unmatched.tolist()) == ([0.5], [1.0])
    assert found.senses.tolist() == SENSES[:1].tolist()
    assert len(known(np.zeros((0, 2)), SENSES[:0]).regrets) == 0


def test_a_rule_responds_where_it_matches_and_its_action_is_legal():
    rules = rules_for(0, 0, 0, -1)
    rules["own"] = [0, 1, 3, 0]
    found = [response(rule, known(np.array([[0.0, 1.0], [2.0, 0.0]]))) for rule in rules]
    nan = np.nan
    np.testing.assert_array_equal(found, [[0.0, 2.0], [0.0, nan], [nan, nan], [nan, nan]])
    three = np.array([[0.5, 1.0, 0.0], [nan, 0.0, 1.0]])
    np.testing.assert_array_equal(response(rules[0], known(three), np.array([[0, 1, 2]])), [0.5, nan])


def test_the_worst_of_several_images_is_the_response():
    evidence = known(senses=SENSES.repeat(2, axis=1))
    assert response(rules_for(0)[0], evidence, np.array([[0, 1], [1, 0]])).tolist() == [1.0, 2.0]


def test_the_first_rule_that_matches_decides():
    evidence, rules = known(), rules_for(0, 1)
    rules["own"][0] = 1
    draft = listed(rules, evidence)
    assert (draft.deciders.tolist(), draft.errors.tolist()) == ([0, 1], [0.0, 0.0])
    draft = listed(rules[::-1], evidence)
    assert (draft.deciders.tolist(), draft.errors.tolist()) == ([0, 0], [1.0, 0.0])
    draft = listed(rules[:1], evidence)
    assert (draft.deciders.tolist(), draft.errors.tolist()) == ([0, 1], [0.0, 2.0])  # nothing matches: the worst move


def test_a_list_costs_its_errors_and_its_rules_least_if_few_decide_most():
    evidence, rules = known(rule_cost=0.1), rules_for(1, 0)
    rules["own"][0] = 2
    cost, written = judged(listed(rules, evidence), evidence)
    assert cost == pytest.approx(0.1 * (2 - 2 * 0.25))
    assert written["uses"].tolist() == [1, 1, 0, 0]
    assert written["action"].tolist() == [1, 0, -1, -1]
    assert (np.diff(written["priority"]) == -1).all()
    cost, written = judged(listed(rules[1:], evidence), evidence)
    assert cost == pytest.approx(2 + 0.1 * (1 - 1))
    assert written["weight"].tolist() == [-1.0, 0.0, 0.0, 0.0]
    assert judged(listed(rules[:0], evidence), evidence)[0] == 3.0


def test_a_rule_goes_where_it_saves_most_the_last_of_equals():
    evidence, gains, rules = known(), np.zeros(5), rules_for(1, 0)
    rules["own"][0] = 2
    default = listed(rules[1:], evidence)
    assert best_place(default, response(rules[0], evidence), gains) == (0, 2.0)
    exception = listed(rules[:1], evidence)
    assert best_place(exception, response(rules[1], evidence), gains) == (1, 1.0)
    assert best_place(listed(rules[:0], evidence), response(rules[0], evidence), gains) == (0, 2.0)


def test_inserting_and_removing_lead_back(game_cases):
    """A list changed at random is the one that results from listing its rules."""
    evidence, rules, undo = *game_cases[:2], game_cases[2].undo
    draft, kept, draws = empty_draft(12, evidence), [], np.random.default_rng(1)
    for number in range(40):
        if len(kept) < 12 and (not kept or draws.random() < 0.6):
            place = int(draws.integers(len(kept) + 1))
            insert(draft, rules[number], response(rules[number], evidence, undo), place)
            kept.insert(place, number)
        else:
            place, before = int(draws.integers(len(kept))), draft.errors.sum()
            saved = saving(draft, evidence, place)
            remove(draft, evidence, place)
            assert draft.errors.sum() - before == pytest.approx(saved)
            kept.pop(place)
        again = empty_draft(12, evidence)
        for rule in rules[kept]:
            insert(again, rule, response(rule, evidence, undo), again.size[0])
        np.testing.assert_array_equal(draft.deciders, again.deciders)
        np.testing.assert_array_equal(draft.errors, again.errors)
        assert judged(draft, evidence)[1]["own"].tolist() == judged(again, evidence)[1]["own"].tolist()
