"""What a network makes of experts' decisions: its inputs, the fitness functions, the gradient, and mutants' credits."""

import numpy as np
import pytest

from ludarium.agents.genetic.gengammon.examples import MOST_INPUTS, Examples, add_up, examples_of
from ludarium.agents.genetic.gengammon.fitness import Ranks, rank
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.agents.genetic.gengammon.neurons import POOL, credit
from ludarium.agents.values.backgammon_inputs import NAMES, inputs
from ludarium.agents.values.backgammon_network import ACTIVATIONS, network_of, see
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.registry import make_game


@pytest.fixture(scope="module")
def examples():
    """The first decisions of experts that come with the package."""
    known, count = examples_of("", False), 40
    end = known.offsets[count]
    return Examples(known.positions[:count], known.results[:end], known.offsets[: count + 1], known.chosen[:end])


def network(name="tesauro", units=5, activation="tanh", seed=1, size=0.2):
    draws = np.random.default_rng(seed)
    shapes = {"hidden": (inputs(name).number + 1, units), "output": (units + 1, 1)}
    arrays = {key: draws.normal(0, size, shape).astype(np.float32) for key, shape in shapes.items()}
    return network_of(inputs(name), arrays, ACTIVATIONS.index(activation))


def scratch():
    return np.zeros(2 * MOST_INPUTS, dtype=np.int64), np.zeros(2 * MOST_INPUTS, dtype=np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_a_network_sees_the_same_in_training_and_in_play(examples, name):
    of = network(name)
    position, seen = make_game("backgammon").start(), np.zeros(5, dtype=np.float32)
    sums = np.zeros((int(np.diff(examples.offsets).max()), 5), dtype=np.float32)
    for number in range(20):
        for row in range(add_up(examples, number, of, of.hidden, sums, *scratch())):
            set_up(position.record, examples.results[examples.offsets[number] + row])
            see(position.record, 0, of, seen)
            np.testing.assert_allclose(sums[row], seen, atol=1e-5)


def ranks(scores, choice):
    """What the fitness functions see of one decision."""
    better = sum(score > scores[choice] for score in scores)
    equal = sum(score == scores[choice] for score in scores) - 1
    fields = len(scores), 1 + better + equal / 2, scores[choice], max(scores), min(scores), 0
    return Ranks(*(np.array([field], dtype=float) for field in fields))


@pytest.mark.parametrize(("place", "v2"), [(1, 1.0), (2, 14 / 15), (3, 13 / 15), (16, 0.0)])
def test_v2_is_the_rank(place, v2):
    scores = [100.0 - i for i in range(16)]
    assert ranks(scores, place - 1).fitness("v2")[0] == pytest.approx(v2)


def test_v1_looks_at_scores_and_not_at_ranks():
    scores = [0.0, 990.0, *(991.0 + i / 2 for i in range(13)), 1000.0]
    assert ranks(scores, 1).fitness("v1")[0] == pytest.approx(0.99)
    assert ranks(scores, 1).fitness("v2")[0] == pytest.approx(1 / 15)


def test_v3_stays_within_the_step_of_its_rank_and_rises_towards_the_best():
    near = ranks([120.0, 119.0, 118.0, *([0.0] * 13)], 2).fitness("v3")[0]
    far = ranks([120.0, 119.0, 10.0, *([0.0] * 13)], 2).fitness("v3")[0]
    assert 13 / 15 < far < near < 14 / 15
    assert ranks([120.0, 119.0], 0).fitness("v3")[0] == 1


def test_v3_as_published_prefers_to_be_further_behind():
    near, far = ([120.0, 119.0, third, *([0.0] * 13)] for third in (118.0, 100.0))
    assert ranks(far, 2).fitness("v3-literal")[0] == pytest.approx(13 / 15 + 20 / (16 * 120))
    assert ranks(far, 2).fitness("v3-literal")[0] > ranks(near, 2).fitness("v3-literal")[0]


def test_v3_as_coded_cannot_tell_the_first_from_the_second():
    scores = [100.0 - i for i in range(16)]
    assert ranks(scores, 0).fitness("v3-coded")[0] == 1
    assert ranks(scores, 1).fitness("v3-coded")[0] == pytest.approx(14 / 15 + 1 / 16)


@pytest.mark.parametrize("name", ["v1", "v2"])
def test_a_network_that_cannot_tell_results_apart_is_worth_a_half(examples, name):
    every = np.arange(len(examples.positions))
    found = rank(examples, every, network(size=0.0))
    several = np.add.reduceat(examples.chosen, examples.offsets[:-1]) > 1
    np.testing.assert_allclose(found.fitness(name)[~several], 0.5)
    assert found.agreement == 0


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_is_that_of_the_likelihood(examples, activation):
    of, every = network(activation=activation), np.arange(len(examples.positions))
    out = np.zeros_like(of.hidden), np.zeros_like(of.output)
    total = add_gradient(examples, every, of, out)
    assert total == pytest.approx(rank(examples, every, of).likelihood.sum(), rel=1e-4)
    heaviest = np.unravel_index(np.abs(out[0]).argmax(), out[0].shape)
    for array, slopes, at in (
        (of.hidden, out[0], heaviest),
        (of.hidden, out[0], (196, 2)),
        (of.output, out[1], (3, 0)),
    ):
        weight, likelihoods = array[at], []
        for way in (-0.01, 0.01):
            array[at] = weight + np.float32(way)
            likelihoods.append(rank(examples, every, of).likelihood.sum())
        array[at] = weight
        assert slopes[at] == pytest.approx((likelihoods[1] - likelihoods[0]) / 0.02, rel=0.1, abs=0.05)


def credits_of(examples, of, lot=False, keys=150):
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    out, every = (np.zeros_like(of.hidden), np.zeros_like(of.output)), np.arange(len(examples.positions))
    for key in range(keys):
        credit(examples, every, of, pool, np.uint64(key), np.array([0.05, 0.05]), lot, out)
    return tuple(array / (2 * 0.05 * keys) for array in out)


def test_credits_estimate_the_gradient_and_chance_does_not(examples):
    of = network(activation="cubic")
    exact = np.zeros_like(of.hidden), np.zeros_like(of.output)
    add_gradient(examples, np.arange(len(examples.positions)), of, exact)
    for lot, low, high in ((False, 0.9, 1.0), (True, -0.4, 0.4)):
        for estimate, slope in zip(credits_of(examples, of, lot), exact, strict=True):
            cosine = (estimate * slope).sum() / np.linalg.norm(estimate) / np.linalg.norm(slope)
            assert low < cosine <= high or (lot and estimate.size < 10)


def test_genes_that_are_not_expressed_get_no_credit(examples):
    one = Examples(examples.positions[:1], examples.results, examples.offsets[:2], examples.chosen)
    credited = (credits_of(one, network(activation="cubic"), keys=3)[0] != 0).any(axis=1)
    sums = np.zeros((400, 1), dtype=np.float32)
    for row in range(196):
        unit = np.zeros((197, 1), dtype=np.float32)
        unit[row] = 1
        results = add_up(one, 0, network(), unit, sums, *scratch())
        assert credited[row] == sums[:results].any()
    assert credited[196]
