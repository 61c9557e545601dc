"""Ratings by games against rungs of known strength: what they are, and how sure."""

import numpy as np
import pytest

from ludarium.evaluation.ladder.rating import (
    Climb,
    Estimate,
    Scale,
    _dispersion,
    estimate,
    expected,
    fit_rungs,
    next_rungs,
)

ELO = np.array([0.0, 200.0, 400.0, 600.0, 1000.0])
SCALE = Scale(ELO, np.zeros(5), agreement=20.0, dispersion=1.0)


def margin(estimated):
    low, high = estimated.interval
    assert low < estimated.elo < high
    return (high - low) / 2


def test_a_difference_of_400_is_odds_of_ten_to_one():
    assert expected(np.array([-400.0, 0.0, 400.0])) == pytest.approx([1 / 11, 0.5, 10 / 11])


@pytest.mark.parametrize("elo", [-150.0, 330.0, 1200.0])
def test_scores_as_the_scale_expects_them_give_the_rating(elo):
    games = np.full(5, 100_000.0)
    rating = estimate(SCALE, games * expected(elo - ELO), games)
    assert rating.elo == pytest.approx(elo, abs=0.5)
    assert margin(rating) < 4


def test_the_rating_yields_the_same_total_although_the_scores_fit_no_rating():
    scores, games = np.array([0.7, 0.9, 0.4, 0.5, 0.1]), np.full(5, 1e6)
    rating = estimate(SCALE, games * scores, games)
    assert expected(rating.elo - ELO).sum() == pytest.approx(scores.sum(), abs=1e-3)
    assert rating.scores == pytest.approx(scores, abs=1e-4)


def test_the_margin_shrinks_with_games_until_the_errors_of_the_rungs_are_left():
    def after(games, error=0.0):
        counts = np.full(5, float(games))
        return margin(estimate(SCALE._replace(error=np.full(5, error)), counts * expected(300 - ELO), counts))

    assert after(4000) / after(1000) == pytest.approx(0.5, abs=0.02)
    assert after(1e7, error=10.0) == pytest.approx(19.6, abs=0.1)


def test_without_games_and_after_wins_alone_little_is_known():
    nothing = np.zeros(5)
    assert margin(estimate(SCALE, nothing, nothing)) > 500
    games = np.full(5, 20.0)
    won, lost = estimate(SCALE, games, games), estimate(SCALE, nothing, games)
    assert won.interval[0] > 1000
    assert lost.interval[1] < 0
    assert won.interval[1] - won.elo > 1.5 * (won.elo - won.interval[0])


def test_the_first_games_go_to_the_middle_and_later_ones_to_rungs_of_similar_strength():
    nothing = np.zeros(5)
    for pairs, counts in ((2, [0, 0, 2, 0, 0]), (3, [0, 0, 2, 1, 0]), (9, [2, 2, 2, 2, 1])):
        assert next_rungs(SCALE, estimate(SCALE, nothing, nothing), nothing, pairs) == counts
    games = np.full(5, 400.0)
    rating = estimate(SCALE, games * expected(-ELO), games)
    assert next_rungs(SCALE, rating, games, 101) == [71, 30, 0, 0, 0]


def test_each_unit_goes_where_it_takes_most_of_the_variance_away():
    """By hand: 0.1 and 0.09 with 20 + 8 games known; two pairs count as 8 games where these vary half as much."""
    scale = Scale(ELO[:2], np.zeros(2), 20.0, dispersion=0.5)
    rating = Estimate(0.0, (0.0, 0.0), np.full(2, 0.5), np.array([0.1, 0.09]))
    variances, counts = [0.1, 0.09], [0, 0]
    known = [28.0, 28.0]
    for _ in range(20):
        gains = [variances[n] * 8 / (known[n] + 8) for n in range(2)]
        best = gains.index(max(gains))
        variances[best] -= gains[best]
        known[best] += 8
        counts[best] += 2
    assert next_rungs(scale, rating, np.full(2, 4.0), 40) == counts


