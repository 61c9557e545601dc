"""Tic-tac-toe and its relatives against OpenSpiel, a plain re-telling of the rules, and counts by another program."""

from collections import Counter

import numpy as np
import pytest

from ludarium.envs.batch import random_games
from ludarium.envs.conformance import check_game
from ludarium.envs.tictactoe import TicTacToe


@pytest.fixture(scope="module")
def plies(layers):
    return layers(TicTacToe())


def test_positions_and_games(plies):
    assert [len(layer) for layer in plies] == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(len(layer) for layer in plies) == 5478
    assert [layer.total() for layer in plies[1:]] == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    games = Counter()
    for moves, layer in enumerate(plies):
        for position, ways in layer.items():
            if position.over:
                games[moves, int(position.payoffs()[0])] += ways
    assert games == {(5, 1): 1440, (6, -1): 5328, (7, 1): 47952, (8, -1): 72576, (9, 1): 81792, (9, 0): 46080}
    assert games.total() == 255168


def test_765_positions_up_to_symmetry(plies):
    game, every, classes = TicTacToe(), [position for layer in plies for position in layer], {}
    for position in every:
        marks, _, side = position.text.replace("/", "").partition(" ")
        images = ("".join(marks[square] for square in image) for image in game.symmetries)
        classes[min(image + side for image in images)] = position.over
    assert (len(classes), sum(classes.values())) == (765, 138)
    assert sum(position.over for position in every) == 958


def test_openspiel_replays_random_games(beside_openspiel):
    game, peer = TicTacToe(), pytest.importorskip("pyspiel").load_game("tic_tac_toe")
    draws = np.random.default_rng(3)
    for _ in range(2000):
        for position, state in beside_openspiel(game, peer, draws):
            _, o, x = np.reshape(state.observation_tensor(0), (3, 3, 3))
            assert np.array_equal(np.moveaxis(position.observe(0), 2, 0), [x, o])
            assert np.array_equal(np.moveaxis(position.observe(1), 2, 0), [o, x])
        assert position.over
        assert position.payoffs().tolist() == state.returns()


def plain_winner(board, line):
    """The mark that has `line` in a row somewhere on a list of rows, or None."""
    rows, columns = len(board), len(board[0])
    for r in range(rows):
        for c in range(columns):
            for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(r + i * down, c + i * across) for i in range(line)]
                if all(0 <= y < rows and 0 <= x < columns for y, x in cells):
                    marks = {board[y][x] for y, x in cells}
                    if len(marks) == 1 and marks != {"."}:
                        return marks.pop()
    return None


SIZES = [(3, 3, 3), (1, 1, 1), (1, 8, 3), (8, 1, 4), (2, 5, 2), (4, 6, 4), (6, 4, 5), (8, 8, 5), (8, 8, 8), (5, 5, 3)]


@pytest.mark.parametrize(("rows", "columns", "line"), SIZES)
def test_the_plain_rules_agree(rows, columns, line):
    game, rng = TicTacToe(rows=rows, columns=columns, line=line), np.random.default_rng(rows + columns)
    for _ in range(20):
        position, board = game.start(), [["."] * columns for _ in range(rows)]
        moves = 0
        while plain_winner(board, line) is None and moves < rows * columns:
            assert position.turn == moves % 2
            free = [r * columns + c for r in range(rows) for c in range(columns) if board[r][c] == "."]
            assert position.legal_actions() == free
            action = int(rng.choice(free))
            position.play(action)
            board[action // columns][action % columns] = "xo"[moves % 2]
            moves += 1
        assert position.over
        assert position.text == "/".join("".join(row) for row in board) + " " + "xo"[moves % 2]
        winner = plain_winner(board, line)
        assert position.payoffs().tolist() == {"x": [1, -1], "o": [-1, 1], None: [0, 0]}[winner]
        assert game.result_text(position) == (f"{winner} wins" if winner else "draw")


@pytest.mark.parametrize(("rows", "columns", "line"), [(3, 3, 3), (2, 7, 2), (8, 8, 5)])
def test_it_keeps_the_contract(rows, columns, line):
    check_game(TicTacToe(rows=rows, columns=columns, line=line), games=12)


def test_random_games():
    payoffs, _ = random_games(TicTacToe(), 100_000, seed=8)
    assert np.mean(payoffs[:, 0] == 1) == pytest.approx(0.58492, abs=0.006)  # exact: .58492, .12698, .28810
    assert np.mean(payoffs[:, 0] == 0) == pytest.approx(0.12698, abs=0.005)


def test_text_and_terminal():
    game = TicTacToe(rows=2, columns=3, line=2)
    position = game.from_text(" x.o/...  x ")
    assert position.text == "x.o/... x"
    assert position.legal_text() == "b1 a2 b2 c2"
    assert str(position) == "   a b c\n 1 x . o\n 2 . . ."
    assert game.result_text(position) == "not finished"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a position is like '\.\.\./\.\.\./\.\.\. x' \(rows, then x or o to move\), not ''"),
        ("x../.../... w", "a position is like"),
        ("x../... o", r"expected 3 rows of 3 marks from '\.xo', not 'x\.\./\.\.\. o'"),
        ("x.?/.../... o", "expected 3 rows of 3 marks"),
        ("x../..../.. o", "expected 3 rows of 3 marks"),
        ("x../.../... x", r"1 x and 0 o with x to move is impossible: 'x\.\./\.\.\./\.\.\. x'"),
        ("xxx/o../oo. x", "x has a line and is still to move: 'xxx/o../oo. x'"),
        ("ooo/xx./xx. o", "o has a line and is still to move"),
    ],
)
def test_texts_that_are_no_position(text, message):
    with pytest.raises(ValueError, match=f"tictactoe: {message}"):
        TicTacToe().from_text(text)


def test_a_line_that_does_not_fit():
    with pytest.raises(ValueError, match="tictactoe: line=4 does not fit on 3 rows and 2 columns"):
        TicTacToe(columns=2, line=4)


def test_the_picture_has_every_mark():
    game = TicTacToe()
    shapes = game.draw(game.from_text("x.o/.x./... o")).shapes
    kinds = Counter(kind for kind, _ in shapes)
    assert kinds["circle"] == 1
    assert kinds["line"] == 4 + 2 * 2  # the grid, and two strokes for each x
    assert kinds["text"] == 6
