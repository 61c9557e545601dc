"""OpenSpiel plays the same games: players, chance, legal actions, observations and payoffs are equal."""

import numpy as np
import pytest

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.kernels import CHANCE, OVER

pyspiel = pytest.importorskip("pyspiel")

_CHANCE, _TERMINAL = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.TERMINAL
_PLAYER = {CHANCE: _CHANCE, OVER: _TERMINAL}


@pytest.mark.parametrize(
    ("options", "parameters", "games"),
    [
        ({}, "scoring_type=full_scoring", 2_000),
        ({"variant": "hypergammon"}, "hyper_backgammon=true", 300),
    ],
)
def test_random_games_are_the_same(options, parameters, games):
    game, peer = Backgammon(**options), pyspiel.load_game(f"backgammon({parameters})")
    if len(peer.new_initial_state().child(0).child(0).chance_outcomes()) != 36:
        pytest.skip("OpenSpiel before 2.0 numbers rolls and orders of moves differently")
    assert game.actions == peer.num_distinct_actions()
    assert game.observation_shape == tuple(peer.observation_tensor_shape())
    rng = np.random.default_rng(7)
    finished = decisions = 0
    for _ in range(games):
        ended, plies = play_both(game, peer, rng)
        finished += ended
        decisions += plies
    assert finished >= games * 0.99  # OpenSpiel stops after 500 turns
    print(f"{games} games, {decisions} decisions, {games - finished} cut off by OpenSpiel")


def play_both(game, peer, rng):
    ours, theirs = game.start(), peer.new_initial_state()
    plies = 0
    while not theirs.is_terminal():
        turn = ours.turn
        assert _PLAYER.get(turn, turn) == theirs.current_player()
        if turn == CHANCE:
            outcomes = theirs.chance_outcomes()
            assert np.allclose(ours.outcomes(), outcomes)
            action = int(rng.integers(len(outcomes)))
        else:
            legal = theirs.legal_actions()
            assert ours.legal_actions() == legal
            seat = plies & 1
            assert (ours.observe(seat) == theirs.observation_tensor(seat)).all()
            action = legal[int(rng.integers(len(legal)))]
            plies += 1
        ours.push(action)
        theirs.apply_action(action)
    if theirs.move_number() < 900:
        assert ours.over
    if (
        ours.over and game.options["variant"] == "standard"
    ):  # OpenSpiel 2.0.2 returns 0 for every game of three checkers
        assert ours.payoffs().tolist() == theirs.returns()
    return ours.over, plies
