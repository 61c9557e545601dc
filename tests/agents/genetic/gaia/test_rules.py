"""Rules: the pattern language, which rule fires, and the agent that says so."""

import numpy as np
import pytest

from ludarium.agents.conformance import check_agent
from ludarium.agents.genetic.board import board, see
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent, rule_policy
from ludarium.agents.genetic.gaia.rules import (
    RULE,
    Generator,
    diversity,
    fire,
    in_places,
    matches,
    no_rules,
    random_rule,
    same,
)
from ludarium.agents.genetic.gaia.tactical_rules import tactical_share
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure


def seen(game, moves, symmetry=False):
    """A position as rules see it."""
    position = game.start()
    for move in moves:
        position.play(move)
    squares = board(game, symmetry).squares
    senses = np.zeros((len(squares), 3), dtype=np.uint64)
    see(position.observe(position.turn).reshape(-1), squares, senses)
    return senses, position.action_mask()


@pytest.mark.parametrize(
    ("senses", "expected"),
    [
        ("*********", True),
        ("P***C****", True),
        ("P***CVVVV", True),
        ("C***P****", False),
        ("P***V****", False),
        ("PP**C****", False),
        ("V********", False),
    ],
)
def test_a_rule_matches_where_all_its_senses_hold(game, senses, expected, rules):
    view, _ = seen(game, [0, 4])
    assert matches(rules((senses, 8))[0], view, 0) == expected


def test_an_empty_place_never_matches(game, rules):
    assert not matches(rules(("*********", -1))[0], seen(game, [])[0], 0)


@pytest.fixture
def chosen(game, rules):
    def chosen(written, moves=(), symmetry=False):
        """All that is fired in a position over many draws."""
        view, mask = seen(game, moves, symmetry)
        undo, draws = board(game, symmetry).undo, stream(1)
        return {tuple(map(int, fire(rules(*written), view, undo, mask, draws))) for _ in range(60)}

    return chosen


def test_the_four_steps_of_the_choice(chosen):
    anything = "*********"
    assert chosen([("P********", 1)]) == {(-1, -1)}
    assert chosen([("P********", 1), (anything, 2)]) == {(1, 2)}
    assert chosen([(anything, 1, 9.0, 0), (anything, 2, -9.0, 3), (anything, 3, 5.0, 2)]) == {(1, 2)}
    assert chosen([(anything, 1, 1.0, 3), (anything, 2, 2.0, 3), (anything, 3, 9.0, 0)]) == {(1, 2)}
    assert chosen([(anything, 1, 2.0, 3), (anything, 2, 2.0, 3), (anything, 3, 1.0, 3)]) == {(0, 1), (1, 2)}


def test_a_rule_with_an_illegal_action_does_not_apply(chosen):
    assert chosen([("*********", 4, 9.0, 3), ("*********", 5)], moves=[4]) == {(1, 5)}


def test_with_symmetry_a_rule_stands_for_all_its_images(chosen):
    corner = ("V********", 0)
    assert chosen([corner]) == {(0, 0)}
    assert chosen([corner], symmetry=True) == {(0, 0), (0, 2), (0, 6), (0, 8)}
    assert chosen([("P********", 8)], moves=[2, 4], symmetry=True) == {(0, 6)}


def test_random_rules_are_valid_and_of_the_shares_that_were_asked_for(game):
    known, draws = board(game, False), stream(5)
    made = np.zeros(2000, dtype=RULE)
    for one in made:
        random_rule(one, Generator.of(known, 0.25, 4), draws)
    cell = np.uint64(1) << made["action"].astype(np.uint64)
    assert (made["empty"] & cell == cell).all()
    assert ((made["own"] | made["opponent"]) & cell == 0).all()
    assert (made["own"] & made["opponent"] | made["own"] & made["empty"] | made["opponent"] & made["empty"] == 0).all()
    for sense, share in (("own", 2 / 9), ("opponent", 2 / 9)):
        assert abs(np.bitwise_count(made[sense]).mean() / 9 - share) < 0.01
    assert set(made["priority"]) == {0, 1, 2, 3}


def test_rigged_rules_are_two_alike_and_the_hole(game):
    known, made, draws = board(game, False), np.zeros(100, dtype=RULE), stream(5)
    for one in made:
        random_rule(one, Generator.of(known, 0.25, 4, 1.0), draws)
    counts = np.bitwise_count(np.stack([made["own"], made["opponent"], made["empty"]], axis=1))
    assert {tuple(row) for row in counts.tolist()} == {(2, 0, 1), (0, 2, 1)}


