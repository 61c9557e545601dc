"""What a population remembers of its games, as a judge of lists.

The memory stores the positions that occurred, each with its value to the seat to move. The value of a position is
that of its best move, and the value of a move is that of the position it leads to. After each game the values of its
positions are corrected, from the last back to the first; a position that never occurred counts as a draw. If rules
stand for all their mirror images, positions that mirror each other share an entry.

The regret of a move is how much less it is worth than the best one, so a rule that never errs has weight 0. A list is
judged in all remembered positions.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from ludarium.agents.compiled.blocks import copy
from ludarium.agents.compiled.hashing import EMPTY, find
from ludarium.agents.genetic.gaia.draft import Cases, Evidence
from ludarium.agents.genetic.gaia.play import DRAWS, NEVER, Field, desk, goes_on, look, make_move
from ludarium.agents.genetic.gaia.rules import Rules
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive, mix
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_MOVES, OVER

RULE_COST = 0.01
"""The cost of each rule, in units of regret: of two lists that err equally, the shorter one is better."""
_ONE = np.uint64(1)


class Memory(NamedTuple):
    """The remembered positions, in the slots of a hash table.

    Attributes:
        keys: shape (slots,) uint64: hashes of positions, 0 where a slot is empty.
        values: shape (slots,): the value of the position to the seat to move, -1 to 1.
        met: shape (slots,) bool: whether a champion was to move there.
        states: shape (slots, bytes of a state).
    """

    keys: Any
    values: Any
    met: Any
    states: Any

    @classmethod
    def empty(cls, game: Game, slots: int) -> Self:
        """A memory of nothing.

        Args:
            game: the game.
            slots: a power of two; once three quarters are filled, no new position is stored.
        """
        return cls(
            np.zeros(slots, dtype=np.uint64),
            np.zeros(slots),
            np.zeros(slots, dtype=np.bool_),
            np.zeros((slots, game.state.itemsize), dtype=np.uint8),
        )

    @classmethod
    def of(cls, arrays: Arrays) -> Self:
        """The memory in the arrays of a run."""
        return cls(*(arrays[f"memory_{name}"] for name in cls._fields))

    def arrays(self) -> Arrays:
        """The arrays that a run stores: `memory_keys` and so on."""
        return {f"memory_{name}": array for name, array in self._asdict().items()}

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another position."""
        return 4 * int(np.count_nonzero(self.keys)) >= 3 * len(self.keys)


def ask_memory(
    field: Field, memory: Memory, population: Rules, games: int, explore: float, stop: bool, key: np.uint64
) -> Evidence:
    """Play and remember games, and judge all remembered positions; arguments as in `play_and_remember`."""
    counts = np.zeros(3, dtype=np.int64)
    played = play_and_remember(field, memory, population, games, explore, stop, key, counts)
    return Evidence(remembered(field, memory), played, counts)


@jit
def _key(seen: Any) -> Any:
    """The hash of a position, the same for all its mirror images and never 0."""
    key = np.uint64(0xFFFFFFFFFFFFFFFF)
    for image in range(len(seen)):
        key = min(key, mix(mix(seen[image, 0]) ^ seen[image, 1]))
    return max(key, _ONE)


@jit
def _worths(field: Any, memory: Any, state: Any, d: Any) -> float:
    """Write the value of each legal action to the seat to move, as the memory has it, to the desk; return the best."""
    seat, best = kernels.turn(field.table, state), -np.inf
    kernels.legal(field.table, state, d.mask)
    for action in range(len(d.mask)):
        if not d.mask[action]:
            continue
        copy(state, d.state)
        kernels.play(field.table, d.state, action)
        after = kernels.turn(field.table, d.state)
        if after == OVER:
            kernels.payoffs(field.table, d.state, d.payoffs)
            worth = field.scale * d.payoffs[seat]
        else:
            look(field, d.state, d)
            slot = find(memory.keys, _key(d.seen))
            value = memory.values[slot] if memory.keys[slot] != EMPTY else 0.0
            worth = (1.0 if after == seat else -1.0) * value
        d.worths[action], best = worth, max(best, worth)
    return best


@jit
def play_and_remember(
    field: Any, memory: Any, population: Any, games: int, explore: float, stop: bool, key: Any, counts: Any
) -> int:
    """Play games and remember them; return how many.

    In every other pair of games the champion takes each seat once, and makes no random moves for exploration.

    Args:
        field: the game.
        memory: updated in place.
        population: the rules, shape (players, rules), the champion first.
        games: how many games to play.
        explore: the probability, from 0 to 1, of a random move.
        stop: whether to stop when there is no room for another position.
        key: the games are a function of it.
        counts: decisions, rule moves and draws are added to it.
    """
    d, trail = desk(field), np.zeros(field.table[MAX_MOVES], dtype=np.int64)  # the slots of a game's positions
    slots, filled = len(memory.keys), 0
    for slot in range(slots):
        filled += memory.keys[slot] != EMPTY
    for number in range(games):
        if stop and 4 * filled >= 3 * slots:
            return number
        d.stream[0], d.stream[1] = derive(key, number), 0
        champion = number % 2 if number % 4 < 2 else -1  # its seat
        players = below(d.stream, len(population)), below(d.stream, len(population))
        d.state[:] = 0
        kernels.setup(field.table, d.state, field.options)
        plies, stored = 0, 0
        while goes_on(field, d.state, plies):
            seat = kernels.turn(field.table, d.state)
            look(field, d.state, d)
            position = _key(d.seen)
            slot = find(memory.keys, position)
            if memory.keys[slot] == EMPTY and 4 * filled < 3 * slots:
                memory.keys[slot], filled = position, filled + 1
                copy(d.state, memory.states[slot])
            if memory.keys[slot] != EMPTY:
                trail[stored], stored = slot, stored + 1
                memory.met[slot] |= seat == champion
            player, alone = (0, True) if seat == champion else (players[seat], False)
            make_move(field, population[player], NEVER if alone else explore, counts, d)
            plies += 1
        kernels.payoffs(field.table, d.state, d.payoffs)
        counts[DRAWS] += d.payoffs[0] == d.payoffs[1]
        for ply in range(stored - 1, -1, -1):
            memory.values[trail[ply]] = _worths(field, memory, memory.states[trail[ply]], d)
    return games


def remembered(field: Field, memory: Memory) -> Cases:
    """The cases among the remembered positions; those that a champion has met come first."""
    rows = np.flatnonzero(memory.keys)
    rows = rows[np.argsort(~memory.met[rows], kind="stable")]
    images, actions = field.board.undo.shape
    senses = np.zeros((len(rows), images, 3), dtype=np.uint64)
    regrets = np.full((len(rows), actions), np.nan)
    _fill(field, memory, rows, senses, regrets)
    return Cases.among(senses, regrets, np.nanmax(regrets, axis=1, initial=-np.inf), RULE_COST)


@jit
def _fill(field: Any, memory: Any, rows: Any, senses: Any, regrets: Any) -> None:
    """Correct the values of positions once more, and fill in the senses and regrets for `remembered`."""
    d = desk(field)
    for number in range(len(rows)):
        state = memory.states[rows[number]]
        best = _worths(field, memory, state, d)
        memory.values[rows[number]] = best
        for action in range(len(d.mask)):
            if d.mask[action]:
                regrets[number, action] = best - d.worths[action]
        look(field, state, d)
        for image in range(len(d.seen)):
            for sense in range(3):
                senses[number, image, sense] = d.seen[image, sense]
