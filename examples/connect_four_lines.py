"""Connect four with an evaluation whose weights can be evolved: lines of four squares that are still open to one side.

    export LUDARIUM_GAMES=examples/connect_four_lines.py
    ludarium train minimax connect_four_lines --preset modern --set features=lines --set depth=2 --set opening=4
    ludarium inspect minimax:runs/minimax-connect_four_lines
    ludarium match connect_four_lines minimax:runs/minimax-connect_four_lines alphabeta?depth=2 --opening 4

A function of the position, the seat and the weights is all that a game needs for this, and a name for each weight.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ludarium.envs.kernels import Floats, Record
from ludarium.envs.othello.rules import popcount
from ludarium.envs.registry import register_game
from ludarium.envs.source_file import load_source

FOUR: Any = load_source(str(Path(__file__).with_name("connect_four.py")), "connect_four")
LENGTH, ROWS, COLUMNS = 4, FOUR.ROWS, FOUR.COLUMNS


def _open_lines() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The 69 lines of four squares as sets of squares, numbered as in connect_four.py."""
    lines = []
    for column, row in np.ndindex(COLUMNS, ROWS):
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            squares = [(column + i * right, row + i * up) for i in range(LENGTH)]
            if all(0 <= c < COLUMNS and 0 <= r < ROWS for c, r in squares):
                lines.append(sum(1 << ((ROWS + 1) * c + r) for c, r in squares))
    return np.array(lines, dtype=np.uint64)


LINES = _open_lines()


def lines(s: Record, seat: int, weights: Floats) -> float:
    """The side to move's open lines of 1, 2 and 3 discs, weights 0 to 2, minus the other side's, weights 3 to 5."""
    mover = s.moves % 2
    total = 0.0
    for line in LINES:
        own, other = popcount(s.discs[mover] & line), popcount(s.discs[1 - mover] & line)
        if own > 0 and other == 0:
            total += weights[own - 1]
        elif other > 0 and own == 0:
            total -= weights[2 + other]
    return total if seat == mover else -total


@register_game
class ConnectFourLines(FOUR.ConnectFour):  # type: ignore[misc]
    """Connect four, with the evaluation `lines`."""

    name = "connect_four_lines"
    title = "Connect four"
    evaluations = {
        "lines": (lines, {f"{n} in an open line, {who}": 0.0 for who in ("to move", "waiting") for n in (1, 2, 3)})
    }
