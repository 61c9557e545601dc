"""What networks are told about threats, against the turns that the rules allow."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import IDENTITY, Network, see
from ludarium.agents.backgammon.threats import NAMES, blots_hit, threats
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.backgammon.rules import BAR, MOVING, points_blocked, points_held
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")


def set_up_position(position):
    """The position, with seat 0 to move."""
    place = GAME.start()
    set_up(place.record, position)
    place.record.phase = MOVING
    return place


def turns(place, low, high):
    """What the opponent has on its points after each turn that a roll allows."""
    place.record.dice[:] = low, high
    return [result.record.checkers[1] for result in place.afterstates()]


def test_a_roll_hits_what_some_turn_hits():
    wrong = rolls = 0
    for position in shipped().positions[:3000:60]:
        place = set_up_position(position)
        s = place.record
        held, blocked = points_held(s, 0), points_blocked(s, 0)
        blots = sum(1 << point for point in range(1, 25) if s.checkers[1, 25 - point] == 1)
        for low in range(1, 7):
            for high in range(low, 7):
                hit = blots_hit(held, blocked, blots, s.checkers[0, BAR], low, high)
                left = turns(place, low, high)
                bits = {point for point in range(1, 25) if hit >> point & 1}
                real = {
                    point for point in range(1, 25) if blots >> point & 1 and any(not row[25 - point] for row in left)
                }
                wrong, rolls = wrong + (bits != real), rolls + 1
    assert rolls == 1050
    assert wrong <= 3  # a turn must use both dice if it can, which may forbid a hit


def hit_in_order(men, dice, blocked, blots):
    """The blots that are hit if these dice are played one after the other, each with any checker that may move."""
    hits = set()
    if not dice:
        return hits
    for point in {BAR} if BAR in men else set(men):
        to = point - dice[0]
        if to > 0 and to not in blocked:
            left = list(men)
            left[left.index(point)] = to
            hits |= ({to} & blots) | hit_in_order(left, dice[1:], blocked, blots)
    return hits


def test_a_roll_hits_what_its_dice_hit_in_either_order():
    """With none, one and more on the bar."""
    draws, waiting = np.random.default_rng(5), set()
    for _ in range(15):
        men = draws.choice([BAR] * 6 + [*range(1, 25)], 4).tolist()
        free = [point for point in range(1, 25) if point not in men]
        blocked, blots = (set(part.tolist()) for part in np.split(draws.permutation(free)[:13], [8]))
        bits = [sum(1 << point for point in points) for points in (set(men), blocked, blots)]
        waiting.add(men.count(BAR))
        for low in range(1, 7):
            for high in range(low, 7):
                orders = [(low,) * 4] if low == high else [(low, high), (high, low)]
                hits = set.union(*(hit_in_order(men, dice, blocked, blots) for dice in orders))
                assert blots_hit(*bits, np.int8(men.count(BAR)), low, high) == sum(1 << point for point in hits)
    assert waiting >= {0, 1, 2}


def with_men(own, other):
    """The record of a position with these checkers, by the points of their sides."""
    s = GAME.start().record
    s.checkers[:] = 0
    for seat, men in enumerate((own, other)):
        for point, count in men.items():
            s.checkers[seat, point] = count
    return s


def test_all_threats_of_both_sides():
    """Rolls, pips and rolls of 36, points of a prime, and pips: two checkers on the bar hit with a 2 or with 1-1."""
    s = with_men({25: 2, 8: 3, 6: 10}, {20: 1, 18: 1, 6: 2, 5: 2, 4: 2, 2: 1, 3: 6})
    units = 36, 36 * 24, 36, 36, 6, 167
    for seat, expected in enumerate(((12, 12 * 23, 16, 7, 4, 50 + 24 + 60), (0, 0, 1, 30, 1, 88))):
        assert np.multiply(threats(s, seat), units) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("own", "other", "name", "expected"),
    [
        ({24: 1, 6: 14}, {19: 15}, "shots", 0),
        ({10: 1, 1: 14}, {21: 1, 1: 14}, "shots", 17 / 36),  # six away: 11 rolls with a 6, 1-5, 2-4, 3-3 and 2-2
        ({10: 1, 1: 14}, {21: 1, 1: 14}, "pips at stake", 17 * 4 / 36 / 24),
        ({25: 1, 1: 14}, {6: 2, 5: 2, 4: 2, 3: 9}, "stays out", 16 / 36),
        ({24: 1, 1: 14}, {7: 2, 6: 2, 5: 2, 4: 2, 3: 2, 2: 5}, "prime ahead", 1),
        ({24: 1, 1: 14}, {7: 2, 6: 2, 5: 2, 4: 2, 3: 2, 2: 5}, "escapes", 0),
        ({24: 1, 1: 14}, {1: 15}, "escapes", 1),
        ({24: 1, 1: 14}, {19: 15}, "pips", 38 / 167),
    ],
)
def test_threats_of_known_positions(own, other, name, expected):
    s = with_men(own, other)
    assert threats(s, 0)[NAMES.index(name)] == pytest.approx(expected)


def test_networks_see_those_of_their_own_side_and_of_the_other():
    """Each unit has one of these inputs."""
    layout, s = inputs("threats"), with_men({25: 1, 8: 3, 6: 11}, {20: 1, 6: 3, 5: 2, 3: 9})
    hidden, sums = np.zeros((layout.number + 1, 12), dtype=np.float32), np.zeros(12, dtype=np.float32)
    for unit, label in enumerate(f"{who} {name}" for who in ("own", "other") for name in NAMES):
        hidden[layout.labels.index(label), unit] = 1
    output = np.zeros((13, 6), dtype=np.float32)
    network = Network(layout.columns, layout.values, layout.threats, hidden, output, IDENTITY)
    for seat in (0, 1):
        see(s, seat, network, sums)
        assert sums.tolist() == [*threats(s, seat), *threats(s, 1 - seat)]