def test_an_agent_whose_pairs_differ_more_than_those_of_the_rungs_is_rated_more_carefully():
    def after(pairs):
        climb = Climb(Scale(ELO[:1], np.zeros(1), 20.0, 1.0))
        climb.take([np.tile(pairs, 200)])
        return margin(climb.estimate)

    assert after([0.0, 1.0]) > 1.3 * after([0.25, 0.75])
    assert after([0.5, 0.5]) == after([0.25, 0.75])  # less is taken for luck


def test_an_agents_own_dispersion_counts_more_with_its_pairs():
    """Pairs of 0 and 1 in turn vary twice as much as two independent games: ¼ ÷ ⅛."""
    for pairs, share in ((51, 0.5), (151, 0.75)):
        scores = np.arange(pairs) % 2 * 1.0
        usual = estimate(SCALE, np.zeros(5), np.zeros(5))._replace(scores=np.full(5, 0.5))
        own = ((scores - scores.mean()) ** 2).sum() / (pairs - 1) / 0.125
        dispersion = _dispersion(SCALE, usual, [scores, *[np.zeros(0)] * 4])
        assert dispersion == pytest.approx(share * own + (1 - share) * 1.0)


def test_rungs_are_rated_by_their_mean_scores_whatever_the_numbers_of_games():
    scores = expected(ELO[:, None] - ELO)
    rating = fit_rungs(scores, scores * (1 - scores) / 2, np.full((5, 5), 100.0))
    assert rating.elo == pytest.approx(ELO, abs=1e-6)
    assert rating.error[0] == 0
    assert rating.agreement == 1000  # the most
    assert rating.dispersion == pytest.approx(1)
    uneven = np.full((5, 5), 100.0)
    uneven[0, 1] = uneven[1, 0] = 10_000
    assert fit_rungs(scores, scores * (1 - scores) / 2, uneven).error[1] < rating.error[1]


@pytest.mark.parametrize(("share", "agreement"), [(0.7, 1.5 / (0.24 - 0.06) - 1), (0.9, 4)])
def test_rungs_that_beat_each_other_in_a_circle_by_hand(share, agreement):
    """All are equal, at ½, so six scores are off by `share` − ½, of which the noise, 0.02 / 2 each, explains a part."""
    scores = np.array([[0.5, share, 1 - share], [1 - share, 0.5, share], [share, 1 - share, 0.5]])
    rating = fit_rungs(scores, np.full((3, 3), 0.02), np.full((3, 3), 2.0))
    assert rating.elo == pytest.approx([0, 0, 0], abs=1e-9)
    assert rating.error == pytest.approx([0, *[400 / np.log(10) * np.sqrt(16 / 9 * 0.06)] * 2])
    assert rating.agreement == pytest.approx(agreement)
    assert rating.dispersion == pytest.approx(0.02 / (share * (1 - share) / 2))


def test_a_rung_rated_by_the_others_has_its_own_rating():
    scores = expected(ELO[:, None] - ELO)
    scores[1, 3] += 0.1
    scores[3, 1] -= 0.1
    whole = fit_rungs(scores, scores * (1 - scores) / 2, np.full((5, 5), 100.0))
    others, games = np.delete(whole.elo, 3), np.full(4, 1e6)
    rating = estimate(Scale(others, np.zeros(4), 20.0, 1.0), games * np.delete(scores[3], 3), games)
    assert rating.elo == pytest.approx(whole.elo[3], abs=0.5)
    assert whole.agreement < 500  # they do not quite agree


def test_rungs_that_have_not_met_are_refused():
    counts = np.full((5, 5), 10.0)
    counts[1, 2] = counts[2, 1] = 0
    with pytest.raises(ValueError, match="every two rungs must have played"):
        fit_rungs(np.full((5, 5), 0.5), np.full((5, 5), 0.1), counts)


def test_nineteen_of_twenty_intervals_hold():
    rng, held = np.random.default_rng(100), 0
    for _ in range(200):
        truth = rng.uniform(0, 1000)
        climb = Climb(SCALE._replace(agreement=200.0))
        for _ in range(6):
            more = climb.next(32)
            played = [rng.binomial(2, p, n) / 2 for p, n in zip(expected(truth - ELO), more, strict=True)]
            climb.take([np.concatenate(pair) for pair in zip(climb.scores, played, strict=True)])
        low, high = climb.estimate.interval
        held += low <= truth <= high
    assert 184 <= held <= 197
