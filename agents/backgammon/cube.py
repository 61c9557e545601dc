"""What the outcomes of a backgammon game are worth at a score and a cube, and what to do with the cube.

The probabilities of the outcomes of a game without the cube are given. What the cube adds follows Janowski
("Take-points in money games", 1993): with a *dead* cube, which nobody turns again, the value is linear in the
probability of winning; with a *live* one, which is always turned at the best moment, it is linear between the points
where a side would rather drop. The truth lies between, at the share `EFFICIENCY` of the way. The points follow
backwards from the last double that can matter, in money games the one to 64, so the same lines of code serve money
games and every score of a match.

Checkers are moved by `worths`, as if the cube were not turned again.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.backgammon.rules import LARGEST_CUBE, OFFER, ROLL, TAKE
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

EFFICIENCY = 0.68
"""Janowski's cube efficiency, as GNU Backgammon sets it for positions with contact."""
MOST_NEEDED = 25
_GAMMONS = 0.29
"""The share of wins that are gammons, which the match equities assume; an estimate."""
_FREE_DROP = 0.012
"""What the choice to drop for free is worth to the leader after the Crawford game, in winning chances; an estimate."""
_HALF = 3


class Stakes(NamedTuple):
    """What the points of a game are worth to a seat.

    Attributes:
        needs: the points that the seat still needs to win the match; 0 in money games.
        other_needs: those of the other seat.
        near: 1 in the games after one in which a side needed only one point, otherwise 0.
        crawford: whether the cube is out of play in this game.
        jacoby: whether gammons count only once the cube has been turned.
        wins_only: whether all wins count the same.
        equities: see `match_equities`.
    """

    needs: int
    other_needs: int
    near: int
    crawford: bool
    jacoby: bool
    wins_only: bool
    equities: NDArray[np.float64]


@cache
def match_equities(crawford: bool = True) -> NDArray[np.float64]:
    """The probability of winning a match, shape (2, 26, 26): by `Stakes.near` and the points that the two sides need.

    It is computed as in Zadeh ("On doubling in tournament backgammon", 1977): the players are equally strong, a share
    of all wins are gammons, and at each score the value of the next game is that of an even position before the first
    double. After the Crawford game the trailer doubles at once.

    Args:
        crawford: whether the Crawford rule is in force.
    """
    equities = np.full((2, MOST_NEEDED + 1, MOST_NEEDED + 1), 0.5)
    equities[:, 0, :], equities[:, :, 0] = 1.0, 0.0
    _fill(equities, crawford)
    return equities


@jit
def _fill(equities: Any, crawford: bool) -> None:
    for needs in range(2, MOST_NEEDED + 1):
        single, gammon = equities[1, max(needs - 2, 0), 1], equities[1, max(needs - 4, 0), 1]
        won = 0.5 * ((1.0 - _GAMMONS) * single + _GAMMONS * gammon)
        equities[1, needs, 1] = won - (_FREE_DROP if needs % 2 == 0 else 0.0) * (single - won) / 0.5
        equities[1, 1, needs] = 1.0 - equities[1, needs, 1]
    for needs in range(2, MOST_NEEDED + 1):
        if crawford:
            won = (1.0 - _GAMMONS) * equities[1, needs - 1, 1] + _GAMMONS * equities[1, max(needs - 2, 0), 1]
            equities[0, needs, 1] = 0.5 * won
        else:
            equities[0, needs, 1] = equities[1, needs, 1]
        equities[0, 1, needs] = 1.0 - equities[0, needs, 1]
    even = 0.5 * np.array([0.0, _GAMMONS, 1.0 - _GAMMONS, 1.0 - _GAMMONS, _GAMMONS, 0.0])
    for needs in range(3, MOST_NEEDED + 1):
        for other in range(2, needs):
            stakes = Stakes(needs, other, 0, False, False, False, equities)
            equities[0, needs, other] = with_cube(stakes, even, 0, -1)
            equities[0, other, needs] = 1.0 - equities[0, needs, other]


@jit
def stakes_of(s: Record, seat: int, equities: Any) -> Stakes:
    """What the points of the current game are worth to a seat."""
    needs, other_needs = s.match_length - s.score[seat], s.match_length - s.score[1 - seat]
    near = 1 if s.match_length > 0 and min(needs, other_needs) == 1 else 0
    if s.match_length == 0:
        needs = other_needs = 0
    return Stakes(needs, other_needs, near, s.crawford == 1, s.jacoby == 1, s.wins_only == 1, equities)


@jit
def after(stakes: Stakes, points: int) -> float:
    """The value once the seat has won this many points, or lost them if negative: points, or winning chances."""
    if stakes.needs == 0:
        return float(np.sign(points)) if stakes.wins_only else float(points)
    own, other = max(stakes.needs - max(points, 0), 0), max(stakes.other_needs + min(points, 0), 0)
    return float(stakes.equities[stakes.near, own, other])


@jit
def worths(stakes: Stakes, cube: int, owner: int, out: Any) -> None:
    """Write what each of the six outcomes is worth at this cube, if single games count -1 and 1.

    Args:
        stakes: what points are worth.
        cube: the cube shows 2 ** cube.
        owner: 1 if the seat owns the cube, 0 if the other does, -1 in the middle.
        out: shape (6,).
    """
    plain = stakes.jacoby and owner < 0
    low, high = after(stakes, -(1 << cube)), after(stakes, 1 << cube)
    for points in range(1, _HALF + 1):
        counted = (1 if plain else points) << cube
        out[_HALF - points] = (2.0 * after(stakes, -counted) - low - high) / (high - low)
        out[_HALF - 1 + points] = (2.0 * after(stakes, counted) - low - high) / (high - low)


