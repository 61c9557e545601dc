"""Match files, as they are written; `evaluation/table/test_records.py` reads random ones back."""

import re

import pytest

from ludarium.envs.backgammon import Backgammon
from ludarium.envs.backgammon.match_writer import write_match
from ludarium.envs.backgammon.rules import RESIGN
from ludarium.envs.kernels import CHANCE
from ludarium.envs.records import RecordedGame
from ludarium.envs.tictactoe import TicTacToe

_MATCH = """\
 5 point match

 Game 1
 Ann : 0                               Bob : 0
  1) 31: 8/5 6/5                        Doubles => 2
  2)  Drops                             Wins 1 point

 Game 2
 Ann : 0                               Bob : 1
  1)                                   31: 8/5 6/5
  2)  Doubles => 2                      Drops
  3)  Wins 1 point

 Game 3
 Ann : 1                               Bob : 1
  1) 64: 24/18/14                       Doubles => 2
  2)  Takes                            11: 8/7(2) 6/5(2)
  3)                                    Wins 2 points

 Game 4
 Ann : 1                               Bob : 3
  1) 21: 13/11 6/5                     33: 8/5(2)

"""


def recorded(game, events):
    """A record of rolls, `31`, moves and resignations (a number), from the start."""
    position, script, actions = game.start(), [], []
    for event in events:
        if position.turn == CHANCE:
            script.append(game.chance_script({"dice": [tuple(map(int, event))]}, position)[0])
            position.play(script[-1])
        else:
            actions.append(event if isinstance(event, int) else game.str_to_action(position, event))
            position.push(actions[-1])
    return RecordedGame(game, ("Ann", "Bob"), None, script, actions)


def test_a_match(match):
    first = ["31", "8/5 6/5", "double", "drop"]
    second = ["13", "8/5 6/5", "double", "drop"]
    third = ["64", "24/14", "double", "take", "11", "8/7(2)", "6/5(2)", RESIGN]
    fourth = ["21", "13/11 6/5", "roll", "33", "8/5(2)"]
    assert write_match(recorded(match, [*first, *second, *third, *fourth])) == _MATCH


def test_half_a_double_before_a_resignation_is_no_play(match):
    events = ["31", "8/5 6/5", "roll", "33", "8/5(2)", RESIGN]
    assert write_match(recorded(match, events)).splitlines()[4:] == ["  1) 31: 8/5 6/5", "  2)  Wins 1 point", ""]


def test_a_money_game_is_a_match_to_no_points(cube):
    events = ["13", "8/5 6/5", "double", "take", "66", "24/18(2)", "13/7(2)", "double", "drop"]
    assert write_match(recorded(cube, events)).splitlines() == [
        " 0 point match",
        "",
        " Game 1",
        " Ann : 0                               Bob : 0",
        "  1)                                   31: 8/5 6/5",
        "  2)  Doubles => 2                      Takes",
        "  3) 66: 24/18(2) 13/7(2)               Doubles => 4",
        "  4)  Drops                             Wins 2 points",
        "",
    ]


@pytest.mark.parametrize(
    ("game", "start", "message"),
    [
        (TicTacToe(), None, "a match file cannot hold tictactoe from this start"),
        (
            Backgammon(variant="nackgammon"),
            None,
            "a match file cannot hold backgammon?variant=nackgammon from this start",
        ),
        (Backgammon(), "4HPwATDgc/ABMA", "a match file cannot hold backgammon from 4HPwATDgc/ABMA"),
    ],
)
def test_what_a_match_file_cannot_hold(game, start, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        write_match(RecordedGame(game, ("Ann", "Bob"), start))
