"""The hash map of an if-then player: the positions behind its hashes, and how often it uses each pair.

A map stores a hash of each position, not the position itself. So the positions have to be found again: by a
breadth-first search of the game from its start, and in the games in which the player is watched.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.hashing import EMPTY, find, hash_state
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Pairs
from ludarium.agents.learning.inspection import (
    BLOCKS,
    FORKS,
    MARK,
    VERBS,
    WINS,
    Entry,
    Inspection,
    Watch,
    made_by,
    position_of,
    times,
)
from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_DOES = {WINS: "wins at once", BLOCKS: "blocks a threat", FORKS: "makes a fork"}


def inspect_map(
    game: Game, pairs: Pairs, visits: NDArray[np.int32], with_values: bool, player: Policy, watch: Watch
) -> Inspection:
    """List the pairs of a map whose positions can be found, those that the player uses most first.

    Args:
        game: the game.
        pairs: the map, arrays of shape (slots,).
        visits: (slots,) int32: the number of games that have taught each pair.
        with_values: whether the learner keeps values.
        player: the policy that plays by the map.
        watch: plays the games, and tells what moves do.
    """
    keys, moves, values = pairs
    watched = watch.decisions(player)
    walked, whole = walk(game, watch.positions)
    states = np.concatenate([walked, watched.states])
    slots = np.zeros(len(states), dtype=np.int64)
    _look_up(game.table, states, keys, moves, slots)
    played = slots[len(walked) :]
    used = np.bincount(played[(played >= 0) & (moves[played] == watched.actions)], minlength=len(keys))
    listed, first = np.unique(slots, return_index=True)
    listed, first = listed[listed >= 0], first[listed >= 0]
    does = watch.effects(states[first], moves[listed].astype(np.int64))
    entries = [
        _entry(
            position_of(game, states[first[number]]),
            int(moves[listed[number]]),
            float(values[listed[number]]) if with_values else None,
            int(visits[listed[number]]),
            int(used[listed[number]]),
            int(does[number]),
        )
        for number in np.lexsort((first, -visits[listed], -used[listed]))
    ]
    positions, windows = (int(((keys != 0) & kind).sum()) for kind in (moves >= 0, moves < FORGOTTEN))
    where = f"{len(walked):,} positions of the game"
    tail = [made_by(int(used.sum()), len(played), "pairs of a position")]
    return Inspection(
        kind="pairs",
        summary=f"{positions:,} pairs of a position and a move",
        entries=entries,
        head=[
            f"the positions of {len(entries):,} of them were found again, in the "
            + (where if whole else f"first {where} and in those games")
        ],
        tail=[*tail, f"pairs about parts of the board, not shown: {windows:,}"] if windows else tail,
        data={
            "walked": len(walked),
            "whole": whole,
            "moves": len(played),
            "map_moves": int(used.sum()),
            "entries": positions,
            "parts": windows,
            "found": len(entries),
        },
    )


def _entry(position: Position, action: int, value: float | None, visits: int, used: int, does: int) -> Entry:
    """A position with its move; what the move touches is marked if the game declares `areas`.

    Args:
        position: the position.
        action: the move that the map holds for it.
        value: the value of the position to the seat to move, -1 to 1; None if the learner keeps no values.
        visits: the number of games that taught the pair.
        used: the number of moves that the pair made.
        does: what the move does, an index into `VERBS`.
    """
    game, move = position.game, position.game.action_to_str(position, action)
    drawing = game.draw_view(position, position.turn)
    for area in game.areas(position).get(action, ()):
        drawing.frame(area, MARK, 4)
    worth = "" if value is None else f"value {round(value, 3) + 0.0:g}, "  # no negative zero
    facts = [f"used {times(used)}", f"{worth}taught by {visits:,} game{'s' * (visits != 1)}"]
    return Entry(
        board=game.view_text(position, position.turn),
        drawing=drawing,
        move=move,
        mover=game.seat_name(position.turn),
        facts=[_DOES[does], *facts] if does in _DOES else facts,
        used=used,
        positions=1,
        data={
            "position": position.text,
            "action": action,
            "move": move,
            "value": value,
            "visits": visits,
            "used": used,
            "does": VERBS[does],
        },
    )


def walk(game: Game, limit: int) -> tuple[NDArray[np.uint64], bool]:
    """The different positions of a game from its start, breadth first.

    Args:
        game: the game.
        limit: the maximum number of positions.

    Returns:
        The positions, shape (n, words) uint64, terminal ones and chance nodes included, and whether these are all.
    """
    states = np.zeros((limit, -(-game.state.itemsize // 8)), dtype=np.uint64)  # untouched rows take no memory
    count = int(_walk(game.table, game.option_bytes, states, np.zeros(1 << (2 * limit).bit_length(), dtype=np.uint64)))
    return states[:count].copy() if count >= 0 else states, count >= 0


@jit
def _walk(game: Any, options: Any, states: Any, keys: Any) -> int:
    """Fill in the positions, and return how many, or -1 if not all fit; positions with equal hashes count as one."""
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
    """Fill in the slot of the pair that would be used in each position, -1 where there is none."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    for number in range(len(states)):
        slot = find(keys, hash_state(states[number]))
        kernels.legal(game, states[number], mask)
        known = keys[slot] != EMPTY and moves[slot] >= 0  # negative if forgotten
        slots[number] = slot if known and mask[moves[slot]] else -1
