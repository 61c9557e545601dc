"""Positions in notebooks: every piece is where it belongs, a title says so, and no seat sees what it may not."""

import hashlib
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from ludarium.envs.game import Game
from ludarium.envs.registry import make_game

SVG = "{http://www.w3.org/2000/svg}"


def elements(drawing):
    """What a notebook shows, by kind of element, in the order in which it is drawn."""
    root = ElementTree.fromstring(drawing._repr_svg_())
    return {kind: root.findall(SVG + kind) for kind in ("title", "desc", "rect", "circle", "line", "polygon", "text")}


def numbers(element, *names):
    return tuple(float(element.get(name)) for name in names)


def squares(texts):
    """By name, the middles of a board's squares, from the letters and numbers on its edges."""
    at = {text.text: numbers(text, "x", "y") for text in texts}
    return {f"{a}{n}": np.array([at[a][0], at[n][1]]) for a in at if a.isalpha() for n in at if n.isdigit()}


def nearest(board, *point):
    return min(board, key=lambda name: np.linalg.norm(board[name] - point))


def test_tictactoe():
    shapes = elements(make_game("tictactoe?rows=3&columns=4").from_text("xo../..x./.o.. x"))
    board = squares(shapes["text"])
    red = [line for line in shapes["line"] if line.get("stroke") == "#c8463c"]
    ends = [numbers(line, "x1", "y1", "x2", "y2") for line in red]
    assert [nearest(board, (a + c) / 2, (b + d) / 2) for a, b, c, d in ends] == ["a1", "a1", "c2", "c2"]
    assert [nearest(board, *numbers(one, "cx", "cy")) for one in shapes["circle"]] == ["b1", "b3"]
    assert {one.get("stroke") for one in shapes["circle"]} == {"#2f6db5"}


def test_hexapawn():
    shapes = elements(make_game("hexapawn?rows=4&columns=3").from_text(".pp/p../.P./P.P w"))
    board = squares(shapes["text"])
    heads = {nearest(board, *numbers(one, "cx", "cy")): one.get("fill") for one in shapes["circle"]}
    white, black = "#ffffff", "#2b2f36"
    assert heads == {"a1": white, "c1": white, "b2": white, "a3": black, "b4": black, "c4": black}


def test_othello():
    shapes = elements(make_game("othello?size=4").from_text("X----OX--XO----- X"))
    board = squares(shapes["text"])
    discs = {
        nearest(board, *numbers(one, "cx", "cy")): one.get("fill") for one in shapes["circle"] if one.get("stroke")
    }
    black, white = "#17191a", "#f7f7f2"
    assert discs == {"a1": black, "b2": white, "c2": black, "b3": black, "c3": white}
    dots = {nearest(board, *numbers(one, "cx", "cy")) for one in shapes["circle"] if not one.get("stroke")}
    assert dots == {"c4", "d3", "b1", "a2", "d4"}


def test_backgammon():
    """The board is b (2 on the bar), then the points 1 to 24: capitals are white, and a letter's place is the count."""
    board = "b-----G-C---eD---c-c----A"
    shapes = elements(make_game("backgammon").from_text(f"XGID={board}-:0:0:1:31:0:0:0:0:6"))
    edge = {int(text.text): numbers(text, "x")[0] for text in shapes["text"] if text.get("font-size") == "12"}
    middle = {0: (edge[6] + edge[7]) / 2, **edge}
    white, black, expected = "#fbf8f0", "#2c2f36", Counter()
    for point, letter in enumerate(board):
        if letter != "-":
            upper, fill = point in range(13, 25) or point == 0, white if letter.isupper() else black
            expected[middle[point], upper, fill] = min(5, ord(letter.lower()) - ord("a") + 1)
    circles = [(*numbers(one, "cx", "cy", "r"), one.get("fill")) for one in shapes["circle"]]
    assert Counter((x, y < 265, fill) for x, y, radius, fill in circles if radius > 10) == expected
    counts = [(text.text, *numbers(text, "x")) for text in shapes["text"] if text.get("font-size") == "16"]
    assert counts == [("7", middle[6])]
    assert sum(radius < 10 for _, _, radius, _ in circles) == 3 + 1  # the eyes of the dice
    assert sum(rect.get("height") == "9" for rect in shapes["rect"]) == 2  # black's checkers that are borne off


@pytest.fixture
def three(walk):
    """Hanabi with three seats after the deal."""
    return next(position for position in walk(make_game("hanabi?seats=3")) if position.turn >= 0)


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_hanabi(three, seat):
    """A position by itself is what a spectator sees; a seat sees every hand but its own."""
    shapes = elements(three if seat is None else three.picture(seat))
    rows = [numbers(text, "y")[0] for text in shapes["text"] if text.text in three.game.seat_names]
    cards = [text for text in shapes["text"] if text.get("font-size") == "32"]
    for owner, y in enumerate(rows):
        ranks = [text.text for text in cards if abs(numbers(text, "y")[0] - y) < 5]
        assert ranks == (["?"] * 5 if owner == seat else [str(rank + 1) for rank in three.record.rank[owner]])


