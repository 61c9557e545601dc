"""What is inside a player as one self-contained picture: small boards in a grid, as wide as a phone screen."""

from html import escape
from textwrap import wrap

from ludarium.agents.learning.inspection import PAPER, Entry, Inspection
from ludarium.envs.drawing import Drawing
from ludarium.evaluation.inspection.text import listed

_WIDTH, _COLUMNS, _SIDE = 420, 3, 10
_BOARD = 112  # the width of a small board
_TEXT, _LINE, _LETTERS = 11, 14.5, 22  # captions: font size, line height, characters in a line
_INK = "#1c2126"


def inspection_picture(inspection: Inspection, title: str, by_use: bool, top: int) -> str:
    """Draw what is inside a player, as an SVG document.

    Args:
        inspection: what is inside the player.
        title: the heading.
        by_use: put the most used entries first.
        top: the maximum number of entries to draw.
    """
    heading = wrap(title, 3 * _LETTERS)
    parts = [_text(_SIDE, 18 + _LINE * number, line) for number, line in enumerate(heading)]
    y = 15 + _LINE * len(heading)
    if inspection.legend is not None:
        width = _WIDTH - 2 * _SIDE
        parts.append(_placed(inspection.legend, _SIDE, y, width))
        y += inspection.legend.height * width / inspection.legend.width + 8
    shown = listed(inspection, by_use, top)
    cells = [(one.drawing, _caption(number, one)) for number, one in shown]
    for first in range(0, len(cells), _COLUMNS):
        row = cells[first : first + _COLUMNS]
        tallest = max(_BOARD * board.height / board.width for board, _ in row)
        for column, (board, lines) in enumerate(row):
            x = _SIDE + column * (_WIDTH - 2 * _SIDE - _BOARD) / (_COLUMNS - 1)
            parts.append(_placed(board, x, y, _BOARD))
            for number, line in enumerate(lines, 1):
                parts.append(_text(x, y + tallest + _LINE * number, line, bold=number == 1))
        y += tallest + _LINE * max(len(lines) for _, lines in row) + 22
    return _document("".join(parts), y, title)


def _caption(number: int, one: Entry) -> list[str]:
    """The lines below a board, wrapped to its width."""
    plays = f"{number}. {'' if one.mover else 'play '}{one.move}"
    parts = [plays, *(part for fact in one.facts for part in fact.split(", "))]
    return [line for part in parts for line in wrap(part, _LETTERS)]


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
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{content}</svg>\n'
    )
