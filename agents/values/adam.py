"""Steps along a gradient, each weight by its own measure: Adam (Kingma & Ba 2015)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.jit import jit

_LEAST = np.float32(1e-8)


class Adam(NamedTuple):
    """What the slopes of some weights were so far; the arrays are like the weights, and zeros at first.

    Attributes:
        mean: the moving average of the slopes, float32.
        square: that of their squares, float32.
        kept: the share of `mean` that a step keeps.
        kept_squares: the share of `square`.
    """

    mean: NDArray[np.float32]
    square: NDArray[np.float32]
    kept: float = 0.9
    kept_squares: float = 0.999

    def step(self, weights: NDArray[np.float32], slope: NDArray[np.float32], rate: float, number: int) -> None:
        """Take one step uphill: the weights change, and what is remembered of their slopes.

        Args:
            weights: float32.
            slope: like the weights, float32.
            rate: the step size.
            number: of the step; the first is 1.
        """
        kept, kept_squares = self.kept, self.kept_squares
        corrections = 1 - kept**number, 1 - kept_squares**number  # the zeros at first have the rest of the averages
        numbers = tuple(np.float32(x) for x in (kept, 1 - kept, kept_squares, 1 - kept_squares, *corrections, rate))
        weights, slope, mean, square = (array.reshape(-1) for array in (weights, slope, self.mean, self.square))
        _step(weights, slope, mean, square, numbers)


@jit
def _step(weights: Any, slope: Any, mean: Any, square: Any, numbers: Any) -> None:
    kept, new, kept_squares, new_squares, share, share_squares, rate = numbers
    for i in range(len(weights)):
        mean[i] = kept * mean[i] + new * slope[i]
        square[i] = kept_squares * square[i] + new_squares * (slope[i] * slope[i])
        size = np.sqrt(square[i] / share_squares) + _LEAST
        weights[i] += rate * (mean[i] / share / size)
