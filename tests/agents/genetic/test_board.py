"""The board as evolving players see it."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.genetic.board import board, check_board, see
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game


@pytest.mark.parametrize("spec", ["tictactoe", "hexapawn", "othello?size=4", "tictactoe?rows=3&columns=5"])
def test_images_of_the_board_are_those_of_the_game(spec, random_positions):
    """Playing a game's image leads to the image of its position, square by square."""
    game = make_game(spec)
    squares = board(game, True).squares
    assert len(squares) == len(game.images) == len(np.unique(game.symmetries, axis=0)) > 1
    for mirror, image in zip(game.images, squares, strict=True):
        draws = stream(3)
        original, other = game.start(), game.start()
        for _ in range(4):
            cells = original.observe(original.turn).reshape(-1, 2)
            np.testing.assert_array_equal(other.observe(other.turn).reshape(-1, 2)[image], cells)
            actions = original.legal_actions()
            action = actions[int(draws[1]) % len(actions)]
            draws[1] += 1
            original.play(action)
            other.play(int(mirror[action]))


def test_what_actions_need_is_what_is_always_so(connect_four):
    game = make_game("tictactoe")
    expected = np.zeros((9, 3), dtype=np.uint64)
    expected[:, 2] = 1 << np.arange(9)
    np.testing.assert_array_equal(board(game, False).needs, expected)
    np.testing.assert_array_equal(board(connect_four, False).needs[:, 2], 1 << np.arange(7))  # the top row
    hexapawn = make_game("hexapawn")
    move = hexapawn.start().legal_actions()[0]
    own, opponent, empty = board(hexapawn, False).needs[move]
    assert (own, opponent, empty) == (1, 0, 8)


def test_the_games_to_look_at_end_after_the_most_moves_that_a_game_may_have():
    """With two moves, only the actions of the first two turns are ever legal."""
    game = make_game("hexapawn")
    game.max_moves = 2
    first, legal = game.start(), set(game.start().legal_actions())
    for action in first.legal_actions():
        second = first.copy()
        second.play(action)
        legal.update(second.legal_actions())
    assert board.__wrapped__(game, False).playable.tolist() == sorted(legal)


def test_squares_are_seen_as_one_s_own_the_opponent_s_and_empty_ones():
    seen, images = np.zeros((2, 3), dtype=np.uint64), np.array([[0, 1, 2, 3], [3, 2, 1, 0]])
    see(np.array([1, 0, 0, 1, 0, 0, 1, 0], dtype=np.int8), images, seen)
    assert seen.tolist() == [[0b1001, 0b0010, 0b0100], [0b1001, 0b0100, 0b0010]]


@pytest.mark.parametrize("spec", ["backgammon", "hanabi"])
def test_boards_that_rules_cannot_see(spec):
    message = "for rules the observation must be a board of at most 64 squares: two planes of 0 and 1"
    with pytest.raises(ValueError, match=message):
        board(make_game(spec), False)


@pytest.mark.parametrize("shape", [(5, 13, 2), (8, 8, 1), (8, 8, 3), (64, 2), (1, 8, 8, 2)])
def test_a_board_has_two_planes_and_at_most_64_squares(shape):
    """A set of squares is a number of 64 bits."""
    game = SimpleNamespace(spec="go", observation_shape=(8, 8, 2), observation_range=(0, 1))
    check_board(game, "rules", "play")
    for change in ({"observation_shape": shape}, {"observation_range": (-1, 1)}):
        other = SimpleNamespace(**{**vars(game), **change})
        message = (
            "go: for windows the observation must be a board of at most 64 squares: two planes of 0 and 1, of shape "
            f"(rows, columns, 2); it has the shape {other.observation_shape} and the range {other.observation_range}; "
            "give windows=0"
        )
        with pytest.raises(ValueError, match=re.escape(message)):
            check_board(other, "windows", "give windows=0")
