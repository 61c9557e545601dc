"""If-then maps, compiled: a hash table for each member of a population, from a position to a move.

A position is known by a 64-bit hash of its record, so any game does whose record holds all that counts and no history.
Tables have open addressing and are at most half full: what does not fit is not learned. All have the same number of
slots, a power of two, which doubles between generations as soon as one is a quarter full.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.arena import nth_legal
from ludarium.envs.chance import bits, mix
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, STATE_SIZE
from ludarium.envs.policy import Policy

FIRST_SLOTS = 1 << 9
FORGOTTEN = -1
"""The move of a position that is in the table, but no longer known."""
MEMORY = np.dtype([("slots", np.int64)])
_EMPTY = np.uint64(0)


class Maps(NamedTuple):
    """A population: what each member knows, and what became of it. Arrays of `members` rows.

    Attributes:
        keys: (members, slots) uint64: hashes of positions, 0 where a slot is empty.
        moves: (members, slots) int16: the move of each position, or `FORGOTTEN`.
        values: (members, slots) float64: what the position is worth to the seat to move, where values are learned.
        visits: (members, slots) int32: how many games have taught the pair.
        entries: (members,) int64: slots in use.
        randomness: (members,) float64: the chance of a random move where the map knows one.
        wins: (members,) int64: games won.
        games: (members,) int64: games played.
    """

    keys: Any
    moves: Any
    values: Any
    visits: Any
    entries: Any
    randomness: Any
    wins: Any
    games: Any

    @classmethod
    def empty(cls, members: int) -> "Maps":
        """A population that knows nothing."""
        table, row = (members, FIRST_SLOTS), (members,)
        return cls(
            np.zeros(table, dtype=np.uint64),
            np.zeros(table, dtype=np.int16),
            np.zeros(table),
            np.zeros(table, dtype=np.int32),
            np.zeros(row, dtype=np.int64),
            np.zeros(row),
            np.zeros(row, dtype=np.int64),
            np.zeros(row, dtype=np.int64),
        )

    def grown(self) -> "Maps":
        """The same population with room to learn: tables twice as large if one is a quarter full."""
        members, slots = self.keys.shape
        if 4 * self.entries.max() < slots:
            return self
        larger = (np.zeros((members, 2 * slots), dtype=table.dtype) for table in self[:4])
        maps = self._replace(**dict(zip(self._fields, larger, strict=False)), entries=np.zeros_like(self.entries))
        _move(self, maps)
        return maps.grown()


@jit
def hash_state(state: Any) -> Any:
    """The hash of a state's words (shape (words,) uint64), never 0."""
    key = np.uint64(0)
    for word in state:
        key = mix(key ^ word)
    return key if key != _EMPTY else np.uint64(1)


@jit
def find(keys: Any, key: Any) -> int:
    """The slot of a member's keys that holds a key, or the empty one where it belongs."""
    last = len(keys) - 1
    slot: Any = np.int64(key & np.uint64(last))
    while keys[slot] != _EMPTY and keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@jit
def known_move(maps: Any, member: int, key: Any) -> int:
    """The move that a member's map holds for a position, or `FORGOTTEN`."""
    slot = find(maps.keys[member], key)
    return maps.moves[member, slot] if maps.keys[member, slot] != _EMPTY else FORGOTTEN


@jit
def put(maps: Any, member: int, key: Any, move: int, value: float, visits: int) -> None:
    """Enter a pair, in place of the one that was there; nothing happens if the table is half full."""
    slot = find(maps.keys[member], key)
    if maps.keys[member, slot] == _EMPTY:
        if 2 * (maps.entries[member] + 1) > maps.keys.shape[1]:
            return
        maps.entries[member] += 1
    maps.keys[member, slot], maps.moves[member, slot] = key, move
    maps.values[member, slot], maps.visits[member, slot] = value, visits


@jit
def clear(maps: Any, member: int) -> None:
    """Empty a member's map."""
    maps.keys[member, :] = _EMPTY
    maps.entries[member] = 0


@jit
def _move(maps: Any, larger: Any) -> None:
    """Copy each map into a larger, empty one; what was forgotten is left behind."""
    for member in range(len(maps.keys)):
        for slot in range(maps.keys.shape[1]):
            key, move = maps.keys[member, slot], maps.moves[member, slot]
            if key != _EMPTY and move != FORGOTTEN:
                put(larger, member, key, move, maps.values[member, slot], maps.visits[member, slot])


def map_policy(keys: NDArray[np.uint64], moves: NDArray[np.int16]) -> Policy:
    """The player of one map, two arrays of shape (slots,): it plays the move that is there, else a random one."""
    header = np.array([(len(keys),)], dtype=MEMORY)
    tables = b"".join(part.tobytes() for part in (header, keys, moves.astype(np.int64)))
    return Policy(_look_up, MEMORY, np.frombuffer(bytearray(tables), dtype=np.uint8), needs_state=True)


def _look_up(game: Any, state: Any, observation: Any, mask: Any, memory: Any, stream: Any) -> int:
    """The policy of `map_policy`."""
    size = 8 * memory.slots
    tables = numba.carray(kernels.advance(memory, 8), (2 * size,))
    keys, moves = tables[:size].view(np.uint64), tables[size:].view(np.int64)
    words = np.zeros((game[STATE_SIZE] + 7) // 8, dtype=np.uint64)
    data = words.view(np.uint8)
    for byte in range(game[STATE_SIZE]):
        data[byte] = state[byte]
    slot = find(keys, hash_state(words))
    if keys[slot] != _EMPTY and moves[slot] != FORGOTTEN and mask[moves[slot]]:
        return moves[slot]
    count = 0
    for action in range(game[ACTIONS]):
        count += mask[action]
    return nth_legal(mask, count, bits(stream))
