"""Hexapawn on any board from 3 × 3 to 8 × 8: the record and the kernels.

Each side has one row of pawns. A pawn steps one square ahead onto an empty square or captures one square diagonally
ahead. Whoever reaches the far row wins, and so does whoever leaves the other side without a move (Gardner 1962,
"Mathematical Games", Scientific American 206(3), for 3 × 3).

Everything is seen from the seat to move: `own` pawns move up, and the board is turned upside down after each move, so
columns keep their names. Boards are 64-bit sets with eight bits per row, whatever the width. For 3 × 3:

    16 17 18        6 7 8
     8  9 10        3 4 5
     0  1  2        0 1 2
    bits            squares

Action `3 × square + direction` moves the pawn on `square`; direction 0 captures towards column a, 1 steps ahead, 2
captures away from column a. They add 7, 8 and 9 to the index of the pawn's bit.

A game has at most `2 × columns × (rows - 2) + 1` moves: each move brings one pawn one row further, `rows - 2` moves
bring a pawn to the last row but one, and the first pawn to go beyond it ends the game.
"""

from typing import Any

import numpy as np

from ludarium.envs.jit import jit
from ludarium.envs.kernels import OVER, Floats, Int8s, Record

STATE = np.dtype(
    [
        ("own", np.uint64),  # pawns of the seat to move (at the end: of the seat that would move)
        ("opponent", np.uint64),
        ("rows", np.uint8),
        ("columns", np.uint8),
        ("seat", np.int8),  # the seat to move
        ("over", np.int8),  # 1: the other seat has won
    ],
    align=True,
)

Board = Any  # a set of squares: uint64

_ONE, _7, _8, _9 = (np.uint64(n) for n in (1, 7, 8, 9))
_ROW = np.uint64(0xFF)
_COLUMN_A, _COLUMN_H = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def setup(s: Record, o: Record) -> int:
    """White's pawns on the first row, Black's on the last; White moves."""
    s.rows, s.columns = o.rows, o.columns
    s.own = (_ONE << np.uint64(o.columns)) - _ONE
    s.opponent = s.own << np.uint64(8 * (o.rows - 1))
    return 0


def turn(s: Record) -> int:
    """The seat to move."""
    return OVER if s.over else s.seat


@jit
def bit(s: Record, square: int) -> Board:
    """A square as a set of one bit."""
    return _ONE << np.uint64(square // s.columns * 8 + square % s.columns)


@jit
def flip(s: Record, board: Board) -> Board:
    """The board upside down."""
    flipped = np.uint64(0)
    for _ in range(s.rows):
        flipped = (flipped << _8) | (board & _ROW)
        board >>= _8
    return flipped


@jit
def movers(s: Record, direction: int) -> Board:
    """The pawns of the seat to move that can go in a direction (0, 1, 2, see above)."""
    if direction == 0:
        return s.own & (s.opponent >> _7) & ~_COLUMN_A
    if direction == 1:
        return s.own & ~((s.own | s.opponent) >> _8)
    return s.own & (s.opponent >> _9) & ~_COLUMN_H


@jit
def is_lost(s: Record) -> bool:
    """Whether the seat to move has lost: a pawn has come through, or none of its own can move."""
    return s.opponent & _ROW != 0 or movers(s, 0) | movers(s, 1) | movers(s, 2) == 0


def legal(s: Record, mask: Int8s) -> int:
    """Steps onto empty squares and captures, until the game is over."""
    count = 0
    for direction in range(3):
        pawns = movers(s, direction)
        for square in range(s.rows * s.columns):
            can = np.int64(pawns & bit(s, square) != 0) * (1 - s.over)
            mask[3 * square + direction] = can
            count += can
    return count


def play(s: Record, action: int) -> int:
    """Move the pawn, turn the board and pass the turn."""
    origin = bit(s, action // 3)
    target = origin << np.uint64(7 + action % 3)
    pawns = (s.own ^ origin) | target
    s.own = flip(s, s.opponent & ~target)
    s.opponent = flip(s, pawns)
    s.seat = 1 - s.seat
    s.over = is_lost(s)
    return 0


def payoffs(s: Record, out: Floats) -> int:
    """1 for the winner, -1 for the loser; there are no draws."""
    out[s.seat] = -1.0 * s.over
    out[1 - s.seat] = 1.0 * s.over
    return 0


def observe(s: Record, seat: int, out: Int8s) -> int:
    """Shape (rows, columns, 2): the seat's own pawns and the other side's, the seat's home row first."""
    own, opponent = s.own, s.opponent
    if seat != s.seat:
        own, opponent = flip(s, s.opponent), flip(s, s.own)
    for square in range(s.rows * s.columns):
        out[2 * square] = own & bit(s, square) != 0
        out[2 * square + 1] = opponent & bit(s, square) != 0
    return 0
