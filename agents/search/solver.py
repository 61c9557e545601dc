"""Exact play in small games: every reachable position, with its value.

`solve(game)` lists the positions breadth first and then fills in values from the end of the game backwards
(retrograde analysis), all in compiled code over the game's kernels. It takes two-seat zero-sum games without chance
and hidden information: hexapawn up to 4 × 5 or 5 × 4 and tic-tac-toe in a second, Othello on 4 × 4.
`Solution.policy()` is the perfect player.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import takes
from ludarium.agents.compiled.blocks import copy, copy_state, pack, table
from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.search.units import counted
from ludarium.envs import kernels
from ludarium.envs.chance import below
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OVER, SEATS, STATE_SIZE
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

LIMIT = 1_000_000
"""The default limit on the number of positions that `solve` lists."""
LARGEST_LIMIT = 100_000_000
"""The largest: more would not fit into the memory of most machines."""

_UNKNOWN = -1  # no such position; no distance yet

_BLOCK = np.dtype(
    [
        ("positions", np.int64),
        ("words", np.int64),  # 64-bit words of one state
        ("size", np.int64),  # slots of the hash table, a power of two
        ("values", np.int64),  # the tables of `Solution`
        ("states", np.int64),
        ("distances", np.int64),
        ("slots", np.int64),
        ("child", np.int64),  # one state of scratch
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Solution:
    """All positions of a game that can be reached from its start, solved.

    Attributes:
        game: the game.
        states: shape (positions, words) uint64: each record's bytes, padded with zeros; the start is the first.
        values: shape (positions,) float64: what seat 0 gets when both sides play perfectly.
        distances: shape (positions,) int32: decisions to the end when the winner hurries and the loser delays;
            arbitrary for draws.
        slots: shape (a power of two,) int32: hash table, row of `states` plus 1, 0 where empty.
    """

    game: Game
    states: NDArray[np.uint64]
    values: NDArray[np.float64]
    distances: NDArray[np.int32]
    slots: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.states)

    def row(self, position: Position) -> int:
        """The row of a position in `states`, `values` and `distances`.

        Raises:
            ValueError: if it is of another game or cannot be reached from the start.
        """
        if position.game != self.game:
            raise ValueError(f"solver: this is the solution of {self.game.spec}, not of {position.game.spec}")
        state = np.zeros(self.states.shape[1], dtype=np.uint64)
        state.view(np.uint8)[: len(position.data)] = position.data
        row = int(find(self.states, self.slots, state))
        if row == _UNKNOWN:
            raise ValueError(f"solver: {self.game.spec} cannot reach the position {position.text}")
        return row

    def value(self, position: Position, seat: int = 0) -> float:
        """What a seat (0 or 1) gets from here when both sides play perfectly."""
        value = float(self.values[self.row(position)])
        return -value if seat else value

    def optimal_actions(self, position: Position) -> list[int]:
        """The legal actions that keep the value of a position, in increasing order, however long the game then is."""
        best = self.value(position)
        return [action for action in position.legal_actions() if self.value(after(position, action)) == best]

    def policy(self) -> Policy:
        """The perfect player: see `perfect`. Each one has its own tables, because they end in scratch space."""
        positions, words = self.states.shape
        tables: dict[str, NDArray[Any]] = {
            "values": self.values,
            "states": self.states,
            "distances": self.distances,
            "slots": self.slots,
            "child": np.zeros(words, dtype=np.uint64),
        }
        block = pack(_BLOCK, {"positions": positions, "words": words, "size": len(self.slots)}, tables)
        return Policy(_perfect, _BLOCK, block, needs_state=True, judge=lambda position, stream: self.judge(position))

    def judge(self, position: Position) -> Opinions:
        """The value of every legal action, with a shortest win or longest loss as its line.

        Raises:
            ValueError: as `row`.
        """
        self.row(position)
        moves = (counted(position, self._opinion(position, action)) for action in position.legal_actions())
        return Opinions(self.game.unit, tuple(moves))

    def _opinion(self, position: Position, action: int) -> Opinion:
        seat, child, line = position.turn, after(position, action), [action]
        value = self.value(child, seat) + 0.0  # -0.0 is 0 too
        while not child.over:
            line.append(self._quickest(child))
            child.push(line[-1])
        plies = len(line) if value else None
        return Opinion(action, value, exact=True, depth=len(line), line=tuple(line), plies=plies)

    def _quickest(self, position: Position) -> int:
        """The action of the perfect player; of equals, the lowest."""

        def merit(action: int) -> tuple[float, float, int]:
            child = after(position, action)
            value, distance = self.value(child, position.turn), int(self.distances[self.row(child)])
            return value, -float(np.sign(value)) * distance, -action

        return max(position.legal_actions(), key=merit)


def after(position: Position, action: int) -> Position:
    """The position after a legal action."""
    position = position.copy()
    position.push(action)
    return position


@lru_cache(maxsize=8)
def solve(game: Game, limit: int = LIMIT) -> Solution:
    """Solve a game; the solutions of the last few games are kept.

    Args:
        game: a two-seat zero-sum game without chance and hidden information.
        limit: give up beyond this many positions, 1 to 100,000,000.

    Raises:
        ValueError: if the game is of another kind, has more positions, or can repeat a position, or if the limit is out
            of range.
    """
    if not 1 <= limit <= LARGEST_LIMIT:
        raise ValueError(f"solver: limit must be from 1 to {LARGEST_LIMIT:,}, not {limit!r}")
    _check_kind(game)
    words = -(-game.state.itemsize // 8)
    states = np.zeros((limit + 1, words), dtype=np.uint64)  # untouched rows take no memory
    start = game.start()
    states[0].view(np.uint8)[: len(start.data)] = start.data
    count = int(_enumerate(game.table, states, np.zeros(_table_size(limit), dtype=np.int32)))
    if count > limit:
        raise ValueError(
            f"solver: {game.spec} has more than {limit} positions; choose a smaller board or a higher limit"
        )
    states = states[:count].copy()
    slots = np.zeros(_table_size(count), dtype=np.int32)
    _fill(states, slots)
    values, distances = np.zeros(count), np.full(count, _UNKNOWN, dtype=np.int32)
    if not _evaluate(game.table, states, slots, values, distances):
        raise ValueError(f"solver: {game.spec} cannot be solved; its positions can repeat")
    return Solution(game, states, values, distances, slots)


def _check_kind(game: Game) -> None:
    if game.seats != 2 or not game.zero_sum or game.max_outcomes or game.hidden_information:
        raise ValueError(
            f"solver: {game.spec} cannot be solved; it takes two-seat zero-sum games without chance and "
            "without hidden information"
        )


def _check_game(game: Game) -> None:
    _check_kind(game)
    if not game.small:
        raise ValueError(f"solver: {game.spec} does not declare that it is small enough to be solved")


@takes(_check_game)
def perfect(game: Game, *, limit: int = LIMIT) -> Policy:
    """The perfect player of a small game, as a compiled policy that needs the state.

    It keeps the value of the position; among the actions that do, it wins as soon as it can or loses as late as it can,
    and chooses at random among those that are left (in a draw, among all of them). Positions that its game cannot reach
    count as draws.

    Raises:
        ValueError: if the game cannot be solved, see `solve`.
    """
    return solve(game, limit).policy()


def _table_size(positions: int) -> int:
    """Slots of a hash table at most half full: a power of two."""
    return 1 << (2 * positions + 1).bit_length()


@jit
def _slot(states: Any, slots: Any, state: Any) -> int:
    """The slot that holds a state, or the empty one where it belongs."""
    last = len(slots) - 1
    slot: Any = np.int64(hash_state(state) & np.uint64(last))
    while slots[slot] != 0:
        row = slots[slot] - 1
        same = True
        for word in range(len(state)):
            if states[row, word] != state[word]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & last
    return slot


@jit
def find(states: Any, slots: Any, state: Any) -> int:
    """The row of a state in a solution's tables, or -1, for compiled code."""
    return slots[_slot(states, slots, state)] - 1


