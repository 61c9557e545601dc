"""The map that judges lists in games with more positions than the memory holds."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import hash_state
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.genetic.gaia.window_judge import (
    GAMES_ALONE,
    Kept,
    MapTerms,
    judge_of,
    judged,
    knows_nothing,
    learn,
    meet,
    weigh_moves,
)
from ludarium.agents.genetic.ifthen.maps import Maps, put
from ludarium.envs.chance import seed_key
from ludarium.envs.kernels import MAX_MOVES


@pytest.fixture(scope="module")
def terms(game):
    return MapTerms(game, symmetry=True, windows=4, rule_cost=4.0, seed=0)


@pytest.fixture(scope="module")
def field(game):
    return Field.of(game, True)


@pytest.fixture
def new(game):
    """A judge that knows nothing."""
    return knows_nothing(game, 64)


def positions(game, *games):
    """The states after some moves, shape (n, bytes)."""
    states = []
    for actions in games:
        position = game.start()
        for action in actions:
            position.play(action)
        states.append(position.data.copy())
    return np.array(states)


def marks_of(game, kept):
    """How many marks there are in each kept position."""
    states = kept.states[: kept.count[0]].view(game.state)
    return np.bitwise_count(states["own"] | states["opponent"])


def regrets_of(terms, field, arrays, states):
    """The positions as rules see them, and the regrets of their moves."""
    senses, regrets = np.zeros((len(states), 8, 3), dtype=np.uint64), np.full((len(states), 9), np.nan)
    weigh_moves(field, judge_of(terms, arrays), states, senses, regrets)
    return senses, regrets


def test_regrets_are_shares_of_the_worst_moves(terms, field, game, new):
    """Even a map that knows nothing sees a move that wins."""
    senses, regrets = regrets_of(terms, field, new, positions(game, (0, 3, 1, 4), ()))
    assert regrets[0, 2] == 0.0
    assert (regrets[0, 5:] == 1.0).all()
    assert np.isnan(regrets[0, [0, 1, 3, 4]]).all()
    assert (regrets[1] == 0.0).all()  # nothing is known about the first move
    assert senses[0, 0].tolist() == [0b11, 0b11000, 0b111100100]


def test_regrets_between_the_best_and_the_worst_move_are_in_proportion(terms, field, game, new):
    """A position is worth the opposite to the side that leads to it."""
    maps = Maps(*(new[f"map_{name}"] for name in Maps._fields))
    for first, value in ((0, 0.5), (4, -0.5), (8, 0.25)):
        words = positions(game, (first,))[0].view(np.uint64)
        put(maps, 0, np.uint64(hash_state(words)), first, value, 1)
    regrets = regrets_of(terms, field, new, positions(game, ()))[1][0]
    assert regrets.tolist() == [1.0, 0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.5, 0.75]


def test_the_map_learns_and_its_games_are_counted(terms, field, game, new, serial):
    counts = np.zeros(3, dtype=np.int64)
    assert learn(terms, new, 1050, counts, serial) == 1000
    assert new["map_games"].tolist() == [2000]  # it had both seats
    assert 5000 < counts[0] < 9000
    assert 0.4 < counts[1] / counts[0] < 0.8
    opening = regrets_of(terms, field, new, positions(game, (4,)))[1][0]
    assert np.nanmax(opening[[0, 2, 6, 8]]) < np.nanmin(opening[[1, 3, 5, 7]])  # an edge loses against the centre


def test_the_latest_positions_with_a_choice_are_kept(terms, field, game, new):
    judge, seen, counts = judge_of(terms, new), [], np.zeros(3, dtype=np.int64)
    for places in (4000, 100):
        kept = Kept.none(game, places)
        meet(field, judge, no_rules(1, 3)[0], 400, seed_key(1), kept, counts)
        seen.append((kept, int(kept.count[0])))
    assert counts[1] / counts[0] == pytest.approx(0.8 * 0.75, abs=0.02)  # the map has three seats of four
    (all_of_them, count), (latest, again) = seen
    assert count == again > 1000
    np.testing.assert_array_equal(
        np.roll(latest.states, -(count % 100), axis=0), all_of_them.states[count - 100 : count]
    )
    assert marks_of(game, all_of_them).max() == 7  # with eight there is no choice
    known = judged(field, judge, all_of_them, 4.0)
    assert len(known.senses) <= count
    assert ((~np.isnan(known.regrets)).sum(axis=1) > 1).all()


def test_of_games_with_a_list_only_its_own_positions_are_kept(terms, field, game, new):
    kept = Kept.none(game, 9)
    judge, counts = judge_of(terms, new), np.zeros(3, dtype=np.int64)
    sizes = []
    for games in (1, 2):  # the first is the map's own
        kept.count[0] = 0
        meet(field, judge, no_rules(1, 3)[0], games, seed_key(3), kept, counts)
        sizes.append(int(kept.count[0]))
    assert sizes[0] >= 5
    assert 0 < sizes[1] - sizes[0] <= 5


def test_meetings_are_a_function_of_the_key(field, game, terms, new):
    met = []
    for key in (1, 1, 2):
        kept = Kept.none(game, 100)
        meet(field, judge_of(terms, new), no_rules(1, 3)[0], 10, seed_key(key), kept, np.zeros(3, dtype=np.int64))
        met.append(kept.states.tolist())
    assert met[0] == met[1] != met[2]


def test_meetings_end_after_the_most_moves_that_a_game_may_have(field, game, terms, new):
    table, kept, counts = field.table.copy(), Kept.none(game, 100), np.zeros(3, dtype=np.int64)
    table[MAX_MOVES] = 3
    meet(field._replace(table=table), judge_of(terms, new), no_rules(1, 3)[0], 20, seed_key(1), kept, counts)
    assert counts[0] == 20 * 3
    assert marks_of(game, kept).max() == 2


def test_a_map_remembers_32_768_pairs(terms, new, monkeypatch, one_worker):
    limits = []

    def grown(maps, capacity):
        limits.append(capacity)
        return maps

    monkeypatch.setattr(Maps, "grown", grown)
    learn(terms, dict(new), 2 * GAMES_ALONE, np.zeros(3, dtype=np.int64), one_worker)
    assert limits == [32_768, 32_768]
