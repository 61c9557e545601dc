"""CMA-ES finds the minimum of quadratic functions, whatever their directions, and can be stopped anywhere."""

import numpy as np
import pytest

from ludarium.agents.learning import cma


def minimise(function, dimensions, children, generations, diagonal=False, state=None, first=0):
    state = state or cma.start(dimensions, 1.0, diagonal)
    for number in range(first, generations):
        noise = np.random.default_rng([7, number]).standard_normal((children, dimensions))
        sample = cma.sample(state, noise)
        cma.update(state, sample[np.argsort([function(one) for one in sample], kind="stable")], number)
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


CHILDREN = np.array([[3.0, 0.5], [2.0, -1.0], [1.0, 1.5], [-1.0, 0.0], [0.0, -2.0], [-2.0, 1.0]])
NEAR = {"mean": [1.279328, 0.075766], "sigma": [0.96449], "path": [0.634067, 0.037551],
        "step_path": [0.840223, 0.049761]}  # fmt: skip
FAR = {"mean": [3.837983, 0.227298], "sigma": [3.082288], "path": [0, 0], "step_path": [2.520668, 0.149282]}
"""What the formulas of the tutorial come to: from steps that are too long, the evolution path does not learn."""


@pytest.mark.parametrize(
    ("scale", "state", "covariance"),
    [
        (0.5, NEAR, [[1.114046, 0.031491], [0.031491, 0.635963]]),
        (0.5, NEAR, [1.120924, 0.533725]),
        (1.5, FAR, [[1.689997, 0.063362], [0.063362, 0.936584]]),
        (1.5, FAR, [1.890776, 0.915409]),
    ],
)
def test_two_generations_by_value(scale, state, covariance):
    distribution = cma.start(2, 1.0, np.ndim(covariance) == 1)
    for number in range(2):
        cma.update(distribution, scale * CHILDREN, number)
    for name, value in {**state, "covariance": covariance}.items():
        np.testing.assert_allclose(distribution[name], value, atol=1e-6)


@pytest.mark.parametrize(
    ("dimensions", "children", "diagonal", "rates"),
    [
        (1, 40, False, (11.309482, 0.554311, 0.768913, 4.309724, 0.120486, 0.879514)),
        (4, 100, True, (26.966655, 0.5, 0.805375, 4.363152, 0.072652, 0.927348)),
        (4, 100, False, (26.966655, 0.5, 0.805375, 4.363152, 0.036326, 0.79419)),
    ],
)
def test_many_children_learn_faster_within_bounds(dimensions, children, diagonal, rates):
    """The effective number of parents, and the rates: what the formulas of the tutorial come to, capped and damped."""
    np.testing.assert_allclose(cma._rates(dimensions, children, diagonal, children // 2)[1:], rates, atol=1e-6)
