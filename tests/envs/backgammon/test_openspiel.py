"""OpenSpiel plays the same games: players, chance, legal actions, observations and payoffs are equal."""

import numpy as np
import pytest

from ludarium.envs.backgammon import Backgammon


@pytest.mark.parametrize(
    ("options", "parameters", "games"),
    [
        ({}, "scoring_type=full_scoring", 400),
        ({"variant": "hypergammon"}, "hyper_backgammon=true", 300),
    ],
)
def test_random_games_are_the_same(beside_openspiel, options, parameters, games):
    game, peer = Backgammon(**options), pytest.importorskip("pyspiel").load_game(f"backgammon({parameters})")
    if len(peer.new_initial_state().child(0).child(0).chance_outcomes()) != 36:
        pytest.skip("OpenSpiel before 2.0 numbers rolls and orders of moves differently")
    assert game.actions == peer.num_distinct_actions()
    assert game.observation_shape == tuple(peer.observation_tensor_shape())
    draws, finished = np.random.default_rng(7), 0
    for _ in range(games):
        for ours, theirs in beside_openspiel(game, peer, draws):
            if ours.turn >= 0:
                seat = int(draws.integers(2))
                assert (ours.observe(seat) == theirs.observation_tensor(seat)).all()
        finished += ours.over
        assert ours.over or theirs.move_number() >= 900
        if ours.over and not options:  # OpenSpiel 2.0.2 returns 0 for every game of three checkers
            assert ours.payoffs().tolist() == theirs.returns()
    assert finished >= games * 0.99  # OpenSpiel stops after 500 turns
