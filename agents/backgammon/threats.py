"""What a backgammon position threatens, compiled: shots, escapes and entries, counted over the 36 rolls.

Networks that see single places must combine them to find this. A side's checkers and points are sets of bits, in that
side's own numbers of the points, so that a roll moves all of its checkers by one shift.
"""

import numpy as np

from ludarium.envs.backgammon.rules import BAR, points_blocked, points_held
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

NAMES = ("shots", "pips at stake", "stays out", "escapes", "prime ahead", "pips")
"""What is counted for each side, all from 0 to about 1.

The shares of rolls with which it can hit; the pips that the opponent loses by the best hit, on average over all rolls,
in 24ths; the share of rolls with which a checker on the bar would stay there; the share of rolls that the last checker
can play alone; the opponent's longest prime in front of that checker, in sixths; the pips left to bear off all
checkers, as a share of those at the start.
"""
_ROLLS, _POINTS, _PRIME, _PIPS = np.float32(36.0), np.float32(24.0), np.float32(6.0), np.float32(167.0)


@jit
def threats(s: Record, who: int) -> tuple[np.float32, ...]:
    """What `NAMES` says about one side, as float32."""
    held, blocked, blots, pips = points_held(s, who), points_blocked(s, who), 0, 0
    for point in range(1, 25):
        blots |= (s.checkers[1 - who, 25 - point] == 1) << point
        pips += point * s.checkers[who, point]
    waiting = s.checkers[who, BAR]
    pips += BAR * waiting
    last = BAR
    while last > 0 and not held >> last & 1:
        last -= 1
    hits = stake = free = 0
    for low in range(1, 7):
        for high in range(low, 7):
            weight = 1 if low == high else 2
            hit = blots_hit(held, blocked, blots, waiting, low, high) if blots else 0
            if hit:
                hits += weight
                stake += weight * _highest(hit)
            if not blocked << (low + high) >> last & 1 and not (
                blocked << low >> last & 1 and blocked << high >> last & 1
            ):
                free += weight
    closed = run = prime = 0
    for point in range(19, 25):
        closed += blocked >> point & 1
    for point in range(1, last):
        run = run + 1 if blocked >> point & 1 else 0
        prime = max(prime, run)
    return (
        np.float32(hits) / _ROLLS,
        np.float32(stake) / (_ROLLS * _POINTS),
        np.float32(closed * closed) / _ROLLS,
        np.float32(free) / _ROLLS,
        np.float32(prime) / _PRIME,
        np.float32(pips) / _PIPS,
    )


@jit
def blots_hit(held: int, blocked: int, blots: int, waiting: int, low: int, high: int) -> int:
    """The blots that a roll can hit.

    Args:
        held: the points where a side has checkers, its bar included.
        blocked: the points where it may not land.
        blots: the points where a single checker of the opponent is.
        waiting: the number of its checkers on the bar.
        low: a die.
        high: the other one.
    """
    bar = 1 << BAR
    if low == high:
        hits, steps = 0, 4 - waiting
        if waiting:
            entry = bar >> low
            if entry & blocked:
                return 0
            hits, held = entry & blots, (held & ~bar) | entry
        for _ in range(steps):
            held = held >> low & ~blocked
            hits |= held & blots
        return hits
    if waiting > 1:
        return (bar >> low | bar >> high) & blots
    if waiting:
        hits, others = 0, held & ~bar
        if not blocked & bar >> low:
            hits |= (bar >> low | (others | bar >> low) >> high) & blots
        if not blocked & bar >> high:
            hits |= (bar >> high | (others | bar >> high) >> low) & blots
        return hits
    first, second = held >> low & ~blocked, held >> high & ~blocked
    return (first | second | first >> high | second >> low) & blots


@jit
def _highest(bits: int) -> int:
    bit = 0
    while bits >> (bit + 1):
        bit += 1
    return bit
