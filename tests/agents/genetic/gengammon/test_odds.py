"""Positions with a judge's odds: what is learned of them, the gradient, and what mutants of neurons say."""

import numpy as np
import pytest

from ludarium.agents.backgammon.network import see
from ludarium.agents.genetic.gengammon import odds
from ludarium.agents.genetic.gengammon.examples import LEARNED, part_of
from ludarium.agents.genetic.gengammon.gradient import add_outcome_gradient
from ludarium.agents.genetic.gengammon.neurons import POOL, Mutation
from ludarium.agents.genetic.gengammon.odds import credit_outcomes, judged_of
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.registry import make_game

POINTS = np.array([-3, -2, -1, 1, 2, 3])


@pytest.fixture(scope="module")
def judged(odds_file):
    """Forty positions, with odds that are random."""
    odds = np.exp(np.random.default_rng(2).normal(0, 1, (40, 6)))
    return judged_of(odds_file, LEARNED, "threats")._replace(
        odds=(odds / odds.sum(axis=1, keepdims=True)).astype(np.float32)
    )


def gradient(judged, of):
    out = np.zeros_like(of.hidden), np.zeros_like(of.output)
    return add_outcome_gradient(judged, np.arange(judged.number), of, out), out


def test_good_results_are_learned_and_some_of_the_others(judged_decisions, odds_file, network):
    points = judged_decisions.odds.astype(float) @ POINTS
    best = np.repeat(np.maximum.reduceat(points, judged_decisions.offsets[:-1]), judged_decisions.counts)
    wanted = (points >= best - 0.15) | (np.arange(len(points)) % 8 == 0)
    judged = judged_of(odds_file, LEARNED, "threats")
    assert (judged.odds == judged_decisions.odds[wanted].astype(np.float32)).all()
    of, position, seen = network("threats"), make_game("backgammon").start(), np.zeros(5, dtype=np.float32)
    for number, result in enumerate(judged_decisions.results[wanted][:30]):
        set_up(position.record, result)
        see(position.record, 0, of, seen)
        some = slice(*judged.seen.ends[number : number + 2])
        sums = of.hidden[-1] + judged.seen.what[some] @ of.hidden[judged.seen.which[some]]
        np.testing.assert_allclose(sums, seen, atol=1e-5)


@pytest.mark.parametrize(("file", "named"), [("", "the built-in decisions"), ("mine.npz", "mine.npz")])
def test_decisions_without_odds_are_refused(file, named, few, monkeypatch):
    monkeypatch.setattr(odds, "part_of", lambda file, part, validation: part_of(few, part, validation))
    message = (
        f"^gengammon: output=outcomes needs a judge's odds, and there are none in {named}; make a file with "
        "'ludarium data --judge SPEC'$"
    )
    with pytest.raises(ValueError, match=message):
        judged_of(file, LEARNED, "threats")


def test_the_gradient_is_that_of_the_fitness(judged, network):
    of = network("threats", activation="cubic", outputs=6)
    _, out = gradient(judged, of)
    heaviest = np.unravel_index(np.abs(out[0]).argmax(), out[0].shape)
    for array, slopes, at in ((of.hidden, out[0], heaviest), (of.hidden, out[0], (-1, 2)), (of.output, out[1], (3, 1))):
        weight, totals = array[at], []
        for way in (-0.01, 0.01):
            array[at] = weight + np.float32(way)
            totals.append(gradient(judged, of)[0])
        array[at] = weight
        assert slopes[at] == pytest.approx((totals[1] - totals[0]) / 0.02, rel=0.1, abs=0.05)


@pytest.mark.parametrize("by_chance", [False, True])
def test_credits_estimate_the_gradient_and_chance_does_not(judged, network, by_chance):
    of = network("threats", activation="cubic", outputs=6)
    total, exact = gradient(judged, of)
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    out, size = (np.zeros_like(of.hidden), np.zeros_like(of.output)), np.float32(0.05)
    for key in range(200):
        mutation = Mutation(np.uint64(key), size, size, 8, by_chance)
        assert credit_outcomes(judged, np.arange(judged.number), of, pool, mutation, out) == pytest.approx(total)
    for estimate, slope in zip(out, exact, strict=True):
        some = slope[:-1] if len(slope) == 6 else slope  # the biases of the outputs get no credit
        one = estimate[: len(some)]
        cosine = (one * some).sum() / np.linalg.norm(one) / np.linalg.norm(some)
        assert cosine < 0.4 if by_chance else cosine > 0.9


@pytest.mark.parametrize("pairs", [1, 2])
def test_a_credit_says_by_how_much_the_better_mutant_of_a_neuron_is_better(judged, network, check_credit, pairs):
    """Its signs say which one that is. With two pairs, each has every other gene, and the first the rest."""
    of, size = network("threats", activation="cubic", outputs=6), np.float32(0.05)
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    for number in range(4):
        some = np.array([number])
        out, slopes = ((np.zeros_like(of.hidden), np.zeros_like(of.output)) for _ in range(2))
        credit_outcomes(judged, some, of, pool, Mutation(np.uint64(1), size, size, pairs, False), out)
        second = (np.arange(221) % 2 == 1) & (np.arange(221) < 220) & (pairs == 2)

        def fitness(mutant, some=some, slopes=slopes):
            return add_outcome_gradient(judged, some, mutant, slopes)

        check_credit(of, out, second, pairs, size, fitness)
        assert not out[1][-1].any()  # the biases of the outputs get no credit
