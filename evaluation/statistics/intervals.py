"""Intervals of means of few independent values, such as one from each training seed."""

import math
from collections.abc import Sequence

import numpy as np

# Student's t: 97.5 % points for 1 to 30 degrees of freedom.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_Z = 1.959964


def student_t(degrees: int) -> float:
    """The 97.5 % point of Student's t.

    Beyond 30 degrees of freedom it is the Cornish–Fisher expansion (Abramowitz & Stegun 26.7.5), right to 0.001.

    Args:
        degrees: of freedom, at least 1.
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
