"""Tic-tac-toe as a picture."""

from collections.abc import Sequence

from ludarium.envs.drawing import Area, Drawing

_CELL, _MARGIN, _EDGE = 60.0, 26.0, 10.0
_INK, _GRID = "#39424e", "#b8c0ca"
COLOURS = _X, _O = "#c8463c", "#2f6db5"


def draw(cells: Sequence[int], rows: int, columns: int) -> Drawing:
    """Cells (0 empty, 1 x, 2 o) row by row, with the squares' names on the edge."""
    drawing = Drawing(columns * _CELL + _MARGIN + _EDGE, rows * _CELL + _MARGIN + _EDGE, "#fbfaf7")
    for row in range(rows):
        drawing.text(_MARGIN / 2, _MARGIN + (row + 0.5) * _CELL, str(row + 1), 14, _INK)
    for column in range(columns):
        drawing.text(_MARGIN + (column + 0.5) * _CELL, _MARGIN / 2, chr(ord("a") + column), 14, _INK)
    right, bottom = _MARGIN + columns * _CELL, _MARGIN + rows * _CELL
    for row in range(1, rows):
        drawing.line((_MARGIN, _MARGIN + row * _CELL), (right, _MARGIN + row * _CELL), _GRID, 3)
    for column in range(1, columns):
        drawing.line((_MARGIN + column * _CELL, _MARGIN), (_MARGIN + column * _CELL, bottom), _GRID, 3)
    for square, cell in enumerate(cells):
        at, r = area(square, columns), _CELL * 0.3
        x, y = at.x + _CELL / 2, at.y + _CELL / 2
        if cell == 1:
            drawing.line((x - r, y - r), (x + r, y + r), _X, 7)
            drawing.line((x - r, y + r), (x + r, y - r), _X, 7)
        elif cell == 2:
            drawing.circle(x, y, r, "#fbfaf7", edge=_O, line=7)
    return drawing


def area(square: int, columns: int) -> Area:
    """Where a square is."""
    return Area(_MARGIN + square % columns * _CELL, _MARGIN + square // columns * _CELL, _CELL, _CELL)
