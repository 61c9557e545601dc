"""What a cube and a score are worth, against the answers of Open Sage and known match equities."""

import numpy as np
import pytest

from ludarium.agents.backgammon.cube import (
    Stakes,
    after,
    dead_cube,
    doubled,
    match_equities,
    may_turn,
    on_roll,
    should_double,
    should_take,
    stakes_of,
    with_cube,
    worths,
)
from ludarium.envs.backgammon.rules import STATE
from ludarium.envs.registry import make_game

MONEY = Stakes(0, 0, 0, False, False, False, match_equities())
JACOBY = MONEY._replace(jacoby=True)


def of_match(needs, other, near=0, crawford=False):
    return Stakes(needs, other, near, crawford, False, False, match_equities())


def single_games(chance):
    return np.array([0, 0, 1 - chance, chance, 0, 0])


@pytest.mark.parametrize(
    ("length", "text", "outcomes", "double", "take"),
    [  # Open Sage 2.0, 1ply, on recorded positions: the outcomes that it expects, and its answers
        (25, "-dB--BB-BAB-cB-----c-bc-AA:1:1:1:00:20:21:0:25:6", [.0086, .1102, .226, .3427, .2785, .034], 1, 0),
        (9, "--EF-C----aa------bbbbc-bA:1:-1:-1:00:5:6:0:9:6", [0, .0041, .1115, .8403, .0434, .0007], 1, 0),
        (13, "-CDBBB-a----Ba--------bef-:0:0:1:00:8:3:0:13:6", [0, .0005, .2476, .7293, .0225, .0], 1, 1),
        (9, "-a--B-DaB-AAbCb--d-e----B-:0:0:1:00:4:7:0:9:6", [.0076, .1038, .3015, .3472, .2272, .0127], 1, 1),
        (7, "a--BBAE-A---bB-A-dce----A-:0:0:1:00:0:0:0:7:6", [.0034, .052, .2421, .344, .3568, .0018], 1, 0),
        (11, "-DBBCB------------AA-acce-:1:-1:-1:00:2:7:0:11:6", [0, .0, .0009, .8377, .1608, .0006], 0, 0),
        (25, "-a---BDaC---cC-b-b-dAb--B-:0:0:-1:00:11:15:0:25:6", [.0048, .0999, .2875, .4257, .1672, .0149], 0, 1),
        (25, "aBABBBBA--------A---ccBdd-:1:1:1:00:10:5:0:25:6", [.0006, .0641, .1221, .7689, .0429, .0013], 1, 1),
        (25, "aa-BB-BbB---cBa--bAeAA--B-:1:1:1:00:16:18:0:25:6", [.0032, .0725, .3051, .3411, .2537, .0245], 1, 1),
        (11, "-BBB-aB---A-d-A--b-bcbBBaA:2:1:1:00:0:3:0:11:6", [.0189, .3222, .4423, .1703, .044, .0023], 0, 1),
        (11, "-a-CBCCB----A---bb-bc-bbaA:1:1:1:00:2:0:0:11:6", [.0022, .071, .2294, .4999, .1889, .0086], 0, 1),
        (23, "-a---aE-D--AcC--b--c-abAbA:0:0:-1:00:12:7:0:23:6", [.0042, .0599, .2189, .2783, .4184, .0203], 0, 0),
        (25, "-BBcCCBB-a---A-----c-bcba-:0:0:1:00:20:9:0:25:6", [.0004, .0084, .1193, .587, .2822, .0027], 0, 0),
    ],
)  # fmt: skip
def test_decisions_in_matches(length, text, outcomes, double, take):
    s = make_game(f"backgammon?match_length={length}").from_text(f"XGID={text}").data.view(STATE)[0]
    seat, outcomes = int(s["seat"]), np.array(outcomes)
    own, other = (stakes_of(s, side, match_equities()) for side in (seat, 1 - seat))
    assert should_double(own, outcomes, s["cube"], 1 if s["owner"] == seat else -1) == bool(double)
    assert should_take(other, outcomes[::-1].copy(), s["cube"]) == bool(take)


