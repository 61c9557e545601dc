"""Backgammon: the record and the kernels, money games and matches, with and without the doubling cube.

Each seat numbers the board for itself: its points are 24 (farthest) to 1, its bar is 25, and 0 is where its checkers
are borne off; point p of one seat is point 25 - p of the other. A set of points is a bit set: bit p is point p.

A turn is: possibly a decision to double, the roll (a chance node), and the moves. A decision about moves is a pair of
checker moves; a double is two such decisions of the same seat.

| action | meaning |
|---|---|
| 0 … 675 | first the larger die from square `a % 26`, then the smaller one from square `a // 26` |
| 676 … 1351 | the same for `a - 676`, but first the smaller die, then the larger one |
| 1352 … 1355 | with the cube in play: roll, double, take, drop |
| 1356 … 1358 | in no mask, since only people do it: resign a single game, a gammon, a backgammon |

Squares are the 24 points in board order (square 0 is the point 24 of seat 0 and the point 1 of seat 1), 24 is the bar
and 25 means that this die is not played. Chance outcomes: 2k and 2k + 1 are the k-th of the rolls 21, 31, 41, 51, 61,
32, … 65; at the opening roll outcome 2k gives the larger die to seat 0, 2k + 1 to seat 1; outcomes 30 … 35 are the
doubles 11 … 66. All these numbers are those of OpenSpiel 2.0.2, except for the cube, which it does not have.
"""

import numpy as np

from ludarium.envs.chance import unit
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE, OVER, Floats, Int8s, Record, lowest

OPENING, OFFER, ANSWER, ROLLING, MOVING, SECOND_HALF, FINISHED = range(7)
"""Phases: opening roll, to roll or double, to take or drop, roll, move, second half of a double, end."""

STATE = np.dtype(
    [
        ("checkers", np.int8, (2, 26)),  # by seat and the seat's own points: 0 borne off, 1 … 24, 25 the bar
        ("dice", np.int8, (2,)),  # smaller, larger; 0, 0 unless the phase is MOVING or SECOND_HALF
        ("phase", np.int8),
        ("seat", np.int8),  # whose turn it is; at the end, the winner
        ("cube", np.int8),  # the cube shows 2 ** cube
        ("owner", np.int8),  # the seat that owns the cube, -1 in the middle
        ("crawford", np.int8),  # 1 in the Crawford game
        ("score", np.int8, (2,)),  # of the match
        ("won", np.int16),  # at the end: the points won in the last game
        # the options
        ("variant", np.int8),
        ("match_length", np.int8),
        ("has_cube", np.int8),
        ("jacoby", np.int8),
        ("plays_crawford", np.int8),
        ("wins_only", np.int8),
    ],
    align=True,
)

STANDARD, NACKGAMMON, HYPERGAMMON = range(3)
BAR = 25
MOVES = 1352
"""Number of actions that move checkers; the cube's follow."""
PASS = MOVES - 1
ROLL, DOUBLE, TAKE, DROP = range(MOVES, MOVES + 4)
ACTIONS = MOVES + 4
"""Number of actions of games with the cube."""
RESIGN = ACTIONS
"""The first of the three actions that give up the game; no mask of legal actions holds them."""
LARGEST_CUBE = 6
"""The cube stops at 2 ** 6 = 64, its last face."""
LOW_FIRST = 676
_NOT_PLAYED = 25
_HOME = 0b1111110  # points 1 to 6


@jit
def start_game(s: Record) -> None:
    """Set up the checkers and put the cube in the middle, before the opening roll."""
    for seat in range(2):
        for point in range(26):
            s.checkers[seat, point] = 0
        if s.variant == HYPERGAMMON:
            s.checkers[seat, 24] = s.checkers[seat, 23] = s.checkers[seat, 22] = 1
        elif s.variant == NACKGAMMON:
            s.checkers[seat, 24] = s.checkers[seat, 23] = 2
            s.checkers[seat, 13], s.checkers[seat, 8], s.checkers[seat, 6] = 4, 3, 4
        else:
            s.checkers[seat, 24], s.checkers[seat, 13], s.checkers[seat, 8], s.checkers[seat, 6] = 2, 5, 3, 5
    s.dice[0] = s.dice[1] = 0
    s.phase, s.seat, s.cube, s.owner = OPENING, 0, 0, -1


