"""Ratings agree with independent libraries, and their intervals hold the truth as often as they say."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from ludarium.envs.chance import below, seed_key, stream
from ludarium.evaluation.statistics.intervals import student_t
from ludarium.evaluation.statistics.ratings import ELO, _resample, bootstrap, fit
from ludarium.evaluation.statistics.results import Results

DRAWS, SEAT = 0.6, 0.3  # ν and the first seat's advantage of the simulated tournaments


def names(n):
    return ("random", *(f"agent {i}" for i in range(1, n)))


def simulate(rng, strengths, first, second, *, seat=0.0, draws=0.0, shared=0.0, number=None):
    """Pairs of games with exchanged seats; in a share of them, both games hang on the seats' luck of their number."""
    number = np.arange(len(first)) if number is None else number
    a, b = np.stack([first, second], 1), np.stack([second, first], 1)
    x = strengths[a] - strengths[b] + seat
    weights = np.stack([np.exp(-x / 2), np.full_like(x, draws), np.exp(x / 2)])
    common = rng.random(number.max() + 1)[number]
    luck = np.where((rng.random(len(a)) < shared)[:, None], common[:, None], rng.random(a.shape))
    cumulated = np.cumsum(weights / weights.sum(axis=0), axis=0)
    result = (luck >= cumulated[:2]).sum(axis=0) / 2
    pair = np.repeat(number, 2)
    return Results(names(len(strengths)), a.ravel(), b.ravel(), result.ravel(), pair)


def round_robin(n, pairs):
    first, second = np.triu_indices(n, 1)
    return np.repeat(first, pairs), np.repeat(second, pairs)


def games(entrants, *rows):
    """Results of single games, each `(first, second, result)`."""
    first, second, result = zip(*rows, strict=True)
    return Results(entrants, first, second, result, np.arange(len(rows)))


