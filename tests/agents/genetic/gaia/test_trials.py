"""Tests that every list can take."""

import numpy as np

from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.genetic.gaia.trials import Entrant, Rival, Trials, entrant, take_tests


def test_a_test_is_the_same_game_whenever_a_list_takes_it(game):
    field, tests = Field.of(game, True), np.arange(1, 41, dtype=np.uint64).reshape(2, 20)
    found = []
    for some in (tests, tests[:, ::-1].copy()):
        results, counts = np.zeros((2, 20), dtype=np.int8), np.zeros(3, dtype=np.int64)
        take_tests(field, no_rules(1), no_rules(8, 3), 1.0, some, counts, results)
        assert set(np.unique(results)) == {-1, 0, 1}
        found.append(results)
    assert (found[0] == found[1][:, ::-1]).all()


def test_a_defeat_costs_more_than_all_draws_and_of_equals_the_shorter_is_better():
    drawn, lost = np.zeros((2, 20), dtype=np.int8), np.ones((2, 20), dtype=np.int8)
    lost[0, 0] = -1
    short, long = no_rules(3), no_rules(9)
    assert Entrant(long, drawn).cost < Entrant(short, lost).cost
    assert Entrant(short, drawn).cost < Entrant(long, drawn).cost


def test_lists_take_the_tests_that_they_have_not_taken(game, serial, backwards):
    """In steps or at once, and whoever works."""
    rival = Rival(game, True, no_rules(8, 3), 1.0)
    tests = np.arange(1, 41, dtype=np.uint64).reshape(2, 20)
    lists, reached = [entrant(no_rules(size)) for size in (1, 2, 3, 4)], []
    for shares, parallel in (((0.25, 1.0, 1.0), serial), ((1.0,), backwards)):
        trials, after = Trials(rival, tests, parallel), lists
        for share in shares:
            after = trials.take(after, share)
            assert after[0].results.shape == (2, round(20 * share))
        assert trials.games == 4 * 40
        reached.append((trials.counts.tolist(), [(len(one.rules), one.results.tolist()) for one in after]))
    assert reached[0] == reached[1]
    assert Trials(rival, tests, serial).take([]) == []
