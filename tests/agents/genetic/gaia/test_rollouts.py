"""Moves that are tried by playing on, and what a population learns by that."""

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.genetic.gaia.games import field
from ludarium.agents.genetic.gaia.learner import Gaia
from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.agents.genetic.gaia.rollouts import (
    Positions,
    evidence,
    find_positions,
    keep,
    no_trials,
    quick,
    tried,
    try_moves,
    try_positions,
)
from ludarium.agents.learning.run import train
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

SMALL = {"game": "tictactoe", "population": 8, "games_per_pair": 10, "rules": 30, "memory": 64, "games": 10_000}


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


def nothing(players=2):
    """Players without a rule: they play at random."""
    population = np.zeros((players, 3), dtype=RULE)
    population["action"] = -1
    return population


@pytest.fixture
def found(game, serial):
    """Positions of games at random, what their moves are worth, the number of games, and counts."""

    def found(budget, parallel=serial, tries=3):
        counts, states = np.zeros(3, dtype=np.int64), np.zeros((budget, game.state.itemsize), dtype=np.uint8)
        number, games = find_positions(field(game, True), nothing(), 0.5, tries, budget, seed_key(1), states, counts)
        gaia = Gaia.from_preset("modern", SMALL | {"tries": tries})
        worths = try_positions(gaia, game, nothing()[0], states[:number], 0.1, seed_key(2), counts, parallel)
        return states[:number], worths, games, counts

    return found


@pytest.fixture
def lived(game, serial):
    """A population after some generations with a memory that is full after the first, and their metrics."""

    def lived(parallel=serial, generations=3, **options):
        learner = Gaia.from_preset("modern", SMALL | options)
        arrays = learner.start(game)
        return arrays, [learner.generation(game, arrays, number, parallel) for number in range(generations)]

    return lived


def test_a_winning_move_is_worth_a_game(game):
    position = game.start()
    for action in (0, 3, 1, 4):
        position.play(action)
    tried_here = Positions(
        np.zeros(1, dtype=np.int64), position.data[None], np.zeros((1, 9)), np.zeros(3, dtype=np.int64)
    )
    try_moves(field(game, False), nothing()[0], 200, 0.1, seed_key(1), tried_here)
    worths, counts = tried_here.worths[0], tried_here.counts
    assert np.isnan(worths[[0, 1, 3, 4]]).all()
    assert worths[2] == 1.0
    assert (worths[[6, 7, 8]] < worths[5]).all()  # the others leave the opponent a line to win
    assert counts[0] > 0


def test_playouts_explore(game):
    """Where the champion would miss the winning move, a random one may find it."""
    rules, position = nothing()[0], game.start()
    rules["action"][0] = 8
    for action in (0, 3, 1, 4):
        position.play(action)
    worths = []
    for explore in (0.0, 1.0):
        part = Positions(np.zeros(1, np.int64), position.data[None], np.zeros((1, 9)), np.zeros(3, np.int64))
        try_moves(field(game, False), rules, 200, explore, seed_key(1), part)
        worths.append(part.worths[0])
        assert (part.counts[1] == 0) == (explore == 1.0)
    assert worths[0][6] != worths[1][6]


def test_every_game_is_counted(found):
    states, worths, games, counts = found(300)
    legal = (~np.isnan(worths)).sum(axis=1)
    assert games <= 300
    assert games - len(states) - 3 * legal.sum() in (0, 1)  # for the last game there may be no room to try its moves
    assert (legal > 1).all()
    assert counts[0] > games
    assert (np.nan_to_num(abs(worths)) <= 1).all()


def test_where_there_is_no_room_for_one_position_a_game_is_counted(found):
    states, worths, games, _ = found(3)
    assert (len(states), len(worths), games) == (0, 0, 1)


