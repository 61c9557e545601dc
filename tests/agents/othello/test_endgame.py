"""The endgame solver is exact: every result here was computed by other programs or proved elsewhere."""

import csv
import json

import numpy as np
import pytest

from ludarium.agents.othello.endgame.boards import ZERO
from ludarium.agents.othello.endgame.solver import new_scratch, new_table, solve, solve_endgame
from ludarium.agents.othello.endgame.stability import stable
from ludarium.envs.othello import Othello, notation
from ludarium.envs.tictactoe import TicTacToe

_TAKIZAWA = (
    "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1F7E2G3H4F1E1F2G1B1F8G8B3H3B2H5B7A3A4A1A2C1H2H1G2B8A8G7"
    "H8H7H6"
)
_FEINSTEIN = "d3c5d6e3f5f4e2d2c2e6e7g5c4c3g4g3f3c7b5d7b7b3c6b6f7f6b4b2g6g7f2g2"

# FFO endgame problems (Fédération Française d'Othello): position, score for the side to move, best move, and how many
# positions are visited: a table of positions, or an order of moves, that works no more costs positions.
_FFO = [
    ("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", 18, "g8", 53_323),
    ("-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X", 10, "a4", 22_735),
    ("----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X", 2, "d1", 103_306),
]


def play(game, moves):
    """The positions along a transcript with its passes left out."""
    position = game.start()
    for move in moves:
        if position.legal_actions() == [game.actions - 1]:
            position.play(game.actions - 1)
        yield position.copy()
        position.play(move)


@pytest.mark.parametrize(("text", "score", "best", "nodes"), _FFO)
def test_ffo(text, score, best, nodes):
    position = Othello(scoring="empties_to_winner").from_text(text)
    solution = solve(position)
    assert (solution.score, solution.nodes) == (score, nodes)
    assert position.game.action_to_str(position, solution.action) == best


def test_with_many_empty_squares_moves_are_sorted_by_a_look_two_plies_ahead():
    """The problems above have too few."""
    assert solve(Othello(size=6, scoring="discs").from_text("--O---XXOO----OO--O-OXXX-OOXX--OOOX- X")).nodes == 12_332


def test_ffo_of_the_shared_data(shared_data):
    game = Othello(scoring="empties_to_winner")
    problems = json.loads((shared_data / "othello" / "ffo_1_29.json").read_text())
    solved = 0
    for problem in problems:
        if problem["empties"] <= 18:
            position = game.from_text(problem["board"] + problem["side"])
            solution = solve(position)
            assert solution.score == problem["score"], problem
            assert game.action_to_str(position, solution.action) in problem["best"], problem
            solved += 1
    assert solved == 23


def test_endgames_of_the_shared_data(shared_data):
    """600 positions in both scorings, with the best moves; and who wins."""
    games = [Othello(scoring=scoring) for scoring in ("empties_to_winner", "discs", "wins")]
    with open(shared_data / "othello" / "endgames_exact_4_12_empties.csv") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        exact, discs = int(row["score_empties_to_winner"]), int(row["score_raw_disc_diff"])
        solutions = [solve(game.from_text(row["board"] + row["side"])) for game in games]
        assert [solution.score for solution in solutions] == [exact, discs, np.sign(exact)], row
        best = row["best_moves(empties_to_winner)"].replace("/", " ").split()
        assert notation.move_name(solutions[0].action, 8) in best, row
    assert len(rows) == 600


