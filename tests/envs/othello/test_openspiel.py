"""OpenSpiel plays the same games: players, legal actions, observations and payoffs are equal."""

import numpy as np
import pytest

from ludarium.envs.kernels import OVER
from ludarium.envs.othello import Othello

pyspiel = pytest.importorskip("pyspiel")


def test_random_games_are_the_same():
    game, peer = Othello(), pyspiel.load_game("othello")
    assert (game.actions, game.max_moves) == (peer.num_distinct_actions(), peer.max_game_length())
    rng = np.random.default_rng(11)
    passes = 0
    for number in range(2_000):
        position, state = game.start(), peer.new_initial_state()
        while position.turn != OVER:
            legal = position.legal_actions()
            assert position.turn == state.current_player()
            assert legal == state.legal_actions()
            if number < 200:
                same_observations(position, state)
            action = int(rng.choice(legal))
            passes += action == 64
            position.play(action)
            state.apply_action(action)
        assert state.is_terminal()
        assert position.payoffs().tolist() == state.returns()
        same_observations(position, state)
    assert passes > 500


def same_observations(position, state):
    """OpenSpiel's planes are: empty, own, the other side's."""
    for seat in (0, 1):
        planes = np.array(state.observation_tensor(seat)).reshape(3, 8, 8)
        assert (position.observe(seat) == planes[1:].transpose(1, 2, 0)).all()
