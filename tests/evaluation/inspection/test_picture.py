"""Rules and positions as a picture."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from inspect import signature as inspect_signature

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.rule_drawing import legend, rule_drawing
from ludarium.agents.genetic.gaia.rules import RULE
from ludarium.agents.genetic.ifthen.inspection import _entry
from ludarium.agents.learning.inspection import BLOCKS, Entry, Inspection
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.envs.tictactoe import TicTacToe
from ludarium.evaluation.inspection.inside import look_inside
from ludarium.evaluation.inspection.picture import inspection_picture

SVG = "{http://www.w3.org/2000/svg}"
OWN, OPPONENT, MARK = "#1f6f8b", "#c8654a", "#2a8f7a"


def drawn(inspection, top=9, by_use=False):
    """The picture's small boards, in order, and its own texts."""
    root = ElementTree.fromstring(inspection_picture(inspection, "a <title> & more", by_use, top))
    assert root.find(f"{SVG}title").text == "a <title> & more"
    assert root.get("width") == "420"
    return root.findall(f"{SVG}g"), [text.text for text in root.findall(f"{SVG}text")]


def count(board, tag, **attributes):
    return sum(all(shape.get(k) == v for k, v in attributes.items()) for shape in board.iter(SVG + tag))


def rule_of(senses, action):
    sets = [sum(1 << i for i, sense in enumerate(senses) if sense == kind) for kind in "PCV"]
    return np.array((*sets, 0.5, 0, action, 2), dtype=RULE)


def rules_found(senses, action, count=5):
    game = make_game("tictactoe")
    drawing = rule_drawing(game, board(game, False), rule_of(senses, action))
    facts = ["wins: completes the row a1 b1 c1", "fired 3 times, in 2 positions"]
    return Inspection("rules", "5 rules", [Entry("", drawing, "c1", "", facts, 3, 2, {})] * count, legend=legend())


def pairs_found(position, action):
    return Inspection("pairs", "1 pair", [_entry(position, action, None, 4, 2, BLOCKS)])


def marked(picture):
    """The corners of the frames in a board."""
    lines = [line for line in picture.iter(f"{SVG}line") if line.get("stroke") == MARK]
    return [[float(line.get(name)) for name in ("x1", "y1")] for line in lines]


def test_a_rule_shows_its_senses_and_the_square_it_plays():
    boards, texts = drawn(rules_found("PPVC*****", 2), top=4)
    key, *rules = boards
    assert len(rules) == 4
    for rule in rules:
        assert (count(rule, "circle", fill=OWN), count(rule, "circle", stroke=OPPONENT)) == (2, 1)
        (left, upper), *_, (_, lower) = marked(rule)
        assert 15 + 60 < left < 15 + 90
        assert 15 < upper < lower < 15 + 31
        assert [text.text for text in rule.iter(f"{SVG}text")] == ["a", "1", "b", "c", "2", "3"]
    assert count(key, "circle", fill=OWN) == count(key, "circle", stroke=OPPONENT) == 1
    assert texts[:7] == [
        "a <title> & more", "1. play c1", "wins: completes the", "row a1 b1 c1", "fired 3 times", "in 2 positions",
        "2. play c1",
    ]  # fmt: skip


def test_where_boards_and_lines_stand():
    """Three in a row, below the title and the legend; a row is as high as its board and its longest caption."""
    inspection = rules_found("PPVC*****", 2)
    first, second, third, fourth, _ = inspection.entries
    inspection = replace(inspection, entries=[first, replace(second, facts=[]), third, replace(fourth, facts=[])])
    text = inspection_picture(inspection, "title " * 12, False, 9)
    assert 'viewBox="0 0 420 433" width="420" height="433"' in text
    assert re.findall(r'<g transform="translate\(([^)]*)\) scale\(([^)]*)\)">', text) == [
        ("10.0 44.0", "1.0000"),
        *((place, "1.0467") for place in ("10.0 78.0", "154.0 78.0", "298.0 78.0", "10.0 284.5")),
    ]
    lines = re.findall(r'<text x="([^"]*)" y="([^"]*)" font-size="11" fill="#1c2126"( font-weight="bold")?>', text)
    below = [204.5, 219.0, 233.5, 248.0, 262.5]
    assert [(float(x), float(y), bool(bold)) for x, y, bold in lines] == [
        (10, 18, False), (10, 32.5, False), *((10, y, y == 204.5) for y in below), (154, 204.5, True),
        *((298, y, y == 204.5) for y in below), (10, 411, True),
    ]  # fmt: skip


