"""Othello's rules: counts of positions, passes, endings, scores, and games solved or proved elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludarium.envs.conformance import check_game
from ludarium.envs.options import IllegalAction
from ludarium.envs.othello import Othello, notation, rules
from ludarium.envs.perft import perft

# Perfect play on 8 × 8, a draw (Takizawa 2023, arXiv 2310.19387).
_TAKIZAWA = (
    "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1F7E2G3H4F1E1F2G1B1F8G8B3H3B2H5B7A3A4A1A2C1H2H1G2B8A8G7"
    "H8H7H6"
)
# Perfect play on 6 × 6, white wins 20–16 (Feinstein 1993); written on the squares b2 to g7 of 8 × 8.
_FEINSTEIN = "d3c5d6e3f5f4e2d2c2e6e7g5c4c3g4g3f3c7b5d7b7b3c6b6f7f6b4b2g6g7f2g2"


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        # 8 × 8: Bik, "Perft for Reversi" (2009)
        (8, [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288]),
        (6, [4, 12, 56, 244, 1_364, 7_604, 47_740, 308_716, 2_114_912]),
        (4, [4, 12, 44, 128, 424, 1_256, 3_624, 9_116, 20_044, 36_540, 50_704, 57_436]),
    ],
)
def test_perft(size, counts):
    start = Othello(size=size).start()
    assert [perft(start, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(
    "options",
    [{}, {"size": 6, "scoring": "discs"}, {"size": 4, "start": "parallel", "scoring": "empties_to_winner"}],
)
def test_conformance(options):
    check_game(Othello(**options), games=20)


def play(game, moves):
    """Play a transcript with its passes left out; how many there were."""
    position, passes = game.start(), 0
    for move in moves:
        if position.legal_actions() == [game.actions - 1]:
            position.play(game.actions - 1)
            passes += 1
        position.play(move)
    return position, passes


def test_perfect_play_on_8x8_is_a_draw():
    game = Othello(scoring="discs")
    position, passes = play(game, notation.parse_transcript(_TAKIZAWA, 8))
    assert passes == 0
    assert position.over
    assert game.result_text(position) == "draw 32–32"
    assert position.payoffs().tolist() == [0, 0]


def test_perfect_play_on_6x6():
    game = Othello(size=6, scoring="discs")
    moves = [(square // 8 - 1) * 6 + square % 8 - 1 for square in notation.parse_transcript(_FEINSTEIN, 8)]
    position, passes = play(game, moves)
    assert passes == 1
    assert position.over
    assert game.result_text(position) == "white wins 20–16"
    assert position.payoffs().tolist() == [-4, 4]


def test_starts():
    assert Othello(size=4).start().text == "-----OX--XO----- X"
    assert Othello(size=4, start="parallel").start().text == "-----OO--XX----- X"
    assert Othello(start="parallel").start().legal_text() == "c3 d3 e3 f3"


def test_a_pass_is_forced_and_an_action_of_its_own():
    game = Othello(size=4)
    position = game.from_text("XO-- ---- ---- ---- O")
    assert position.legal_text() == "pass"
    position.play(16)
    assert position.turn == 0
    with pytest.raises(IllegalAction, match=r"othello: action 16 \(pass\) is not legal for black; legal: c1"):
        position.play(16)


@pytest.mark.parametrize(
    ("scoring", "payoffs", "result"),
    [
        ("wins", [1, -1], "black wins 4–1"),
        ("discs", [3, -3], "black wins 4–1"),
        ("empties_to_winner", [14, -14], "black wins 15–1"),
    ],
)
def test_scoring(scoring, payoffs, result):
    game = Othello(size=4, scoring=scoring)
    for side in "XO":
        position = game.from_text(f"XX-- XX-- ---- ---O {side}")
        assert position.payoffs().tolist() == payoffs
        assert game.result_text(position) == result
    swapped = game.from_text("OO-- OO-- ---- ---X X")
    assert swapped.payoffs().tolist() == payoffs[::-1]
    assert game.result_text(swapped) == result.replace("black", "white")
    draw = game.from_text("X--O ---- ---- ---- X")
    assert draw.payoffs().tolist() == [0, 0]
    assert game.result_text(draw) == "draw 1–1"


def test_facts():
    assert Othello().payoff_range == Othello(size=6).payoff_range == (-1, 1)
    assert Othello(size=6, scoring="discs").payoff_range == (-36, 36)
    assert (Othello().actions, Othello().max_moves, Othello().observation_shape) == (65, 128, (8, 8, 2))


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 2**64 - 1), st.data())
def test_bit_sets(number, data):
    squares = np.uint64(number)
    members = [square for square in range(64) if number >> square & 1]
    assert rules.popcount(squares) == len(members)
    if members:
        assert rules.first(squares) == members[0]
        n = data.draw(st.integers(0, len(members) - 1))
        assert rules.nth(squares, n) == members[n]


@settings(deadline=None)
@given(st.lists(st.sampled_from(" -XO"), min_size=64, max_size=64), st.sampled_from("XO"))
def test_moves_of_any_board(marks, side):
    """A slow walk along the eight directions, and the kernels, agree on boards that no game reaches."""
    cells = ["-" if mark == " " else mark for mark in marks]
    position = Othello().from_text("".join(cells) + side)
    moves = {square: slow_flips(cells, square, side) for square in range(64) if cells[square] == "-"}
    moves = {square: turned for square, turned in moves.items() if turned}
    if not moves:
        assert position.legal_actions() in ([], [64])
        return
    assert position.legal_actions() == sorted(moves)
    square, turned = next(iter(moves.items()))
    position.play(square)
    for changed in [square, *turned]:
        cells[changed] = side
    assert position.text[:64] == "".join(cells)


def slow_flips(cells, square, side):
    turned = []
    for down, across in [(d, a) for d in (-1, 0, 1) for a in (-1, 0, 1) if d or a]:
        row, column, run = square // 8 + down, square % 8 + across, []
        while 0 <= row < 8 and 0 <= column < 8 and cells[row * 8 + column] not in ("-", side):
            run.append(row * 8 + column)
            row, column = row + down, column + across
        if 0 <= row < 8 and 0 <= column < 8 and cells[row * 8 + column] == side:
            turned += run
    return turned


def test_where_only_wins_are_paid_a_sure_win_counts_as_all_squares():
    assert [Othello(size=size).as_value(payoff) for size, payoff in ((8, 1), (6, -0.5))] == [64, -18]
    assert Othello(scoring="discs").as_value(12) == 12
