"""Cycles are counted, and the Nash average is the equilibrium with most entropy."""

from itertools import permutations

import numpy as np
import pytest

from ludarium.evaluation.statistics.intransitivity import nash_average, three_cycles

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


@pytest.mark.parametrize(
    ("function", "matrix", "told"),
    [
        (three_cycles, np.zeros((2, 3)), r"must be a square matrix, row against column, not of shape \(2, 3\)"),
        (nash_average, [[0.5, 0.7], [0.7, 0.5]], r"must add to 1; 0 against 1 has 0\.7, 1 against 0 has 0\.7"),
        (nash_average, [[0.5, np.nan]] * 2, "every two entrants must have met; entrants 0 and 1 did not"),
    ],
)
def test_matrices_that_cannot_be(function, matrix, told):
    with pytest.raises(ValueError, match=told):
        function(matrix)
