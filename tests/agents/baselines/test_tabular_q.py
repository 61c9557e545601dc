"""Tabular Q-learning: small games are solved within known budgets."""

from dataclasses import asdict

import numpy as np
import pytest

from ludarium.agents.baselines import tabular_q
from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.search.solver import solve
from ludarium.envs.chance import below, child_key, seed_key, uniform
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure


def learned(spec, games, **options):
    game = make_game(spec)
    config = TabularQ(game=spec, games=games, **options)
    arrays = config.start(game)
    config.learn(game, arrays, 0, games)
    return game, config, arrays


def test_defaults_and_bounds():
    assert asdict(TabularQ(game="tictactoe")) == {
        "game": "tictactoe", "seed": 0, "checkpoints": 10, "test_games": 400, "games": 10_000, "alpha": 1.0,
        "epsilon": 0.5, "epsilon_end": 0.5, "symmetry": True,
    }  # fmt: skip
    for option in ("alpha", "epsilon", "epsilon_end"):
        for value in (-0.1, 1.1):
            with pytest.raises(ValueError, match=f"tabular-q: {option} must be a number from 0 to 1, not {value}"):
                TabularQ(game="tictactoe", **{option: value})


@pytest.mark.parametrize("seed", range(3))
def test_hexapawn_is_optimal_after_1000_games(seed):
    game, config, arrays = learned("hexapawn", 1000, seed=seed)
    result = measure(game, config.policy(game, arrays))
    assert result.nash_conv == 0
    assert result.optimal_action_rate == 1


@pytest.mark.parametrize(("games", "symmetry"), [(10_000, True), (50_000, False)])
def test_tictactoe_is_optimal(games, symmetry):
    game, config, arrays = learned("tictactoe", games, symmetry=symmetry)
    result = measure(game, config.policy(game, arrays))
    assert result.nash_conv == 0
    assert result.optimal_action_rate == 1
    assert result.never_loses_first
    assert result.never_loses_second


def test_the_table_holds_the_values_of_the_solution():
    game, _, arrays = learned("hexapawn", 3000, alpha=0.5)
    solution = solve(game)
    values = arrays["values"][arrays["keys"] != 0]
    inner = [row for row, state in enumerate(solution.states) if row and solution.distances[row] > 0]
    assert len(values) == len(inner) == arrays["counts"][0]  # each position that is not the first or the last
    assert (np.sign(values) == np.sign(np.round(values))).all()
    assert (np.round(values) == 1).sum() == (solution.values[inner] == 1).sum()


@pytest.mark.parametrize(
    ("slots", "used", "fits"),
    [(4096, 0, True), (8192, 4095, True), (8192, 4096, False), (2048, 0, False), (6144, 0, False), (0, 0, False)],
)
def test_tables_that_may_be_read(slots, used, fits):
    """At least the first size, a power of two, and less than half full."""
    learner, game = TabularQ(game="hexapawn"), make_game("hexapawn")
    keys = (np.arange(slots) < used).astype(np.uint64)
    arrays = {"keys": keys, "values": np.zeros(slots), "counts": np.zeros(2, dtype=np.int64)}
    assert learner.fits(game, arrays) == fits
    assert not learner.fits(game, arrays | {"values": np.zeros(slots + 1)})


def test_symmetry_learns_more_from_the_same_games():
    entries = [learned("tictactoe", 200, symmetry=symmetry)[2]["counts"][0] for symmetry in (True, False)]
    assert entries[0] > 2 * entries[1]


def test_a_plugin_game_and_one_with_passes(connect_four, play):
    from ludarium.agents.baselines.random import random

    for game, games in ((connect_four, 3000), (make_game("othello?size=4"), 5000)):
        config = TabularQ(game=game.spec, games=games)
        arrays = config.start(game)
        decisions = config.learn(game, arrays, 0, games)
        assert 5 * games < decisions < game.max_moves * games
        assert play(game, config.policy(game, arrays), random(game), 200).mean() > 0.2


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_game_is_learned_from_in_all_its_images_or_as_it_is(symmetry, monkeypatch):
    mirrors, game = [], make_game("tictactoe")
    monkeypatch.setattr(tabular_q, "_learn", lambda *arguments: mirrors.append(arguments[6]) or arguments[3])
    config = TabularQ(game="tictactoe", symmetry=symmetry)
    config.learn(game, config.start(game), 0, 1)
    assert len(mirrors[0]) == (8 if symmetry else 1)
    assert mirrors[0][0].tolist() == list(range(9))


def test_epsilon_is_a_schedule():
    greedy, falling, fixed = (
        learned("tictactoe", 500, epsilon=epsilon, epsilon_end=end)[2]["counts"][0]
        for epsilon, end in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    )
    assert greedy + 100 < falling < fixed  # less chance, fewer positions


def learned_plainly(game, games, alpha, epsilon, epsilon_end):
    """The values for the first seat that Q-learning finds without symmetry, by position."""
    values, start = {}, game.start()
    for number in range(games):
        draws = np.array([child_key(seed_key(0, LEARNING), number), 0], dtype=np.uint64)
        share, position, turns = epsilon + (epsilon_end - epsilon) * number / games, start.copy(), []
        while not position.over:
            sign, worths, choice, ties = 1 - 2 * position.turn, {}, None, 0
            for action in position.legal_actions():
                after = position.copy()
                after.play(action)
                worths[action] = sign * (after.payoffs()[0] if after.over else values.get(after.data.tobytes(), 0))
                if choice is None or worths[action] > worths[choice]:
                    choice, ties = action, 1
                elif worths[action] == worths[choice]:
                    ties += 1
                    choice = action if below(draws, ties) == 0 else choice
            if uniform(draws) < share:
                choice = position.legal_actions()[below(draws, len(worths))]
            position.play(choice)
            turns.append((position.data.tobytes(), sign, max((worths[a] for a in worths if a != choice), default=-9)))
        value = position.payoffs()[0]
        for (data, _, _), (_, sign, best_other) in zip(turns[-2::-1], turns[:0:-1], strict=True):
            before = values.get(data, 0)
            value = before + alpha * (sign * max(best_other, sign * value) - before)
            values[data] = value
    return values


@pytest.mark.parametrize("spec", ["hexapawn", "tictactoe"])
def test_it_learns_what_plain_q_learning_learns_however_its_games_are_divided(spec):
    options = {"alpha": 0.5, "epsilon": 0.4, "epsilon_end": 0.1}
    game, config = make_game(spec), TabularQ(game=spec, games=40, symmetry=False, **options)
    arrays = config.start(game)
    for first, count in ((0, 15), (15, 25)):
        config.learn(game, arrays, first, count)
    values = sorted(learned_plainly(game, 40, **options).values())
    assert sorted(arrays["values"][arrays["keys"] != 0]) == pytest.approx(values)
    assert arrays["counts"][0] == len(values)
