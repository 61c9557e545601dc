"""Sizes of pieces of work, and the bundles in which they travel."""

import itertools
from concurrent.futures import Future

import numpy as np
import pytest

from ludarium.agents.workers import Workers
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import MatchResult
from ludarium.evaluation.statistics.sprt import Hypotheses
from ludarium.evaluation.tournament import schedule
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import Work
from ludarium.evaluation.tournament.schedule import Progress, Round
from ludarium.evaluation.tournament.sizing import FIRST, LARGEST, Speed, piece_pairs, piece_seconds
from ludarium.evaluation.tournament.store import GameRow, Store


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
    speed.learn(Work(0, 1, 5, 0, 10), 90.0, 3.0)
    assert (speed.pace(0, 1, 2), speed.pace(0, 1, 4)) == (0.5, 9.0)
    assert speed.seconds(Work(0, 1, 2, 0, 4)) == 5.0  # agents are made in three of them


def test_timed_games_which_may_take_minutes_are_handed_out_one_pair_at_a_time():
    tournament = Tournament(("random", "greedy"), (GameEntry("tictactoe", 6, clock="60"), GameEntry("tictactoe", 6)))
    with Store(None, tournament.data()) as store, Workers("threads", 1) as pool:
        pieces = list(Round(tournament, store, pool, Progress(24), False).missing([(0, 0, 1), (1, 0, 1)]))
    assert [work.pairs for work in pieces] == [1] * 6 + [FIRST, 2]


def test_what_is_stored_is_not_handed_out_again():
    tournament = Tournament(("random", "greedy", "perfect"), (GameEntry("tictactoe", 7),))
    rows = [GameRow(0, 0, 1, pair, leg, 0.0, 0.0, 0, "", b"") for pair in (0, 3, 4) for leg in (0, 1)]
    with Store(None, tournament.data()) as store, Workers("threads", 1) as pool:
        store.add(rows)
        round_ = Round(tournament, store, pool, Progress(42), False)
        pieces = [(work.a, work.b, work.first, work.pairs) for work in round_.missing([(0, 0, 1), (0, 0, 2)])]
    assert pieces == [(0, 1, 1, 2), (0, 1, 5, 2), (0, 2, 0, FIRST), (0, 2, FIRST, 3)]


def test_progress_counts_both_entrants_and_a_team_once():
    result = MatchResult(make_game("tictactoe"), ["a", "b"], np.zeros((3, 2, 2)), np.zeros((3, 2)), 40, 2.5)
    progress = Progress(99, 10)
    progress.add(Work(1, 0, 2, 0, 3), result)
    progress.add(Work(1, 2, 2, 0, 3), result)
    assert (progress.total, progress.done) == (99, 22)
    assert progress.decisions == {(1, 0): 40, (1, 2): 80}
    assert progress.seconds == {(1, 0): 2.5, (1, 2): 5.0}


@pytest.mark.parametrize(
    ("sprt", "workers", "sizes"),
    [
        (None, 1, [1000]),
        (Hypotheses(0, 10), 1, [64, 64, 64, 64, 64, 80, 100, 125, 156, 195, 24]),
        (Hypotheses(0, 10), 2, [64] * 9 + [72, 81, 91, 102, 78]),
    ],
)
def test_little_is_played_in_vain_when_a_sequential_test_is_decided(sprt, workers, sizes):
    """However fast they are: each piece is 64 pairs or, if more, a worker's share of a quarter of all before it."""
    tournament = Tournament(("random", "greedy"), (GameEntry("tictactoe", 1000),), sprt=sprt)
    with Store(None, tournament.data()) as store, Workers("threads", workers) as pool:
        round_ = Round(tournament, store, pool, Progress(2000), False)
        round_.speed.learn(Work(0, 0, 1, 0, 10), 1e-6, 0.0)
        assert [work.pairs for work in round_.missing([(0, 0, 1)])] == sizes


def test_long_games_travel_in_small_pieces():
    """Of at most 2²³ moves, all of which are in memory."""
    tournament = Tournament(("random", "greedy"), (GameEntry("tictactoe"), GameEntry("hexapawn")))
    tournament.games[1].rules.max_moves = 2**20
    with Store(None, tournament.data()) as store, Workers("threads", 1) as pool:
        round_ = Round(tournament, store, pool, Progress(0), False)
        sizes = [round_.largest(event) for event in (0, 1)]
    assert sizes == [LARGEST, 8]


@pytest.fixture
def bundled():
    """`bundled(played, pace, …)`: how six pairings travel, of which some have played."""

    def bundled(played, pace, max_moves=9, pairs=1):
        tournament = Tournament(("random",) * 4, (GameEntry("tictactoe", pairs),))
        tournament.games[0].rules.max_moves = max_moves
        pairings = [(0, a, b) for a, b in tournament.pairings(0)]
        with Store(None, tournament.data()) as store, Workers("threads", 2) as pool:
            round_ = Round(tournament, store, pool, Progress(12 * pairs), False)
            for a, b in played:
                round_.speed.learn(Work(0, a, b, 0, 1), pace, 0.0)
            bundles = list(round_.bundles(round_.missing(pairings)))
        assert [work[:3] for bundle in bundles for work in bundle] == pairings
        return [len(bundle) for bundle in bundles]

    return bundled


@pytest.mark.parametrize(
    ("pace", "pairs", "sizes"),
    [(1e-3, 1, [6]), (0.2, 1, [1] * 6), (0.04, 1, [2, 2, 2]), (0.01, 4, [2, 2, 2]), (0.02, 4, [1] * 6)],
)
def test_pieces_of_small_pairings_travel_together(bundled, pace, pairs, sizes):
    """In bundles of at least half the time of a piece, 1/8 s at the end, once it is known how fast they are."""
    assert bundled(itertools.combinations(range(4), 2), pace, pairs=pairs) == sizes


def test_pieces_of_unknown_speed_travel_alone(bundled):
    assert bundled([], None) == [1] * 6
    assert bundled([(0, 1), (0, 2), (1, 2)], 1e-3) == [2, 1, 1, 1, 1]  # nothing is known of the last entrant


def test_long_games_travel_in_small_bundles(bundled):
    assert bundled(itertools.combinations(range(4), 2), 1e-3, 2**22) == [2, 2, 2]  # of at most 2²³ moves


@pytest.mark.parametrize("sprt", [None, Hypotheses(-1, 1)])
def test_two_pieces_for_each_worker_are_under_way_or_wait_for_an_earlier_one(sprt, monkeypatch):
    """Under a sequential test, games that are played before earlier ones wait for these."""
    tournament = Tournament(("random", "random"), (GameEntry("tictactoe", 640),), sprt=sprt)
    monkeypatch.setattr(schedule, "LARGEST", 64)
    under_way = []

    class Pool:
        size = 2

        def submit(self, function, *arguments):
            under_way.append(len(round_.running) + sum(len(test.held) for test in round_.tests.values()))
            future = Future()
            future.set_result(function(*arguments))
            return future

        def death_of(self, future):
            return None

    with Store(None, tournament.data()) as store:
        round_ = Round(tournament, store, Pool(), Progress(1280), False)
        round_.speed.learn(Work(0, 0, 1, 0, 10), 1e-6, 0.0)
        monkeypatch.setattr(round_, "next_finished", lambda: list(round_.running)[-1])  # the first one is the last
        round_.play([(0, 0, 1)], lambda state: None, lambda event: None)
        assert store.count() == 1280
    assert under_way == ([0, 1, 2, 3] + [3] * 6 if sprt is None else [0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
