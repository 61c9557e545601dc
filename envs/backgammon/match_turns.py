"""Turns as match files write them, read and played by compiled code for as long as nothing about them is odd.

`play_turns` stops before the first turn that it does not take: a spelling it does not know, or a play against the
rules. What such a turn means is for `records.py` and `notation.py` to say. For every other turn it finds the very
actions that `notation.find_turn` finds, so it makes reading faster and changes nothing else.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.backgammon.rules import (
    BAR,
    LOW_FIRST,
    MOVES,
    OFFER,
    OPENING,
    PASS,
    ROLL,
    ROLLING,
    SECOND_HALF,
    STATE,
    first_die,
    legal,
    play,
    point_of,
    square,
    turn,
)
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, view

OUTCOMES, ACTIONS = range(2)
"""Where `Work.counts` holds the numbers of outcomes and of actions."""
_MOST_STEPS = 8  # a turn with more is left to the careful reader
_LINE, _SPACE, _OPEN, _CLOSE, _STAR, _COMMA, _SLASH, _ZERO = b"\n ()*,/0"
_BAR, _OFF = np.frombuffer(b"bar", dtype=np.uint8), np.frombuffer(b"off", dtype=np.uint8)
_LOWER_CASE = 32


class Work(NamedTuple):
    """What `play_turns` works with.

    Attributes:
        trial: the position during a turn, shape (bytes,) uint8.
        mask: the legal actions, shape (1356,) int8.
        steps: the checker moves as they are written, from point to point, shape (8, 2) int64.
        points: a number for each point, shape (26,) int64: checkers that leave it, or come.
        turn: the actions of a turn, shape (3,) int64.
        counts: what was written, shape (2,) int64: see `OUTCOMES` and `ACTIONS`.
    """

    trial: Any
    mask: Any
    steps: Any
    points: Any
    turn: Any
    counts: Any


def new_work() -> Work:
    """Arrays for `play_turns`."""
    steps, points, turn, counts = (np.zeros(shape, dtype=np.int64) for shape in ((_MOST_STEPS, 2), 26, 3, 2))
    return Work(
        np.zeros(STATE.itemsize, dtype=np.uint8), np.zeros(MOVES + 4, dtype=np.int8), steps, points, turn, counts
    )


@jit
def play_turns(state: Any, text: Any, begun: bool, outcomes: Any, actions: Any, work: Work) -> int:
    """Play turns until there is one that is not clean.

    Args:
        state: the position, shape (bytes,) uint8; it is played on.
        text: the turns, shape (n,) uint8 of ASCII: for each a line with the seat, the two dice and the moves, such as
            `0318/5 6/5`, or no moves if there are none.
        begun: whether the opening roll has been made.
        outcomes: room for a roll in each turn, int64.
        actions: room for three actions in each turn, int64.
        work: from `new_work`; its `counts` say how much was written to `outcomes` and `actions`.

    Returns:
        The number of turns that were played.
    """
    work.counts[:] = 0
    at, played = 0, 0
    while at < len(text):
        seat, first, second = text[at] - _ZERO, text[at + 1] - _ZERO, text[at + 2] - _ZERO
        end, steps, hits = _read_steps(text, at + 3, work.steps)
        if end < 0:
            break
        work.trial[:] = state
        s = view(work.trial, STATE)
        outcome = _outcome(s, seat, first, second, begun)
        found = _find_turn(s, seat, outcome, steps, hits, work) if outcome >= 0 else -1
        if found < 0:
            break
        state[:] = work.trial
        outcomes[work.counts[OUTCOMES]] = outcome
        work.counts[OUTCOMES] += 1
        for i in range(found):
            actions[work.counts[ACTIONS]] = work.turn[i]
            work.counts[ACTIONS] += 1
        at, played, begun = end + 1, played + 1, True
    return played


@jit
def _outcome(s: Record, seat: int, first: int, second: int, begun: bool) -> int:
    """The chance outcome of a roll by the seat, -1 if the seat cannot roll this now."""
    low, high = min(first, second), max(first, second)
    opening = s.phase == OPENING and not begun
    if low < 1 or high > 6 or not (opening or ((s.phase == ROLLING or s.phase == OFFER) and s.seat == seat)):
        return -1
    if low == high:
        return -1 if opening else 29 + low
    number = (low - 1) * (12 - low) // 2 + high - low - 1
    return 2 * number + (seat if opening else 0)


# --- words ----------------------------------------------------------------------------------------------------------


@jit
def _read_steps(text: Any, at: int, steps: Any) -> tuple[int, int, int]:
    """Read the moves of a line, as `notation.read_moves` does.

    Returns:
        The end of the line, -1 if it cannot be read; the number of steps; the points with a mark for a hit, as bits.
    """
    count, hits = 0, 0
    while text[at] != _LINE:
        if text[at] == _SPACE or text[at] == _COMMA:
            at += 1
            continue
        begin, passed = count, 0
        at, source = _read_point(text, at, _BAR, BAR)
        while at >= 0 and text[at] == _SLASH:
            at, target = _read_point(text, at + 1, _OFF, 0)
            if at < 0 or target >= source or source > BAR or count == len(steps):
                return -1, 0, 0
            steps[count, 0], steps[count, 1] = source, target
            count, source = count + 1, target
            passed |= 1 << target
            if text[at] == _STAR:
                hits |= 1 << target
                at += 1
        if at < 0 or count == begin:
            return -1, 0, 0
        if text[at] == _OPEN and 1 <= text[at + 1] - _ZERO <= 4 and text[at + 2] == _CLOSE:
            times, length = text[at + 1] - _ZERO, count - begin
            if begin + times * length > len(steps):
                return -1, 0, 0
            for i in range(count, begin + times * length):
                steps[i, 0], steps[i, 1] = steps[i - length, 0], steps[i - length, 1]
            count = begin + times * length
            at += 3
        if text[at] == _STAR:
            hits |= passed
            at += 1
        if text[at] != _LINE and text[at] != _SPACE and text[at] != _COMMA:
            return -1, 0, 0
    return at, count, hits


@jit
def _read_point(text: Any, at: int, name: Any, named: int) -> tuple[int, int]:
    """Read a number of one or two digits, or the name of a point; returns where it ends, or -1, and the point."""
    if text[at] | _LOWER_CASE == name[0]:
        for i in range(1, len(name)):
            if text[at + i] | _LOWER_CASE != name[i]:
                return -1, 0
        return at + len(name), named
    point, digits = 0, 0
    while digits < 2 and 0 <= text[at] - _ZERO <= 9:
        point = 10 * point + text[at] - _ZERO
        at, digits = at + 1, digits + 1
    return (at if digits else -1), point


# --- plays ----------------------------------------------------------------------------------------------------------


@jit
def _find_turn(s: Record, seat: int, outcome: int, steps: int, hits: int, work: Work) -> int:
    """Play a turn, from the roll on, into `work.turn`; returns the number of actions, -1 if there is no such play."""
    count = 0
    if s.phase == OFFER:
        work.turn[0] = ROLL
        play(s, ROLL)
        count = 1
    play(s, outcome)
    if s.dice[0] == s.dice[1]:
        return _find_double(s, seat, steps, count, work)
    action = _find_action(s, steps, hits, work)
    if action < 0:
        return -1
    work.turn[count] = action
    play(s, action)
    return count + 1


@jit
def _find_action(s: Record, steps: int, hits: int, work: Work) -> int:
    """The legal action that moves the checkers as the steps do, as `notation.find_action`; -1 if there is none."""
    legal(s, work.mask)
    best, least = -1, 1 << 40
    for action in range(MOVES):
        if work.mask[action] and _same_change(s, action, steps, work):
            unlike = _unlike(s, action, steps, hits, work.steps)
            if unlike < least:
                best, least = action, unlike
    return best


@jit
def _step(s: Record, action: int, number: int) -> tuple[int, int]:
    """Where the first or second checker move of an action begins and ends; (0, 0) if it has none."""
    die = first_die(s, action)
    place = action % LOW_FIRST % 26 if number == 0 else action % LOW_FIRST // 26
    if place == 25:
        return 0, 0
    point = point_of(s.seat, place)
    return point, max(point - (die if number == 0 else s.dice[0] + s.dice[1] - die), 0)


@jit
def _same_change(s: Record, action: int, steps: int, work: Work) -> bool:
    """Whether an action changes the mover's points as the steps do."""
    work.points[:] = 0
    for i in range(steps):
        work.points[work.steps[i, 0]] -= 1
        work.points[work.steps[i, 1]] += 1
    for number in range(2):
        source, target = _step(s, action, number)
        work.points[source] += 1
        work.points[target] -= 1
    return not work.points.any()