@jit
def _fill(states: Any, slots: Any) -> None:
    for row in range(len(states)):
        slots[_slot(states, slots, states[row])] = row + 1


@jit
def _enumerate(game: Any, states: Any, slots: Any) -> int:
    """List all positions that the first one leads to, breadth first; return their number. Stop if `states` is full."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    child = np.zeros(states.shape[1], dtype=np.uint64)
    slots[_slot(states, slots, states[0])] = 1
    count, row = 1, 0
    while row < count:
        kernels.legal(game, states[row], mask)
        for action in range(len(mask)):
            if mask[action]:
                copy(states[row], child)
                kernels.play(game, child, action)
                slot = _slot(states, slots, child)
                if slots[slot] == 0:
                    copy(child, states[count])
                    count += 1
                    if count == len(states):
                        return count
                    slots[slot] = count
        row += 1
    return count


@jit
def _evaluate(game: Any, states: Any, slots: Any, values: Any, distances: Any) -> bool:
    """Fill in values and distances, last positions first, until none is missing; return False if some stay missing."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    child = np.zeros(states.shape[1], dtype=np.uint64)
    payoffs = np.zeros(game[SEATS])
    missing, before = len(states), 0
    while missing != before:  # one round is enough if all paths to a position have the same length
        before, missing = missing, 0
        for row in range(len(states) - 1, -1, -1):
            if distances[row] != _UNKNOWN:
                continue
            seat = kernels.turn(game, states[row])
            if seat == OVER:
                kernels.payoffs(game, states[row], payoffs)
                values[row], distances[row] = payoffs[0], 0
                continue
            kernels.legal(game, states[row], mask)
            first = True
            for action in range(len(mask)):
                if mask[action]:
                    copy(states[row], child)
                    kernels.play(game, child, action)
                    reply = find(states, slots, child)
                    distance = distances[reply]
                    if distance == _UNKNOWN:
                        distances[row] = _UNKNOWN
                        missing += 1
                        break
                    if first or compare(seat, values[reply], distance + 1, values[row], distances[row]) > 0:
                        values[row], distances[row] = values[reply], distance + 1
                    first = False
    return missing == 0


