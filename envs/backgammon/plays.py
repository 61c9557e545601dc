"""Which actions play a turn whose checker moves are known: what is behind every way to read a move as text.

A turn is given as steps, in the order in which they are written, each from one of the mover's points (25 is the bar) to
another (0 is off). A checker's steps may be written together; then several actions can fit.
"""

from typing import Any

import numpy as np

from ludarium.envs.backgammon.rules import (
    ACTIONS,
    BAR,
    LOW_FIRST,
    MOVES,
    PASS,
    SECOND_HALF,
    legal,
    play,
    square,
    step_of,
    turn,
)
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, count_bits, scratch


@jit
def find_turn(s: Record, steps: Any, count: int, hits: int, actions: Any, length: int) -> int:
    """Play a whole turn: one action, or the two halves of a double from the highest points down.

    Args:
        s: the position, after the roll; it is played on.
        steps: the steps, shape (at least count, 2) int64.
        count: their number.
        hits: the points where a hit is marked, as bits.
        actions: where the actions of the turn are written, room for three.
        length: how many it has already; the others follow.

    Returns:
        How many it has then; -1 if the turn cannot be played that way.
    """
    if s.dice[0] == s.dice[1] > 0:
        return _find_double(s, steps, count, actions, length)
    action = find_action(s, steps, count, hits, False)
    if action < 0:
        return -1
    actions[length] = action
    play(s, action)
    return length + 1


@jit
def find_action(s: Record, steps: Any, count: int, hits: int, low_first: bool) -> int:
    """The legal action that moves the checkers as the steps do, -1 if there is none; of several the one most like them.

    Of two that differ only in the dice, `low_first` asks for the one that plays the smaller die first.
    """
    mask, points = scratch(np.int8, ACTIONS), scratch(np.int64, BAR + 1)
    legal(s, mask)
    best, least = -1, 1 << 40
    for action in range(MOVES):
        if mask[action] and _same_change(s, action, steps, count, points):
            unlike = _unlike(s, action, steps, count, hits, low_first)
            if unlike < least:
                best, least = action, unlike
    return best


@jit
def _same_change(s: Record, action: int, steps: Any, count: int, points: Any) -> bool:
    """Whether an action changes the mover's points as the steps do; `points` is room for a number for each."""
    _write_change(points, steps, count)
    for number in range(2):
        source, target = step_of(s, action, number)
        points[source] += 1
        points[target] -= 1
    changed = 0
    for point in range(BAR + 1):
        changed |= points[point]
    return changed == 0


@jit
def _write_change(points: Any, steps: Any, count: int) -> None:
    """Write how many checkers more or less each point has after the steps."""
    for point in range(BAR + 1):
        points[point] = 0
    for i in range(count):
        points[steps[i, 0]] -= 1
        points[steps[i, 1]] += 1


@jit
def _unlike(s: Record, action: int, steps: Any, count: int, hits: int, low_first: bool) -> int:
    """How far an action is from the steps: other steps, other hits, another order, the other die, then its number."""
    (a, b), (c, d) = step_of(s, action, 0), step_of(s, action, 1)
    length = (a > 0) + (c > 0)
    in_order = other_order = count == length
    if count == length == 2:
        in_order = steps[0, 0] == a and steps[0, 1] == b and steps[1, 0] == c and steps[1, 1] == d
        other_order = steps[0, 0] == c and steps[0, 1] == d and steps[1, 0] == a and steps[1, 1] == b
    wrong = hits ^ (_hits(s, b) | _hits(s, d))
    unlike = 32 * (not (in_order or other_order)) + count_bits(wrong)
    return (4 * unlike + 2 * (not in_order) + ((action >= LOW_FIRST) != low_first)) * MOVES + action


@jit
def _hits(s: Record, target: int) -> int:
    """The point where a step hits a blot, as a bit."""
    return 1 << target if target > 0 and s.checkers[1 - s.seat, 25 - target] == 1 else 0


@jit
def _find_double(s: Record, steps: Any, count: int, actions: Any, length: int) -> int:
    """Play a double from the highest points down; arguments and result as in `find_turn`."""
    mask, points, seat = scratch(np.int8, ACTIONS), scratch(np.int64, BAR + 1), s.seat
    left = _leaving(points, steps, count, s.dice[0])
    if left < 0:
        return -1
    first, point = length, BAR
    while turn(s) == seat and (left > 0 or length == first or s.phase == SECOND_HALF):
        action = PASS
        for half in range(min(left, 2)):
            while points[point] == 0:
                point -= 1
            points[point] -= 1
            left -= 1
            place = square(seat, point)
            action = 26 * 25 + place if half == 0 else action + 26 * (place - 25)
        legal(s, mask)
        if not mask[action]:
            return -1
        actions[length] = action
        play(s, action)
        length += 1
    return length


@jit
def _leaving(points: Any, steps: Any, count: int, die: int) -> int:
    """Write how many steps of a double start from each point; returns their number, -1 if no such steps exist.

    What leaves a point is what arrives there less the change.
    """
    _write_change(points, steps, count)
    total = 0
    for point in range(BAR, 0, -1):
        leaving = (points[point + die] if point + die <= BAR else 0) - points[point]
        if leaving < 0:
            return -1
        points[point] = leaving
        total += leaving
    return total if total <= 4 else -1
