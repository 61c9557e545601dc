"""Tic-tac-toe and its relatives against OpenSpiel, a plain re-telling of the rules, and counts by another program."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.batch import random_games
from ludarium.envs.conformance import check_game
from ludarium.envs.options import IllegalAction
from ludarium.envs.tictactoe import TicTacToe


def after(position, action):
    position = position.copy()
    position.push(action)
    return position


@pytest.fixture(scope="module")
def plies():
    """For each number of moves, the positions with the number of ways to reach them."""
    layers = [Counter({TicTacToe().start(): 1})]
    while layers[-1]:
        following = Counter()
        for position, ways in layers[-1].items():
            for action in position.legal_actions():
                following[after(position, action)] += ways
        layers.append(following)
    return layers[:-1]


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
    game = TicTacToe()
    every = [position for layer in plies for position in layer]
    classes = Counter()
    for position in every:
        first = min(game.transform(position, k).text for k in range(8))
        classes[first] += 1
    assert len(classes) == 765
    assert sum(game.from_text(text).over for text in classes) == 138
    assert sum(position.over for position in every) == 958


def test_openspiel_replays_random_games():
    pyspiel = pytest.importorskip("pyspiel")
    theirs, game, rng = pyspiel.load_game("tic_tac_toe"), TicTacToe(), np.random.default_rng(3)
    for _ in range(2000):
        position, state = game.start(), theirs.new_initial_state()
        while not state.is_terminal():
            assert position.turn == state.current_player()
            assert position.legal_actions() == state.legal_actions()
            _, o, x = np.reshape(state.observation_tensor(0), (3, 3, 3))
            assert np.array_equal(np.moveaxis(position.observe(0), 2, 0), [x, o])
            assert np.array_equal(np.moveaxis(position.observe(1), 2, 0), [o, x])
            action = int(rng.choice(state.legal_actions()))
            position.play(action)
            state.apply_action(action)
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
    check_game(TicTacToe(rows=rows, columns=columns, line=line), games=20)


def test_random_games():
    payoffs, _ = random_games(TicTacToe(), 100_000, seed=8)
    assert np.mean(payoffs[:, 0] == 1) == pytest.approx(0.58492, abs=0.006)  # exact: .58492, .12698, .28810
    assert np.mean(payoffs[:, 0] == 0) == pytest.approx(0.12698, abs=0.005)


@given(st.lists(st.integers(0, 10**6), max_size=20), st.sampled_from([(3, 3), (3, 4), (4, 4), (2, 8)]))
@settings(max_examples=60, deadline=None)
def test_the_image_of_a_game_is_a_game(choices, size):
    game = TicTacToe(rows=size[0], columns=size[1])
    assert len({tuple(row) for row in game.symmetries}) == len(game.symmetries) == (8 if size[0] == size[1] else 4)
    position = game.start()
    images = [position] * len(game.symmetries)
    for choice in choices:
        if position.over:
            break
        actions = position.legal_actions()
        action = actions[choice % len(actions)]
        position = after(position, action)
        images = [after(image, row[action]) for image, row in zip(images, game.symmetries, strict=True)]
        assert [game.transform(position, k) for k in range(len(images))] == images
        assert len({tuple(image.payoffs()) for image in images}) == 1


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


def test_sizes_that_are_not_offered():
    with pytest.raises(ValueError, match="tictactoe: rows must be an integer from 1 to 8, not 9"):
        TicTacToe(rows=9)
    with pytest.raises(ValueError, match="tictactoe: line=4 does not fit on 3 rows and 2 columns"):
        TicTacToe(columns=2, line=4)


def test_illegal_moves():
    position = TicTacToe().from_text("x.o/.x./..o x")
    with pytest.raises(IllegalAction, match=r"tictactoe: action 0 \(a1\) is not legal for x; legal: b1 a2 c2 a3 b3"):
        position.play(0)
    with pytest.raises(IllegalAction, match="tictactoe: 'd4' is not a legal move; legal: b1 a2 c2 a3 b3"):
        position.game.str_to_action(position, "d4")


def test_the_picture_has_every_mark():
    game = TicTacToe()
    shapes = game.draw(game.from_text("x.o/.x./... o")).shapes
    kinds = Counter(kind for kind, _ in shapes)
    assert kinds["circle"] == 1
    assert kinds["line"] == 4 + 2 * 2  # the grid, and two strokes for each x
    assert kinds["text"] == 6
