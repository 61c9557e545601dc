"""Hexapawn, three pawns against three, and its relatives up to 8 × 8."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import RESULT, Game, kernel
from ludarium.envs.hexapawn import drawing, notation, rules
from ludarium.envs.options import Option
from ludarium.envs.position import Position

_SMALL = {3: 8, 4: 6, 5: 4, 6: 3, 7: 3}
"""By columns, the most rows of a board with at most a million positions, as the solver counts them."""


class Hexapawn(Game):
    """Reach the far row or leave the other side without a move; White moves first. See `ludarium.envs.hexapawn.rules`.

    Both seats see the board from their own side, in observations and in action ids alike: their pawns move up. So
    what a learner learns in one seat also applies in the other.
    """

    name = "hexapawn"
    title = "Hexapawn"
    unit = RESULT
    state = rules.STATE
    seat_names = ("white", "black")
    seat_colours = drawing.COLOURS
    option_types = {
        "rows": Option(3, 3, 8, help="rows of the board"),
        "columns": Option(3, 3, 8, help="columns of the board: pawns of each side"),
    }

    setup = kernel(rules.setup)
    turn = kernel(rules.turn)
    legal = kernel(rules.legal)
    play = kernel(rules.play)
    payoffs = kernel(rules.payoffs)
    observe = kernel(rules.observe)

    def configure(self) -> None:
        """Derive the facts that depend on the size of the board."""
        self.rows, self.columns = self.options["rows"], self.options["columns"]
        self.actions = 3 * self.rows * self.columns
        self.small = self.rows <= _SMALL.get(self.columns, 0)
        self.max_moves = 2 * self.columns * (self.rows - 2) + 1
        self.observation_shape = (self.rows, self.columns, 2)

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """Shape (2, actions): the action itself, and its mirror image (column a becomes the last column)."""
        squares = np.arange(self.rows * self.columns).reshape(self.rows, self.columns)[:, ::-1]
        mirrored = 3 * squares[..., np.newaxis] + (2, 1, 0)
        return np.stack([np.arange(self.actions), mirrored.reshape(-1)])

    def _cells(self, position: Position) -> list[int]:
        return [int(cell) for cell in position.observe(0).reshape(-1, 2) @ (1, 2)]

    def action_to_str(self, position: Position, action: int) -> str:
        """`a1a2`, or `a1xb2` for a capture."""
        return notation.move_text(action, self.rows, self.columns, int(position.record.seat))

    def to_text(self, position: Position) -> str:
        """Rows from the top (`P` white, `p` black), then the side to move: `ppp/.../PPP w`."""
        return notation.board_text(self._cells(position), self.columns, int(position.record.seat))

    def from_text(self, text: str) -> Position:
        """The position that a text describes.

        Raises:
            ValueError: if it is not a position of this board.
        """
        cells, seat = notation.parse_board(text, self.rows, self.columns)
        position = self.start()
        record: Any = position.record
        record.seat, boards = seat, [np.uint64(0), np.uint64(0)]
        for square, cell in enumerate(cells):
            if cell:
                seen = notation.flip_square(square, self.rows, self.columns) if seat else square
                boards[cell - 1] |= rules.bit(record, seen)
        record.own, record.opponent = boards[seat], boards[1 - seat]
        record.over = rules.is_lost(record)
        return position

    def to_ansi(self, position: Position) -> str:
        """The board with White at the bottom."""
        lines = self.to_text(position).split()[0].split("/")
        rows = [f"{self.rows - i:2} " + " ".join(line) for i, line in enumerate(lines)]
        return "\n".join([*rows, "   " + " ".join(chr(ord("a") + c) for c in range(self.columns))])

    def draw(self, position: Position) -> Drawing:
        """The board with White at the bottom."""
        return drawing.draw(self._cells(position), self.rows, self.columns)

    def areas(self, position: Position) -> Mapping[int, Sequence[Area]]:
        """The squares from which and to which each action moves."""
        rows, columns, seat = self.rows, self.columns, int(position.record.seat)
        return {
            action: [
                drawing.area(square, rows, columns) for square in notation.move_squares(action, rows, columns, seat)
            ]
            for action in position.legal_actions()
        }

    def squares(self, seat: int) -> Mapping[str, int]:
        """The last row at the top; Black sees the rows the other way round."""
        rows, columns = self.rows, self.columns
        order = [row * columns + column for row in reversed(range(rows)) for column in range(columns)]
        seen = [notation.flip_square(square, rows, columns) if seat else square for square in order]
        return {notation.square_name(square, columns): at for square, at in zip(order, seen, strict=True)}

    def result_text(self, position: Position) -> str:
        """Who wins."""
        if not position.over:
            return "not finished"
        return f"{self.seat_names[1 - int(position.record.seat)]} wins"
