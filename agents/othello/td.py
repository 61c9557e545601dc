"""Temporal differences for n-tuples of Othello, compiled: TD(0) on afterstates by self-play.

After each decision, the value of the position before it, to the side that had moved there, is corrected towards minus
the value of the best reply. Values are squashed by tanh, so that they lie between a loss, -1, and a win, 1. The step
follows the gradient of the cross-entropy, in which the slope of the tanh cancels.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import table
from ludarium.agents.othello.tuples import HEADER, Layout, find_places, start_of_phase
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OVER, SEATS, STATE_SIZE, view
from ludarium.envs.othello.rules import STATE


def learn(
    game: Game,
    layout: Layout,
    weights: NDArray[np.float32],
    first: int,
    count: int,
    key: np.uint64,
    rates: NDArray[np.float64],
    opening: int,
) -> int:
    """Learn from games `first` to `first + count - 1`; return the number of their decisions.

    Args:
        game: Othello.
        layout: of the tuples, not merged.
        weights: shape (phases, weights) float32; they change.
        first: number of the first game.
        count: how many games.
        key: game number i draws its randomness from (key, i).
        rates: step size, λ (which is 0), the share of random moves, and the share of the step size lost with each game.
        opening: the number of random moves at the start.
    """
    block = layout.evaluation(weights.reshape(-1), len(weights)).weights
    decisions = _learn(game.table, game.option_bytes, first, first + count, key, rates, opening, block)
    header = block.view(np.uint8)[: HEADER.itemsize].view(HEADER)[0]
    start = int(header["values"])
    weights[:] = block.view(np.uint8)[start : start + weights.nbytes].view(np.float32).reshape(weights.shape)
    return int(decisions)


@jit
def _sum(state: Any, m: Any, where: Any) -> float:
    """The value of a position to the side that has just moved, before it is squashed; write where it was read."""
    s = view(state, STATE)
    find_places(s.opponent, s.own, m)
    places, starts = table(m, m.places, np.uint16, (m.lanes,)), table(m, m.starts, np.int32, (m.lanes,))
    values = table(m, m.values, np.float32, (m.phases * m.entries,))
    value, start = 0.0, start_of_phase(s, m)
    for i in range(m.regions):
        where[i] = start + starts[i] + places[i]
        value += values[where[i]]
    return value


@jit
def _learn(
    game: Any, options: Any, first: int, end: int, key: Any, rates: Any, opening: int, block: Any
) -> int:  # fmt: skip
    m = view(block, HEADER)
    values = table(m, m.values, np.float32, (m.phases * m.entries,))
    state, child = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask, payoffs = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[SEATS])
    where = np.zeros((3, m.regions), dtype=np.int64)  # of the last position, of the best move, and of a move
    stream, decisions = np.zeros(2, dtype=np.uint64), 0
    for number in range(first, end):
        stream[0], stream[1] = derive(key, number), 0
        state[:] = 0
        kernels.setup(game, state, options)
        alpha = rates[0] * (1.0 - number * rates[3]) / m.regions
        plies, before, last = 0, 0.0, False
        while kernels.turn(game, state) != OVER and plies < game[MAX_MOVES]:
            count, seat = kernels.legal(game, state, mask), kernels.turn(game, state)
            left = below(stream, count) if plies < opening or uniform(stream) < rates[2] else -1
            choice, best, worth, taken = -1, 0.0, 0.0, -1
            for action in range(len(mask)):
                if not mask[action]:
                    continue
                child[:] = state
                kernels.play(game, child, action)
                if kernels.turn(game, child) == OVER:
                    kernels.payoffs(game, child, payoffs)
                    total, value = 0.0, np.sign(payoffs[seat])
                else:
                    total = _sum(child, m, where[2])
                    value = np.tanh(total)
                if choice < 0 or value > best:
                    choice, best, worth = action, value, total
                    where[1] = where[2]
                if left == 0:
                    taken = action
                left -= 1
            if last and plies > opening:
                step = np.float32(alpha * (-best - np.tanh(before)))
                for i in range(m.regions):
                    values[where[0, i]] += step
            if taken < 0 or taken == choice:
                taken, before = choice, worth
                where[0] = where[1]
                kernels.play(game, state, taken)
            else:
                kernels.play(game, state, taken)
                before = _sum(state, m, where[0]) if kernels.turn(game, state) != OVER else 0.0
            last = True
            plies += 1
        decisions += plies
    return decisions
