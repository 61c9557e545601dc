"""Discs that nobody can turn over any more: they bound the score."""

from typing import Any

import numpy as np

from ludarium.agents.othello.endgame.boards import ONE, ZERO, Squares, count
from ludarium.envs.jit import jit

_SEVEN, _EIGHT, _NINE = (np.uint64(n) for n in (7, 8, 9))
_EAST = tuple(np.uint64(n * 0x0101010101010101) for n in (0xFE, 0xFC, 0xF0))  # columns reached by 1, 2, 4 steps east
_WEST = tuple(np.uint64(n * 0x0101010101010101) for n in (0x7F, 0x3F, 0x0F))
_ALL = (~ZERO, ~ZERO, ~ZERO)


@jit
def highest_score(s: Any, opponent: Squares, empty: Squares) -> Any:
    """No score is higher: the other side keeps its stable discs."""
    return s.squares - 2 * count(stable(s, opponent, empty))


@jit
def stable(s: Any, discs: Squares, empty: Squares) -> Squares:
    """Discs of one side that can never turn over (not all of them).

    A disc turns over along a line only between two squares that the other side takes. It is safe there if the line is
    full, if it lies at the rim, or if a neighbour is a safe disc of its own side. A disc is stable if it is safe along
    all four lines.
    """
    rows = ~_open(empty, ONE, _EAST, _WEST) | s.sides
    columns = ~_open(empty, _EIGHT, _ALL, _ALL) | s.ends
    rising = ~_open(empty, _SEVEN, _WEST, _EAST) | s.rim
    falling = ~_open(empty, _NINE, _EAST, _WEST) | s.rim
    safe = discs & rows & columns & rising & falling
    while True:
        more = discs & (rows | (safe << ONE) | (safe >> ONE)) & (columns | (safe << _EIGHT) | (safe >> _EIGHT))
        more &= (rising | (safe << _SEVEN) | (safe >> _SEVEN)) & (falling | (safe << _NINE) | (safe >> _NINE))
        if more == safe:
            return safe
        safe = more


@jit
def _open(empty: Squares, step: Any, up: Any, down: Any) -> Squares:
    """The squares whose line in a direction has an empty square; `up` and `down` say where 1, 2, 4 steps may lead."""
    two = step + step
    above = empty | ((empty << step) & up[0])
    above |= (above << two) & up[1]
    above |= (above << (two + two)) & up[2]
    below = empty | ((empty >> step) & down[0])
    below |= (below >> two) & down[1]
    below |= (below >> (two + two)) & down[2]
    return above | below
