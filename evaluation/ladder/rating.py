"""The rating of an agent by its games against rungs whose ratings are known; and the ratings of the rungs themselves.

A rating R says: over one game against every rung, the agent scores what the Elo scale expects of R (a win is 1, a draw
½):

    Σ_i p_i = Σ_i E(R − r_i),   E(x) = 1 / (1 + 10^(−x / 400))

This is the likelihood equation of the Bradley–Terry model for as many games against each rung, so a rung's own rating
is what `rate` would find for it. It does not assume that the model is right for every opponent: an agent that does
better against one rung than its rating says, and worse against another, has a rating all the same.

What is not known yet of the scores p_i has a prior, in which the model is right on average. With a strength θ, normal
around the rungs' mean with a standard deviation of `PRIOR` Elo, each score has the distribution
Beta(m E(θ − r_i), m (1 − E(θ − r_i))). The agreement m is worth as many games: it says how well the model fits the
rungs among themselves. The posterior is computed on a grid of θ. Games in pairs vary less, or more, than the same
number of independent games; so they count as games / dispersion.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.jit import jit
from ludarium.evaluation.statistics.ratings import ELO, PRIOR

Floats = NDArray[np.float64]
_STEP, _BEYOND = 10.0, 1200.0  # the grid, in Elo: its step, and how far it goes beyond the rungs
_FARTHEST = 4000.0  # from the rungs, in Elo: what a rating can be
_Z = 1.959964
_LEAST_AGREEMENT, _MOST_AGREEMENT = 4.0, 1000.0
_FAMILIAR = 50  # pairs after which an agent's own dispersion counts as much as that of the rungs
_UNIT, _UNITS = 2, 64  # pairs that go to one rung at a time, at least; units in a batch, about


class Scale(NamedTuple):
    """The rungs of a ladder as numbers.

    Attributes:
        elo: shape (rungs,): their ratings.
        error: shape (rungs,): their standard errors.
        agreement: games that the model is worth.
        dispersion: variance of the mean score of a pair, relative to two independent games without draws.
    """

    elo: Floats
    error: Floats
    agreement: float
    dispersion: float


class Estimate(NamedTuple):
    """What games say.

    Attributes:
        elo: the rating.
        interval: its 95 % interval, which is wider to the side of which less is known.
        scores: shape (rungs,): the score expected against each rung.
        variances: shape (rungs,): how uncertain each of them is.
    """

    elo: float
    interval: tuple[float, float]
    scores: Floats
    variances: Floats


def expected(difference: Floats) -> Floats:
    """The score that the Elo scale expects of a difference in ratings."""
    return np.asarray(1 / (1 + 10 ** (-difference / 400)))


def estimate(scale: Scale, points: Floats, games: Floats) -> Estimate:
    """Rate an agent.

    Args:
        scale: the rungs.
        points: shape (rungs,): the sum of its scores against each.
        games: shape (rungs,): number of games against each, which may be 0.
    """
    grid = np.arange(scale.elo.min() - _BEYOND, scale.elo.max() + _BEYOND + _STEP, _STEP)
    chances = expected(grid[:, None] - scale.elo)
    won, lost = scale.agreement * chances, scale.agreement * (1 - chances)
    more_won, more_lost = won + points / scale.dispersion, lost + (games - points) / scale.dispersion
    fits = _likelihoods(won, lost, more_won, more_lost) - ((grid - scale.elo.mean()) / PRIOR) ** 2 / 2
    weights = np.exp(fits - fits.max())
    weights /= weights.sum()
    counted = more_won + more_lost
    means = more_won / counted
    spreads = means * (1 - means) / (counted + 1)
    scores, totals, errors = weights @ means, means.sum(axis=1), np.sqrt(spreads.sum(axis=1))
    low, elo, high = (_rating(scale.elo, _quantile(weights, totals, errors, share)) for share in (0.025, 0.5, 0.975))
    rungs = _Z * _error_of_rungs(scale, elo)
    interval = elo - math.hypot(elo - low, rungs), elo + math.hypot(high - elo, rungs)
    return Estimate(elo, interval, scores, weights @ (spreads + (means - scores) ** 2))


@jit
def _quantile(weights: Any, means: Any, errors: Any, share: float) -> float:
    """A quantile of a mixture of normal distributions, by bisection."""
    low, high = (means - 9 * errors).min(), (means + 9 * errors).max()
    for _ in range(50):
        middle, below = (low + high) / 2, 0.0
        for k in range(len(weights)):
            below += weights[k] * (1 + math.erf((middle - means[k]) / errors[k] / math.sqrt(2.0))) / 2
        if below < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@jit
def _likelihoods(won: Any, lost: Any, more_won: Any, more_lost: Any) -> Any:
    """The logarithms of the games' likelihoods, but for a constant: one for each row of the prior's parameters."""
    likelihoods = np.zeros(len(won))
    for row in range(len(won)):
        for rung in range(won.shape[1]):
            likelihoods[row] += math.lgamma(more_won[row, rung]) - math.lgamma(won[row, rung])
            likelihoods[row] += math.lgamma(more_lost[row, rung]) - math.lgamma(lost[row, rung])
    return likelihoods


def _rating(elo: Floats, total: float) -> float:
    """The rating from which the rungs expect this total."""
    possible = np.arange(elo.min() - _FARTHEST, elo.max() + _FARTHEST, _STEP)
    return float(np.interp(total, expected(possible[:, None] - elo).sum(axis=1), possible))


def _error_of_rungs(scale: Scale, elo: float) -> float:
    """The standard error that the rungs' own errors add; as if all of them erred in one direction, the worst case."""
    chances = expected(elo - scale.elo)
    weights = chances * (1 - chances)
    return float(weights @ scale.error / weights.sum())


