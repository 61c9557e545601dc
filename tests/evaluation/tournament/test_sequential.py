"""Sequential tests of pairings: in the order of pairs, whatever the order in which pieces of work come back."""

from dataclasses import replace

import numpy as np
import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import Forfeit, MatchResult, play_match
from ludarium.evaluation.statistics.sprt import ACCEPT_H0, ACCEPT_H1, UNDECIDED, Hypotheses
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import Work, game_rows
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.sequential import PairingTest, _first, verdict
from ludarium.evaluation.tournament.standings import tables
from ludarium.evaluation.tournament.store import GameRow, Store

TESTED = Tournament(
    ("perfect", "greedy", "random"), (GameEntry("tictactoe", 400, 1),), seed=5, sprt=Hypotheses(50, 300)
)


@pytest.fixture(scope="module")
def whole(played):
    return played(TESTED, workers=1)


def test_each_pairing_ends_when_it_is_decided(whole, played):
    games, state = whole
    (table,) = tables(TESTED, games)
    assert [(one.agent, one.opponent, one.test.state) for one in table.verdicts] == [
        ("perfect", "greedy", ACCEPT_H0), ("perfect", "random", ACCEPT_H1), ("greedy", "random", ACCEPT_H1),
    ]  # fmt: skip
    assert len(games) == 2 * sum(one.test.pairs for one in table.verdicts) < 2400
    assert state.done == state.total == len(games)
    untested, _ = played(replace(TESTED, sprt=None))
    assert set(games) < set(untested)


def test_games_that_are_not_needed_do_not_count_where_a_tournament_goes_on(whole):
    games, state = whole
    with Store(None, TESTED.data()) as store:
        store.add(games)
        again = run(TESTED, store, executor="threads", workers=1)
    assert (again.done, again.total) == (state.done, state.total)


@pytest.mark.parametrize("arguments", [{"workers": 3}, {"executor": "processes"}])
def test_workers_change_nothing(whole, played, arguments):
    assert played(TESTED, **arguments)[0] == whole[0]


def test_other_units(played):
    for unit, h1 in (("normalized-elo", 60), ("points", 0.3)):
        (table,) = tables(TESTED, played(replace(TESTED, sprt=Hypotheses(0, h1, unit=unit)))[0])
        assert [one.test.state for one in table.verdicts][1:] == [ACCEPT_H1, ACCEPT_H1]


def pieces():
    """60 pairs in pieces of 10, and their scores."""
    game = make_game("hexapawn")
    pieces = []
    for first in range(0, 60, 10):
        result = play_match(game, ["greedy", "random"], 10, 1, first=first, opening=1, record=True)
        pieces.append((Work(0, 0, 1, first, 10), result))
    return pieces


def test_any_order_of_pieces_gives_the_same_games():
    some = pieces()
    kept = []
    for order in (range(6), (5, 3, 4, 1, 2, 0)):
        test = PairingTest(Hypotheses(0, 100), 60)
        rows = []
        for number in order:
            for work, part in test.take(*some[number]):
                rows += map(GameRow._make, game_rows(part, work))
        assert test.over
        assert not test.held
        assert test.sprt.state == ACCEPT_H1
        assert len(rows) == 2 * test.sprt.pairs < 100
        again = verdict(test.sprt.hypotheses, rows)
        assert (again.state, again.llr, again.pairs) == (ACCEPT_H1, test.sprt.llr, test.sprt.pairs)
        kept.append(rows)
    assert kept[0] == kept[1]


def test_a_part_of_a_piece_counts_its_own_moves():
    (work, result), *_ = pieces()
    test = PairingTest(Hypotheses(0, 400, alpha=0.3, beta=0.3), 60)
    ((part, played),) = test.take(work, result)
    assert 0 < part.pairs < 10
    assert played.decisions == sum(len(row[-1]) for row in game_rows(played, part)) < result.decisions


def test_a_part_of_a_piece_has_its_own_forfeits():
    forfeits = [Forfeit(pair, 0, 0, "a", "late") for pair in (10, 11, 12)]
    moves = np.arange(6).reshape(6, 1)
    result = MatchResult(
        make_game("hexapawn"), ["a", "b"], np.zeros((3, 2, 2)), np.zeros((3, 2)), 6, 1.0, forfeits, moves
    )
    assert _first(result, 10, 3) is result
    part = _first(result, 10, 2)
    assert (part.forfeits, part.moves.tolist(), part.decisions) == (forfeits[:2], [[0], [1], [2], [3]], 4)
    assert len(part.payoffs) == len(part.endings) == 2


def test_a_verdict_counts_complete_pairs_up_to_a_gap():
    rows = [GameRow._make(row) for row in game_rows(pieces()[0][1], Work(0, 0, 1, 0, 10))]
    hypotheses = Hypotheses(-1, 1)
    assert verdict(hypotheses, []).state == UNDECIDED
    assert verdict(hypotheses, rows[:7]).pairs == 3
    assert verdict(hypotheses, rows[:6] + rows[8:]).pairs == 3
    scores = [(1 + np.sign(row.payoff_a)) / 2 for row in rows]
    test = verdict(hypotheses, rows)
    assert (test.counts @ test.scores) == sum(scores) / 2
