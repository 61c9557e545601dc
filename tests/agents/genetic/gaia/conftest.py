"""Fixtures for the tests of Gaia."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia.memory import Memory, ask_memory
from ludarium.agents.genetic.gaia.operators import random_players
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.rules import RULE, Generator, no_rules
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
def game():
    return make_game("tictactoe")


@pytest.fixture(scope="session")
def lived(game, serial):
    """The arrays of a learner's population after some generations, and the metrics of each."""

    def lived(learner, generations=1):
        arrays = learner.start(game)
        return arrays, [learner.generation(game, arrays, number, serial) for number in range(generations)]

    return lived


@pytest.fixture(scope="session")
def rules():
    """Rules from their senses, square by square, their actions, and if need be their weights and priorities."""

    def row(senses, action, weight=0.0, priority=0):
        sets = [sum(1 << i for i, sense in enumerate(senses) if sense == kind) for kind in "PCV"]
        return (*sets, weight, 0, action, priority)

    return lambda *written: np.array([row(*one) for one in written], dtype=RULE)


@pytest.fixture(scope="session")
def wants():
    """Rules as what they ask and do, whatever they weigh."""

    def wants(rules):
        rules = rules.reshape(-1)
        return set(zip(*(rules[name].tolist() for name in ("own", "opponent", "empty", "action")), strict=True))

    return wants


@pytest.fixture(scope="session")
def game_cases(game):
    """The cases of some random games of tic-tac-toe, random rules, and the board."""
    field = Field.of(game, True)
    cases, *_ = ask_memory(field, Memory.empty(game, 1 << 12), no_rules(2, 1), 300, 1.0, False, seed_key(1))
    return cases, random_players(1, 40, Generator.of(field.board, 0.7), stream(1))[0], field.board
