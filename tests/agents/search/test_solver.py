"""The solver agrees with what is known about small games, and its policy plays by it."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.search.solver import LIMIT, Solution, after, perfect, solve
from ludarium.envs.batch import FINISHED, play_games
from ludarium.envs.chance import stream
from ludarium.envs.game import kernel
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.othello import Othello
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game
from ludarium.envs.tictactoe import TicTacToe


@pytest.fixture(scope="module")
def tictactoe() -> Solution:
    return solve(TicTacToe())


@pytest.fixture(scope="module")
def hexapawn() -> Solution:
    return solve(Hexapawn())


def positions(solution: Solution) -> list[Position]:
    size = solution.game.state.itemsize
    return [Position(solution.game, row.view(np.uint8)[:size].copy()) for row in solution.states]


def test_tictactoe_positions_and_values(tictactoe):
    assert len(tictactoe) == 5478
    values = Counter()
    for position in positions(tictactoe):
        if not position.over:
            values[int(tictactoe.value(position))] += 1
    # Counted by another program: X wins, O wins, draws among the 4,520 positions that are not finished.
    assert values == {1: 2310, -1: 1158, 0: 1052}


# Rows, columns: positions and winner (White first), counted and solved by another program.
HEXAPAWN = {
    (3, 3): (135, -1),
    (3, 4): (1128, 1),
    (3, 5): (8698, 1),
    (4, 3): (987, -1),
    (4, 4): (20286, 1),
    (4, 5): (359894, -1),
    (5, 3): (3708, 1),
    (5, 4): (118133, -1),
}
WINNERS = {(3, 6): -1, (3, 7): 1, (6, 3): -1, (6, 4): 1, (7, 3): 1, (8, 3): -1}


@pytest.mark.parametrize(("rows", "columns"), HEXAPAWN)
def test_hexapawn_positions_and_winner(rows, columns):
    solution = solve(Hexapawn(rows=rows, columns=columns))
    assert (len(solution), solution.values[0]) == HEXAPAWN[rows, columns]


@pytest.mark.parametrize(("rows", "columns"), WINNERS)
def test_hexapawn_winner(rows, columns):
    assert solve(Hexapawn(rows=rows, columns=columns)).values[0] == WINNERS[rows, columns]


@pytest.mark.parametrize(("scoring", "value"), [("wins", -1), ("discs", -8), ("empties_to_winner", -10)])
def test_othello_4x4_is_whites_by_11_to_3(scoring, value):
    assert solve(Othello(size=4, scoring=scoring)).values[0] == value


@pytest.mark.parametrize("name", ["tictactoe", "hexapawn"])
def test_values_and_distances_by_plain_recursion(name, request):
    solution = request.getfixturevalue(name)

    @cache
    def solved(position: Position) -> tuple[float, int]:
        if position.over:
            return float(position.payoffs()[0]), 0
        sign = 1 if position.turn == 0 else -1
        replies = [solved(after(position, action)) for action in position.legal_actions()]
        best = max(sign * value for value, _ in replies)
        lengths = [distance + 1 for value, distance in replies if sign * value == best]
        return sign * best, (min(lengths) if best > 0 else max(lengths))

    for position in positions(solution):
        value, distance = solved(position)
        assert solution.value(position) == value
        assert solution.value(position, seat=1) == -value
        if value:
            assert solution.distances[solution.row(position)] == distance


@pytest.mark.parametrize(
    "spec", ["hexapawn?rows=4&columns=5", "hexapawn?rows=5&columns=5", "tictactoe?rows=3&columns=4", "othello?size=6"]
)
def test_small_games_are_those_that_can_be_solved(spec):
    game = make_game(spec)
    if game.small:
        assert len(solve(game)) <= LIMIT == 1_000_000
    else:
        with pytest.raises(ValueError, match="has more than 1000000 positions"):
            solve(game)


def test_any_best_move_against_random_moves(tictactoe):
    # Exact chances (X wins, draws) when one side plays uniformly among its best moves and the other among all,
    # computed by another program.
    @cache
    def chances(position: Position, perfect_seat: int) -> tuple[float, float]:
        if position.over:
            winner = position.payoffs()[0]
            return float(winner == 1), float(winner == 0)
        seat = position.turn
        actions = tictactoe.optimal_actions(position) if seat == perfect_seat else position.legal_actions()
        replies = [chances(after(position, action), perfect_seat) for action in actions]
        return tuple(np.mean(replies, axis=0))

    start = tictactoe.game.start()
    assert chances(start, 0) == pytest.approx((0.9678112139917696, 0.03218878600823044), abs=1e-12)
    assert chances(start, 1) == pytest.approx((0.0, 0.22251616696061138), abs=1e-12)


@pytest.mark.parametrize(
    ("game", "best"),
    [(TicTacToe(), 0), (Hexapawn(), -1), (Hexapawn(rows=4, columns=4), 1), (Othello(size=4), -1)],
    ids=lambda value: str(value),
)
def test_the_perfect_player_keeps_the_value(game, best):
    players = [perfect(game), random(game)]
    seating = np.array([[0, 0], [0, 1], [1, 0]]).repeat(200, axis=0)
    keys = np.arange(600, dtype=np.uint64) + np.uint64(1)
    games = play_games(game, players, seating, keys, keys)
    assert (games.endings == FINISHED).all()
    assert (games.payoffs[:200, 0] == best).all()
    assert (games.payoffs[200:400, 0] >= best).all()
    assert (games.payoffs[400:, 1] >= -best).all()
    again = play_games(game, players, seating[::-1], keys[::-1].copy(), keys[::-1].copy())
    assert np.array_equal(again.payoffs[::-1], games.payoffs)


def choose(policy: Policy, position: Position, number: int) -> int:
    nothing = np.zeros(position.game.observation_size, dtype=np.int8)
    return policy.choose(position.game, position.data, nothing, position.action_mask(), stream(1, number))


def test_it_wins_quickly_and_loses_late(tictactoe, hexapawn):
    policy, lost = perfect(hexapawn.game), hexapawn.game.start()
    latest = {choose(policy, lost, number) for number in range(20)}
    assert [hexapawn.game.action_to_str(lost, action) for action in latest] == ["b1b2"]
    win_or_dawdle = tictactoe.game.from_text("xx./oo./x.o x")  # c1 wins at once; nothing else may be chosen
    policy = perfect(tictactoe.game)
    assert {choose(policy, win_or_dawdle, number) for number in range(20)} == {2}
    policy = perfect(hexapawn.game)
    for position in positions(hexapawn):
        if not position.over:
            row = hexapawn.row(after(position, choose(policy, position, 5)))
            assert hexapawn.distances[row] == hexapawn.distances[hexapawn.row(position)] - 1


def test_ties_are_as_likely(tictactoe):
    policy, start = perfect(tictactoe.game), tictactoe.game.start()
    counts = Counter(choose(policy, start, number) for number in range(9000))
    assert len(counts) == 9  # every first move draws
    assert max(abs(count - 1000) for count in counts.values()) < 150


def test_positions_it_does_not_know(tictactoe, hexapawn):
    three_rows = hexapawn.game.from_text("p.p/.../P.P w")  # no pawn was ever captured here
    with pytest.raises(ValueError, match=r"solver: hexapawn cannot reach the position p\.p/\.\.\./P\.P w"):
        hexapawn.row(three_rows)
    assert choose(perfect(hexapawn.game), three_rows, 1) in three_rows.legal_actions()
    with pytest.raises(ValueError, match="solver: this is the solution of tictactoe, not of hexapawn"):
        tictactoe.value(three_rows)


def test_too_many_positions():
    with pytest.raises(
        ValueError, match="solver: hexapawn has more than 134 positions; choose a smaller board or a hi"
    ):
        solve(Hexapawn(), limit=134)
    assert len(solve(Hexapawn(), limit=135)) == 135
    for limit in (0, -1, 10**10, 2**63):
        with pytest.raises(ValueError, match=f"solver: limit must be from 1 to 100,000,000, not {limit}"):
            perfect(Hexapawn(), limit=limit)


class Circle(TicTacToe):
    """Nobody ever takes a square."""

    name = "circle"

    @kernel
    def play(s, action):
        s.own, s.opponent, s.seat = s.opponent, s.own, 1 - s.seat
        return 0


def test_positions_that_repeat():
    with pytest.raises(ValueError, match="solver: circle cannot be solved; its positions can repeat"):
        solve(Circle())
