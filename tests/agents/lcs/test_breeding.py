"""How whole lists breed: parents, children, and whose places they take."""

import numpy as np
import pytest

from ludarium.agents.lcs import breeding
from ludarium.agents.lcs.breeding import Heredity
from ludarium.agents.lcs.operators import Limits
from ludarium.agents.lcs.racing import Player
from ludarium.agents.lcs.text import read_rules


def player(text, *scores):
    rules = read_rules(text)
    return Player(rules, np.array(scores, dtype=np.float32), np.zeros((len(rules) + 1, 3)))


@pytest.fixture
def members():
    return [player("play", 5, 5), player("discard", 4, 4), player("hint", 3, 3), player("hint-rank", 2, 2)]


def test_a_parent_is_the_best_of_three(members):
    """All three are below a place if each is: the best of four is missed with a probability of (3/4)³."""
    random = np.random.default_rng(1)
    drawn = [members.index(breeding.parent(members, random)) for _ in range(4000)]
    assert [drawn.count(place) / 4000 for place in range(4)] == [
        pytest.approx(share / 64, abs=0.03) for share in (64 - 27, 27 - 8, 8 - 1, 1)
    ]


def test_without_merit_children_take_the_places_of_anybody(members):
    """However bad they are, and even the best player's."""
    replaced = set()
    for seed in range(40):
        players, newcomer = list(members), player("play\ndiscard", 0, 0)
        breeding.join(players, [newcomer], None, [False], np.random.default_rng(seed))
        assert players.count(newcomer) == 1
        replaced.add(players.index(newcomer))
    assert replaced == {0, 1, 2, 3}


@pytest.mark.parametrize(("stays", "scores", "joins"), [(True, (6, 6), 1), (False, (6, 6), 0), (True, (0, 0), 0)])
def test_with_merit_a_child_must_keep_up_and_be_better_than_somebody(members, stays, scores, joins):
    players, newcomer = list(members), player("play\ndiscard", *scores)
    breeding.join(players, [newcomer], [members[0]], [stays], np.random.default_rng(1))
    assert players.count(newcomer) == joins
    assert players.count(members[0]) == 1


def test_children_have_two_parents_only_with_crossover(members, monkeypatch):
    """Two of five have, if the second parent that is drawn is another; half of these do not change further."""
    random, changes = np.random.default_rng(2), []
    monkeypatch.setattr(breeding, "cross", lambda *parents: read_rules("play\nplay\nplay"))
    monkeypatch.setattr(breeding, "mutate", lambda rules, *_: changes.append(len(rules)) or rules)
    for crossover, share in ((True, 0.4), (False, 0.0)):
        heredity, mixed, unchanged = Heredity(Limits(9, 4), crossover, False, False), 0, 0
        for _ in range(600):
            changes.clear()
            mixed += len(breeding.child(members[3], members[:3], heredity, random)) == 3
            unchanged += not changes
        assert mixed / 600 == pytest.approx(share, abs=0.06)
        assert unchanged / 600 == pytest.approx(share / 2, abs=0.06)
