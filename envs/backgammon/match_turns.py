"""Turns as match files write them, read and played by compiled code for as long as nothing about them is odd.

`play_turns` stops before the first turn that it does not take: a spelling it does not know, or a play against the
rules. `records.py` and `notation.py` say what such a turn means. It reads every other turn as they do, so it
makes reading faster and changes nothing else.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.backgammon.plays import find_turn
from ludarium.envs.backgammon.rules import BAR, OFFER, OPENING, ROLL, ROLLING, STATE, play
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
        steps: the checker moves as they are written, from point to point, shape (8, 2) int64.
        counts: what was written, shape (2,) int64: see `OUTCOMES` and `ACTIONS`.
        turn: the actions of a turn, shape (3,) int64.
    """

    trial: Any
    steps: Any
    counts: Any
    turn: Any


def new_work() -> Work:
    """Arrays for `play_turns`."""
    steps, counts, turn = (np.zeros(shape, dtype=np.int64) for shape in ((_MOST_STEPS, 2), 2, 3))
    return Work(np.zeros(STATE.itemsize, dtype=np.uint8), steps, counts, turn)


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
        length = _play_turn(s, seat, outcome, steps, hits, work) if outcome >= 0 else -1
        if length < 0:
            break
        state[:] = work.trial
        outcomes[work.counts[OUTCOMES]] = outcome
        work.counts[OUTCOMES] += 1
        for i in range(length):
            actions[work.counts[ACTIONS]] = work.turn[i]
            work.counts[ACTIONS] += 1
        at, played, begun = end + 1, played + 1, True
    return played


@jit
def _play_turn(s: Record, seat: int, outcome: int, steps: int, hits: int, work: Work) -> int:
    """Play a turn from the roll on; returns how many actions `work.turn` has then, -1 if there is no such play."""
    count = 0
    if s.phase == OFFER:
        work.turn[0] = ROLL
        play(s, ROLL)
        count = 1
    play(s, outcome)
    return find_turn(s, work.steps, steps, hits, work.turn, count)


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
