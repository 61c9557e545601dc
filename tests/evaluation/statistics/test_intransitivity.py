"""Cycles are counted, the Nash average is the equilibrium with most entropy, and α-rank is OpenSpiel's."""

import sys
import types
from itertools import permutations

import numpy as np
import pytest

from ludarium.evaluation.statistics.intransitivity import alpha_rank, nash_average, three_cycles

ROCK_PAPER_SCISSORS = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])


def random_scores(rng, n, levels=None):
    upper = np.triu(rng.random((n, n)) if levels is None else rng.choice(levels, (n, n)), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(n) / 2


def test_three_cycles_by_counting():
    rng = np.random.default_rng(1)
    for _ in range(20):
        scores = random_scores(rng, 8, levels=[0, 0.3, 0.5, 0.9])
        beats = scores > 0.5
        around = [beats[a, b] and beats[b, c] and beats[c, a] for a, b, c in permutations(range(8), 3)]
        assert three_cycles(scores) == pytest.approx(2 * np.mean(around))  # each is there three times, of six


def test_three_cycles_at_the_ends():
    assert three_cycles(ROCK_PAPER_SCISSORS) == 1
    assert three_cycles([[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]]) == 0
    assert three_cycles([[0.5, 1], [0, 0.5]]) == 0
    gaps = np.array([[0.5, 1, np.nan], [0, 0.5, 1], [np.nan, 0, 0.5]])
    assert three_cycles(gaps) == 0
    drawn = [three_cycles(random_scores(np.random.default_rng(i), 20)) for i in range(50)]
    assert np.mean(drawn) == pytest.approx(0.25, abs=0.02)


def test_known_nash_averages():
    mixture, measures = nash_average(ROCK_PAPER_SCISSORS)
    assert mixture == pytest.approx([1 / 3] * 3)
    assert measures == pytest.approx([0] * 3, abs=1e-12)
    mixture, measures = nash_average([[0.5, 0.6, 1], [0.4, 0.5, 1], [0, 0, 0.5]])  # the first beats all
    assert mixture == pytest.approx([1, 0, 0])
    assert measures == pytest.approx([0, -0.1, -0.5])
    mixture, _ = nash_average(np.full((4, 4), 0.5))
    assert mixture == pytest.approx([0.25] * 4)
    assert nash_average([[0.5]])[0].tolist() == [1]


def test_copies_share_their_weight():
    rows = [0, 0, 0, 1, 2, 2]
    mixture, _ = nash_average(ROCK_PAPER_SCISSORS[np.ix_(rows, rows)])
    assert mixture == pytest.approx([1 / 9, 1 / 9, 1 / 9, 1 / 3, 1 / 6, 1 / 6])


@pytest.mark.parametrize("n", [2, 5, 30])
def test_the_only_equilibrium_as_scipy(n):
    optimize = pytest.importorskip("scipy.optimize")
    scores = random_scores(np.random.default_rng(n), n)
    payoff = scores - 0.5
    program = optimize.linprog(np.zeros(n), A_ub=payoff, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1])
    mixture, measures = nash_average(scores)
    assert mixture == pytest.approx(program.x, abs=1e-7)
    assert measures == pytest.approx(payoff @ program.x, abs=1e-7)


def test_the_equilibrium_with_most_entropy():
    """No other equilibrium has more: moving toward any vertex of the set of equilibria does not gain entropy."""
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(4)
    several = 0
    for _ in range(60):
        scores = random_scores(rng, 7, levels=[0, 0.5, 1])
        payoff = scores - 0.5
        mixture, measures = nash_average(scores)
        assert mixture.min() >= 0
        assert mixture.sum() == pytest.approx(1)
        assert measures.max() < 1e-9
        for direction in rng.normal(size=(10, 7)):
            vertex = optimize.linprog(direction, A_ub=payoff, b_ub=np.zeros(7), A_eq=np.ones((1, 7)), b_eq=[1]).x
            several += np.abs(vertex - mixture).max() > 1e-6
            assert vertex[mixture == 0] == pytest.approx(0, abs=1e-7)  # the mixture uses all that can be used
            slope = -(np.log(mixture[mixture > 0]) + 1) @ (vertex - mixture)[mixture > 0]
            assert slope < 1e-6
    assert several > 50


def test_known_alpha_ranks():
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)
    assert alpha_rank([[0.5, 0.6, 1], [0.4, 0.5, 1], [0, 0, 0.5]]).tolist() == [1, 0, 0]  # the first beats all
    assert alpha_rank([[0.5]]).tolist() == [1]
    # a beats c, and b draws both: c → a with 1, all others but a → c with 1/m, so (2m + 1, m + 1, 1) / 3(m + 1)
    drawn = [[0.5, 0.5, 0.75], [0.5, 0.5, 0.5], [0.25, 0.5, 0.5]]
    assert alpha_rank(drawn) == pytest.approx(np.array([101, 51, 1]) / 153)
    assert alpha_rank(drawn, population=2) == pytest.approx(np.array([5, 3, 1]) / 9)
    # two entrants: the odds are those of taking over, (1 − e^(−u)) / (1 − e^(−mu)) with u = ±ln 2
    odds = (1 - 1 / 2) / (1 - 1 / 8) / ((1 - 2) / (1 - 8))
    ranks = alpha_rank([[0.5, 0.75], [0.25, 0.5]], population=3, intensity=2 * np.log(2))
    assert ranks == pytest.approx([odds / (1 + odds), 1 / (1 + odds)])


def test_alpha_rank_as_open_spiel(monkeypatch):
    pytest.importorskip("pyspiel")
    visualizer = "open_spiel.python.egt.alpharank_visualizer"  # needs a plotting library
    monkeypatch.setitem(sys.modules, visualizer, types.ModuleType(visualizer))
    peer = pytest.importorskip("open_spiel.python.egt.alpharank")
    rng = np.random.default_rng(6)
    for n, levels in ((2, None), (5, [0, 0.3, 0.5, 0.9]), (30, None)):
        scores = random_scores(rng, n, levels)
        for intensity in (0.1, 1.0, 5.0):
            shares = peer.compute([scores], m=20, alpha=intensity)[2]
            assert alpha_rank(scores, population=20, intensity=intensity) == pytest.approx(shares, abs=1e-9)
        assert alpha_rank(scores, intensity=1e5) == pytest.approx(alpha_rank(scores), abs=1e-9)


@pytest.mark.parametrize("given", [{"population": 1}, {"intensity": 0.0}, {"intensity": float("nan")}])
def test_wrong_parameters_of_alpha_rank(given):
    with pytest.raises(ValueError, match="population must be at least 2 and intensity positive, not population="):
        alpha_rank(ROCK_PAPER_SCISSORS, **given)


@pytest.mark.parametrize(
    ("function", "matrix", "told"),
    [
        (three_cycles, np.zeros((2, 3)), r"must be a square matrix, row against column, not of shape \(2, 3\)"),
        (nash_average, [[0.5, 0.7], [0.7, 0.5]], r"must add to 1; 0 against 1 has 0\.7, 1 against 0 has 0\.7"),
        (nash_average, [[0.5, np.nan]] * 2, "nash average: every two entrants must have met; entrants 0 and 1 did not"),
        (alpha_rank, [[0.5, np.nan]] * 2, "alpha rank: every two entrants must have met; entrants 0 and 1 did not"),
    ],
)
def test_matrices_that_cannot_be(function, matrix, told):
    with pytest.raises(ValueError, match=told):
        function(matrix)
