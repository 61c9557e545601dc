"""Whole turns of backgammon: the distinct positions a turn can lead to, and how to play toward one of them."""

from typing import Any

import numpy as np

from ludarium.envs.backgammon.rules import (
    ACTIONS,
    BAR,
    FINISHED,
    MOVES,
    MOVING,
    OPENING,
    PASS,
    SECOND_HALF,
    STATE,
    end_turn,
    legal,
    move_checker,
    play,
    points_blocked,
    points_held,
    sources,
    square,
    step_of,
)
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Record, advance, view

MAX_AFTERSTATES = 3060 + 25
"""Room for the results of any turn, and scratch space after them.

A result is determined by how many of the four steps of a double each of 15 checkers makes: at most C(18, 4) = 3060
ways. Other rolls have at most 15² choices of two checkers, and 15 more where one checker may go either way.
"""

SIZE = STATE.itemsize
SCRATCH_SIZE = ACTIONS + SIZE
"""Bytes that `step_toward` needs."""
_SCRATCH = 3060 * SIZE  # 25 records: five levels of a search, or a mask of 1,356 actions
_KEYS = 1024 * SIZE  # room that only the results of doubles need
_WORDS = np.dtype([("words", np.uint64, (MOVES // 8,))])
_KEPT = np.dtype([("keys", np.int64, (512,))])


_DICE = np.array([(low, high) for low in range(1, 7) for high in range(low, 7)])
ROLLS = len(_DICE)
"""How many rolls look different."""


@jit
def copy(target: Bytes, source: Bytes) -> None:
    """Copy the bytes of a record."""
    for i in range(SIZE):
        target[i] = source[i]


@jit
def write_roll(target: Bytes, source: Bytes, seat: int, number: int) -> int:
    """Copy a position with a roll of a seat's, of which there are `ROLLS`; return how many of the 36 look like it."""
    copy(target, source)
    s = view(target, STATE)
    s.dice[0], s.dice[1], s.phase, s.seat = _DICE[number, 0], _DICE[number, 1], MOVING, seat
    return 1 if s.dice[0] == s.dice[1] else 2


@jit
def same(a: Record, b: Record) -> bool:
    """Whether two results of one decision are equal, judging by checkers and phase."""
    if a.phase != b.phase:
        return False
    for point in range(26):
        if a.checkers[0, point] != b.checkers[0, point] or a.checkers[1, point] != b.checkers[1, point]:
            return False
    return True


@jit
def results_of_actions(s: Record, out: Bytes) -> int:
    """Write the distinct results of the legal actions; returns their number."""
    mask = advance(out, _SCRATCH)
    words, keys = view(mask, _WORDS).words, view(advance(out, _KEYS), _KEPT).keys
    legal(s, mask)
    count = 0
    for word in range(len(words)):
        if words[word] != 0:  # most are
            for action in range(8 * word, 8 * word + 8):
                if mask[action]:
                    count = _add_result(s, action, out, count, keys)
    for action in range(MOVES, MOVES + 4 * s.has_cube):
        if mask[action]:
            count = _add_result(s, action, out, count, keys)
    return count


@jit
def _add_result(s: Record, action: int, out: Bytes, count: int, keys: Any) -> int:
    """Write the result of an action after the first `count`; returns their number, one more if it is new."""
    target = advance(out, count * SIZE)
    copy(target, advance(s, 0))
    new = view(target, STATE)
    play(new, action)
    keys[count] = _key(s, new, action)
    for i in range(count):
        if keys[i] == keys[count] and same(view(advance(out, i * SIZE), STATE), new):
            return count
    return count + 1


@jit
def _key(s: Record, new: Record, action: int) -> int:
    """A number that equal results of one decision share, and few others: what changes where the action moves."""
    if action >= MOVES:
        return action
    if new.phase == OPENING:  # the next game of a match
        return -1
    key = 0
    for number in range(2):
        point, to = step_of(s, action, number)
        key += to * to * to - point * point * point
        if to > 0 and s.checkers[1 - s.seat, 25 - to] == 1:
            key += 1 << (20 + to)  # a hit; a second checker there does not hit
    return key


@jit
def results_of_double(s: Record, out: Bytes) -> int:
    """Write the results of a double: all ways to make its steps, from the highest points first; returns their number.

    No step of a double ever rules out another one, so every way to play ends after the same number of steps and can be
    played from the highest point down, and the points that the steps start from determine the result. So each result
    comes up once.
    """
    die = s.dice[0]
    steps = 4 if s.phase == MOVING else 2
    blocked = points_blocked(s, s.seat)
    scratch = advance(out, _SCRATCH)
    copy(scratch, advance(s, 0))
    count, depth = 0, 0
    trail = BAR  # five bits per level: the highest point still to be tried there
    while depth >= 0:
        here = view(advance(scratch, depth * SIZE), STATE)
        starts = sources(points_held(here, s.seat), blocked, die)
        point = trail >> (5 * depth) & 31
        if depth == steps or starts == 0:
            target = advance(out, count * SIZE)
            copy(target, advance(here, 0))
            end_turn(view(target, STATE))
            count += 1
            point = 0
        while point > 0 and not starts >> point & 1:
            point -= 1
        trail &= (1 << (5 * depth)) - 1
        if point == 0:
            depth -= 1
            continue
        trail |= (point - 1) << (5 * depth)
        depth += 1
        trail |= point << (5 * depth)
        following = advance(scratch, depth * SIZE)
        copy(following, advance(here, 0))
        move_checker(view(following, STATE), point, die)
    return count


@jit
def afterstates(s: Record, out: Bytes) -> int:
    """The distinct positions after the mover's whole turn, both halves of a double included.

    The opponent is then on roll, or the game is over. A pass has one result. At a decision about the cube the results
    are those of the two answers; before a roll and at the end there are none.
    """
    if (s.phase == MOVING or s.phase == SECOND_HALF) and s.dice[0] == s.dice[1]:
        return results_of_double(s, out)
    return results_of_actions(s, out)


@jit
def step_toward(s: Record, goal: Record, scratch: Bytes) -> int:
    """The action that leads to `goal`, one of the afterstates of `s`, or the first half of the way there.

    `scratch` has `SCRATCH_SIZE` bytes: a mask of actions and one record.
    """
    if (s.phase == MOVING or s.phase == SECOND_HALF) and s.dice[0] == s.dice[1]:
        return first_steps(s, goal)
    legal(s, scratch)
    trial = advance(scratch, ACTIONS)
    for action in range(MOVES + 4 * s.has_cube):
        if scratch[action]:
            copy(trial, advance(s, 0))
            play(view(trial, STATE), action)
            if same(view(trial, STATE), goal):
                return action
    return -1


@jit
def step_toward_best(s: Record, results: Bytes, scores: Any, scratch: Bytes) -> int:
    """The action on the way to the result of a turn with the best score, the first among equals."""
    return step_toward(s, view(advance(results, np.argmax(scores) * SIZE), STATE), scratch)


@jit
def first_steps(s: Record, goal: Record) -> int:
    """The first two steps of a double, from the highest points, on the way to `goal`."""
    die = s.dice[0]
    all_off = goal.phase == FINISHED or goal.phase == OPENING  # the board may already show the next game
    action, steps = PASS, 0
    arriving = 0  # six numbers of five bits: the steps that arrive on the next points below
    for point in range(BAR, 0, -1):
        target = 0 if all_off else goal.checkers[s.seat, point]
        leaving = s.checkers[s.seat, point] + (arriving >> (5 * (die - 1)) & 31) - target
        arriving = (arriving << 5 | leaving) & ((1 << 30) - 1)
        for _ in range(leaving):
            if steps == 0:
                action = 26 * 25 + square(s.seat, point)
            elif steps == 1:
                action += 26 * (square(s.seat, point) - 25)
            steps += 1
    return action
