"""Pictures and terminal boards."""

import pytest

from ludarium.envs.backgammon import drawing
from ludarium.envs.registry import make_game

_START = "-b----E-C---eE---c-e----B-"


def test_ansi(match):
    lines = match.to_ansi(match.from_text(f"XGID={_START}:1:1:1:63:2:3:0:5:6")).splitlines()
    assert lines[0] == " +-13-14-15-16-17-18+---+-19-20-21-22-23-24+"
    assert lines[1] == " | X           O    |   | O              X |"
    assert lines[12] == " +-12-11-10--9--8--7+---+--6--5--4--3--2--1+"
    assert lines[13:] == [
        " X white: 167 pips, 0 off",
        " O black: 167 pips, 0 off",
        " white to play 63; cube 2 (white); match to 5, score 2-3",
    ]


def test_stacks_and_the_bar(money):
    text = money.to_ansi(money.from_text("XGID=bH-----------------------A:0:0:-1:44:0:0:0:0:6 second"))
    assert " 8 |" in text
    assert text.splitlines()[1] == " |                  | O |                  |"
    assert text.splitlines()[11] == " |                  | X |                X |"
    assert "black to play 44, second half" in text


def test_black_sees_its_own_home_below(money):
    board = "bB---AE-B---eDA--c-d------"
    position, exchanged = (money.from_text(f"XGID={one}:0:0:1:00:0:0:0:0:6") for one in (board, board[::-1].swapcase()))
    expected = money.to_ansi(exchanged).translate(str.maketrans("XO", "OX")).splitlines()
    assert money.side_text(position, 1).splitlines()[:13] == expected[:13]
    assert money.side_text(position, 0) == money.to_ansi(position)


def test_status(cube, match):
    def status(game, text):
        return drawing.status(game.diagram(game.from_text(text)), game.seat_names)

    assert status(cube, f"XGID={_START}:0:0:1:00:0:0:0:0:6 opening") == "opening roll"
    assert status(cube, f"XGID={_START}:1:1:1:D:0:0:0:0:6") == "white doubles to 4: black to take or drop"
    assert status(cube, f"XGID={_START}:0:0:-1:00:0:0:0:0:6") == "black on roll"
    assert status(cube, f"XGID={_START}:1:1:-1:00:0:0:0:0:6 won 1") == "black has won 1 point"
    assert status(cube, f"XGID={_START}:1:1:1:00:0:0:0:0:6 won 2") == "white has won 2 points"
    assert "Crawford game" in match.to_ansi(match.from_text(f"XGID={_START}:0:0:1:00:4:3:1:5:6"))


@pytest.mark.parametrize(
    ("spec", "rest", "of_the_rules", "identifier"),
    [
        (
            "backgammon?match_length=5",
            "2:-1:-1:42:2:3:0:5:6",
            {"cube": "4, black", "match": "2–3 to 5"},
            "4M/BASBwDj4ADA",
        ),
        (
            "backgammon?match_length=5",
            "0:0:1:00:4:3:1:5:6 rolling",
            {"cube": "1, in the middle", "match": "4–3 to 5, Crawford game"},
            "4Bx8ABj4c3AACA",
        ),
        ("backgammon?cube=True", "1:1:-1:42:0:0:0:0:6", {"cube": "2, white"}, "4M/BASBwDj4ADA"),
        ("backgammon", "0:0:1:42:0:0:0:0:6", {}, "4Bx8ABj4c3AACA"),
    ],
)
def test_facts(spec, rest, of_the_rules, identifier):
    """The XGID is without the words that other programs do not know."""
    game, xgid = make_game(spec), f"XGID=b-----G-C---eC---c-c-----A:{rest}"
    facts = {"white": "130 pips", "black": "157 pips", **of_the_rules, "position ID": identifier}
    assert game.facts(game.from_text(xgid), None) == {**facts, "XGID": xgid.partition(" ")[0]}


def test_pictures_differ_where_positions_do(cube, walk):
    seen = {}
    for position in walk(cube, 1):
        svg = cube.draw(position).svg()
        assert svg.startswith("<svg")
        seen.setdefault(svg, position.text.removesuffix(" rolling"))
        assert seen[svg] == position.text.removesuffix(" rolling")
    assert cube.draw(position).rgb(200).shape[0] == 200
