"""The last squares of an Othello endgame: no table and no sorting, since only the time for a position counts.

Moves into odd regions come first: whoever plays there first tends to play there last.
"""

from typing import Any

from ludarium.agents.othello.endgame.boards import NEAR, ONE, Square, Squares, count, count_flips, flips
from ludarium.envs.jit import jit
from ludarium.envs.kernels import lowest

LAST = 6  # the largest number of empty squares that `solve_last` takes
_NOTHING = -127


@jit
def solve_last(s: Any, own: Squares, opponent: Squares, empty: Squares, odd: Squares, alpha: int, beta: int) -> Any:
    """The score with at most `LAST` empty squares, or a bound if it is not between `alpha` and `beta`.

    Args:
        s: the task: a record with `board`, `quadrant`, `squares`, `empties_to_winner`; it counts `nodes`.
        own: discs of the side to move.
        opponent: discs of the other side.
        empty: the empty squares.
        odd: the quadrants with an odd number of them.
        alpha: scores up to this are all the same to the caller.
        beta: scores from this on are all the same, too.
    """
    empties = count(empty)
    if empties > 2:
        return _last_few(s, own, opponent, empty, odd, alpha, beta)
    if empties == 2:
        return _last_two(s, own, opponent, empty, alpha, beta)
    if empties == 1:
        return _last_one(s, own, lowest(empty))
    s.nodes += 1
    return score(s, own, opponent)


@jit
def score(s: Any, own: Squares, opponent: Squares) -> Any:
    """The disc difference of a finished game; in tournament scoring, the empty squares go to the winner."""
    mine, theirs = count(own), count(opponent)
    difference = mine - theirs
    if s.empties_to_winner and difference:
        empty = s.squares - mine - theirs
        difference += empty if difference > 0 else -empty
    return difference


@jit
def _last_one(s: Any, own: Squares, square: Square) -> Any:
    """One square: count what it turns over, for whichever side can play there."""
    s.nodes += 1
    margin = 2 * count(own) - s.squares
    turned = count_flips(square, own)
    if turned:
        return margin + 2 * turned + 2
    turned = count_flips(square, s.board ^ own ^ (ONE << square))
    if turned:
        return margin - 2 * turned
    if s.empties_to_winner:
        return margin if margin < 0 else margin + 2
    return margin + 1


@jit
def _last_two(s: Any, own: Squares, opponent: Squares, empty: Squares, alpha: int, beta: int) -> Any:
    s.nodes += 1
    first, second = lowest(empty), lowest(empty & (empty - ONE))
    for sign in (1, -1):  # the side to move; if it must pass, the other
        best = _NOTHING
        if NEAR[first] & opponent:
            turned = flips(first, own, opponent)
            if turned:
                best = -_last_one(s, opponent ^ turned, second)
                if best >= beta:
                    return sign * best
        if NEAR[second] & opponent:
            turned = flips(second, own, opponent)
            if turned:
                best = max(best, -_last_one(s, opponent ^ turned, first))
        if best != _NOTHING:
            return sign * best
        own, opponent, alpha, beta = opponent, own, -beta, -alpha
    return score(s, own, opponent)


@jit
def _last_few(s: Any, own: Squares, opponent: Squares, empty: Squares, odd: Squares, alpha: int, beta: int) -> Any:
    """Three to `LAST` squares: alpha-beta with a stack, where position n has n empty squares."""
    n = top = count(empty)
    best, left, sign = _NOTHING, empty, 1  # the sign is -1 after a pass
    s.nodes += 1
    while True:
        if left and best < beta:
            square = lowest(left & odd if left & odd else left)
            disc = ONE << square
            left ^= disc
            if NEAR[square] & opponent:  # cheaper than to look along the lines
                turned = flips(square, own, opponent)
                if turned:
                    after, mine, low = opponent ^ turned, own | turned | disc, max(alpha, best)
                    if n == 3:
                        best = max(best, -_last_two(s, after, mine, empty ^ disc, -beta, -low))
                    else:
                        s.small_own[n], s.small_opponent[n], s.small_left[n], s.small_odd[n] = own, opponent, left, odd
                        s.small_alpha[n], s.small_beta[n], s.small_best[n], s.small_sign[n] = alpha, beta, best, sign
                        own, opponent, odd, alpha, beta = after, mine, odd ^ s.quadrant[square], -beta, -low
                        empty ^= disc
                        n -= 1
                        best, left, sign = _NOTHING, empty, 1
                        s.nodes += 1
        elif best == _NOTHING and sign == 1:  # pass
            own, opponent, alpha, beta, left, sign = opponent, own, -beta, -alpha, empty, -1
        else:
            if best == _NOTHING:
                best = score(s, own, opponent)
            value = sign * best
            if n == top:
                return value
            n += 1
            own, opponent, left, odd = s.small_own[n], s.small_opponent[n], s.small_left[n], s.small_odd[n]
            alpha, beta, sign = s.small_alpha[n], s.small_beta[n], s.small_sign[n]
            empty = s.board & ~(own | opponent)
            best = max(s.small_best[n], -value)
