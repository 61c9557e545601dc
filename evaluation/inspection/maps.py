"""The hash map of a player that evolved: the positions behind its hashes, and how often it plays by each pair.

A map keeps a hash of each position and not the position. So positions are found again: by a walk over the game from
its start, breadth first, and in the games in which the player is watched.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.hashing import EMPTY, find, hash_state
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN
from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES
from ludarium.envs.position import Position
from ludarium.evaluation.inspection.games import VERBS, decisions_against_random, effects, position_of
from ludarium.evaluation.inspection.population import Population


class InspectedPair(NamedTuple):
    """A position with its move, and how they were used.

    Attributes:
        position: the position.
        action: the move that the map holds for it.
        value: what the position is worth to the seat to move, -1 to 1; None where the learner keeps no values.
        visits: how many games taught it.
        used: how many moves it made.
        verb: what the move does: `"wins"`, `"blocks"` or nothing, see `effects`.
    """

    position: Position
    action: int
    value: float | None
    visits: int
    used: int
    verb: str


@dataclass(frozen=True)
class MapInspection:
    """A player's map, the pairs that are used most first.

    Attributes:
        game: what it plays.
        pairs: those whose position was found again.
        entries: how many pairs of a position there are.
        parts: how many pairs are about parts of the board, not about a position; they are not looked into.
        walked: how many positions the walk went over.
        whole: whether these are all there are.
        moves: how many moves the player made in all.
        map_moves: those that a pair made.
    """

    game: Game
    pairs: list[InspectedPair]
    entries: int
    parts: int
    walked: int
    whole: bool
    moves: int
    map_moves: int


def inspect_map(population: Population, member: int, games: int, seed: int, limit: int) -> MapInspection:
    """Find the positions of a map again, and watch its player in games against the random agent.

    Args:
        population: the run.
        member: whose map, by place.
        games: how many games, every other one in each seat.
        seed: the games are a function of it.
        limit: how many positions to walk over at most.
    """
    game, learned = population.game, population.checkpoint.arrays
    row = learned["order"][member]
    keys, moves, values, visits = (learned[name][row] for name in ("keys", "moves", "values", "visits"))
    policy = population.agent(member).policy
    assert policy is not None
    watched = decisions_against_random(game, policy, games, seed)
    walked, whole = walk(game, limit)
    states = np.concatenate([walked, watched.states])
    slots = np.zeros(len(states), dtype=np.int64)
    _look_up(game.table, states, keys, moves, slots)
    played = slots[len(walked) :]
    used = np.bincount(played[(played >= 0) & (moves[played] == watched.actions)], minlength=len(keys))
    known, first = np.unique(slots, return_index=True)
    first, known = first[known >= 0], known[known >= 0]
    does = effects(game, states[first], moves[known].astype(np.int64))
    with_values = getattr(population.learner, "values", False)
    found = [
        InspectedPair(
            position_of(game, states[first[number]]),
            int(moves[known[number]]),
            float(values[known[number]]) if with_values else None,
            int(visits[known[number]]),
            int(used[known[number]]),
            VERBS[does[number]],
        )
        for number in np.lexsort((first, -visits[known], -used[known]))
    ]
    entries, parts = (int(((keys != 0) & kind).sum()) for kind in (moves >= 0, moves < FORGOTTEN))
    return MapInspection(game, found, entries, parts, len(walked), whole, len(played), int(used.sum()))


def walk(game: Game, limit: int) -> tuple[NDArray[np.uint64], bool]:
    """The different positions of a game from its start, breadth first.

    Args:
        game: the game.
        limit: how many at most.

    Returns:
        The positions, shape (n, words) uint64, finished ones and chance nodes too, and whether these are all.
    """
    states = np.zeros((limit, -(-game.state.itemsize // 8)), dtype=np.uint64)  # untouched rows take no memory
    count = int(_walk(game.table, game.option_bytes, states, np.zeros(1 << (2 * limit).bit_length(), dtype=np.uint64)))
    return states[:count].copy() if count >= 0 else states, count >= 0


@jit
def _walk(game: Any, options: Any, states: Any, keys: Any) -> int:
    """Fill in the positions; their number, or -1 if there is no room for all. Two with one hash count as the same."""
    mask, probabilities = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[MAX_OUTCOMES] + 1)
    child = np.zeros(states.shape[1], dtype=np.uint64)
    kernels.setup(game, states[0], options)
    key = hash_state(states[0])
    keys[find(keys, key)] = key
    count, row = 1, 0
    while row < count:
        chance = kernels.turn(game, states[row]) == CHANCE
        if chance:
            edges = kernels.outcomes(game, states[row], probabilities)
        else:
            edges = len(mask)
            kernels.legal(game, states[row], mask)
        for edge in range(edges):
            if (probabilities[edge] > 0.0) if chance else (mask[edge] != 0):
                child[:] = states[row]
                kernels.play(game, child, edge)
                key = hash_state(child)
                slot = find(keys, key)
                if keys[slot] == key:
                    continue
                if count == len(states):
                    return -1
                keys[slot], states[count] = key, child
                count += 1
        row += 1
    return count


@jit
def _look_up(game: Any, states: Any, keys: Any, moves: Any, slots: Any) -> None:
    """Fill in the slot of a map from which each position would be played, -1 where there is none."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    for number in range(len(states)):
        slot = find(keys, hash_state(states[number]))
        kernels.legal(game, states[number], mask)
        known = keys[slot] != EMPTY and moves[slot] >= 0  # else it was forgotten
        slots[number] = slot if known and mask[moves[slot]] else -1