def setup(s: Record, o: Record) -> int:
    """Write the starting position of a money game or of a match."""
    s.variant, s.match_length, s.wins_only = o.variant, o.match_length, o.scoring
    s.has_cube = 1 if o.match_length > 1 or o.cube else 0
    s.jacoby, s.plays_crawford = o.jacoby, o.crawford
    start_game(s)
    return 0


@jit
def turn(s: Record) -> int:
    """The seat to decide; chance before a roll."""
    if s.phase == FINISHED:
        return OVER
    return CHANCE if s.phase == OPENING or s.phase == ROLLING else s.seat


# --- which checkers can move: sets of points as bits ----------------------------------------------------------------


@jit
def points_held(s: Record, seat: int) -> int:
    """The points where the seat has checkers, its bar included."""
    points = 0
    for point in range(1, 26):
        points |= (s.checkers[seat, point] > 0) << point
    return points


@jit
def points_blocked(s: Record, seat: int) -> int:
    """The points where the seat may not land: two or more checkers of the opponent."""
    points = 0
    for point in range(1, 25):
        points |= (s.checkers[1 - seat, 25 - point] > 1) << point
    return points


@jit
def sources(held: int, blocked: int, die: int) -> int:
    """The points from which a checker may move by the die."""
    open_points = held & ~(blocked << die)
    if held >> BAR:
        return open_points & (1 << BAR)
    points = open_points >> (die + 1) << (die + 1)
    if not held & ~_HOME:
        if held >> die & 1:
            points |= 1 << die
        elif not held >> die:  # no checker behind: a larger die bears off from the highest point
            point = die - 1
            while point > 0 and not held >> point & 1:
                point -= 1
            points |= 1 << point & held
    return points


@jit
def held_after(s: Record, held: int, point: int, die: int) -> int:
    """The points held once a checker from `point` has moved by the die."""
    if s.checkers[s.seat, point] == 1:
        held &= ~(1 << point)
    if point > die:
        held |= 1 << (point - die)
    return held


@jit
def is_race(s: Record) -> bool:
    """Whether the two sides have passed each other for good."""
    behind = 0
    for seat in range(2):
        point = BAR
        while point > 0 and s.checkers[seat, point] == 0:
            point -= 1
        behind += point
    return behind <= 24


@jit
def square(seat: int, point: int) -> int:
    """The square of a seat's point, as used in action numbers."""
    if point == BAR:
        return 24
    return 24 - point if seat == 0 else point - 1


@jit
def point_of(seat: int, square: int) -> int:
    """The seat's point on a square."""
    if square == 24:
        return BAR
    return 24 - square if seat == 0 else square + 1


@jit
def first_die(s: Record, action: int) -> int:
    """The die that an action plays first."""
    return s.dice[1] if action < LOW_FIRST else s.dice[0]


@jit
def step_of(s: Record, action: int, number: int) -> tuple[int, int]:
    """Where the first (0) or second (1) checker move of an action begins and ends; (0, 0) if it has none."""
    place = action % LOW_FIRST % 26 if number == 0 else action % LOW_FIRST // 26
    if place == _NOT_PLAYED:
        return 0, 0
    point, die = point_of(s.seat, place), first_die(s, action)
    return point, max(point - (die if number == 0 else s.dice[0] + s.dice[1] - die), 0)


@jit
def mark_pairs(s: Record, held: int, blocked: int, first: int, second: int, offset: int, mask: Int8s) -> int:
    """Mark the actions that play both dice, `first` first; returns their number."""
    count = 0
    starts = sources(held, blocked, first)
    while starts:
        point = lowest(starts)
        starts &= starts - 1
        seconds = sources(held_after(s, held, point, first), blocked, second)
        action = offset + square(s.seat, point)
        while seconds:
            mask[action + 26 * square(s.seat, lowest(seconds))] = 1
            seconds &= seconds - 1
            count += 1
    return count


@jit
def mark_singles(s: Record, starts: int, offset: int, mask: Int8s) -> int:
    """Mark the actions that play one die from each of `starts`; returns their number."""
    count = 0
    for point in range(1, 26):
        if starts >> point & 1:
            mask[offset + 26 * _NOT_PLAYED + square(s.seat, point)] = 1
            count += 1
    return count


