"""Results, the cube, matches, options and scripted dice; OpenSpiel and reference counts prove the moves."""

import pytest

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.rules import DOUBLE, DROP, MOVES, ROLL, TAKE
from ludarium.envs.conformance import check_game
from ludarium.envs.kernels import CHANCE, OVER

_OPTIONS = [
    {},
    {"scoring": "wins"},
    {"cube": True},
    {"cube": True, "jacoby": True},
    {"variant": "nackgammon"},
    {"variant": "hypergammon", "cube": True},
    {"match_length": 1},
    {"match_length": 3},
    {"match_length": 3, "crawford": False, "variant": "hypergammon"},
]


@pytest.mark.parametrize("options", _OPTIONS, ids=lambda options: "&".join(f"{k}={v}" for k, v in options.items()))
def test_contract(options):
    check_game(Backgammon(**options), games=2)


def play(game, text, *moves):
    """Play moves and rolls (as in `31`) from a position's text."""
    position = game.from_text(text)
    for move in moves:
        if position.turn == CHANCE:
            position.play(game.chance_script({"dice": [tuple(map(int, move))]}, position)[0])
        else:
            position.play(game.str_to_action(position, move))
    return position


@pytest.mark.parametrize(
    ("board", "points"),
    [
        ("-A--------------------a---", 1),  # the loser has borne off
        ("-A--------------eee-------", 2),
        ("-A--ea------------ed------", 3),  # checkers in the winner's home
        ("-A----a---------eed-------", 3),  # its last point is home, too
        ("aA--------------eed-------", 3),  # a checker on the bar
        ("-A-----eee----------------", 2),  # the 7 point is not home
    ],
)
def test_gammon_and_backgammon(money, board, points):
    position = play(money, f"XGID={board}:0:0:1:21:0:0:0:0:6", "1/off")
    assert position.turn == OVER
    assert position.payoffs().tolist() == [points, -points]
    assert money.result_text(position) == f"white wins {points} point{'s' if points > 1 else ''}"
    wins = Backgammon(scoring="wins")
    assert play(wins, f"XGID={board}:0:0:1:21:0:0:0:0:6", "1/off").payoffs().tolist() == [1, -1]


def test_black_wins_a_gammon_with_the_cube_at_4(cube):
    position = play(cube, "XGID=-----O------------------a-:2:1:-1:21:0:0:0:0:6", "1/off")
    assert position.payoffs().tolist() == [-8, 8]
    assert cube.result_text(position) == "black wins 8 points"


def test_jacoby_counts_gammons_only_with_a_turned_cube():
    game = Backgammon(cube=True, jacoby=True)
    board = "-A--------------eee-------"
    assert play(game, f"XGID={board}:0:0:1:21:0:0:1:0:6", "1/off").payoffs().tolist() == [1, -1]
    assert play(game, f"XGID={board}:1:1:1:21:0:0:1:0:6", "1/off").payoffs().tolist() == [4, -4]


_START = "XGID=-b----E-C---eE---c-e----B-"


def test_cube_of_a_money_game(cube):
    position = play(cube, f"{_START}:0:0:1:00:0:0:0:0:6")
    assert position.legal_actions() == [ROLL, DOUBLE]
    position.play(DOUBLE)
    assert (position.turn, position.legal_actions()) == (1, [TAKE, DROP])
    dropped = position.copy()
    dropped.play(DROP)
    assert dropped.payoffs().tolist() == [1, -1]
    position.play(TAKE)
    assert (position.turn, int(position.record.owner)) == (CHANCE, 1)
    position = play(cube, position.text, "31", "8/5 6/5")
    assert position.legal_actions() == [ROLL, DOUBLE]  # the owner may redouble
    position = play(cube, position.text, "double", "take", "42", "8/4 6/4", "roll", "65")
    assert int(position.record.cube) == 2
    position = play(cube, position.text, "24/13")
    assert position.turn == CHANCE  # only white, who owns the cube, has a choice


def test_cube_stops_at_64_and_when_it_wins_the_match(cube, match):
    assert play(cube, f"{_START}:5:1:1:00:0:0:0:0:6").turn == 0
    assert play(cube, f"{_START}:6:1:1:00:0:0:0:0:6").turn == CHANCE
    assert cube.payoff_range == (-192.0, 192.0)
    assert play(match, f"{_START}:1:1:1:00:2:0:0:5:6").turn == 0
    assert play(match, f"{_START}:1:1:1:00:3:0:0:5:6").turn == CHANCE  # 2 points are all that white needs


