"""Pieces of work as rows of a store."""

import numpy as np

from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import Forfeit, MatchResult
from ludarium.evaluation.tournament.pieces import Work, game_rows
from ludarium.evaluation.tournament.store import GameRow


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
