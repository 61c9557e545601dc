"""Hexapawn as text: moves `a1a2` and `a1xb2`, and positions such as `ppp/.../PPP w` (White's `P` at the bottom)."""

from collections.abc import Sequence

MARKS = ".Pp"
SIDES = "wb"


def square_name(square: int, columns: int) -> str:
    """`0` → `a1`, `1` → `b1`: letter of the column, number of the row from White's side."""
    return f"{chr(ord('a') + square % columns)}{square // columns + 1}"


def flip_square(square: int, rows: int, columns: int) -> int:
    """The square as the other side counts: the same column, rows from the other end."""
    return (rows - 1 - square // columns) * columns + square % columns


def move_squares(action: int, rows: int, columns: int, seat: int) -> tuple[int, int]:
    """Where a move comes from and where it goes to."""
    square, direction = divmod(action, 3)
    origin, target = square, square + columns + direction - 1
    if seat == 1:
        return flip_square(origin, rows, columns), flip_square(target, rows, columns)
    return origin, target


def move_text(action: int, rows: int, columns: int, seat: int) -> str:
    """A move by its squares; `x` marks a capture."""
    origin, target = move_squares(action, rows, columns, seat)
    return square_name(origin, columns) + ("" if action % 3 == 1 else "x") + square_name(target, columns)


def board_text(cells: Sequence[int], columns: int, seat: int) -> str:
    """Cells (0 empty, 1 white, 2 black; `a1` first) as rows from the top, then the side to move."""
    marks = "".join(MARKS[cell] for cell in cells)
    rows = [marks[i : i + columns] for i in range(0, len(marks), columns)]
    return "/".join(reversed(rows)) + " " + SIDES[seat]


def parse_board(text: str, rows: int, columns: int) -> tuple[list[int], int]:
    """The cells and the seat to move of a position's text.

    Raises:
        ValueError: if the text is not a board of that size with a side to move, a side has more pawns than it began
            with, or the side to move has already reached the far row.
    """
    example = board_text([1] * columns + [0] * (rows - 2) * columns + [2] * columns, columns, 0)
    parts = text.split()
    if len(parts) != 2 or parts[1] not in ("w", "b"):
        raise ValueError(f"hexapawn: a position is like {example!r} (rows, then w or b to move), not {text!r}")
    lines = parts[0].split("/")
    if len(lines) != rows or any(len(line) != columns or set(line) - set(MARKS) for line in lines):
        raise ValueError(f"hexapawn: expected {rows} rows of {columns} marks from {MARKS!r}, not {text!r}")
    cells = [MARKS.index(mark) for line in reversed(lines) for mark in line]
    seat = SIDES.index(parts[1])
    for side, name in ((1, "white"), (2, "black")):
        if cells.count(side) > columns:
            raise ValueError(f"hexapawn: {name} has {cells.count(side)} pawns, at most {columns} can be: {text!r}")
    if seat + 1 in (cells[-columns:], cells[:columns])[seat]:
        raise ValueError(
            f"hexapawn: {('white', 'black')[seat]} has reached the far row and cannot be to move: {text!r}"
        )
    return cells, seat
