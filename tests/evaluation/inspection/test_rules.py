"""Rules in the order in which they fire: how often they do, and what they mean."""

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.genetic.gaia.inspection import fired_rules, seen_meaning
from ludarium.agents.learning.inspection import position_of
from ludarium.evaluation.inspection.games import decisions_against_random, watch
from ludarium.evaluation.inspection.runs import find_run


def inspected(folder, games=40, seed=0, member=0):
    run, _ = find_run(str(folder))
    return run.inspect(member, watch(run.game, games, seed, 1))


def by_place(inspection):
    """What JSON says of each rule, by its place in the player's list."""
    return {one.data["place"]: one.data for one in inspection.entries}


def test_each_tactical_rule_is_known_for_what_it_is(tactical_run):
    inspection = inspected(tactical_run)
    assert inspection.data["tactical_share"] == 1
    assert inspection.data["entries"] == len(inspection.entries) == 48
    rules = by_place(inspection)
    assert [rules[place]["does"] for place in range(48)] == ["wins"] * 24 + ["blocks"] * 24
    texts = {rule["meaning"] for rule in rules.values()}
    assert len(texts) == 16
    assert {"wins: completes the row a1 b1 c1", "blocks the diagonal c1 b2 a3"} < texts
    assert 0 < inspection.data["rule_moves"] < inspection.data["moves"]


def test_rules_come_in_the_order_in_which_they_fire(write_rules):
    """By priority, then by weight; equal ones as they are in the list, and empty places are left out."""
    folder = write_rules(
        "tictactoe", ("V********", 0, 5.0), ("*V*******", 1, 1.0, 3), ("********V", -1), ("**V******", 2, 2.0, 3),
        ("***V*****", 3, 5.0),
    )  # fmt: skip
    inspection = inspected(folder)
    assert [one.data["place"] for one in inspection.entries] == [3, 1, 0, 4]
    assert inspection.order == "in the order in which they fire"
    counts = [one.used for one in inspection.entries]
    assert sum(counts) == inspection.data["rule_moves"]
    assert all((one.positions > 0) == (one.used > 0) and one.positions <= one.used for one in inspection.entries)
    assert counts[0] == max(counts) > 20


@pytest.mark.parametrize("symmetry", [False, True])
def test_the_rule_that_fired_is_one_that_could(write_rules, symmetry):
    """Also where several are drawn from, and in several images; where none could, none did."""
    folder = write_rules(
        "tictactoe", ("V********", 0), ("**V******", 2), ("V********", 0), ("P***V****", 4, 1.0), symmetry=symmetry
    )
    run, _ = find_run(str(folder))
    game, agent = run.game, make_agent(run.spec(0), run.game)
    watched = decisions_against_random(game, agent.policy, 60, 5)
    fired = fired_rules(game, agent.board, agent.rules, watched)
    for state, action, rule in zip(watched.states, watched.actions, fired, strict=True):
        position = position_of(game, state)
        candidates = agent._fired(position.observe(position.turn), position.action_mask())
        assert (rule == -1) == (len(candidates) == 0)
        assert rule == -1 or (rule, action) in set(map(tuple, candidates.tolist()))
    assert {0, 2, 3, -1} <= set(fired.tolist())


def test_elsewhere_a_rule_does_what_it_did_wherever_it_fired(write_rules):
    """In hexapawn: a pawn's last step wins; a step that sometimes wins and sometimes does not is neither."""
    last_step, first_step, hopeless = 4 * 3 + 1, 0 * 3 + 1, 0 * 3 + 2
    folder = write_rules(
        "hexapawn", ("****P**V*", last_step, 2.0), ("P**V*****", first_step, 1.0), ("VVVVVV***", hopeless, -1.0)
    )
    rules = by_place(inspected(folder, 100))
    default = "default: asks for nothing but what its move needs"
    always = f"wins in all {rules[0]['positions']} positions; {default}"
    told = [(rules[place]["does"], rules[place]["meaning"]) for place in range(3)]
    assert told == [("wins", always), ("", default), ("", "")]
    assert rules[1]["positions"] > 1
    assert rules[2]["fired"] == rules[2]["positions"] == 0


@pytest.mark.parametrize(
    ("did", "positions", "meaning"),
    [
        ([1, 1], 2, (1, ["wins in all 2 positions"])),
        ([1], 1, (1, ["wins in its only position"])),
        ([2, 2], 1, (2, ["blocks in its only position"])),
        ([3, 3], 2, (3, ["makes a fork in all 2 positions"])),
        ([1, 0], 2, (0, [])),
        ([2, 1], 2, (0, [])),
        ([0, 0], 2, (0, [])),
        ([], 0, (0, [])),
    ],
)
def test_only_what_all_moves_did_counts(did, positions, meaning):
    assert seen_meaning(np.array(did, dtype=np.int64), positions) == meaning


def test_a_rule_that_blocks_wherever_it_fired(write_rules):
    """In hexapawn from the second seat: the pawn that came through in the middle is taken."""
    taking = 0 * 3 + 2  # a1xb2, as the mover sees it
    folder = write_rules("hexapawn", ("PPP*C****", taking, 1.0))
    (one,) = inspected(folder, 200).entries
    assert one.used > 10
    assert one.data["does"] == "blocks"
    assert one.facts[0] in (f"blocks in all {one.positions} positions", "blocks in its only position")


def test_it_is_a_function_of_the_seed(tactical_run):
    def counts(seed):
        return [(one.data["place"], one.used) for one in inspected(tactical_run, seed=seed).entries]

    assert counts(1) == counts(1) != counts(2)
    empty = inspected(tactical_run, 4, member=1)  # empty places are no rules
    assert empty.entries == []
    assert empty.data["rule_moves"] == empty.data["tactical_share"] == 0
    assert np.isfinite(empty.data["moves"])


@pytest.mark.parametrize(
    ("options", "weight"),
    [
        ({}, "the wins minus losses of the moves it made"),
        ({"average": True}, "the mean result of the moves it made"),
        ({"preset": "modern", "memory": 64}, "minus the mean regret of the moves it makes; 0 means that it never errs"),
        ({"preset": "alone", "tests": 20}, "0, since no rule has credit of its own"),
    ],
)
def test_what_a_weight_is_depends_on_the_learner(write_rules, options, weight):
    assert f"a rule's weight is {weight}" in inspected(write_rules("tictactoe", ("V********", 0), **options), 2).head
