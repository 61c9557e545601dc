"""How if-then players breed: randomness, pairs, children, windows, and the places they take."""

import numpy as np
import pytest

from ludarium.agents.compiled.hashing import find
from ludarium.agents.genetic.ifthen.heredity import (
    Heredity,
    ahead_of_parents,
    breed,
    choose_parents,
    differences,
    disagreement,
    inherit_pairs,
    inherit_randomness,
    mothers_share,
)
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, WINDOW, Maps, put
from ludarium.envs.chance import seed_key, stream

KEYS = [np.uint64(1000 + n) for n in range(200)]
CODE = Heredity(0.05)


def test_randomness_by_the_code_stays_within_a_fortieth_of_the_parents():
    draws = stream(1)
    children = np.array([inherit_randomness(0.4, 0.9, CODE, draws) for _ in range(4000)])
    assert 0.39 <= children.min() < 0.3905
    assert 0.4095 < children.max() <= 0.41
    assert abs(children.mean() - 0.4) < 0.0005


def test_one_child_in_twenty_has_a_new_randomness():
    maps = Maps.empty(1000)
    maps.randomness[:] = 0.04
    breed(maps, np.arange(1000), 2, 2, 1000, CODE, seed_key(7))
    children = maps.randomness[2:]
    new = children[abs(children - 0.04) > 0.0011]
    assert 30 < len(new) < 70
    assert new.max() > 0.8


def test_randomness_by_the_text_adds_a_twentieth_of_the_others():
    text = CODE._replace(other_parent=True)
    assert inherit_randomness(0.4, 0.9, text, stream(1)) == pytest.approx(0.445)
    assert inherit_randomness(0.99, 0.9, text, stream(1)) == 1.0


def test_the_share_of_win_rates():
    maps = Maps.empty(3)
    maps.games[:], maps.wins[:] = (8, 4, 0), (6, 1, 0)
    assert mothers_share(maps, 0, 1) == 0.75
    assert mothers_share(maps, 2, 1) == 0
    maps.wins[:] = 0
    assert mothers_share(maps, 0, 1) == 0.5
    maps.wins[:2], maps.games[:2] = (1, 1), (1, 4)
    assert mothers_share(maps, 0, 1) == 0.8  # one game that was won


@pytest.fixture
def family():
    """Two parents: keys 0 to 99 with different moves, 100 to 149 only the mother's, 150 to 199 only the father's."""
    maps = Maps.empty(3)
    for number, key in enumerate(KEYS):
        if number < 150:
            put(maps, 0, key, 1, 0.1, 5)
        if number < 100 or number >= 150:
            put(maps, 1, key, 2, 0.2, 5)
    put(maps, 2, np.uint64(1), 3, 0.0, 1)  # what the child's place held before
    return maps


@pytest.fixture
def child(family, known):
    """Breeds the child: its moves for the keys of both parents, of the mother alone, and of the father alone."""

    def child(share, heredity=CODE):
        inherit_pairs(family, 2, 0, 1, share, heredity, stream(5))
        pairs = known(family, 2)
        assert family.entries[2] == len(pairs)
        groups = (KEYS[:100], KEYS[100:150], KEYS[150:])
        return [[pairs.get(int(key)) for key in group] for group in groups]

    return child


def test_each_pair_comes_from_the_mother_as_often_as_her_share_says(family, child):
    common, hers, his = child(0.75)
    assert set(common) == {1, 2}
    assert 60 < common.count(1) < 90
    assert set(hers) == {1}
    assert set(his) == {2}
    slot = find(family.keys[2], KEYS[150])
    assert (family.values[2, slot], family.visits[2, slot]) == (0.2, 5)


def test_with_drop_a_pair_of_one_parent_may_be_lost(child):
    common, hers, his = child(0.75, CODE._replace(drop=True))
    assert set(common) == {1, 2}
    assert 25 < hers.count(1) < 48
    assert 3 < his.count(2) < 25
    assert child(1.0, CODE._replace(drop=True)) == [[1] * 100, [1] * 50, [None] * 50]


def test_evidence_passes_on_the_pair_of_more_games(family, child):
    for number in range(50):
        put(family, number % 2, KEYS[number], 1 + number % 2, 0.0, 9)
    common, _, _ = child(1.0, CODE._replace(evidence=True))
    assert common[:50] == [1, 2] * 25
    assert common[50:] == [1] * 50


def test_what_a_parent_forgot_it_does_not_pass_on(family, child):
    family.moves[0, find(family.keys[0], KEYS[0])] = FORGOTTEN
    family.moves[0, find(family.keys[0], KEYS[100])] = FORGOTTEN
    common, hers, _ = child(1.0)
    assert (common[0], hers[0]) == (2, None)


