"""Hexapawn against a plain re-telling of its rules, counts by another program, and its own text."""

from collections import Counter

import numpy as np
import pytest

from ludarium.envs.batch import random_games
from ludarium.envs.conformance import check_game
from ludarium.envs.hexapawn import Hexapawn

# Rows, columns: positions that can be reached, those up to the mirror, games White and Black win, and the number of
# ways to play 1, 2, 3, ... moves. Counted by another program; 134 games on 3 × 3 is also well known.
COUNTS = {
    (3, 3): (135, 71, 64, 70, [3, 10, 28, 56, 70, 64, 20]),
    (3, 4): (1128, 569, 2136, 1474, [4, 18, 76, 252, 660, 1232, 1624, 1328, 808]),
    (4, 3): (987, 507, 2894, 2128, [3, 9, 28, 88, 256, 650, 1418, 2502, 2916, 1832, 956, 104, 20]),
    (5, 3): (
        *(3708, 1891, 85242, 68370),
        [3, 9, 27, 82, 250, 752, 2156, 5606, 13270, 26938, 50128, 73314, 76474, 57134, 38502, 16260, 7672, 302, 26],
    ),
    (4, 4): (
        *(20286, 10173, 1391458, 938898),
        [
            *(4, 16, 66, 280, 1170, 4548, 16684, 53706, 155708, 369328, 719332, 1003978, 1072530),
            *(444560, 232788, 85436, 37838),
        ],
    ),
}


def mirror_image(text):
    board, _, side = text.partition(" ")
    return "/".join(row[::-1] for row in board.split("/")) + " " + side


@pytest.mark.parametrize(("rows", "columns"), COUNTS)
def test_counts(rows, columns, layers):
    game, wins = Hexapawn(rows=rows, columns=columns), Counter()
    positions, mirrored, white, black, perft = COUNTS[rows, columns]
    by_depth = layers(game)
    for position, ways in (item for layer in by_depth for item in layer.items()):
        wins[position.payoffs()[0]] += ways
    assert (wins[1], wins[-1]) == (white, black)
    assert [layer.total() for layer in by_depth[1:]] == perft
    assert len(perft) == game.max_moves  # the bound is reached on every board that was counted
    every = set().union(*by_depth)
    assert len(every) == positions
    if positions < 5000:
        assert len({min(p.text, mirror_image(p.text)) for p in every}) == mirrored


def plain_moves(pawns, side):
    """The moves on a dictionary of squares, as a child would explain them."""
    ahead = 1 if side == "white" else -1
    for (row, column), owner in pawns.items():
        if owner == side:
            if (row + ahead, column) not in pawns:
                yield (row, column), (row + ahead, column)
            for across in (-1, 1):
                if pawns.get((row + ahead, column + across), side) != side:
                    yield (row, column), (row + ahead, column + across)


def square_name(square):
    return "abcdefgh"[square[1]] + str(square[0] + 1)


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (3, 8), (8, 3), (5, 6), (8, 8)])
def test_the_plain_rules_agree(rows, columns):
    game, rng = Hexapawn(rows=rows, columns=columns), np.random.default_rng(rows * columns)
    for _ in range(60):
        position, side, other, winner = game.start(), "white", "black", None
        pawns = {(0, c): "white" for c in range(columns)} | {(rows - 1, c): "black" for c in range(columns)}
        while winner is None:
            assert game.seat_names[position.turn] == side
            names = {}
            for origin, target in plain_moves(pawns, side):
                names[square_name(origin) + "x" * (target in pawns) + square_name(target)] = (origin, target)
            assert {game.action_to_str(position, action) for action in position.legal_actions()} == set(names)
            name = rng.choice(sorted(names))
            position.play(game.str_to_action(position, name))
            origin, target = names[name]
            pawns[target] = pawns.pop(origin)
            if target[0] in (0, rows - 1) or not list(plain_moves(pawns, other)):
                winner = side
            side, other = other, side
        assert position.over
        assert position.payoffs().tolist() == ([1, -1] if winner == "white" else [-1, 1])
        assert game.result_text(position) == f"{winner} wins"
        assert position.legal_actions() == []


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 5), (8, 8)])
def test_it_keeps_the_contract(rows, columns):
    check_game(Hexapawn(rows=rows, columns=columns), games=20)


def test_random_games_of_3_by_3():
    payoffs, _ = random_games(Hexapawn(), 100_000, seed=2)
    assert np.mean(payoffs[:, 0] == 1) == pytest.approx(0.5995, abs=0.006)  # exactly 0.5995, by another program


def test_each_side_sees_its_pawns_move_up():
    game = Hexapawn()
    position = game.start()
    home, far = [[1, 0]] * 3, [[0, 1]] * 3
    for seat in (0, 1):
        seen = position.observe(seat)
        assert seen[0].tolist() == home
        assert seen[2].tolist() == far
    position.play(game.str_to_action(position, "a1a2"))
    assert position.observe(1)[1].tolist() == [[0, 1], [0, 0], [0, 0]]
    assert [game.action_to_str(position, action) for action in (4, 7, 3)] == ["b3b2", "c3c2", "b3xa2"]


def test_text_and_terminal():
    game = Hexapawn(rows=3, columns=4)
    assert game.start().text == "pppp/..../PPPP w"
    position = game.from_text("  p.pp/Pp../..PP   b ")
    assert position.text == "p.pp/Pp../..PP b"
    assert position.legal_text() == "c3c2 d3d2 b2b1 b2xc1"
    assert str(position) == " 3 p . p p\n 2 P p . .\n 1 . . P P\n   a b c d"
    assert game.result_text(position) == "not finished"


def test_a_finished_position_is_known_by_its_text():
    game = Hexapawn()
    for text, winner in {"P../..p/... b": 0, ".p./.P./... w": 1, "..p/.../p.. w": 1, ".../.PP/... b": 0}.items():
        position = game.from_text(text)
        assert position.over
        assert position.payoffs()[winner] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ppp/.../PPP", r"a position is like 'ppp/\.\.\./PPP w' \(rows, then w or b to move\), not 'ppp/\.\.\./PPP'"),
        ("ppp/.../PPP x", "a position is like"),
        ("ppp/PPP w", r"expected 3 rows of 3 marks from '\.Pp', not 'ppp/PPP w'"),
        ("ppp/..../PPP w", "expected 3 rows of 3 marks"),
        ("ppp/.q./PPP w", "expected 3 rows of 3 marks"),
        ("p.p/PP./PP. b", "white has 4 pawns, but at most 3 are possible: 'p.p/PP./PP. b'"),
        ("ppp/p../.PP w", "black has 4 pawns, but at most 3 are possible"),
        ("P../.../..p w", "white has reached the far row and cannot be to move: 'P../.../..p w'"),
        ("..p/.P./p.. b", "black has reached the far row and cannot be to move"),
    ],
)
def test_texts_that_are_no_position(text, message):
    with pytest.raises(ValueError, match=f"hexapawn: {message}"):
        Hexapawn().from_text(text)


def test_the_picture_has_every_pawn():
    game = Hexapawn(rows=4, columns=5)
    heads = [shape for kind, shape in game.draw(game.start()).shapes if kind == "circle"]
    assert len(heads) == 10
    assert {head["fill"] for head in heads if head["y"] < 100} == {"#2b2f36"}
