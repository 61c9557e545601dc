"""CMA-ES, the evolution strategy that adapts its covariance matrix (Hansen & Ostermeier 2001).

The state is a dictionary of plain arrays, so that a run can be stopped and resumed at any generation. The formulas and
the default settings are those of Hansen, "The CMA evolution strategy: a tutorial" (2016), without negative weights;
with a diagonal covariance the learning rates are those of Ros & Hansen (2008), for many dimensions.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.files import Arrays

Floats = NDArray[np.float64]


class _Rates(NamedTuple):
    """The settings, which follow from the numbers of dimensions and of children."""

    shares: Floats  # of the best children in the new mean, the best first
    mass: float  # the effective number of those children
    path: float  # how fast the evolution path forgets
    step_path: float
    damping: float
    rank_one: float
    rank_many: float


def start(dimensions: int, spread: float, diagonal: bool) -> Arrays:
    """The state before the first generation: mean 0, and the same standard deviation in all directions."""
    return {
        "mean": np.zeros(dimensions),
        "sigma": np.array([float(spread)]),
        "covariance": np.ones(dimensions) if diagonal else np.eye(dimensions),
        "path": np.zeros(dimensions),
        "step_path": np.zeros(dimensions),
    }


def sample(state: Arrays, noise: Floats) -> Floats:
    """Children, shape (children, dimensions), from standard normal noise of this shape."""
    covariance = state["covariance"]
    steps = noise * np.sqrt(covariance) if covariance.ndim == 1 else noise @ _root(covariance)
    return np.asarray(state["mean"] + state["sigma"] * steps)


def update(state: Arrays, ranked: Floats, number: int, crossover: bool = True) -> None:
    """Learn from a generation; the state's arrays are replaced.

    Args:
        state: the state.
        ranked: the children, the best first, shape (children, dimensions).
        number: the number of the generation, from 0.
        crossover: whether the new mean is that of the better half; otherwise it is the best child.
    """
    children, dimensions = ranked.shape
    mean, sigma, covariance = state["mean"], float(state["sigma"][0]), state["covariance"]
    diagonal = covariance.ndim == 1
    rates = _rates(dimensions, children, diagonal, children // 2 if crossover else 1)
    steps = (ranked[: len(rates.shares)] - mean) / sigma
    step = rates.shares @ steps
    whitened = step / np.sqrt(covariance) if diagonal else step @ np.linalg.inv(_root(covariance))
    step_path = (1 - rates.step_path) * state["step_path"]
    step_path = step_path + math.sqrt(rates.step_path * (2 - rates.step_path) * rates.mass) * whitened
    expected = math.sqrt(dimensions) * (1 - 1 / (4 * dimensions) + 1 / (21 * dimensions**2))
    length = float(np.linalg.norm(step_path))
    settled = 1 - (1 - rates.step_path) ** (2 * (number + 1))
    straight = float(length / math.sqrt(settled) < (1.4 + 2 / (dimensions + 1)) * expected)
    path = (1 - rates.path) * state["path"]
    path = path + straight * math.sqrt(rates.path * (2 - rates.path) * rates.mass) * step
    many = rates.shares @ steps**2 if diagonal else (steps.T * rates.shares) @ steps
    one = path**2 if diagonal else np.outer(path, path)
    lost = (1 - straight) * rates.rank_one * rates.path * (2 - rates.path)
    kept = 1 - rates.rank_one - rates.rank_many + lost
    state["covariance"] = kept * covariance + rates.rank_one * one + rates.rank_many * many
    state["sigma"] = np.array([sigma * math.exp(rates.step_path / rates.damping * (length / expected - 1))])
    state["mean"], state["path"], state["step_path"] = mean + sigma * step, path, step_path


def _root(covariance: Floats) -> Floats:
    """The symmetric square root of a covariance matrix."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 1e-20))) @ vectors.T)


def _rates(dimensions: int, children: int, diagonal: bool, parents: int) -> _Rates:
    shares = math.log((children + 1) / 2) - np.log(np.arange(1, parents + 1))
    shares /= shares.sum()
    n, mass = dimensions, 1 / float(np.sum(shares**2))
    path = (4 + mass / n) / (n + 4 + 2 * mass / n)
    step_path = (mass + 2) / (n + mass + 5)
    damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (n + 1)) - 1) + step_path
    rank_one = 2 / ((n + 1.3) ** 2 + mass)
    rank_many = min(1 - rank_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
    if diagonal:  # there is less to learn, so it may be learned faster
        faster = (n + 2) / 3
        rank_one, rank_many = rank_one * faster, min(1 - rank_one * faster, rank_many * faster)
    return _Rates(shares, mass, path, step_path, damping, rank_one, rank_many)
