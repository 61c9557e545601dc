"""If-then maps, compiled: a hash table from positions to moves for each member of a population.

A position is identified by a 64-bit hash of its record, so this works for any game whose record holds all that matters
and no history. Pairs about windows of a board (`ludarium.agents.genetic.ifthen.windows`) are in the same table, with
`WINDOW` as their move. Tables are at most half full: a pair that does not fit is not learned. All have the same number
of slots, a power of two, which doubles between generations as soon as one of them is a quarter full.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.hashing import EMPTY, find
from ludarium.agents.learning.learner import same_layout
from ludarium.envs.files import Arrays
from ludarium.envs.jit import jit

FIRST_SLOTS = 1 << 9
FORGOTTEN = -1
"""The move of a position that is still in the table, but has been forgotten."""
WINDOW = -2
"""The move of a pair about a window; its value is what the window's contents add to the value of the move behind it."""


class Pairs(NamedTuple):
    """The map of one member: its row in each of the first three arrays of `Maps`."""

    keys: Any
    moves: Any
    values: Any


class Maps(NamedTuple):
    """A population: what each member knows, and its record. All arrays have one row for each member.

    Attributes:
        keys: (members, slots) uint64: hashes of positions and of windows, 0 where a slot is empty.
        moves: (members, slots) int16: the move of each position, or `FORGOTTEN`, or `WINDOW`.
        values: (members, slots) float64: where values are learned, the value of the position to the seat to move, or
            what the window adds.
        visits: (members, slots) int32: the number of games that have taught the pair.
        entries: (members,) int64: the number of slots in use.
        randomness: (members,) float64: the probability of a random move where the map knows one.
        wins: (members,) int64: the number of games won.
        games: (members,) int64: the number of games played.
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
    def empty(cls, members: int, slots: int = FIRST_SLOTS) -> "Maps":
        """A population that knows nothing."""
        table, row = (members, slots), (members,)
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

    @classmethod
    def of(cls, arrays: Arrays) -> "Maps":
        """The population in the arrays of a run."""
        return cls(*(arrays[name] for name in cls._fields))

    def rows(self, members: Any) -> "Maps":
        """The rows of some members, given by an index."""
        return Maps(*(array[members] for array in self))

    def forget(self, members: NDArray[np.int64], randomness: Sequence[float]) -> None:
        """Reset members to an empty map, no games and the given randomness."""
        self.keys[members] = EMPTY
        self.entries[members], self.wins[members], self.games[members] = 0, 0, 0
        self.randomness[members] = randomness

    def grown(self, capacity: int = 0) -> "Maps":
        """The same population with room to learn: if a table is a quarter full, all are doubled.

        Maps that have reached `capacity`, unless that is 0, forget the pairs that were met in the fewest games, until
        half of it is left.
        """
        members, slots = self.keys.shape
        if 4 * self.entries.max() < slots:
            return self
        full = 0 < capacity <= self.entries.max()
        tables = Maps.empty(members, slots if full else 2 * slots)[:5]
        maps = Maps(*tables, self.randomness, self.wins, self.games)
        for member in range(members):
            _move(self, maps, member, self._least(member, capacity // 2) if full else 0)
        return maps.grown(capacity)

    def _least(self, member: int, most: int) -> int:
        """The least number of games for a pair of a member to be kept, so that at most `most` pairs remain."""
        used = (self.keys[member] != EMPTY) & (self.moves[member] != FORGOTTEN)
        visits = np.sort(self.visits[member][used])
        return int(visits[len(visits) - most - 1]) + 1 if len(visits) > most else 0


def are_maps(arrays: Arrays, members: int, actions: int) -> bool:
    """Whether the arrays of a run hold so many members and their ranking: compiled code trusts sizes and moves.

    Args:
        arrays: those of `Maps` by name, and `order`, (members,) int64: the members, the best first.
        members: the number of members.
        actions: the number of actions of the game.
    """
    slots = arrays["keys"].size // members if "keys" in arrays else 0
    expected = {**Maps.empty(members, slots)._asdict(), "order": np.arange(members)}
    return bool(
        slots >= FIRST_SLOTS
        and slots & (slots - 1) == 0
        and same_layout(arrays, expected)
        and (arrays["entries"] == np.count_nonzero(arrays["keys"], axis=1)).all()
        and 2 * arrays["entries"].max() <= slots
        and (arrays["moves"] < actions).all()
        and (arrays["moves"] >= WINDOW).all()
        and (np.sort(arrays["order"]) == expected["order"]).all()
    )


@jit
def pairs_of(maps: Any, member: int) -> Any:
    """A member's map."""
    return Pairs(maps.keys[member], maps.moves[member], maps.values[member])


@jit
def known_move(maps: Any, member: int, key: Any) -> int:
    """The move that a member's map holds for a position, or `FORGOTTEN` if it has none."""
    slot = find(maps.keys[member], key)
    return maps.moves[member, slot] if maps.keys[member, slot] != EMPTY else FORGOTTEN


@jit
def put(maps: Any, member: int, key: Any, move: Any, value: Any, visits: Any) -> None:
    """Store a pair, in place of the previous one for its key; a new key is ignored if the table is half full.

    Pass no literal numbers: this function would be compiled for each of them.
    """
    slot = find(maps.keys[member], key)
    if maps.keys[member, slot] == EMPTY:
        if 2 * (maps.entries[member] + 1) > maps.keys.shape[1]:
            return
        maps.entries[member] += 1
    maps.keys[member, slot], maps.moves[member, slot] = key, move
    maps.values[member, slot], maps.visits[member, slot] = value, visits


@jit
def _move(maps: Any, others: Any, member: int, least: int) -> None:
    """Copy the pairs of a member that at least `least` games have taught to an empty map; drop what was forgotten."""
    for slot in range(maps.keys.shape[1]):
        key, move, visits = maps.keys[member, slot], maps.moves[member, slot], maps.visits[member, slot]
        if key != EMPTY and move != FORGOTTEN and visits >= least:
            put(others, member, key, move, maps.values[member, slot], visits)