@jit
def may_double(s: Record) -> bool:
    """Whether the seat on roll may double.

    It must own the cube, or the cube must be in the middle. It may never double in the Crawford game, beyond 64, or
    when the cube already wins the match for this seat (a double could only help the opponent).
    """
    if not s.has_cube or s.crawford or s.owner == 1 - s.seat or s.cube == LARGEST_CUBE:
        return False
    return s.match_length == 0 or s.score[s.seat] + (1 << s.cube) < s.match_length


@jit
def legal(s: Record, mask: Int8s) -> int:
    """Both dice if possible, else the larger one that can be played, else the pass."""
    for action in range(MOVES + 4 * s.has_cube):
        mask[action] = 0
    if s.phase == OFFER:
        mask[ROLL] = mask[DOUBLE] = 1
        return 2
    if s.phase == ANSWER:
        mask[TAKE] = mask[DROP] = 1
        return 2
    if s.phase != MOVING and s.phase != SECOND_HALF:
        return 0
    low, high = s.dice[0], s.dice[1]
    held, blocked = points_held(s, s.seat), points_blocked(s, s.seat)
    count = mark_pairs(s, held, blocked, high, low, 0, mask)
    if low != high:
        count += mark_pairs(s, held, blocked, low, high, LOW_FIRST, mask)
    if count == 0:
        count = mark_singles(s, sources(held, blocked, high), 0, mask)
    if count == 0:
        count = mark_singles(s, sources(held, blocked, low), LOW_FIRST, mask)
    if count == 0:
        mask[PASS] = 1
        count = 1
    return count


# --- playing --------------------------------------------------------------------------------------------------------


@jit
def move_checker(s: Record, point: int, die: int) -> None:
    """Move a checker of the seat to move, hitting a blot."""
    to = max(point - die, 0)
    s.checkers[s.seat, point] -= 1
    s.checkers[s.seat, to] += 1
    if to > 0 and s.checkers[1 - s.seat, 25 - to] == 1:
        s.checkers[1 - s.seat, 25 - to] = 0
        s.checkers[1 - s.seat, BAR] += 1


@jit
def stakes(s: Record) -> int:
    """1, 2 or 3 if the seat to move wins a single game, a gammon or a backgammon."""
    loser = 1 - s.seat
    if s.checkers[loser, 0] > 0 or (s.jacoby and s.cube == 0):
        return 1
    for point in range(19, 26):  # the winner's home, and the bar
        if s.checkers[loser, point] > 0:
            return 3
    return 2


@jit
def win_game(s: Record, points: int) -> None:
    """Let the seat to move win the points: the end, or the next game of the match."""
    s.won = points
    s.dice[0] = s.dice[1] = 0
    s.phase = FINISHED
    if s.match_length > 0:
        near = max(s.score[0], s.score[1]) == s.match_length - 1
        s.score[s.seat] = min(s.score[s.seat] + points, s.match_length)
        if s.score[s.seat] < s.match_length:
            # The first game after a side has come within one point; later games find the score already there.
            now_near = max(s.score[0], s.score[1]) == s.match_length - 1
            s.crawford = 1 if s.plays_crawford and now_near and not near else 0
            s.won = 0
            start_game(s)


@jit
def end_turn(s: Record) -> None:
    """End the turn of the seat that has moved: it has won, or the opponent is on roll."""
    if points_held(s, s.seat) == 0:
        win_game(s, stakes(s) << s.cube)
        return
    s.dice[0] = s.dice[1] = 0
    s.seat = 1 - s.seat
    s.phase = OFFER if may_double(s) else ROLLING


@jit
def roll(s: Record, outcome: int) -> None:
    """Roll the dice. A tie at the opening roll is rolled again."""
    if outcome >= 30:
        low = high = outcome - 29
        if s.phase == OPENING:
            return
    else:
        low, left = 1, outcome // 2
        while left >= 6 - low:
            left -= 6 - low
            low += 1
        high = low + 1 + left
        if s.phase == OPENING:
            s.seat = outcome % 2
    s.dice[0], s.dice[1] = low, high
    s.phase = MOVING


