"""Confidence intervals of means of independent values, such as the scores of pairs, or one value per training seed."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

# Student's t: 97.5 % quantiles for 1 to 30 degrees of freedom.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_Z = 1.959964
_EQUAL = 1e-12  # means that differ by less differ by rounding
_FEWEST = 10  # values from which something is said although all are equal


def student_t(degrees: int) -> float:
    """The 97.5 % quantile of Student's t.

    Above 30 degrees of freedom it is the Cornish–Fisher expansion (Abramowitz & Stegun 26.7.5), accurate to 0.001.

    Args:
        degrees: degrees of freedom, at least 1.
    """
    if degrees <= len(_T):
        return _T[degrees - 1]
    return _Z + (_Z**3 + _Z) / (4 * degrees) + (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * degrees**2)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean of independent values, and half of its 95 % interval; infinite for fewer than two."""
    count = len(values)
    mean = float(np.mean(values))
    if count < 2:
        return mean, math.inf
    return mean, student_t(count - 1) * float(np.std(values, ddof=1)) / math.sqrt(count)


def half_width(values: NDArray[np.float64], low: float = 0.0, high: float = 1.0) -> float:
    """Half the 95 % interval of the mean of independent values, by Student's t.

    If all values are equal, their spread says nothing; then it is that of `unvaried`.

    Args:
        values: shape (n,): such as the scores of pairs.
        low: the lowest value there can be.
        high: the highest.

    Returns:
        Half the width; infinite for fewer than two values.
    """
    if len(values) < 2:
        return math.inf
    if np.ptp(values) == 0:
        return unvaried(len(values), float(max(values[0] - low, high - values[0])))
    return mean_interval(values.tolist())[1]


def likelihood_above(level: float, mean: float, margin: float) -> float:
    """The likelihood that the true mean is above a level, taken as normal; NaN if nothing is known.

    Args:
        level: the level; the likelihood that a mean equal to it is above it is ½, whatever the interval.
        mean: the mean.
        margin: half its 95 % interval, not 0; infinite if it is unknown.
    """
    if abs(mean - level) < _EQUAL:
        return 0.5
    return NormalDist().cdf(_Z * (mean - level) / margin) if math.isfinite(margin) else math.nan


def unvaried(count: int, reach: float) -> float:
    """Half the 95 % interval of a mean whose values were all equal; infinite for fewer than ten.

    By the rule of three (Hanley & Lippman-Hand 1983), here in its exact form: with 95 % confidence, other values have a
    probability of at most 1 − 0.05^(1/n), about 3/n.

    Args:
        count: number of values.
        reach: how far another value can be from these.
    """
    return (1 - 0.05 ** (1 / count)) * reach if count >= _FEWEST else math.inf
