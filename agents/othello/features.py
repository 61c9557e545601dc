"""Evaluations of Othello as weighted sums of features: the weights are what evolution looks for.

Every feature is the side's own number compared with the other side's, so an evaluation of one side is the negative of
the other's. The formulas and weights of `six` were published by Kartik Kukreja, "Heuristic function for
Reversi/Othello", 2013 (kartikkukreja.wordpress.com), and have been copied into many programs since. A published share,
100 a / (a + b) for the greater number, jumps from 0 to more than 50 where a exceeds b; `shares` mends that with
100 (a - b) / (a + b). `phases` has eight features whose weights change as the board fills.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Record
from ludarium.envs.othello.rules import Squares, mobility, popcount

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SIZES = (4, 6, 8)

_VALUES = np.array([[20, -3, 11, 8], [-3, -7, -4, 1], [11, -4, 2, 2], [8, 1, 2, -3]])
"""What each square of a quadrant of the board is worth in `six`, the corner first."""
_STANDARD_WPC = np.array(
    [
        [1.00, -0.25, 0.10, 0.05],
        [-0.25, -0.25, 0.01, 0.01],
        [0.10, 0.01, 0.05, 0.02],
        [0.05, 0.01, 0.02, 0.01],
    ]
)
"""The same in `wpc`."""


def _squares(size: int, chosen: Any) -> np.uint64:
    """The squares for which `chosen(row, column)` holds, as a set."""
    rows, columns = np.divmod(np.arange(size * size), size)
    return np.uint64(sum(1 << int(square) for square in np.flatnonzero(chosen(rows, columns))))


def _by_value(quadrant: Any) -> tuple[Any, Any]:
    """The different values of squares, and the sets of those that have each, shape (sizes, values).

    Smaller boards keep the part of the quadrant next to the corner.
    """
    kinds = np.unique(quadrant)

    def worth(size: int, rows: Any, columns: Any) -> Any:
        return quadrant[np.minimum(rows, size - 1 - rows), np.minimum(columns, size - 1 - columns)]

    return kinds, np.array([[_squares(n, lambda r, c, n=n, k=k: worth(n, r, c) == k) for k in kinds] for n in _SIZES])


_KINDS, _WORTH = _by_value(_VALUES)
_WPC_WEIGHTS, _WPC_SQUARES = _by_value(_STANDARD_WPC)
_WEST = np.array([_squares(n, lambda r, c: c == 0) for n in _SIZES])
_EAST = np.array([_squares(n, lambda r, c, n=n: c == n - 1) for n in _SIZES])
_NORTH = np.array([_squares(n, lambda r, c: r == 0) for n in _SIZES])
_SOUTH = np.array([_squares(n, lambda r, c, n=n: r == n - 1) for n in _SIZES])
_CORNERS = (_WEST | _EAST) & (_NORTH | _SOUTH)


@jit
def _neighbours(squares: Squares, s: Record) -> Squares:
    """The squares next to any of a set, in eight directions, and possibly squares of the set."""
    k, size = s.size // 2 - 2, np.uint64(s.size)
    squares |= ((squares & ~_EAST[k]) << _ONE) | ((squares & ~_WEST[k]) >> _ONE)
    return (squares | (squares << size) | (squares >> size)) & s.board


@jit
def _replies(s: Record) -> Squares:
    """Where the other side could play if it were its turn."""
    return s.board & ~(s.own | s.opponent) & mobility(s.opponent, s.own, s.size, s.inner)


@jit
def _places(s: Record) -> float:
    """The sum of the values of the side's squares, minus the other side's."""
    value, k = 0.0, s.size // 2 - 2
    for i in range(len(_KINDS)):
        squares = _WORTH[k, i]
        value += _KINDS[i] * (popcount(s.own & squares) - popcount(s.opponent & squares))
    return value


@jit
def _beside(s: Record) -> Any:
    """The squares next to empty corners."""
    empty_corners = _CORNERS[s.size // 2 - 2] & ~(s.own | s.opponent)
    return _neighbours(empty_corners, s) & ~empty_corners


@jit
def _difference(s: Record, squares: Squares) -> float:
    """How many more of these squares the side to move has than the other side."""
    return float(popcount(s.own & squares) - popcount(s.opponent & squares))


@jit
def _share(a: int, b: int) -> float:
    """(a - b) / (a + b); 0 if both are 0."""
    return (a - b) / (a + b) if a + b else 0.0


@jit
def _percent(a: int, b: int, jumps: bool) -> float:
    """A share in percent; the published one jumps: 100 a / (a + b) if a is the greater, -100 b / (a + b) if b is."""
    if not jumps or a == b:
        return 100.0 * _share(a, b)
    return 100.0 * a / (a + b) if a > b else -100.0 * b / (a + b)


@jit
def _weighted(s: Record, seat: int, weights: Floats, jumps: bool) -> float:
    """The six features with their weights."""
    near = _neighbours(s.board & ~(s.own | s.opponent), s)
    value = (
        -12.5 * weights[0] * _difference(s, _beside(s))
        + 25.0 * weights[1] * _difference(s, _CORNERS[s.size // 2 - 2])
        - weights[2] * _percent(popcount(s.own & near), popcount(s.opponent & near), jumps)
        + weights[3] * _percent(popcount(s.own), popcount(s.opponent), jumps)
        + weights[4] * _places(s)
        + weights[5] * _percent(popcount(s.moves), popcount(_replies(s)), jumps)
    )
    return value if seat == s.seat else -value


def six(s: Record, seat: int, weights: Floats) -> float:
    """The published six features, with weights in the order l, c, f, p, d, m.

    l: discs next to empty corners, -12.5 each; c: corners, 25 each; f: frontier discs, those next to an empty square,
    as a negative share; p: discs, as a share, which the original calls parity; d: the values of the squares; m: moves,
    as a share. A share is that of the side that has more, in percent, and negative for the other side.
    """
    return _weighted(s, seat, weights, True)


def shares(s: Record, seat: int, weights: Floats) -> float:
    """The six features of `six`, with shares 100 (a - b) / (a + b) that do not jump."""
    return _weighted(s, seat, weights, False)


@jit
def _stable(discs: Squares, s: Record) -> Squares:
    """Discs of one side that can never be turned over, as far as corners hold them.

    A disc is safe if, along each of the four lines through it, the next square on one side is off the board or a safe
    disc of its own side. Starting from nothing, this finds first the corners and then what they hold.
    """
    k, size = s.size // 2 - 2, np.uint64(s.size)
    west, east, north, south = _WEST[k], _EAST[k], _NORTH[k], _SOUTH[k]
    safe = discs & _CORNERS[k]
    while True:
        line = west | east | ((safe & ~east) << _ONE) | ((safe & ~west) >> _ONE)
        column = north | south | (safe << size) | (safe >> size)
        rim = west | east | north | south
        falling = rim | ((safe & ~east) << (size + _ONE)) | ((safe & ~west) >> (size + _ONE))
        rising = rim | ((safe & ~west) << (size - _ONE)) | ((safe & ~east) >> (size - _ONE))
        grown = discs & line & column & falling & rising
        if grown == safe:
            return safe
        safe = grown


def phases(s: Record, seat: int, weights: Floats) -> float:
    """Eight features with three weights each: at 4 discs, half way, and with the board full; in between, linear.

    Moves; empty squares next to the other side's discs, which may become moves; discs: each as a share from -1 to 1.
    Corners; squares diagonally next to empty corners (X), and beside them (C); discs that are stable; the values of the
    squares in `six`, in units of 10: each as a difference.
    """
    empty = s.board & ~(s.own | s.opponent)
    k = s.size // 2 - 2
    beside = _beside(s)
    rim = _WEST[k] | _EAST[k] | _NORTH[k] | _SOUTH[k]
    beside_rim = beside & rim
    own_stable = other_stable = 0
    if (s.own | s.opponent) & _CORNERS[k]:
        own_stable, other_stable = popcount(_stable(s.own, s)), popcount(_stable(s.opponent, s))
    squares = popcount(s.board)
    phase = 2.0 * (squares - popcount(empty) - 4) / (squares - 4)
    knot = 0 if phase < 1.0 else 1
    part = phase - knot
    value = 0.0
    for i, feature in enumerate(
        (
            _share(popcount(s.moves), popcount(_replies(s))),
            _share(popcount(empty & _neighbours(s.opponent, s)), popcount(empty & _neighbours(s.own, s))),
            _share(popcount(s.own), popcount(s.opponent)),
            _difference(s, _CORNERS[k]),
            _difference(s, beside & ~beside_rim),
            _difference(s, beside_rim),
            float(own_stable - other_stable),
            0.1 * _places(s),
        )
    ):
        value += feature * ((1.0 - part) * weights[3 * i + knot] + part * weights[3 * i + knot + 1])
    return value if seat == s.seat else -value


_FEATURES = ("moves", "potential moves", "discs", "corners", "X squares", "C squares", "stable discs", "places")
_SIX = {"l": 382.026, "c": 801.724, "f": 74.396, "p": 10.0, "d": 10.0, "m": 78.922}
"""The six published weights, by the names of the features."""

SIX_IN_WORDS: Mapping[str, str] = {
    "l": "discs next to empty corners",
    "c": "corners",
    "f": "discs next to empty squares",
    "p": "share of the discs (parity)",
    "d": "values of the squares",
    "m": "share of the moves",
}
"""What they stand for; the factors -12.5 and 25 and the sign are in the amounts."""

# --- the standard heuristic player ------------------------------------------------------------------------------------


def wpc(s: Record, seat: int) -> float:
    """The standard weighted piece counter: own discs minus the other side's, each weighted by its square.

    The weights are those of Yoshioka, Ishii & Ito (1999), which the literature uses as the standard heuristic player.
    They are given for a _quadrant of 8 × 8 and mirrored. Smaller boards keep the part of the _quadrant next to the
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
    """The squares of a _quadrant with a weight."""
    return " ".join(f"{'abcd'[column]}{row + 1}" for row, column in np.argwhere(weight == _STANDARD_WPC))


EVALUATIONS: Mapping[str, Any] = {
    "wpc": wpc,
    "six": (six, _SIX),
    "shares": (shares, _SIX),
    "phases": (phases, {f"{name}, {phase}": 0.0 for name in _FEATURES for phase in ("opening", "middle", "end")}),
}
"""The evaluations by name, as a game declares them, the usual one first; the weights of `phases` are zeros until they
have been evolved."""
WEIGHTED: Mapping[Any, tuple[Any, Mapping[str, float]]] = {
    wpc: (_weighted_squares, {_quadrant(weight): float(weight) for weight in _WPC_WEIGHTS}),
}
"""`wpc` with its constants as weights, which say what it adds up; squares stand for their images."""
IN_WORDS: Mapping[Any, Mapping[str, str]] = {six: SIX_IN_WORDS, shares: SIX_IN_WORDS}
"""What short names of weights stand for, by evaluation."""
