"""CMA-ES finds the minimum of quadratic functions, whatever their directions, and can be stopped anywhere."""

import numpy as np
import pytest

from ludarium.agents.learning import cma


def minimise(function, dimensions, children, generations, diagonal=False, state=None, first=0):
    state = state or cma.start(dimensions, 1.0, diagonal)
    for number in range(first, generations):
        noise = np.random.default_rng([7, number]).standard_normal((children, dimensions))
        found = cma.sample(state, noise)
        cma.update(state, found[np.argsort([function(one) for one in found], kind="stable")], number)
    return state


def quadratic(dimensions, rotated):
    """A function with its minimum in 1, 2, 3, … that is 10,000 times as steep in one direction as in another."""
    scales = 10.0 ** np.linspace(0, 4, dimensions)
    basis = (
        np.linalg.qr(np.random.default_rng(3).normal(size=(dimensions, dimensions)))[0]
        if rotated
        else np.eye(dimensions)
    )
    return lambda x: float(scales @ (basis @ (x - np.arange(1, dimensions + 1))) ** 2)


@pytest.mark.parametrize(("rotated", "diagonal"), [(False, False), (True, False), (False, True)])
def test_it_finds_the_minimum(rotated, diagonal):
    state = minimise(quadratic(6, rotated), 6, 12, 300, diagonal)
    np.testing.assert_allclose(state["mean"], np.arange(1, 7), atol=1e-5)


def test_only_a_full_matrix_learns_directions():
    function = quadratic(6, True)
    full, diagonal = (minimise(function, 6, 12, 150, kind)["mean"] for kind in (False, True))
    assert function(full) < 1e-3 * function(diagonal)


def test_without_crossover_the_best_child_is_the_new_mean():
    state, children = cma.start(2, 1.0, True), np.array([[0.25, 0.5], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    cma.update(state, children, 0, crossover=False)
    np.testing.assert_allclose(state["mean"], children[0])
    assert np.isfinite(state["covariance"]).all()


def test_only_the_order_matters():
    function = quadratic(4, True)
    one = minimise(function, 4, 8, 20)
    other = minimise(lambda x: np.log1p(function(x)), 4, 8, 20)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


def test_a_stopped_run_goes_on_as_if_nothing_had_happened():
    function = quadratic(4, True)
    whole, part = minimise(function, 4, 8, 20), minimise(function, 4, 8, 9)
    again = minimise(function, 4, 8, 20, state={name: array.copy() for name, array in part.items()}, first=9)
    for name in whole:
        np.testing.assert_array_equal(whole[name], again[name])
