"""Connect four: a whole game in one file.

Two players drop discs into seven columns of six rows; four in a row, column or diagonal win. The action is the column.
A set of discs is bits: bit 7 c + r is the square in column c and row r, counted from the bottom left corner. The
seventh bit of each column stays empty, so no line runs over the top.
To learn it: `ludarium train ifthen connect_four --preset single` (docs/learners/evolution.md).
"""

import numpy as np

from ludarium.envs import OVER, Game, Position, kernel, register_game
from ludarium.envs.drawing import Area
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Floats, Int8s, Record

ROWS, COLUMNS, ONE = 6, 7, np.uint64(1)


@jit
def has_four(discs: int) -> bool:
    """Whether a set of discs holds four in a line."""
    for step in (1, 6, 7, 8):  # up, down and right, right, up and right
        pairs = discs & (discs >> np.uint64(step))
        if pairs & (pairs >> np.uint64(2 * step)):
            return True
    return False


@register_game
class ConnectFour(Game):
    """Four in a row; yellow moves first."""

    name = "connect_four"
    seat_names = ("yellow", "red")
    actions = COLUMNS
    max_moves = ROWS * COLUMNS
    observation_shape = (ROWS, COLUMNS, 2)
    symmetries = (range(COLUMNS), range(COLUMNS)[::-1])  # the columns as they are, and in the mirror
    state = np.dtype(
        [
            ("discs", np.uint64, (2,)),  # yellow's and red's
            ("height", np.int8, (COLUMNS,)),  # discs in each column
            ("moves", np.int8),  # discs on the board; even: yellow's turn
            ("won", np.int8),  # the last move made four
        ],
        align=True,
    )

    @kernel
    def setup(s: Record, o: Record) -> int:
        """Do nothing: the empty board is all zeros."""
        return 0

    @kernel
    def turn(s: Record) -> int:
        """The seats alternate until there is a line or no room."""
        return OVER if s.won or s.moves == ROWS * COLUMNS else s.moves % 2

    @kernel
    def legal(s: Record, mask: Int8s) -> int:
        """Columns with room."""
        count = 0
        for column in range(COLUMNS):
            mask[column] = s.height[column] < ROWS and not s.won
            count += mask[column]
        return count

    @kernel
    def play(s: Record, column: int) -> int:
        """Drop a disc."""
        seat = s.moves % 2
        s.discs[seat] |= ONE << np.uint64((ROWS + 1) * column + s.height[column])
        s.height[column] += 1
        s.moves += 1
        s.won = has_four(s.discs[seat])
        return 0

    @kernel
    def payoffs(s: Record, out: Floats) -> int:
        """1 for the side with four in a line, -1 for the other."""
        out[s.moves % 2], out[1 - s.moves % 2] = -1.0 * s.won, 1.0 * s.won
        return 0

    @kernel
    def observe(s: Record, seat: int, out: Int8s) -> int:
        """Shape (rows, columns, 2), top row first: the seat's own discs, the other side's."""
        for cell in range(ROWS * COLUMNS):
            bit = np.uint64((ROWS + 1) * (cell % COLUMNS) + ROWS - 1 - cell // COLUMNS)
            out[2 * cell] = (s.discs[seat] >> bit) & ONE
            out[2 * cell + 1] = (s.discs[1 - seat] >> bit) & ONE
        return 0

    def to_ansi(self, position: Position) -> str:
        """Rows of `.`, `x` (yellow) and `o` (red)."""
        return "\n".join(" ".join(".xo"[cell] for cell in row) for row in position.observe(0) @ (1, 2))

    def areas(self, position: Position) -> dict[int, tuple[Area]]:
        """The columns of this text, which is also the picture."""
        return {column: (Area.of_text(2 * column, 0, rows=ROWS),) for column in position.legal_actions()}
