"""Rules and positions as a picture."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.maps import InspectedPair, MapInspection
from ludarium.evaluation.inspection.picture import inspection_picture
from ludarium.evaluation.inspection.rules import InspectedRule, Meaning, RuleInspection

SVG = "{http://www.w3.org/2000/svg}"
OWN, OPPONENT, MARK = "#1f6f8b", "#c8654a", "#2a8f7a"


def drawn(found, top=9):
    """The picture's small boards, in order, and its own texts."""
    root = ElementTree.fromstring(inspection_picture(found, "a <title> & more", top))
    assert root.find(f"{SVG}title").text == "a <title> & more"
    assert root.get("width") == "420"
    return root.findall(f"{SVG}g"), [text.text for text in root.findall(f"{SVG}text")]


def count(board, tag, **attributes):
    return sum(all(shape.get(k) == v for k, v in attributes.items()) for shape in board.iter(SVG + tag))


def rules_found(senses, action, text=""):
    game = make_game("tictactoe")
    sets = [sum(1 << i for i, sense in enumerate(senses) if sense == kind) for kind in "PCV"]
    rule = np.array((*sets, 0.5, 0, action, 2), dtype=RULE)
    one = InspectedRule(0, rule, 3, 2, Meaning("", text))
    return RuleInspection(game, board(game, False), [one] * 5, 10, 3, 0.0)


def pairs_found(position, action, **changed):
    pair = InspectedPair(position, action, None, 4, 2, "blocks")
    return MapInspection(position.game, [pair], 1, 0, 1, True, 10, 3)


def marked(picture):
    """The corners of the frames in a board."""
    lines = [line for line in picture.iter(f"{SVG}line") if line.get("stroke") == MARK]
    return [[float(line.get(name)) for name in ("x1", "y1")] for line in lines]


def test_a_rule_shows_its_senses_and_the_square_it_plays():
    boards, texts = drawn(rules_found("PPVC*****", 2, "wins: completes the row a1 b1 c1"), top=4)
    legend, *rules = boards
    assert len(rules) == 4
    for rule in rules:
        assert (count(rule, "circle", fill=OWN), count(rule, "circle", stroke=OPPONENT)) == (2, 1)
        (left, upper), *_, (_, lower) = marked(rule)
        assert 60 < left < 90
        assert 0 < upper < lower < 31
    assert count(legend, "circle", fill=OWN) == count(legend, "circle", stroke=OPPONENT) == 1
    assert texts[:7] == [
        "a <title> & more", "1. play c1", "wins: completes the", "row a1 b1 c1", "fired 3 times", "in 2 positions",
        "weight 0.5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "text", "move", "centres"),
    [
        ("tictactoe", "x../.o./..x o", "c1", [(176, 56)]),
        ("hexapawn", ".pp/p../PPP w", "b1xa2", [(116, 160), (56, 100)]),
        ("othello?size=4", "-----OX--XO----- X", "a2", [(53, 103)]),
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


def test_nothing_is_marked_where_squares_have_no_names_on_the_edge(connect_four_class):
    game = connect_four_class()
    boards, texts = drawn(pairs_found(game.start(), 3))
    assert marked(boards[0]) == []
    assert texts[1].startswith("1. ")


def test_the_command_draws_what_it_shows(inspect, tactical_run, map_run, tmp_path):
    for run, top in ((tactical_run, 7), (map_run, 4)):
        file = tmp_path / f"{top}.svg"
        inspect(run, "--games", 20, "--top", top, "--svg", file)
        root = ElementTree.parse(file).getroot()
        numbers = [text.text.split(".")[0] for text in root.findall(f"{SVG}text[@font-weight]")]
        assert numbers == [str(number + 1) for number in range(top)]
