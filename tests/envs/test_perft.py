"""Perft counts leaves for any game without chance."""

import pytest

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.othello import Othello
from ludarium.envs.perft import perft
from ludarium.envs.tictactoe import TicTacToe


def test_tictactoe_to_the_end():
    """The positions after n plies, and 1,440, 5,328, 47,952 and 72,576 games that were over after 5, 6, 7 and 8."""
    start = TicTacToe().start()
    assert [perft(start, depth) for depth in range(6)] == [1, 9, 72, 504, 3_024, 15_120]
    assert perft(start, 6) == 54_720 + 1_440
    assert perft(start, 7) == 148_176 + 1_440 + 5_328
    assert perft(start, 8) == 200_448 + 1_440 + 5_328 + 47_952
    assert perft(start, 9) == perft(start, 12) == 127_872 + 1_440 + 5_328 + 47_952 + 72_576


def test_a_finished_game_is_one_leaf():
    over = Othello(size=4).from_text("XXXXXXXXXXXXXXXX O")
    assert perft(over, 0) == perft(over, 5) == 1


def test_errors():
    with pytest.raises(ValueError, match="perft: the depth must be at least 0, not -1"):
        perft(Othello().start(), -1)
    with pytest.raises(ValueError, match="backgammon: perft counts moves; this game has chance"):
        perft(Backgammon().start(), 1)
