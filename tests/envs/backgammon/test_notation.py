"""Moves as text: written uniquely, read in every spelling that match files use."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.backgammon import Backgammon, notation
from ludarium.envs.backgammon.rules import MOVES
from ludarium.envs.options import IllegalAction

_GAME = Backgammon()


def at(board, dice, turn=1):
    return _GAME.from_text(f"XGID={board}:0:0:{turn}:{dice}:0:0:0:0:6")


_START = "-b----E-C---eE---c-e----B-"
_HITS = "-----a--a---A-------------"


def names(position):
    return [_GAME.action_to_str(position, action) for action in position.legal_actions()]


def test_actions_of_the_opening():
    position = at(_START, "31")
    assert "8/5 6/5" in names(position)
    assert "6/5 8/5" in names(position)
    assert "24/23/20" in names(position)
    assert "13/10(2)" in names(at(_START, "33"))


@pytest.mark.parametrize(
    ("board", "dice", "text", "written"),
    [
        (_START, "31", "8/5 6/5", "8/5 6/5"),
        (_START, "31", "6/5, 8/5", "6/5 8/5"),
        (_START, "65", "24/13", "24/18/13"),
        (_START, "33", "24/21(2)", "24/21(2)"),
        (_START, "33", "24/18", "24/21/18"),
        ("------------------a------A", "61", "25/18*", "bar/19/18*"),
        ("------------------a------A", "61", "Bar/18", "bar/19/18*"),
        ("--AA---------------a------", "61", "3/0 2/1", "3/off 2/1"),
        ("--AA---------------a------", "62", "3/Off 2/off", "3/off 2/off"),
        (_HITS, "43", "12/8*/5*", "12/8*/5*"),
        # A summed move: without a mark the way that hits less, with a mark the way that hits so.
        (_HITS, "43", "12/5*", "12/9/5*"),
        (_HITS, "43", "12/5", "12/9/5*"),
        # Written step by step the way is given, whether hits are marked or not.
        (_HITS, "43", "12/8 8/5", "12/8*/5*"),
        ("-a-A----------------------", "21", "3/off", "3/2/off"),
        # So it is if the steps are in the other order.
        (_START, "32", "10/8 13/10", "13/10/8"),
        (_START, "32", "11/8 13/11", "13/11/8"),
        (_HITS, "43", "8/5 12/8", "12/8*/5*"),
        (_HITS, "43", "9/5 12/9", "12/9/5*"),
        # Only the dice differ.
        *[
            ("-AA-------------------ab--", "65", text, text)
            for text in ("2/off 1/off", "2/off 1/off (smaller die first)")
        ],
        *[("----A--------------b----bB", "61", text, "cannot move") for text in ("cannot move", "Pass", "")],
    ],
)
def test_reading_spellings(board, dice, text, written):
    position = at(board, dice)
    assert notation.action_text(position, notation.find_action(position, text)) == written


def test_hits_and_the_bar():
    position = at("------------a--a--------AA", "43")  # black on white's points 12 and 15, white on the bar
    assert "bar/21 24/21" in names(position)
    assert names(at(_HITS, "43")) == ["12/8*/5*", "12/9/5*"]


def test_hits_on_the_first_and_the_last_point():
    assert names(at("-----------------------baA", "21")) == ["bar/24*/22"]
    assert names(at("-aA-----------------------", "11")) == ["2/1*/off"]


def test_a_double_hit_on_one_point_is_one_hit():
    position = at("-----a----AA--------------", "65")
    assert "11/5* 10/5" in names(position)
    assert "8/7*(2)" in names(at("-------aB-----------------", "11"))


def test_black_counts_its_own_points():
    position = at(_START, "31", turn=-1)
    assert "8/5 6/5" in names(position)
    assert notation.find_action(position, "8/5 6/5") in position.legal_actions()


def test_cube_words(cube):
    position = cube.from_text(f"XGID={_START}:0:0:1:00:0:0:0:0:6")
    assert names(position) == ["roll", "double"]
    assert cube.str_to_action(position, " Double ") == MOVES + 1
    with pytest.raises(IllegalAction, match="'take' is not a legal move; legal: roll double"):
        cube.str_to_action(position, "take")
    with pytest.raises(IllegalAction, match="'8/5' is not a legal move; legal: none"):
        cube.str_to_action(cube.start(), "8/5")


def test_whole_turns():
    position = at(_START, "33")
    for text in ("24/21(2) 13/10(2)", "13/10 24/21 13/10 24/21", "24/21 24/21 13/10(2)"):
        actions = notation.find_turn(position, text)
        after = position.copy()
        for action in actions:
            after.play(action)
        assert len(actions) == 2
        assert after.text.split(":")[0] == "XGID=-b----E-C-B-eC---c-e-B----"
    for text in ("24/21 13/10(2)", "24/20", "13/10(4) 24/21"):  # the first is only three of four
        with pytest.raises(IllegalAction):
            notation.find_turn(position, text)


def test_short_doubles():
    position = at("-------------------b----AB", "66")  # one checker enters? the 19 point is blocked
    assert [notation.action_text(position, a) for a in notation.find_turn(position, "")] == ["cannot move"]
    position = at("------------b-----------A-", "66")  # 24/18, and the 12 point is blocked
    assert [notation.action_text(position, a) for a in notation.find_turn(position, "24/18")] == ["24/18"]
    position = at("------b-----------------A-", "66")  # three steps: the second half is one step
    assert len(notation.find_turn(position, "24/12")) == 2


def test_rolls():
    assert [notation.outcome_roll(notation.roll_outcome(a, b)) for a in range(1, 7) for b in range(1, 7)] == [
        (a, b) for a in range(1, 7) for b in range(1, 7)
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e4", "a move is like '24/18 13/9', 'bar/22*' or '6/off(2)', not 'e4'"),
        ("13/10 x", "a move is like '24/18 13/9', 'bar/22*' or '6/off(2)', not '13/10 x'"),
        ("10/13", "'10/13' does not move forward from the bar (25) to off (0): '10/13'"),
        ("30/24", "'30/24' does not move forward from the bar (25) to off (0): '30/24'"),
        ("13/12", "'13/12' is not a legal move; legal: "),
    ],
)
def test_wrong_moves(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        notation.find_action(at(_START, "31"), text)


@given(st.text(alphabet="0123456789/*() barof", max_size=30) | st.text(max_size=20))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_reader(text):
    for position in (at(_START, "31"), at(_START, "22")):
        try:
            actions = notation.find_turn(position, text)
        except ValueError:
            continue
        assert actions[0] in position.legal_actions()


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("13/10 24/23", "24/23 13/10"),
        ("13/7 8/2 8/2 13/7", "13/7(2) 8/2(2)"),
        ("6/off 6/5", "6/5 6/off"),
        ("bar/22* 8/5 8/5(2)", "bar/22* 8/5(3)"),
        ("13/11*/9 24/22", "24/22 13/11*/9"),
        ("13/7* 13/7", "13/7*(2)"),
        ("cannot move", "cannot move"),
        ("24/18 cannot move", "24/18"),
        ("double", "double"),
        ("3/off 2/off (smaller die first)", "3/off 2/off"),
    ],
)
def test_the_usual_order_begins_at_the_highest_point(text, usual):
    assert notation.usual_order(text) == usual
