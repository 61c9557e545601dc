"""Rules as pictures: a symbol for each sense, and a frame around the squares that the action needs."""

from typing import Any

from ludarium.agents.genetic.board import Board
from ludarium.agents.genetic.gaia.rule_text import needed, printed_squares, senses_text
from ludarium.agents.learning.inspection import MARK, PAPER
from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import Game

_CELL, _MARGIN = 30.0, 15.0
_SOFT, _PANEL, _OWN, _OPPONENT, _MARKED = "#66707a", "#f3f4f5", "#1f6f8b", "#c8654a", "#cfe6e0"
_SENSES = (("P", "own"), ("C", "opponent's"), ("V", "empty"), ("*", "anything"))


def rule_drawing(game: Game, board: Board, rule: Any, seat: int = 0) -> Drawing:
    """A rule as a small board, with the squares' names on the edge; the squares that its action needs are marked.

    Args:
        game: the game.
        board: the board as rules see it.
        rule: an element of an array of `RULE`.
        seat: the seat that plays by it; the other one may number the squares differently.
    """
    squares, across, down = printed_squares(game, board, seat)
    margin = _MARGIN if any(across) else 0.0
    rows, columns = board.shape
    drawing = Drawing(margin + columns * _CELL + 2, margin + rows * _CELL + 2, PAPER)
    needs, senses = needed(board, rule), senses_text(board, rule)
    for place, square in enumerate(squares.reshape(-1).tolist()):
        row, column = divmod(place, columns)
        at = Area(margin + 1 + column * _CELL, margin + 1 + row * _CELL, _CELL, _CELL)
        x, y, marked = at.x + _CELL / 2, at.y + _CELL / 2, needs >> square & 1
        if margin and row == 0:
            drawing.text(x, margin / 2, across[column], 11, _SOFT)
        if margin and column == 0:
            drawing.text(margin / 2, y, down[row], 11, _SOFT)
        drawing.rect(*at, _MARKED if marked else _PANEL, edge=PAPER)
        if marked:
            drawing.frame(at, MARK, 2.5)
        _sense(drawing, senses[square], x, y)
    return drawing


def _sense(drawing: Drawing, sense: str, x: float, y: float) -> None:
    if sense == "P":
        drawing.circle(x, y, 9, _OWN)
    elif sense == "C":
        drawing.circle(x, y, 7.5, PAPER, edge=_OPPONENT, line=3.5)
    elif sense == "V":
        drawing.rect(x - 5, y - 5, 10, 10, PAPER, edge=_SOFT, radius=1.5)
    else:
        drawing.circle(x, y, 1.6, _SOFT)


def legend() -> Drawing:
    """One line that explains the symbols on a rule's board."""
    drawing, x = Drawing(400, 26, PAPER), 10.0
    for sense, name in _SENSES:
        _sense(drawing, sense, x, 13)
        drawing.text(x + 14, 13, name, 11, _SOFT, anchor="start")
        x += 36 + 5.6 * len(name)
    area = Area(x - 9, 4, 18, 18)
    drawing.rect(*area, _MARKED)
    drawing.frame(area, MARK, 2.5)
    drawing.text(x + 16, 13, "for the move", 11, _SOFT, anchor="start")
    return drawing