def test_the_end_of_perfect_games():
    """The value stays what it was proved to be: a draw on 8 × 8 (Takizawa 2023), 20–16 on 6 × 6 (Feinstein 1993)."""
    for position in list(play(Othello(scoring="discs"), notation.parse_transcript(_TAKIZAWA, 8)))[-15:]:
        assert solve(position).score == 0
    moves = [(square // 8 - 1) * 6 + square % 8 - 1 for square in notation.parse_transcript(_FEINSTEIN, 8)]
    for position in list(play(Othello(size=6, scoring="discs"), moves))[-16:]:
        assert solve(position).score == (-4 if position.turn == 0 else 4)


def test_best_play_keeps_the_score():
    """Playing the solver's moves out, passes included, ends with what it promised."""
    game, random = Othello(scoring="discs"), np.random.default_rng(8)
    passes = 0
    for _ in range(30):
        position = game.start()
        while not position.over and position.text.count("-") > 10:
            position.play(int(random.choice(position.legal_actions())))
        mover, promised = position.turn, solve(position).score
        while not position.over:
            action = solve(position).action
            passes += action == 64
            position.play(action)
        assert mover < 0 or position.payoffs()[mover] == promised
    assert passes > 0


def test_the_end_and_a_forced_pass():
    game = Othello(size=4, scoring="empties_to_winner")
    assert solve(game.from_text("XX-- XX-- ---- ---O O")) == (-14, -1, 1, True)
    solution = solve(game.from_text("XO-- ---- ---- ---- O"))
    assert (solution.score, solution.action) == (-16, 16)


def test_windows_and_earlier_searches():
    """Outside its window a search gives a bound; the table of an earlier search changes nothing."""
    position = Othello().from_text(_FFO[0][0])  # 18
    own, opponent = position.record.own, position.record.opponent
    scratch, table = new_scratch(8, True), new_table(10)
    for alpha, beta in [(-64, 64), (17, 19), (0, 10), (30, 40), (-64, 64)]:
        counts = []
        for _ in range(2):
            score = solve_endgame(own, opponent, alpha, beta, scratch[0], table)
            counts.append((score, scratch["nodes"][0], scratch["best_move"][0, 0]))
        assert counts[0] == counts[1]
        assert (score == 18) if alpha < 18 < beta else (beta <= score <= 18 if beta <= 18 else 18 <= score <= alpha)


def value_of(position):
    """The value for the side to move, by the definition."""
    if position.over:
        return int(position.payoffs()[position.record.seat])
    values = []
    for action in position.legal_actions():
        after = position.copy()
        after.push(action)
        values.append(-value_of(after))
    return max(values)


def random_position(game, random, empties):
    while True:
        position = game.start()
        while not position.over and position.text.count("-") > empties:
            position.push(int(random.choice(position.legal_actions())))
        if not position.over:
            return position


@pytest.mark.parametrize(("size", "empties", "positions"), [(4, 8, 12), (6, 8, 3), (8, 8, 1)])
@pytest.mark.parametrize("scoring", ["discs", "empties_to_winner"])
def test_bounds_never_cut_off_the_right_score(size, scoring, empties, positions):
    """Whatever the window: scores inside it are exact, and others are bounds on the right side."""
    game, random = Othello(size=size, scoring=scoring), np.random.default_rng(size)
    scratch, table = new_scratch(size, scoring == "empties_to_winner"), new_table(8)
    for _ in range(positions):
        position = random_position(game, random, empties)
        own, opponent, right = position.record.own, position.record.opponent, value_of(position)
        for alpha in {right - 1, right, *random.integers(-(size**2), size**2, 8).tolist()}:
            for beta in (alpha + 1, alpha + 7):
                score = solve_endgame(own, opponent, alpha, beta, scratch[0], table)
                if score <= alpha:
                    assert right <= score
                elif score >= beta:
                    assert right >= score
                else:
                    assert right == score


@pytest.mark.parametrize("size", [4, 6, 8])
def test_stable_discs_never_turn_over(size):
    game, random, scratch, stable_discs = Othello(size=size), np.random.default_rng(size), new_scratch(size, True), 0
    spread = [1 << 8 * row + column for row in range(size) for column in range(size)]

    def discs(position, colour):
        return sum(bit for bit, square in zip(spread, position.text.split()[0], strict=True) if square == colour)

    for _ in range(30):
        position = random_position(game, random, int(random.integers(1, size * size // 2)))
        empty = np.uint64(discs(position, "-"))
        colours = {colour: int(stable(scratch[0], np.uint64(discs(position, colour)), empty)) for colour in "XO"}
        stable_discs += sum(colours.values()).bit_count()
        while not position.over:
            position.push(int(random.choice(position.legal_actions())))
        for colour, kept in colours.items():
            assert kept & ~discs(position, colour) == 0
    assert stable_discs > 0
    full = scratch["board"][0]
    assert stable(scratch[0], full, ZERO) == full


def test_a_limit_of_nodes():
    position = Othello(scoring="empties_to_winner").from_text(_FFO[0][0])
    own, opponent = position.record.own, position.record.opponent
    scratch, table = new_scratch(8, True), new_table()
    for limit, finished in ((1, False), (1000, False), (10**9, True), (0, True)):
        scratch["limit"] = limit
        score = solve_endgame(own, opponent, -64, 64, scratch[0], table)
        assert scratch["finished"][0] == finished
        if finished:
            assert score == 18
        else:
            assert limit <= scratch["nodes"][0] < limit + 1000


def test_what_is_known_of_the_score_saves_time_and_changes_nothing():
    position = Othello(scoring="empties_to_winner").from_text(_FFO[0][0])
    whole = solve(position)
    for above, below in ((17, None), (None, 19), (17, 19)):
        solution = solve(position, above=above, below=below)
        assert (solution.score, solution.action) == (whole.score, whole.action)
        assert solution.nodes < whole.nodes
    assert solve(position, seconds=600.0) == whole


def test_a_limit_of_time():
    position = Othello(scoring="empties_to_winner").from_text(_FFO[0][0])
    solution = solve(position, seconds=1e-9)
    assert not solution.finished
    assert 10_000 <= solution.nodes < 11_000


def test_errors():
    with pytest.raises(ValueError, match="othello endgame: expected a position of othello, not of tictactoe"):
        solve(TicTacToe().start())
