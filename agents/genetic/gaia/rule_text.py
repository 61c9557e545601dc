"""Rules as text: their firing order, what a rule asks of the board, and what it plays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER


def firing_order(rules: NDArray[Any]) -> NDArray[np.int64]:
    """The places of a player's rules in firing order, by priority and then by weight; empty places are left out."""
    order = np.lexsort((-rules["weight"], -rules["priority"]))
    return order[rules["action"][order] >= 0]


def in_image(board: Board, rule: Any, image: int) -> Any:
    """A copy of a rule that matches in a mirror image, as it applies to the board itself."""
    there = rule.copy()
    for sense in ("own", "opponent", "empty"):
        there[sense] = sum(1 << at for at, to in enumerate(board.squares[image]) if int(rule[sense]) >> int(to) & 1)
    there["action"] = board.undo[image, rule["action"]]
    return there


def needed(board: Board, rule: Any) -> int:
    """The squares on which a rule's action depends, as a set: bit i is square i."""
    return int(np.bitwise_or.reduce(board.needs[rule["action"]]))


def is_default(board: Board, rule: Any) -> bool:
    """Whether a rule asks for nothing but what its action needs, so that it matches wherever the action is legal."""
    return not int(rule["own"] | rule["opponent"] | rule["empty"]) & ~needed(board, rule)


def senses_text(board: Board, rule: Any) -> str:
    """A rule's sense for each square, row by row: P own, C the opponent's, V empty, `*` anything."""
    kinds = (("P", "own"), ("C", "opponent"), ("V", "empty"))
    squares = range(board.shape[0] * board.shape[1])
    return "".join(next((s for s, name in kinds if int(rule[name]) >> square & 1), "*") for square in squares)


def printed_squares(game: Game, board: Board, seat: int) -> tuple[NDArray[np.int64], list[str], list[str]]:
    """The squares in the layout in which the game prints its board, shape (rows, columns), and the edge labels.

    Where the game does not name its squares, they are in the order of the observation, and all labels are empty.

    Returns:
        The squares, the labels of the columns, and those of the rows.
    """
    rows, columns = board.shape
    squares = game.squares(seat)
    if not squares:
        return np.arange(rows * columns).reshape(rows, columns), [""] * columns, [""] * rows
    names = list(squares)
    across, down = [name[:1] for name in names[:columns]], [name[1:] for name in names[::columns]]
    return np.array(list(squares.values())).reshape(rows, columns), across, down


def rule_board(game: Game, board: Board, rule: Any, seat: int = 0) -> str:
    """A rule as a small board of senses, with squares that its action needs in brackets, and labels on the edge.

    Args:
        game: the game.
        board: the board as rules see it.
        rule: an element of an array of `RULE`.
        seat: the seat that plays by it; the other one may number the squares differently.
    """
    squares, across, down = printed_squares(game, board, seat)
    needs, senses = needed(board, rule), senses_text(board, rule)
    margin = max(map(len, down)) + any(across)
    lines = [" " * margin + "".join(f" {name} " for name in across)] if any(across) else []
    for name, row in zip(down, squares.tolist(), strict=True):
        cells = (f"[{senses[square]}]" if needs >> square & 1 else f" {senses[square]} " for square in row)
        lines.append(f"{name:<{margin}}" + "".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def rule_text(game: Game, board: Board, rule: Any, seat: int = 0) -> str:
    """A rule as a small board, see `rule_board`, with the move that it plays below."""
    return f"{rule_board(game, board, rule, seat)}\nplay {move_text(game, int(rule['action']), seat)}"


def move_text(game: Game, action: int, seat: int = 0) -> str:
    """An action as the game writes it when it is this seat's turn."""
    position = game.start()
    while position.turn not in (seat, OVER):
        position.play(position.legal_actions()[0])
    return game.action_to_str(position, action)
