"""Intervals of means of few values."""

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from ludarium.evaluation.statistics.intervals import half_width, likelihood_above, mean_interval, student_t, unvaried


def test_the_points_of_students_t():
    for degrees in (*range(1, 32), 100, 5000):
        assert student_t(degrees) == pytest.approx(t.ppf(0.975, degrees), abs=1e-3)


def test_the_interval_covers_the_mean_as_often_as_it_says():
    draws = np.random.default_rng(1).normal(3.0, 2.0, size=(4000, 5))
    covered = [abs(mean - 3.0) <= half for mean, half in map(mean_interval, draws)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


def test_half_width():
    assert half_width(np.array([0.0, 1.0, 1.0, 2.0])) == pytest.approx(t.ppf(0.975, 3) * np.sqrt(2 / 3) / 2, abs=1e-3)
    assert half_width(np.array([0.0, 1.0])) == pytest.approx(t.ppf(0.975, 1) / 2, abs=1e-3)
    assert half_width(np.array([0.5])) == math.inf
    assert half_width(np.full(9, 0.5)) == math.inf
    assert mean_interval([0.5]) == (0.5, math.inf)


@pytest.mark.parametrize("count", [10, 30, 1000])
def test_equal_values_follow_the_rule_of_three(count):
    """Where other values have that probability, seeing none of them has a probability of 5 %."""
    assert (1 - unvaried(count, 1.0)) ** count == pytest.approx(0.05)
    assert half_width(np.full(count, 0.25)) == unvaried(count, 0.75)
    assert half_width(np.full(count, -3.0), -3.0, 3.0) == unvaried(count, 6.0)


def test_the_likelihood_that_a_mean_is_above_a_level():
    assert likelihood_above(0.5, 0.6, 0.1) == pytest.approx(0.975)
    assert likelihood_above(0.5, 0.45, 0.1) == pytest.approx(norm.cdf(-1.96 / 2), abs=1e-4)
    assert likelihood_above(0.5, 0.5, math.inf) == likelihood_above(0.3, 0.1 + 0.2, 0.01) == 0.5
    assert math.isnan(likelihood_above(0.5, 1.0, math.inf))
