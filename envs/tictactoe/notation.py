"""Tic-tac-toe as text: squares `a1` (top left), and positions such as `x.o/.x./..o x`."""

from collections.abc import Sequence

MARKS = ".xo"


def square_name(square: int, columns: int) -> str:
    """`0` → `a1`, `1` → `b1`: letter of the column, number of the row from the top."""
    return f"{chr(ord('a') + square % columns)}{square // columns + 1}"


def board_text(cells: Sequence[int], columns: int, seat: int) -> str:
    """Cells (0 empty, 1 x, 2 o) row by row, then the side to move."""
    marks = "".join(MARKS[cell] for cell in cells)
    rows = [marks[i : i + columns] for i in range(0, len(marks), columns)]
    return "/".join(rows) + " " + "xo"[seat]


def parse_board(text: str, rows: int, columns: int) -> tuple[list[int], int]:
    """The cells and the seat to move of a position's text.

    Raises:
        ValueError: if it is not a board of that size with a side to move, or its counts of x and o are impossible.
    """
    example = board_text([0] * (rows * columns), columns, 0)
    parts = text.split()
    if len(parts) != 2 or parts[1] not in ("x", "o"):
        raise ValueError(f"tictactoe: a position is like {example!r} (rows, then x or o to move), not {text!r}")
    lines = parts[0].split("/")
    if len(lines) != rows or any(len(line) != columns or set(line) - set(MARKS) for line in lines):
        raise ValueError(f"tictactoe: expected {rows} rows of {columns} marks from {MARKS!r}, not {text!r}")
    cells = [MARKS.index(mark) for line in lines for mark in line]
    seat = "xo".index(parts[1])
    x, o = cells.count(1), cells.count(2)
    if x - o != seat:
        raise ValueError(f"tictactoe: {x} x and {o} o with {parts[1]} to move is impossible: {text!r}")
    return cells, seat
