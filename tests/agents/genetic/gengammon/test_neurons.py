"""Which way a network should change: the gradient, and what mutants of neurons say."""

from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.backgammon.network import ACTIVATIONS
from ludarium.agents.genetic.gengammon import lessons
from ludarium.agents.genetic.gengammon.examples import Room
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.agents.genetic.gengammon.neurons import POOL, Mutation, credit, exponential, leave_out, log_ratio

SIZE = np.float32(0.05)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_is_that_of_the_likelihood(examples, network, activation):
    of, every = network(activation=activation), np.arange(examples.number)
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


def credits_of(examples, of, by_chance=False, keys=150, pairs=2):
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    out, every = (np.zeros_like(of.hidden), np.zeros_like(of.output)), np.arange(examples.number)
    for key in range(keys):
        credit(examples, every, of, pool, Mutation(np.uint64(key), SIZE, SIZE, pairs, by_chance), out)
    return tuple(array / (2 * 0.05 * keys) for array in out)


def cosines(estimates, slopes):
    """The cosines of the angles between estimates and gradients, one for each array."""
    pairs = zip(estimates, slopes, strict=True)
    return [(one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other) for one, other in pairs]


def test_credits_estimate_the_gradient_and_chance_does_not(examples, network):
    of = network(activation="cubic")
    exact = np.zeros_like(of.hidden), np.zeros_like(of.output)
    add_gradient(examples, np.arange(examples.number), of, exact)
    assert min(cosines(credits_of(examples, of), exact)) > 0.9
    assert abs(cosines(credits_of(examples, of, by_chance=True), exact)[0]) < 0.4


def test_an_output_has_the_credit_of_one_mutant_of_its_unit(examples, network):
    """In a decision a unit has several, with a share of its genes each."""
    of = network(activation="cubic")
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    for number in range(20):
        out = np.zeros_like(of.hidden), np.zeros_like(of.output)
        credit(examples, np.array([number]), of, pool, Mutation(np.uint64(1), SIZE, SIZE, 3, False), out)
        for genes, output in zip(np.abs(out[0].T), np.abs(out[1].ravel()), strict=False):  # there is a bias, too
            assert output in genes


@pytest.mark.parametrize("pairs", [1, 2])
def test_a_credit_says_by_how_much_the_better_mutant_of_a_neuron_is_better(examples, network, check_credit, pairs):
    """Its signs say which one that is. With two pairs, the second has the genes that tell results apart."""
    of, changes = network(activation="cubic"), examples.changes
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    for number in range(4):
        some, out = np.array([number]), (np.zeros_like(of.hidden), np.zeros_like(of.output))
        credit(examples, some, of, pool, Mutation(np.uint64(1), SIZE, SIZE, pairs, False), out)
        rows = slice(*changes.ends[examples.offsets[number : number + 2]])
        second = np.isin(np.arange(197), changes.which[rows][changes.what[rows] != 0]) & (pairs == 2)
        check_credit(of, out, second, pairs, SIZE, lambda mutant, some=some: rank(examples, some, mutant).likelihood[0])


def test_credits_are_counted_as_slopes(examples, network):
    of, every = network(activation="cubic"), np.arange(examples.number)
    lesson, sums = SimpleNamespace(outcomes=False, examples=examples), np.zeros_like(of.hidden)
    for key in range(50):
        mutation = Mutation(np.uint64(key), SIZE, SIZE, 2, False)
        sums += lessons.credits_of(lessons.Asked(lesson, of, every, 5, mutation))[1][0]
    exact = np.zeros_like(of.hidden), np.zeros_like(of.output)
    add_gradient(examples, every, of, exact)
    assert (sums / 50 * exact[0]).sum() == pytest.approx((exact[0] ** 2).sum(), rel=0.3)


def test_more_mutants_tell_more(examples, network):
    of = network(activation="cubic")
    exact = np.zeros_like(of.hidden), np.zeros_like(of.output)
    add_gradient(examples, np.arange(examples.number), of, exact)
    one, two, eight = (cosines(credits_of(examples, of, keys=3, pairs=pairs), exact)[0] for pairs in (1, 2, 8))
    assert one < two < eight


def test_results_that_are_out_of_question_are_left_out():
    scores, right = [1.0, 0.5, 1e-4, 1e-5], np.array([False, False, False, True])
    block = np.arange(8, dtype=np.float32).reshape(4, 2)
    room = Room(block[:1], block, block + 1, np.array(scores, dtype=np.float32), np.arange(4))
    chosen = np.zeros(4, dtype=np.bool_)
    assert leave_out(room, right, chosen) == 3
    assert room.lines[:3].tolist() == [0, 1, 3]
    assert chosen[:3].tolist() == [False, False, True]
    assert room.sums[2].tolist() == [6, 7]


def test_genes_that_are_not_expressed_get_no_credit(examples, network, sums_of):
    one = examples._replace(offsets=examples.offsets[:2])
    credited = (credits_of(one, network(activation="cubic"), keys=3)[0] != 0).any(axis=1)
    for row in range(196):
        unit = np.zeros((197, 1), dtype=np.float32)
        unit[row] = 1
        assert credited[row] == sums_of(one, 0, unit).any()
    assert credited[196]


def test_the_quick_exponential_is_close_and_does_not_grow_again_far_below_0():
    """It is the eighth power of the Taylor polynomial of degree two for an eighth of the exponent."""
    for x in np.linspace(-2, 2, 41).astype(np.float32):
        eighth = float(x) / 8
        assert exponential(x) == pytest.approx((1 + eighth + eighth**2 / 2) ** 8, rel=1e-6)
        assert abs(x) > 1 or exponential(x) == pytest.approx(np.exp(x), rel=0.003)
    assert exponential(np.float32(-8)) == exponential(np.float32(-50)) == pytest.approx(0.5**8)


def test_the_quick_logarithm_is_the_series_of_the_area_hyperbolic_tangent():
    for one, other in ((1.0, 1.0), (1.1, 1.0), (1.0, 3.0), (5.0, 1.0)):
        x = (one - other) / (one + other)
        series = 2 * sum(x**n / n for n in (1, 3, 5, 7))
        assert log_ratio(np.float32(one), np.float32(other)) == pytest.approx(series, rel=1e-6)
    assert log_ratio(np.float32(1.1), np.float32(1)) == pytest.approx(np.log(1.1), rel=1e-6)
    assert log_ratio(np.float32(0), np.float32(0)) == 0