@jit
def _unlike(s: Record, action: int, count: int, hits: int, steps: Any) -> int:
    """How far an action is from the steps: other steps, other hits, another order, then its number."""
    a, b = _step(s, action, 0)
    c, d = _step(s, action, 1)
    length = (a > 0) + (c > 0)
    in_order = other_order = count == length
    if count == length == 2:
        in_order = steps[0, 0] == a and steps[0, 1] == b and steps[1, 0] == c and steps[1, 1] == d
        other_order = steps[0, 0] == c and steps[0, 1] == d and steps[1, 0] == a and steps[1, 1] == b
    wrong = hits ^ (_hits(s, a, b) | _hits(s, c, d))
    unlike = 32 * (not (in_order or other_order))
    while wrong:
        unlike += 1
        wrong &= wrong - 1
    return (2 * unlike + (not in_order)) * MOVES + action


@jit
def _hits(s: Record, source: int, target: int) -> int:
    """The point where a step hits a blot, as a bit."""
    return 1 << target if source > 0 and target > 0 and s.checkers[1 - s.seat, 25 - target] == 1 else 0


@jit
def _find_double(s: Record, seat: int, steps: int, count: int, work: Work) -> int:
    """Play a double from the highest points down, as `notation.find_turn`; returns as `_find_turn` does."""
    die, points = s.dice[0], work.points
    left = _leaving(points, steps, work.steps, die)
    if left < 0:
        return -1
    first, point = count, BAR
    while turn(s) == seat and (left > 0 or count == first or s.phase == SECOND_HALF):
        action = PASS
        for half in range(min(left, 2)):
            while points[point] == 0:
                point -= 1
            points[point] -= 1
            left -= 1
            place = square(seat, point)
            action = 26 * 25 + place if half == 0 else action + 26 * (place - 25)
        legal(s, work.mask)
        if not work.mask[action]:
            return -1
        work.turn[count] = action
        play(s, action)
        count += 1
    return count


@jit
def _leaving(points: Any, count: int, steps: Any, die: int) -> int:
    """Write how many steps of a double start from each point; returns their number, -1 if no such steps exist.

    The same as `notation._points_of_double`: what leaves a point is what arrives there less the change.
    """
    points[:] = 0
    for i in range(count):
        points[steps[i, 0]] -= 1
        points[steps[i, 1]] += 1
    total = 0
    for point in range(BAR, 0, -1):
        leaving = (points[point + die] if point + die <= BAR else 0) - points[point]
        if leaving < 0:
            return -1
        points[point] = leaving
        total += leaving
    return total if total <= 4 else -1
