"""Pieces of work as rows of a store."""

from types import SimpleNamespace

import numpy as np

from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import Forfeit, MatchResult
from ludarium.evaluation.play.times import count_times
from ludarium.evaluation.tournament import pieces
from ludarium.evaluation.tournament.event import GameEntry
from ludarium.evaluation.tournament.pieces import Work, game_rows, pairing_of, play_work, time_rows
from ludarium.evaluation.tournament.store import IN_COMPILED_CODE, IN_PYTHON, GameRow, TimeRow


def test_each_game_has_its_own_moves_result_and_cause():
    moves = np.full((6, 9), -1, dtype=np.int16)
    for number in range(6):
        moves[number, : number + 1] = number
    payoffs = np.arange(6.0).reshape(3, 2, 1) * [1.0, -1.0]
    forfeits = [Forfeit(10, 1, 0, "a", "late"), Forfeit(12, 0, 1, "b", "illegal")]
    endings = np.arange(6).reshape(3, 2)
    result = MatchResult(make_game("tictactoe"), ["a", "b"], payoffs, endings, 21, 1.0, forfeits, moves)
    rows = [GameRow._make(row) for row in game_rows(result, Work(2, 0, 1, first=10, pairs=3))]
    assert [(row.event, row.a, row.b, row.pair, row.leg) for row in rows] == [
        (2, 0, 1, pair, leg) for pair in (10, 11, 12) for leg in (0, 1)
    ]
    assert [row.cause for row in rows] == ["", "late", "", "", "illegal", ""]
    assert [row.moves for row in rows] == [bytes([number] * (number + 1)) for number in range(6)]
    assert [(row.payoff_a, row.payoff_b, row.ending) for row in rows] == [(n, -n, n) for n in range(6)]


def test_times_are_those_of_each_entrant_by_where_they_were_taken():
    times = np.stack([count_times([1, 1, 2]), count_times([4])])
    result = MatchResult(make_game("tictactoe"), ["a", "b"], np.zeros((0, 2, 2)), np.zeros((0, 2)), 4, 1.0, times=times)
    work = Work(3, 5, 7, 0, 1)
    rows = [(5, 7, 0, 2), (5, 7, 4, 1), (7, 5, 8, 1)]
    assert time_rows(result, work) == [TimeRow(3, one, other, IN_PYTHON, *rest) for one, other, *rest in rows]
    result.compiled = True
    assert {row.apart for row in time_rows(result, work)} == {IN_COMPILED_CODE}


def test_the_number_of_a_pairing_does_not_change():
    """Agents draw their random numbers by it, so stored games follow from it."""
    assert pairing_of(Work(9, 3, 5, 4, 1)) == 3 * 2**24 + 5


def test_the_time_of_a_piece_besides_its_games_is_known(monkeypatch):
    clock = iter([100.0, 107.0])
    monkeypatch.setattr(pieces, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    result = MatchResult(make_game("tictactoe"), ["a", "b"], np.zeros((1, 2, 2)), np.zeros((1, 2)), 4, seconds=5.0)
    monkeypatch.setattr(pieces, "play_benches", lambda *arguments, **settings: result)
    assert play_work(GameEntry("tictactoe"), ("random", "greedy"), Work(0, 0, 1, 0, 1), 1) == (result, 2.0)
