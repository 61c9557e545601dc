"""How the expert's networks for backgammon learn: the returns of games, and the slopes that both kinds of data give."""

import numpy as np
import pytest

from ludarium.agents.expert import NETWORKS, expert
from ludarium.agents.expert import backgammon_learning as learning
from ludarium.agents.expert.backgammon_games import look_ahead, play, start, weights
from ludarium.agents.expert.backgammon_learning import learn
from ludarium.agents.values.backgammon_player import judge_results
from ludarium.envs.backgammon.decision_files import shipped
from ludarium.envs.backgammon.decisions import is_race
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

GAME = make_game("backgammon")
UNITS = {"contact": 16, "race": 16}


@pytest.fixture(scope="module")
def known():
    return shipped().select(np.arange(20_000) < 40)


def played(known, *rates):
    """A few games of the shipped networks."""
    with np.load(NETWORKS) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    return play(GAME, arrays, known.positions, 4, seed_key(1), np.array(rates))


def test_returns_reach_from_the_end_to_the_start_and_stop_where_noise_has_chosen(known):
    rows, far = played(known, 1.0, 0.5, 0.0, 0.0)
    same, near = played(known, 0.0, 0.5, 0.0, 0.0)
    assert (rows == same).all()
    assert far.sum(axis=1) == pytest.approx(1, abs=1e-4)
    last = np.flatnonzero((rows[:-1, 0] > rows[1:, 0]) & (rows[1:, 0] == 0))  # a new game follows
    chain = far[: last[0] + 1] if len(last) else far
    backwards = chain[::-1].copy()
    backwards[1::2] = backwards[1::2, ::-1]
    assert backwards == pytest.approx(np.tile(backwards[0], (len(backwards), 1)))  # one end, seen by both sides
    assert np.abs(near - far).max() > 0.1
    _, cut = played(known, 1.0, 0.5, 1.0, 0.2)
    assert len(np.unique(cut.round(4), axis=0)) > 20


def test_looking_ahead_finds_what_the_player_finds_one_roll_ahead(known):
    player = expert(GAME, ply=1)
    some = known.select(np.arange(len(known)) < 3)
    values = judge_results(GAME, player, some.positions, some.dice, some.offsets)
    with np.load(NETWORKS) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    targets = look_ahead(GAME, arrays, some.results)
    assert targets @ np.array([-3, -2, -1, 1, 2, 3]) == pytest.approx(values, abs=1e-4)


def test_both_networks_learn_what_is_theirs(known):
    arrays = start(UNITS, 0)
    rows, targets = played(known, 0.9, 0.5, 0.5, 0.1)
    for part in ("contact", "race"):
        own = np.flatnonzero(is_race(rows) == (part == "race"))
        assert len(own)
        batches = np.tile(own[:60], (60, 1))
        nothing = np.zeros((60, 0), dtype=np.int64)
        errors = [learn(arrays, part, rows, targets, batches, known, nothing, 0.01, 0.0)[0] for _ in range(3)]
        assert errors[2] < 0.8 * errors[0]


def test_choices_become_likelier(known):
    arrays = start(UNITS, 0)
    rows, targets = np.zeros((1, 28), dtype=np.int8), np.zeros((1, 6), dtype=np.float32)
    batches, chosen = np.zeros((50, 0), dtype=np.int64), np.tile(np.arange(40), (50, 1))
    found = [learn(arrays, "contact", rows, targets, batches, known, chosen, 0.01, 1.0)[1] for _ in range(3)]
    assert found[2] > found[0] / 2


@pytest.mark.parametrize("kind", ["choices", "positions"])
def test_slopes_are_those_of_what_is_measured(known, kind):
    """Against differences: of the likelihood of choices, and of the cross-entropy by way of its derivative."""
    arrays = start(UNITS, 3)
    arrays["contact_output"] *= 4
    found = weights(arrays, "contact")
    given = known.positions, known.results, known.offsets, known.chosen
    rows = known.results[known.offsets[:-1]]
    targets = np.tile(np.array([0.1, 0.1, 0.2, 0.3, 0.2, 0.1], dtype=np.float32), (40, 1))
    some, most = np.arange(20), int(known.counts.max())

    def slopes():
        return tuple(np.zeros_like(array) for array in found[3:])

    def value():
        if kind == "choices":
            return learning._add_choices(found, given, some, most, np.float32(1.0), slopes()) / len(some)
        total = 0.0
        for row in rows[some]:
            one = np.zeros((1, 28), dtype=np.int8) + row
            bias = slopes()
            learning._add_positions(found, one, targets, np.zeros(1, dtype=np.int64), bias)
            outcomes = targets[0].astype(float) - bias[2]  # the slope of the bias is the target less the outcome
            total += float(targets[0] @ np.log(outcomes))
        return total / len(some)

    out = slopes()
    if kind == "choices":
        learning._add_choices(found, given, some, most, np.float32(1.0), out)
    else:
        learning._add_positions(found, rows, targets, some, out)
    draws = np.random.default_rng(1)
    for array, slope in zip(found[3:], out, strict=True):
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
