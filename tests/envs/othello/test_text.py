"""Othello as text and picture: moves, transcripts, boards, and what bad ones are told."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.options import IllegalAction
from ludarium.envs.othello import Othello, notation

_START = "---------------------------OX------XO--------------------------- X"


def error(text):
    return pytest.raises(ValueError, match="^" + re.escape("othello: " + text))


@pytest.mark.parametrize("size", [8, 6, 4])
def test_moves(size):
    for action in range(size * size + 1):
        name = notation.move_name(action, size)
        assert notation.parse_move(name, size) == notation.parse_move(f" {name.upper()} ", size) == action
    assert [notation.parse_move(text, size) for text in ("pa", "PS", "--", "Pass")] == [size * size] * 4


@pytest.mark.parametrize("text", ["", "a", "a0", "e5", "a5", "d44", "à1", "a²", "next"])
def test_what_is_no_move(text):
    with error(f"{text!r} is not a move; a move is a square from a1 to d4, or pass"):
        notation.parse_move(text, 4)


def test_moves_in_a_position():
    start = Othello().start()
    assert start.game.str_to_action(start, "F5") == 37
    for text, problem in (("i9", "not a move; .* or pass"), ("A1", "not a legal move"), ("pass", "not a legal move")):
        with pytest.raises(IllegalAction, match=f"othello: '{text}' is {problem}; legal: d3 c4 f5 e6"):
            start.game.str_to_action(start, text)


@given(st.lists(st.integers(0, 64)), st.sampled_from(["", " ", ", "]))
def test_transcripts(actions, between):
    written = between.join(notation.move_name(action, 8) for action in actions)
    assert notation.parse_transcript(written, 8) == actions
    squares = [action for action in actions if action != 64]
    assert notation.parse_transcript(notation.transcript(actions, 8), 8) == squares


@given(st.text())
def test_any_text_is_a_transcript_or_an_error(text):
    try:
        moves = notation.parse_transcript(text, 8)
    except ValueError as problem:
        assert "is not a move" in str(problem)  # noqa: PT017
    else:
        assert all(0 <= move <= 64 for move in moves)


@settings(deadline=None)  # the first call compiles
@given(st.sampled_from([8, 6, 4]), st.data())
def test_boards(size, data):
    game = Othello(size=size)
    cells = data.draw(st.lists(st.integers(0, 2), min_size=size * size, max_size=size * size))
    seat = data.draw(st.integers(0, 1))
    text = notation.board_text(cells, seat)
    assert notation.parse_board(text, size) == (cells, seat)
    assert game.from_text(text).text == text
    other = text.replace("X", "*").replace("O", "o").replace("-", ".")
    rows = "\n".join(other[i : i + size] for i in range(0, size * size, size)) + "\n" + other[-1]
    assert game.from_text(rows).text == text


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (lambda text: notation.parse_transcript(text, 8), "f5x1d6", "'x1' is not a move; "),
        (lambda text: notation.parse_transcript(text, 8), "f5?!d6", "'?!' is not a move; "),
        (lambda text: notation.parse_transcript(text, 8), "f5 d", "'d' is not a move; "),
        (Othello().from_text, _START[:-1], "a position is 64 squares and the side to move, 65 marks, not 64: "),
        (Othello().from_text, "Q" + _START[1:], "a square is X (black), O (white) or - (empty), not 'Q': "),
        (Othello().from_text, _START[:-3] + "X -", "a position ends with the side to move, X or O, not '-': "),
    ],
)
def test_errors(read, text, message):
    with error(message):
        read(text)


def test_the_board_for_a_terminal():
    game = Othello(size=4)
    assert str(game.start()).splitlines() == [
        "  a b c d",
        "1 . + . .",
        "2 + O X .",
        "3 . X O +",
        "4 . . + .",
        "black (X) 2, white (O) 2; black to move",
    ]
    assert str(game.from_text("XO-- ---- ---- ---- O")).endswith("black (X) 1, white (O) 1; white to move")
    assert str(game.from_text("X--- ---- ---- ---- O")).endswith("black (X) 1, white (O) 0")


def test_facts():
    game = Othello(size=4)
    facts = {"black": "2", "white": "1", "empty": "13"}
    assert game.facts(game.from_text("XXO- ---- ---- ---- O"), None) == facts


def test_the_picture():
    """Green felt, a dark and a light disc, a dot on a legal square and none beside it."""
    game = Othello(size=4)
    picture = game.draw(game.start()).rgb(height=242)  # one pixel a unit; squares of 50 from 28 on
    green, black, white = picture[60, 60], picture[103, 153], picture[103, 103]
    assert green[1] > max(green[0], green[2])
    assert black.max() < 50
    assert white.min() > 200
    assert (picture[53, 103] != green).any()
    assert (picture[53, 53] == green).all()
    assert game.draw(game.start()).svg().count("<circle") == 8
    assert Othello().draw(Othello().start()).svg().count("<circle") == 12
