"""Intervals of means of few values."""

import math

import numpy as np
import pytest
from scipy.stats import t

from ludarium.evaluation.statistics.intervals import mean_interval, student_t


@pytest.mark.parametrize("degrees", [1, 2, 9, 30, 31, 100, 5000])
def test_the_points_of_students_t(degrees):
    assert student_t(degrees) == pytest.approx(t.ppf(0.975, degrees), abs=1e-3)


def test_the_interval_covers_the_mean_as_often_as_it_says():
    draws = np.random.default_rng(1).normal(3.0, 2.0, size=(4000, 5))
    covered = [abs(mean - 3.0) <= half for mean, half in map(mean_interval, draws)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


def test_one_value_says_nothing_of_its_spread():
    assert mean_interval([0.5]) == (0.5, math.inf)
