"""Random games beside OpenSpiel's Hanabi, which wraps the Hanabi Learning Environment: everything must be equal."""

from typing import Any

import numpy as np
import pytest

from ludarium.envs.hanabi import Hanabi
from ludarium.envs.kernels import CHANCE, OVER

pyspiel = pytest.importorskip("pyspiel")

GAMES = 170  # of each of the twelve kinds
STYLES = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.95]  # how often only hints are drawn from


def compare(theirs, ours, seats: list[int]) -> None:
    if theirs.is_terminal():
        assert ours.turn == OVER
        assert ours.legal_actions() == []
    elif theirs.is_chance_node():
        assert ours.turn == CHANCE
        expected = theirs.chance_outcomes()
        assert [outcome for outcome, _ in ours.outcomes()] == [outcome for outcome, _ in expected]
        assert np.allclose(ours.outcomes(), expected)
    else:
        assert ours.turn == theirs.current_player()
        assert ours.legal_actions() == theirs.legal_actions()
    assert ours.payoffs().tolist() == theirs.returns()
    for seat in seats:
        expected = np.array(theirs.observation_tensor(seat), dtype=np.int8)
        np.testing.assert_array_equal(ours.observe(seat), expected)


def play(spiel, game: Hanabi, generator: np.random.Generator, hints: float) -> int:
    theirs, ours = spiel.new_initial_state(), game.start()
    decisions = 0
    while True:
        dealt = not theirs.is_chance_node() or decisions > 0  # before the deal there is nothing to look at
        look = dealt and (theirs.is_terminal() or generator.random() < 0.35)
        compare(theirs, ours, list(range(game.seats)) if look else [])
        if theirs.is_terminal():
            return decisions
        if theirs.is_chance_node():
            outcomes, chances = zip(*theirs.chance_outcomes(), strict=True)
            action = outcomes[np.searchsorted(np.cumsum(chances), generator.random(), side="right") % len(outcomes)]
        else:
            actions = theirs.legal_actions()
            if generator.random() < hints:
                actions = [action for action in actions if action >= 2 * game.options["hand_size"]] or actions
            action = actions[generator.integers(len(actions))]
            decisions += 1
        theirs.apply_action(action)
        ours.play(action)


@pytest.mark.parametrize("observation", ["minimal", "card_knowledge", "seer"])
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_random_games_are_the_same(seats: int, observation: str) -> None:
    spiel = pyspiel.load_game("hanabi", {"players": seats, "observation_type": observation})
    game = Hanabi(seats=seats, observation=observation)
    assert spiel.num_distinct_actions() == game.actions
    assert spiel.max_chance_outcomes() == game.max_outcomes
    assert spiel.observation_tensor_size() == game.observation_size
    generator = np.random.default_rng(seats)
    longest = max(play(spiel, game, generator, STYLES[number % len(STYLES)]) for number in range(GAMES))
    assert 30 < longest <= game.max_moves


SMALL = [
    {"seats": 2, "preset": "small"},
    {"seats": 3, "preset": "very-small"},
    {"seats": 5, "preset": "very-small"},  # no card left after the deal
    {"seats": 4, "hand_size": 5},
    {"seats": 3, "colors": 3, "ranks": 4, "hand_size": 3, "information_tokens": 5, "life_tokens": 4},
    {"seats": 2, "colors": 4, "ranks": 1, "hand_size": 4, "information_tokens": 1, "life_tokens": 1},
    {"seats": 2, "colors": 5, "ranks": 2, "hand_size": 1},
]


@pytest.mark.parametrize("options", SMALL, ids=lambda options: ",".join(f"{k}={v}" for k, v in options.items()))
def test_other_sizes_are_the_same(options: dict[str, Any]) -> None:
    game = Hanabi(**options)
    names = {"seats": "players", "information_tokens": "max_information_tokens", "life_tokens": "max_life_tokens"}
    sizes = ("seats", "colors", "ranks", "hand_size", "information_tokens", "life_tokens")
    spiel = pyspiel.load_game("hanabi", {names.get(name, name): game.options[name] for name in sizes})
    assert spiel.num_distinct_actions() == game.actions
    assert spiel.observation_tensor_size() == game.observation_size
    generator = np.random.default_rng(1)
    for number in range(60):
        assert play(spiel, game, generator, STYLES[-number % len(STYLES)]) <= game.max_moves
