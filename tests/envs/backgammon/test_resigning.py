"""What a side may lose by giving up, and what that does to the game and the match."""

import pytest

from ludarium.envs.options import IllegalAction
from ludarium.envs.registry import make_game

START = "-b----E-C---eE---c-e----B-"


def ways(spec, text):
    game = make_game(spec)
    position = game.from_text(text)
    resignations = game.resignations(position)
    assert [game.action_to_str(position, way.action) for way in resignations] == [
        f"resign a {way.name}" for way in resignations
    ]
    return [(way.name, way.points) for way in resignations]


SINGLE, GAMMON, BACKGAMMON = "single game", "gammon", "backgammon"
EVERY = [(SINGLE, 1), (GAMMON, 2), (BACKGAMMON, 3)]


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [
        ("backgammon", f"XGID={START}:0:0:1:31:0:0:0:0:6", EVERY),
        ("backgammon?cube=True", f"XGID={START}:2:1:1:31:0:0:0:0:6", [(SINGLE, 4), (GAMMON, 8), (BACKGAMMON, 12)]),
        ("backgammon?cube=True", f"XGID={START}:6:1:1:31:0:0:0:0:6", [(SINGLE, 64), (GAMMON, 128), (BACKGAMMON, 192)]),
        # the cube has not been turned, and every win pays the same
        ("backgammon?cube=True&jacoby=True", f"XGID={START}:0:0:1:31:0:0:0:0:6", [(SINGLE, 1)]),
        ("backgammon?scoring=wins", f"XGID={START}:0:0:1:31:0:0:0:0:6", [(SINGLE, 1)]),
        # a checker is off
        ("backgammon", f"XGID={START.replace('E', 'D', 1)}:0:0:1:31:0:0:0:0:6", [(SINGLE, 1)]),
        # white is past black, has a checker in black's home, or can still be hit
        ("backgammon", "XGID=------EED---------Ae--e-e-:0:0:1:31:0:0:0:0:6", [(SINGLE, 1), (GAMMON, 2)]),
        ("backgammon", "XGID=------EED----------Aeee---:0:0:1:31:0:0:0:0:6", EVERY),
        ("backgammon", "XGID=------EED--------eA---e-e-:0:0:1:31:0:0:0:0:6", EVERY),
        # a checker on the bar, of white or of black, has the whole way before it
        ("backgammon", "XGID=------EED----------eee---A:0:0:1:31:0:0:0:0:6", EVERY),
        ("backgammon", "XGID=a-----EEE----------eed----:0:0:1:31:0:0:0:0:6", EVERY),
        # the match is lost with less
        ("backgammon?match_length=1", f"XGID={START}:0:0:1:31:0:0:0:1:6", [(SINGLE, 1)]),
        ("backgammon?match_length=5", f"XGID={START}:1:1:1:31:0:2:0:5:6", [(SINGLE, 2), (GAMMON, 4)]),
        # the side to answer a double, and nobody
        ("backgammon?cube=True", f"XGID={START}:0:0:1:D:0:0:0:0:6", EVERY),
        ("backgammon", f"XGID={START}:0:0:1:00:0:0:0:0:6 opening", []),
    ],
)
def test_what_can_be_lost(spec, text, expected):
    assert ways(spec, text) == expected


def resigned(spec, text, name):
    position = make_game(spec).from_text(text)
    (way,) = [way for way in position.game.resignations(position) if way.name == name]
    with pytest.raises(IllegalAction):
        position.play(way.action)  # what agents and environments may do
    written = position.game.action_to_str(position, way.action)
    position.push(way.action)
    return written, position


def test_a_resigned_money_game_pays_the_points():
    written, position = resigned("backgammon?cube=True", f"XGID={START}:2:1:1:31:0:0:0:0:6", GAMMON)
    assert written == "resign a gammon"
    assert (position.over, position.payoffs().tolist()) == (True, [-8, 8])
    assert position.game.result_text(position) == "black wins 8 points"


def test_a_match_goes_on_with_the_next_game():
    _, position = resigned("backgammon?match_length=5", f"XGID={START}:1:1:-1:31:0:2:0:5:6", SINGLE)
    assert position.text == f"XGID={START}:0:0:1:00:2:2:0:5:6 opening"
    _, position = resigned("backgammon?match_length=5", f"XGID={START}:1:1:-1:31:3:0:0:5:6", SINGLE)
    assert position.over
    assert position.game.result_text(position) == "white wins the match 5-0"
