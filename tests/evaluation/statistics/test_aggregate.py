"""Figures across games agree with their definitions."""

from functools import partial

import numpy as np
import pytest

from ludarium.evaluation.statistics.aggregate import interquartile_interval, interquartile_mean, mean_ranks, normalised


def test_the_interquartile_mean_as_scipy():
    stats = pytest.importorskip("scipy.stats")
    scores = np.random.default_rng(1).normal(size=(5, 8))
    assert interquartile_mean(scores) == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))
    assert interquartile_mean([[3.0]]) == 3
    assert interquartile_mean([[0, 1, 2, 3, 4, 100]]) == pytest.approx((0.5 * 1 + 2 + 3 + 0.5 * 4) / 3)


def test_games_count_the_same_whatever_their_runs():
    few, many = [0.0, 1.0, 2.0, 3.0], np.repeat([0.0, 1.0, 2.0, 3.0], 50)
    other = np.linspace(5, 9, 40)
    assert interquartile_mean([few, other]) == pytest.approx(interquartile_mean([many, other]))


def test_the_interval_holds_the_truth():
    rng = np.random.default_rng(2)
    centers = np.linspace(0, 1, 5)[:, None]
    truth = interquartile_mean(centers + rng.normal(0, 0.5, (5, 100_000)))
    held = []
    for seed in range(300):
        low, high = interquartile_interval(centers + rng.normal(0, 0.5, (5, 20)), replicates=300, seed=seed)
        assert low < high
        held.append(low < truth < high)
    assert 0.9 <= np.mean(held) <= 0.98


def test_games_are_resampled_by_themselves():
    # Runs that agree within each game leave nothing to resample; nor does a single replicate.
    for low, high in (
        interquartile_interval([[0.1] * 5, [0.5] * 3, [0.9] * 7]),
        interquartile_interval([[0.0, 1.0, 2.0]], replicates=1),
    ):
        assert low == high
    runs = [[0.0, 1.0, 0.4], [0.5, 0.8]]
    assert interquartile_interval(runs, seed=3) == interquartile_interval(runs, seed=3)
    random = np.random.default_rng(1).random((2, 9))
    assert interquartile_interval(random) == interquartile_interval(random, replicates=2000, seed=0)
    assert np.isnan(interquartile_interval([[0.3], [0.5]])).all()
    assert not np.isnan(interquartile_interval([[0.3], [0.5, 0.6]])).any()


def test_mean_ranks():
    assert mean_ranks([[3, 2, 1], [1, 2, 3]]) == pytest.approx([2, 2, 2])
    assert mean_ranks([[0.5, 0.5, 0.1]]) == pytest.approx([1.5, 1.5, 3])
    assert mean_ranks([[0.5]]) == [1]
    stats = pytest.importorskip("scipy.stats")
    table = np.random.default_rng(3).integers(0, 4, size=(6, 7))
    assert mean_ranks(table) == pytest.approx(stats.rankdata(-table, axis=1).mean(axis=0))
    assert normalised([0.5, 0.75, 1.0], 0.5, 1.0) == pytest.approx([0, 0.5, 1])


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        (normalised, (0, 1, 1), "low must be below high, not 1 and 1"),
        (interquartile_mean, ([[1.0], []],), r"every game needs at least one run, not \[1, 0\]"),
        (interquartile_interval, ([],), r"every game needs at least one run, not \[\]"),
        (partial(interquartile_interval, replicates=0), ([[1.0]],), "replicates must be at least 1, not 0"),
        (mean_ranks, ([1, 2, 3],), r"must have the shape \(games, agents\), not \(3,\)"),
        (mean_ranks, (np.zeros((0, 3)),), r"must have the shape \(games, agents\), not \(0, 3\)"),
    ],
)
def test_arguments_that_cannot_be(function, arguments, told):
    with pytest.raises(ValueError, match=told):
        function(*arguments)
