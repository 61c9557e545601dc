"""How lists of rules are judged by cases and learn from them, one rule at a time, and what children inherit."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import Board
from ludarium.agents.genetic.gaia.draft import Cases, best_place, empty_draft, finish, insert, remove, respond, saving
from ludarium.agents.genetic.gaia.induction import (
    Reach,
    cover,
    drop_sense,
    induce,
    no_reach,
    prune,
    random_error,
    weigh_senses,
)
from ludarium.agents.genetic.gaia.offspring import Lists, bear, best_lists, judge, take_over
from ludarium.agents.genetic.gaia.rules import RULE, no_rules
from ludarium.envs.chance import seed_key, stream

SENSES = np.array([[[1, 0, 2]], [[2, 0, 1]]], dtype=np.uint64)
"""Two positions of two squares; in the first only action 0 is good, in the second only action 1."""
REGRETS = np.array([[0.0, 1.0], [2.0, 0.0]])
UNDO, NEEDS = np.array([[0, 1]]), np.zeros((2, 3), dtype=np.uint64)


def known(regrets=REGRETS, senses=SENSES, rule_cost=0.01):
    return Cases.among(senses, regrets, np.nanmax(regrets, axis=1), rule_cost)


def on_board(needs=NEEDS):
    return Board((1, 2), needs, np.array([0, 1]), np.array([[0, 1]]), UNDO)


def rules_for(*actions):
    """Rules that match anywhere, one for each action; -1 for an empty place."""
    rules = np.zeros(len(actions), dtype=RULE)
    rules["action"] = actions
    return rules


def response(rule, evidence, undo=UNDO):
    regrets = np.zeros(len(evidence.regrets))
    respond(rule, evidence, undo, regrets)
    return regrets


def listed(rules, evidence, places=4):
    """A list of these rules, in this order."""
    draft = empty_draft(places, evidence)
    for rule in rules:
        insert(draft, rule, response(rule, evidence), draft.size[0])
    return draft


def test_a_new_rule_is_right_and_as_general_as_its_place_allows():
    evidence, made = known(), np.zeros(1, dtype=RULE)
    for before, asked in ((rules_for(0), 1), (rules_for(), 0)):
        draft = listed(before, evidence)  # before a default it is an exception, in an empty list a default
        induce(made[0], draft, evidence, 1, on_board(), no_reach(evidence, on_board()), stream(1))
        assert made["action"][0] == 1
        assert np.bitwise_count(made["own"][0] | made["empty"][0]) == asked


def test_what_an_action_needs_stays():
    evidence, made = known(), np.zeros(1, dtype=RULE)
    board = on_board(np.array([[0, 0, 0], [0, 0, 1]], dtype=np.uint64))
    induce(made[0], listed(rules_for(), evidence), evidence, 1, board, no_reach(evidence, board), stream(1))
    assert (made["own"][0], made["empty"][0], made["action"][0]) == (0, 1, 1)


@pytest.mark.parametrize("sense", range(3))
def test_an_action_may_need_own_pieces_the_opponents_or_empty_squares(sense):
    evidence, made = known(senses=np.array([[[4, 2, 1]], [[1, 2, 4]]], dtype=np.uint64)), np.zeros(1, dtype=RULE)
    needs = np.zeros((2, 3), dtype=np.uint64)
    needs[1, sense] = 1 << sense
    board = Board((1, 3), needs, np.array([0, 1]), np.array([[0, 1, 2]]), UNDO)
    induce(made[0], listed(rules_for(), evidence), evidence, 1, board, no_reach(evidence, board), stream(1))
    assert [int(made[name][0]) for name in ("own", "opponent", "empty")] == needs[1].tolist()


def test_positions_where_its_action_is_illegal_do_not_count_for_a_rule():
    """Action 1 is right with an own piece on the first square, illegal with an opponent's, and wrong without one."""
    senses = np.array([[[1, 0, 2]], [[0, 1, 2]], [[0, 0, 3]]], dtype=np.uint64)
    evidence = known(np.array([[1.0, 0.0, 1.0], [0.0, np.nan, 1.0], [0.0, 5.0, 1.0]]), senses)
    undo, needs, made = np.array([[0, 1, 2]]), np.zeros((3, 3), dtype=np.uint64), np.zeros(1, dtype=RULE)
    board, draft = Board((1, 2), needs, np.array([0, 1, 2]), np.array([[0, 1]]), undo), empty_draft(4, evidence)
    default = rules_for(0)[0]
    insert(draft, default, response(default, evidence, undo), 0)
    induce(made[0], draft, evidence, 0, board, no_reach(evidence, board), stream(1))
    assert made[["own", "opponent", "empty", "action"]].tolist() == [(1, 0, 0, 1)]


