"""Othello as a picture."""

from collections.abc import Iterable, Sequence

from ludarium.envs.drawing import Area, Drawing

_CELL = 50.0
_MARGIN = 28.0
_FRAME, _INK, _FELT, _LINE, _DOT = "#262c28", "#d9dfd6", "#2e8b57", "#1e6b40", "#1b5836"
COLOURS, _EDGES = ("#17191a", "#f7f7f2"), ("#000000", "#b9bcb4")  # black, white


def draw(cells: Sequence[int], size: int, moves: Iterable[int]) -> Drawing:
    """Cells (0 empty, 1 black, 2 white) row by row, a dot where the side to move may play, names on the edge."""
    side = size * _CELL
    drawing = Drawing(side + 1.5 * _MARGIN, side + 1.5 * _MARGIN, _FRAME)
    drawing.rect(_MARGIN, _MARGIN, side, side, _FELT)
    for i in range(size):
        middle = _MARGIN + (i + 0.5) * _CELL
        drawing.text(middle, _MARGIN / 2, chr(ord("a") + i), 15, _INK)
        drawing.text(_MARGIN / 2, middle, str(i + 1), 15, _INK)
    for i in range(size + 1):
        at = _MARGIN + i * _CELL
        drawing.line((at, _MARGIN), (at, _MARGIN + side), _LINE, 1.5)
        drawing.line((_MARGIN, at), (_MARGIN + side, at), _LINE, 1.5)
    if size == 8:  # the four points that show the corners' regions
        for x, y in ((2, 2), (6, 2), (2, 6), (6, 6)):
            drawing.circle(_MARGIN + x * _CELL, _MARGIN + y * _CELL, 3.5, _LINE)
    for square, cell in enumerate(cells):
        if cell:
            drawing.circle(*_centre(square, size), _CELL * 0.42, COLOURS[cell - 1], edge=_EDGES[cell - 1], line=1.5)
    for square in moves:
        drawing.circle(*_centre(square, size), _CELL * 0.11, _DOT)
    return drawing


def area(square: int, size: int) -> Area:
    """Where a square is."""
    return Area(_MARGIN + square % size * _CELL, _MARGIN + square // size * _CELL, _CELL, _CELL)


def _centre(square: int, size: int) -> tuple[float, float]:
    at = area(square, size)
    return at.x + _CELL / 2, at.y + _CELL / 2