@jit
def may_turn(stakes: Stakes, cube: int, own: bool) -> bool:
    """Whether a double from this cube could do any good: for the seat, or for the other one."""
    if stakes.crawford or cube >= LARGEST_CUBE:
        return False
    return stakes.needs == 0 or (stakes.needs if own else stakes.other_needs) > 1 << cube


@jit
def _mean(stakes: Stakes, outcomes: Any, cube: int, sign: int, plain: bool) -> float:
    """The mean value of the games that the seat wins (sign 1) or loses (sign -1)."""
    total = value = 0.0
    for points in range(1, _HALF + 1):
        chance = float(outcomes[_HALF - 1 + points if sign > 0 else _HALF - points])
        total += chance
        value += chance * after(stakes, sign * ((1 if plain else points) << cube))
    return value / total if total > 0.0 else after(stakes, sign << cube)


@jit
def dead_cube(stakes: Stakes, outcomes: Any, cube: int, owner: int) -> float:
    """The value to the seat, in points or winning chances, if the cube is not turned again; as `with_cube`."""
    chance = float(outcomes[3]) + float(outcomes[4]) + float(outcomes[5])
    plain = stakes.jacoby and owner < 0
    return chance * _mean(stakes, outcomes, cube, 1, plain) + (1.0 - chance) * _mean(stakes, outcomes, cube, -1, plain)


@jit
def with_cube(stakes: Stakes, outcomes: Any, cube: int, owner: int) -> float:
    """The value to the seat, in points or winning chances, for the given cube; see the module.

    Args:
        stakes: what points are worth.
        outcomes: shape (6,): the probabilities of the outcomes for the seat.
        cube: the cube shows 2 ** cube.
        owner: 1 if the seat owns the cube, 0 if the other does, -1 in the middle.
    """
    chance = float(outcomes[3]) + float(outcomes[4]) + float(outcomes[5])
    low, low_value, high, high_value = 0.0, 0.0, 1.0, 0.0  # where the sides drop, or the ends; and the values there
    win = loss = following_loss = 0.0
    for level in range(LARGEST_CUBE, cube - 1, -1):
        following_loss = loss
        plain = stakes.jacoby and owner < 0 and level == cube
        win, loss = _mean(stakes, outcomes, level, 1, plain), _mean(stakes, outcomes, level, -1, plain)
        held = level > cube  # by the seat or the other one, as the case may be
        next_low, next_low_value, next_high, next_high_value = 0.0, loss, 1.0, win
        if may_turn(stakes, level, True) and (held or owner != 0):
            next_high_value = after(stakes, 1 << level)
            next_high = low + (1.0 - low) * _share(
                next_high_value, low_value, _mean(stakes, outcomes, level + 1, 1, False)
            )
        if may_turn(stakes, level, False) and (held or owner != 1):
            next_low_value = after(stakes, -(1 << level))
            next_low = high * _share(next_low_value, _mean(stakes, outcomes, level + 1, -1, False), high_value)
        low, low_value, high, high_value = next_low, next_low_value, next_high, next_high_value
    if chance < low:
        live = loss + (low_value - loss) * chance / low
    elif chance > high:
        live = high_value + (win - high_value) * (chance - high) / (1.0 - high)
    else:
        live = low_value + (high_value - low_value) * (chance - low) / (high - low) if high > low else low_value
    if 0 < stakes.needs <= 1 << cube and owner != 1 and may_turn(stakes, cube, False):
        loss = following_loss  # who loses the match with this game anyway doubles at once
    return EFFICIENCY * live + (1.0 - EFFICIENCY) * (chance * win + (1.0 - chance) * loss)


@jit
def _share(value: float, low: float, high: float) -> float:
    """How far a value is on the way from low to high, from 0 to 1."""
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0


@jit
def leave_cube(s: Record) -> int:
    """The decision about the cube of a player that knows nothing about it: roll, and take every double."""
    return ROLL if s.phase == OFFER else TAKE


@jit
def should_take(stakes: Stakes, outcomes: Any, cube: int) -> bool:
    """Whether the seat, offered the cube, should take it; `cube` is what it shows before."""
    return with_cube(stakes, outcomes, cube + 1, 1) >= after(stakes, -(1 << cube))


@jit
def doubled(stakes: Stakes, outcomes: Any, cube: int) -> float:
    """The value to the seat, on roll, once it has doubled: the other one takes or drops as it is better for it."""
    return min(with_cube(stakes, outcomes, cube + 1, 0), after(stakes, 1 << cube))


@jit
def owner_of(s: Record, seat: int) -> int:
    """Who owns the cube, as in `with_cube`."""
    return -1 if s.owner < 0 else int(s.owner == seat)


@jit
def should_double(stakes: Stakes, outcomes: Any, cube: int, owner: int) -> bool:
    """Whether the seat, on roll, should double; `owner` as in `with_cube`, 1 or -1."""
    return doubled(stakes, outcomes, cube) > with_cube(stakes, outcomes, cube, owner)


@jit
def on_roll(stakes: Stakes, outcomes: Any, cube: int, owner: int) -> float:
    """The value to the seat, on roll, if it may double and does what is better for it; as `with_cube`."""
    return max(with_cube(stakes, outcomes, cube, owner), doubled(stakes, outcomes, cube))
