"""Fixtures for the tests of if-then players."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, put
from ludarium.envs.registry import make_game


@pytest.fixture(scope="session")
def evolve(one_worker):
    """Lets a learner live for some generations, or for its games: what it knows then, and its last metrics."""

    def evolve(learner, generations=None, game=None):
        game = game or make_game(learner.game)
        arrays, told, played, number = learner.start(game), {}, 0, 0
        budget = learner.games - learner.largest_generation(game)
        while played <= budget if generations is None else number < generations:
            told = learner.generation(game, arrays, number, one_worker)
            played, number = played + told["games"], number + 1
        return arrays, told

    return evolve


@pytest.fixture(scope="session")
def known():
    """The map of a member as a dictionary."""

    def known(maps, member):
        pairs = zip(maps.keys[member], maps.moves[member], strict=True)
        return {int(key): int(move) for key, move in pairs if key and move != FORGOTTEN}

    return known


@pytest.fixture(scope="session")
def key_of():
    """The key of the position after some moves."""

    def key_of(game, *actions):
        position = game.start()
        for action in actions:
            position.play(action)
        words = np.zeros((game.state.itemsize + 7) // 8, dtype=np.uint64)
        words.view(np.uint8)[: game.state.itemsize] = position.data
        return np.uint64(hash_state(words))

    return key_of


@pytest.fixture(scope="session")
def teach(key_of):
    """Makes a member of the higher-number game say a number always."""

    def teach(maps, member, game, number):
        for key in (key_of(game), *(key_of(game, first) for first in range(game.actions))):
            put(maps, member, key, number, 0.0, 1)

    return teach