def reach_of(lacking, regrets, cases, responses):
    rows = np.array(cases), np.array(lacking, dtype=np.uint64), np.array(regrets)
    return Reach(*rows, np.array(responses))


@pytest.mark.parametrize(
    ("lacking", "regrets", "response", "saved"),
    [
        ([1], [0.25], np.nan, [0.75, 0.0]),  # the list errs by 1
        ([2], [0.25], np.nan, [0.0, 0.75]),
        ([3], [0.25], np.nan, [0.0, 0.0]),  # one sense is not enough
        ([1], [0.25], 0.5, [0.0, 0.0]),  # the rule has this case already, with a worse move
        ([1], [0.75], 0.5, [-0.25, 0.0]),
        ([1, 1], [0.25, 0.75], np.nan, [0.25, 0.0]),  # the worst of several images counts
        ([1, 1], [0.75, 0.25], np.nan, [0.25, 0.0]),
        ([1, 2], [0.25, 0.75], np.nan, [0.75, 0.25]),
    ],
)
def test_what_a_rule_saves_without_a_sense(lacking, regrets, response, saved):
    gains = np.full(2, 9.0)
    reach = reach_of(lacking, regrets, [0] * len(lacking), [response])
    weigh_senses(np.array([1.0]), reach, len(lacking), gains)
    assert gains.tolist() == saved


def test_a_rule_without_a_sense_matches_where_it_lacked_no_other():
    nan = np.nan
    reach = reach_of(
        [1, 3, 2, 1, 1, 1], [0.5, 0.25, 0.75, 0.5, 0.25, 0.75], [0, 1, 2, 3, 4, 4], [nan, nan, nan, 0.75, nan]
    )
    assert drop_sense(reach, 6, np.uint64(1)) == 2
    assert [part[:2].tolist() for part in reach[:3]] == [[1, 2], [2, 2], [0.25, 0.75]]
    np.testing.assert_array_equal(reach.responses, [0.5, nan, nan, 0.75, 0.75])


def test_errors_are_drawn_in_proportion_to_what_better_moves_would_save():
    """Where nothing matches, the worst moves: they could save 1 in the first case and 2 in the second."""
    evidence, draws = known(np.array([[0.5, 1.5], [2.5, 0.5]])), stream(1)
    empty = listed(rules_for(), evidence)
    cases = [random_error(empty, evidence, draws) for _ in range(600)]
    assert set(cases) == {0, 1}
    assert 350 < sum(cases) < 450
    exception, default = rules_for(1, 0)
    exception["own"] = 2
    assert random_error(listed((exception, default), evidence), evidence, draws) == -1
    assert random_error(listed((default,), evidence), evidence, draws) == 1


def test_errors_are_covered_as_far_as_there_is_room():
    for places, errors in ((1, 1), (2, 0)):
        evidence = known()
        draft = empty_draft(places, evidence)
        cover(draft, evidence, on_board(), stream(1))
        assert (draft.size[0], (draft.errors > 0).sum()) == (places, errors)


@pytest.mark.parametrize(("rule_cost", "left"), [(0.01, 2), (1.0, 1), (1.5, 1), (2.0, 0), (5.0, 0)])
def test_a_rule_stays_if_it_saves_more_than_it_costs(rule_cost, left):
    """Action 0 in the first position saves 1, action 1 in the second saves 2."""
    evidence, rules = known(rule_cost=rule_cost), rules_for(0, 1, 1)
    rules["own"] = [1, 2, 2]
    draft = listed(rules, evidence)
    prune(draft, evidence, stream(1))
    assert draft.size[0] == left
    draft = empty_draft(4, evidence)
    cover(draft, evidence, on_board(), stream(1))
    assert draft.size[0] <= left


def child_of(mother, father, evidence, mutation=0.0, key=1):
    """A child, as what its rules ask and do, and its cost."""
    child = no_rules(len(mother))
    cost = bear(child, mother, father, evidence, on_board(), mutation, seed_key(key))
    assert judge(child.copy(), evidence, on_board()) == cost
    return [(int(rule["own"]), int(rule["action"])) for rule in child[child["action"] >= 0]], cost


