"""Fixtures for the tests of Gaia."""

import pytest


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
