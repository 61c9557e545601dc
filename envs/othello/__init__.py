"""Othello, on 8 × 8, 6 × 6 and 4 × 4 boards."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Area, Drawing
from ludarium.envs.game import Game, kernel
from ludarium.envs.options import IllegalAction, Option
from ludarium.envs.othello import drawing, notation, rules
from ludarium.envs.position import Position


class Othello(Game):
    """Outflank the other side's discs; the most discs at the end win. See `ludarium.envs.othello.rules`.

    A side that cannot move must pass, which is an action of its own: `size²`. `scoring` says what a game pays:
    `"wins"` 1, 0 or -1; `"discs"` the disc difference on the final board; `"empties_to_winner"` the same after the
    squares left empty are given to the winner, as tournaments, WTHOR and endgame solvers count.
    """

    name = "othello"
    title = "Othello"
    unit = "discs"
    state = rules.STATE
    seat_names = ("black", "white")
    seat_colours = drawing.COLOURS
    option_types = {
        "size": Option(8, choices=(8, 6, 4), help="rows and columns of the board"),
        "scoring": Option("wins", choices=("wins", "discs", "empties_to_winner"), help="what a game pays"),
        "start": Option("standard", choices=("standard", "parallel"), help="how the first four discs are placed"),
    }

    setup = kernel(rules.setup)
    turn = kernel(rules.turn)
    legal = kernel(rules.legal)
    play = kernel(rules.play)
    payoffs = kernel(rules.payoffs)
    observe = kernel(rules.observe)
    sample = kernel(rules.sample)

    def configure(self) -> None:
        """Derive the facts that depend on the size and the scoring."""
        size = self.options["size"]
        self.small = size == 4
        self.actions = size * size + 1
        self.passing = size * size
        self.max_moves = 2 * size * size  # at most one pass for every disc
        self.observation_shape = (size, size, 2)
        most = 1.0 if self.options["scoring"] == "wins" else float(size * size)
        self.payoff_range = (-most, most)

    def as_value(self, payoff: float) -> float:
        """The discs; where only wins are paid, a sure win counts as all squares."""
        return payoff * (self.actions - 1) if self.options["scoring"] == "wins" else payoff

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """Shape (4, actions), (2, actions) for the parallel start: row k says where each action goes under symmetry k.

        They are the symmetries of the square that leave the first four discs as they are; the pass stays the pass.
        """
        size, start = self.options["size"], np.array(self._cells(self.start()))
        board = np.arange(size * size).reshape(size, size)
        images = [np.rot90(side, quarter).reshape(-1) for side in (board, board[:, ::-1]) for quarter in range(4)]
        return np.stack([np.append(image, size * size) for image in images if (start[image] == start).all()])

    def _cells(self, position: Position) -> list[int]:
        return [int(cell) for cell in position.observe(0).reshape(-1, 2) @ (1, 2)]

    def action_to_str(self, position: Position, action: int) -> str:
        """The square, or `pass`."""
        return notation.move_name(action, self.options["size"])

    def str_to_action(self, position: Position, text: str) -> int:
        """The legal action that a text names: `d3`, `D3`, `pass`, `pa`, `ps`, `--`.

        Raises:
            IllegalAction: if it names none.
        """
        try:
            action = notation.parse_move(text, self.options["size"])
        except ValueError as error:
            raise IllegalAction(f"{error}; legal: {position.legal_text()}") from None
        if not position.action_mask()[action]:
            raise IllegalAction(f"othello: {text!r} is not a legal move; legal: {position.legal_text()}")
        return action

    def to_text(self, position: Position) -> str:
        """The squares row by row, `X` black, `O` white, `-` empty, then the side to move."""
        return notation.board_text(self._cells(position), int(position.record.seat))

    def from_text(self, text: str) -> Position:
        """The position that a text describes; see `ludarium.envs.othello.notation.parse_board`.

        Raises:
            ValueError: if it is not a board of this size with a side to move.
        """
        cells, seat = notation.parse_board(text, self.options["size"])
        black, white = (np.uint64(sum(1 << i for i, cell in enumerate(cells) if cell == side)) for side in (1, 2))
        position = self.start()
        record: Any = position.record
        # Set up as if the other side had to pass: the rules then fill in what follows from the discs.
        record.own, record.opponent = (white, black) if seat == 0 else (black, white)
        record.seat, record.moves = 1 - seat, 0
        position.push(self.actions - 1)
        return position

    def to_ansi(self, position: Position) -> str:
        """The board, row 1 at the top, a `+` where the side to move may play."""
        size, cells = self.options["size"], self._cells(position)
        marks = [".XO"[cell] for cell in cells]
        for action in position.legal_actions():
            if action < size * size:
                marks[action] = "+"
        head = "  " + " ".join(chr(ord("a") + column) for column in range(size))
        rows = [f"{row + 1} " + " ".join(marks[row * size : (row + 1) * size]) for row in range(size)]
        counts = f"black (X) {cells.count(1)}, white (O) {cells.count(2)}"
        mover = "" if position.over else f"; {self.seat_names[position.turn]} to move"
        return "\n".join([head, *rows, counts + mover])

    def draw(self, position: Position) -> Drawing:
        """The board with a dot where the side to move may play."""
        return drawing.draw(self._cells(position), self.options["size"], self._moves(position))

    def _moves(self, position: Position) -> list[int]:
        """The legal actions that are squares."""
        return [action for action in position.legal_actions() if action != self.actions - 1]

    def areas(self, position: Position) -> Mapping[int, Sequence[Area]]:
        """The square of each action; the pass has none."""
        return {action: (drawing.area(action, self.options["size"]),) for action in self._moves(position)}

    def squares(self, seat: int) -> Mapping[str, int]:
        """Row 1 at the top, as both seats see it."""
        return {notation.move_name(square, self.options["size"]): square for square in range(self.actions - 1)}

    def facts(self, position: Position, seat: int | None) -> Mapping[str, str]:
        """The discs of both sides, and how many squares are empty."""
        cells = self._cells(position)
        return {"black": f"{cells.count(1)}", "white": f"{cells.count(2)}", "empty": f"{cells.count(0)}"}

    def result_text(self, position: Position) -> str:
        """Who wins and by how many discs: `black wins 33–31`."""
        cells = self._cells(position)
        black, white = cells.count(1), cells.count(2)
        if black == white:
            return f"draw {black}–{white}"
        if self.options["scoring"] == "empties_to_winner":
            black, white = (len(cells) - white, white) if black > white else (black, len(cells) - black)
        return f"{self.seat_names[black < white]} wins {max(black, white)}–{min(black, white)}"
