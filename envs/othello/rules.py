"""Othello: the record and the kernels.

Black moves first. A move puts a disc on an empty square so that it outflanks, in at least one of eight directions, a
straight run of the other side's discs; all outflanked discs turn over. A side that cannot move must
pass, and a side that can move may not pass; the game is over when neither side can move. Rules: World Othello
Federation.

Squares are numbered row by row from the top left, `size²` is the pass. Boards are 64-bit sets: bit i is square i. The
eight directions are four steps (east, south-west, south, south-east), each taken up and down the bits.
"""

from typing import Any

import numpy as np

from ludarium.envs.chance import scale
from ludarium.envs.jit import jit
from ludarium.envs.kernels import OVER, Floats, Int8s, Record

STATE = np.dtype(
    [
        ("own", np.uint64),  # discs of the seat to move (at the end: of the seat that would move)
        ("opponent", np.uint64),
        ("moves", np.uint64),  # where the seat to move may play; empty: it must pass, or the game is over
        ("board", np.uint64),  # all squares
        ("inner", np.uint64),  # all but the first and the last column
        ("size", np.uint8),
        ("scoring", np.uint8),  # WINS, DISCS or EMPTIES_TO_WINNER
        ("seat", np.int8),  # the seat to move: 0 is black
        ("over", np.int8),
    ],
    align=True,
)
Squares = Any  # a 64-bit set of squares, uint64

WINS, DISCS, EMPTIES_TO_WINNER = range(3)
STANDARD, PARALLEL = range(2)

