"""Decisions of backgammon: positions with a roll, what the turn can lead to, and which of it was chosen.

Positions and results are rows of 28 numbers, as the player who moves sees and counts the points:

| column | checkers |
|---|---|
| 0 | the mover's, borne off |
| 1 … 24 | on the mover's point of that number: its own, or minus those of the opponent |
| 25 | the mover's on the bar |
| 26 | the opponent's on the bar |
| 27 | the opponent's, borne off |

`recorded_decisions.py` makes them from recorded games, `decision_files.py` keeps them in files.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.backgammon.rules import BAR, MOVING, STATE
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SIZE, afterstates
from ludarium.envs.files import LARGEST
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, advance, view

COLUMNS = 28
"""Numbers in a position."""
OPPONENT_BAR, OPPONENT_OFF = 26, 27
_AT_ONCE = 10_000  # decisions whose results one thread finds


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions, n of them with m results in all, as flat arrays.

    The results of decision i are the rows `offsets[i]` to `offsets[i + 1]` of `results`.

    Attributes:
        positions: shape (n, 28) int8: before the move; the columns are those of this module.
        dice: shape (n, 2) int8: the smaller and the larger die.
        results: shape (m, 28) int8: the distinct results of each turn, seen by the player who moved, in the order in
            which the rules give them.
        offsets: shape (n + 1,) int64.
        chosen: shape (m,) bool: the results that count as right; one or more for each decision.
        played: shape (n,) int32: the number, from 0, of the result that was played in this game.
        outcomes: shape (n,) int8: what the mover won in the end: 1 for a game, 2 for a gammon, 3 for a backgammon,
            negative if it lost, without the cube; 0 if the game was not played to its end.
        matches: shape (n,) int32: the number of the match.
        held_out: shape (n,) bool: the match belongs to the part that is set aside.
        odds: what a judge expects of each result, shape (m, 6) float16: the probabilities that the mover loses a
            backgammon, a gammon, a single game; wins a single game, a gammon, a backgammon. None if nobody was asked.
        variant: how the checkers are set up: "standard", "nackgammon" or "hypergammon".
    """

    positions: NDArray[np.int8]
    dice: NDArray[np.int8]
    results: NDArray[np.int8]
    offsets: NDArray[np.int64]
    chosen: NDArray[np.bool_]
    played: NDArray[np.int32]
    outcomes: NDArray[np.int8]
    matches: NDArray[np.int32]
    held_out: NDArray[np.bool_]
    odds: NDArray[np.float16] | None = None
    variant: str = "standard"

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of results of each decision, shape (n,)."""
        return np.diff(self.offsets)

    def select(self, wanted: NDArray[np.bool_]) -> "Decisions":
        """The decisions where `wanted`, shape (n,) bool, is true, in the same order."""
        rows, counts = np.repeat(wanted, self.counts), self.counts[wanted]
        return Decisions(
            positions=self.positions[wanted],
            dice=self.dice[wanted],
            results=self.results[rows],
            offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
            chosen=self.chosen[rows],
            played=self.played[wanted],
            outcomes=self.outcomes[wanted],
            matches=self.matches[wanted],
            held_out=self.held_out[wanted],
            odds=None if self.odds is None else self.odds[rows],
            variant=self.variant,
        )

    def part(self, held_out: bool) -> "Decisions":
        """The decisions to learn from, or those that are held out."""
        return self.select(self.held_out == held_out)


def is_race(positions: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether the two sides have passed each other, so that no checker can be hit any more.

    Args:
        positions: shape (n, 28).

    Returns:
        Shape (n,).
    """
    points = np.arange(1, 25)
    own = np.where(positions[:, 25] > 0, BAR, (points * (positions[:, 1:25] > 0)).max(axis=1))
    other = np.where(
        positions[:, OPPONENT_BAR] > 0, BAR, ((25 - points) * (positions[:, 1:25] < 0)).max(axis=1)
    )  # as the opponent counts
    passed: NDArray[np.bool_] = own + other < 25
    return passed


