"""Rules in print: their order, and how they stand on the actual board."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import board, see
from ludarium.agents.genetic.gaia.rule_text import (
    firing_order,
    in_image,
    is_default,
    move_text,
    rule_board,
    rule_text,
    senses_text,
)
from ludarium.agents.genetic.gaia.rules import RULE, matches
from ludarium.envs.registry import make_game


def test_rules_in_print(rules):
    game = make_game("tictactoe")
    seen = board(game, False)
    assert rule_text(game, seen, rules(("PPVC*****", 2))[0]) == (
        "   a  b  c\n1  P  P [V]\n2  C  *  *\n3  *  *  *\nplay c1"
    )


@pytest.mark.parametrize(
    ("seat", "printed", "move"),
    [
        (0, "   a  b  c\n3  *  *  *\n2  * [V] C\n1  * [P] *", "b1b2"),
        (1, "   a  b  c\n3  * [P] *\n2  * [V] C\n1  *  *  *", "b3b2"),
    ],
)
def test_a_rule_is_printed_as_the_game_prints_its_board(seat, printed, move, rules):
    game = make_game("hexapawn")
    assert rule_board(game, board(game, False), rules(("*P**VC***", 4))[0], seat) == printed
    assert move_text(game, 4, seat) == move


def test_a_board_without_names_is_printed_as_it_is_seen(connect_four_class, rules):
    game = connect_four_class()
    seen = board(game, False)
    printed = rule_board(game, seen, rules(("P" + "*" * 40 + "C", 3))[0]).splitlines()
    assert (len(printed), printed[0][:3], printed[-1][-3:]) == (6, " P ", "  C")


def test_the_first_to_fire_comes_first(rules):
    made = rules(*[("V", 0, *one) for one in ((1.0, 0), (-5.0, 2), (3.0, 0), (-4.0, 2), (3.0, 0))])
    made["action"][3] = -1
    assert firing_order(made).tolist() == [1, 2, 4, 0]


@pytest.mark.parametrize("spec", ["tictactoe", "tictactoe?rows=3&columns=4", "hexapawn", "othello?size=4"])
def test_a_rule_in_an_image_matches_on_the_board_itself(spec):
    """Its senses are those of the position, and its action is the one that is played there."""
    game = make_game(spec)
    seen_board, seen = board(game, True), None
    position = game.start()
    for _ in range(3):
        position.play(position.legal_actions()[0])
    seen = np.zeros((len(seen_board.undo), 3), dtype=np.uint64)
    see(position.observe(position.turn).reshape(-1), seen_board.squares, seen)
    for image in range(len(seen_board.undo)):
        asked = np.array((*seen[image], 0.0, 0, 1, 0), dtype=RULE)[()]
        assert matches(asked, seen, image)
        there = in_image(seen_board, asked, image)
        assert matches(there, seen, 0)
        assert there["action"] == seen_board.undo[image, 1]
        assert senses_text(seen_board, asked).count("P") == senses_text(seen_board, there).count("P")
    assert asked["action"] == 1


@pytest.mark.parametrize(
    ("spec", "senses", "action", "default"),
    [
        ("tictactoe", "*********", 4, True),
        ("tictactoe", "****V****", 4, True),
        ("tictactoe", "V***V****", 4, False),
        ("tictactoe", "C********", 4, False),
        ("hexapawn", "*P**V****", 4, True),
        ("hexapawn", "*PP*V****", 4, False),
    ],
)
def test_a_default_asks_for_nothing_but_what_its_move_needs(spec, senses, action, default, rules):
    assert is_default(board(make_game(spec), False), rules((senses, action))[0]) == default