def test_a_child_has_its_mothers_rules_and_those_of_its_father_that_mend_errors():
    """Each parent asks for more than it must; so these rules are not new ones. Not all are offered to every child."""
    evidence, mother, father = known(), no_rules(4), no_rules(4)
    mother[0], father[0], father[1] = rules_for(0)[0], rules_for(1)[0], rules_for(0)[0]
    mother["own"][0], mother["empty"][0], father["own"][0], father["empty"][0] = 1, 2, 2, 1
    children = [child_of(mother, father, evidence, key=key) for key in range(20)]
    assert all(child[-1] == (1, 0) or child[0] == (1, 0) for child, _ in children)
    assert 0 < sum(sorted(child) == [(1, 0), (2, 1)] for child, _ in children) < 20
    assert all(cost == pytest.approx(0.01 * 1.5) for _, cost in children)


def test_a_rule_of_the_father_is_considered_once_in_five_times():
    """If it is not, and no other one, the child takes over nothing more."""
    evidence, father, draws, taken = known(), no_rules(4), stream(1), 0
    father[2] = rules_for(1)[0]
    for _ in range(500):
        draft = empty_draft(4, evidence)
        take_over(draft, father, evidence, on_board(), draws)
        assert draft.errors.tolist() == ([1.0, 0.0] if draft.size[0] else [1.0, 2.0])
        taken += draft.size[0]
    assert 70 < taken < 130


def test_mutation_leaves_out_rules_of_the_mother():
    evidence, mother = known(), no_rules(4)
    mother[0], mother[1] = rules_for(0)[0], rules_for(1)[0]
    mother["own"][:2], mother["empty"][:2] = [1, 2], [2, 1]
    full = {(1, 0), (2, 1)}
    assert set(child_of(mother, no_rules(4), evidence)[0]) == full
    assert all(set(child_of(mother, no_rules(4), evidence, 1.0, key)[0]) != full for key in range(8))


def test_the_best_lists_cost_least_and_copies_of_others_come_last():
    """Whatever copies weigh; of equals the first is better."""
    old, new = no_rules(3, 1), no_rules(2, 1)
    old["action"][:, 0], new["action"][:, 0], new["weight"][0, 0] = (0, 1, 2), (0, 3), 9.0
    best = best_lists(4, Lists(new, np.array([2.0, 5.0])), Lists(old, np.array([2.0, 5.0, 1.0])))
    assert best.rules["action"][:, 0].tolist() == [2, 0, 3, 1]
    assert best.costs.tolist() == [1.0, 2.0, 5.0, 5.0]
    assert best.rules["weight"][1, 0] == 9.0


def test_a_child_is_never_worse_than_a_mother_of_whom_it_inherits_all():
    """Whatever the cases are."""
    draws = np.random.default_rng(1)
    for key in range(20):
        evidence = known(draws.integers(0, 3, (2, 2)) + np.array([[0.1, 0.2], [0.4, 0.3]]))
        mother = no_rules(4)
        _, before = child_of(mother, mother, evidence, key=key)
        bear(mother, no_rules(4), no_rules(4), evidence, on_board(), 0.0, seed_key(key))
        assert child_of(mother, mother, evidence, key=key + 100)[1] <= before + 1e-9


def judged(draft, evidence):
    rules = np.zeros(len(draft.rules), dtype=RULE)
    return finish(draft, evidence, rules), rules


def test_a_case_is_a_position_in_which_the_choice_matters():
    evidence = known(np.array([[0.5, 1.0], [np.nan, -0.25]]))
    assert (evidence.least.tolist(), evidence.unmatched.tolist()) == ([0.5], [1.0])
    assert evidence.senses.tolist() == SENSES[:1].tolist()
    assert len(known(np.zeros((0, 2)), SENSES[:0]).regrets) == 0


def test_a_rule_responds_where_it_matches_and_its_action_is_legal():
    rules = rules_for(0, 0, 0, -1)
    rules["own"] = [0, 1, 3, 0]
    responses = [response(rule, known(np.array([[0.0, 1.0], [2.0, 0.0]]))) for rule in rules]
    nan = np.nan
    np.testing.assert_array_equal(responses, [[0.0, 2.0], [0.0, nan], [nan, nan], [nan, nan]])
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