@pytest.mark.parametrize("rigged", [0.0, 1.0])
def test_what_an_action_needs_leaves_no_room_for_another_sense(rigged):
    """A pawn's step needs an own and an empty square, a capture an own and the opponent's."""
    seen_board, draws = board(make_game("hexapawn"), False), stream(5)
    made = np.zeros(300, dtype=RULE)
    for one in made:
        random_rule(one, Generator.of(seen_board, 0.25, 1, rigged), draws)
    senses, needs = np.stack([made[name] for name in ("own", "opponent", "empty")], axis=1), seen_board.needs
    needed = needs[made["action"]]
    assert (needed[:, 0] != 0).all()
    assert (senses & needed == needed).all()
    asked = np.bitwise_count(senses).sum(axis=1)
    assert (asked == np.bitwise_count(np.bitwise_or.reduce(senses, axis=1))).all()
    assert not rigged or (asked == np.bitwise_count(needed).sum(axis=1) + 2).all()


def test_rigging_gives_up_where_an_action_needs_the_whole_board():
    made, all_own = np.zeros(1, dtype=RULE), np.array([[~np.uint64(0), 0, 0]], dtype=np.uint64)
    random_rule(made[0], Generator(all_own, np.array([0]), 64, 0.25, 4, 1.0), stream(5))
    assert made["own"][0] == ~np.uint64(0)


def test_the_agent_says_its_chances_as_the_policy_plays(game, rules):
    written = rules(("V********", 0, 1.0), ("****V****", 4, 1.0), ("P********", 8, 5.0))
    agent = RuleAgent("rules", game, rule_policy(game, board(game, True), written))
    np.testing.assert_array_equal(agent.rules, written)
    np.testing.assert_array_equal(agent.board.squares, board(game, True).squares)
    check_agent(agent, game)
    position = game.start()
    shown = (position.observe(0), position.action_mask(), {"game": game})
    np.testing.assert_allclose(
        agent.distribution(*shown), [0.125, 0, 0.125, 0, 0.5, 0, 0.125, 0, 0.125]
    )  # 8 images each
    agent.reset(0, 7)
    counts = np.bincount([agent(*shown) for _ in range(500)], minlength=9)
    assert (counts[[1, 3, 5, 7]] == 0).all()
    assert abs(counts[4] - 250) < 45
    assert (abs(counts[[0, 2, 6, 8]] - 62.5) < 30).all()
    for move in (0, 4):
        position.play(move)
    shown = (position.observe(0), position.action_mask(), {"game": game})
    np.testing.assert_array_equal(agent.distribution(*shown), [0, 0, 0, 0, 0, 0, 0, 0, 1])


def test_without_a_matching_rule_all_moves_are_as_likely(game, rules):
    agent = RuleAgent("rules", game, rule_policy(game, board(game, False), rules(("P********", 1))))
    assert measure(game, agent).method == "exact"
    position = game.start()
    shown = (position.observe(0), position.action_mask(), {"game": game})
    np.testing.assert_allclose(agent.distribution(*shown), np.full(9, 1 / 9))


def test_the_share_of_tactical_rules(game, rules):
    some = rules(("PPV******", 2), ("CC*CCVCCC", 5), ("*V*C****C", 1), ("***CCV***", 5), ("***CCV***", -1))
    assert tactical_share(game, board(game, False), some) == 2 / 48
    assert tactical_share(game, board(game, True), some) == (8 + 4) / 48
    with pytest.raises(ValueError, match="tactical rules are known for tictactoe only"):
        tactical_share(make_game("hexapawn"), board(make_game("hexapawn"), False), some)


def test_lists_are_kept_in_order(rules):
    kept = in_places(rules(("*********", 3), ("*********", 4)), 5)
    assert kept["action"].tolist() == [3, 4, -1, -1, -1]
    assert (np.diff(kept["priority"]) < 0).all()


def test_rules_are_the_same_if_they_ask_and_do_the_same(rules):
    one, heavier = rules(("PCV******", 3), ("PCV******", 3, 5.0, 2))
    assert same(one, heavier)
    for other in rules(("*CV******", 3), ("P*V******", 3), ("PC*******", 3), ("PCV******", 4)):
        assert not same(one, other)


def test_diversity_is_the_share_of_different_rules(rules):
    some = rules(("P********", 3), ("P********", 3, 5.0, 2), ("P********", 4), ("C********", 3))
    assert diversity(some) == 0.75
    assert diversity(no_rules(2, 3)) == 1 / 6
