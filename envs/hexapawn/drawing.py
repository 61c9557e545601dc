"""Hexapawn as a picture."""

from collections.abc import Sequence

from ludarium.envs.drawing import Area, Drawing

_CELL, _MARGIN, _EDGE = 60.0, 26.0, 10.0
_INK, _LIGHT, _DARK = "#39424e", "#f0e4cf", "#b98d63"
COLOURS, _EDGES = ("#ffffff", "#2b2f36"), ("#2b2f36", "#000000")


def draw(cells: Sequence[int], rows: int, columns: int) -> Drawing:
    """Cells (0 empty, 1 white, 2 black; `a1` first) with White at the bottom and the squares' names on the edge."""
    drawing = Drawing(columns * _CELL + _MARGIN + _EDGE, rows * _CELL + _MARGIN + _EDGE, "#fbfaf7")
    for row in range(rows):
        drawing.text(_MARGIN / 2, _EDGE + (rows - row - 0.5) * _CELL, str(row + 1), 14, _INK)
    for column in range(columns):
        x = _MARGIN + (column + 0.5) * _CELL
        drawing.text(x, _EDGE + rows * _CELL + _MARGIN / 2, chr(ord("a") + column), 14, _INK)
    for square, cell in enumerate(cells):
        at = area(square, rows, columns)
        drawing.rect(*at, _LIGHT if sum(divmod(square, columns)) % 2 else _DARK)
        if cell:
            _pawn(drawing, at.x + _CELL / 2, at.y + _CELL / 2, COLOURS[cell - 1], _EDGES[cell - 1])
    return drawing


def area(square: int, rows: int, columns: int) -> Area:
    """Where a square is; `a1` is square 0."""
    row, column = divmod(square, columns)
    return Area(_MARGIN + column * _CELL, _EDGE + (rows - 1 - row) * _CELL, _CELL, _CELL)


def _pawn(drawing: Drawing, x: float, y: float, fill: str, edge: str) -> None:
    drawing.polygon([(x - 15, y + 22), (x - 6, y - 4), (x + 6, y - 4), (x + 15, y + 22)], fill, edge=edge)
    drawing.rect(x - 18, y + 17, 36, 8, fill, edge=edge, radius=3)
    drawing.circle(x, y - 11, 10.5, fill, edge=edge, line=1.5)
