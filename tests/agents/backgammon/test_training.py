"""How the expert's networks for backgammon learn: the games they play, and the slopes that both kinds of data give."""

import itertools

import numpy as np
import pytest

from ludarium.agents.backgammon import training as learning
from ludarium.agents.backgammon.expectations import judge_results
from ludarium.agents.backgammon.teaching_games import play, start, weights
from ludarium.agents.backgammon.training import learn
from ludarium.agents.expert import NETWORKS, expert
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.backgammon.decisions import is_race, legal_results, other_side
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")
UNITS = {"contact": 16, "race": 16}


@pytest.fixture(scope="module")
def known():
    return shipped().select(np.arange(len(shipped())) < 40)


def played(known, *rates, count=4, seed=1):
    """Positions of a few games of the shipped networks."""
    with np.load(NETWORKS) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    return play(GAME, arrays, known.positions, count, seed_key(seed), np.array(rates))


def test_without_noise_games_follow_the_networks(known):
    rows, player = played(known, 0.0, 0.0, 0.0)[:12], expert(GAME)
    assert (played(known, 0.0, 0.0, 2.0)[:12] == rows).all()
    assert (played(known, 0.0, 1.0, 2.0)[:12] != rows).any()
    dice = np.array([(low, high) for low in range(1, 7) for high in range(low, 7)], dtype=np.int8)
    for before, after in zip(other_side(rows[:-1]), rows[1:], strict=True):
        positions = np.tile(before, (len(dice), 1))
        results, offsets = legal_results(positions, dice)
        values = judge_results(GAME, player, positions, dice, offsets)
        best = [first + values[first:end].argmax() for first, end in itertools.pairwise(offsets)]
        assert (results[best] == after).all(axis=1).any()


def test_the_first_weights_are_small_and_expect_what_is_usual():
    arrays = start(UNITS, 0)
    for part in ("contact", "race"):
        assert np.exp(arrays[f"{part}_bias"]) == pytest.approx([0.01, 0.13, 0.36, 0.36, 0.13, 0.01])
        for name, shape, spread in (("hidden", (221, 16), 0.1), ("output", (6, 16), 0.05)):
            weights = arrays[f"{part}_{name}"]
            assert weights.shape == shape
            assert (weights.mean(), weights.std()) == (pytest.approx(0, abs=spread / 4), pytest.approx(spread, rel=0.2))


def test_games_start_where_they_are_told(known):
    assert not (played(known, 0.0, 0.0, 0.0)[0] == played(known, 1.0, 0.0, 0.0)[0]).all()


def test_games_that_start_elsewhere_may_begin_with_a_double(known):
    one = known.select(np.arange(len(known)) == 0)
    firsts = {played(one, 1.0, 0.0, 0.0, count=1, seed=seed)[0].tobytes() for seed in range(40)}
    large = np.array([(die, die) for die in (4, 5, 6)], dtype=np.int8)  # no other roll moves as far
    assert firsts & {row.tobytes() for row in legal_results(np.tile(one.positions, (3, 1)), large)[0]}


def test_both_networks_learn_what_is_theirs(known):
    arrays = start(UNITS, 0)
    rows = played(known, 0.5, 0.5, 0.1)
    targets = np.random.default_rng(0).dirichlet(np.ones(6), len(rows)).astype(np.float32)
    for part in ("contact", "race"):
        own = np.flatnonzero(is_race(rows) == (part == "race"))
        assert len(own)
        batches = np.tile(own[:60], (60, 1))
        errors = [learn(arrays, part, rows, targets, batches, 0.01) for _ in range(3)]
        assert errors[2] < 0.8 * errors[0]


def test_errors_are_in_points(known):
    rows, batches = known.results[:1], np.zeros((1, 1), dtype=np.int64)
    errors = [
        learn(start(UNITS, 0), "contact", rows, certain, batches, 0.0)
        for certain in np.eye(6, dtype=np.float32)[:, None]
    ]
    value = errors[0] - 3  # since the first error is |-3 - value|
    assert abs(value) < 1
    assert errors == pytest.approx([abs(points - value) for points in (-3, -2, -1, 1, 2, 3)], abs=1e-5)


def test_slopes_are_those_of_what_is_measured(known):
    """Against differences of the cross-entropy."""
    arrays = start(UNITS, 3)
    arrays["contact_output"] *= 4
    network = weights(arrays, "contact")
    rows, some = known.results[known.offsets[:-1]], np.arange(20)
    targets = np.tile(np.array([0.1, 0.1, 0.2, 0.3, 0.2, 0.1], dtype=np.float32), (40, 1))

    def slopes():
        return tuple(np.zeros_like(array) for array in network[3:])

    def value():
        total = 0.0
        for number in some:
            out = slopes()
            learning._add_positions(network, rows, targets, np.array([number]), out)
            outcomes = targets[0].astype(float) - out[2]  # the slope of the bias is the target less the outcome
            total += float(targets[0] @ np.log(outcomes))
        return total / len(some)

    out = slopes()
    learning._add_positions(network, rows, targets, some, out)
    draws = np.random.default_rng(1)
    for array, slope in zip(network[3:], out, strict=True):
        direction = draws.normal(size=array.shape).astype(np.float32)
        before, step = array.copy(), np.float32(2e-3)
        array += step * direction
        above = value()
        array[:] = before - step * direction
        below = value()
        array[:] = before
        assert (above - below) / (2 * float(step)) == pytest.approx(
            float((slope * direction).sum()), rel=0.05, abs=0.02
        )
