"""Whole turns: the positions that a turn can lead to, and the action on the way to one of them. Compiled.

Where a game has the kernel `afterstates`, a turn may be several decisions: in backgammon both halves of a double. To
weigh them as one, a player values the results of the turn and then plays towards the best. Elsewhere a turn is one
action.
"""

from typing import Any

import numpy as np

from ludarium.envs import kernels
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, AFTERSTATES


@jit
def turn_results(game: Any, state: Any, mask: Any, results: Any) -> int:
    """Write the positions that the turn can lead to; their number.

    Args:
        game: the game's table.
        state: the position, shape (bytes,) uint8; a seat is to move.
        mask: scratch, shape (actions,) int8.
        results: shape (at least as many as there may be, bytes) uint8: the greater of `game[ACTIONS]` and
            `game[MAX_AFTERSTATES]` is enough.
    """
    if game[AFTERSTATES] != 0:
        return kernels.afterstates(game, state, results)
    kernels.legal(game, state, mask)
    count = 0
    for action in range(len(mask)):
        if mask[action]:
            results[count] = state
            kernels.play(game, results[count], action)
            count += 1
    return count


@jit
def first_action(game: Any, state: Any, goal: Any, mask: Any, results: Any) -> int:
    """The first legal action on the way to one of a turn's results; the last legal one if none is.

    Args:
        game: the game's table.
        state: the position, shape (bytes,) uint8.
        goal: one of its results, shape (bytes,).
        mask: the legal actions, a C array of int8.
        results: scratch, as for `turn_results`.
    """
    child, last, seat = np.zeros(len(state), dtype=np.uint8), -1, kernels.turn(game, state)
    for action in range(game[ACTIONS]):
        if mask[action]:
            child[:] = state
            kernels.play(game, child, action)
            if _leads_to(game, child, seat, goal, results):
                return action
            last = action
    return last


@jit
def _leads_to(game: Any, state: Any, seat: int, goal: Any, results: Any) -> bool:
    """Whether a position is the goal, or one in the middle of a seat's turn that can end there."""
    if (state == goal).all():
        return True
    if game[AFTERSTATES] != 0 and kernels.turn(game, state) == seat:
        for i in range(kernels.afterstates(game, state, results)):
            if (results[i] == goal).all():
                return True
    return False