@pytest.mark.parametrize(("seat", "row"), [(0, "1"), (1, "3")])
def test_a_rule_stands_as_the_game_draws_its_board(seat, row):
    """Black sees the board of hexapawn the other way round: its own first row is the third one."""
    game = make_game("hexapawn")
    drawing = rule_drawing(game, board(game, False), rule_of("P**V*****", 1), seat)
    names = {shape["text"]: (shape["x"], shape["y"]) for kind, shape in drawing.shapes if kind == "text"}
    assert sorted(names, key=lambda name: names[name][0])[-3:] == ["a", "b", "c"]
    assert sorted("123", key=lambda name: names[name][1]) == ["3", "2", "1"]
    (own,) = [shape for kind, shape in drawing.shapes if kind == "circle" and shape["fill"] == OWN]
    assert (own["x"], own["y"]) == (names["a"][0], names[row][1])


def test_a_board_without_names_has_none(connect_four_class):
    game = connect_four_class()
    rule = np.zeros(1, dtype=RULE)[0]
    drawing = rule_drawing(game, board(game, False), rule)
    assert [kind for kind, _ in drawing.shapes if kind == "text"] == []
    assert drawing.width == 7 * 30 + 2


@pytest.mark.parametrize(
    ("spec", "text", "move", "centres"),
    [
        ("tictactoe", "x../.o./..x o", "c1", [(176, 56)]),
        ("hexapawn", ".pp/p../PPP w", "b1xa2", [(116, 160), (56, 100)]),
        ("othello?size=4", "-----OX--XO----- X", "a2", [(53, 103)]),
        (
            "backgammon",
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6",
            "8/5 6/5",
            [(173, 397.5), (275, 397.5), *[(309, 397.5)] * 2],
        ),
    ],
)
def test_a_position_is_the_games_own_picture_with_the_move_marked(spec, text, move, centres):
    position = make_game(spec).from_text(text)
    boards, texts = drawn(pairs_found(position, position.game.str_to_action(position, move)))
    corners = np.array(marked(boards[0])).reshape(-1, 4, 2)
    assert sorted(map(tuple, corners.mean(axis=1).round(3).tolist())) == sorted(centres)
    own = ElementTree.fromstring(position.game.draw(position).svg())
    drawn_shapes = [ElementTree.tostring(shape) for shape in boards[0][0]]
    assert {ElementTree.tostring(shape) for shape in own} <= set(drawn_shapes)
    assert texts[1:] == [f"1. {move}", "blocks a threat", "used 2 times", "taught by 4 games"]


def test_nothing_is_marked_where_the_game_declares_no_areas():
    class Bare(TicTacToe):
        name = "bare"
        areas = Game.areas

    boards, texts = drawn(pairs_found(Bare().start(), 3))
    assert marked(boards[0]) == []
    assert texts[1] == "1. a2"


def test_the_key_stands_in_one_line():
    shapes = [(kind, shape["x"], shape["y"]) for kind, shape in legend().shapes if kind != "line"]
    assert shapes == [
        ("circle", 10, 13), ("text", 24, 13), ("circle", 62.8, 13), ("text", 76.8, 13), ("rect", 149.8, 8),
        ("text", 168.8, 13), ("circle", 218.8, 13), ("text", 232.8, 13), ("rect", 290.6, 4), ("text", 315.6, 13),
    ]  # fmt: skip
    assert (legend().width, legend().height) == (400, 26)


def test_the_most_used_come_first_and_keep_their_numbers():
    inspection = rules_found("PPVC*****", 2, 1)
    (one,) = inspection.entries
    more = replace(inspection, entries=[one, replace(one, used=9), replace(one, used=4)])
    numbers = [text.split(".")[0] for text in drawn(more, by_use=True)[1] if ". play" in text]
    assert numbers == ["2", "3", "1"]
    assert [text.split(".")[0] for text in drawn(more, 2)[1] if ". play" in text] == ["1", "2"]


def test_the_command_draws_what_it_shows(inspect, tactical_run, map_run, tmp_path):
    for run, top in ((tactical_run, 7), (map_run, 4)):
        file = tmp_path / f"{top}.svg"
        inspect(run, "--games", 20, "--top", top, "--svg", file)
        root = ElementTree.parse(file).getroot()
        numbers = [text.text.split(".")[0] for text in root.findall(f"{SVG}text[@font-weight]")]
        assert numbers == [str(number + 1) for number in range(top)]


def test_a_notebook_shows_what_the_command_prints_and_draws(inspect, tactical_run, tmp_path):
    file = tmp_path / "rules.svg"
    printed = inspect(tactical_run, "--games", 20, "--top", 3, "--svg", file)
    inside = look_inside(str(tactical_run), games=20, top=3)
    assert f"{inside}\n" == printed
    by_default = {name: given.default for name, given in inspect_signature(look_inside).parameters.items()}
    assert by_default | {"agent": ""} == {
        "agent": "", "game": "", "games": 1000, "seed": 0, "top": 10, "by_use": False, "positions": 200_000
    }  # fmt: skip
    assert inside._repr_svg_() == file.read_text()
    assert repr(inside) == f"<Inside gaia:{tactical_run}?member=0: tictactoe, weight 7.25>"
