"""Bear-offs: how the rolls that a side needs are distributed, for all 54,264 positions of up to 15 checkers at home.

Each side's distribution is exact for the player who minimises the mean number of rolls. Two sides that race do not
touch each other, so their outcomes follow from two distributions, as if neither looked at how the other stands. This
is the one-sided bear-off database of all backgammon programs; it takes a fraction of a second to build, so it is kept
in memory only.
"""

import math
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.backgammon.rules import points_held
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

POSITIONS = 54264
"""C(21, 6)."""
ROLLS = 32
"""More rolls than anyone needs: 15 checkers on the six point and nothing but 21 take 30."""
BEAROFF = np.dtype([("all", np.float32, (POSITIONS, ROLLS)), ("one", np.float32, (POSITIONS, ROLLS))])
"""By position: the probability that n rolls bear off all checkers, and that n rolls bear off the next one."""
_POINTS, _MEN = 6, 15
_PIPS_A_ROLL = 49 / 6
_building = threading.Lock()

# By point - 1, checkers on this and lower points together, checkers on this point: the positions that come before.
_BEFORE: NDArray[np.int32] = np.array(
    [
        [
            [sum(math.comb(room - less + point, point) for less in range(min(count, room + 1))) for count in range(17)]
            for room in range(_MEN + 1)
        ]
        for point in range(_POINTS)
    ],
    dtype=np.int32,
)


def bearoff() -> NDArray[Any]:
    """The distributions, shape (1,) of the type `BEAROFF`; they stay where they are for as long as the process lives.

    A policy's block holds their address, and compiled code reads them as `view(block.bearoff, BEAROFF)`.
    """
    with _building:  # of two arrays that were built at once, one would be freed under a policy that has its address
        return _tables()


@cache
def _tables() -> NDArray[Any]:
    tables = np.zeros(1, dtype=BEAROFF)
    for name in ("all", "one"):
        _build(name == "one", tables[name][0])
    return tables


def rolls_needed(counts: Sequence[int]) -> NDArray[np.float32]:
    """How the number of rolls that bear off all checkers is distributed, shape (ROLLS,).

    Args:
        counts: the checkers on points 1 to 6.

    Raises:
        ValueError: if these are not six counts of up to 15 checkers.
    """
    if len(counts) != _POINTS or min(counts) < 0 or sum(counts) > _MEN:
        raise ValueError(f"bearoff: give the checkers on points 1 to 6, at most 15 in all, not {list(counts)}")
    rolls: NDArray[np.float32] = bearoff()["all"][0, _number(np.array(counts, dtype=np.int64))]
    return rolls


def effective_pips(counts: Sequence[int]) -> float:
    """The effective pip count (Trice 2004): the mean number of rolls, each of them 49/6 pips.

    Raises:
        ValueError: as `rolls_needed` does.
    """
    return float(rolls_needed(counts) @ np.arange(ROLLS)) * _PIPS_A_ROLL


@jit
def is_home(s: Record, seat: int) -> bool:
    """Whether all checkers of a seat are at home or off."""
    return points_held(s, seat) >> (_POINTS + 1) == 0


@jit
def outcomes_of_race(tables: Record, s: Record, seat: int, out: Any) -> None:
    """Write the probabilities of the six outcomes for a seat that has just moved; both sides are at home.

    Args:
        tables: the record of `bearoff`.
        s: the position; the other seat rolls next.
        seat: the seat.
        out: shape (6,): see `ludarium.agents.backgammon.network.OUTCOMES`.
    """
    other = 1 - seat
    own, its = _number(s.checkers[seat][1:7]), _number(s.checkers[other][1:7])
    wins = gammons = lost_gammons = 0.0
    longer = longer_one = 0.0  # the other needs more rolls than this: for all checkers, for one
    own_one = np.float64(tables.one[own, ROLLS - 1])  # this seat needs at least as many rolls for one
    for n in range(ROLLS - 2, -1, -1):
        longer += tables.all[its, n + 1]
        longer_one += tables.one[its, n + 1]
        own_one += tables.one[own, n]
        wins += tables.all[own, n] * longer
        gammons += tables.all[own, n] * longer_one
        lost_gammons += tables.all[its, n] * own_one
    gammons *= s.checkers[other, 0] == 0
    lost_gammons *= s.checkers[seat, 0] == 0
    out[0] = out[5] = 0.0
    out[1], out[2] = lost_gammons, max(1.0 - wins - lost_gammons, 0.0)
    out[3], out[4] = max(wins - gammons, 0.0), gammons


@jit
def _number(counts: Any) -> int:
    """The number of a position: its place in lexicographic order, the six point first. All moves lead to lower ones."""
    number, room = 0, _MEN
    for point in range(_POINTS - 1, -1, -1):
        number += _BEFORE[point, room, counts[point]]
        room -= counts[point]
    return number


@jit
def _counts(number: int, counts: Any) -> None:
    """Write the checkers on points 1 to 6 of a position."""
    room = _MEN
    for point in range(_POINTS - 1, -1, -1):
        count = 0
        while count < room and _BEFORE[point, room, count + 1] <= number:
            count += 1
        number -= _BEFORE[point, room, count]
        counts[point] = count
        room -= count


@jit
def _build(one: bool, out: Any) -> None:
    """Write the distributions of all positions, in order: those of the results of a roll are then known.

    Args:
        one: stop at the first checker that is borne off.
        out: shape (POSITIONS, ROLLS).
    """
    means = np.zeros(POSITIONS)
    ahead = np.zeros((POSITIONS, 6, 5), dtype=np.int32)  # by position, die, times that it is played: the best result
    steps = np.zeros((6, _POINTS), dtype=np.int32)  # by die and point: the position after this step, or -1
    counts = np.zeros(_POINTS, dtype=np.int64)
    out[0, 0] = 1.0
    for number in range(1, POSITIONS):
        _counts(number, counts)
        _write_steps(counts, one, steps)
        for die in range(6):
            ahead[number, die, 0] = number
            for times in range(1, 5):
                ahead[number, die, times] = _best(steps[die], ahead, die, times - 1, means, -1)
        for first in range(6):
            for second in range(first, 6):
                if first == second:
                    best, weight = ahead[number, first, 4], 1 / 36
                else:
                    best = _best(steps[first], ahead, second, 1, means, -1)
                    best, weight = _best(steps[second], ahead, first, 1, means, best), 2 / 36
                means[number] += weight * (1.0 + means[best])
                for n in range(1, ROLLS):
                    out[number, n] += np.float32(weight) * out[best, n - 1]


@jit
def _write_steps(counts: Any, one: bool, steps: Any) -> None:
    highest = _POINTS - 1
    while counts[highest] == 0:
        highest -= 1
    for die in range(6):
        for point in range(_POINTS):
            steps[die, point] = -1
            to = point - die - 1
            if counts[point] == 0 or (to < -1 and point < highest):
                continue
            if to < 0 and one:
                steps[die, point] = 0
                continue
            counts[point] -= 1
            counts[max(to, 0)] += to >= 0
            steps[die, point] = _number(counts)
            counts[max(to, 0)] -= to >= 0
            counts[point] += 1


@jit
def _best(steps: Any, ahead: Any, die: int, times: int, means: Any, best: int) -> int:
    """The result with the lowest mean: of one step, and then of a die played some times; or `best`, unless it is -1."""
    for step in steps:
        if step >= 0:
            result = ahead[step, die, times]
            if best < 0 or means[result] < means[best]:
                best = result
    return best
