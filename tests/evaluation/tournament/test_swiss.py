"""Swiss tournaments: who meets whom, who rests, and how large they may be."""

import itertools
from collections import Counter

import numpy as np
import pytest

from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import _rounds, _scores, games_in_all, run
from ludarium.evaluation.tournament.store import GameRow, Store, StoreError
from ludarium.evaluation.tournament.swiss import swiss_pairings


def play_rounds(entrants, rounds, seed=0):
    """Each round's pairings, and how often each entrant has rested, where strength and luck decide."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=entrants)
    met, rests, wins, played = set(), Counter(), Counter(), []
    for _ in range(rounds):
        order = sorted(range(entrants), key=lambda i: (-wins[i] - rests[i], i))
        pairings = swiss_pairings(order, met, rests)
        players = list(itertools.chain(*pairings))
        assert not met & set(pairings)
        assert len(players) == len(set(players))
        assert all(a < b for a, b in pairings)
        shown = strength + rng.normal(size=entrants)
        wins.update(max(pair, key=shown.__getitem__) for pair in pairings)
        rests.update(set(range(entrants)).difference(players))
        met.update(pairings)
        played.append(pairings)
    return played, rests


@pytest.mark.parametrize("entrants", range(2, 14))
def test_all_play_in_half_of_the_rounds_there_can_be(entrants):
    for seed in range(20):
        played, rests = play_rounds(entrants, entrants // 2, seed)
        assert {len(pairings) for pairings in played} == {entrants // 2}
        assert max(rests.values(), default=0) <= 1


@pytest.mark.parametrize("entrants", range(2, 13, 2))
def test_nearly_all_play_in_all_rounds_there_can_be(entrants):
    """The last rounds have few pairings to choose from, and those may be such that not all can be paired."""
    complete = entrants * (entrants - 1) // 2
    counts = [sum(map(len, play_rounds(entrants, entrants - 1, seed)[0])) for seed in range(50)]
    assert min(counts) >= 0.85 * complete
    assert sum(count == complete for count in counts) > 25


def test_the_last_of_those_who_rested_least_rests():
    assert swiss_pairings([3, 1, 4, 0, 2], set(), Counter()) == [(0, 4), (1, 3)]
    assert swiss_pairings([3, 1, 4, 0, 2], set(), Counter([2])) == [(1, 3), (2, 4)]
    assert swiss_pairings([3, 1, 4, 0, 2], set(), Counter([0, 1, 2, 4])) == [(0, 2), (1, 4)]


def test_another_rests_where_else_fewer_could_play():
    assert swiss_pairings([0, 1, 2], {(0, 1)}, Counter()) == [(0, 2)]
    assert swiss_pairings([0, 1, 2], {(0, 1), (0, 2)}, Counter([0, 1, 1])) == [(1, 2)]
    assert swiss_pairings([0, 1, 2], {(0, 1), (1, 2)}, Counter([0, 0])) == [(0, 2)]


def test_pairs_further_down_are_changed():
    """The last two have met: the pair above them is parted, and the one at the top is not."""
    assert swiss_pairings(list(range(6)), {(4, 5)}, Counter()) == [(0, 1), (2, 5), (3, 4)]


def test_odd_circles_are_no_obstacle():
    """1–2 and 3–4 meet first, which leaves 0 and 5; a way from one to the other passes the circle of 2, 3 and 4."""
    left = {(0, 1), (0, 5), (1, 3), (1, 5), (2, 3), (2, 4), (3, 4)}
    met = set(itertools.combinations(range(6), 2)) - left
    assert swiss_pairings(list(range(6)), met, Counter()) == [(0, 5), (1, 3), (2, 4)]


def test_as_many_play_as_can():
    def most(entrants, met):
        """The most pairings of these entrants, by trying all."""
        if len(entrants) < 2:
            return 0
        first, *rest = entrants
        paired = (1 + most([i for i in rest if i != one], met) for one in rest if (first, one) not in met)
        return max(most(rest, met), *paired, 0)

    rng = np.random.default_rng(1)
    for _ in range(300):
        entrants = list(range(int(rng.integers(4, 10))))
        met = {pair for pair in itertools.combinations(entrants, 2) if rng.random() < 0.7}
        rests = Counter(dict(enumerate(rng.integers(0, 3, len(entrants)).tolist())))
        pairings = swiss_pairings(rng.permutation(entrants).tolist(), met, rests)
        assert not met & set(pairings)
        assert len(pairings) == most(entrants, met) == len(set(itertools.chain(*pairings))) / 2


def test_who_has_met_all_rests():
    met = set(itertools.combinations(range(3), 2)) | set(itertools.combinations(range(3, 6), 2))
    met |= {(a, b) for a in range(3) for b in range(3, 6) if (a, b) != (2, 3)}
    assert swiss_pairings(list(range(6)), met, Counter()) == [(2, 3)]
    assert swiss_pairings([0, 1], {(0, 1)}, Counter()) == []

    for seed in range(50):
        played, rests = play_rounds(5, 4, seed)
        assert [len(pairings) for pairings in played] == [2, 2, 2, 2]
        assert sorted(rests[i] for i in range(5)) == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("entrants", [2000, 2001])
def test_many_entrants_and_many_rounds(entrants):
    played, rests = play_rounds(entrants, 10)
    assert {len(pairings) for pairings in played} == {1000}
    assert max(rests.values(), default=0) == entrants % 2
    played, rests = play_rounds(41, 40)
    assert sum(map(len, played)) >= 0.99 * 40 * 20
    assert max(rests.values()) <= 4


def tournament(agents, rounds, pairs=6):
    return Tournament(agents, (GameEntry("tictactoe", pairs, 1),), format="swiss", rounds=rounds)


def pairings(games):
    return {(row.a, row.b) for row in games}


def test_neighbours_meet(played):
    four = tournament(("random", "random", "greedy", "perfect"), 2, pairs=40)
    games, _ = played(four)
    met = pairings(games)
    assert {(0, 1), (2, 3)} <= met  # the first round is in the order of entry
    assert len(met) == 4
    assert played(four, workers=1)[0] == games


def test_all_play_about_equally_often(played):
    games, state = played(tournament(("random",) * 4 + ("perfect",), 4))
    met = pairings(games)
    assert sorted(Counter(itertools.chain(*met)).values()) == [3, 3, 3, 3, 4]
    assert state.done == state.total == 4 * 2 * 12


def test_a_rest_counts_as_a_won_pairing(played):
    """In the first round the last of five rests, so in the second it meets the best of the others."""
    met = pairings(played(tournament(("perfect", "random", "random", "random", "random"), 2))[0])
    assert {(0, 1), (2, 3), (0, 4)} < met


def test_a_rest_counts_as_much_as_two_wins_in_every_pair():
    """In the second round, who rested and has the last number stands below those that have won everything."""
    five = tournament(("random",) * 5, 2, pairs=2)
    winners = {(0, 1): 1.0, (2, 3): -1.0}
    games = [(*met, pair, leg, won) for met, won in winners.items() for pair in (0, 1) for leg in (0, 1)]
    rows = [GameRow(0, a, b, pair, leg, won, -won, 0, "", b"") for a, b, pair, leg, won in games]
    with Store(None, five.data()) as store:
        store.add(rows)
        drawn = [[(a, b) for _, a, b in pairings] for pairings, _ in _rounds(five, store)]
        assert drawn == [[], [(0, 1), (2, 3)], [(0, 3), (1, 4)]]
        store.add([rows[0]._replace(pair=2, payoff_a=0.0, payoff_b=0.0)])
        assert _scores(store, 0, {(0, 1)}) == {0: 9, 1: 1}  # a win is 2, a draw 1


def test_rounds_end_when_all_have_met(played):
    three = tournament(("random",) * 3, 10**30, pairs=1)
    games, state = played(three)
    assert len(pairings(games)) == 3
    assert state.done == state.total == games_in_all(three) == 6


def test_it_is_resumed_from_the_store_alone(played):
    five = tournament(("random", "greedy", "random", "perfect", "random"), 4)
    whole, _ = played(five)

    def stop(state):
        if state.done > 20:
            raise InterruptedError

    with Store(None, five.data()) as store:
        with pytest.raises(InterruptedError):
            run(five, store, executor="threads", progress=stop)
        assert 20 < store.count() < len(whole)
        run(five, store, executor="threads")
        assert store.games() == whole
        run(five, store, executor="threads")  # nothing is left to play
        assert store.games() == whole
    with Store(None, five.data()) as store:  # all pairings of the first round have begun, and none is over
        store.add(row for row in whole if (row.a, row.b) in {(0, 1), (2, 3)} and row.pair > 0)
        run(five, store, executor="threads")
        assert store.games() == whole


def test_a_store_with_other_pairings_is_not_played_on(played):
    """Such as one that was made when a rest counted nothing."""
    five = tournament(("random", "greedy", "random", "perfect", "random"), 4)
    whole, _ = played(five)
    with Store(None, five.data()) as store:
        other = next(pair for pair in itertools.combinations(range(5), 2) if pair not in pairings(whole))
        store.add([whole[0]._replace(a=other[0], b=other[1])])
        with pytest.raises(StoreError, match="holds pairings that are not due before this round is played"):
            run(five, store, executor="threads")
        assert store.count() == 1
