"""Helpers for the tests of matches and tournaments."""

import pytest

from ludarium.evaluation.play import games
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


class Time:
    """A clock that stands still unless it is moved."""

    now = 0

    def __call__(self):
        return self.now

    def __deepcopy__(self, memo):
        return self

    def pass_by(self, seconds):
        self.now += round(seconds * 1e9)


@pytest.fixture
def time(monkeypatch):
    """The clock of games that are played in this process."""
    one = Time()
    monkeypatch.setattr(games, "perf_counter_ns", one)
    return one
