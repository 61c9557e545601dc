"""Random games beside OpenSpiel's Hanabi, which wraps the Hanabi Learning Environment: everything must be equal."""

import numpy as np
import pytest

from ludarium.envs.hanabi import Hanabi

NAMES = {"seats": "players", "information_tokens": "max_information_tokens", "life_tokens": "max_life_tokens"}
SIZES = ("seats", "colors", "ranks", "hand_size", "information_tokens", "life_tokens")
HINTS = [0.0] * 8 + [0.8, 0.95]  # how often only hints are drawn from


@pytest.mark.parametrize(
    ("options", "games"),
    [
        *[({"seats": n, "observation": o}, 170) for n in range(2, 6) for o in ("minimal", "card_knowledge", "seer")],
        ({"seats": 2, "preset": "small"}, 60),
        ({"seats": 3, "preset": "very-small"}, 60),
        ({"seats": 5, "preset": "very-small"}, 60),  # no card left after the deal
        ({"seats": 4, "hand_size": 5}, 60),
        ({"seats": 3, "colors": 3, "ranks": 4, "hand_size": 3, "information_tokens": 5, "life_tokens": 4}, 60),
        ({"seats": 2, "colors": 4, "ranks": 1, "hand_size": 4, "information_tokens": 1, "life_tokens": 1}, 60),
        ({"seats": 2, "colors": 5, "ranks": 2, "hand_size": 1}, 60),
    ],
    ids=str,
)
def test_random_games_are_the_same(beside_openspiel, options, games):
    game, draws = Hanabi(**options), np.random.default_rng(options["seats"])
    sizes = {NAMES.get(name, name): game.options[name] for name in SIZES}
    peer = pytest.importorskip("pyspiel").load_game("hanabi", sizes | {"observation_type": game.options["observation"]})
    assert peer.num_distinct_actions() == game.actions
    assert peer.max_chance_outcomes() == game.max_outcomes
    assert peer.observation_tensor_size() == game.observation_size

    def among(actions):
        hints = [action for action in actions if action >= 2 * game.options["hand_size"]]
        return hints if hints and draws.random() < share else actions

    longest = 0
    for number in range(games):
        share = HINTS[number % len(HINTS)]
        for ours, theirs in beside_openspiel(game, peer, draws, among):
            dealt = ours.turn >= 0 or ours.record.last_kind >= 0  # before, there is nothing to look at
            for seat in range(game.seats) if ours.over or (dealt and draws.random() < 0.35) else ():
                np.testing.assert_array_equal(ours.observe(seat), np.array(theirs.observation_tensor(seat), np.int8))
        assert ours.over
        assert ours.payoffs().tolist() == theirs.returns()
        longest = max(longest, ours.record.moves)
    assert longest <= game.max_moves
    assert longest > 30 or games < 170
