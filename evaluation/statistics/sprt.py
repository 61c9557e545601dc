"""The sequential test: play pairs until it is decided which of two hypotheses about a match holds.

It is the generalised sequential probability ratio test on the scores of pairs, as used to test chess engines (Van den
Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution" and "Normalized Elo
practical"). The likelihood of an expected score is that of the most probable distribution of pair scores with this
mean; the test ends at Wald's bounds.
Counting pairs, not games, keeps the error rates right although the two games of a pair share their luck.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludarium.envs.jit import jit

UNDECIDED, ACCEPT_H0, ACCEPT_H1 = "undecided", "accept H0", "accept H1"
ELO, NORMALIZED, POINTS = "elo", "normalized-elo", "points"
_LIMITS = {ELO: 1000.0, NORMALIZED: 300.0, POINTS: 0.9}
_NAMES = {ELO: "Elo", NORMALIZED: "normalized Elo", POINTS: "points a game"}
_PER_DEVIATION = 800 / math.log(10)
"""Normalized Elo of an agent that scores one standard deviation of a game above ½."""
_UNSEEN = 1e-3  # count of a usual score that has not occurred yet, so that each of them is possible
_QUARTERS, _HALVES = np.arange(5) / 4, np.arange(-2, 3) / 2


@dataclass(frozen=True)
class Hypotheses:
    """How much stronger the first agent is than the second: `h0` if H0 holds, `h1` if H1 does.

    Attributes:
        h0: the difference under H0.
        h1: the difference under H1.
        alpha: probability of accepting H1 although H0 holds.
        beta: probability of accepting H0 although H1 holds.
        unit: `"elo"` of the expected score; `"normalized-elo"`, 800 / ln 10 times the expected score above ½ in
            standard deviations of a game, which is as hard to show in any game; or `"points"`, the mean payoff a game.

    Raises:
        ValueError: if h0 is not below h1, one of them is out of range (±1000 Elo, ±300 normalized, ±0.9 points), the
            error rates are not positive with a sum below 1, or the unit is unknown.
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    unit: str = ELO

    def __post_init__(self) -> None:
        if self.unit not in _LIMITS:
            raise ValueError(f"sprt: unit must be one of {', '.join(map(repr, _LIMITS))}, not {self.unit!r}")
        limit = _LIMITS[self.unit]
        if not (abs(self.h0) <= limit and abs(self.h1) <= limit):
            raise ValueError(
                f"sprt: h0 and h1 must be between -{limit:g} and {limit:g} {_NAMES[self.unit]}, "
                f"not {self.h0!r} and {self.h1!r}"
            )
        if not self.h0 < self.h1:
            raise ValueError(f"sprt: h0 must be below h1, not {self.h0!r} and {self.h1!r}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError(
                f"sprt: alpha and beta must be positive with a sum below 1, not {self.alpha!r} and {self.beta!r}"
            )

    @property
    def targets(self) -> tuple[float, float]:
        """The expected score under H0 and H1; of normalized Elo, its distance from ½ in deviations of a pair."""
        if self.unit == ELO:
            return expected_score(self.h0), expected_score(self.h1)
        factor = math.sqrt(2) / _PER_DEVIATION if self.unit == NORMALIZED else 1.0
        return factor * self.h0, factor * self.h1

    def __str__(self) -> str:
        return f"{self.h0:+g} against {self.h1:+g} {_NAMES[self.unit]}"


