"""Tic-tac-toe, and m, n, k games up to 8 × 8."""

from typing import Any

import numpy as np

from ludarium.envs.drawing import Drawing
from ludarium.envs.game import Game, Option, kernel
from ludarium.envs.position import Position
from ludarium.envs.tictactoe import drawing, notation, rules


class TicTacToe(Game):
    """Three in a row on 3 × 3; x moves first. See `ludarium.envs.tictactoe.rules`."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    state = rules.STATE
    seat_names = ("x", "o")
    option_types = {
        "rows": Option(3, 1, 8, help="rows of the board"),
        "columns": Option(3, 1, 8, help="columns of the board"),
        "line": Option(3, 1, 8, help="how many in a row win"),
    }

    setup = kernel(rules.setup)
    turn = kernel(rules.turn)
    legal = kernel(rules.legal)
    play = kernel(rules.play)
    payoffs = kernel(rules.payoffs)
    observe = kernel(rules.observe)
    sample = kernel(rules.sample)

    def configure(self) -> None:
        rows, columns, line = (self.options[name] for name in ("rows", "columns", "line"))
        if line > max(rows, columns):
            raise ValueError(f"tictactoe: line={line} does not fit on {rows} rows and {columns} columns")
        self.actions = self.max_moves = rows * columns
        self.observation_shape = (rows, columns, 2)

    def _cells(self, position: Position) -> list[int]:
        record = position.record
        x, o = (record.own, record.opponent) if record.seat == 0 else (record.opponent, record.own)
        return [int(x) >> i & 1 | (int(o) >> i & 1) << 1 for i in range(self.actions)]

    def action_to_str(self, position: Position, action: int) -> str:
        return notation.square_name(action, self.options["columns"])

    def to_text(self, position: Position) -> str:
        return notation.board_text(self._cells(position), self.options["columns"], int(position.record.seat))

    def from_text(self, text: str) -> Position:
        cells, seat = notation.parse_board(text, self.options["rows"], self.options["columns"])
        position = self.start()
        record: Any = position.record
        own, opponent = (
            np.uint64(sum(1 << i for i, cell in enumerate(cells) if cell == side + 1)) for side in (seat, 1 - seat)
        )
        if rules.has_line(record, own):
            raise ValueError(f"tictactoe: {self.seat_names[seat]} has a line and is still to move: {text!r}")
        record.own, record.opponent, record.seat, record.empty = own, opponent, seat, cells.count(0)
        record.winner = 1 - seat if rules.has_line(record, opponent) else -1
        return position

    def to_ansi(self, position: Position) -> str:
        marks = [notation.MARKS[cell] for cell in self._cells(position)]
        columns = self.options["columns"]
        head = "   " + " ".join(chr(ord("a") + c) for c in range(columns))
        rows = [f"{r + 1:2} " + " ".join(marks[r * columns : (r + 1) * columns]) for r in range(self.options["rows"])]
        return "\n".join([head, *rows])

    def draw(self, position: Position) -> Drawing:
        return drawing.draw(self._cells(position), self.options["rows"], self.options["columns"])

    def result_text(self, position: Position) -> str:
        winner = int(position.record.winner)
        return f"{self.seat_names[winner]} wins" if winner >= 0 else "draw"