def test_neither_picture_nor_title_nor_text_depends_on_hidden_cards(three):
    other = three.copy()
    other.record.color[2], other.record.rank[2] = 3, [0, 0, 1, 1, 2]
    assert other.picture(2)._repr_svg_() == three.picture(2)._repr_svg_()
    assert other._repr_svg_() != three._repr_svg_()
    assert three.picture(2).title == "Hanabi, as cathy sees it: alice to move"


def test_every_picture_has_a_title_and_its_text_on_a_background_of_its_own(game_spec, walk):
    position = list(walk(make_game(game_spec)))[-1]
    root = ElementTree.fromstring(position._repr_svg_())
    title, text, paper = root[:3]
    assert root.get("role") == "img"
    assert (title.tag, text.tag) == (f"{SVG}title", f"{SVG}desc")
    assert title.text == f"{position.game.title}: {position.game.result_text(position)}"
    assert text.text == str(position)
    assert (paper.get("width"), paper.get("height"), paper.get("fill")[0]) == ("100%", "100%", "#")


def test_a_game_without_pictures_shows_its_text(monkeypatch):
    game = make_game("tictactoe")
    monkeypatch.setattr(type(game), "draw", Game.draw)
    monkeypatch.setattr(type(game), "to_ansi", lambda self, position: "\x1b[31mred & <green>")
    shapes = elements(game.start())
    assert [text.text for text in shapes["text"]] == ["\N{REPLACEMENT CHARACTER}[31mred", "&", "<green>"]
    assert shapes["desc"][0].text == "\N{REPLACEMENT CHARACTER}[31mred & <green>"


_BOARD = "b-----G-C---eC---c-c-----A"
_APPROVED = [
    ("tictactoe?rows=3&columns=4", ["xo../..x./.o.. x"], "00f4428c0a50bdd4"),
    ("hexapawn?rows=4&columns=3", [".pp/p../.P./P.P w"], "8f362342df68726e"),
    ("othello?size=4", ["X----OX--XO----- X"], "64343ca86c53e08c"),
    ("othello", ["---------------------------OX------XO--------------------------- X"], "42085c7a130f9b12"),
    (
        "backgammon?match_length=5",
        [
            f"XGID={_BOARD}:0:0:1:31:2:3:0:5:6",
            f"XGID={_BOARD}:1:1:1:65:2:3:0:5:6",
            f"XGID={_BOARD}:2:-1:-1:42:2:3:0:5:6",
            f"XGID={_BOARD}:6:1:1:00:2:3:0:5:6",
            f"XGID={_BOARD}:1:1:1:D:2:3:0:5:6",
        ],
        "1958681c85d3939d",
    ),
    (
        "backgammon?cube=True",
        [
            f"XGID={_BOARD}:0:0:-1:66:0:0:0:0:6",
            f"XGID={_BOARD}:1:0:-1:66:0:0:0:0:6",
            *(f"XGID=-ABF------------------fba-:0:0:{turn}:31:0:0:0:0:6" for turn in (1, -1)),
        ],
        "2bd264b11a2197f7",
    ),
    (
        "hanabi?seats=3&information_tokens=12",
        [
            "fireworks=R1Y0G0W0B0 discards=R3,R4,Y1,Y1,W3,B1,B3 hands=W2:RGWB:2!,W2:RGWB:2!,R1:RGWB:145,Y4:Y!:145,"
            "B1:RYGWB:1345/G2:G!:2345,Y2:YWB:2345,G3:G!:2345,G1:RYGWB:12345,Y3:RYGWB:12345/B1:RYWB:1!,G2:G!:2!,"
            "B4:RYWB:45,Y4:RYWB:345,W4:RYGWB:12345 information=1 lives=1 turn=cathy left=3 last=bob:hint-alice-2 "
            "before=bR2,D1Y1,a31,bG25,c1123,D2Y1,c35,aY5,P5R3,c23,cG3,b11,b11,P1R1!,D1B1,c11,P2B3,D5R4,D1W3"
        ],
        "7832212036dc215a",
    ),
    (
        "hanabi?preset=very-small&seats=5",
        [
            "fireworks=R1 discards=- hands=R4:R:12345,R3:R:12345/R3:R:12345/R2:R:12345,R1:R:12345/R1:R:1235,R4:R:4!/"
            "R5:R:12345,R2:R:12345 information=2 lives=1 turn=cathy left=3 last=bob:play-2:R1:scored before=d42"
        ],
        "dbce03c57e7134d8",
    ),
]


@pytest.mark.parametrize(("spec", "texts", "approved"), _APPROVED, ids=[spec for spec, _, _ in _APPROVED])
def test_pictures_and_their_areas_are_as_a_person_approved_them(spec, texts, approved):
    """Who changes a picture on purpose looks at it, and then puts its new digest here."""
    game = make_game(spec)
    positions = [game.from_text(text) for text in texts]
    shown = "".join(f"{p._repr_svg_()}{p.picture(0).svg()}{game.areas(p)}" for p in positions)
    assert hashlib.sha256(shown.encode()).hexdigest()[:16] == approved


@pytest.mark.parametrize("seat", [-1, 2, "x"])
def test_a_seat_that_does_not_exist(seat):
    with pytest.raises(ValueError, match=f"tictactoe: there is no seat {seat!r}; the seats are 0 to 1"):
        make_game("tictactoe").start().picture(seat)
