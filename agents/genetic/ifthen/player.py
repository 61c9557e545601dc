"""How an if-then player moves, compiled: by its pair for the position or, if there is none, by the values of moves.

The value of a move is its payoff if it ends the game, or else the value that the map has for the position it leads to,
or else the sum of the windows there (`windows`). Without windows, an unknown position has value 0.
"""

from typing import Any, NamedTuple

import numba
import numpy as np

from ludarium.agents.compiled.blocks import copy, copy_state, pack, table
from ludarium.agents.compiled.hashing import EMPTY, find, hash_state
from ludarium.agents.compiled.random_legal import random_action
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Pairs
from ludarium.agents.genetic.ifthen.windows import Windows, look, window_key
from ludarium.envs import kernels
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE, TABLE_SIZE
from ludarium.envs.policy import Policy

_BLOCK = np.dtype(
    [
        ("slots", np.int64),
        ("windows", np.int64),
        ("length", np.int64),
        ("most", np.float64),
        ("keys", np.int64),  # (slots,) each, see `Pairs`
        ("moves", np.int64),
        ("values", np.int64),
        ("squares", np.int64),  # see `Windows`
        ("kinds", np.int64),
        ("own_images", np.int64),
    ]
)


class Scratch(NamedTuple):
    """Buffers to look one move ahead."""

    child: Any  # (words,) uint64
    payoffs: Any
    mask: Any
    observation: Any
    contents: Any  # (squares,) int64


@jit
def scratch(game: Any) -> Any:
    """Buffers to look one move ahead in a game."""
    return Scratch(
        np.zeros((game[STATE_SIZE] + 7) // 8, dtype=np.uint64),
        np.zeros(game[SEATS]),
        np.zeros(game[ACTIONS], dtype=np.int8),
        np.zeros(game[OBSERVATION_SIZE], dtype=np.int8),
        np.zeros(game[OBSERVATION_SIZE] // 2, dtype=np.int64),
    )


@jit
def opinion(pairs: Any, windows: Any, contents: Any) -> float:
    """The sum of a player's values for the contents of all windows."""
    total = 0.0
    for number in range(len(windows.kinds)):
        key = window_key(windows, number, contents)
        slot = find(pairs.keys, key)
        if pairs.keys[slot] == key:
            total += pairs.values[slot]
    return total


@jit
def worth(game: Any, pairs: Any, windows: Any, position: Any, seat: int, action: int, s: Any) -> float:
    """The value of an action to a seat, as far as a player knows."""
    copy(position, s.child)
    kernels.play(game, s.child, action)
    turn = kernels.turn(game, s.child)
    if turn == OVER:
        kernels.payoffs(game, s.child, s.payoffs)
        return s.payoffs[seat]
    key = hash_state(s.child)
    slot = find(pairs.keys, key)
    if pairs.keys[slot] == key:
        return pairs.values[slot] if turn == seat else -pairs.values[slot]
    if len(windows.kinds) == 0:
        return 0.0
    look(game, s.child, seat, s.observation, s.contents)
    return windows.most * np.tanh(opinion(pairs, windows, s.contents))


@jit
def best_action(game: Any, pairs: Any, windows: Any, position: Any, seat: int, preferred: Any, s: Any) -> Any:
    """The action with the highest value, and that value; among ties the preferred action, or else the first."""
    best, value = -1, 0.0
    kernels.legal(game, position, s.mask)
    for action in range(len(s.mask)):
        if s.mask[action]:
            candidate = worth(game, pairs, windows, position, seat, action, s)
            if best < 0 or candidate > value or (candidate == value and action == preferred):
                best, value = action, candidate
    return best, value


def player(pairs: Pairs, windows: Windows) -> Policy:
    """A player with these pairs, arrays of shape (slots,): it plays the move that it knows for the position.

    Where it knows none, it plays the move with the highest value or, without windows, a random one.
    """
    count, length = windows.squares.shape
    numbers = {"slots": len(pairs.keys), "windows": count, "length": length, "most": windows.most}
    tables = {**pairs._asdict(), "squares": windows.squares, "kinds": windows.kinds, "own_images": windows.own_images}
    return Policy(_act, _BLOCK, pack(_BLOCK, numbers, tables), needs_state=True)


def _act(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The policy of `player`."""
    rules = numba.carray(game, (TABLE_SIZE,))  # the type for which the population's games are compiled
    pairs = Pairs(
        table(block, block.keys, np.uint64, (block.slots,)),
        table(block, block.moves, np.int16, (block.slots,)),
        table(block, block.values, np.float64, (block.slots,)),
    )
    words = np.zeros((game[STATE_SIZE] + 7) // 8, dtype=np.uint64)
    copy_state(state, words, game[STATE_SIZE])
    slot = find(pairs.keys, hash_state(words))
    if pairs.keys[slot] != EMPTY and pairs.moves[slot] != FORGOTTEN and mask[pairs.moves[slot]]:
        return pairs.moves[slot]
    if block.windows == 0:
        return random_action(game, mask, stream)
    windows = Windows(
        table(block, block.squares, np.int64, (block.windows, block.length)),
        table(block, block.kinds, np.uint64, (block.windows,)),
        table(block, block.own_images, np.bool_, (block.windows,)),
        block.most,
    )
    return best_action(rules, pairs, windows, words, kernels.turn(rules, words), np.int64(-1), scratch(rules))[0]
