"""The map that judges lists in games with more positions than the memory holds."""

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.genetic.gaia.games import field
from ludarium.agents.genetic.gaia.learner import Gaia
from ludarium.agents.genetic.gaia.map_experience import (
    LEAST_GAMES,
    Kept,
    breedings,
    judge_of,
    judged,
    learn,
    meet,
    no_map,
    weigh_moves,
)
from ludarium.agents.genetic.gaia.offspring import no_rules
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import agent_of_run
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

SMALL = {"game": "tictactoe", "population": 8, "games_per_pair": 10, "rules": 30, "memory": 64, "games": 10_000}
"""A memory that is full after the first generation."""


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


@pytest.fixture
def gaia():
    return Gaia.from_preset("modern", SMALL)


@pytest.fixture
def lived(game, serial):
    """A population after some generations, and their metrics."""

    def lived(parallel=serial, generations=3, **options):
        learner = Gaia.from_preset("modern", SMALL | options)
        arrays = learner.start(game)
        return arrays, [learner.generation(game, arrays, number, parallel) for number in range(generations)]

    return lived


def positions(game, *games):
    """The states after some moves, shape (n, bytes)."""
    found = []
    for actions in games:
        position = game.start()
        for action in actions:
            position.play(action)
        found.append(position.data.copy())
    return np.array(found)


def regrets_of(gaia, game, arrays, states):
    """The positions as rules see them, and the regrets of their moves."""
    senses, regrets = np.zeros((len(states), 8, 3), dtype=np.uint64), np.full((len(states), 9), np.nan)
    weigh_moves(field(game, True), judge_of(gaia, game, arrays), states, senses, regrets)
    return senses, regrets


def test_regrets_are_shares_of_the_worst_moves(gaia, game):
    """Even a map that knows nothing sees a move that wins."""
    senses, regrets = regrets_of(gaia, game, no_map(gaia, game), positions(game, (0, 3, 1, 4), ()))
    assert regrets[0, 2] == 0.0
    assert (regrets[0, 5:] == 1.0).all()
    assert np.isnan(regrets[0, [0, 1, 3, 4]]).all()
    assert (regrets[1] == 0.0).all()  # nothing is known about the first move
    assert senses[0, 0].tolist() == [0b11, 0b11000, 0b111100100]


def test_the_map_learns_and_its_games_are_counted(gaia, game, serial):
    arrays, counts = no_map(gaia, game), np.zeros(3, dtype=np.int64)
    assert learn(gaia, game, arrays, 1050, counts, serial) == 1000
    assert arrays["map_games"].tolist() == [2000]  # it had both seats
    assert 5000 < counts[0] < 9000
    assert 0.4 < counts[1] / counts[0] < 0.8
    opening = regrets_of(gaia, game, arrays, positions(game, (4,)))[1][0]
    assert np.nanmax(opening[[0, 2, 6, 8]]) < np.nanmin(opening[[1, 3, 5, 7]])  # an edge loses against the centre


def test_the_latest_positions_with_a_choice_are_kept(gaia, game):
    judge, seen = judge_of(gaia, game, no_map(gaia, game)), []
    for places in (4000, 100):
        kept = Kept(np.zeros((places, game.state.itemsize), dtype=np.uint8), np.zeros(1, dtype=np.int64))
        meet(field(game, True), judge, no_rules(1, 3)[0], 400, seed_key(1), kept, np.zeros(3, dtype=np.int64))
        seen.append((kept, int(kept.count[0])))
    (all_of_them, count), (latest, again) = seen
    assert count == again > 1000
    np.testing.assert_array_equal(
        np.roll(latest.states, -(count % 100), axis=0), all_of_them.states[count - 100 : count]
    )
    known = judged(gaia, game, judge, all_of_them)
    assert len(known.senses) <= count
    assert ((~np.isnan(known.regrets)).sum(axis=1) > 1).all()


def test_of_games_with_a_list_only_its_own_positions_are_kept(gaia, game):
    kept = Kept(np.zeros((9, game.state.itemsize), dtype=np.uint8), np.zeros(1, dtype=np.int64))
    judge, counts = judge_of(gaia, game, no_map(gaia, game)), np.zeros(3, dtype=np.int64)
    sizes = []
    for games in (1, 2):  # the first is the map's own
        kept.count[0] = 0
        meet(field(game, True), judge, no_rules(1, 3)[0], games, seed_key(3), kept, counts)
        sizes.append(int(kept.count[0]))
    assert sizes[0] >= 5
    assert 0 < sizes[1] - sizes[0] <= 5


def test_a_full_memory_hands_over_to_the_map(lived):
    arrays, metrics = lived()
    assert [line["games"] for line in metrics] == [metrics[0]["games"], 400, 400]  # a 25th of the games
    assert metrics[0]["games"] < 40  # it stops when the memory is full
    assert arrays["map_games"][0] == 2 * 600
    assert 30 < metrics[1]["positions"] <= 64
    assert metrics[2]["champion_rules"] > 1
    assert "map_keys" not in lived(windows=0)[0]
    assert all(line["games"] == 40 for line in lived(windows=0)[1])


def test_one_shot_goes_on_with_the_map(game, serial):
    learner = Gaia.from_preset("modern", SMALL | {"population": 1, "one_shot": True, "games": 1000, "rule_cost": 0.5})
    arrays = learner.start(game)
    told = learner.generation(game, arrays, 0, serial)
    assert 900 < told["games"] <= 1000
    assert arrays["map_games"][0] >= 1200
    assert told["champion_rules"] > 1


def test_a_population_of_one_has_as_many_children():
    for options in ({}, {"population": 1}, {"selection": "best-20"}):
        gaia = Gaia.from_preset("modern", {"game": "othello?size=6", **options})
        couples = {1: 1, 20: 16 if options else 10}[gaia.population]
        assert abs(breedings(gaia) * couples - 40) < couples


@pytest.mark.parametrize("options", [{"windows": 2}, {"rule_cost": 0.0}, {"seed": 1}])
def test_each_option_changes_what_is_learned(lived, options):
    assert lived()[0]["rules"].tobytes() != lived(**options)[0]["rules"].tobytes()


def test_any_order_and_any_interruption_come_to_the_same(game, gaia, lived, backwards):
    one, other = lived(generations=4)[0], lived(backwards)[0]
    other = {name: array.copy() for name, array in other.items()}
    assert gaia.fits(game, other)
    gaia.generation(game, other, 3, backwards)
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)


@pytest.mark.parametrize("damage", ["map_keys", "map_moves", "kept_count", "kept_states"])
def test_a_damaged_map_is_refused(game, gaia, lived, damage):
    arrays = lived()[0]
    assert gaia.fits(game, arrays)
    arrays[damage] = (
        arrays[damage][:0]
        if damage == "kept_states"
        else np.full_like(arrays[damage], -9 if "keys" not in damage else 1)
    )
    assert not gaia.fits(game, arrays)


def test_it_learns_a_game_too_large_for_its_memory(connect_four, play, tmp_path):
    options = {"game": connect_four.spec, "memory": 512, "games": 10 * LEAST_GAMES, "population": 8, "rules": 20}
    learner = Gaia.from_preset("modern", {**options, "checkpoints": 1})
    champion = agent_of_run(Gaia, connect_four, str(train(learner, tmp_path / "run")))
    assert play(connect_four, champion.policy, random(connect_four), 200).mean() > 0.4
