"""What was found inside a player as one picture: small boards in a grid, complete in itself, as wide as a phone."""

import re
from collections.abc import Sequence
from html import escape
from textwrap import wrap

import numpy as np

from ludarium.agents.genetic.board import Board
from ludarium.agents.genetic.gaia.rule_agent import senses_text
from ludarium.envs.drawing import Drawing, Point
from ludarium.evaluation.inspection.maps import InspectedPair
from ludarium.evaluation.inspection.rules import InspectedRule, RuleInspection
from ludarium.evaluation.inspection.text import Inspection, move_text, pair_facts, rule_facts

_WIDTH, _COLUMNS, _SIDE = 420, 3, 10
_BOARD = 112  # as wide as a small board is drawn
_TEXT, _LINE, _LETTERS = 11, 14.5, 22  # a caption: size, distance of its lines, letters in a line
_CELL = 30.0
# The colours of the report's pages.
_PAPER, _INK, _SOFT, _PANEL = "#fcfcfb", "#1c2126", "#66707a", "#f3f4f5"
_OWN, _OPPONENT, _MARK, _MARKED = "#1f6f8b", "#c8654a", "#2a8f7a", "#cfe6e0"
_SENSES = (("P", "own"), ("C", "opponent's"), ("V", "empty"), ("*", "anything"))
_SQUARE = re.compile("([a-z])([0-9]+)")


def inspection_picture(found: Inspection, title: str, top: int) -> str:
    """The rules or pairs that are used most, as an SVG document.

    Args:
        found: the rules or the map.
        title: the line above.
        top: how many to draw.
    """
    heading = wrap(title, 3 * _LETTERS)
    parts = [_text(_SIDE, 18 + _LINE * number, line) for number, line in enumerate(heading)]
    y = 15 + _LINE * len(heading)
    cells: list[tuple[Drawing, list[str]]]
    if isinstance(found, RuleInspection):
        parts.append(_placed(_legend(), _SIDE, y, _WIDTH - 2 * _SIDE))
        y += 34
        cells = [(_rule(found.board, one), _rule_caption(found, one)) for one in found.rules[:top]]
    else:
        cells = [(_pair(one), [move_text(one), *pair_facts(one)]) for one in found.pairs[:top]]
    captioned = [(board, _caption(number, lines)) for number, (board, lines) in enumerate(cells, 1)]
    for first in range(0, len(captioned), _COLUMNS):
        row = captioned[first : first + _COLUMNS]
        tallest = max(_BOARD * board.height / board.width for board, _ in row)
        for column, (board, lines) in enumerate(row):
            x = _SIDE + column * (_WIDTH - 2 * _SIDE - _BOARD) / (_COLUMNS - 1)
            parts.append(_placed(board, x, y, _BOARD))
            for number, line in enumerate(lines, 1):
                parts.append(_text(x, y + tallest + _LINE * number, line, bold=number == 1))
        y += tallest + _LINE * max(len(lines) for _, lines in row) + 22
    return _document("".join(parts), y, title)


def _rule_caption(found: RuleInspection, one: InspectedRule) -> list[str]:
    return [f"play {found.game.action_to_str(found.game.start(), int(one.rule['action']))}", *rule_facts(one)]


def _caption(number: int, lines: Sequence[str]) -> list[str]:
    """The lines below a board, as narrow as it is."""
    move, *facts = lines
    parts = [f"{number}. {move}", *(part for fact in facts for part in fact.split(", "))]
    return [line for part in parts for line in wrap(part, _LETTERS)]


def _rule(board: Board, one: InspectedRule) -> Drawing:
    """A rule as a small board; what its action needs is marked."""
    rows, columns = board.shape
    drawing = Drawing(columns * _CELL + 2, rows * _CELL + 2, _PAPER)
    needs = int(np.bitwise_or.reduce(board.needs[one.rule["action"]]))
    for square, sense in enumerate(senses_text(board, one.rule)):
        left, upper = 1 + square % columns * _CELL, 1 + square // columns * _CELL
        marked = bool(needs >> square & 1)
        drawing.rect(left, upper, _CELL, _CELL, _MARKED if marked else _PANEL, edge=_PAPER)
        if marked:
            _frame(drawing, (left + 2, upper + 2), (left + _CELL - 2, upper + _CELL - 2), 2.5)
        _sense(drawing, sense, left + _CELL / 2, upper + _CELL / 2)
    return drawing


def _sense(drawing: Drawing, sense: str, x: float, y: float) -> None:
    if sense == "P":
        drawing.circle(x, y, 9, _OWN)
    elif sense == "C":
        drawing.circle(x, y, 7.5, _PAPER, edge=_OPPONENT, line=3.5)
    elif sense == "V":
        drawing.rect(x - 5, y - 5, 10, 10, _PAPER, edge=_SOFT, radius=1.5)
    else:
        drawing.circle(x, y, 1.6, _SOFT)


def _legend() -> Drawing:
    """What the signs on a rule's board mean."""
    drawing, x = Drawing(_WIDTH - 2 * _SIDE, 26, _PAPER), 10.0
    for sense, name in _SENSES:
        _sense(drawing, sense, x, 13)
        drawing.text(x + 14, 13, name, _TEXT, _SOFT, anchor="start")
        x += 36 + 5.6 * len(name)
    drawing.rect(x - 9, 4, 18, 18, _MARKED)
    _frame(drawing, (x - 9, 4), (x + 9, 22), 2.5)
    drawing.text(x + 16, 13, "the move", _TEXT, _SOFT, anchor="start")
    return drawing


def _pair(one: InspectedPair) -> Drawing:
    """The position as the game draws it; the squares that the move names are marked.

    They are found by the names on the board's edges, letters and numbers; without such names nothing is marked.
    """
    game = one.position.game
    drawing = game.draw_view(one.position, one.position.turn)
    labels = {shape["text"]: (shape["x"], shape["y"]) for kind, shape in drawing.shapes if kind == "text"}
    for column, row in _SQUARE.findall(move_text(one)):
        if column in labels and row in labels:
            x, y = labels[column][0], labels[row][1]
            half = 0.46 * min(_gap(labels, column, 0), _gap(labels, row, 1))
            _frame(drawing, (x - half, y - half), (x + half, y + half), 4)
    return drawing


def _gap(labels: dict[str, Point], label: str, axis: int) -> float:
    """How far it is from a name on the edge to the next."""
    alike = (at[axis] for name, at in labels.items() if name != label and name.isalpha() == label.isalpha())
    return min((abs(at - labels[label][axis]) for at in alike), default=40.0)


def _frame(drawing: Drawing, upper_left: Point, lower_right: Point, line: float) -> None:
    (left, upper), (right, lower) = upper_left, lower_right
    corners = [(left, upper), (right, upper), (right, lower), (left, lower)]
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        drawing.line(start, end, _MARK, line)


def _placed(drawing: Drawing, x: float, y: float, width: float) -> str:
    scale = width / drawing.width
    return f'<g transform="translate({x:.1f} {y:.1f}) scale({scale:.4f})">{drawing.svg()}</g>'


def _text(x: float, y: float, text: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{_TEXT}" fill="{_INK}"{weight}>{escape(text)}</text>'


def _document(content: str, height: float, title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" width="{_WIDTH}" '
        f'height="{height:.0f}" style="max-width:100%;height:auto" font-family="sans-serif" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>{content}</svg>\n'
    )