class Climb:
    """What is known of an agent on its way up a ladder.

    Attributes:
        scores: for each rung, the agent's mean score in each pair.
        estimate: the estimate by these.
    """

    def __init__(self, scale: Scale) -> None:
        self._scale = scale
        self.take([np.zeros(0) for _ in scale.elo])

    def take(self, scores: list[Floats]) -> None:
        """Take note of all pairs so far."""
        self.scores = scores
        points, games = np.array([2 * pairs.sum() for pairs in scores]), self._games()
        usual = estimate(self._scale, points, games)
        self._own = self._scale._replace(dispersion=_dispersion(self._scale, usual, scores))
        self.estimate = estimate(self._own, points, games)

    def next(self, pairs: int) -> list[int]:
        """Against which rungs the next pairs tell most about the rating, as pairs for each rung."""
        return next_rungs(self._own, self.estimate, self._games(), pairs)

    def _games(self) -> Floats:
        return np.array([2.0 * len(pairs) for pairs in self.scores])


def next_rungs(scale: Scale, estimate: Estimate, games: Floats, pairs: int) -> list[int]:
    """Against which rungs the next pairs tell most about the rating, as pairs for each rung.

    The variance of the rating is that of the sum of the scores. So each unit goes where it takes most of that away: to
    a rung about whose score little is known, by the games so far and by those that are to come.

    Args:
        scale: the rungs.
        estimate: what is known.
        games: shape (rungs,): number of games so far.
        pairs: how many pairs are to be played.
    """
    information = games / scale.dispersion + scale.agreement
    variances = estimate.variances.copy()
    counts = [0] * len(games)
    unit = max(_UNIT, pairs // _UNITS)
    for first in range(0, pairs, unit):
        size = 2 * min(unit, pairs - first) / scale.dispersion
        rung = int(np.argmax(variances * size / (information + size)))
        variances[rung] *= information[rung] / (information[rung] + size)
        information[rung] += size
        counts[rung] += min(unit, pairs - first)
    return counts


def _dispersion(scale: Scale, estimate: Estimate, pairs: list[Floats]) -> float:
    """The dispersion of an agent's games: that of the rungs, or more if its own pairs show more.

    Args:
        scale: the rungs.
        estimate: the estimate with the rungs' dispersion.
        pairs: for each rung, the agent's mean score in each pair.
    """
    freedom = np.array([max(0, len(scores) - 1) for scores in pairs])
    if not freedom.any():
        return scale.dispersion
    own = sum(((scores - scores.mean()) ** 2).sum() for scores in pairs if len(scores))
    own /= float(freedom @ (estimate.scores * (1 - estimate.scores))) / 2
    share = freedom.sum() / (freedom.sum() + _FAMILIAR)
    return max(scale.dispersion, float(share * own + (1 - share) * scale.dispersion))


def fit_rungs(scores: Floats, variances: Floats, counts: Floats) -> Scale:
    """Rate rungs by their games among themselves, where the first is 0.

    Args:
        scores: shape (rungs, rungs): mean score of the row against the column; the diagonal is not used.
        variances: shape (rungs, rungs): of the mean score of a pair.
        counts: shape (rungs, rungs): number of pairs.

    Raises:
        ValueError: if two rungs have not met.
    """
    others = ~np.eye(len(scores), dtype=bool)
    if (counts[others] < 2).any():
        raise ValueError("ladder: every two rungs must have played at least two pairs")
    elo = np.zeros(len(scores))
    for _ in range(200):
        chances = expected(elo[:, None] - elo)
        slopes = _laplacian(np.where(others, chances * (1 - chances), 0.0)) / ELO
        step = np.linalg.solve(slopes[1:, 1:], np.where(others, scores - chances, 0.0).sum(axis=1)[1:])
        elo[1:] += np.clip(step, -200, 200)
        if np.abs(step).max() < 1e-9:
            break
    chances = expected(elo[:, None] - elo)
    spread = np.where(others, chances * (1 - chances), 0.0)
    noise = np.where(others, variances / np.maximum(counts, 1), 0.0)
    inverse = np.linalg.inv((_laplacian(spread) / ELO)[1:, 1:])
    covariance = inverse @ _laplacian(noise)[1:, 1:] @ inverse.T
    misfit = np.where(others, (scores - chances) ** 2, 0.0).sum() - noise.sum()
    agreement = spread.sum() / max(misfit, spread.sum() / (_MOST_AGREEMENT + 1)) - 1
    usual = np.where(others, scores * (1 - scores) / 2, 0.0).sum()
    return Scale(
        elo,
        np.sqrt(np.concatenate([[0.0], np.diag(covariance)])),
        float(np.clip(agreement, _LEAST_AGREEMENT, _MOST_AGREEMENT)),
        float(np.where(others, variances, 0.0).sum() / usual),
    )


def _laplacian(weights: Floats) -> Floats:
    return np.diag(weights.sum(axis=1)) - weights