class Sprt:
    """A test in progress.

    Attributes:
        hypotheses: what it decides between.
        scores: shape (n,) float64: the different scores of a pair, increasing.
        counts: shape (n,) int64: how many pairs had each.
        llr: log-likelihood ratio of H1 to H0.
        lower: the test accepts H0 when `llr` falls to this.
        upper: the test accepts H1 when `llr` rises to this.
        state: `"undecided"`, `"accept H0"` or `"accept H1"`.
    """

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses, alpha, beta = hypotheses, hypotheses.alpha, hypotheses.beta
        self.lower, self.upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
        self.scores: NDArray[np.float64] = _HALVES if hypotheses.unit == POINTS else _QUARTERS
        self.counts = np.zeros(len(self.scores), dtype=np.int64)
        self.llr = 0.0
        self.state = UNDECIDED

    @property
    def pairs(self) -> int:
        """How many pairs have been counted."""
        return int(self.counts.sum())

    def update(self, pair_scores: ArrayLike) -> str:
        """Count pairs in order until the test is decided; later ones are ignored, so batches may have any size.

        Args:
            pair_scores: in order, the first agent's mean score in each pair: 0, ¼, ½, ¾ or 1; its mean payoff, if the
                unit is points.

        Returns:
            The state.

        Raises:
            ValueError: for any other score.
        """
        scores = np.asarray(pair_scores, dtype=np.float64).reshape(-1)
        points = self.hypotheses.unit == POINTS
        wrong = scores[~(np.isfinite(scores) if points else np.isin(scores, _QUARTERS))]
        if len(wrong):
            wanted = "finite" if points else "0, 0.25, 0.5, 0.75 or 1"
            raise ValueError(f"sprt: the score of a pair must be {wanted}, not {wrong[0].item()!r}")
        if self.state != UNDECIDED or not len(scores):
            return self.state
        all_scores = np.union1d(self.scores, scores)
        counts = np.zeros(len(all_scores), dtype=np.int64)
        counts[np.searchsorted(all_scores, self.scores)] = self.counts
        unseen = np.where(np.isin(all_scores, _HALVES if points else _QUARTERS), _UNSEEN, 0.0)
        self.llr = _count(
            np.searchsorted(all_scores, scores),
            all_scores,
            counts,
            unseen,
            *self.hypotheses.targets,
            self.hypotheses.unit == NORMALIZED,
            self.lower,
            self.upper,
        )
        self.scores, self.counts = all_scores, counts
        self.state = ACCEPT_H1 if self.llr >= self.upper else ACCEPT_H0 if self.llr <= self.lower else UNDECIDED
        return self.state

    def __str__(self) -> str:
        counts = self.counts.tolist() if self.hypotheses.unit != POINTS else ""
        return (
            f"{self.state}: {self.hypotheses}, log-likelihood ratio {self.llr:.2f} "
            f"({self.lower:.2f}, {self.upper:.2f}) after {self.pairs} pairs {counts}"
        ).rstrip()


def expected_score(elo: float) -> float:
    """The expected score of an agent that is this much stronger than its opponent: 1 / (1 + 10^(−elo/400))."""
    return float(1 / (1 + 10 ** (-elo / 400)))


@jit
def _count(
    which: Any,
    scores: Any,
    counts: Any,
    unseen: Any,
    target0: float,
    target1: float,
    normalized: bool,
    lower: float,
    upper: float,
) -> float:
    """Count pairs by the numbers of their scores until the ratio reaches a bound; returns the ratio."""
    shares, costs = np.empty(len(scores)), np.empty(len(scores))
    ratio = 0.0
    for number in which:
        counts[number] += 1
        pairs = 0.0
        for i in range(len(scores)):
            shares[i] = max(np.float64(counts[i]), unseen[i])
            pairs += shares[i]
        for i in range(len(scores)):
            shares[i] /= pairs
        if normalized:
            ratio = pairs * _of_distances(shares, scores, target0, target1)
        else:
            ratio = pairs * (_at_mean(shares, scores, target1, costs) - _at_mean(shares, scores, target0, costs))
        if ratio >= upper or ratio <= lower:
            break
    return ratio


@jit
def _at_mean(shares: Any, scores: Any, mean: float, costs: Any) -> float:
    """The log-likelihood a pair, up to a constant, of the most probable distribution with this mean."""
    for i in range(len(scores)):
        costs[i] = scores[i] - mean
    multiplier, likelihood = _multiplier(shares, costs), 0.0
    for i in range(len(shares)):
        if shares[i] > 0.0:
            likelihood -= shares[i] * np.log(1 + multiplier * costs[i])
    return likelihood


@jit
def _of_distances(shares: Any, scores: Any, distance0: float, distance1: float) -> float:
    """The log-likelihood ratio a pair of two distances of the mean from ½, in standard deviations.

    It is that of normal distributions whose deviation is unknown: ½ ln((1 + (t − t₀)²) / (1 + (t − t₁)²)) with the
    distance t that was seen.
    """
    mean = square = 0.0
    for i in range(len(shares)):
        mean += shares[i] * scores[i]
        square += shares[i] * scores[i] * scores[i]
    t = (mean - 0.5) / np.sqrt(square - mean * mean)
    return np.log((1 + (t - distance0) ** 2) / (1 + (t - distance1) ** 2)) / 2


@jit
def _multiplier(shares: Any, costs: Any) -> float:
    """The t for which shares / (1 + t · costs) cost nothing on average, by Newton's method within bounds.

    Those are the most probable shares under the constraint (t is its Lagrange multiplier).
    """
    least = most = 0.0
    for i in range(len(shares)):
        if shares[i] > 0.0:
            least, most = min(least, costs[i]), max(most, costs[i])
    low, high, t = -1 / max(most, 1e-300), 1 / max(-least, 1e-300), 0.0
    for _ in range(100):
        mean = slope = 0.0
        for i in range(len(shares)):
            if shares[i] > 0.0:
                part = costs[i] / (1 + t * costs[i])
                mean += shares[i] * part
                slope += shares[i] * part * part
        if mean > 0:
            low = t
        else:
            high = t
        following = t + mean / slope if slope > 0.0 else t
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - t) <= 1e-13 * max(1.0, abs(t)):
            break
        t = following
    return t