@jit
def decide_cube(s: Record, action: int) -> None:
    """Roll, double, take or drop; or resign."""
    if action >= RESIGN:
        s.seat = 1 - s.seat
        win_game(s, (action - RESIGN + 1) << s.cube)
    elif action == ROLL:
        s.phase = ROLLING
    elif action == DOUBLE:
        s.seat = 1 - s.seat
        s.phase = ANSWER
    elif action == TAKE:
        s.cube += 1
        s.owner = s.seat
        s.seat = 1 - s.seat
        s.phase = ROLLING
    else:
        s.seat = 1 - s.seat
        win_game(s, 1 << s.cube)


@jit
def play(s: Record, action: int) -> int:
    """Roll the dice, decide about the cube, or move one or two checkers."""
    if s.phase == OPENING or s.phase == ROLLING:
        roll(s, action)
        return 0
    if action >= MOVES:
        decide_cube(s, action)
        return 0
    die = first_die(s, action)
    other = s.dice[0] + s.dice[1] - die
    first, second = action % LOW_FIRST % 26, action % LOW_FIRST // 26
    if first != _NOT_PLAYED:
        move_checker(s, point_of(s.seat, first), die)
    if second != _NOT_PLAYED:
        move_checker(s, point_of(s.seat, second), other)
        if die == other and s.phase == MOVING and points_held(s, s.seat) != 0:
            s.phase = SECOND_HALF
            return 0
    end_turn(s)
    return 0


@jit
def outcomes(s: Record) -> int:
    """30 equally likely opening rolls (no ties); later 36, where 2k and 2k + 1 are the same roll."""
    return 30 if s.phase == OPENING else 36


def chance(s: Record, probabilities: Floats) -> int:
    """The probability of each roll."""
    count = outcomes(s)
    for outcome in range(count):
        probabilities[outcome] = 1.0 / count
    return count


def sample_chance(s: Record, bits: int) -> int:
    """The roll that 64 random bits choose."""
    return int(unit(bits) * outcomes(s))


def payoffs(s: Record, out: Floats) -> int:
    """The winner's points, cube and gammons included; 1 for a match, and with `scoring="wins"`."""
    out[0] = out[1] = 0.0
    if s.phase == FINISHED:
        points = 1 if s.match_length > 0 or s.wins_only else s.won
        out[s.seat], out[1 - s.seat] = points, -points
    return 0


# --- views ----------------------------------------------------------------------------------------------------------


def observe(s: Record, seat: int, out: Int8s) -> int:
    """The 200 numbers of OpenSpiel's observation, and with the cube in play nine more.

    For the seat's own checkers and then the opponent's, on each of the 24 squares in board order: whether there is
    one, two, three, and how many more than three (Tesauro 1992); then the seat's checkers on the bar and borne off and
    whether it is to move, the same for the opponent, and the smaller and the larger die.
    With the cube: its power of two; whether the seat owns it, whether the opponent does; whether the decision is to
    roll or double; whether it is to take or drop; the points that the seat and its opponent still need (0 in money
    games); whether this is the Crawford game; whether this is a match.
    """
    at = 0
    mover = turn(s)
    for side in range(2):
        who = seat if side == 0 else 1 - seat
        for place in range(24):
            count = s.checkers[who, 24 - place if who == 0 else place + 1]
            out[at] = count == 1
            out[at + 1] = count == 2
            out[at + 2] = count == 3
            out[at + 3] = max(count - 3, 0)
            at += 4
        out[192 + 3 * side] = s.checkers[who, BAR]
        out[193 + 3 * side] = s.checkers[who, 0]
        out[194 + 3 * side] = mover == who
    out[198], out[199] = s.dice[0], s.dice[1]
    if s.has_cube:
        out[200] = s.cube
        out[201] = s.owner == seat
        out[202] = s.owner == 1 - seat
        out[203] = s.phase == OFFER
        out[204] = s.phase == ANSWER
        out[205] = s.match_length - s.score[seat] if s.match_length > 0 else 0
        out[206] = s.match_length - s.score[1 - seat] if s.match_length > 0 else 0
        out[207] = s.crawford
        out[208] = s.match_length > 0
    return 0
