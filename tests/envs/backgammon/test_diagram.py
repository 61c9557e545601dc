"""Positions as text: XGID, position ID, match ID."""

import base64
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.backgammon import Backgammon, diagram

_START = "-b----E-C---eE---c-e----B-"


@pytest.mark.parametrize(
    ("xgid", "ids"),
    [
        (f"XGID={_START}:0:0:1:31:0:0:0:7:10", "4HPwATDgc/ABMA:cInlAAAAAAAE"),
        ("XGID=aB--BBC-B---bB---bbbbb--A-:1:1:1:63:2:3:0:7:10", "2LbBANDYzmAABA:UQnvADAAEAAE"),
        (f"XGID={_START}:0:0:1:00:0:0:0:0:10", "4HPwATDgc/ABMA:cAkAAAAAAAAE"),
    ],
)
def test_ids_that_gnu_backgammon_gives(xgid, ids):
    shown = diagram.read(xgid)
    assert diagram.read(ids) == shown
    assert diagram.position_id(shown.checkers[0], shown.checkers[1]) == ids.partition(":")[0]
    assert diagram.xgid(shown) == xgid.removesuffix("10") + "6"  # here the cube stops at 64


def test_position_ids_of_the_vectors(shared_data):
    for line in (shared_data / "backgammon" / "movegen.jsonl").read_text().splitlines():
        vector = json.loads(line)
        me, opponent = tuple(vector["me"]), tuple(vector["opp"])
        assert diagram.position_id(me, opponent) == vector["posid"]
        assert diagram.read_position_id(vector["posid"]) == (me, opponent)


@pytest.mark.parametrize(
    "options",
    [{}, {"cube": True, "jacoby": True}, {"match_length": 3}, {"variant": "hypergammon", "match_length": 4}],
    ids=str,
)
def test_every_position_round_trips(options, walk):
    game = Backgammon(**options)
    for number in range(3):
        for position in walk(game, number):
            assert game.from_text(position.text) == position


_PLAYING = {"state": 1, "owner": 3, "on_roll": 1, "turn": 1, "no_jacoby": 1}  # GNU Backgammon's player 1 is seat 0


def match_id(fields):
    bits, length = 0, 0
    for name, size in diagram._MATCH_FIELDS.items():
        bits |= fields.get(name, 0) << length
        length += size
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


@pytest.mark.parametrize(
    ("fields", "rest"),
    [
        ({}, "0:0:1:00:0:0:0:0:6"),
        ({"on_roll": 0, "turn": 0, "die": 3, "other_die": 6}, "0:0:-1:63:0:0:0:0:6"),
        ({"die": 6, "other_die": 3, "cube": 2, "owner": 1}, "2:1:1:63:0:0:0:0:6"),
        ({"cube": 1, "owner": 0}, "1:-1:1:00:0:0:0:0:6"),
        ({"cube": 6, "owner": 1}, "6:1:1:00:0:0:0:0:6"),
        ({"doubled": 1, "turn": 0, "die": 1, "other_die": 1}, "0:0:1:D:0:0:0:0:6"),
        ({"doubled": 1, "on_roll": 0}, "0:0:-1:D:0:0:0:0:6"),
        ({"no_jacoby": 0}, "0:0:1:00:0:0:1:0:6"),
        ({"match_length": 9, "score_0": 8, "score_1": 3, "crawford": 1}, "0:0:1:00:8:3:1:9:6"),
        ({"state": 0}, "0:0:1:00:0:0:0:0:6 opening"),
    ],
    ids=str,
)
def test_match_ids(fields, rest):
    shown = diagram.read("4HPwATDgc/ABMA:" + match_id(_PLAYING | fields))
    assert diagram.xgid(shown) == f"XGID={_START}:{rest}"


def test_the_first_checkers_of_a_position_id_are_those_of_the_player_on_roll():
    board = "aB--BBC-B---bB---bbbbb--A-"
    shown = diagram.read("2LbBANDYzmAABA:" + match_id({**_PLAYING, "on_roll": 0, "turn": 0}))
    assert diagram.xgid(shown) == f"XGID={board.swapcase()[::-1]}:0:0:-1:00:0:0:0:0:6"


@pytest.mark.parametrize(
    "fields", [{"die": 3}, {"other_die": 3}, {"die": 7, "other_die": 1}, {"cube": 7}, {"owner": 2}], ids=str
)
def test_match_ids_that_cannot_be(fields):
    with pytest.raises(ValueError, match="has impossible dice, cube or cube owner"):
        diagram.read("4HPwATDgc/ABMA:" + match_id(_PLAYING | fields))


