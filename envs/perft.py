"""Perft: counting the leaves of the game tree, the standard test of rules."""

from typing import Any

import numpy as np

from ludarium.envs import kernels
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.position import Position


@jit
def _perft(game: Any, states: Any, masks: Any, depth: int) -> int:
    """Count depth-first, with one state, one mask and one next action per ply."""
    actions = game[ACTIONS]
    following = np.zeros(depth, dtype=np.int64)
    leaves, ply = 0, 0
    kernels.legal(game, states[0], masks[0])
    while ply >= 0:
        action = following[ply]
        while action < actions and masks[ply, action] == 0:
            action += 1
        following[ply] = action + 1
        if action >= actions:
            ply -= 1
            continue
        states[ply + 1] = states[ply]
        kernels.play(game, states[ply + 1], action)
        if ply + 1 == depth or kernels.legal(game, states[ply + 1], masks[ply + 1]) == 0:
            leaves += 1
            continue
        ply += 1
        following[ply] = 0
    return leaves


def perft(position: Position, depth: int) -> int:
    """The number of lines of play of `depth` moves from a position, including shorter ones where the game ends first.

    A pass is a move like any other, and a finished game is one leaf (convention A of the Othello literature).

    Raises:
        ValueError: if the game has chance or the depth is negative.
    """
    game = position.game
    if game.max_outcomes:
        raise ValueError(f"{game.name}: perft counts moves; this game has chance")
    if depth < 0:
        raise ValueError(f"perft: the depth must be at least 0, not {depth!r}")
    if depth == 0 or position.over:
        return 1
    states = np.zeros((depth + 1, game.state.itemsize), dtype=np.uint8)
    masks = np.zeros((depth + 1, game.actions), dtype=np.int8)
    states[0] = position.data
    return int(_perft(game.table, states, masks, depth))