def other_side(positions: NDArray[np.int8]) -> NDArray[np.int8]:
    """Positions as the other side sees them, shape (n, 28)."""
    turned = np.empty_like(positions)
    turned[:, 1:BAR] = -positions[:, BAR - 1 : 0 : -1]
    turned[:, [0, BAR, OPPONENT_BAR, OPPONENT_OFF]] = positions[:, [OPPONENT_OFF, OPPONENT_BAR, BAR, 0]]
    return turned


def legal_results(
    positions: NDArray[np.int8], dice: NDArray[np.int8], most: int = LARGEST // COLUMNS
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The distinct results of turns.

    Args:
        positions: shape (n, 28): legal positions, the mover having a checker on the board.
        dice: shape (n, 2): the smaller and the larger die.
        most: how many results there may be; by default as many as a file may hold.

    Returns:
        `results` and `offsets`, as in `Decisions`. A turn without a play has one result, the position itself.

    Raises:
        ValueError: if there are more results.
    """
    pieces, count = list[tuple[NDArray[np.int8], NDArray[np.int64]]](), 0
    parts = range(0, len(positions), _AT_ONCE) or [0]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(parts))) as pool:
        for part in pool.map(lambda at: _results_of(positions[at : at + _AT_ONCE], dice[at : at + _AT_ONCE]), parts):
            pieces.append(part)
            count += len(part[0])
            if count > most:
                raise ValueError(f"{len(positions):,} decisions have more than {most:,} results; make smaller sets")
    counts = np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(offsets) for _, offsets in pieces)])
    return np.concatenate([results for results, _ in pieces]), np.cumsum(counts)


def _results_of(positions: NDArray[np.int8], dice: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    state, states = np.zeros(SIZE, dtype=np.uint8), np.zeros(MAX_AFTERSTATES * SIZE, dtype=np.uint8)
    results, offsets = _legal_results(positions, dice, state, states)
    return results, offsets


@jit
def _legal_results(positions: Any, dice: Any, state: Any, states: Any) -> tuple[Any, Any]:
    s = view(state, STATE)
    offsets = np.zeros(len(positions) + 1, dtype=np.int64)
    results = np.empty((MAX_AFTERSTATES, COLUMNS), dtype=np.int8)
    for number in range(len(positions)):
        at = offsets[number]
        if at + MAX_AFTERSTATES > len(results):
            more = np.empty((2 * len(results) + MAX_AFTERSTATES, COLUMNS), dtype=np.int8)
            more[:at] = results[:at]
            results = more
        set_up(s, positions[number])
        s.dice[0], s.dice[1] = dice[number, 0], dice[number, 1]
        s.phase = MOVING
        count = afterstates(s, states)
        for i in range(count):
            write_seen(view(advance(states, i * SIZE), STATE), 0, results[at + i])
        offsets[number + 1] = at + count
    return results[: offsets[-1]].copy(), offsets


@jit
def set_up(s: Record, position: Any) -> None:
    """Set up a position with seat 0 as the mover, in a money game without the cube."""
    s.seat = 0
    s.checkers[0, 0], s.checkers[0, BAR] = position[0], position[BAR]
    s.checkers[1, 0], s.checkers[1, BAR] = position[OPPONENT_OFF], position[OPPONENT_BAR]
    for point in range(1, 25):
        s.checkers[0, point] = max(position[point], 0)
        s.checkers[1, 25 - point] = max(-position[point], 0)


@jit
def write_seen(s: Record, seat: int, position: Any) -> None:
    """Write a position as the seat sees it, shape (28,) int8."""
    other = 1 - seat
    position[0], position[BAR] = s.checkers[seat, 0], s.checkers[seat, BAR]
    position[OPPONENT_OFF], position[OPPONENT_BAR] = s.checkers[other, 0], s.checkers[other, BAR]
    for point in range(1, 25):
        position[point] = s.checkers[seat, point] - s.checkers[other, 25 - point]