@pytest.mark.parametrize(
    ("stakes", "outcomes", "double", "take", "values"),
    [  # the same with the cube in the middle of a money game: its values without a double, and doubled and taken
        (MONEY, [0.0086, 0.1102, 0.226, 0.3427, 0.2785, 0.034], 1, 1, (0.720, 0.825)),
        (JACOBY, [0.0086, 0.1102, 0.226, 0.3427, 0.2785, 0.034], 1, 1, (0.650, 0.825)),
        (MONEY, [0.0034, 0.052, 0.2421, 0.344, 0.3568, 0.0018], 1, 0, (0.926, 1.211)),
        (JACOBY, [0.0034, 0.052, 0.2421, 0.344, 0.3568, 0.0018], 1, 0, (0.810, 1.211)),
        (MONEY, [0.0, 0.0, 0.0009, 0.8377, 0.1608, 0.0006], 0, 0, (1.161, 2.320)),
        (MONEY, [0.0048, 0.0999, 0.2875, 0.4257, 0.1672, 0.0149], 0, 1, (0.421, 0.340)),
        (JACOBY, [0.0048, 0.0999, 0.2875, 0.4257, 0.1672, 0.0149], 0, 1, (0.393, 0.340)),
    ],
)
def test_decisions_in_money_games(stakes, outcomes, double, take, values):
    outcomes = np.array(outcomes)
    assert should_double(stakes, outcomes, 0, -1) == bool(double)
    assert should_take(stakes, outcomes[::-1].copy(), 0) == bool(take)
    assert with_cube(stakes, outcomes, 0, -1) == pytest.approx(values[0], abs=0.01)
    assert with_cube(stakes, outcomes, 1, 0) == pytest.approx(values[1], abs=0.02)


def test_without_gammons_a_money_double_is_taken_from_a_bit_more_than_a_fifth():
    """Between 0.25, where the cube is dead, and 0.2, where it is live: 0.25 - 0.68 * 0.05 or so (Janowski 1993)."""
    takes = [chance for chance in np.arange(0.19, 0.27, 0.001) if should_take(MONEY, single_games(chance), 0)]
    assert 0.21 < min(takes) < 0.225


@pytest.mark.parametrize(
    ("needs", "other", "equity"),
    [(2, 3, 0.599), (2, 4, 0.669), (3, 5, 0.648), (5, 9, 0.725), (7, 10, 0.656), (11, 12, 0.546), (15, 25, 0.809)],
)
def test_match_equities_are_near_those_of_rockwell_and_kazaross(needs, other, equity):
    assert match_equities()[0, needs, other] == pytest.approx(equity, abs=0.013)


def test_match_equities_near_the_end():
    table = match_equities()
    assert table[1, :9, 1] == pytest.approx([1, 0.5, 0.488, 0.323, 0.31, 0.19, 0.181, 0.116, 0.109], abs=0.005)
    assert table[0, 2:6, 1] == pytest.approx([0.323, 0.249, 0.186, 0.158], abs=0.004)
    assert table[0, 1:, 1:] + table[0, 1:, 1:].T == pytest.approx(np.ones((25, 25)))
    assert (np.diff(table[0, :, 7]) < 0).all()
    assert (match_equities(False)[0, :, 1] == table[1, :, 1]).all()


@pytest.mark.parametrize("crawford", [True, False])
def test_match_equities_follow_from_those_of_fewer_points(crawford):
    """29 % of all wins are gammons; after the Crawford game, the trailer doubles, and a free drop costs it 1.2 %."""
    table = match_equities.__wrapped__(crawford)
    near = {-2: 1.0, -1: 1.0, 0: 1.0, 1: 0.5}
    for needs in range(2, 26):
        won = 0.5 * (0.71 * near[needs - 2] + 0.29 * near[needs - 4])
        near[needs] = won if needs % 2 else won - 0.012 * (near[needs - 2] - won) / 0.5
    trailer = dict(near)
    if crawford:
        trailer |= {needs: 0.5 * (0.71 * near[needs - 1] + 0.29 * near[needs - 2]) for needs in range(2, 26)}
    for needs in range(1, 26):
        assert table[:, needs, 1] == pytest.approx([trailer[needs], near[needs]], abs=1e-12)
        assert table[:, 1, needs] == pytest.approx([1 - trailer[needs], 1 - near[needs]], abs=1e-12)
    start = np.array([0, 0.29, 0.71, 0.71, 0.29, 0]) / 2
    for needs in range(2, 26):
        assert table[0, needs, needs] == 0.5
        for other in range(2, needs):
            value = with_cube(Stakes(needs, other, 0, False, False, False, table), start, 0, -1)
            assert table[0, needs, other] == pytest.approx(value, abs=1e-12)
            assert table[0, other, needs] == pytest.approx(1 - value, abs=1e-12)


