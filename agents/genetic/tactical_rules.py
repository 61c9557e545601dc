"""The rules that every tic-tac-toe player needs, and whether a player has them: two in a line, so take the third."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.patterns import Board
from ludarium.envs.game import Game


def tactical_share(game: Game, board: Board, rules: NDArray[Any]) -> float:
    """The share of tic-tac-toe's minimal tactical rules that are present exactly: 48 on the board of 3 × 3.

    For each line and each hole in it: the others P, the hole V, elsewhere `*` (wins), and the same with C (blocks).

    Raises:
        ValueError: for another game.
    """
    if game.name != "tictactoe":
        raise ValueError(f"{game.spec}: tactical rules are known for tictactoe only")
    sought = set()
    for line in _lines(*board.shape, game.options["line"]):
        for hole in line:
            others = sum(1 << square for square in line if square != hole)
            sought |= {(others, 0, 1 << hole, hole), (0, others, 1 << hole, hole)}
    present = set()
    for rule in rules[rules["action"] >= 0]:
        for squares, undo in zip(board.squares, board.undo, strict=True):
            back = [_moved(int(rule[name]), np.argsort(squares)) for name in ("own", "opponent", "empty")]
            present.add((*back, int(undo[rule["action"]])))
    return len(sought & present) / len(sought)


def _lines(rows: int, columns: int, length: int) -> list[list[int]]:
    """The squares of each line of a length on a board."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + down * i, column + across * i) for i in range(length)]
                if cells[-1][0] < rows and 0 <= cells[-1][1] < columns:
                    found.append([r * columns + c for r, c in cells])
    return found


def _moved(bits: int, squares: NDArray[np.int64]) -> int:
    """A set of squares after each has gone to another."""
    return sum(1 << int(to) for square, to in enumerate(squares) if bits >> square & 1)
