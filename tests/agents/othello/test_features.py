"""The features of Othello against the same formulas, written down square by square."""

from itertools import product

import numpy as np
import pytest

from ludarium.agents.othello.features import _WPC_SQUARES, _WPC_WEIGHTS, EVALUATIONS
from ludarium.agents.search.evaluations import evaluations
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.othello import Othello

VALUES = [[20, -3, 11, 8], [-3, -7, -4, 1], [11, -4, 2, 2], [8, 1, 2, -3]]
LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]
AROUND = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]


class Board:
    """A position as one side sees it: `mine` and `other` are sets of (row, column)."""

    def __init__(self, position, seat):
        self.size = position.game.options["size"]
        marks = position.text[: self.size**2]
        squares = [divmod(square, self.size) for square in range(self.size**2)]
        self.mine = {square for square, mark in zip(squares, marks, strict=True) if mark == "XO"[seat]}
        self.other = {square for square, mark in zip(squares, marks, strict=True) if mark == "OX"[seat]}
        self.empty = set(squares) - self.mine - self.other
        self.corners = set(product((0, self.size - 1), repeat=2))

    def around(self, square):
        steps = [(square[0] + down, square[1] + right) for down, right in AROUND]
        return [step for step in steps if min(step) >= 0 and max(step) < self.size]

    def moves(self, mine, other):
        def turns(square, down, right):
            row, column, count = square[0] + down, square[1] + right, 0
            while (row, column) in other:
                row, column, count = row + down, column + right, count + 1
            return count > 0 and (row, column) in mine

        return sum(any(turns(square, *step) for step in AROUND) for square in self.empty)

    def frontier(self, discs):
        return sum(any(near in self.empty for near in self.around(disc)) for disc in discs)

    def potential(self, discs):
        """Empty squares next to any of these discs."""
        return sum(any(near in discs for near in self.around(square)) for square in self.empty)

    def places(self, discs):
        last = self.size - 1
        return sum(VALUES[min(row, last - row)][min(column, last - column)] for row, column in discs)

    def beside_empty_corners(self, discs, diagonally=None):
        count = 0
        for corner in self.corners & self.empty:
            for near in self.around(corner):
                is_diagonal = near[0] != corner[0] and near[1] != corner[1]
                count += near in discs and diagonally in (None, is_diagonal)
        return count

    def stable(self, discs):
        """Discs that are held along all four lines, by the edge or by a disc that is already known to be stable."""
        safe = set()
        while True:
            more = {disc for disc in discs - safe if all(self._held(disc, step, safe) for step in LINES)}
            if not more:
                return safe
            safe |= more

    def _held(self, disc, step, safe):
        for sign in (1, -1):
            near = disc[0] + sign * step[0], disc[1] + sign * step[1]
            if near in safe or min(near) < 0 or max(near) >= self.size:
                return True
        return False


def published(a, b):
    """A share in percent: of the greater number, negative if that is the other side's."""
    if a > b:
        return 100 * a / (a + b)
    return -100 * b / (a + b) if a < b else 0.0


def share(a, b):
    return (a - b) / (a + b) if a + b else 0.0


def six(board, weights, of):
    mine, other = board.mine, board.other
    left, corners, frontier, discs, places, moves = weights
    return (
        left * -12.5 * (board.beside_empty_corners(mine) - board.beside_empty_corners(other))
        + corners * 25 * (len(mine & board.corners) - len(other & board.corners))
        - frontier * of(board.frontier(mine), board.frontier(other))
        + discs * of(len(mine), len(other))
        + places * (board.places(mine) - board.places(other))
        + moves * of(board.moves(mine, other), board.moves(other, mine))
    )


def phases(board, weights):
    mine, other, squares = board.mine, board.other, board.size**2
    features = [
        share(board.moves(mine, other), board.moves(other, mine)),
        share(board.potential(other), board.potential(mine)),
        share(len(mine), len(other)),
        len(mine & board.corners) - len(other & board.corners),
        board.beside_empty_corners(mine, True) - board.beside_empty_corners(other, True),
        board.beside_empty_corners(mine, False) - board.beside_empty_corners(other, False),
        len(board.stable(mine)) - len(board.stable(other)),
        0.1 * (board.places(mine) - board.places(other)),
    ]
    filled = (squares - len(board.empty) - 4) / (squares - 4)
    now = [np.interp(filled, (0.0, 0.5, 1.0), three) for three in np.reshape(weights, (8, 3))]
    return float(np.dot(features, now))


@pytest.fixture(params=[4, 6, 8])
def games(request):
    """Random games on a board: the positions of each, in order."""
    game, draws, lines = Othello(size=request.param), np.random.default_rng(request.param), []
    for _ in range(3):
        position, line = game.start(), []
        while not position.over:
            line.append(position.copy())
            position.push(int(draws.choice(position.legal_actions())))
        lines.append([*line, position])
    return lines


def check(games, evaluation, expected):
    for line in games:
        for position in line:
            for seat in (0, 1):
                value = evaluation.value(position, seat)
                assert value == pytest.approx(expected(Board(position, seat)), abs=1e-9)
                assert value == -evaluation.value(position, 1 - seat)


@pytest.mark.parametrize(("name", "of"), [("six", published), ("shares", lambda a, b: 100 * share(a, b))])
def test_six_features_are_as_written_down(games, name, of):
    weights = np.array([382.026, 801.724, 74.396, 10.0, 10.0, 78.922])
    check(games, evaluations(games[0][0].game)[name], lambda board: six(board, weights, of))


@pytest.mark.parametrize("name", ["six", "shares"])
@pytest.mark.parametrize("number", range(6))
def test_each_weight_belongs_to_its_feature(name, number):
    """With one weight at a time, on a board where no feature is 0."""
    game = Othello()
    position = game.from_text("XX---O---XXOO-----OXOX----XXXOO---XOXX-----OOX---O----O--------- X")
    weights = np.eye(6)[number]
    of = published if name == "six" else lambda a, b: 100 * share(a, b)
    value = Evaluation(EVALUATIONS[name][0], weights).value(position, 0)
    assert value == pytest.approx(six(Board(position, 0), weights, of))
    assert value != 0


def test_the_weights_of_squares_are_those_of_the_standard_player():
    table = np.zeros(64)
    for weight, squares in zip(_WPC_WEIGHTS, _WPC_SQUARES[2], strict=True):
        table[[square for square in range(64) if int(squares) >> square & 1]] = weight
    quadrant = np.array([[100, -25, 10, 5], [-25, -25, 1, 1], [10, 1, 5, 2], [5, 1, 2, 1]])
    half = np.hstack([quadrant, quadrant[:, ::-1]])
    assert np.rint(100 * table).reshape(8, 8).tolist() == np.vstack([half, half[::-1]]).tolist()


def test_the_phases_are_as_written_down(games):
    weights = np.random.default_rng(1).normal(size=24)
    check(games, Evaluation(EVALUATIONS["phases"][0], weights), lambda board: phases(board, weights))


def test_a_stable_disc_is_never_turned_over(games):
    seen = 0
    for line in games:
        held = [set(), set()]
        for position in line:
            for seat in (0, 1):
                board = Board(position, seat)
                assert held[seat] <= board.mine
                held[seat] |= board.stable(board.mine)
        seen += len(held[0]) + len(held[1])
    assert seen > 10


def test_weights_of_phases_are_zero_until_they_are_evolved():
    game = Othello()
    assert not evaluations(game)["phases"].weights.any()
    assert evaluations(game)["phases"].names[:4] == (
        "moves, opening", "moves, middle", "moves, end", "potential moves, opening"
    )  # fmt: skip
