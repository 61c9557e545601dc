"""Replay judges recorded games: actions, chance, ending and result."""

import pickle
import re

import pytest

from ludarium.envs.othello import Othello
from ludarium.envs.records import RecordedGame, RecordError, replay
from ludarium.envs.tictactoe import TicTacToe

_X_WINS = [0, 3, 1, 4, 2]


def record(**changes):
    return RecordedGame(**{"game": TicTacToe(), "seats": ("Ann", "Bob"), "file": "some.txt", "line": 7, **changes})


def reason(text):
    return pytest.raises(RecordError, match="^" + re.escape("some.txt:7: " + text))


def test_a_whole_game():
    position = replay(record(actions=_X_WINS, payoffs=(1.0, -1.0)))
    assert position.over
    assert position.text == "xxx/oo./... o"


def test_a_start_position_and_an_unfinished_game():
    assert replay(record(start="xo./.../... x", actions=[4], note="adjourned")).text == "xo./.x./... o"


def test_a_result_is_only_compared_at_the_end():
    replay(record(actions=[0, 1], payoffs=(1.0, -1.0), note="o resigned"))


def test_a_record_of_no_file_has_no_line():
    with pytest.raises(RecordError, match=r"^a\.txt: move 2: tictactoe: action 0 \(a1\) is not legal"):
        replay(RecordedGame(TicTacToe(), ("Ann", "Bob"), actions=[0, 0], file="a.txt"))


def test_errors():
    with reason("move 3: tictactoe: action 0 (a1) is not legal for x; legal: c1"):
        replay(record(actions=[0, 1, 0]))
    with reason("the record stops after 2 moves, before the end of the game"):
        replay(record(actions=[0, 1]))
    with reason("actions are left over after move 5: the game is over or the chance"):
        replay(record(actions=[*_X_WINS, 8]))
    with reason("chance outcomes are left over after move 5: the game is over or the actions"):
        replay(record(actions=_X_WINS, script=[1]))
    with reason("the game ends with payoffs [1.0, -1.0], but the file says [0.0, 0.0]"):
        replay(record(actions=_X_WINS, payoffs=(0.0, 0.0)))
    with reason("start position: tictactoe: a position is like"):
        replay(record(start="nonsense", actions=[]))


def test_an_impossible_outcome_of_chance():
    from ludarium.envs.backgammon import Backgammon
    from ludarium.envs.hanabi import Hanabi

    with reason("before move 1: backgammon: 99 is not a possible outcome here"):
        replay(record(game=Backgammon(), script=[99]))
    with reason("before move 1: hanabi: 0 is not a possible outcome here"):  # there are three cards of this kind
        replay(record(game=Hanabi(), script=[0, 0, 0, 0]))


def test_an_error_names_the_file_and_survives_a_process_boundary():
    error = RecordError("a.wtb", 0, "too short")
    assert str(error) == "a.wtb: too short"
    error = pickle.loads(pickle.dumps(RecordError("a.txt", 3, "no move")))
    assert (str(error), error.file, error.line, error.reason) == ("a.txt:3: no move", "a.txt", 3, "no move")


def test_the_middle_of_a_long_reason_is_left_out():
    beginning, end = "a" * 1000, "z" * 1000
    assert RecordError("a.txt", 1, beginning + end).reason == beginning + end
    assert RecordError("a.txt", 1, f"{beginning}-{end}").reason == f"{beginning} … {end}"


def test_othello_of_any_size():
    assert replay(RecordedGame(Othello(size=4), ("b", "w"), actions=[1], note="a start")).text == "-X---XX--XO----- O"
