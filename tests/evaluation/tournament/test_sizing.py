"""Sizes of pieces of work, and the bundles in which they travel."""

import pytest

from ludarium.agents.workers import Workers
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import Work
from ludarium.evaluation.tournament.schedule import Progress, Round
from ludarium.evaluation.tournament.sizing import FIRST, LARGEST, Speed, piece_pairs, piece_seconds
from ludarium.evaluation.tournament.store import Store


@pytest.mark.parametrize(
    ("left", "workers", "seconds"),
    [
        (1000.0, 2, 1.0),  # the longest
        (4.0, 2, 0.5),  # a share of what is left
        (0.1, 2, 0.125),  # the shortest
        (1e6, 800, 8.0),  # a scheduler hands out a hundred pieces a second, not eight hundred
        (0.0, 800, 1.0),
    ],
)
def test_pieces_are_long_with_many_workers_and_short_near_the_end(left, workers, seconds):
    assert piece_seconds(left, workers) == seconds


@pytest.mark.parametrize(
    ("pace", "left", "pairs"),
    [(None, 10**6, FIRST), (0.01, 10**6, 100), (0.01, 400, 50), (9.0, 10, 1), (0.0, 10**9, LARGEST)],
)
def test_a_piece_has_as_many_pairs_as_fit_its_time(pace, left, pairs):
    assert piece_pairs(pace, left, 2) == pairs


def test_a_pairing_that_has_not_played_is_as_slow_as_the_slower_of_its_entrants():
    speed = Speed()
    speed.learn(Work(0, 1, 2, 0, 10), 5.0, 1.0)
    assert speed.pace(0, 1, 3) is None
    assert speed.seconds(Work(0, 1, 3, 0, 4)) is None
    speed.learn(Work(0, 3, 4, 0, 10), 20.0, 3.0)
    assert speed.pace(0, 1, 3) == 2.0
    assert speed.pace(0, 1, 2) == 0.5
    assert speed.pace(1, 1, 2) is None
    assert speed.seconds(Work(0, 1, 2, 0, 4)) == 5.0  # agents are made in three of them


def test_timed_games_which_may_take_minutes_are_handed_out_one_pair_at_a_time():
    tournament = Tournament(("random", "greedy"), (GameEntry("tictactoe", 6, clock="60"), GameEntry("tictactoe", 6)))
    with Store(None, tournament.data()) as store, Workers("threads", 1) as pool:
        pieces = list(Round(tournament, store, pool, Progress(24), False).missing([(0, 0, 1), (1, 0, 1)]))
    assert [work.pairs for work in pieces] == [1] * 6 + [FIRST, 2]


def test_long_games_travel_in_small_pieces():
    """Of at most 2²³ moves, all of which are in memory."""
    tournament = Tournament(("random", "greedy"), (GameEntry("tictactoe"), GameEntry("hexapawn")))
    tournament.games[1].rules.max_moves = 2**20
    with Store(None, tournament.data()) as store, Workers("threads", 1) as pool:
        round_ = Round(tournament, store, pool, Progress(0), False)
        sizes = [round_.largest(event) for event in (0, 1)]
    assert sizes == [LARGEST, 8]


@pytest.mark.parametrize(
    ("pace", "sizes"), [(None, [1] * 6), (1e-3, [6]), (0.2, [1, 1, 1, 1, 1, 1]), (0.04, [2, 2, 2])]
)
def test_pieces_of_small_pairings_travel_together(pace, sizes):
    """In bundles of at least half the time of a piece, 1/8 s at the end, once it is known how fast they are."""
    tournament = Tournament(("random",) * 4, (GameEntry("tictactoe", 1),))
    pairings = [(0, a, b) for a, b in tournament.pairings(0)]
    with Store(None, tournament.data()) as store, Workers("threads", 2) as pool:
        round_ = Round(tournament, store, pool, Progress(12), False)
        for _, a, b in pairings if pace else ():
            round_.speed.learn(Work(0, a, b, 0, 1), pace, 0.0)
        bundles = list(round_.bundles(round_.missing(pairings)))
    assert [len(bundle) for bundle in bundles] == sizes
    assert [work[:3] for bundle in bundles for work in bundle] == pairings
