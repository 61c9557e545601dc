"""A population of lists in the arrays of a run."""

import numpy as np
import pytest

from ludarium.agents.lcs import population
from ludarium.agents.lcs.racing import Player
from ludarium.agents.lcs.text import read_rules, rules_text

LISTS = ("play\ndiscard\nhint\n", "discard\nplay\n", "hint\n")


@pytest.fixture
def arrays():
    """Room for three lists of at most three rules, and for scores on four decks, two of which have been played."""
    arrays = population.start([read_rules("hint")] * 3, 3, 4)
    arrays["progress"][population.WINDOW] = 2
    return arrays


def member(text, *scores):
    rules = read_rules(text)
    credit = np.arange(3.0 * (len(rules) + 1)).reshape(-1, 3) + len(rules)
    return Player(rules, np.array(scores, dtype=np.float32), credit)


def what_is_known(players):
    return [(rules_text(one.rules), one.scores.tolist(), one.credit.tolist()) for one in players]


def test_what_is_known_of_lists_of_any_length_is_kept(arrays):
    """Also of the longest; the last row of the credit, of the moves without a rule, belongs to each."""
    members = [member(text, number, 9) for number, text in enumerate(LISTS)]
    population.store(arrays, members)
    assert what_is_known(population.players(arrays)) == what_is_known(members)
    assert population.merits(arrays) == ["4.50 points", "5.00 points", "5.50 points"]


def test_the_best_fill_empty_places(arrays):
    best, other = member(LISTS[0], 7, 7), member(LISTS[1], 3, 3)
    population.store(arrays, [best, other])
    assert what_is_known(population.players(arrays)) == what_is_known([best, other, best])


def test_the_window_moves_on_and_never_shrinks(arrays):
    arrays["progress"][:] = 0
    assert population.merits(arrays) == ["", "", ""]
    fresh, windows = [], []
    for size in (2, 2, 4, 3):
        fresh.append(population.move_window(arrays, size, 3))
        windows.append(list(population.window(arrays)))
    assert fresh == [2, 1, 2, 2]  # a third of all decks, rounded up, or as many as are missing
    assert windows == [[1, 0], [2, 1], [4, 3, 2, 1], [6, 5, 4, 3]]