_ZERO, _ONE, _TWO, _THREE, _FOUR, _SEVEN, _EIGHT, _TOP_BYTE = (np.uint64(n) for n in (0, 1, 2, 3, 4, 7, 8, 56))
_LOW_BYTE = np.uint64(255)
_PAIRS, _QUADS, _NIBBLES = (np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_BYTES, _HIGH, _DIAGONAL = (np.uint64(n) for n in (0x0101010101010101, 0x8080808080808080, 0x8040201008040201))


@jit
def _byte_counts(squares: Squares) -> Squares:
    """In byte i, the number of squares in bytes 0 to i of the set."""
    squares -= (squares >> _ONE) & _PAIRS
    squares = (squares & _QUADS) + ((squares >> _TWO) & _QUADS)
    return ((squares + (squares >> _FOUR)) & _NIBBLES) * _BYTES


@jit
def popcount(squares: Squares) -> Any:
    """The number of squares in a set; the compiler turns it into one instruction."""
    return np.int64(_byte_counts(squares) >> _TOP_BYTE)


@jit
def first(squares: Squares) -> Any:
    """The lowest square of a set that is not empty."""
    return popcount((squares & (~squares + _ONE)) - _ONE)


@jit
def nth(squares: Squares, n: int) -> Any:
    """The square with `n` others of the set below it: broadword selection (Vigna 2008), without a branch.

    First it finds the byte, from the counts of all bytes at once; then the bit, with the byte's bits spread over eight.
    """
    rank = np.uint64(n)
    counts = _byte_counts(squares)
    byte = np.uint64(popcount(((rank * _BYTES | _HIGH) - counts) & _HIGH)) << _THREE
    rank -= ((counts << _EIGHT) >> byte) & _LOW_BYTE
    bits = (((squares >> byte) & _LOW_BYTE) * _BYTES) & _DIAGONAL
    counts = (((bits + ~_HIGH) >> _SEVEN) & _BYTES) * _BYTES
    return np.int64(byte) + popcount(((rank * _BYTES | _HIGH) - counts) & _HIGH)


@jit
def _run(start: Squares, opponent: Squares, step: Any) -> tuple[Squares, Squares]:
    """The opponent's runs of up to six discs that begin one step after `start`, up and down the bits.

    Parallel prefix: the run doubles with every line.
    """
    double = step + step
    up = opponent & (start << step)
    down = opponent & (start >> step)
    up |= opponent & (up << step)
    down |= opponent & (down >> step)
    pairs_up = opponent & (opponent << step)
    pairs_down = pairs_up >> step
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    return up, down


@jit
def _ends(own: Squares, opponent: Squares, step: Any) -> Squares:
    """The squares just beyond the runs that begin at a disc of `own`."""
    up, down = _run(own, opponent, step)
    return (up << step) | (down >> step)


@jit
def _outflanked(square: Squares, own: Squares, opponent: Squares, step: Any) -> Squares:
    """The runs from `square` (a set of one) that end at a disc of `own`."""
    up, down = _run(square, opponent, step)
    return (up if own & (up << step) else _ZERO) | (down if own & (down >> step) else _ZERO)


@jit
def mobility(own: Squares, opponent: Squares, size: Any, inner: Squares) -> Squares:
    """The squares where `own` may play, and possibly squares that are not empty or not on the board."""
    middle = opponent & inner
    size = np.uint64(size)
    return (
        _ends(own, middle, _ONE)
        | _ends(own, middle, size - _ONE)
        | _ends(own, opponent, size)
        | _ends(own, middle, size + _ONE)
    )


@jit
def flips(square: Squares, own: Squares, opponent: Squares, size: Any, inner: Squares) -> Squares:
    """The discs that turn over when `own` plays on `square` (a set of one)."""
    middle = opponent & inner
    size = np.uint64(size)
    return (
        _outflanked(square, own, middle, _ONE)
        | _outflanked(square, own, middle, size - _ONE)
        | _outflanked(square, own, opponent, size)
        | _outflanked(square, own, middle, size + _ONE)
    )


@jit
def look(s: Record) -> None:
    """Fill in what follows from the discs: the moves of the seat to move, and whether the game is over."""
    empty = s.board & ~(s.own | s.opponent)
    s.moves = empty & mobility(s.own, s.opponent, s.size, s.inner)
    s.over = 0
    if s.moves == _ZERO and empty & mobility(s.opponent, s.own, s.size, s.inner) == _ZERO:
        s.over = 1


def setup(s: Record, o: Record) -> int:
    """Write the four discs in the centre: black on the rising diagonal, or in the lower row."""
    size = o.size
    s.size, s.scoring = size, o.scoring
    for row in range(size):
        s.board |= ((_ONE << np.uint64(size)) - _ONE) << np.uint64(row * size)
        s.inner |= ((_ONE << np.uint64(size - 2)) - _ONE) << np.uint64(row * size + 1)
    middle = (size // 2 - 1) * (size + 1)
    north_west, north_east = _ONE << np.uint64(middle), _ONE << np.uint64(middle + 1)
    south_west, south_east = north_west << np.uint64(size), north_east << np.uint64(size)
    if o.start == STANDARD:
        s.own, s.opponent = north_east | south_west, north_west | south_east
    else:
        s.own, s.opponent = south_west | south_east, north_west | north_east
    look(s)
    return 0


def turn(s: Record) -> int:
    """The seat to move; over when neither side can move."""
    return OVER if s.over else s.seat


def legal(s: Record, mask: Int8s) -> int:
    """The squares that outflank something; the pass if there is none."""
    squares = np.int64(s.size) * np.int64(s.size)
    for square in range(squares):
        mask[square] = (s.moves >> np.uint64(square)) & _ONE
    mask[squares] = s.moves == _ZERO and s.over == 0
    return popcount(s.moves) + mask[squares]


def play(s: Record, action: int) -> int:
    """Put a disc on the square and turn over what it outflanks, or pass; the turn goes to the other side."""
    own, opponent = s.own, s.opponent
    if s.moves != _ZERO:
        square = _ONE << np.uint64(action)
        turned = flips(square, own, opponent, s.size, s.inner)
        own |= turned | square
        opponent &= ~turned
    s.own, s.opponent = opponent, own
    s.seat = 1 - s.seat
    look(s)
    return 0


@jit
def score(own: Squares, opponent: Squares, empties_to_winner: bool, squares: Squares) -> int:
    """The disc difference for `own` in a finished game; in tournament scoring, the empty squares go to the winner."""
    mine, theirs = popcount(own), popcount(opponent)
    difference = mine - theirs
    if empties_to_winner and difference:
        empty = squares - mine - theirs
        difference += empty if difference > 0 else -empty
    return difference


def payoffs(s: Record, out: Floats) -> int:
    """Nothing until the end; then the result, as `scoring` counts it."""
    difference = 0
    if s.over:
        difference = score(s.own, s.opponent, s.scoring == EMPTIES_TO_WINNER, popcount(s.board))
    if s.scoring == WINS:
        difference = (difference > 0) - (difference < 0)
    out[s.seat], out[1 - s.seat] = difference, -difference
    return 0


def observe(s: Record, seat: int, out: Int8s) -> int:
    """Shape (size, size, 2): the seat's own discs, the other side's."""
    own, opponent = (s.own, s.opponent) if seat == s.seat else (s.opponent, s.own)
    for square in range(np.int64(s.size) * np.int64(s.size)):
        out[2 * square] = (own >> np.uint64(square)) & _ONE
        out[2 * square + 1] = (opponent >> np.uint64(square)) & _ONE
    return 0


def sample(s: Record, bits: int) -> Any:
    """A uniformly random legal action."""
    moves: Squares = s.moves
    if moves == _ZERO:
        return np.int64(s.size) * np.int64(s.size)
    return nth(moves, scale(bits, popcount(moves)))
