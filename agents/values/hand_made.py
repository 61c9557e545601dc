"""Hand-made evaluations of hexapawn, Othello and tic-tac-toe: simple documented rules, by the game's name."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ludarium.agents.values import othello_features
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Record
from ludarium.envs.othello.rules import popcount

_ZERO, _ONE, _8 = (np.uint64(n) for n in (0, 1, 8))

# --- Othello ---------------------------------------------------------------------------------------------------------

_STANDARD_WPC = np.array(
    [
        [1.00, -0.25, 0.10, 0.05],
        [-0.25, -0.25, 0.01, 0.01],
        [0.10, 0.01, 0.05, 0.02],
        [0.05, 0.01, 0.02, 0.01],
    ]
)
_WPC_WEIGHTS = np.unique(_STANDARD_WPC)


def _wpc_squares() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The squares with each weight as sets, shape (sizes 4, 6, 8; weights)."""
    sets = np.zeros((3, len(_WPC_WEIGHTS)), dtype=np.uint64)
    for size in (4, 6, 8):
        for row in range(size):
            for column in range(size):
                weight = _STANDARD_WPC[min(row, size - 1 - row), min(column, size - 1 - column)]
                sets[size // 2 - 2, np.searchsorted(_WPC_WEIGHTS, weight)] |= _ONE << np.uint64(row * size + column)
    return sets


_WPC_SQUARES = _wpc_squares()


def wpc(s: Record, seat: int) -> float:
    """The standard weighted piece counter: own discs minus the other side's, each weighted by its square.

    The weights are those of Yoshioka, Ishii & Ito (1999), which the literature uses as the standard heuristic player.
    They are given for a quadrant of 8 × 8 and mirrored. Smaller boards keep the part of the quadrant next to the
    corner (3 × 3 on 6 × 6, 2 × 2 on 4 × 4), so that corners and the squares beside them mean the same on every size.
    """
    return _weighted_squares(s, seat, _WPC_WEIGHTS)


@jit
def _weighted_squares(s: Record, seat: int, weights: Floats) -> float:
    value = 0.0
    for i in range(len(_WPC_WEIGHTS)):
        squares = _WPC_SQUARES[s.size // 2 - 2, i]
        value += weights[i] * (popcount(s.own & squares) - popcount(s.opponent & squares))
    return value if seat == s.seat else -value


def _quadrant(weight: float) -> str:
    """The squares of a quadrant with a weight."""
    return " ".join(f"{'abcd'[column]}{row + 1}" for row, column in np.argwhere(weight == _STANDARD_WPC))


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


BY_GAME: Mapping[str, Mapping[str, Any]] = {
    "hexapawn": {"pawns": pawns},
    "othello": {"wpc": wpc, **othello_features.EVALUATIONS},
    "tictactoe": {"lines": lines},
}
"""The evaluations of each game as a game declares them (see `Game.evaluations`); the first is the usual one."""

WEIGHTED: Mapping[Any, tuple[Any, Mapping[str, float]]] = {
    wpc: (_weighted_squares, {_quadrant(weight): float(weight) for weight in _WPC_WEIGHTS}),
    lines: (_weighted_lines, {f"open lines of {n}": float(weight) for n, weight in enumerate(_LINES, 1)}),
    pawns: (_weighted_pawns, dict(zip(("pawns", "rows advanced", "moves"), _PAWNS.tolist(), strict=True))),
}
"""The evaluations above with their constants as weights, which say what they add up; squares stand for their images."""
IN_WORDS: Mapping[Any, Mapping[str, str]] = {
    othello_features.six: othello_features.SIX_IN_WORDS,
    othello_features.shares: othello_features.SIX_IN_WORDS,
}
"""What short names of weights stand for, by evaluation."""
