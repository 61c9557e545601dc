"""Helpers for the tests of backgammon."""

import pytest

from ludarium.envs.backgammon import Backgammon


@pytest.fixture(scope="session")
def money():
    return Backgammon()


@pytest.fixture(scope="session")
def cube():
    return Backgammon(cube=True)


@pytest.fixture(scope="session")
def match():
    return Backgammon(match_length=5)