@jit
def compare(seat: int, value: float, distance: Any, other: float, other_distance: Any) -> int:
    """1 if the first is better for the seat, -1 if it is worse: by value, then quick wins and late losses."""
    if seat == 1:
        value, other = -value, -other
    if value == other:
        if value > 0.0:
            return np.sign(other_distance - distance)
        return np.sign(distance - other_distance) if value < 0.0 else 0
    return 1 if value > other else -1


def _perfect(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The policy of `perfect`: look up where each legal action leads."""
    values = table(block, block.values, np.float64, (block.positions,))
    states = table(block, block.states, np.uint64, (block.positions, block.words))
    distances = table(block, block.distances, np.int32, (block.positions,))
    slots = table(block, block.slots, np.int32, (block.size,))
    child = table(block, block.child, np.uint64, (block.words,))
    seat = kernels.turn(game, state)
    best, ties = -1, 0
    value, distance = 0.0, np.int64(0)
    for action in range(game[ACTIONS]):
        if mask[action]:
            copy_state(state, child, game[STATE_SIZE])
            kernels.play(game, child, action)
            row = find(states, slots, child)
            its_value, its_distance = (values[row], np.int64(distances[row])) if row != _UNKNOWN else (0.0, np.int64(0))
            order = 1 if best < 0 else compare(seat, its_value, its_distance, value, distance)
            ties = 1 if order > 0 else ties + (order == 0)
            if order > 0 or (order == 0 and below(stream, ties) == 0):  # so that all ties are equally likely
                best, value, distance = action, its_value, its_distance
    return best
