import numpy as np
import pytest

from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.greedy import greedy
from ludarium.agents.values.evaluations import WIN
from ludarium.envs.chance import stream
from ludarium.envs.hexapawn import Hexapawn
from ludarium.envs.othello import Othello
from ludarium.envs.tictactoe import TicTacToe


def value(position, seat):
    return evaluation_of(position.game).value(position, seat)


def choices(position, calls=50):
    policy, draws, mask = greedy(position.game), stream(2), position.action_mask()
    return {policy.choose(position.game, position.data, mask, mask, draws) for _ in range(calls)}


def test_othello_is_worth_the_standard_weighted_piece_counter():
    weights = np.array(
        [[1.00, -0.25, 0.10, 0.05], [-0.25, -0.25, 0.01, 0.01], [0.10, 0.01, 0.05, 0.02], [0.05, 0.01, 0.02, 0.01]]
    )
    whole = np.block([[weights, weights[:, ::-1]], [weights[::-1], weights[::-1, ::-1]]])
    draws = np.random.default_rng(1)
    position = Othello().start()
    while not position.over:
        planes = position.observe(0)
        expected = ((planes[..., 0] - planes[..., 1]) * whole).sum()
        assert value(position, 0) == pytest.approx(expected)
        assert value(position, 1) == pytest.approx(-expected)
        position.play(draws.choice(position.legal_actions()))


@pytest.mark.parametrize("size", [4, 6])
def test_smaller_othello_boards_keep_the_weights_around_the_corners(size):
    position = Othello(size=size).start()
    record = position.record
    for square, weight in ((0, 1.0), (1, -0.25), (size + 1, -0.25), (size * size - 1, 1.0)):
        record.own, record.opponent = np.uint64(1) << np.uint64(square), np.uint64(0)
        assert value(position, 0) == pytest.approx(weight)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".../.../... x", 0),
        ("x../.../... o", -3),  # three open lines of one stone, for the side that is not to move
        ("x../.o./... x", 2 - 3),  # the long diagonal is open to nobody
        ("xx./.o./... o", 2 - (4 + 1)),
    ],
)
def test_tictactoe_is_worth_its_open_lines(text, expected):
    position = TicTacToe().from_text(text)
    assert value(position, "xo".index(text[-1])) == expected


def test_hexapawn_is_worth_material_advancement_and_mobility():
    game = Hexapawn()
    assert value(game.start(), 0) == 0
    assert value(game.from_text("ppp/P../.PP b"), 0) == 1 + 0.5 * (2 - 2)
    assert value(game.from_text("ppp/.../PP. w"), 0) == 2 * (2 - 3) + 0.5 * (2 - 3)
    assert value(game.from_text("p.p/p../.PP w"), 0) == 2 * (2 - 3) + (0 - 1) + 0.5 * (2 - 2)


@pytest.mark.parametrize("game", [TicTacToe(rows=4, columns=5, line=3), Hexapawn(rows=5, columns=4), Othello(size=6)])
def test_evaluations_change_sign_with_the_seat_and_stay_below_a_win(game, random_positions):
    for position in random_positions(game, 30, 6):
        assert value(position, 0) == -value(position, 1)
        assert abs(value(position, 0)) < WIN


def test_it_wins_when_it_can(connect_four):
    assert choices(TicTacToe().from_text("xx./oo./... x")) == {2}
    assert choices(TicTacToe().from_text("xx./oo./x.. o")) == {5}
    position = connect_four.start()
    for column in (3, 0, 3, 0, 3, 0):
        position.play(column)
    assert choices(position) == {3}


def test_ties_are_broken_at_random(connect_four):
    assert choices(connect_four.start(), 200) == set(range(7))
    assert choices(Othello().start()) == {19, 26, 37, 44}
    assert choices(TicTacToe().start()) == {4}


def test_backgammon_is_left_to_pubeval():
    backgammon = pytest.importorskip("ludarium.envs.backgammon")
    pubeval = pytest.importorskip("ludarium.agents.backgammon.pubeval")
    game = backgammon.Backgammon()
    assert greedy(game).function is pubeval.pubeval(game).function


def test_hanabi_is_left_to_the_rules_of_piers():
    from ludarium.agents.hanabi.players import rule_list
    from ludarium.envs.hanabi import Hanabi

    game = Hanabi()
    policy, piers = greedy(game), rule_list(game, name="piers", order="age")
    assert policy.function is piers.function
    assert policy.block.tobytes() == piers.block.tobytes()
    assert not policy.needs_state
