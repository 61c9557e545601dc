"""Rules as pictures: the symbols of the senses, and the squares that an action needs."""

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.rule_drawing import rule_drawing
from ludarium.envs.registry import make_game

OWN, OPPONENT, GREY, PAPER = "#1f6f8b", "#c8654a", "#66707a", "#fcfcfb"
PANEL, MARKED = "#f3f4f5", "#cfe6e0"


def test_each_sense_has_its_symbol_in_the_middle_of_its_square(rules):
    game = make_game("tictactoe")
    drawing = rule_drawing(game, board(game, False), rules(("PCV******", 2))[0])
    discs = [tuple(shape.values()) for kind, shape in drawing.shapes if kind == "circle"]
    dots = [(x, y, 1.6, GREY, None, 1) for y in (61, 91) for x in (31, 61, 91)]
    assert discs == [(31, 31, 9, OWN, None, 1), (61, 31, 7.5, PAPER, OPPONENT, 3.5), *dots]
    boxes = [tuple(shape.values()) for kind, shape in drawing.shapes if kind == "rect"]
    squares = [(x, y, 30, 30, PANEL, PAPER, 0) for y in (16, 46, 76) for x in (16, 46, 76)]
    squares[2] = (76, 16, 30, 30, MARKED, PAPER, 0)  # where it plays
    assert boxes == [*squares[:3], (86, 26, 10, 10, PAPER, GREY, 1.5), *squares[3:]]
    assert {shape["line"] for kind, shape in drawing.shapes if kind == "line"} == {2.5}
    assert {shape["size"] for kind, shape in drawing.shapes if kind == "text"} == {11}
    assert (drawing.width, drawing.height) == (107, 107)
