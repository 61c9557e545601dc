"""Temporal-difference learning: known budgets on tic-tac-toe, and larger boards."""

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.baselines.td import TD
from ludarium.envs.registry import make_game
from ludarium.evaluation.exact import measure


def learned(spec, games, **options):
    game = make_game(spec)
    config = TD(game=spec, games=games, **options)
    arrays = config.start(game)
    config.learn(game, arrays, 0, games)
    return game, config, arrays


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("games", "symmetry"), [(5_000, True), (30_000, False)])
def test_tictactoe_never_loses(games, symmetry, seed):
    game, config, arrays = learned("tictactoe", games, symmetry=symmetry, seed=seed)
    found = measure(game, config.policy(game, arrays))
    assert found.never_loses_first
    assert found.never_loses_second
    assert found.nash_conv == 0


def test_hexapawn_is_optimal_after_1000_games():
    game, config, arrays = learned("hexapawn", 1000)
    found = measure(game, config.policy(game, arrays))
    assert found.nash_conv == 0
    assert found.optimal_action_rate == 1


def test_larger_boards_beat_random(connect_four, play):
    for game, games in ((connect_four, 1500), (make_game("othello?size=6"), 500)):
        config = TD(game=game.spec, games=games, tuples=30)
        arrays = config.start(game)
        assert arrays["squares"].shape == (30, 6)
        assert arrays["weights"].shape == (30, 3**6)
        config.learn(game, arrays, 0, games)
        assert play(game, config.policy(game, arrays), random(game), 200).mean() > 0.5


def test_random_walks_stay_on_the_board_and_hang_together():
    squares = TD(game="othello", seed=1).start(make_game("othello"))["squares"]
    rows, columns = np.divmod(squares, 8)
    assert (squares >= 0).all()
    assert (squares < 64).all()
    for tuple_rows, tuple_columns in zip(rows, columns, strict=True):
        assert len(set(zip(tuple_rows.tolist(), tuple_columns.tolist(), strict=True))) == 6
        distances = np.maximum(abs(tuple_rows[:, None] - tuple_rows), abs(tuple_columns[:, None] - tuple_columns))
        assert (np.sort(distances, axis=1)[:, 1] == 1).all()  # each has a neighbour among the others


def test_results_do_not_depend_on_how_games_are_split():
    _, _, whole = learned("tictactoe", 1000)
    game, config = make_game("tictactoe"), TD(game="tictactoe", games=1000)
    parts = config.start(game)
    for first in range(0, 1000, 125):
        config.learn(game, parts, first, 125)
    assert (whole["weights"] == parts["weights"]).all()


@pytest.mark.parametrize("td_lambda", [0.0, 1.0])
def test_both_ends_of_lambda_learn(td_lambda):
    game, config, arrays = learned("hexapawn", 2000, td_lambda=td_lambda)
    assert measure(game, config.policy(game, arrays)).nash_conv == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "td: alpha must be a number above 0 and at most 10, not 0"),
        ({"td_lambda": -0.1}, "td: td_lambda must be a number from 0 to 1, not -0.1"),
        ({"tuples": 0}, "td: tuples must be an integer of at least 1, not 0"),
        ({"length": 2.5}, "td: length must be an integer of at least 1, not 2.5"),
        ({"game": "othello", "length": 16}, "td: 60 tuples of 16 squares are too large; lower tuples or length"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        TD(**{"game": "tictactoe"} | options)


def test_a_game_that_is_not_on_a_board(connect_four):
    game = type("Line", (type(connect_four),), {"observation_shape": (84,)})()
    with pytest.raises(ValueError, match=r"planes of 0 and 1 in the shape \(rows, columns, planes\), not \(84,\)"):
        TD(game="tictactoe").check(game)
