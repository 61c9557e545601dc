"""Fixtures for the tests of Gaia."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.experience import experience_of, no_experience, play_and_remember, remembered
from ludarium.agents.genetic.gaia.games import field
from ludarium.agents.genetic.gaia.offspring import no_rules
from ludarium.agents.genetic.gaia.operators import replace_all
from ludarium.agents.genetic.gaia.patterns import RULE, Generator
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.registry import make_game


class InOrder:
    """Does parts one after another, as one worker does."""

    size, shares_memory = 1, True

    def __call__(self, function, parts):
        return list(map(function, parts))


class Backwards(InOrder):
    """Does them in the opposite order, as if there were three workers."""

    size = 3

    def __call__(self, function, parts):
        return [function(part) for part in reversed(list(parts))][::-1]


@pytest.fixture(scope="session")
def serial():
    return InOrder()


@pytest.fixture(scope="session")
def backwards():
    return Backwards()


@pytest.fixture(scope="session")
def game_cases():
    """The cases of some random games of tic-tac-toe, random rules, and the mirror images that undo actions."""
    game = make_game("tictactoe")
    experience, seen, rules = experience_of(no_experience(game, 1 << 12)), board(game, True), np.zeros(40, dtype=RULE)
    counts = np.zeros(3, dtype=np.int64)
    play_and_remember(field(game, True), experience, no_rules(2, 1), 300, 1.0, seed_key(1), counts, False)
    replace_all(rules, Generator(seen.needs, seen.playable, 9, 0.7, 1, 0.0), stream(1))
    return remembered(game, True, experience), rules, seen.undo
