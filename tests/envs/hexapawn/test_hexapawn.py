"""Hexapawn against a plain re-telling of its rules, counts by another program, and its own text."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.batch import random_games
from ludarium.envs.conformance import check_game
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.options import IllegalAction

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


def after(position, action):
    position = position.copy()
    position.push(action)
    return position


@pytest.mark.parametrize(("rows", "columns"), COUNTS)
def test_counts(rows, columns):
    game = Hexapawn(rows=rows, columns=columns)
    positions, mirrored, white, black, perft = COUNTS[rows, columns]
    layer, seen, wins, ways = Counter({game.start(): 1}), {game.start()}, Counter(), []
    while layer:
        following = Counter()
        for position, number in layer.items():
            if position.over:
                wins[position.payoffs()[0]] += number
            for action in position.legal_actions():
                following[after(position, action)] += number
        seen.update(following)
        ways.append(following.total())
        layer = following
    assert len(seen) == positions
    assert (wins[1], wins[-1]) == (white, black)
    assert ways == [*perft, 0]
    assert len(perft) == game.max_moves  # the bound is reached on every board that was counted
    if len(seen) < 5000:
        assert len({min(p.text, game.transform(p, 1).text) for p in seen}) == mirrored


class Plain:
    """Hexapawn on a dictionary of squares, as a child would explain it."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.side = rows, columns, "white"
        self.pawns = {(0, c): "white" for c in range(columns)} | {(rows - 1, c): "black" for c in range(columns)}

    def moves(self):
        ahead = 1 if self.side == "white" else -1
        found = []
        for (row, column), side in self.pawns.items():
            if side == self.side:
                if (row + ahead, column) not in self.pawns:
                    found.append(((row, column), (row + ahead, column)))
                for across in (-1, 1):
                    if self.pawns.get((row + ahead, column + across), side) != side:
                        found.append(((row, column), (row + ahead, column + across)))
        return found

    def play(self, origin, target):
        self.pawns[target] = self.pawns.pop(origin)
        self.side = "black" if self.side == "white" else "white"

    def winner(self):
        if any(side == "white" and row == self.rows - 1 for (row, _), side in self.pawns.items()):
            return "white"
        if any(side == "black" and row == 0 for (row, _), side in self.pawns.items()):
            return "black"
        if not self.moves():
            return "black" if self.side == "white" else "white"
        return None


def square_name(square):
    return "abcdefgh"[square[1]] + str(square[0] + 1)


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (3, 8), (8, 3), (5, 6), (8, 8)])
def test_the_plain_rules_agree(rows, columns):
    game, rng = Hexapawn(rows=rows, columns=columns), np.random.default_rng(rows * columns)
    for _ in range(60):
        position, plain = game.start(), Plain(rows, columns)
        while plain.winner() is None:
            assert game.seat_names[position.turn] == plain.side
            names = {}
            for origin, target in plain.moves():
                cross = "x" if target in plain.pawns else ""
                names[square_name(origin) + cross + square_name(target)] = (origin, target)
            assert {game.action_to_str(position, action) for action in position.legal_actions()} == set(names)
            name = rng.choice(sorted(names))
            position.play(game.str_to_action(position, name))
            plain.play(*names[name])
        assert position.over
        assert position.payoffs().tolist() == ([1, -1] if plain.winner() == "white" else [-1, 1])
        assert game.result_text(position) == f"{plain.winner()} wins"
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


@given(st.lists(st.integers(0, 10**6), max_size=30), st.sampled_from([(3, 3), (4, 6), (6, 4), (8, 8)]))
@settings(max_examples=60, deadline=None)
def test_the_mirror_image_of_a_game_is_a_game(choices, size):
    game = Hexapawn(rows=size[0], columns=size[1])
    mirror = game.symmetries[1]
    assert np.array_equal(mirror[mirror], game.symmetries[0])
    position = image = game.start()
    for choice in choices:
        if position.over:
            break
        actions = position.legal_actions()
        assert image.legal_actions() == sorted(mirror[actions].tolist())
        action = actions[choice % len(actions)]
        position, image = after(position, action), after(image, mirror[action])
        assert game.transform(position, 1) == image
        assert game.transform(position, 0) == position
        assert np.array_equal(image.observe(0), position.observe(0)[:, ::-1])


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


@pytest.mark.parametrize(("options", "message"), [({"rows": 2}, "rows"), ({"columns": 9}, "columns")])
def test_boards_that_are_not_offered(options, message):
    with pytest.raises(ValueError, match=f"hexapawn: {message} must be an integer from 3 to 8, not"):
        Hexapawn(**options)


def test_illegal_moves():
    game = Hexapawn()
    position = game.start()
    with pytest.raises(IllegalAction, match=r"action 5 \(b1xc2\) is not legal for white; legal: a1a2"):
        position.play(5)
    with pytest.raises(IllegalAction, match="'b1b3' is not a legal move; legal: a1a2 b1b2 c1c2"):
        game.str_to_action(position, "b1b3")


def test_the_picture_has_every_pawn():
    game = Hexapawn(rows=4, columns=5)
    heads = [shape for kind, shape in game.draw(game.start()).shapes if kind == "circle"]
    assert len(heads) == 10
    assert {head["fill"] for head in heads if head["y"] < 100} == {"#2b2f36"}
