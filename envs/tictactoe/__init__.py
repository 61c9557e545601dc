"""Tic-tac-toe, and m, n, k games up to 8 × 8."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import RESULT, Game, kernel
from ludarium.envs.options import Option
from ludarium.envs.position import Position
from ludarium.envs.tictactoe import drawing, notation, rules


class TicTacToe(Game):
    """Three in a row on 3 × 3; x moves first. See `ludarium.envs.tictactoe.rules`."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    unit = RESULT
    state = rules.STATE
    seat_names = ("x", "o")
    seat_colours = drawing.COLOURS
    option_types = {
        "rows": Option(3, 1, 8, help="rows of the board"),
        "columns": Option(3, 1, 8, help="columns of the board"),
        "line": Option(3, 1, 8, help="how many in a row it takes to win"),
    }

    setup = kernel(rules.setup)
    turn = kernel(rules.turn)
    legal = kernel(rules.legal)
    play = kernel(rules.play)
    payoffs = kernel(rules.payoffs)
    observe = kernel(rules.observe)
    sample = kernel(rules.sample)

    def configure(self) -> None:
        """Derive the facts that depend on the size of the board.

        Raises:
            ValueError: if no line fits on it.
        """
        self.rows, self.columns, line = (self.options[name] for name in ("rows", "columns", "line"))
        if line > max(self.rows, self.columns):
            raise ValueError(f"tictactoe: line={line} does not fit on {self.rows} rows and {self.columns} columns")
        self.actions = self.max_moves = self.rows * self.columns
        self.small = self.actions <= 12
        self.observation_shape = (self.rows, self.columns, 2)

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """Shape (8, actions), (4, actions) if not square: row k says where each action goes under symmetry k."""
        board = np.arange(self.actions).reshape(self.rows, self.columns)
        turns = range(4) if self.rows == self.columns else (0, 2)
        images = [np.rot90(side, quarter) for side in (board, board[:, ::-1]) for quarter in turns]
        return np.stack([image.reshape(-1) for image in images])

    def _cells(self, position: Position) -> list[int]:
        return [int(cell) for cell in position.observe(0).reshape(-1, 2) @ (1, 2)]

    def action_to_str(self, position: Position, action: int) -> str:
        """The square: `b2`."""
        return notation.square_name(action, self.columns)

    def to_text(self, position: Position) -> str:
        """Rows from the top, then the side to move: `x.o/.x./..o x`."""
        return notation.board_text(self._cells(position), self.columns, int(position.record.seat))

    def from_text(self, text: str) -> Position:
        """The position that a text describes.

        Raises:
            ValueError: if it is not a position of this board.
        """
        cells, seat = notation.parse_board(text, self.rows, self.columns)
        position = self.start()
        record: Any = position.record
        boards = [np.uint64(sum(1 << i for i, cell in enumerate(cells) if cell == side)) for side in (1, 2)]
        record.own, record.opponent = boards[seat], boards[1 - seat]
        record.seat, record.empty = seat, cells.count(0)
        record.winner = 1 - seat if rules.has_line(record, record.opponent) else -1
        if rules.has_line(record, record.own):
            raise ValueError(f"tictactoe: {self.seat_names[seat]} has a line and is still to move: {text!r}")
        return position

    def to_ansi(self, position: Position) -> str:
        """The board, row 1 at the top."""
        marks = [notation.MARKS[cell] for cell in self._cells(position)]
        head = "   " + " ".join(chr(ord("a") + c) for c in range(self.columns))
        rows = [f"{r + 1:2} " + " ".join(marks[r * self.columns : (r + 1) * self.columns]) for r in range(self.rows)]
        return "\n".join([head, *rows])

    def draw(self, position: Position) -> Drawing:
        """The board, row 1 at the top."""
        return drawing.draw(self._cells(position), self.rows, self.columns)

    def areas(self, position: Position) -> Mapping[int, Sequence[Area]]:
        """The square of each action."""
        return {action: (drawing.area(action, self.columns),) for action in position.legal_actions()}

    def squares(self, seat: int) -> Mapping[str, int]:
        """Row 1 at the top, as both seats see it."""
        return {notation.square_name(square, self.columns): square for square in range(self.actions)}

    def result_text(self, position: Position) -> str:
        """Who wins, or `draw`."""
        if not position.over:
            return "not finished"
        winner = int(position.record.winner)
        return f"{self.seat_names[winner]} wins" if winner >= 0 else "draw"
