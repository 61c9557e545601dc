"""Discs are one unit through the whole game, for whatever evaluation."""

import numpy as np
import pytest

from ludarium.agents import expert
from ludarium.agents.othello.discs import SHIPPED, counted, fit, playout_slopes, sample, slopes, values
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.mcts import mcts
from ludarium.agents.search.mcts import search as tree
from ludarium.agents.specs import make_agent
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import stream
from ludarium.envs.files import read_arrays
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position

SIZES = (4, 6, 8)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scoring", ["discs", "empties_to_winner"])
def test_the_shipped_games_are_games(size, scoring):
    """Their positions have the results of their ends, whichever seat is to move; random moves are left out."""
    game = Othello(size=size, scoring=scoring)
    known, (moves, opening) = sample(game), (np.load(SHIPPED)[f"{name}{size}"] for name in ("moves", "opening"))
    number = 0
    for row, skipped in list(zip(moves, opening, strict=True))[:20]:
        position, seats = game.start(), []
        for k, move in enumerate(row[row != 255].tolist()):
            if k >= skipped:
                assert Position(game, known.states[number + len(seats)]).text == position.text
                assert known.discs[number + len(seats)] == 4 + k
                seats.append(position.turn)
            position.play(move)
            if position.legal_actions() == [game.passing]:
                position.play(game.passing)
        assert position.over
        assert known.results[number : number + len(seats)].tolist() == position.payoffs()[seats].tolist()
        number += len(seats)
    assert len(known.results) > number


def test_a_slope_is_that_of_least_squares_through_zero_over_positions_with_almost_as_many_discs():
    draws = np.random.default_rng(1)
    discs = np.repeat(np.arange(4, 60), 500)
    points = draws.normal(size=len(discs))
    results = (3 + discs / 10) * points + draws.normal(0, 5, len(discs))
    slopes = fit(points, discs, results, 64)
    near = abs(discs - 30) <= 3
    assert slopes[30] == pytest.approx(np.linalg.lstsq(points[near, None], results[near], rcond=None)[0][0])
    assert slopes[30] == pytest.approx(6, abs=0.5)
    assert not fit(-points, discs, results, 64).any()
    assert not fit(0 * points, discs, results, 64).any()


def test_a_thousand_positions_are_enough():
    """Of 14 discs there are none, of 10 there are a thousand, and those of 19 would count only one step further."""
    discs, points = np.repeat([10, 19], [1000, 500]), np.ones(1500)
    assert fit(points, discs, np.where(discs == 10, 1.0, 4.0), 64)[14] == 1.0


def test_few_positions_are_taken_together_with_those_of_other_numbers_of_discs():
    discs, points = np.array([10] * 900 + [30] * 900), np.ones(1800)
    slopes = fit(points, discs, np.where(discs == 10, 1.0, 4.0), 64)
    assert slopes[8] == slopes[12] == 2.5  # both groups are needed for a thousand
    assert slopes.shape == (65,)


@pytest.mark.parametrize("size", SIZES)
def test_any_unit_of_an_evaluation_comes_to_the_same_discs(size):
    def tenfold(s, seat):
        return 10.0 * (0.1 * (s.own & 1) if seat == s.seat else -0.1 * (s.opponent & 1))

    def corner(s, seat):
        return 0.1 * (s.own & 1) if seat == s.seat else -0.1 * (s.opponent & 1)

    game = Othello(size=size)
    assert slopes(game, Evaluation(corner)) == pytest.approx(10 * slopes(game, Evaluation(tenfold)))
    known = sample(counted(game))
    values_of_states = values(game, Evaluation(corner), known.states)
    for place in (0, len(values_of_states) // 2, len(values_of_states) - 1):
        position = Position(counted(game), known.states[place].copy())
        assert values_of_states[place] == Evaluation(corner).value(position, position.turn)


def test_what_is_expected_tells_more_than_nothing_in_all_parts_of_the_game():
    game = Othello()
    known, patterns = sample(counted(game)), expert.evaluation(game)
    expected = slopes(game, patterns)[known.discs] * values(game, patterns, known.states)
    for low in range(10, 60, 10):
        inside = (known.discs >= low) & (known.discs < low + 10)
        error = np.sqrt(np.mean((known.results - expected)[inside] ** 2))
        assert error < 0.97 * known.results[inside].std()
        assert error < 17


@pytest.mark.parametrize("scoring", ["wins", "discs"])
@pytest.mark.parametrize("evaluation", ["none", "six"])
def test_mean_payoffs_of_mcts_become_discs(scoring, evaluation, random_positions):
    game = Othello(scoring=scoring)
    chosen = evaluation_of(game, evaluation)
    (position,) = random_positions(game, 1, 20)
    first = mcts(game, evaluation=evaluation).judge(position, stream(5)).ranked().moves[0]
    payoff = tree(position, stream(5), evaluation=evaluation)[0].payoff / game.largest_payoff
    discs = min(64, 64 - position.text.count("-") + first.depth)
    if chosen is None:
        assert first.value == pytest.approx(playout_slopes(game)[discs] * payoff)
    else:
        points = payoff * chosen.unit(game) / (1 - abs(payoff))  # what the search made of values, undone
        assert first.value == pytest.approx(slopes(game, chosen)[discs] * points)


def test_a_finished_game_is_counted_as_the_rules_count():
    for scoring in ("wins", "empties_to_winner"):
        game = Othello(size=4, scoring=scoring)
        position = game.from_text("-OX- ---- ---- ---- X")
        (only,) = make_agent("greedy", game).judge(position, 1)
        assert (only.value, only.exact) == (16.0, True)  # three discs, and thirteen squares
    position = Othello(size=4, scoring="discs").from_text("-OX- ---- ---- ---- X")
    (only,) = make_agent("greedy", position.game).judge(position, 1)
    assert (only.value, only.exact) == (3.0, True)


def test_a_win_that_is_certain_is_counted_by_the_end_of_its_line():
    """How many discs it is won by is then an estimate, where only wins are paid."""
    game, seen = Othello(size=4), 0
    for opinion in make_agent("alphabeta?depth=30&endgame=0", game).judge(game.start(), 1):
        end = counted(game).start()
        for action in opinion.line:
            end.play(action)
        assert not opinion.exact
        assert opinion.value < 0  # the second side wins
        if end.over:
            assert opinion.value == end.payoffs()[0]
            seen += 1
    assert seen
    opinions = make_agent("alphabeta?depth=30&endgame=0&table=0", game).judge(game.start(), 1)
    assert {opinion.value for opinion in opinions} == {-2.0}  # by how many is not known


def test_playouts_have_their_slopes_by_what_is_paid():
    stored = read_arrays(SHIPPED)["playouts6"].astype(np.float64)
    for scoring, row in (("wins", 0), ("discs", 1)):
        assert playout_slopes(Othello(size=6, scoring=scoring)).tolist() == stored[row].tolist()
    assert stored[0].tolist() != stored[1].tolist()
