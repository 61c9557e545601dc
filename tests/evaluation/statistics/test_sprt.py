"""The sequential test decides rightly as often as it promises, whatever the batches."""

import re
from itertools import pairwise

import numpy as np
import pytest

from ludarium.evaluation.statistics.sprt import ACCEPT_H0, ACCEPT_H1, UNDECIDED, Hypotheses, Sprt, expected_score

SCORES = np.arange(5) / 4


def shares(mean):
    """Chances of the five pair scores with this mean: a tilted version of a fixed distribution, found by bisection."""
    base, low, high = np.array([0.1, 0.2, 0.35, 0.25, 0.1]), -30.0, 30.0
    for _ in range(80):
        middle = (low + high) / 2
        tilted = base * np.exp(middle * SCORES)
        tilted /= tilted.sum()
        low, high = (middle, high) if tilted @ SCORES < mean else (low, middle)
    return tilted


def decide(elo, tests, elo0, elo1, **rates):
    rng, chances = np.random.default_rng(1), shares(expected_score(elo))
    done = []
    for _ in range(tests):
        test = Sprt(Hypotheses(elo0, elo1, **rates))
        test.update(SCORES[rng.choice(5, 4000, p=chances)])
        done.append(test)
    states = [test.state for test in done]
    assert UNDECIDED not in states
    return states.count(ACCEPT_H1) / tests, np.mean([test.counts.sum() for test in done])


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 50), (-40, 40)])
def test_error_rates(elo0, elo1):
    # Three standard errors of 1,500 tests are 1.7 %.
    false_alarms, length0 = decide(elo0, 1500, elo0, elo1)
    accepted, length1 = decide(elo1, 1500, elo0, elo1)
    assert false_alarms < 0.05 + 0.017
    assert accepted > 0.95 - 0.017
    even, longest = decide((elo0 + elo1) / 2, 500, elo0, elo1)
    assert 0.4 < even < 0.6
    assert max(length0, length1) < longest


def test_unequal_error_rates():
    false_alarms, _ = decide(0, 1500, 0, 60, alpha=0.01, beta=0.2)
    accepted, _ = decide(60, 1500, 0, 60, alpha=0.01, beta=0.2)
    assert false_alarms < 0.01 + 0.008
    assert 0.76 < accepted < 0.87


@pytest.mark.parametrize("counts", [[3, 10, 30, 20, 7], [40, 10, 3, 2, 1]])
def test_the_ratio_maximises_the_likelihood(counts):
    optimize = pytest.importorskip("scipy.optimize")
    counts = np.array(counts)

    def best(mean):
        wanted = [{"type": "eq", "fun": fun} for fun in (lambda p: p.sum() - 1, lambda p: p @ SCORES - mean)]
        where = {"bounds": [(1e-6, 1)] * 5, "constraints": wanted, "tol": 1e-12}
        return -optimize.minimize(lambda p: -counts @ np.log(p), np.full(5, 0.2), **where).fun

    test = Sprt(Hypotheses(0, 30, alpha=1e-99, beta=1e-99))
    test.update(np.repeat(SCORES, counts))
    assert test.counts.tolist() == counts.tolist()
    assert test.llr == pytest.approx(best(expected_score(30)) - best(0.5), abs=1e-4)


def test_it_stops_at_the_same_pair_in_any_batches():
    scores = SCORES[np.random.default_rng(2).choice(5, 500, p=shares(0.6))]
    whole = Sprt(Hypotheses(0, 40))
    whole.update(scores)
    for size in (1, 7, 100):
        parts = Sprt(Hypotheses(0, 40))
        for first, last in pairwise([*range(0, 500, size), 500]):
            parts.update(scores[first:last])
        assert (parts.state, parts.llr, parts.counts.tolist()) == (whole.state, whole.llr, whole.counts.tolist())
    assert whole.state == ACCEPT_H1
    assert whole.counts.sum() < 500


def test_bounds_and_text():
    test = Sprt(Hypotheses(0, 20))
    assert (test.lower, test.upper) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert (test.update([]), test.llr) == (UNDECIDED, 0)
    assert test.update([0.5, 0.75, 1.0]) == UNDECIDED
    ratio = "log-likelihood ratio 0.17 (-2.94, 2.94)"
    assert str(test) == f"undecided: +0 against +20 Elo, {ratio} after 3 pairs [0, 0, 1, 1, 1]"
    assert test.update(np.zeros(500)) == ACCEPT_H0
    assert str(test).startswith("accept H0: ")


