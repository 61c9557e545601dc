"""Backgammon moves as text: `24/18 13/9`, `bar/22*`, `6/off(2)`, each side counting its own points.

An action is written in the order it is played, so `13/11*/10` and `13/12/10` differ. Reading is lenient: moves in any
order, a checker's moves combined (`24/14`), hits on the way left out, `bar` or `25`, `off` or `0`, any letter case.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.backgammon import plays
from ludarium.envs.backgammon.resigning import NAMES
from ludarium.envs.backgammon.rules import (
    BAR,
    DOUBLE,
    DROP,
    LOW_FIRST,
    MOVES,
    OPENING,
    RESIGN,
    ROLL,
    STATE,
    TAKE,
)
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position

Step = tuple[int, int]
"""One checker move: from one of the mover's points (25 is the bar) to another (0 is off)."""

CANNOT_MOVE = "cannot move"
_LOW_FIRST = " (smaller die first)"
CUBE_WORDS = {ROLL: "roll", DOUBLE: "double", TAKE: "take", DROP: "drop"}
ROLLS = [(low, high) for low in range(1, 6) for high in range(low + 1, 7)]
"""The rolls that are not doubles, smaller die first, in the order of the chance outcomes."""

_MOVE = re.compile(r"(bar|\d{1,2})((?:/(?:off|\d{1,2})\*?)+)(?:\(([1-4])\))?(\*?)")


# --- dice -----------------------------------------------------------------------------------------------------------


def roll_outcome(first: int, second: int) -> int:
    """The chance outcome of a roll; at the opening roll `first` is the die of seat 0."""
    if first == second:
        return 29 + first
    return 2 * ROLLS.index((min(first, second), max(first, second))) + (first < second)


