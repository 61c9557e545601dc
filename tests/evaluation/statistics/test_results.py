"""What games can tell: figures of small tournaments, worked out by hand."""

import math

import numpy as np
import pytest

from ludarium.evaluation.statistics.intervals import student_t
from ludarium.evaluation.statistics.ratings import ELO, fit
from ludarium.evaluation.statistics.results import Results, by_cluster, groups, pair_numbers, varied_pairs


def results(n, *rows):
    """Results of games, each `(first, second, result, pair)`."""
    return Results(tuple("abcdef"[:n]), *zip(*rows, strict=True))


def test_games_with_the_same_number_are_together():
    some = results(3, (0, 1, 1, 7), (1, 2, 1, 3), (1, 0, 1, 7), (2, 1, 0, 40))
    assert some.clusters.tolist() == [1, 0, 1, 2]
    order, edges = by_cluster(some)
    assert (order.tolist(), edges.tolist()) == ([1, 0, 2, 3], [0, 1, 3, 4])


def test_a_pair_number_counts_once_however_many_opponents_it_had():
    some = results(4, (0, 1, 1, 5), (1, 0, 1, 5), (0, 2, 1, 5), (2, 0, 1, 5), (2, 0, 1, 6))
    assert pair_numbers(some).tolist() == [2, 1, 2, 0]


@pytest.mark.parametrize(
    ("rows", "varied", "seats_varied"),
    [
        ([(0, 1, 1, 0), (1, 0, 1, 0), (0, 1, 1, 1), (1, 0, 1, 1)], [False, False, False], False),
        ([(0, 1, 1, 0), (1, 0, 1, 0), (0, 1, 0, 1), (1, 0, 0, 1)], [False, False, False], True),
        ([(0, 1, 1, 0), (1, 0, 0, 0), (0, 1, 0, 1), (1, 0, 1, 1)], [True, True, False], False),
        ([(0, 1, 1, 0), (1, 0, 1, 0), (0, 1, 1, 1), (1, 0, 0.5, 1)], [True, True, False], True),
        ([(2, 1, 1, 0), (2, 1, 0, 1), (0, 1, 1, 0), (0, 1, 1, 1)], [False, True, True], True),
        ([(0, 1, 1, 0), (1, 2, 0, 1)], [False, False, False], False),  # one pair of each pairing
        ([(0, 1, 1, 0), (1, 0, 0, 1)], [False, False, False], True),  # half a pair is one, too
        ([(0, 1, 1, 0), (1, 0, 1, 0), (0, 1, 0.5, 1)], [False, False, False], True),
    ],
)  # fmt: skip
def test_what_varied_between_the_pairs_of_a_pairing(rows, varied, seats_varied):
    entrants, seats = varied_pairs(results(3, *rows))
    assert (entrants.tolist(), seats) == (varied, seats_varied)


def test_groups_are_linked_by_games_and_within_them_by_games_not_lost():
    """c beats b, which beats a, which draws d: nobody else held c, and a long chain is one group."""
    connected, decided = groups(results(6, (2, 1, 1, 0), (0, 1, 0, 0), (0, 3, 0.5, 0), (4, 5, 1, 0), (5, 4, 1, 0)))
    assert connected.tolist() == [0, 0, 0, 0, 1, 1]
    assert decided.tolist() == [0, 1, 2, 0, 3, 3]
    _, circle = groups(results(6, *((one, (one + 1) % 6, 1, 0) for one in range(6))))
    assert circle.tolist() == [0] * 6


@pytest.mark.parametrize(
    ("numbers", "variance"), [(9, 1 / 13.5), (10, 10 / 9 * 6 / 15**2)], ids=["independent", "clustered"]
)
def test_from_ten_pair_numbers_on_their_spread_alone_says_how_sure_the_seats_advantage_is(numbers, variance):
    """Three equals beat each other in a circle. In three numbers, one pairing is won by the first seats, in three lost.

    Of 6 games with each number, each has the information 1/4 on the advantage: 13.5 or 15 in all. The sums of a number
    are 0, but ±1 in six of them; and with few numbers the greater variance counts.
    """
    rows = []
    for number in range(numbers):
        for place, pairing in enumerate([(0, 1), (1, 2), (2, 0)]):
            for seats in (pairing, pairing[::-1]):
                by_seats = number < 6 and number % 3 == place
                rows.append((*seats, number < 3 if by_seats else seats == pairing, number))
    ratings = fit(results(3, *rows), prior=1e8)
    assert ratings.elo == pytest.approx(np.zeros(3), abs=1e-6)
    assert ratings.seat == pytest.approx(0, abs=1e-6)
    assert ratings.seat_error == pytest.approx(ELO * math.sqrt(variance))
    assert ratings.seat_margin == pytest.approx(student_t(numbers - 1) * ratings.seat_error)
