"""Match files, as they are written; `evaluation/table/test_records.py` reads random ones back."""

from ludarium.envs.backgammon.match_writer import write_match
from ludarium.envs.backgammon.rules import RESIGN
from ludarium.envs.kernels import CHANCE
from ludarium.envs.records import RecordedGame

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