@pytest.mark.parametrize("fields", [{"state": 2}, {"resigned": 1}], ids=str)
def test_match_ids_of_games_that_are_over(fields):
    with pytest.raises(ValueError, match="is over or being resigned"):
        diagram.read("4HPwATDgc/ABMA:" + match_id(_PLAYING | fields))


def test_a_position_id_alone(money, match):
    assert diagram.xgid(diagram.read("4HPwATDgc/ABMA")) == f"XGID={_START}:0:0:1:00:0:0:0:0:6"
    for game in (money, match):
        position = game.from_text("4HPwATDgc/ABMA")
        assert position.text.startswith(f"XGID={_START}:0:0:1:00:0:0:0:")


def test_what_an_xgid_may_leave_out(money):
    """Its name, and the largest cube. At the opening roll it is nobody's turn, whatever the text says."""
    assert diagram.read(f"{_START}:0:0:1:31:0:0:0:7") == diagram.read(f"XGID={_START}:0:0:1:31:0:0:0:7:10")
    assert money.from_text(f"XGID={_START}:0:0:-1:00:0:0:0:0:6 opening") == money.start()


def test_one_flag_is_the_jacoby_rule_or_the_crawford_game():
    """For money its first bit, since the second is that of beavers; in a match any."""
    read = {(flag, n): diagram.read(f"XGID={_START}:0:0:1:31:0:0:{flag}:{n}:6") for flag in range(4) for n in (0, 5)}
    assert [read[flag, 0].jacoby for flag in range(4)] == [False, True, False, True]
    assert [read[flag, 5].crawford for flag in range(4)] == [False, True, True, True]
    assert not any(read[flag, 0].crawford or read[flag, 5].jacoby for flag in range(4))


def test_hypergammon_counts_three_checkers():
    game = Backgammon(variant="hypergammon")
    position = game.from_text("XGID=-A------------------a-----:0:0:1:21:0:0:0:0:6")
    assert [int(position.record.checkers[seat, 0]) for seat in range(2)] == [2, 2]


