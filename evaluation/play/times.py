"""How long moves take, as counts on a logarithmic scale: small, and those of several pieces of work can be added.

A bucket is a quarter of an octave, so a time that is read from it is right within 9 %.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

_PER_OCTAVE = 4
BUCKETS = _PER_OCTAVE * 48
"""Their number: from a nanosecond to three days."""

Counts = NDArray[np.int64]


def count_times(nanoseconds: Iterable[int]) -> Counts:
    """How many of these times are in each bucket, shape (BUCKETS,)."""
    spent = np.fromiter(nanoseconds, dtype=np.float64)
    places = (_PER_OCTAVE * np.log2(np.maximum(spent, 1))).astype(np.int64)
    return np.bincount(np.minimum(places, BUCKETS - 1), minlength=BUCKETS)


def quantile(counts: Sequence[int] | Counts, share: float) -> float:
    """The time in seconds that this share of the counted ones does not exceed; NaN without any."""
    total = np.cumsum(counts)
    if not total[-1]:
        return math.nan
    place = int(np.searchsorted(total, share * total[-1]))
    return float(2 ** ((place + 0.5) / _PER_OCTAVE) * 1e-9)
