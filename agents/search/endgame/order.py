"""The order in which the endgame solver tries moves: first what probably refutes, and what leaves few replies.

Near the end, the other side's replies tell most (fastest first). With more empty squares a mistake costs more, so the
solver looks a ply or two ahead. The evaluation's weights began as a least-squares fit to the exact scores of 16,000
positions from master games with some random moves; then all were tuned for the fewest nodes.
"""

from typing import Any

import numpy as np

from ludarium.agents.search.endgame.boards import ONE, Squares, count, flips, lowest
from ludarium.agents.search.endgame.unroll import unroll
from ludarium.agents.search.endgame.vectors import mobility
from ludarium.envs.jit import jit

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
            elif empties < _LOOK_FURTHER:
                key = _slow_key(disc, after, mine, left, odd) + _one_ahead(s, after, mine, left, -_FAR, _FAR)
            else:
                key = _slow_key(disc, after, mine, left, odd) + _two_ahead(s, after, mine, left, -_FAR, _FAR)
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
def _slow_key(disc: Squares, after: Squares, mine: Squares, empty: Squares, odd: Squares) -> Any:
    """What to add to the other side's evaluation."""
    return 16 * count(mobility(after, mine, empty)) - (12 if disc & odd else 0)


@jit
def _evaluate(s: Any, own: Squares, opponent: Squares, empty: Squares, alpha: int, beta: int) -> Any:
    """How good a position is for the side to move, about ten for each disc; it ignores `alpha` and `beta`."""
    mine, theirs, near = mobility(own, opponent, empty), mobility(opponent, own, empty), _around(empty)
    value = 21 * (count(mine) - count(theirs)) + 37 * count(mine & s.corners) - 28 * count(theirs & s.corners)
    value += 12 * (count(opponent & near) - count(own & near))
    value += 32 * (count(own & s.corners) - count(opponent & s.corners))
    return value + 8 * (count(_anchored(s, own)) - count(_anchored(s, opponent)))


_below: Any = _evaluate


def _ahead(s: Any, own: Squares, opponent: Squares, empty: Squares, alpha: int, beta: int) -> Any:
    """The evaluation after the best move: alpha-beta, one ply; `_below` evaluates what follows."""
    for sign in (1, -1):  # the side to move; if it must pass, the other
        moves, best = mobility(own, opponent, empty), -_FAR
        if moves:
            while moves and best < beta:
                square = lowest(moves)
                disc = ONE << square
                moves ^= disc
                turned = flips(square, own, opponent)
                after, mine, low = opponent ^ turned, own | turned | disc, max(alpha, best)
                best = max(best, -_below(s, after, mine, empty ^ disc, -beta, -low))
            return sign * best
        own, opponent, alpha, beta = opponent, own, -beta, -alpha
    return 8 * (count(own) - count(opponent))


_one_ahead, _two_ahead = unroll(_ahead, _evaluate, 2)


@jit
def _around(squares: Squares) -> Squares:
    """A set and all its neighbours."""
    squares |= ((squares << ONE) & _NOT_FIRST) | ((squares >> ONE) & _NOT_LAST)
    return squares | (squares << _EIGHT) | (squares >> _EIGHT)


@jit
def _anchored(s: Any, discs: Squares) -> Squares:
    """The discs that are joined to a corner along the rim."""
    discs &= s.rim
    found = discs & s.corners
    for _ in range(6):
        beside = ((found << ONE) & _NOT_FIRST) | ((found >> ONE) & _NOT_LAST)
        found |= discs & (beside | (found << _EIGHT) | (found >> _EIGHT))
    return found
