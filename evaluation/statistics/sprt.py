"""The sequential test: play pairs until it is decided which of two hypotheses about a match holds.

It is the generalised sequential probability ratio test on the five possible scores of a pair, as used to test chess
engines (Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution"). The
likelihood of a hypothesis "the expected score is s" is that of the most probable distribution of pair scores with mean
s; the test ends at Wald's bounds.
Counting pairs, not games, keeps the error rates right although the two games of a pair share their luck.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ludarium.envs.jit import jit

UNDECIDED, ACCEPT_H0, ACCEPT_H1 = "undecided", "accept H0", "accept H1"

_MOST_ELO = 1000
_UNSEEN = 1e-3  # count of a score that has not occurred yet, so that every score is possible


class Sprt:
    """Is the first agent `elo1` stronger than the second (H1), or only `elo0` (H0)?

    Attributes:
        counts: shape (5,) int64: pairs with score 0, ¼, ½, ¾ and 1.
        llr: log-likelihood ratio of H1 to H0.
        lower: the test accepts H0 when `llr` falls to this.
        upper: the test accepts H1 when `llr` rises to this.
        state: `"undecided"`, `"accept H0"` or `"accept H1"`.

    Raises:
        ValueError: if elo0 is not below elo1, one of them is not between -1000 and 1000, or the error rates are not
            positive with a sum below 1.
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        """Set up the test.

        Args:
            elo0: difference in Elo (of the expected score) under H0.
            elo1: difference under H1.
            alpha: probability of accepting H1 although H0 holds.
            beta: probability of accepting H0 although H1 holds.
        """
        if not (abs(elo0) <= _MOST_ELO and abs(elo1) <= _MOST_ELO):
            raise ValueError(
                f"sprt: elo0 and elo1 must be between -{_MOST_ELO} and {_MOST_ELO}, not {elo0!r} and {elo1!r}"
            )
        if not elo0 < elo1:
            raise ValueError(f"sprt: elo0 must be below elo1, not {elo0!r} and {elo1!r}")
        if not (alpha > 0 and beta > 0 and alpha + beta < 1):
            raise ValueError(f"sprt: alpha and beta must be positive with a sum below 1, not {alpha!r} and {beta!r}")
        self.elo0, self.elo1 = elo0, elo1
        self.lower, self.upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
        self.counts = np.zeros(5, dtype=np.int64)
        self.llr = 0.0
        self.state = UNDECIDED

    def update(self, pair_scores: ArrayLike) -> str:
        """Count pairs in order until the test is decided; later ones are ignored, so batches may have any size.

        Args:
            pair_scores: the first agent's mean score in each pair, in order: 0, ¼, ½, ¾ or 1.

        Returns:
            The state.

        Raises:
            ValueError: for any other score.
        """
        scores = np.asarray(pair_scores, dtype=np.float64).reshape(-1)
        for score in scores[~np.isin(scores, np.arange(5) / 4)][:1]:
            raise ValueError(f"sprt: the score of a pair must be 0, 0.25, 0.5, 0.75 or 1, not {score.item()!r}")
        expected = expected_score(self.elo0), expected_score(self.elo1)
        for score in (4 * scores).astype(np.int64):
            if self.state != UNDECIDED:
                break
            self.counts[score] += 1
            self.llr = float(_llr(self.counts, *expected))
            self.state = ACCEPT_H1 if self.llr >= self.upper else ACCEPT_H0 if self.llr <= self.lower else UNDECIDED
        return self.state

    def __str__(self) -> str:
        return (
            f"{self.state}: {self.elo0:+g} against {self.elo1:+g} Elo, log-likelihood ratio {self.llr:.2f} "
            f"({self.lower:.2f}, {self.upper:.2f}) after {self.counts.sum()} pairs {self.counts.tolist()}"
        )


def expected_score(elo: float) -> float:
    """The expected score of an agent that is this much stronger than its opponent: 1 / (1 + 10^(−elo/400))."""
    return float(1 / (1 + 10 ** (-elo / 400)))


@jit
def _llr(counts: Any, score0: float, score1: float) -> float:
    """The log-likelihood ratio of expected score 1 to expected score 0."""
    shares = np.empty(5)
    pairs = 0.0
    for i in range(5):
        shares[i] = max(np.float64(counts[i]), _UNSEEN)
        pairs += shares[i]
    for i in range(5):
        shares[i] /= pairs
    tilt0, tilt1 = _tilt(shares, score0), _tilt(shares, score1)
    ratio = 0.0
    for i in range(5):
        ratio += shares[i] * np.log((1 + tilt0 * (i / 4 - score0)) / (1 + tilt1 * (i / 4 - score1)))
    return pairs * ratio


@jit
def _tilt(shares: Any, mean: float) -> float:
    """The t for which shares / (1 + t · (score − mean)) has this mean, by bisection.

    Those are the most probable shares under the constraint (Lagrange multiplier).
    """
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(60):
        t = (low + high) / 2
        slope = 0.0
        for i in range(5):
            slope += shares[i] * (i / 4 - mean) / (1 + t * (i / 4 - mean))
        if slope > 0:
            low = t
        else:
            high = t
    return (low + high) / 2
