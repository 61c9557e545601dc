"""How rules and players are judged by positions and regrets, and how children learn from them."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import Board
from ludarium.agents.genetic.gaia.judgement import (
    Evidence,
    cover,
    drop,
    generalise,
    improve,
    judge,
    nothing_judged,
    rank,
    weigh,
)
from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.envs.chance import seed_key, stream

SENSES = np.array([[[1, 0, 2]], [[2, 0, 1]]], dtype=np.uint64)
"""Two positions of two squares; in the first only action 0 is good, in the second only action 1."""
REGRETS = np.array([[0.0, 1.0], [2.0, 0.0]])
UNDO, NEEDS = np.array([[0, 1]]), np.zeros((2, 3), dtype=np.uint64)


def known(regrets=REGRETS, senses=SENSES, met=2, doubt=0.0, rule_cost=0.01):
    return Evidence(senses, regrets, met, doubt, rule_cost)


def on_board(needs=NEEDS):
    return Board((1, 2), needs, np.array([0, 1]), np.array([[0, 1]]), UNDO)


def rules_for(*actions):
    """Rules that match anywhere, one for each action; -1 for an empty place."""
    rules = np.zeros(len(actions), dtype=RULE)
    rules["action"] = actions
    return rules


def judged(rules, met=2, rule_cost=0.01):
    """What a player costs, and the player as it was judged; weights that are not 0 stay."""
    weights, evidence = rules["weight"].copy(), known(met=met, rule_cost=rule_cost)
    found = nothing_judged(evidence, len(rules))
    for number in range(len(rules)):
        weigh(rules, number, evidence, UNDO, found.responses)
    rules["weight"] = np.where(weights != 0, weights, rules["weight"])
    return judge(rules, rule_cost, found), found


def test_the_best_and_the_worst_moves_are_known():
    found = nothing_judged(known(np.array([[0.5, 1.0], [np.nan, -0.25]])), 1)
    assert (found.least.tolist(), found.worst.tolist()) == ([0.5, -0.25], [1.0, -0.25])


def test_a_weight_is_the_mean_regret_where_a_rule_matches():
    rules, responses = rules_for(0, 0, 0), np.zeros((2, 3))
    rules["own"] = [0, 1, 3]
    for number in range(3):
        weigh(rules, number, known(), UNDO, responses)
    assert rules["weight"].tolist() == [-1.0, 0.0, -2.0]
    np.testing.assert_array_equal(responses, [[0.0, 0.0, np.nan], [2.0, np.nan, np.nan]])


def test_what_was_rarely_seen_is_doubted():
    rules, responses = rules_for(0), np.zeros((2, 1))
    weigh(rules, 0, known(doubt=2.0), UNDO, responses)
    assert rules["weight"][0] == -0.5


def test_illegal_actions_do_not_count():
    rules, responses = rules_for(0), np.zeros((2, 1))
    weigh(rules, 0, known(np.array([[0.5, 1.0], [np.nan, 0.0]])), UNDO, responses)
    assert rules["weight"][0] == -0.5
    assert np.isnan(responses[1, 0])


def test_the_worst_of_several_images_is_the_response():
    rules, responses = rules_for(0), np.zeros((2, 1))
    weigh(rules, 0, known(senses=SENSES.repeat(2, axis=1)), np.array([[0, 1], [1, 0]]), responses)
    assert responses[:, 0].tolist() == [1.0, 2.0]
    assert rules["weight"][0] == -0.75


def test_rules_are_ranked_by_priority_and_weight_from_any_order():
    rules = rules_for(*[0] * 6)
    rules["weight"], rules["priority"] = [-1.0, 0.0, -1.0, -0.5, 0.0, -9.0], [0, 0, 0, 0, 0, 1]
    for order in (np.arange(6), np.arange(6)[::-1].copy(), np.array([3, 1, 5, 0, 4, 2])):
        rank(rules, order)
        assert order.tolist() == [5, 1, 4, 3, 0, 2]


def test_a_player_is_judged_by_what_it_would_play():
    rules = rules_for(-1, -1, -1)
    assert judged(rules)[0] == 3.0  # nothing matches: the worst move
    rules["action"][0] = 0
    cost, found = judged(rules)
    assert (cost, found.errors.tolist()) == (2.01, [0.0, 2.0])
    rules["action"][1], rules["weight"] = 1, [-1.0, -1.0, 0.0]  # as heavy: either may fire, and the worse counts
    assert judged(rules)[0] == pytest.approx(3.02)
    rules["weight"] = [-1.0, -0.5, 0.0]
    rules["own"][2], rules["action"][2] = 1, 0
    assert judged(rules)[0] == 0.02
    assert rules["uses"].tolist() == [0, 1, 1]
    assert judged(rules, met=1)[0] == 0.01
    rules["priority"][0] = 1  # before weight
    assert judged(rules)[0] == 2.01


def test_an_error_is_covered_by_a_rule_that_never_errs():
    rules = rules_for(0, -1)
    _, found = judged(rules)
    assert cover(rules, known(), on_board(), found, stream(1)) == 1
    assert rules["action"][1] == 1
    assert rules["weight"][1] == 0.0
    assert np.bitwise_count(rules["own"][1] | rules["empty"][1]) == 1  # one of the two senses is enough
    cost, found = judged(rules)
    assert cost == 0.02
    assert cover(rules, known(), on_board(), found, stream(1)) == -1


def test_nothing_is_covered_without_a_place():
    rules = rules_for(0)
    _, found = judged(rules)
    assert cover(rules, known(), on_board(), found, stream(1)) == -1


def test_doubt_favours_rules_that_match_more_often():
    """In every position the action is better than the mean, a little more so in the first."""
    regrets, asked = np.array([[-0.5, 0.5], [-0.4, 0.4]]), []
    for doubt in (0.0, 1.0):
        rules = rules_for(0)
        rules["own"], rules["empty"] = 1, 2
        generalise(rules[0], known(regrets, doubt=doubt), on_board(), stream(1))
        asked.append(int(rules["own"][0] | rules["empty"][0]))
    assert np.bitwise_count(asked[0]) == 1
    assert asked[1] == 0


def test_what_an_action_needs_stays():
    rules, needs = rules_for(0), np.array([[0, 0, 2], [0, 0, 0]], dtype=np.uint64)
    rules["own"], rules["empty"] = 1, 2
    generalise(rules[0], known(REGRETS * 0), on_board(needs), stream(1))
    assert (rules["own"][0], rules["empty"][0]) == (0, 2)


@pytest.mark.parametrize(("rule_cost", "left"), [(0.01, 2), (1.5, 1), (5.0, 0)])
def test_a_rule_stays_if_it_saves_more_than_it_costs(rule_cost, left):
    """Action 0 in the first position saves 1, action 1 in the second saves 2."""
    rules = rules_for(0, 1, 1)
    rules["own"] = [1, 2, 2]
    rules["weight"] = [-0.1, -0.1, -0.2]
    drop(rules, rule_cost, judged(rules)[1], stream(1))
    assert (rules["action"] >= 0).sum() == left


def test_children_learn_and_others_are_weighed():
    for young, cost, left in ((True, 0.02, 2), (False, 1.01, 4)):
        rules = rules_for(1, 1, 1, 1, -1, -1)
        assert improve(rules, known(), on_board(), seed_key(1), young) == cost
        assert (rules["action"] >= 0).sum() == left
