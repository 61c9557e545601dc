"""Which way a network should change: the gradient, and what mutants of neurons say."""

from types import SimpleNamespace

import numpy as np
import pytest

from ludarium.agents.backgammon.network import ACTIVATIONS
from ludarium.agents.genetic.gengammon import lessons
from ludarium.agents.genetic.gengammon.examples import Room
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.agents.genetic.gengammon.neurons import POOL, Mutation, credit, leave_out

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
