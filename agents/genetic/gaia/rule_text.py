"""Rules in print: the order in which they fire, what a rule asks for as a small board, and what it plays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.patterns import Board
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER


def firing_order(rules: NDArray[Any]) -> NDArray[np.int64]:
    """The places of a player's rules, the first to fire first: by priority, then by weight; without empty places."""
    order = np.lexsort((-rules["weight"], -rules["priority"]))
    return order[rules["action"][order] >= 0]


def in_image(board: Board, rule: Any, image: int) -> Any:
    """A rule that matches in a mirror image as it stands on the board itself: a copy."""
    there = rule.copy()
    for sense in ("own", "opponent", "empty"):
        there[sense] = sum(1 << at for at, to in enumerate(board.squares[image]) if int(rule[sense]) >> int(to) & 1)
    there["action"] = board.undo[image, rule["action"]]
    return there


def needed(board: Board, rule: Any) -> int:
    """The squares of which a rule's action needs something, as a set: bit i is square i."""
    return int(np.bitwise_or.reduce(board.needs[rule["action"]]))


def is_default(board: Board, rule: Any) -> bool:
    """Whether a rule asks for nothing but what its action needs: it matches wherever that is legal."""
    return not int(rule["own"] | rule["opponent"] | rule["empty"]) & ~needed(board, rule)


def senses_text(board: Board, rule: Any) -> str:
    """What a rule asks of each square, row by row: P own, C the opponent's, V empty, `*` anything."""
    kinds = (("P", "own"), ("C", "opponent"), ("V", "empty"))
    squares = range(board.shape[0] * board.shape[1])
    return "".join(next((s for s, name in kinds if int(rule[name]) >> square & 1), "*") for square in squares)


def printed_squares(game: Game, board: Board, seat: int) -> tuple[NDArray[np.int64], list[str], list[str]]:
    """The squares as the game prints its board for people, shape (rows, columns), and what it calls columns and rows.

    Where the game has no names for squares, they are in the order of the observation, and all names are empty.
    """
    rows, columns = board.shape
    squares = game.squares(seat)
    if not squares:
        return np.arange(rows * columns).reshape(rows, columns), [""] * columns, [""] * rows
    names = list(squares)
    across, down = [name[:1] for name in names[:columns]], [name[1:] for name in names[::columns]]
    return np.array(list(squares.values())).reshape(rows, columns), across, down


def rule_board(game: Game, board: Board, rule: Any, seat: int = 0) -> str:
    """A rule as a small board of its senses, with what its action needs in brackets and the squares' names on the edge.

    Args:
        game: the game.
        board: the board as rules see it.
        rule: an element of `RULE`.
        seat: the seat that plays by it: the other one may count the squares in another way.
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
    """`rule_board`, and what the rule plays below."""
    return f"{rule_board(game, board, rule, seat)}\nplay {move_text(game, int(rule['action']), seat)}"


def move_text(game: Game, action: int, seat: int = 0) -> str:
    """An action as the game writes it where it is a seat's turn."""
    position = game.start()
    while position.turn not in (seat, OVER):
        position.play(position.legal_actions()[0])
    return game.action_to_str(position, action)
