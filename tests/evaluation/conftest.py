"""Helpers for the tests of tournaments."""

import pytest

from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import Store


@pytest.fixture(scope="session")
def played():
    """`played(tournament, …)`: all games of a tournament that is played in memory, and its progress."""

    def play(tournament, **arguments):
        with Store(None, tournament.data()) as store:
            state = run(tournament, store, **{"executor": "threads", **arguments})
            return store.games(), state

    return play