def test_the_ratio_of_normalized_elo():
    test = Sprt(Hypotheses(-20, 40, alpha=1e-9, beta=1e-9, unit="normalized-elo"))
    scores = np.random.default_rng(5).permutation(np.repeat(SCORES, [3, 10, 30, 20, 7]))
    test.update(scores)
    t0, t1 = (np.sqrt(2) * elo * np.log(10) / 800 for elo in (-20, 40))
    t = (scores.mean() - 0.5) / scores.std()
    assert test.llr == pytest.approx(35 * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)), abs=1e-9)


@pytest.mark.parametrize(("unit", "elo1"), [("normalized-elo", 40), ("points", 0.25)])
def test_error_rates_in_other_units(unit, elo1):
    """Of 1,000 tests under each hypothesis; three standard errors are 2 %."""
    rng = np.random.default_rng(3)
    wrong = [0, 0]
    for truth in (0, 1):
        if unit == "points":  # games win 1, 2 or 3 points
            values = np.array([-3.0, -2, -1, 1, 2, 3])
            chances = np.array([0.02, 0.13, 0.35, 0.35, 0.13, 0.02])
            chances = chances + truth * elo1 / 2 * np.array([0, 0, -1, 1, 0, 0])
            pairs = rng.choice(values, (1000, 4000, 2), p=chances).mean(axis=2)
        else:
            games = np.array([0, 0.5, 1])
            chances = np.array([0.3, 0.4, 0.3])
            deviation = np.sqrt(0.15)
            shift = truth * elo1 * np.log(10) / 800 * deviation
            pairs = rng.choice(games, (1000, 4000, 2), p=chances + shift * np.array([-1, 0, 1])).mean(axis=2)
        for scores in pairs:
            test = Sprt(Hypotheses(0, elo1, unit=unit))
            verdict = test.update(scores)
            assert verdict != UNDECIDED
            wrong[truth] += verdict != (ACCEPT_H1 if truth else ACCEPT_H0)
    assert max(wrong) < 50 + 20, wrong


def test_points_may_have_any_size():
    one, other = (Sprt(Hypotheses(0, 0.2, unit="points")) for _ in range(2))
    assert one.scores.tolist() == [-1, -0.5, 0, 0.5, 1]  # usual ones, which may come without having been seen
    scores = [1.0, -0.5, 64.0, 0.0, -12.0, 1.5]
    one.update(scores)
    for score in scores:
        other.update([score])
    assert (one.llr, one.pairs) == (other.llr, 6)
    assert one.scores[one.counts > 0].tolist() == sorted(scores)
    for score in (64.0, -64.0):  # which comes too late to count
        early, late = (Sprt(Hypotheses(0, 0.2, unit="points")) for _ in range(2))
        assert early.update([1.0] * 200) == late.update([*[1.0] * 200, score]) == ACCEPT_H1
        assert (early.llr, early.pairs) == (late.llr, late.pairs)
    assert str(one) == "undecided: +0 against +0.2 points a game, log-likelihood ratio 0.04 (-2.94, 2.94) after 6 pairs"


def test_arguments_that_cannot_be():
    with pytest.raises(ValueError, match="h0 must be below h1, not 5 and 5"):
        Hypotheses(5, 5)
    for elos in ((0, float("nan")), (float("-inf"), 0), (0, 1001), (-1e300, 1e300)):
        told = f"sprt: h0 and h1 must be between -1000 and 1000 Elo, not {elos[0]!r} and {elos[1]!r}"
        with pytest.raises(ValueError, match=re.escape(told)):
            Hypotheses(*elos)
    with pytest.raises(ValueError, match=r"between -0\.9 and 0\.9 points a game, not 0 and 1"):
        Hypotheses(0, 1, unit="points")
    with pytest.raises(ValueError, match="unit must be one of 'elo', 'normalized-elo', 'points', not 'pips'"):
        Hypotheses(0, 1, unit="pips")
    with pytest.raises(ValueError, match="between -300 and 300 normalized Elo, not 0 and 301"):
        Hypotheses(0, 301, unit="normalized-elo")
    for unit, largest in (("elo", 1000), ("normalized-elo", 300), ("points", 0.9)):
        Hypotheses(-largest, largest, unit=unit)
    assert Sprt(Hypotheses(-1000, 1000)).update([1.0] * 9) == ACCEPT_H1
    for alpha, beta in ((0.5, 0.5), (0.0, 0.1), (0.1, 0.0)):
        with pytest.raises(ValueError, match=rf"positive with a sum below 1, not {alpha} and {beta}"):
            Hypotheses(0, 5, alpha=alpha, beta=beta)
    for wrong in (0.3, float("nan")):
        with pytest.raises(ValueError, match=rf"must be 0, 0\.25, 0\.5, 0\.75 or 1, not {wrong}"):
            Sprt(Hypotheses(0, 5)).update([1, wrong])
    with pytest.raises(ValueError, match="must be finite, not inf"):
        Sprt(Hypotheses(0, 0.5, unit="points")).update([np.inf])
