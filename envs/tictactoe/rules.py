"""Tic-tac-toe and its m, n, k family: the record and the kernels.

`rows` × `columns` squares, numbered row by row; the first side to have `line` stones in a row, column or diagonal wins.
Boards are 64-bit sets: bit i is square i. `own` belongs to the seat to move.

     0 | 1 | 2
    ---+---+---
     3 | 4 | 5
    ---+---+---
     6 | 7 | 8
"""

from typing import Any

import numpy as np

from ludarium.envs.chance import scale
from ludarium.envs.jit import jit
from ludarium.envs.kernels import OVER, Floats, Int8s, Record

STATE = np.dtype(
    [
        ("own", np.uint64),  # squares of the seat to move (at the end: of the seat that would move)
        ("opponent", np.uint64),
        ("lines", np.uint64, (4,)),  # per direction: the squares from which a whole line fits on the board
        ("steps", np.uint8, (4,)),  # the directions east, south, south-east, south-west, as square distances
        ("rows", np.uint8),
        ("columns", np.uint8),
        ("line", np.uint8),
        ("seat", np.int8),  # the seat to move
        ("winner", np.int8),  # -1: nobody (yet)
        ("empty", np.int8),  # squares left
    ],
    align=True,
)

Board = Any  # a set of squares: uint64

_ONE = np.uint64(1)


def setup(s: Record, o: Record) -> int:
    """Write the empty board."""
    rows, columns, line = o.rows, o.columns, o.line
    s.rows, s.columns, s.line = rows, columns, line
    s.empty = rows * columns
    s.winner = -1
    for direction in range(4):
        down = 0 if direction == 0 else 1
        across = (1, 0, 1, -1)[direction]
        s.steps[direction] = down * columns + across
        starts: Board = np.uint64(0)
        for row in range(rows):
            for column in range(columns):
                last_row, last_column = row + down * (line - 1), column + across * (line - 1)
                if last_row < rows and 0 <= last_column < columns:
                    starts |= _ONE << np.uint64(row * columns + column)
        s.lines[direction] = starts
    return 0


def turn(s: Record) -> int:
    """The seat to move; over with a line or a full board."""
    return OVER if s.winner >= 0 or s.empty == 0 else s.seat


def legal(s: Record, mask: Int8s) -> int:
    """The empty squares, until the game is over."""
    taken: Board = ~np.uint64(0) if s.winner >= 0 else s.own | s.opponent
    count = 0
    for square in range(s.rows * s.columns):
        free = int((taken >> np.uint64(square)) & _ONE == 0)
        mask[square] = free
        count += free
    return count


@jit
def has_line(s: Record, stones: Board) -> bool:
    """Whether a set of squares contains a whole line."""
    for direction in range(4):
        run = stones
        for _ in range(s.line - 1):
            run = stones & (run >> np.uint64(s.steps[direction]))
        if run & s.lines[direction]:
            return True
    return False


def play(s: Record, action: int) -> int:
    """Put a stone on the square and pass the turn."""
    stones = s.own | (_ONE << np.uint64(action))
    s.own = s.opponent
    s.opponent = stones
    s.empty -= 1
    if has_line(s, stones):
        s.winner = s.seat
    s.seat = 1 - s.seat
    return 0


def payoffs(s: Record, out: Floats) -> int:
    """1 for having a line, -1 if the other side has one."""
    out[0] = out[1] = 0.0
    if s.winner >= 0:
        out[s.winner], out[1 - s.winner] = 1.0, -1.0
    return 0


def observe(s: Record, seat: int, out: Int8s) -> int:
    """Shape (rows, columns, 2): the seat's own stones, the other side's."""
    own, opponent = (s.own, s.opponent) if seat == s.seat else (s.opponent, s.own)
    for square in range(s.rows * s.columns):
        out[2 * square] = (own >> np.uint64(square)) & _ONE
        out[2 * square + 1] = (opponent >> np.uint64(square)) & _ONE
    return 0


def sample(s: Record, bits: int) -> int:
    """A uniformly random empty square."""
    taken: Any = s.own | s.opponent
    n = scale(bits, s.empty)
    for square in range(s.rows * s.columns):
        if not (taken >> np.uint64(square)) & _ONE:
            if n == 0:
                return square
            n -= 1
    return -1
