"""The comparisons that rank an if-then population."""

import numpy as np
import pytest

from ludarium.agents.genetic.ifthen.contest import GAMES_ALONE, Contest, cut, most_games
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.lessons import Lesson
from ludarium.agents.genetic.ifthen.maps import Maps, put
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game


@pytest.fixture
def sort(one_worker):
    def sort(game, maps, seed, games=1):
        """The members, sorted, and the counts of the games."""
        contest = Contest(Rules(game, True, 0, Lesson(), games), maps, one_worker)
        return contest.sort(np.arange(len(maps.keys)), seed_key(seed)), contest.counts

    return sort


@pytest.mark.parametrize("members", [4, 7, 8])
def test_the_sort_puts_the_stronger_first_by_games_alone(higher, teach, sort, members):
    strengths = np.random.default_rng(members).permutation(8)[:members]
    maps = Maps.empty(members)
    for member, strength in enumerate(strengths):
        teach(maps, member, higher, strength)
    order, counts = sort(higher, maps, 1)
    assert strengths[order].tolist() == sorted(strengths, reverse=True)
    assert members - 1 <= counts[0] <= most_games(members) == {4: 5, 7: 14, 8: 17}[members]
    assert maps.games.sum() == 2 * counts[0]
    assert counts[2] == counts[1]  # every move was a rule's


@pytest.mark.parametrize(
    ("count", "parts"),
    [
        (0, []),
        (1, [(5, 6)]),
        (3, [(5, 6), (6, 7), (7, 8)]),
        (4, [(5, 6), (6, 7), (7, 8), (8, 9)]),
        (10, [(5, 7), (7, 10), (10, 12), (12, 15)]),
    ],
)
def test_work_is_cut_into_at_most_four_parts_none_of_them_empty(count, parts):
    assert cut(count, 5) == parts


@pytest.mark.parametrize("games", [1, 2])
def test_a_tie_is_decided_at_random(higher, teach, sort, games):
    maps = Maps.empty(2)
    for member in range(2):
        teach(maps, member, higher, 4)
    assert {tuple(sort(higher, maps, seed, games)[0]) for seed in range(20)} == {(0, 1), (1, 0)}


def test_games_of_a_comparison_alternate_the_seats(evolve, known, sort):
    game, maps = make_game("hexapawn"), Maps.empty(2)
    arrays, _ = evolve(Modern(game="hexapawn", games=3000))  # plays perfectly by then
    for key, move in known(Maps.of(arrays), arrays["order"][0]).items():
        for member in range(2):
            put(maps, member, np.uint64(key), move, 0.0, 1)
    _, counts = sort(game, maps, 3, 4)
    assert counts[0] == 4
    assert maps.wins.tolist() == [2, 2]  # the second seat wins hexapawn


def test_one_member_plays_itself(higher, sort):
    maps = Maps.empty(1)
    order, counts = sort(higher, maps, 1)
    assert order.tolist() == [0]
    assert counts[0] == most_games(1) == GAMES_ALONE
    assert maps.games.tolist() == [2 * GAMES_ALONE]


def test_a_rematch_settles_the_order_of_the_first_four(higher, teach, one_worker):
    maps = Maps.empty(5)
    for member, strength in enumerate((2, 5, 1, 7, 6)):
        teach(maps, member, higher, strength)
    contest = Contest(Rules(higher, True, 0, Lesson()), maps, one_worker)
    assert contest.rematch(np.arange(5), 3, seed_key(1)).tolist() == [3, 1, 0, 2, 4]
    assert contest.counts[0] == 6 * 3 == most_games(5, rounds=3) - most_games(5)
    assert contest.rematch(np.arange(5), 0, seed_key(1)).tolist() == [0, 1, 2, 3, 4]
