"""What a population of rule players remembers of its games, and how it judges rules by that.

The memory holds positions that occurred, each with what it is worth to the seat to move: the best of what its moves are
worth, where a move is worth what is known of the position it leads to. It is corrected along each game, backwards from
its end; what never occurred counts as a draw. Positions that are mirror images of each other, if rules stand for all
their images, share an entry.

The regret of a move is how much less it is worth than the best one, so a rule that never errs has the weight 0. A
player is judged in the positions that champions have met.
"""

from typing import Any

import numpy as np

from ludarium.agents.compiled.hashing import EMPTY, find
from ludarium.agents.genetic.gaia.judgement import Evidence
from ludarium.agents.genetic.gaia.patterns import Board, decide, see
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import below, bits, derive, mix, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE

_RULE_COST = 0.01
"""What a rule that fires costs, in units of regret: among players that err equally, the shorter one is better."""
_ONE = np.uint64(1)
_DECISIONS, _RULE_MOVES, _DRAWS = range(3)


def empty_memory(game: Game, slots: int) -> Arrays:
    """A memory with room for so many positions.

    Args:
        game: the game.
        slots: a power of two; what comes when three quarters are filled is forgotten at once.

    Returns:
        `memory_keys`, `memory_values`, `memory_met` (whether a champion was to move there), shape (slots,), and
        `memory_states`, shape (slots, bytes of a state).
    """
    return {
        "memory_keys": np.zeros(slots, dtype=np.uint64),
        "memory_values": np.zeros(slots),
        "memory_met": np.zeros(slots, dtype=np.bool_),
        "memory_states": np.zeros((slots, game.state.itemsize), dtype=np.uint8),
    }


def is_full(arrays: Arrays) -> bool:
    """Whether the memory has no room for another position."""
    return 4 * int(np.count_nonzero(arrays["memory_keys"])) >= 3 * len(arrays["memory_keys"])


@jit
def _key(seen: Any) -> Any:
    """The hash of a position, the same for its images; never 0."""
    key = np.uint64(0xFFFFFFFFFFFFFFFF)
    for image in range(len(seen)):
        key = min(key, mix(mix(seen[image, 0]) ^ seen[image, 1]))
    return max(key, _ONE)


@jit
def _worths(
    game: Any, state: Any, squares: Any, scale: float, keys: Any, values: Any, mask: Any, child: Any, observation: Any,
    seen: Any, payoffs: Any, worths: Any,
) -> float:  # fmt: skip
    """Fill in what each legal action is worth to the seat to move, by the memory; the best."""
    seat = kernels.turn(game, state)
    kernels.legal(game, state, mask)
    best = -np.inf
    for action in range(len(mask)):
        if not mask[action]:
            continue
        child[:] = state
        kernels.play(game, child, action)
        after = kernels.turn(game, child)
        if after == OVER:
            kernels.payoffs(game, child, payoffs)
            worths[action] = scale * payoffs[seat]
        else:
            kernels.observe(game, child, after, observation)
            see(observation, squares, seen)
            slot = find(keys, _key(seen))
            worths[action] = (1.0 if after == seat else -1.0) * (values[slot] if keys[slot] != EMPTY else 0.0)
        best = max(best, worths[action])
    return best


@jit
def play_and_remember(
    game: Any, options: Any, squares: Any, undo: Any, scale: float, population: Any, games: int, explore: float,
    key: Any, keys: Any, values: Any, met: Any, states: Any, counts: Any,
) -> None:  # fmt: skip
    """Play games and remember them. In every other pair of games the champion sits in one seat, and explores nothing.

    Args:
        game: the game's table.
        options: its options as bytes.
        squares: see `Board`.
        undo: see `Board`.
        scale: what brings payoffs into -1 to 1.
        population: the rules, shape (players, rules), the champion first.
        games: how many.
        explore: the probability of a random move.
        key: the games are a function of it.
        keys: the memory, as are `values`, `met` and `states`.
        values: see above.
        met: see above.
        states: see above.
        counts: decisions, those by a rule, drawn games: they are added.
    """
    state, child = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask, worths = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[ACTIONS])
    observation, seen = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros((len(undo), 3), dtype=np.uint64)
    payoffs, stream = np.zeros(game[SEATS]), np.zeros(2, dtype=np.uint64)
    trail = np.zeros(game[MAX_MOVES], dtype=np.int64)  # the slots of the game's positions
    filled = np.sum(keys != EMPTY)
    for number in range(games):
        stream[0], stream[1] = derive(key, number), 0
        champion = number % 2 if number % 4 < 2 else -1  # its seat
        players = below(stream, len(population)), below(stream, len(population))
        state[:] = 0
        kernels.setup(game, state, options)
        plies, known = 0, 0
        while kernels.turn(game, state) != OVER and plies < game[MAX_MOVES]:
            seat = kernels.turn(game, state)
            kernels.observe(game, state, seat, observation)
            see(observation, squares, seen)
            position = _key(seen)
            slot = find(keys, position)
            if keys[slot] == EMPTY and 4 * filled < 3 * len(keys):
                keys[slot], states[slot, :], filled = position, state, filled + 1
            if keys[slot] != EMPTY:
                trail[known], known = slot, known + 1
                met[slot] |= seat == champion
            count = kernels.legal(game, state, mask)
            if seat != champion and uniform(stream) < explore:
                action = nth_legal(mask, count, bits(stream))
            else:
                player = 0 if seat == champion else players[seat]
                rule, action = decide(population[player], seen, undo, mask, count, stream)
                counts[_RULE_MOVES] += rule >= 0
            kernels.play(game, state, action)
            plies += 1
        kernels.payoffs(game, state, payoffs)
        counts[_DECISIONS] += plies
        counts[_DRAWS] += payoffs[0] == payoffs[1]
        for ply in range(known - 1, -1, -1):
            slot = trail[ply]
            values[slot] = _worths(
                game, states[slot], squares, scale, keys, values, mask, child, observation, seen, payoffs, worths
            )


def remembered(game: Game, board: Board, arrays: Arrays) -> Evidence:
    """The remembered positions as rules see them, those that a champion has met first."""
    keys, met = arrays["memory_keys"], arrays["memory_met"]
    rows = np.flatnonzero(keys)
    rows = rows[np.argsort(~met[rows], kind="stable")]
    senses = np.zeros((len(rows), len(board.undo), 3), dtype=np.uint64)
    regrets = np.full((len(rows), game.actions), np.nan)
    _fill(
        game.table, board.squares, 1.0 / game.largest_payoff, keys, arrays["memory_values"], arrays["memory_states"],
        rows, senses, regrets,
    )  # fmt: skip
    return Evidence(senses, regrets, int(met[rows].sum()), 0.0, _RULE_COST)


@jit
def _fill(
    game: Any, squares: Any, scale: float, keys: Any, values: Any, states: Any, rows: Any, senses: Any, regrets: Any
) -> None:  # fmt: skip
    """The work of `remembered`."""
    child, observation = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    mask, worths, payoffs = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[ACTIONS]), np.zeros(game[SEATS])
    seen = np.zeros((len(squares), 3), dtype=np.uint64)
    for number, row in enumerate(rows):
        best = _worths(game, states[row], squares, scale, keys, values, mask, child, observation, seen, payoffs, worths)
        for action in range(len(mask)):
            if mask[action]:
                regrets[number, action] = best - worths[action]
        kernels.observe(game, states[row], kernels.turn(game, states[row]), observation)
        see(observation, squares, senses[number])
