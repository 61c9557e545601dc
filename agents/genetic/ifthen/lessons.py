"""What a game teaches the players of an if-then population, compiled: either of two lessons.

In the original lesson the winner adds its random moves to its map. The other one corrects the values of all positions,
from the last back to the first, whoever won. Both read the trail that a game leaves on its table
(`ludarium.agents.genetic.ifthen.games`).
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.compiled.hashing import find
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, WINDOW, pairs_of, put
from ludarium.agents.genetic.ifthen.player import best_action, opinion
from ludarium.agents.genetic.ifthen.windows import look, window_key
from ludarium.envs import kernels
from ludarium.envs.jit import jit

RULE, UNKNOWN, IGNORED = 0, 1, 2
"""Why a move was made: the map gave it, the map had none, or the map's move was ignored."""
_STEP, _PATIENCE = 0.5, 1000.0
"""The first step size of a pair about a window, and the number of games after which it is halved."""


class Lesson(NamedTuple):
    """What a game teaches the two members that play it.

    Attributes:
        values: the values of all positions are corrected, see `back_up`; otherwise, the winner records its random
            moves, see `record`.
        record_draws: after a draw, both record theirs.
        overwrite_on_win: random moves in known positions are recorded too.
        forget_on_loss: the loser forgets a pair, see `forget`.
    """

    values: bool = False
    record_draws: bool = False
    overwrite_on_win: bool = False
    forget_on_loss: bool = False


VALUES = Lesson(values=True)
"""The lesson that corrects values."""


@jit
def teach(table: Any, member: int, seat: int, won: int, plies: int) -> None:
    """Teach a member the game on the table, in which it had a seat; `won` is the sign of its result."""
    lesson = table.lesson
    if lesson.values:
        back_up(table, member, plies)
    elif won > 0 or (won == 0 and lesson.record_draws):
        record(table, member, seat, plies)
    elif won < 0 and lesson.forget_on_loss:
        forget(table, member, seat, plies)


@jit
def record(table: Any, member: int, seat: int, plies: int) -> None:
    """Add a seat's random moves in unknown positions to its map; with `overwrite_on_win`, all its random moves."""
    for ply in range(plies):
        move = table.trail[ply]
        if move.seat == seat and (move.reason == UNKNOWN or (move.reason == IGNORED and table.lesson.overwrite_on_win)):
            for image in range(len(table.mirrors)):
                put(table.maps, member, table.hashes[ply, image], table.mirrors[image, move.action], 0.0, np.int64(1))


@jit
def forget(table: Any, member: int, seat: int, plies: int) -> None:
    """Forget the pair behind a seat's last move with a choice, if a pair made that move."""
    maps = table.maps
    for ply in range(plies - 1, -1, -1):
        move = table.trail[ply]
        if move.seat == seat and kernels.legal(table.game, table.positions[ply], table.scratch.mask) > 1:
            if move.reason == RULE:
                for image in range(len(table.mirrors)):
                    slot = find(maps.keys[member], table.hashes[ply, image])
                    if maps.keys[member, slot] == table.hashes[ply, image]:
                        maps.moves[member, slot] = FORGOTTEN
            return


@jit
def back_up(table: Any, member: int, plies: int) -> None:
    """Correct the value and the move of each position in a game, from the last back to the first, for either seat.

    The value of a position is that of its best move, see `worth`. A known move is kept unless another is better. The
    windows learn the value of each position that a move has led to, from the side that made the move.
    """
    game, maps, windows, trail = table.game, table.maps, table.windows, table.trail
    pairs = pairs_of(maps, member)
    for ply in range(plies - 1, -1, -1):
        seat, key, position = trail[ply].seat, table.hashes[ply, 0], table.positions[ply]
        slot = find(maps.keys[member], key)
        held = maps.keys[member, slot] == key
        move, visits = (maps.moves[member, slot], maps.visits[member, slot]) if held else (trail[ply].action, 0)
        best, value = best_action(game, pairs, windows, position, seat, move, table.scratch)
        for image in range(len(table.mirrors)):
            put(maps, member, table.hashes[ply, image], table.mirrors[image, best], value, visits + 1)
        if ply > 0 and len(windows.kinds) > 0:
            mover = trail[ply - 1].seat
            look(game, position, mover, table.scratch.observation, table.scratch.contents)
            correct(maps, member, windows, table.scratch.contents, value if mover == seat else -value)


@jit
def correct(maps: Any, member: int, windows: Any, contents: Any, target: float) -> None:
    """Move the sum of a member's windows towards a value; the more games have taught a pair, the less it changes."""
    error = target / windows.most - np.tanh(opinion(pairs_of(maps, member), windows, contents))
    step = _STEP * error / len(windows.kinds)
    for number in range(len(windows.kinds)):
        key = window_key(windows, number, contents)
        slot = find(maps.keys[member], key)
        held = maps.keys[member, slot] == key
        value, visits = (maps.values[member, slot], maps.visits[member, slot]) if held else (0.0, 0)
        put(maps, member, key, np.int64(WINDOW), value + step * _PATIENCE / (_PATIENCE + visits), visits + 1)
