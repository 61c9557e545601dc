"""OpenSpiel plays the same games: players, legal actions, observations and payoffs are equal."""

import numpy as np
import pytest

from ludarium.envs.othello import Othello


def test_random_games_are_the_same(beside_openspiel):
    game, peer = Othello(), pytest.importorskip("pyspiel").load_game("othello")
    assert (game.actions, game.max_moves) == (peer.num_distinct_actions(), peer.max_game_length())
    draws, passes = np.random.default_rng(11), 0
    for number in range(2_000):
        for position, state in beside_openspiel(game, peer, draws):
            passes += position.legal_actions() == [64]
            for seat in range(2) if number < 200 or position.over else ():
                planes = np.array(state.observation_tensor(seat)).reshape(3, 8, 8)  # empty, own, the other side's
                assert (position.observe(seat) == planes[1:].transpose(1, 2, 0)).all()
        assert position.over
        assert position.payoffs().tolist() == state.returns()
    assert passes > 500
