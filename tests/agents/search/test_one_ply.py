"""One ply with an evaluation that has parameters."""

import numpy as np
import pytest

from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import stream
from ludarium.envs.tictactoe import TicTacToe


def by_squares(s, seat, weights):
    """The sum of the weights of a seat's squares."""
    own, total = s.own if seat == s.seat else s.opponent, 0.0
    for square in range(9):
        total += weights[square] * ((own >> np.uint64(square)) & np.uint64(1))
    return total


def choice(weights):
    game = TicTacToe()
    position = game.start()
    policy = one_ply(game, Evaluation(by_squares, np.asarray(weights, dtype=np.float64)))
    return policy.choose(game, position.data, position.action_mask(), position.action_mask(), stream(1))


@pytest.mark.parametrize("square", range(9))
def test_the_weights_decide(square):
    assert choice([1.0 if number == square else 0.0 for number in range(9)]) == square


def test_weights_and_arguments_must_fit():
    game = TicTacToe()
    with pytest.raises(TypeError, match=r"tictactoe: the evaluation takes 3 arguments .* and has no weights"):
        one_ply(game, Evaluation(by_squares))
    with pytest.raises(TypeError, match=r"tictactoe: the evaluation takes 2 arguments .* and has 1 weights"):
        one_ply(game, Evaluation(lambda s, seat: 0.0, np.ones(1)))