_FULL = f"XGID={_START}:0:0:1:31:0:0:0:0:6"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a position is 'XGID=…', a position ID such as '4HPwATDgc/ABMA', or one with a match ID"),
        ("XGID=abc:0:0:1:31:0:0:0:0:6", "an XGID has 26 marks and 8 or 9 numbers between colons"),
        (_FULL.replace(":0:0:1", ":7:0:1"), "the cube must be 0 to 6, not '7'"),
        (_FULL.replace(":0:0:1", ":-1:0:1"), "the cube must be 0 to 6, not '-1'"),
        (_FULL.replace(":0:0:1", ":x:0:1"), "the cube must be 0 to 6, not 'x'"),
        (_FULL.replace(":0:0:1", ":0:2:1"), "the owner of the cube must be -1 to 1, not '2'"),
        (_FULL.replace(":0:0:1", ":0:-2:1"), "the owner of the cube must be -1 to 1, not '-2'"),
        (_FULL.replace(":0:0:1", ":0:0:0"), "the turn must be 1 or -1, not '0'"),
        (_FULL.replace(":0:0:1", ":0:0:2"), "the turn must be -1 to 1, not '2'"),
        (_FULL.replace(":0:0:1", ":0:0:-2"), "the turn must be -1 to 1, not '-2'"),
        (_FULL.replace(":31:0:0", ":31:-1:0"), "the score must be 0 to 999, not '-1'"),
        (_FULL.replace(":31:0:0", ":31:0:-1"), "the score must be 0 to 999, not '-1'"),
        (_FULL.replace("0:0:6", "0:-1:6"), "the match length must be 0 to 999, not '-1'"),
        (_FULL.replace("0:0:6", "0:1000:6"), "the match length must be 0 to 999, not '1000'"),
        (_FULL.replace("0:0:6", "-1:0:6"), "the Crawford or Jacoby flag must be 0 to 3, not '-1'"),
        (_FULL.replace(":0:0:1", ":0:1:1"), "this game has no cube"),
        (_FULL.replace("0:0:6", "4:0:6"), "the Crawford or Jacoby flag must be 0 to 3, not '4'"),
        (_FULL.replace(":31:", ":37:"), "dice '37' with '' after the XGID is not valid; expected '00'"),
        (_FULL + " second", "dice '31' with 'second' after the XGID is not valid"),
        (_FULL.replace("=-b", "=Ab"), "the first mark is the bar of the small letters, the last of the capitals"),
        (_FULL.replace("0:0:6", "0:7:6"), "the text has match length 7, this game has match_length=0"),
        (_FULL.replace("E", "F"), "a side has at most 15 checkers, not 17"),
        (_FULL.replace(":0:0:1", ":1:1:1"), "this game has no cube; use cube=True or a match of 2 points or more"),
        (_FULL.replace(":31:", ":D:"), "this game has no cube"),
        ("XGID=-B------------------------:0:0:1:31:0:0:0:0:6", "one side has no checkers left"),
        ("XGID=-b------------------------:0:0:1:31:0:0:0:0:6", "one side has no checkers left"),
        ("XGID=-B------------------------:0:0:1:00:0:0:0:0:6 won 0", "the points won, or the score of the match,"),
        ("XGID=-B------------------------:0:0:1:00:0:0:0:0:6 won 193", "the points won, or the score of the match,"),
        ("4HPwATDgc/ABM!", "a position is"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAA!", "a position is"),
        ("//////////////", "the position ID has more than 2 × 15 checkers"),
        ("4HPwATDgc/ABMA:eAkAAAAAAAAE", "the match ID 'eAkAAAAAAAAE' has impossible dice, cube or cube owner"),
        ("AAAAAAAAAAAAAA", "one side has no checkers left"),
        ("AAAAAAAAAAAAAw", "the position ID has more than 2 × 15 checkers"),
        (diagram.position_id((*[0] * 24, 16), (15, *[0] * 24)), "the position ID has more than 2 × 15 checkers"),
        ("////HwAAAAAAgA", "the position ID has more than 2 × 15 checkers"),  # the last of 30 beyond all points
        (diagram.position_id((0, 2, *[0] * 23), (*[0] * 22, 2, 0, 0)), "both sides stand on the same point"),
        (diagram.position_id((2, *[0] * 24), (*[0] * 23, 2, 0)), "both sides stand on the same point"),
        (diagram.position_id((*[0] * 23, 2, 0), (2, *[0] * 24)), "both sides stand on the same point"),
        (f"XGID={_START}:0:1:1:31:0:0:0:5:6", "a cube that somebody owns shows 2 or more"),
        (f"XGID={_START}:0:0:1:31:5:0:0:5:6", "the match to 5 points is over at 5-0"),
        (f"XGID={_START}:0:0:1:D:4:0:0:5:6", "the side on roll was not allowed to double"),
        (f"XGID={_START}:0:0:1:00:4:0:0:5:6 won 2", "the points won, or the score of the match, do not fit the end"),
    ],
)
def test_wrong_texts(money, match, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        (match if ":5:6" in text else money).from_text(text)


@pytest.mark.parametrize("won", [1, 192])
def test_the_least_and_the_most_that_a_game_ends_with(money, won):
    text = f"XGID=-B------------------------:0:0:1:00:0:0:0:0:6 won {won}"
    position = money.from_text(text)
    assert (position.over, position.text) == (True, text)


def test_wrong_ids():
    with pytest.raises(ValueError, match="a position ID has 14 characters of A-Z a-z 0-9"):
        diagram.read_position_id("4HPw")
    with pytest.raises(ValueError, match="a match ID has 12 characters of A-Z a-z 0-9"):
        diagram.read_match_id("4HPw????????", ((), ()))


_MARKS = st.text("-----ABCabc", min_size=26, max_size=26)
_FIELDS = st.lists(
    st.sampled_from(["0", "1", "-1", "2", "31", "33", "D", "00", "won", "x", ""]), min_size=8, max_size=9
)
_WORD = st.sampled_from(["", " won 2", " second", " opening", " rolling", " lost"])


@given(_MARKS, _FIELDS, _WORD, st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_reader(cube, marks, fields, word, text):
    for attempt in (
        text,
        ":".join([f"XGID={marks}", *fields]) + word,
        f"XGID=-A{marks[2:24]}a-:0:0:1:31:0:0:0:0:6{word}",
    ):
        check(cube, attempt)


def check(game, text):
    try:
        position = game.from_text(text)
    except ValueError:
        return
    assert game.from_text(position.text) == position


@given(st.text("ABCDwxyz0189+/", min_size=14, max_size=14), st.text("ABCDwxyz0189+/", min_size=12, max_size=12))
@settings(max_examples=300, deadline=None)
def test_no_id_breaks_the_reader(position_id, match_id):
    for text in (position_id, f"4HPwATDgc/ABMA:{match_id}"):
        try:
            diagram.read(text)
        except ValueError:
            continue
