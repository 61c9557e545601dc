"""Stores to report on."""

import pytest

from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import GameRow, Store

PLAYED = Tournament(
    ("random", "greedy", "alphabeta"),
    (
        GameEntry("tictactoe", 30, 1),
        GameEntry("backgammon", 3, agents=("random", "greedy")),
        GameEntry("hanabi?preset=very-small", 30, agents=("random", "greedy")),
    ),
    name="three games",
    seed=5,
)


@pytest.fixture(scope="session")
def store_path(tmp_path_factory):
    """A tournament that was played."""
    path = tmp_path_factory.mktemp("report") / "played.db"
    with Store(path, PLAYED.data()) as store:
        run(PLAYED, store, executor="threads")
    return path


@pytest.fixture
def make_store(tmp_path):
    """`make_store(tournament, rows)`: a store of these games, which nobody played."""

    def make(tournament, rows):
        path = tmp_path / "made.db"
        with Store(path, tournament.data()) as store:
            store.add(rows)
        return path

    return make


@pytest.fixture
def row():
    """`row(a, b, pair, leg, payoff_a, …)`: one game of a zero-sum game."""

    def make(a, b, pair, leg, payoff, *, event=0, ending=0, cause="", moves=b""):
        return GameRow(event, a, b, pair, leg, float(payoff), -float(payoff), ending, cause, moves)

    return make
