"""Othello as text: squares `a1` (top left) to `h8`, `pass`, transcripts `f5d6c3…`, and boards.

A board is written row by row, `X` black, `O` white, `-` empty, then a space and the side to move, as in the
lists of the French Othello Federation and the `.obf` files of engines.
"""

import re
from collections.abc import Iterable, Sequence

MARKS = "-XO"
_READ = {"-": 0, ".": 0, "X": 1, "x": 1, "*": 1, "O": 2, "o": 2}
_PASSES = ("pass", "pa", "ps", "--")
_TOKEN = re.compile(r"pass|pa|ps|--|[a-z]\d", re.IGNORECASE)
_SPACE = re.compile(r"[\s,]*")


def move_name(action: int, size: int) -> str:
    """`0` → `a1`, `1` → `b1`, `size²` → `pass`: letter of the column, number of the row from the top."""
    return "pass" if action == size * size else f"{chr(ord('a') + action % size)}{action // size + 1}"


def parse_move(text: str, size: int) -> int:
    """The action that a move's text names, in either case; the pass may be `pass`, `pa`, `ps` or `--`.

    Raises:
        ValueError: if it is neither a square of the board nor a pass.
    """
    name = text.strip().lower()
    if name in _PASSES:
        return size * size
    if len(name) == 2 and name.isascii():
        column, row = ord(name[0]) - ord("a"), ord(name[1]) - ord("1")
        if 0 <= column < size and 0 <= row < size:
            return row * size + column
    last = move_name(size * size - 1, size)
    raise ValueError(f"othello: {text!r} is not a move; a move is a square from a1 to {last}, or pass")


def parse_transcript(text: str, size: int) -> list[int]:
    """The moves of a transcript, in order; spaces and commas may separate them. Passes must be written out.

    Raises:
        ValueError: if any part of it is not a move.
    """
    moves, at = [], _SPACE.match(text).end()  # type: ignore[union-attr]
    while at < len(text):
        token = _TOKEN.match(text, at)
        word = token.group() if token else text[at : at + 2]
        moves.append(parse_move(word, size))
        at = _SPACE.match(text, at + len(word)).end()  # type: ignore[union-attr]
    return moves


def transcript(actions: Iterable[int], size: int) -> str:
    """The moves as one word, with passes left out, as is usual."""
    return "".join(move_name(action, size) for action in actions if action != size * size)


def board_text(cells: Sequence[int], seat: int) -> str:
    """Cells (0 empty, 1 black, 2 white) row by row, then the side to move."""
    return "".join(MARKS[cell] for cell in cells) + " " + MARKS[seat + 1]


def parse_board(text: str, size: int) -> tuple[list[int], int]:
    """The cells and the seat to move of a board's text; spaces are ignored, `.` also is empty, `x` and `*` are black.

    Raises:
        ValueError: if the text is not a board of that size with a side to move.
    """
    marks = "".join(text.split())
    if len(marks) != size * size + 1:
        raise ValueError(
            f"othello: a position is {size * size} squares and the side to move, {size * size + 1} marks, "
            f"not {len(marks)}: {text!r}"
        )
    for mark in marks:
        if mark not in _READ:
            raise ValueError(f"othello: a square is X (black), O (white) or - (empty), not {mark!r}: {text!r}")
    cells = [_READ[mark] for mark in marks]
    side = cells.pop()
    if side == 0:
        raise ValueError(f"othello: a position ends with the side to move, X or O, not {marks[-1]!r}: {text!r}")
    return cells, side - 1
