"""One figure for several games: the interquartile mean of normalised scores, and the mean rank.

Agarwal et al. (2021, "Deep reinforcement learning at the edge of the statistical precipice") recommend the
interquartile mean: it is less sensitive to outliers than the mean, and varies less than the median. Its interval comes
from resampling the runs of each game separately (the stratified bootstrap). A run is anything repeated independently,
such as a training seed. All games have the same weight, however many runs they have.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludarium.envs.chance import below, derive, seed_key
from ludarium.envs.jit import jit

Floats = NDArray[np.float64]


def normalised(score: ArrayLike, low: float, high: float) -> Floats:
    """Scores on a scale where `low`, such as the random agent's, is 0 and `high`, such as a reference's, is 1.

    Raises:
        ValueError: if low is not below high.
    """
    if not low < high:
        raise ValueError(f"normalised: low must be below high, not {low!r} and {high!r}")
    return (np.asarray(score, dtype=np.float64) - low) / (high - low)


def interquartile_mean(runs: Sequence[ArrayLike]) -> float:
    """The mean of the middle half of all scores.

    Args:
        runs: for each game, the normalised scores of its runs. The scores are weighted so that all games have the same
            weight; a score on the edge of the middle half counts in part.

    Raises:
        ValueError: if there is no game, or a game without runs.
    """
    return float(_interquartile_means(*_weighted(_checked(runs)))[0])


def interquartile_interval(runs: Sequence[ArrayLike], *, replicates: int = 2000, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of `interquartile_mean`: quantiles over resampled runs, each game separately.

    Args:
        runs: as for `interquartile_mean`.
        replicates: how often the runs are resampled.
        seed: replicate number i is a function of (seed, i).

    Returns:
        Its ends; NaN if every game has a single run, since there is nothing to resample then.

    Raises:
        ValueError: if there is no game, a game without runs, or no replicate.
    """
    if replicates < 1:
        raise ValueError(f"interquartile interval: replicates must be at least 1, not {replicates!r}")
    games = _checked(runs)
    if max(map(len, games)) == 1:
        return math.nan, math.nan
    edges = np.cumsum([0, *map(len, games)])
    chosen = np.zeros((replicates, edges[-1]), dtype=np.int64)
    _resample(seed_key(seed), edges, chosen)
    scores, weights = _weighted(games)
    low, high = np.quantile(_interquartile_means(scores[0][chosen], np.tile(weights, (replicates, 1))), (0.025, 0.975))
    return float(low), float(high)


def mean_ranks(scores: ArrayLike) -> Floats:
    """The mean rank of each agent over the games, shape (agents,): 1 is best; ties share the mean of their ranks.

    Args:
        scores: shape (games, agents), greater is better.

    Raises:
        ValueError: if it has another shape, or no game.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"mean ranks: scores must have the shape (games, agents), not {table.shape}")
    better = (table[:, None, :] > table[:, :, None]).sum(axis=2)
    equal = (table[:, None, :] == table[:, :, None]).sum(axis=2)
    return np.asarray((1 + better + (equal - 1) / 2).mean(axis=0))


def _checked(runs: Sequence[ArrayLike]) -> list[Floats]:
    games = [np.asarray(scores, dtype=np.float64).reshape(-1) for scores in runs]
    if not games or not all(map(len, games)):
        raise ValueError(f"interquartile mean: every game needs at least one run, not {[len(game) for game in games]}")
    return games


def _weighted(games: list[Floats]) -> tuple[Floats, Floats]:
    """All scores and their weights, which sum to 1, each of shape (1, runs)."""
    weights = np.concatenate([np.full(len(game), 1 / len(game) / len(games)) for game in games])
    return np.concatenate(games)[None], weights[None]


def _interquartile_means(scores: Floats, weights: Floats) -> Floats:
    """The mean of each row's middle half by weight, shape (rows,)."""
    order = np.argsort(scores, axis=1, kind="stable")
    scores, weights = np.take_along_axis(scores, order, axis=1), np.take_along_axis(weights, order, axis=1)
    end = np.cumsum(weights, axis=1)
    inside = np.clip(np.minimum(end, 0.75) - np.maximum(end - weights, 0.25), 0, None)
    return np.asarray((scores * inside).sum(axis=1) / inside.sum(axis=1))


@jit
def _resample(key: Any, edges: Any, chosen: Any) -> None:
    """For each row of `chosen`, draw from each stratum as many members as it has, with replacement."""
    stream = np.zeros(2, dtype=np.uint64)
    for replicate in range(len(chosen)):
        stream[0], stream[1] = derive(key, replicate), 0
        for stratum in range(len(edges) - 1):
            begin, end = edges[stratum], edges[stratum + 1]
            for member in range(begin, end):
                chosen[replicate, member] = begin + below(stream, end - begin)