def test_no_one_doubles_who_may_not_or_need_not():
    assert not may_turn(of_match(2, 1, crawford=True), 0, True)
    assert not may_turn(of_match(2, 5), 1, True)
    assert may_turn(of_match(2, 5), 1, False)
    assert may_turn(of_match(3, 5), 1, True)
    assert may_turn(MONEY, 5, True)
    assert not may_turn(MONEY, 6, True)


def test_after_the_crawford_game_the_trailer_doubles_at_once_and_is_taken():
    for chance in (0.2, 0.5):
        assert should_double(of_match(3, 1, near=1), single_games(chance), 0, -1)
        assert should_take(of_match(1, 3, near=1), single_games(1 - chance), 0)


def test_what_outcomes_are_worth():
    out = np.zeros(6)
    worths(MONEY, 2, 1, out)
    assert out.tolist() == [-3, -2, -1, 1, 2, 3]
    worths(JACOBY, 0, -1, out)
    assert out.tolist() == [-1, -1, -1, 1, 1, 1]
    worths(JACOBY, 1, 0, out)  # once the cube has been turned, gammons count, whoever owns it
    assert out.tolist() == [-3, -2, -1, 1, 2, 3]
    worths(MONEY._replace(wins_only=True), 0, -1, out)
    assert out.tolist() == [-1, -1, -1, 1, 1, 1]
    worths(of_match(1, 2, crawford=True), 0, -1, out)  # gammons win nothing, but lose the match
    assert out[3:] == pytest.approx(1)
    assert out[1] == out[0] < -2.5


def test_a_cube_that_is_dead_pays_what_is_won():
    outcomes = np.array([0.05, 0.1, 0.25, 0.4, 0.15, 0.05])
    assert dead_cube(MONEY, outcomes, 2, 1) == pytest.approx(4 * outcomes @ [-3, -2, -1, 1, 2, 3])
    assert dead_cube(JACOBY, outcomes, 0, -1) == pytest.approx(0.2)
    assert dead_cube(JACOBY, outcomes, 1, 0) == pytest.approx(2 * outcomes @ [-3, -2, -1, 1, 2, 3])
    assert dead_cube(of_match(1, 1), outcomes, 0, -1) == pytest.approx(0.6)
    crawford = of_match(3, 1, crawford=True)
    assert dead_cube(crawford, outcomes, 0, -1) == pytest.approx(with_cube(crawford, outcomes, 0, -1))


def test_beyond_the_last_take_a_cube_is_worth_what_lies_between_a_drop_and_all_lost():
    """The other side owns a cube of 32, and may turn it once more; or the seat does."""
    outcomes, win, loss = np.array([0, 0.5, 0.4, 0.1, 0, 0]), 1, -1.4 / 0.9
    take = (-0.5 - loss) / (win - loss)
    live, dead = loss + (-1 - loss) * 0.1 / take, 0.1 * win + 0.9 * loss
    value = 32 * (0.68 * live + 0.32 * dead)
    assert with_cube(MONEY, outcomes, 5, 0) == pytest.approx(value)
    assert with_cube(MONEY, outcomes[::-1].copy(), 5, 1) == pytest.approx(-value)


def test_who_loses_the_match_with_this_game_doubles_at_once():
    """At 2 points to 5 and a cube of 2: if the other side owns it, games that are lost cost four points."""
    _, lost_four, _, lost_two = match_equities()[0, 2, :4]
    take = (lost_two - lost_four) / (1 - lost_four)
    live, dead = lost_two + (1 - lost_two) * (0.7 - take) / (1 - take), 0.7 + 0.3 * lost_four
    assert with_cube(of_match(2, 5), single_games(0.7), 1, 0) == pytest.approx(0.68 * live + 0.32 * dead)
    assert with_cube(of_match(2, 5), single_games(0.7), 1, 1) == pytest.approx(0.7 + 0.3 * lost_two)


@pytest.mark.parametrize("chance", [0.3, 0.7, 0.78, 0.95])
def test_on_roll_a_side_takes_the_better_of_the_cube(chance):
    outcomes = single_games(chance)
    value = on_roll(MONEY, outcomes, 0, -1)
    left, turned = with_cube(MONEY, outcomes, 0, -1), doubled(MONEY, outcomes, 0)
    assert value == max(left, turned)
    assert should_double(MONEY, outcomes, 0, -1) == (turned > left)
    assert turned <= 1


def test_values_after_the_game():
    assert (after(MONEY, -4), after(MONEY._replace(wins_only=True), 8)) == (-4, 1)
    assert (after(of_match(3, 5), 4), after(of_match(3, 5), -5)) == (1, 0)
    assert after(of_match(3, 5), 1) == match_equities()[0, 2, 5]