def test_children_replace_the_bottom_and_have_two_different_parents(known):
    maps = Maps.empty(9)
    maps.games[:], maps.wins[:] = 10, 5
    for member in range(9):
        put(maps, member, KEYS[member], member, 0.0, 1)
    order = np.arange(9)[::-1].copy()
    before = [known(maps, member) for member in range(9)]
    breed(maps, order, 5, 5, 9, CODE._replace(randomness_rate=1.0, rerandomise_limit=0.3), seed_key(2))
    assert [known(maps, member) for member in order[:5]] == [before[member] for member in order[:5]]
    for member in order[5:]:
        assert len(known(maps, member)) == 2
        assert set(known(maps, member).values()) <= set(order[:5].tolist())
        assert (maps.games[member], maps.wins[member]) == (0, 0)
        assert 0 < maps.randomness[member] < 0.3
    assert not maps.randomness[order[:5]].any()


@pytest.mark.parametrize(("other_parent", "least", "most"), [(False, 0.195, 0.205), (True, 0.24, 0.24)])
def test_a_child_takes_its_randomness_after_the_parent_that_wins(other_parent, least, most):
    """By the text of the original, with a twentieth of the other parent's."""
    maps = Maps.empty(60)
    maps.games[:2], maps.wins[0], maps.randomness[:2] = 10, 10, (0.2, 0.8)
    breed(maps, np.arange(60), 2, 2, 60, Heredity(0.0)._replace(other_parent=other_parent), seed_key(4))
    assert least - 1e-9 <= maps.randomness[2:].min() <= maps.randomness[2:].max() <= most + 1e-9


def test_any_two_survivors_may_be_parents():
    couples = {tuple(map(int, choose_parents(3, place, seed_key(1), stream(0)))) for place in range(60)}
    assert couples == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}


def test_which_children_are_ranked_ahead_of_both_parents():
    before, key = np.array([4, 0, 2, 1, 5, 3]), seed_key(3)  # 1, 5 and 3 are children of two of 4, 0 and 2
    parents = [before[list(choose_parents(3, place, key, stream(0)))].tolist() for place in (3, 4, 5)]
    assert all(len(set(pair)) == 2 and set(pair) < {4, 0, 2} for pair in parents)

    def share(*after):
        return ahead_of_parents(before, np.array(after), key)

    assert share(1, 5, 3, 4, 0, 2) == 1
    assert share(*before) == 0
    (other,) = {4, 0, 2} - set(parents[1])
    assert share(other, 5, *parents[1], 1, 3) == pytest.approx(1 / 3)
    assert share(parents[1][0], 5, parents[1][1], other, 1, 3) == 0  # ahead of one only


def test_the_parents_are_those_that_breeding_chooses(known):
    maps = Maps.empty(6)
    for member in range(6):
        put(maps, member, KEYS[member], member, 0.0, 1)
    order, key = np.array([4, 0, 2, 1, 5, 3]), seed_key(3)
    breed(maps, order, 3, 3, 6, CODE, key)
    for place in (3, 4, 5):
        parents = order[list(choose_parents(3, place, key, stream(0)))]
        assert set(known(maps, order[place]).values()) == set(parents.tolist())


def test_disagreement_is_the_share_of_common_pairs_that_differ(family):
    for number in range(25):
        put(family, 1, KEYS[number], 1, 0.0, 1)
    assert disagreement(family, np.array([0, 1])) == 0.75
    assert disagreement(Maps.empty(2), np.array([0, 1])) == 0


def test_children_inherit_the_mean_of_what_their_parents_say_of_a_window():
    maps, key = Maps.empty(3), [np.uint64(n) for n in (5, 6, 7)]
    for member, value in ((0, 0.2), (1, 0.6)):
        put(maps, member, key[0], WINDOW, value, 10 + member)
        put(maps, member, key[1 + member], WINDOW, value, 3)
    inherit_pairs(maps, 2, 0, 1, 0.5, CODE._replace(evidence=True), stream(1))
    slots = [find(maps.keys[2], k) for k in key]
    assert maps.values[2, slots] == pytest.approx([0.4, 0.2, 0.6])
    assert maps.visits[2, slots[0]] == 11
    assert tuple(differences(maps, 0, 1)) == (0, 1)
    maps.values[0] *= -1
    assert tuple(differences(maps, 0, 1)) == (1, 1)  # one thinks well of it, the other ill
