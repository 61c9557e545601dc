"""Adam against the text of its authors, in higher precision."""

import numpy as np
import pytest

from ludarium.agents.values.adam import Adam


@pytest.mark.parametrize("kept_squares", [0.999, 0.99])
def test_the_steps_are_those_of_the_formula(kept_squares):
    draws = np.random.default_rng(0)
    weights, slopes = draws.normal(size=(3, 5)).astype(np.float32), draws.normal(size=(6, 3, 5)).astype(np.float32)
    adam = Adam(np.zeros_like(weights), np.zeros_like(weights), kept_squares=kept_squares)
    expected, mean, square = weights.astype(float), np.zeros((3, 5)), np.zeros((3, 5))
    for number, slope in enumerate(slopes, 1):
        mean = 0.9 * mean + 0.1 * slope
        square = kept_squares * square + (1 - kept_squares) * slope.astype(float) ** 2
        share = np.sqrt(square / (1 - kept_squares**number)) + 1e-8
        expected += 0.01 * mean / (1 - 0.9**number) / share
        adam.step(weights, slope, 0.01, number)
        np.testing.assert_allclose(weights, expected, atol=1e-6)
    np.testing.assert_allclose(adam.mean, mean, atol=1e-6)
    np.testing.assert_allclose(adam.square, square, atol=1e-6)