def test_positions_may_be_tried_in_any_order(found, backwards):
    for one, other in zip(found(300), found(300, backwards), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_latest_trials_are_kept(game):
    trials = no_trials(game, 5)
    for first in (0, 3, 6):
        worths = np.full((3, 9), np.nan)
        worths[:, :2] = np.arange(first, first + 3)[:, None]
        keep(trials, np.zeros((3, game.state.itemsize), dtype=np.uint8), worths)
    assert trials["trial_count"].tolist() == [9]
    assert sorted(trials["trial_worths"][:, 0].tolist()) == [4, 5, 6, 7, 8]
    keep(trials, np.zeros((7, game.state.itemsize), dtype=np.uint8), np.arange(63.0).reshape(7, 9))
    assert sorted(trials["trial_worths"][:, 0].tolist()) == [18, 27, 36, 45, 54]


def test_regrets_are_against_the_mean_of_the_legal_moves(game, found):
    trials = no_trials(game, 100)
    keep(trials, *found(300)[:2])
    senses, regrets = tried(game, True, trials)
    assert len(senses) == len(regrets) == trials["trial_count"][0]
    np.testing.assert_allclose(np.nansum(regrets, axis=1), 0, atol=1e-9)
    taken = np.bitwise_count(senses[:, 0, 0] | senses[:, 0, 1])
    assert (taken == np.isnan(regrets).sum(axis=1)).all()


def test_what_is_remembered_counts_until_enough_was_tried(game, found, lived):
    """And so what a rule costs comes in gradually."""
    gaia = Gaia.from_preset("modern", SMALL | {"rule_cost": 2.0})
    arrays, _ = lived(generations=1)
    remembered = np.count_nonzero(arrays["memory_keys"])
    rows, costs = [], []
    for states, worths in [(arrays["trial_states"][:0], arrays["trial_worths"][:0]), *[found(300)[:2]] * 4]:
        keep(arrays, states, worths)
        known, count = evidence(gaia, game, arrays), int(arrays["trial_count"][0])
        np.testing.assert_allclose(np.nansum(known.regrets, axis=1), 0, atol=1e-9)
        assert (known.unmatched == 0).all()
        left = max(0, 1 - 8 * count / remembered)
        assert known.rule_cost == pytest.approx(2.0 - 1.99 * left)
        matter = np.nanmax(tried(game, True, arrays)[1], axis=1, initial=-9.0) > 0
        np.testing.assert_array_equal(known.regrets[: matter.sum()], tried(game, True, arrays)[1][matter])
        rows.append(len(known.senses) - int(matter.sum()))
        costs.append(known.rule_cost)
    assert 10 < rows[0] <= remembered
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] == 0
    assert costs[-1] == 2.0


def test_rules_survive_when_the_memory_is_full(serial, connect_four):
    """A few positions that were tried are not all that is known."""
    options = {"game": connect_four.spec, "memory": 1024, "games": 10_000, "population": 8, "rules": 40}
    learner = Gaia.from_preset("modern", options)
    arrays, told = learner.start(connect_four), []
    while int(arrays["trial_count"][0]) == 0:
        told.append(learner.generation(connect_four, arrays, len(told), serial))
    assert told[-1]["champion_rules"] > told[-2]["champion_rules"] / 2 > 5


def test_rules_are_put_in_the_order_in_which_they_fire():
    rules = np.zeros(4, dtype=RULE)
    rules["action"], rules["priority"], rules["weight"] = [0, 1, -1, 2], [0, 1, 3, 1], [9.0, -1.0, 0.0, 1.0]
    assert quick(rules)["action"].tolist() == [2, 1, 0]
    assert quick(rules[2:3])["action"].tolist() == [-1]


def test_moves_are_tried_when_the_memory_is_full(lived):
    arrays, metrics = lived()
    assert arrays["trial_count"][0] > 0
    assert metrics[0]["games"] == 40
    assert 100 < metrics[1]["games"] <= 200  # a fiftieth of the budget
    assert metrics[1]["positions"] < metrics[2]["positions"]
    assert all(line["games"] == 40 for line in lived(tries=0)[1])


@pytest.mark.parametrize("options", [{"tries": 2}, {"trials": 10}, {"rule_cost": 0.0}, {"seed": 1}])
def test_each_option_changes_what_is_learned(lived, options):
    assert lived()[0]["rules"].tobytes() != lived(**options)[0]["rules"].tobytes()


def test_any_order_and_any_interruption_come_to_the_same(game, lived, backwards):
    learner = Gaia.from_preset("modern", SMALL)
    one, other = lived(generations=4)[0], lived(backwards)[0]
    other = {name: array.copy() for name, array in other.items()}
    assert learner.fits(game, other)
    learner.generation(game, other, 3, backwards)
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_it_learns_a_game_too_large_for_its_memory(connect_four, play, tmp_path):
    options = {"game": connect_four.spec, "memory": 128, "games": 8_000, "checkpoints": 1, "population": 8, "rules": 20}
    champion = Gaia.agent(connect_four, str(train(Gaia.from_preset("modern", options), tmp_path / "run")))
    payoffs = play(connect_four, champion.policy, random(connect_four), 200)
    assert payoffs.mean() > 0.2
