"""The rules that every tic-tac-toe player needs, and whether a player has them: two in a line, so take the third."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board
from ludarium.envs.game import Game


class Tactic(NamedTuple):
    """A minimal tactical rule: all of a line but one square, its hole.

    Attributes:
        own: P, as a set of squares: bit i is square i, row by row.
        opponent: C.
        empty: V, the hole.
        action: to play there.
        line: what it is about: `"column a1 a2 a3"`.
    """

    own: int
    opponent: int
    empty: int
    action: int
    line: str

    @property
    def verb(self) -> str:
        """What the action does: `"wins"` or `"blocks"`."""
        return "wins" if self.own else "blocks"


def tactical_rules(game: Game) -> list[Tactic]:
    """Tic-tac-toe's minimal tactical rules, 48 on the board of 3 × 3; those that win come first.

    For each line and each hole in it: the others P, the hole V, elsewhere `*` (wins), and the same with C (blocks).

    Raises:
        ValueError: for another game.
    """
    if game.name != "tictactoe":
        raise ValueError(f"{game.spec}: tactical rules are known for tictactoe only")
    start, wins = game.start(), []
    for kind, line in _lines(game.observation_shape[0], game.observation_shape[1], game.options["line"]):
        name = " ".join((kind, *(game.action_to_str(start, square) for square in line)))
        for hole in line:
            wins.append(Tactic(sum(1 << square for square in line if square != hole), 0, 1 << hole, hole, name))
    return wins + [win._replace(own=0, opponent=win.own) for win in wins]


def tactic_of(tactics: list[Tactic], rule: Any) -> Tactic | None:
    """The first of these that a rule contains with the same action: so that is what the rule does wherever it fires.

    The hole needs no V in the rule, since it is empty wherever the action is legal.
    """
    own, opponent = int(rule["own"]), int(rule["opponent"])
    for tactic in tactics:
        if tactic.action == rule["action"] and not (tactic.own & ~own or tactic.opponent & ~opponent):
            return tactic
    return None


def tactical_share(game: Game, board: Board, rules: NDArray[Any]) -> float:
    """The share of the minimal tactical rules that are present exactly, in any image that the rules stand for.

    Raises:
        ValueError: for another game than tic-tac-toe.
    """
    sought = {tactic[:4] for tactic in tactical_rules(game)}
    present = set()
    for rule in rules[rules["action"] >= 0]:
        for squares, undo in zip(board.squares, board.undo, strict=True):
            back = [_moved(int(rule[name]), np.argsort(squares)) for name in ("own", "opponent", "empty")]
            present.add((*back, int(undo[rule["action"]])))
    return len(sought & present) / len(sought)


def _lines(rows: int, columns: int, length: int) -> list[tuple[str, list[int]]]:
    """The lines of a length on a board: what each is, and its squares."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for kind, down, across in (("row", 0, 1), ("column", 1, 0), ("diagonal", 1, 1), ("diagonal", 1, -1)):
                cells = [(row + down * i, column + across * i) for i in range(length)]
                if cells[-1][0] < rows and 0 <= cells[-1][1] < columns:
                    found.append((kind, [r * columns + c for r, c in cells]))
    return found


def _moved(bits: int, squares: NDArray[np.int64]) -> int:
    """A set of squares after each has gone to another."""
    return sum(1 << int(to) for square, to in enumerate(squares) if bits >> square & 1)