def test_actions_of_the_cube_exist_only_with_the_cube(money, cube, match):
    assert (money.actions, cube.actions, match.actions) == (MOVES, MOVES + 4, MOVES + 4)
    assert Backgammon(match_length=1).actions == MOVES
    assert (money.observation_shape, cube.observation_shape) == ((200,), (209,))


@pytest.mark.parametrize(
    ("options", "most", "unit"),
    [
        ({}, 3, "points"),  # a backgammon
        ({"scoring": "wins"}, 1, "points"),
        ({"cube": True}, 3 * 64, "points"),
        ({"cube": True, "scoring": "wins"}, 1, "points"),
        ({"match_length": 1}, 1, "match equity (%)"),
        ({"match_length": 7}, 1, "match equity (%)"),
    ],
)
def test_the_most_that_a_game_can_pay(options, most, unit):
    game = Backgammon(**options)
    assert (game.payoff_range, game.unit) == ((-most, most), unit)


@pytest.mark.parametrize(("length", "largest"), [(0, 15), (15, 15), (16, 16), (25, 25)])
def test_the_largest_number_observed_is_of_checkers_or_points(length, largest):
    assert Backgammon(match_length=length).observation_range == (0, largest)


def test_the_longest_games(money, cube, match):
    """1,000 decisions for each game of a match, and as many about the cube."""
    assert [game.max_moves for game in (money, cube, match)] == [1000, 2000, 18000]
    assert Backgammon(match_length=1).max_moves == 1000


def test_no_double_at_the_opening_roll(cube):
    position = play(cube, f"{_START}:0:0:1:00:0:0:0:0:6 opening")
    position.play(0)
    assert position.legal_actions()[-1] < MOVES


def test_match_crawford_and_after(match):
    position = play(match, f"{_START}:1:1:1:00:2:0:0:5:6", "double", "drop")  # 2 points: 4-0
    record = position.record
    assert (list(record.score), bool(record.crawford), position.turn) == ([4, 0], True, CHANCE)
    assert position.payoffs().tolist() == [0, 0]
    position = play(match, position.text, "13", "8/5 6/5")
    assert position.turn == CHANCE  # no double in the Crawford game


def test_after_the_crawford_game_the_cube_is_back(match):
    position = play(match, "XGID=-O----------------------a-:0:0:-1:21:4:1:1:5:6", "1/off")  # black wins a gammon
    record = position.record
    assert (list(record.score), bool(record.crawford)) == ([4, 3], False)
    position = play(match, position.text, "31", "8/5 6/5")
    assert position.legal_actions() == [ROLL, DOUBLE]  # black, behind
    position = play(match, position.text, "roll", "42", "8/4 6/4")
    assert position.turn == CHANCE  # for white, one point from home, a double is worth nothing


def test_without_crawford_rule():
    game = Backgammon(match_length=5, crawford=False)
    position = play(game, f"{_START}:1:1:1:00:2:0:0:5:6", "double", "drop", "31", "8/5 6/5")
    assert not position.record.crawford
    assert position.legal_actions() == [ROLL, DOUBLE]


def test_match_ends_and_surplus_points_are_cut(match):
    position = play(match, "XGID=-A--------------eee-------:1:1:1:21:3:2:0:5:6", "1/off")
    assert position.turn == OVER
    assert list(position.record.score) == [5, 2]
    assert position.payoffs().tolist() == [1, -1]
    assert match.result_text(position) == "white wins the match 5-2"
    assert match.from_text(position.text) == position


def test_starting_positions():
    nack = Backgammon(variant="nackgammon").start().record.checkers
    assert [int(nack[0, point]) for point in (24, 23, 13, 8, 6)] == [2, 2, 4, 3, 4]
    hyper = Backgammon(variant="hypergammon").start().record.checkers
    assert (hyper[1, 22:25].tolist(), hyper.sum()) == ([1, 1, 1], 6)