def both_ways(draws):
    """A tournament in which every result is there in both seats, so that the seats cancel."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 8, 1500)
    second = (first + rng.integers(1, 8, 1500)) % 8
    one = simulate(rng, rng.normal(0, 1, 8), first, second, draws=draws)
    columns = (one.first, one.second), (one.second, one.first), (one.result, 1 - one.result)
    return Results(one.entrants, *map(np.concatenate, columns), np.arange(2 * len(one.first)))


def winners_first(results):
    pairs = zip(results.first.tolist(), results.second.tolist(), results.result.tolist(), strict=True)
    return [(a, b) if result else (b, a) for a, b, result in pairs]


def test_davidsons_maximum_by_hand():
    """Two alone can have any results, the same in both seats: e^x = wins / losses, ν = draws / √(wins · losses)."""
    results = [1.0] * 8 + [0.5] * 6 + [0.0] * 2
    both = [(0, 1, result) for result in results] + [(1, 0, 1 - result) for result in results]
    ratings = fit(games(("random", "b"), *both), prior=1e8)
    assert ratings.elo == pytest.approx([0, -400 * math.log10(8 / 2)], abs=1e-6)
    assert ratings.draw_parameter == pytest.approx(6 / math.sqrt(8 * 2), abs=1e-9)
    assert ratings.draws == pytest.approx(1.5 / 3.5, abs=1e-9)
    # equals, of whom the first wins 8, draws 6 and loses 2: the same for the seats
    ratings = fit(
        games(("random", "b"), *[(seat, 1 - seat, result) for seat in (0, 1) for result in results]), prior=1e8
    )
    assert ratings.elo == pytest.approx([0, 0], abs=1e-9)
    assert ratings.seat == pytest.approx(400 * math.log10(8 / 2), abs=1e-6)
    assert ratings.draw_parameter == pytest.approx(1.5, abs=1e-9)


def test_bradley_terry_and_the_prior_as_choix():
    choix = pytest.importorskip("choix")
    results = both_ways(draws=0.0)
    ratings = fit(results, anchor="nobody", prior=1e8)
    assert ratings.seat == pytest.approx(0, abs=1e-9)
    assert ratings.draws == 0
    expected = choix.ilsr_pairwise(8, winners_first(results), tol=1e-12)
    assert ratings.elo / ELO == pytest.approx(expected - expected.mean(), abs=1e-6)
    # choix subtracts alpha · Σ θ², a normal prior subtracts Σ θ² / 2σ².
    alpha = (ELO / 100) ** 2 / 2
    expected = choix.opt_pairwise(8, winners_first(results), alpha=alpha, tol=1e-12)
    assert fit(results, anchor="nobody", prior=100).elo / ELO == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("draws", [0.0, DRAWS])
def test_bradley_terry_and_draws_as_evalica(draws):
    evalica = pytest.importorskip("evalica")
    results = both_ways(draws)
    ratings = fit(results, anchor="nobody", prior=1e8)
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    columns = results.first.tolist(), results.second.tolist(), [winner[r] for r in results.result]
    method = evalica.newman if draws else evalica.bradley_terry
    fitted = method(*columns, tolerance=1e-14, limit=100_000)
    expected = np.log(fitted.scores.sort_index().to_numpy())
    assert ratings.elo / ELO == pytest.approx(expected - expected.mean(), abs=1e-6)
    if draws:  # Newman's v is half of Davidson's ν
        assert ratings.draws == pytest.approx(fitted.v / (1 + fitted.v), abs=1e-6)


def test_the_gradient_and_the_hessian_by_differences():
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    results = simulate(rng, np.array([0.0, 0.5, 1.0]), *round_robin(3, 20), seat=SEAT, draws=DRAWS)
    prior = 300.0

    def loss(parameters):
        theta, seat, log_draws = parameters[:3], parameters[3], parameters[4]
        x = theta[results.first] - theta[results.second] + seat
        weights = np.stack([np.exp(-x / 2), np.full_like(x, np.exp(log_draws)), np.exp(x / 2)])
        chance = (weights / weights.sum(0))[(2 * results.result).astype(int), np.arange(len(x))]
        return -np.log(chance).sum() + (parameters**2).sum() * (ELO / prior) ** 2 / 2

    best = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    ratings = fit(results, prior=prior)
    assert ratings.elo == pytest.approx(ELO * (best[:3] - best[0]), abs=1e-3)
    assert ratings.seat == pytest.approx(ELO * best[3], abs=1e-3)
    assert ratings.draws == pytest.approx(np.exp(best[4]) / (2 + np.exp(best[4])), abs=1e-6)
    h = 1e-3
    steps, signs = h * np.eye(5), [(s, t) for s in (1, -1) for t in (1, -1)]
    curved = [sum(s * t * loss(best + s * one + t * other) for s, t in signs) for one in steps for other in steps]
    covariance = np.linalg.inv(np.reshape(curved, (5, 5)) / (4 * h * h))
    variance = ELO**2 * (covariance[1, 1] + covariance[0, 0] - 2 * covariance[0, 1])
    assert ratings.hessian[1, 1] == pytest.approx(variance, rel=1e-3)


def test_independent_pairs_and_shared_luck():
    rng = np.random.default_rng(2)
    strengths = np.array([0.0, 0.3, 0.6, 0.9])
    single = simulate(rng, strengths, *round_robin(4, 3000), seat=SEAT, draws=DRAWS)
    lucky = simulate(rng, strengths, *round_robin(4, 3000), seat=SEAT, draws=DRAWS, shared=0.8)
    for results, low, high in ((single, 0.9, 1.1), (lucky, 0.4, 0.75)):
        ratings = fit(results)
        plain = 1.96 * np.sqrt(np.diag(ratings.hessian))
        width = np.diff(bootstrap(results, replicates=600, seed=1))[:, 0] / 2
        ratio = ratings.margins()[1:] / plain[1:]
        assert low < ratio.min()
        assert ratio.max() < high
        assert width[1:] == pytest.approx(ratings.margins()[1:], rel=0.12)


def test_the_sandwich_by_hand():
    """Gradients of all games with the same number are added, whoever played them."""
    rng = np.random.default_rng(9)
    numbers = np.tile(np.arange(12), 3)
    luck = {"seat": SEAT, "draws": DRAWS, "shared": 0.5, "number": numbers}
    results = simulate(rng, np.array([0.0, 0.5, 1.0]), *round_robin(3, 12), **luck)
    ratings = fit(results)
    seat, nu = ratings.seat / ELO, 2 * ratings.draws / (1 - ratings.draws)
    x = (ratings.elo[results.first] - ratings.elo[results.second]) / ELO + seat
    weights = np.stack([np.exp(-x / 2), np.full_like(x, nu), np.exp(x / 2)])
    loss, draw, win = weights / weights.sum(axis=0)
    of_x = np.eye(3)[results.first] - np.eye(3)[results.second]
    of_x = np.column_stack([of_x, np.ones(len(x)), np.zeros(len(x))])
    of_draws = np.eye(5)[[4] * len(x)]
    gradient = (results.result - 0.5 - (win - loss) / 2)[:, None] * of_x
    gradient += ((results.result == 0.5) - draw)[:, None] * of_draws
    sums = np.array([gradient[results.pair == number].sum(axis=0) for number in range(12)])
    mean = (win - loss) / 2
    xx, xd, dd = (win + loss) / 4 - mean**2, -draw * mean, draw * (1 - draw)
    hessian = (of_x.T * xx) @ of_x + (of_x.T * xd) @ of_draws + (of_draws.T * xd) @ of_x + (of_draws.T * dd) @ of_draws
    bread = np.linalg.inv(hessian + np.eye(5) * (ELO / 1000) ** 2)
    covariance = ELO**2 * bread @ (12 / 11 * sums.T @ sums) @ bread
    difference = np.array([-1.0, 1.0, 0.0, 0.0, 0.0])
    assert ratings.clustered[1, 1] == pytest.approx(difference @ covariance @ difference, rel=1e-6)
    assert ratings.margins()[1] == pytest.approx(student_t(11) * math.sqrt(ratings.clustered[1, 1]))
    assert ratings.seat_error == pytest.approx(math.sqrt(covariance[3, 3]), rel=1e-6)
    assert ratings.seat_margin == pytest.approx(student_t(11) * ratings.seat_error)
    assert ratings.draw_parameter == nu


@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_intervals_hold_the_truth_95_times_in_100(shared):
    rng = np.random.default_rng(10)
    strengths = np.array([0.0, 0.4, 0.8, 1.2, 1.6])
    held = {"clustered": [], "bootstrap": [], "seat": [], "hessian": [], "apart": []}
    numbers = np.tile(np.arange(100), 10)  # all pairings have the same chance
    for number in range(400):
        results = simulate(rng, strengths, *round_robin(5, 100), seat=SEAT, draws=DRAWS, shared=shared, number=numbers)
        ratings = fit(results)
        error = np.abs(ratings.elo - ELO * strengths)[1:]
        held["clustered"].append(error < ratings.margins()[1:])
        held["hessian"].append(error < 1.96 * np.sqrt(np.diag(ratings.hessian))[1:])
        held["seat"].append(abs(ratings.seat - ELO * SEAT) < ratings.seat_margin)
        if shared:
            columns = results.first, results.second, results.result, np.arange(len(results.pair)) // 2
            apart = fit(Results(results.entrants, *columns))  # as if each pairing had a chance of its own
            held["apart"].append(abs(apart.seat - ELO * SEAT) < apart.seat_margin)
        low, high = bootstrap(results, replicates=200, seed=number).T
        held["bootstrap"].append(((low < ELO * strengths) & (ELO * strengths < high))[1:])
    coverage = {kind: np.mean(values) for kind, values in held.items() if values}
    assert 0.93 <= coverage["clustered"] <= 0.97, coverage
    assert 0.93 <= coverage["bootstrap"] <= 0.97, coverage
    assert 0.93 <= coverage["seat"] <= 0.98, coverage
    if shared:
        assert coverage["apart"] < 0.75, coverage
    else:
        assert 0.93 <= coverage["hessian"] <= 0.97, coverage


def test_the_anchor_and_the_mean():
    results = simulate(np.random.default_rng(3), np.array([0.0, 1.0, 2.0]), *round_robin(3, 50))
    anchored, second = fit(results), fit(results, anchor="agent 1")
    free = fit(results, anchor="nobody")
    assert (anchored.elo[0], anchored.anchor, anchored.margins()[0]) == (0, "random", 0)
    assert (second.elo[1], second.anchor) == (0, "agent 1")
    assert free.anchor is None
    assert free.elo.sum() == pytest.approx(0, abs=1e-9)
    assert anchored.elo - second.elo == pytest.approx(anchored.elo[1])
    assert anchored.elo - free.elo == pytest.approx(-free.elo[0])
    assert anchored.superiority() == pytest.approx(free.superiority())


def test_superiority_is_normal_and_adds_to_one():
    results = simulate(np.random.default_rng(4), np.array([0.0, 0.1, 2.0]), *round_robin(3, 100), shared=0.5)
    ratings = fit(results)
    likelihood = ratings.superiority()
    assert likelihood + likelihood.T == pytest.approx(np.ones((3, 3)))
    assert np.diag(likelihood) == pytest.approx(0.5)
    assert likelihood[2, 0] > 0.999
    # agent 1 is as many standard errors from random as its margin says
    z = student_t(ratings.pairs[1] - 1) * ratings.elo[1] / ratings.margins()[1]
    assert likelihood[1, 0] == pytest.approx(NormalDist().cdf(z))


def test_the_margin_of_a_difference_is_that_of_its_variance():
    results = simulate(np.random.default_rng(4), np.array([0.0, 0.1, 2.0]), *round_robin(3, 100), shared=0.5)
    ratings = fit(results)
    margins = ratings.difference_margins()
    np.testing.assert_allclose(margins, margins.T)
    assert margins[0].tolist() == pytest.approx(ratings.margins().tolist())  # the anchor's is 0
    z = student_t(ratings.pairs.min() - 1) * (ratings.elo[1] - ratings.elo[2]) / margins[1, 2]
    assert ratings.superiority()[1, 2] == pytest.approx(NormalDist().cdf(z))
    assert np.isinf(fit(games(("random", "b"), (0, 1, 1.0))).difference_margins()[0, 1])


def test_two_pair_numbers_have_one_degree_of_freedom():
    ratings = fit(games(("random", "b"), (0, 1, 1.0), (1, 0, 0.5)))
    margin = student_t(1) * math.sqrt(max(ratings.clustered[1, 1], ratings.hessian[1, 1]))
    assert ratings.margins()[1] == pytest.approx(margin)
    assert ratings.difference_margins()[0, 1] == pytest.approx(margin)
    assert 0 < ratings.seat_error < math.inf
    assert ratings.seat_margin == pytest.approx(student_t(1) * ratings.seat_error)
    assert 0 < ratings.superiority()[0, 1] < 1


def test_two_with_the_same_results_in_every_pair_cannot_be_told_apart():
    """They draw each other; their pairs alone would say that their difference is 0 for certain."""
    rows = [(*row, number) for number in range(30) for row in _twins(number % 3 / 2)]
    ratings = fit(Results(("random", "a", "twin"), *zip(*rows, strict=True)))
    assert ratings.superiority()[1, 2] == 0.5
    assert ratings.elo[1] == pytest.approx(ratings.elo[2])
    assert ratings.difference_margins()[1, 2] > 10


def _twins(share):
    """What two twins get in one pair against random, and against each other."""
    return [row for twin in (1, 2) for row in ((twin, 0, share), (0, twin, 1 - share))] + [(1, 2, 0.5), (2, 1, 0.5)]


def test_perfect_scores_stay_finite_and_are_said():
    a_pair = [(0, 1, 0.0), (1, 0, 1.0)]
    results = games(("random", "perfect"), *a_pair * 50)
    ratings = fit(results)
    assert 500 < ratings.elo[1] < 2000
    assert (ratings.draw_parameter, ratings.draws) == (0, 0)
    assert ratings.seat == pytest.approx(0, abs=1e-6)
    assert ratings.connected.tolist() == [0, 0]
    assert ratings.decided.tolist() == [0, 1]
    # 3.7 games lost in 100 are as good as none: 95 % intervals may not be narrower than such doubt.
    assert ratings.elo[1] - ratings.margins()[1] < 566 < ratings.elo[1] + ratings.margins()[1]
    low, high = bootstrap(results, replicates=50)[1]
    assert (low, high) == pytest.approx((ratings.elo[1] - ratings.margins()[1], ratings.elo[1] + ratings.margins()[1]))
    assert 0.99 < ratings.superiority()[1, 0] < 1


def test_groups_that_never_met():
    results = games(("a", "b", "c", "d"), (0, 1, 1), (1, 0, 1), (2, 3, 0.5), (3, 2, 1), (2, 3, 0))
    ratings = fit(results)
    assert ratings.connected.tolist() == [0, 0, 1, 1]
    assert ratings.decided.tolist() == [0, 0, 1, 1]
    assert np.isfinite(ratings.elo).all()
    assert ratings.elo[[0, 1]].mean() == pytest.approx(0, abs=1e-6)  # each group lies around the prior's middle
    assert 0.5 < ratings.superiority()[3, 0] < 0.7  # only the prior speaks
    assert ratings.margins().min() > 1000
    scores = games(("a", "b", "c"), (0, 1, 1), (1, 0, 0.5), (1, 2, 0)).scores()
    expected = [[np.nan, 0.75, np.nan], [0.25, np.nan, 0], [np.nan, 1, np.nan]]
    assert scores == pytest.approx(np.array(expected), nan_ok=True)


def test_only_draws_and_a_single_game():
    draws = fit(games(("random", "b"), *[(0, 1, 0.5), (1, 0, 0.5)] * 20))
    assert draws.elo[1] == pytest.approx(0, abs=1e-6)
    assert 0.9 < draws.draws < 1
    one = fit(games(("random", "b"), (0, 1, 1.0)))
    assert one.elo[1] < 0
    assert one.margins().tolist() == [0, math.inf]
    assert one.seat_margin == math.inf
    assert np.isnan(one.superiority()).all()


def test_few_numbers_are_not_believed_alone():
    """The more cautious of two variances counts, up to nine numbers, and for superiority too."""
    few = simulate(np.random.default_rng(1), np.array([0.0, 1.0]), *round_robin(2, 9))
    many = simulate(np.random.default_rng(1), np.array([0.0, 1.0]), *round_robin(2, 10))
    for results, chosen in ((few, max), (many, lambda clustered, hessian: clustered)):
        ratings = fit(results)
        variance = chosen(ratings.clustered[1, 1], ratings.hessian[1, 1])
        assert ratings.margins()[1] == pytest.approx(student_t(ratings.pairs[1] - 1) * math.sqrt(variance))
        z = ratings.elo[1] / math.sqrt(variance)
        assert ratings.superiority()[1, 0] == pytest.approx(NormalDist().cdf(z))
    assert fit(few).clustered[1, 1] < fit(few).hessian[1, 1]
    low, high = bootstrap(few, replicates=20)[1]
    assert high - low == pytest.approx(2 * fit(few).margins()[1])


def test_pairs_that_all_ended_alike_cannot_tell_how_sure_they_are():
    """The first seat wins every game; so does every pair end 1 : 1, and nothing varies."""
    ratings = fit(Results(names(2), [0, 1] * 30, [1, 0] * 30, [1] * 60, np.repeat(np.arange(30), 2)))
    assert ratings.varied.tolist() == [False, False]
    assert ratings.clustered[1, 1] == pytest.approx(0, abs=1e-6)
    assert ratings.margins()[1] == pytest.approx(student_t(29) * math.sqrt(ratings.hessian[1, 1]))
    assert ratings.margins()[1] > 100
    assert 100 < ratings.seat_margin < math.inf
    # agent 1 always wins against random and always loses to agent 2, whose games against random differ
    rows = [(0, 1, 0.0), (1, 0, 1.0), (1, 2, 0.0), (2, 1, 1.0)]
    rows = [(*row, number) for number in range(20) for row in (*rows, (0, 2, number % 2), (2, 0, 1 - number % 2))]
    ratings = fit(Results(names(3), *zip(*rows, strict=True)))
    assert ratings.varied.tolist() == [True, False, True]
    assert ratings.pairs.tolist() == [20, 20, 20]
    assert ratings.margins()[1] >= student_t(19) * math.sqrt(ratings.hessian[1, 1])


def test_the_same_seed_gives_the_same_intervals_in_any_order_of_games_and_any_batches(monkeypatch):
    results = simulate(np.random.default_rng(6), np.array([0.0, 1.0]), *round_robin(2, 30))
    again = bootstrap(results, replicates=20, seed=5)
    low, high = bootstrap(results, replicates=1, seed=5)[1]
    assert low == high > 0
    assert np.array_equal(bootstrap(results, replicates=20), bootstrap(results, replicates=20, seed=0))
    assert np.array_equal(bootstrap(results, replicates=20, seed=5), again)
    assert not np.array_equal(bootstrap(results, replicates=20, seed=6), again)
    swapped = np.arange(len(results.first)).reshape(-1, 2)[:, ::-1].ravel()  # the two games of each pair
    columns = (column[swapped] for column in (results.first, results.second, results.result, results.pair))
    assert np.array_equal(bootstrap(Results(results.entrants, *columns), replicates=20, seed=5), again)
    monkeypatch.setattr("ludarium.evaluation.statistics.ratings._BATCH", 100)
    assert bootstrap(results, replicates=20, seed=5) == pytest.approx(again, abs=1e-5)


def test_a_replicate_draws_as_many_numbers_as_there_are_with_a_stream_of_its_own():
    edges, cells, counts = np.array([0, 2, 3, 6]), np.array([0, 1, 1, 2, 0, 3]), np.zeros((8, 5))
    _resample(seed_key(7), 3, edges, cells, counts)
    for replicate, counted in enumerate(counts.tolist(), 3):
        random = stream(7, replicate)
        drawn = [int(below(random, 3)) for _ in range(3)]
        games = [cell for number in drawn for cell in ((0, 1), (1,), (2, 0, 3))[number]]
        assert counted == [games.count(cell) for cell in range(5)]


def test_a_thousand_entrants():
    rng = np.random.default_rng(8)
    strengths = rng.normal(0, 1, 1000)
    first = rng.integers(0, 1000, 20_000)
    second = (first + rng.integers(1, 1000, 20_000)) % 1000
    ratings = fit(simulate(rng, strengths, first, second, seat=SEAT, draws=DRAWS))
    error = ratings.elo - ELO * (strengths - strengths[0])
    assert np.mean(np.abs(error)[1:] < ratings.margins()[1:]) > 0.9
    assert ratings.connected.max() == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (((), (), (), ()), r"the same shape \(games,\) and at least one game, not \(0,\), \(0,\), \(0,\), \(0,\)"),
        (((0,), (1,), (1, 0), (0,)), r"the same shape \(games,\) .* not \(1,\), \(1,\), \(2,\), \(1,\)"),
        (((0, 2), (1, 0), (1, 1), (0, 1)), "first must be an index of the 2 entrants; game 1 has first 2"),
        (((0,), (-1,), (1,), (0,)), "second must be an index of the 2 entrants; game 0 has second -1"),
        (((1,), (1,), (1,), (0,)), "cannot be rated by games against itself; game 0 has first 1"),
        (((0,), (1,), (0.3,), (0,)), "result must be 1, 0.5 or 0; game 0 has result 0.3"),
    ],
)
def test_results_that_cannot_be(columns, message):
    with pytest.raises(ValueError, match=message):
        Results(("a", "b"), *columns)


def test_arguments_that_cannot_be():
    results = games(("a", "b"), (0, 1, 1))
    with pytest.raises(ValueError, match=r"the entrants' names must differ: \['a', 'a'\]"):
        games(("a", "a"), (0, 1, 1))
    with pytest.raises(ValueError, match="prior must be a positive number of Elo, not 0"):
        fit(results, prior=0)
    with pytest.raises(ValueError, match="replicates must be at least 1, not 0"):
        bootstrap(results, replicates=0)