def outcome_roll(outcome: int) -> tuple[int, int]:
    """The roll of a chance outcome; at the opening roll, the dice of seat 0 and of seat 1."""
    if outcome >= 30:
        return outcome - 29, outcome - 29
    low, high = ROLLS[outcome // 2]
    return (low, high) if outcome % 2 else (high, low)


def outcome_text(outcome: int, phase: int) -> str:
    """`31`, larger die first; at the opening roll `3-1` and `1-3`, the die of seat 0 first."""
    first, second = outcome_roll(outcome)
    return f"{first}-{second}" if phase == OPENING else f"{max(first, second)}{min(first, second)}"


# --- actions --------------------------------------------------------------------------------------------------------


@cache
def steps_of(action: int, seat: int, low: int, high: int) -> tuple[Step, ...]:
    """The checker moves of an action, in the order they are played."""
    dice = (high, low) if action < LOW_FIRST else (low, high)
    steps = []
    for square, die in zip((action % LOW_FIRST % 26, action % LOW_FIRST // 26), dice, strict=True):
        if square < 25:
            point = BAR if square == 24 else 24 - square if seat == 0 else square + 1
            steps.append((point, max(point - die, 0)))
    return tuple(steps)


def move_text(steps: Sequence[Step], opponent: Sequence[int]) -> str:
    """One or two checker moves as text; `opponent` holds the opponent's counts by its own points."""
    if not steps:
        return CANNOT_MOVE
    blots, marks = {25 - point for point in range(1, 25) if opponent[point] == 1}, []
    for _, target in steps:
        marks.append("*" * (target in blots))
        blots.discard(target)
    names = [
        ("bar" if a == BAR else str(a), ("off" if b == 0 else str(b)) + m)
        for (a, b), m in zip(steps, marks, strict=True)
    ]
    if len(steps) == 2:
        (a, b), (c, d) = steps
        if (a, b) == (c, d):
            return f"{names[0][0]}/{names[0][1]}(2)"
        if b == c:
            return f"{names[0][0]}/{names[0][1]}/{names[1][1]}"
    return " ".join(f"{source}/{target}" for source, target in names)


def action_text(position: Position, action: int) -> str:
    """The action in a position, in the notation of this module."""
    if action >= RESIGN:
        return f"resign a {NAMES[action - RESIGN]}"
    if action >= MOVES:
        return CUBE_WORDS[action]
    record = np.frombuffer(position.data, STATE)[0]  # quicker than `position.record`, and there are many actions
    seat, (low, high) = int(record["seat"]), record["dice"].tolist()
    steps = steps_of(action, seat, low, high)
    text = move_text(steps, record["checkers"][1 - seat].tolist())
    # When both dice bear off the same two checkers in the same order, two actions differ only in the dice.
    if action >= LOW_FIRST and steps == steps_of(action - LOW_FIRST, seat, low, high) and len(steps) == 2:
        text += _LOW_FIRST * bool(position.action_mask()[action - LOW_FIRST])
    return text


def usual_order(text: str) -> str:
    """Moves from the highest point, those that are alike together; other words about a turn as they are."""
    counts, struck = Counter[str](), set[str]()
    for move in _MOVE.finditer(text):
        name = move[1] + move[2].removesuffix("*")
        counts[name] += int(move[3] or 1)
        if name != move[1] + move[2]:
            struck.add(name)
    if not counts:
        return text

    def points(name: str) -> list[int]:
        return [BAR if point == "bar" else 0 if point == "off" else int(point.strip("*")) for point in name.split("/")]

    return " ".join(
        name + "*" * (name in struck) + (f"({counts[name]})" if counts[name] > 1 else "")
        for name in sorted(counts, key=points, reverse=True)
    )


# --- reading --------------------------------------------------------------------------------------------------------


def read_moves(text: str) -> tuple[list[Step], set[int]]:
    """The checker moves of a text, and the points where it marks a hit.

    Raises:
        ValueError: if it is not a sequence of moves.
    """
    steps, hit_points = [], set()
    for word in text.lower().replace(",", " ").split():
        match = _MOVE.fullmatch(word)
        if not match:
            raise ValueError(f"backgammon: a move is like '24/18 13/9', 'bar/22*' or '6/off(2)', not {text!r}")
        source = BAR if match[1] == "bar" else int(match[1])
        way = [source]
        for stop in match[2][1:].split("/"):
            target = stop.rstrip("*")
            way.append(0 if target == "off" else int(target))
            if stop.endswith("*") or match[4]:
                hit_points.add(way[-1])
        if not all(BAR >= a > b >= 0 for a, b in pairwise(way)):
            raise ValueError(f"backgammon: {word!r} does not move forward from the bar (25) to off (0): {text!r}")
        steps += list(pairwise(way)) * int(match[3] or 1)
    return steps, hit_points


def _steps(words: str) -> tuple[NDArray[np.int64], int]:
    """The steps of a text, shape (n, 2), none for a pass; and the points where it marks a hit, as bits."""
    steps, hits = ([], set[int]()) if words in (CANNOT_MOVE, "pass", "") else read_moves(words)
    return np.array(steps, dtype=np.int64).reshape(-1, 2), sum(1 << point for point in hits)


def _illegal(position: Position, text: str) -> IllegalAction:
    return IllegalAction(f"backgammon: {text!r} is not a legal move; legal: {position.legal_text()}")


def find_action(position: Position, text: str) -> int:
    """The legal action that a text names; of several that move the same checkers, the one closest to the text.

    Raises:
        ValueError: if the text is not in this notation.
        IllegalAction: if it is, but no legal action matches.
    """
    words = " ".join(text.lower().split())
    legal = position.legal_actions()
    if legal and legal[0] >= MOVES:
        action = next((action for action in legal if CUBE_WORDS[action] == words), -1)
    else:
        steps, hits = _steps(words.removesuffix(_LOW_FIRST))
        record, low_first = position.data.view(STATE)[0], words.endswith(_LOW_FIRST)
        action = plays.find_action(record, steps, len(steps), hits, low_first)
    if action < 0:
        raise _illegal(position, text)
    return action


def find_turn(position: Position, text: str) -> list[int]:
    """The actions of a turn after its roll, as match files write it: one, or the two halves of a double.

    The position is not changed.

    Raises:
        ValueError: if the text is not in this notation.
        IllegalAction: if the turn cannot be played that way.
    """
    steps, hits = _steps(" ".join(text.lower().split()))
    actions = np.zeros(3, dtype=np.int64)
    length = plays.find_turn(position.copy().data.view(STATE)[0], steps, len(steps), hits, actions, 0)
    if length < 0:
        raise _illegal(position, text)
    return actions[:length].tolist()