@pytest.mark.parametrize(
    ("board", "dice", "legal"),
    [
        # From the bar both dice enter, and neither can go on: it must be the 6.
        ("------------------b------A", 61, "bar/19"),
        # The 6 is blocked at first, but not after the 1.
        ("------------------b-----A-", 61, "24/23/17"),
        # Two checkers on the bar, one can enter: no more is possible.
        ("----A-------------------bB", 61, "bar/19"),
        # Nothing can enter.
        ("----A--------------b----bB", 61, "cannot move"),
        # The 6 bears off from the highest point, the 2 is moved or bears off; the 2 may come first.
        ("--AAA--------------a------", 62, "4/off 3/1 4/off 2/off 3/1 4/off 2/off 4/off 4/2 3/off"),
        # The last checker must come home first.
        ("--A----A-----------a------", 32, "7/4/2 7/4 2/off 7/5/2"),
    ],
)
def test_both_dice_or_else_the_larger_one(money, board, dice, legal):
    assert money.from_text(f"XGID={board}:0:0:1:{dice}:0:0:0:0:6").legal_text() == legal


def test_dice_script(money):
    script = money.chance_script({"dice": [(3, 1), (6, 6), (2, 5)]}, money.start())
    position = money.start()
    position.play(script[0])
    assert (position.turn, list(position.record.dice)) == (0, [1, 3])
    black = money.start()
    black.play(money.chance_script({"dice": [(3, 4)]}, black)[0])
    assert (black.turn, list(black.record.dice)) == (1, [3, 4])
    position = play(money, position.text, "8/5 6/5")
    for outcome, dice in zip(script[1:], ([6, 6], [2, 5]), strict=True):
        after = position.copy()
        after.play(outcome)
        assert list(after.record.dice) == dice
    assert money.chance_script({"dice": [(4, 4)]}, position) == [33]
    assert money.chance_script({}, position) == []


def test_every_roll_has_its_number(money):
    for position in (money.start(), play(money, f"{_START}:0:0:1:00:0:0:0:0:6")):
        for outcome, probability in position.outcomes():
            after = position.copy()
            after.play(outcome)
            text = money.outcome_to_str(position, outcome)
            dice = [int(die) for die in text if die.isdigit()]
            assert sorted(dice) == list(after.record.dice)
            assert probability == pytest.approx(1 / (30 if len(text) == 3 else 36))
            if len(text) == 3:  # the larger die plays first
                assert dice[after.turn] == max(dice)


def test_tie_at_a_later_opening_roll_is_rolled_again(match):
    position = match.start()
    position.push(30)
    assert position == match.start()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jacoby": True}, "jacoby=True is a rule of money games with the cube"),
        ({"jacoby": True, "match_length": 5}, "not of match_length=5 with cube=False"),
        ({"jacoby": True, "match_length": 5, "cube": True}, "not of match_length=5 with cube=True"),
        ({"cube": True, "match_length": 1}, "a match to one point has no cube"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        Backgammon(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": []}, "unknown reset option 'deck'; known: 'dice', 'position'"),
        ({"dice": [(7, 1)]}, r"dice must be a list of rolls such as \[\(3, 1\), \(6, 6\)\], not \[\(7, 1\)\]"),
        ({"dice": [(1, 7)]}, r"dice must be a list of rolls .* not \[\(1, 7\)\]"),
        ({"dice": [(3, 1), (0, 1)]}, r"dice must be a list of rolls .* not \[\(3, 1\), \(0, 1\)\]"),
        ({"dice": [(1, 2, 3)]}, r"dice must be a list of rolls .* not \[\(1, 2, 3\)\]"),
        ({"dice": [(3, 1), "double"]}, r"dice must be a list of rolls .* not \[\(3, 1\), 'double'\]"),
        ({"dice": 5}, "dice must be a list of rolls .* not 5"),
        ({"dice": [(2, 2)]}, r"the opening roll cannot be the tie \(2, 2\)"),
    ],
)
def test_wrong_scripts(money, options, message):
    with pytest.raises(ValueError, match=message):
        money.chance_script(options, money.start())


def test_observation_of_the_cube(match):
    position = match.from_text(f"{_START}:1:1:1:00:1:3:0:5:6")
    assert position.observe(0)[200:].tolist() == [1, 1, 0, 1, 0, 4, 2, 0, 1]
    assert position.observe(1)[200:].tolist() == [1, 0, 1, 1, 0, 2, 4, 0, 1]
    position.play(DOUBLE)
    assert position.observe(1)[200:].tolist() == [1, 0, 1, 0, 1, 2, 4, 0, 1]
