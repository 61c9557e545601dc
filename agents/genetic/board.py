"""How evolving players see a board: which squares are their own, the opponent's or empty, in every mirror image.

All of it is derived from the game's declared observation, planes of shape (rows, columns, 2) with the seat's own pieces
first. Nothing here depends on a particular game.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import bits, derive, mix, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, STATE_SIZE

_GAMES = 1000  # random games that show what each action needs from the board
_ONE, _ALL = np.uint64(1), ~np.uint64(0)


class Board(NamedTuple):
    """What rules need to know about a game, found by watching random games without looking at who wins.

    Attributes:
        shape: rows and columns.
        needs: shape (actions, 3) uint64: the sets of squares that are own, the opponent's and empty whenever the action
            is legal.
        playable: shape (n,) int64: the actions that were legal at least once.
        squares: shape (images, squares) int64: where each square lies in each mirror image; 0 is the board itself.
        undo: shape (images, actions) int64: the action on the board itself that matches each action in an image.
    """

    shape: tuple[int, int]
    needs: NDArray[np.uint64]
    playable: NDArray[np.int64]
    squares: NDArray[np.int64]
    undo: NDArray[np.int64]


def check_board(game: Game, what: str, instead: str) -> None:
    """Refuse a game whose observation does not show which squares hold own pieces and which the opponent's.

    Args:
        game: the game.
        what: what needs a board, for the error message.
        instead: what to do instead, for the error message.

    Raises:
        ValueError: if the observation shows no such board.
    """
    shape = game.observation_shape
    if len(shape) != 3 or shape[2] != 2 or shape[0] * shape[1] > 64 or game.observation_range != (0, 1):
        raise ValueError(
            f"{game.spec}: for {what} the observation must be a board of at most 64 squares: two planes of 0 and 1, of "
            f"shape (rows, columns, 2); it has the shape {shape} and the range {game.observation_range}; {instead}"
        )


@lru_cache(maxsize=16)
def board(game: Game, symmetry: bool) -> Board:
    """The board of a game; with `symmetry`, in all the mirror images that the game declares.

    Raises:
        ValueError: if the observation shows no board that rules can read.
    """
    check_board(game, "rules", "learn this game with another learner, such as td or sb3:maskable-ppo")
    shape = game.observation_shape
    mirrors = game.images if symmetry else game.images[:1]
    needs = np.full((game.actions, 3), _ALL)
    histories = np.zeros((len(mirrors), shape[0] * shape[1]), dtype=np.uint64)
    _look_at_games(game.table, game.option_bytes, mirrors, seed_key(0), needs, histories)
    # A square has the same history in every image, which tells where it lies in each.
    orders = np.argsort(histories, axis=1, kind="stable")
    squares = np.empty_like(orders)
    np.put_along_axis(squares, np.tile(orders[0], (len(mirrors), 1)), orders, axis=1)
    undo = np.argsort(mirrors, axis=1)
    return Board((shape[0], shape[1]), needs, np.flatnonzero(needs[:, 0] != _ALL), squares, undo)


@jit
def _look_at_games(game: Any, options: Any, mirrors: Any, key: Any, needs: Any, histories: Any) -> None:
    """Fill in what each action needs, and hash the history of each square in each image."""
    states = np.zeros((len(mirrors), game[STATE_SIZE]), dtype=np.uint8)
    mask, observation = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    seen, same = np.zeros((1, 3), dtype=np.uint64), np.arange(histories.shape[1]).reshape(1, -1)
    stream = np.zeros(2, dtype=np.uint64)
    for number in range(_GAMES):
        stream[0], stream[1] = derive(key, number), 0
        states[:] = 0
        for image in range(len(mirrors)):
            kernels.setup(game, states[image], options)
        plies = 0
        while kernels.turn(game, states[0]) != OVER and plies < game[MAX_MOVES]:
            seat = kernels.turn(game, states[0])
            for image in range(len(mirrors) - 1, -1, -1):
                kernels.observe(game, states[image], seat, observation)
                for square in range(histories.shape[1]):
                    content = np.uint64(1 + observation[2 * square] + 2 * observation[2 * square + 1])
                    histories[image, square] = mix(histories[image, square] ^ content)
            see(observation, same, seen)
            count = kernels.legal(game, states[0], mask)
            for action in range(len(mask)):
                if mask[action]:
                    for sense in range(3):
                        needs[action, sense] &= seen[0, sense]
            action = nth_legal(mask, count, bits(stream))
            for image in range(len(mirrors)):
                kernels.play(game, states[image], mirrors[image, action])
            plies += 1


@jit
def see(observation: Any, squares: Any, seen: Any) -> None:
    """Convert an observation to sets of squares in each image: `seen[image]` is own, the opponent's, empty."""
    for image in range(len(squares)):
        own, opponent, empty = np.uint64(0), np.uint64(0), np.uint64(0)
        for square in range(squares.shape[1]):
            bit = _ONE << np.uint64(squares[image, square])
            if observation[2 * square]:
                own |= bit
            elif observation[2 * square + 1]:
                opponent |= bit
            else:
                empty |= bit
        seen[image, 0], seen[image, 1], seen[image, 2] = own, opponent, empty
