"""Hand-made evaluations of hexapawn and tic-tac-toe: simple documented rules."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Record
from ludarium.envs.othello.rules import popcount

_ZERO, _ONE, _8 = (np.uint64(n) for n in (0, 1, 8))

# --- tic-tac-toe -----------------------------------------------------------------------------------------------------


_LONGEST_LINE = 8
_LINES = np.array([4.0 ** (n - 1) for n in range(1, _LONGEST_LINE + 1)])


def lines(s: Record, seat: int) -> float:
    """Open lines: each line with n ≥ 1 stones of one side and none of the other counts 4^(n-1) for that side."""
    return _weighted_lines(s, seat, _LINES)


@jit
def _weighted_lines(s: Record, seat: int, weights: Floats) -> float:
    value = 0.0
    for direction in range(4):
        line = _ZERO
        for i in range(s.line):
            line |= _ONE << np.uint64(i * s.steps[direction])
        for start in range(s.rows * s.columns):
            if (s.lines[direction] >> np.uint64(start)) & _ONE:
                squares = line << np.uint64(start)
                own, opponent = popcount(s.own & squares), popcount(s.opponent & squares)
                if opponent == 0 and own > 0:
                    value += weights[own - 1]
                elif own == 0 and opponent > 0:
                    value -= weights[opponent - 1]
    return value if seat == s.seat else -value


# --- hexapawn --------------------------------------------------------------------------------------------------------

_PAWNS = np.array([2.0, 1.0, 0.5])


def pawns(s: Record, seat: int) -> float:
    """Material, advancement and mobility: 2 for each pawn, 1 for each row it has advanced, 1/2 for each move it has."""
    return _weighted_pawns(s, seat, _PAWNS)


@jit
def _weighted_pawns(s: Record, seat: int, weights: Floats) -> float:
    material = popcount(s.own) - popcount(s.opponent)
    rows = 0
    for row in range(1, s.rows):
        ahead, behind = s.own >> np.uint64(8 * row), s.opponent & ((_ONE << np.uint64(8 * (s.rows - row))) - _ONE)
        rows += popcount(ahead) - popcount(behind)
    empty = ~(s.own | s.opponent)
    moves = popcount(s.own & (empty >> _8)) - popcount(s.opponent & (empty << _8))
    # The pairs that can capture each other are the same for both sides, so captures cancel out.
    value = weights[0] * material + weights[1] * rows + weights[2] * moves
    return value if seat == s.seat else -value


WEIGHTED: Mapping[Any, tuple[Any, Mapping[str, float]]] = {
    lines: (_weighted_lines, {f"open lines of {n}": float(weight) for n, weight in enumerate(_LINES, 1)}),
    pawns: (_weighted_pawns, dict(zip(("pawns", "rows advanced", "moves"), _PAWNS.tolist(), strict=True))),
}
"""The evaluations above with their constants as weights, which say what they add up."""
