"""Othello boards for the endgame solver: 64-bit sets on 8 × 8, whatever the size of the board.

A smaller board lies in the corner of the first square; the squares beyond it are neither empty nor taken, so they end
lines as the rim does. One layout makes every shift and mask a constant.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ludarium.agents.othello.endgame.vectors import flips_in
from ludarium.envs.jit import jit

Squares = Any  # a 64-bit set of squares, uint64: bit 8 * row + column
Square = Any  # the number of a square, uint64: an unsigned index needs no check for being negative

ZERO, ONE = np.uint64(0), np.uint64(1)
_THREE, _SEVEN, _EIGHT, _TOP, _LOW_BYTE = (np.uint64(n) for n in (3, 7, 8, 56, 255))
_FILE, _RISING = np.uint64(0x0101010101010101), np.uint64(0x0102040810204080)
_STEPS = ((0, 1), (1, -1), (1, 0), (1, 1))  # (rows, columns), each towards higher squares


@intrinsic
def count(typing_context: Any, squares: Any) -> Any:
    """`count(squares)`: how many squares are in a set, int64."""
    return types.int64(types.uint64), lambda context, builder, signature, values: builder.ctpop(values[0])


# --- the lines through each square ------------------------------------------------------------------------------------


def _lines() -> NDArray[np.uint64]:
    """Shape (64, 8): the squares of each ray from a square, four towards higher squares, then their opposites."""
    lines = np.zeros((64, 8), dtype=np.uint64)
    for square in range(64):
        for i, (down, right) in enumerate(_STEPS):
            for ray, sign in ((i, 1), (i + 4, -1)):
                row, column = square // 8 + sign * down, square % 8 + sign * right
                while 0 <= row < 8 and 0 <= column < 8:
                    lines[square, ray] |= ONE << np.uint64(8 * row + column)
                    row, column = row + sign * down, column + sign * right
    return lines


def _turned() -> NDArray[np.uint8]:
    """Shape (8, 256): discs that turn over on a line of eight when one is put on a square, by one's own discs there.

    All other squares are the other side's.
    """
    turned = np.zeros((8, 256), dtype=np.uint8)
    for square in range(8):
        for own in range(256):
            above, below = own >> (square + 1), own & ((1 << square) - 1)
            turned[square, own] = (above & -above).bit_length() - 1 if above else 0
            turned[square, own] += square - below.bit_length() if below else 0
    return turned


def _near() -> NDArray[np.uint64]:
    """Shape (64,): the neighbours of each square."""
    rows, columns = np.divmod(np.arange(64), 8)
    far = [np.maximum(abs(rows - row), abs(columns - column)) for row, column in zip(rows, columns, strict=True)]
    return np.array([sum(1 << int(other) for other in np.flatnonzero(away == 1)) for away in far], dtype=np.uint64)


_LINES = _lines()
_TURNED = _turned()
_FALLING_LINE, _RISING_LINE = (_LINES[:, i] | _LINES[:, i + 4] for i in (3, 1))  # the diagonals through each square
NEAR = _near()


@jit
def flips(square: Square, own: Squares, opponent: Squares) -> Squares:
    """The discs that turn over when `own` plays on `square`."""
    return flips_in(_LINES, square, own, opponent)


@jit
def count_flips(square: Square, own: Squares) -> Any:
    """How many discs turn over when `own` fills the last square: each line's discs are gathered into one byte."""
    row, column = square >> _THREE, square & _SEVEN
    turned = np.int64(_TURNED[column, (own >> (row * _EIGHT)) & _LOW_BYTE])
    turned += _TURNED[row, (((own >> column) & _FILE) * _RISING) >> _TOP]
    turned += _TURNED[column, ((own & _FALLING_LINE[square]) * _FILE) >> _TOP]
    return turned + _TURNED[column, ((own & _RISING_LINE[square]) * _FILE) >> _TOP]
