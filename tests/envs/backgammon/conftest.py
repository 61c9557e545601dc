"""Helpers for the tests of backgammon."""

import pytest

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.chance import below, stream
from ludarium.envs.kernels import CHANCE, OVER


@pytest.fixture(scope="session")
def money():
    return Backgammon()


@pytest.fixture(scope="session")
def cube():
    return Backgammon(cube=True)


@pytest.fixture(scope="session")
def match():
    return Backgammon(match_length=5)


@pytest.fixture(scope="session")
def walk():
    """`walk(game, number)`: all positions of a random game."""

    def positions(game, number):
        random = stream(11, number)
        position = game.start()
        while True:
            yield position
            if position.turn == OVER:
                return
            if position.turn == CHANCE:
                event = position.draw_outcome(random)
            else:
                actions = position.legal_actions()
                event = actions[int(below(random, len(actions)))]
            position = position.copy()
            position.push(event)

    return positions
