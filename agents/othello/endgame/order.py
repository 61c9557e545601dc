"""The order in which the endgame solver tries moves: first what probably refutes, and what leaves few replies.

Near the end, the other side's replies tell most (fastest first). With more empty squares a mistake costs more, so the
solver looks a ply or two ahead. The evaluation's weights began as a least-squares fit to the exact scores of 16,000
positions from master games with some random moves; then all were tuned for the fewest nodes.
"""

from typing import Any

import numpy as np

from ludarium.agents.othello.endgame.boards import ONE, ZERO, Squares, count, flips
from ludarium.agents.othello.endgame.vectors import mobility
from ludarium.envs.jit import jit
from ludarium.envs.kernels import lowest

_LOOK_AHEAD, _LOOK_FURTHER = 12, 15  # with at least this many empty squares, look one ply ahead, or two
_FIRST = -100_000  # the table's move
_FAR = 10_000  # beyond all evaluations
_MOVE_BITS = 7
_EIGHT, _NOT_FIRST, _NOT_LAST = np.uint64(8), np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)


@jit
def sort_moves(s: Any, ply: int, empty: Squares, moves: Squares, hint: int) -> None:
    """Put the moves on the stack, best first, by insertion; `hint` is the table's move, or -1."""
    own, opponent, odd, empties = s.own[ply], s.opponent[ply], s.odd[ply], count(empty)
    n = 0
    while moves:
        square = lowest(moves)
        disc = ONE << square
        moves ^= disc
        key = _FIRST
        if np.int64(square) != hint:
            turned = flips(square, own, opponent)
            after, mine, left = opponent ^ turned, own | turned | disc, empty ^ disc
            if empties < _LOOK_AHEAD:
                key = _quick_key(s, disc, after, mine, left, odd)
            else:
                key = _slow_key(s, disc, after, mine, left, odd, 1 if empties < _LOOK_FURTHER else 2)
        entry = key << _MOVE_BITS | np.int64(square)
        i = n
        while i > 0 and s.move[ply, i - 1] > entry:
            s.move[ply, i] = s.move[ply, i - 1]
            i -= 1
        s.move[ply, i] = entry
        n += 1
    s.count[ply] = n


@jit
def move_in(entry: int) -> Any:
    """The move of an entry on the stack."""
    return np.uint64(entry & ((1 << _MOVE_BITS) - 1))


@jit
def _quick_key(s: Any, disc: Squares, after: Squares, mine: Squares, empty: Squares, odd: Squares) -> Any:
    """The other side's replies and the squares that may become replies; corners and odd regions are good."""
    replies = mobility(after, mine, empty)
    key = 35 * count(replies) + 16 * count(replies & s.corners) + 4 * count(_around(mine) & empty)
    return key - (24 if disc & s.corners else 0) - (8 if disc & odd else 0)


@jit
def _slow_key(s: Any, disc: Squares, after: Squares, mine: Squares, empty: Squares, odd: Squares, plies: int) -> Any:
    """What the other side can reach in some plies, and again its replies."""
    key = _look_ahead(s, after, mine, empty, plies) + 16 * count(mobility(after, mine, empty))
    return key - (12 if disc & odd else 0)


@jit
def _evaluate(s: Any, own: Squares, opponent: Squares, empty: Squares) -> Any:
    """How good a position is for the side to move, about ten for each disc."""
    mine, theirs, near = mobility(own, opponent, empty), mobility(opponent, own, empty), _around(empty)
    value = 21 * (count(mine) - count(theirs)) + 37 * count(mine & s.corners) - 28 * count(theirs & s.corners)
    value += 12 * (count(opponent & near) - count(own & near))
    value += 32 * (count(own & s.corners) - count(opponent & s.corners))
    return value + 8 * (count(_anchored(s, own)) - count(_anchored(s, opponent)))


@jit
def _look_ahead(s: Any, own: Squares, opponent: Squares, empty: Squares, plies: int) -> Any:
    """The evaluation for the side to move after a number of plies of best play: alpha-beta with a stack."""
    ply, best, sign, alpha, beta = 0, -_FAR, 1, -_FAR, _FAR  # the sign is -1 after a pass
    left = mobility(own, opponent, empty)
    while True:
        if left and best < beta:
            square = lowest(left)
            disc = ONE << square
            left ^= disc
            turned, low = flips(square, own, opponent), max(alpha, best)
            s.small_own[ply], s.small_opponent[ply], s.small_left[ply] = own, opponent, left
            s.small_alpha[ply], s.small_beta[ply], s.small_best[ply], s.small_sign[ply] = alpha, beta, best, sign
            own, opponent, alpha, beta = opponent ^ turned, own | turned | disc, -beta, -low
            empty ^= disc
            ply += 1
            best, sign = -_FAR, 1
            left = mobility(own, opponent, empty) if ply < plies else ZERO
        elif ply < plies and best == -_FAR and sign == 1:  # pass
            own, opponent, alpha, beta, sign = opponent, own, -beta, -alpha, -1
            left = mobility(own, opponent, empty)
        else:
            if best == -_FAR:  # no move was tried: the last ply, or neither side can move
                best = _evaluate(s, own, opponent, empty)
            value = sign * best
            if ply == 0:
                return value
            ply -= 1
            own, opponent, left = s.small_own[ply], s.small_opponent[ply], s.small_left[ply]
            alpha, beta, sign = s.small_alpha[ply], s.small_beta[ply], s.small_sign[ply]
            empty = s.board & ~(own | opponent)
            best = max(s.small_best[ply], -value)


@jit
def _around(squares: Squares) -> Squares:
    """A set and all its neighbours."""
    squares |= ((squares << ONE) & _NOT_FIRST) | ((squares >> ONE) & _NOT_LAST)
    return squares | (squares << _EIGHT) | (squares >> _EIGHT)


@jit
def _anchored(s: Any, discs: Squares) -> Squares:
    """The discs that are joined to a corner along the rim."""
    discs &= s.rim
    anchored = discs & s.corners
    for _ in range(6):
        beside = ((anchored << ONE) & _NOT_FIRST) | ((anchored >> ONE) & _NOT_LAST)
        anchored |= discs & (beside | (anchored << _EIGHT) | (anchored >> _EIGHT))
    return anchored
