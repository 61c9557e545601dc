"""Windows, squares in a straight line, that if-then pairs can be about in addition to whole positions.

Such a pair reads: *if* these squares look like this after my move, *then* they add this much to the move's value. The
values of all windows of a board are added up, and a hyperbolic tangent keeps the sum within the range of the payoffs.
Many short, straight windows, placed systematically, are known to learn fast (Jaśkowski 2014, "Systematic n-tuple
networks for position evaluation", arXiv:1406.1509). Windows are derived only from the declared board, an observation of
shape (rows, columns, 2), and mirror images of a window share their pairs.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board
from ludarium.envs import kernels
from ludarium.envs.chance import mix
from ludarium.envs.game import Game
from ludarium.envs.jit import jit

LONGEST = 10
"""The maximum number of squares in a window."""
_CONTENTS = 3  # possible contents of a square: empty, own, the opponent's
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Windows(NamedTuple):
    """The windows of a board.

    Attributes:
        squares: (windows, length) int64: the squares of each window; shorter ones are padded with -1.
        kinds: (windows,) uint64, from 1: windows that are mirror images of each other have the same number.
        own_images: (windows,) bool: whether a window is its own mirror image, so that its contents mean the same when
            read backwards.
        most: the greatest payoff, a bound on the values of moves.
    """

    squares: Any
    kinds: Any
    own_images: Any
    most: float


@lru_cache(maxsize=16)
def board_windows(game: Game, length: int, symmetry: bool) -> Windows:
    """All windows of a length, and all shorter lines as a whole; none if the length is 0.

    Args:
        game: a game on a board.
        length: the number of squares in a window.
        symmetry: whether the mirror images that the game declares share their pairs.
    """
    most = game.largest_payoff
    if not length:
        return Windows(np.zeros((0, 1), dtype=np.int64), np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=bool), most)
    sees = board(game, symmetry)
    kinds: dict[tuple[int, ...], int] = {}
    windows = []
    for line in _lines(*sees.shape):
        for first in range(max(1, len(line) - length + 1)):
            window = line[first : first + length]
            ways = _ways(window, sees.squares)
            kind, order = min(ways)
            windows.append((order, kinds.setdefault(kind, len(kinds) + 1), (kind, order[::-1]) in ways))
    squares = np.full((len(windows), length), -1, dtype=np.int64)
    for number, (order, _, _) in enumerate(windows):
        squares[number, : len(order)] = order
    _, numbers, own_images = zip(*windows, strict=True)
    return Windows(squares, np.array(numbers, dtype=np.uint64), np.array(own_images), most)


def _lines(rows: int, columns: int) -> list[list[int]]:
    """The squares of all rows, columns and diagonals of at least two squares."""
    lines = []
    for down, right in _DIRECTIONS:
        for square in range(rows * columns):
            row, column = divmod(square, columns)
            if row - down >= 0 and 0 <= column - right < columns:
                continue  # not the first square of its line
            line = []
            while row < rows and 0 <= column < columns:
                line.append(row * columns + column)
                row, column = row + down, column + right
            if len(line) > 1:
                lines.append(line)
    return lines


def _ways(window: list[int], images: NDArray[np.int64]) -> list[tuple[tuple[int, ...], list[int]]]:
    """A window in each mirror image, forwards and backwards: its squares in that image, and on the board itself."""
    return [
        (tuple(int(image[square]) for square in order), order) for image in images for order in (window, window[::-1])
    ]


@jit
def look(game: Any, state: Any, seat: int, observation: Any, contents: Any) -> None:
    """Write the contents of each square as a seat sees it: 0 empty, 1 own, 2 the opponent's."""
    kernels.observe(game, state, seat, observation)
    for square in range(len(contents)):
        contents[square] = observation[2 * square] + 2 * observation[2 * square + 1]


@jit
def window_key(windows: Any, number: int, contents: Any) -> Any:
    """The key of a window with its contents; never 0."""
    forwards, backwards, power = 0, 0, 1
    for i in range(windows.squares.shape[1]):
        square = windows.squares[number, i]
        if square < 0:
            break
        forwards = forwards * _CONTENTS + contents[square]
        backwards += power * contents[square]
        power *= _CONTENTS
    code = min(forwards, backwards) if windows.own_images[number] else forwards
    return mix((windows.kinds[number] << np.uint64(32)) + np.uint64(code))
