"""Tic-tac-toe as a picture."""

from collections.abc import Sequence

from ludarium.envs.drawing import Drawing

_CELL = 60.0
_INK, _GRID, _X, _O = "#39424e", "#b8c0ca", "#c8463c", "#2f6db5"


def draw(cells: Sequence[int], rows: int, columns: int) -> Drawing:
    """Cells (0 empty, 1 x, 2 o) row by row, with the squares' names on the edge."""
    margin = 26.0
    drawing = Drawing(columns * _CELL + margin + 10, rows * _CELL + margin + 10, "#fbfaf7")
    for row in range(rows):
        drawing.text(margin / 2, margin + (row + 0.5) * _CELL, str(row + 1), 14, _INK)
    for column in range(columns):
        drawing.text(margin + (column + 0.5) * _CELL, margin / 2, chr(ord("a") + column), 14, _INK)
    right, bottom = margin + columns * _CELL, margin + rows * _CELL
    for row in range(1, rows):
        drawing.line((margin, margin + row * _CELL), (right, margin + row * _CELL), _GRID, 3)
    for column in range(1, columns):
        drawing.line((margin + column * _CELL, margin), (margin + column * _CELL, bottom), _GRID, 3)
    for square, cell in enumerate(cells):
        x, y = margin + (square % columns + 0.5) * _CELL, margin + (square // columns + 0.5) * _CELL
        r = _CELL * 0.3
        if cell == 1:
            drawing.line((x - r, y - r), (x + r, y + r), _X, 7)
            drawing.line((x - r, y + r), (x + r, y - r), _X, 7)
        elif cell == 2:
            drawing.circle(x, y, r, "#fbfaf7", edge=_O, line=7)
    return drawing
