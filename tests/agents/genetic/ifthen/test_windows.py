"""Windows of a board, which pairs can be about."""

import numpy as np
import pytest

from ludarium.agents.genetic.ifthen.windows import board_windows, look, window_key
from ludarium.envs.chance import mix
from ludarium.envs.kernels import OVER
from ludarium.envs.registry import make_game


def seen(game, position, seat):
    """What is on each square, as a seat sees it."""
    squares = game.observation_size // 2
    contents = np.zeros(squares, dtype=np.int64)
    look(game.table, position.data, seat, np.zeros(2 * squares, dtype=np.int8), contents)
    return contents


def test_the_windows_of_a_small_board():
    windows = board_windows(make_game("tictactoe"), 3, False)
    lines = {tuple(sorted(row[row >= 0])) for row in windows.squares}
    assert lines == {
        (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
        (1, 5), (3, 7), (1, 3), (5, 7),
    }  # fmt: skip
    assert len(set(windows.kinds)) == len(windows.kinds) == 12
    assert not windows.own_images.any()


def test_mirror_images_are_of_one_kind():
    windows = board_windows(make_game("tictactoe"), 3, True)
    assert sorted(np.bincount(windows.kinds.astype(int))[1:]) == [2, 2, 4, 4]  # diagonals, middles, edges, corners cut
    assert windows.own_images.all()


def test_lines_longer_than_a_window_hold_several():
    game = make_game("othello?size=6")
    squares = board_windows(game, 4, False).squares
    assert len(squares) == 2 * 6 * 3 + 2 * (9 + 2 * 2)  # straight lines; diagonals of 4 to 6, and shorter ones whole
    assert (squares[:, :2] >= 0).all()
    steps = np.diff(squares[(squares >= 0).all(axis=1)], axis=1)
    assert (steps == steps[:, :1]).all()
    assert set(abs(steps[:, 0])) == {1, 5, 6, 7}
    assert [len(array) for array in board_windows(game, 0, True)[:3]] == [0, 0, 0]


def test_mirror_images_of_a_position_hold_the_same_windows(connect_four):
    for game in (make_game("othello?size=6"), connect_four):
        windows, rows = board_windows(game, 4, True), game.images
        positions, draws = [game.start() for _ in rows], np.random.default_rng(1)
        while positions[0].turn != OVER:
            action = draws.choice(positions[0].legal_actions())
            keys = []
            for position, row in zip(positions, rows, strict=True):
                position.play(int(row[action]))
                contents = seen(game, position, 0)
                keys.append(sorted(int(window_key(windows, n, contents)) for n in range(len(windows.kinds))))
            assert all(key == keys[0] for key in keys)
            assert 0 not in keys[0]


def test_a_square_is_empty_or_one_s_own_or_the_opponent_s():
    game = make_game("tictactoe")
    position = game.start()
    for action in (4, 0, 8):
        position.play(action)
    assert seen(game, position, 0).tolist() == [2, 0, 0, 0, 1, 0, 0, 0, 1]
    assert seen(game, position, 1).tolist() == [1, 0, 0, 0, 2, 0, 0, 0, 2]


@pytest.mark.parametrize(
    ("symmetry", "squares", "digits"),
    [(False, {0, 1, 2}, "120"), (True, {0, 1, 2}, "021"), (False, {1, 5}, "21"), (True, {1, 5}, "12")],
)
def test_a_key_is_the_hash_of_the_kind_and_of_the_contents_in_base_three(symmetry, squares, digits):
    """The files of players hold such keys. What is its own mirror image is read in the way that gives less."""
    windows = board_windows(make_game("tictactoe"), 3, symmetry)
    number = [set(row[row >= 0].tolist()) for row in windows.squares].index(squares)
    key = window_key(windows, number, np.array([1, 2, 0, 0, 0, 1, 0, 0, 0]))
    assert key == mix(np.uint64((int(windows.kinds[number]) << 32) + int(digits, 3)))
