"""Selection, inheritance and mutation of players made of rules."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.operators import Heredity
from ludarium.agents.genetic.gaia.rules import RULE, Generator
from ludarium.envs.chance import stream


@pytest.fixture(scope="module")
def generator(game):
    return Generator.of(board(game, False), 0.25, 4)


def numbered(*weights, first=0):
    """Rules with these weights, which differ in what they ask of the board."""
    made = np.zeros(len(weights), dtype=RULE)
    made["own"] = first + 1 + np.arange(len(weights))
    made["weight"] = weights
    return made


@pytest.mark.parametrize(
    ("selection", "parents", "replaced"),
    [
        ("best-50", range(50), range(50, 100)),
        ("none", range(50), range(50, 100)),
        ("best-10", range(10), range(10, 100)),
        ("best-20", range(20), range(20, 100)),
        ("best-40-worst-10", [*range(40), *range(90, 100)], range(40, 90)),
    ],
)
def test_who_has_children_and_in_whose_places(selection, parents, replaced):
    parts = operators.parents_and_replaced(selection, 100)
    assert [list(part) for part in parts] == [list(parents), list(replaced)]


def test_there_are_two_parents_at_least():
    assert [list(part) for part in operators.parents_and_replaced("best-10", 4)] == [[0, 1], [2, 3]]


def test_couples_have_two_children_each_with_the_roles_exchanged():
    assert operators.couples(np.array([3, 1, 0, 2]), 4).tolist() == [[3, 1], [0, 2], [1, 3], [2, 0]]
    assert operators.couples(np.array([0, 1, 2]), 3).tolist() == [[0, 1], [2, 0], [1, 0]]


def test_children_are_dealt_out_evenly():
    children = operators.couples(np.arange(4), 36)
    assert np.unique(children.max(axis=1), return_counts=True)[1].tolist() == [18, 18]


def test_rules_are_inherited_in_turns():
    mother, father, child = numbered(1, 2, 3, 4), numbered(4, 3, 2, 1, first=10), np.zeros(4, dtype=RULE)
    operators.inherit(child, mother, father, False, True)
    assert child["own"].tolist() == [1, 12, 3, 14]
    assert child["weight"].tolist() == [1, 3, 3, 1]
    operators.inherit(child, mother, father, False, False)
    assert child["weight"].tolist() == [0, 0, 0, 0]


def test_the_heavier_rule_is_inherited_of_equals_the_mothers():
    mother, father, child = numbered(1, 2, 3, 4, 5), numbered(4, 3, 2, 1, 5, first=10), np.zeros(5, dtype=RULE)
    operators.inherit(child, mother, father, True, True)
    assert child["own"].tolist() == [11, 12, 3, 4, 5]


def test_mutations_are_as_many_as_they_should_be(generator):
    rules = numbered(*[5.0] * 4000)
    assert operators.mutate(rules, 0.0, 1.0, generator, stream(1)) == 0
    count = operators.mutate(rules, 0.1, 1.0, generator, stream(1))
    assert 330 < count < 470
    assert (rules["weight"] == 0).sum() == count


def test_mutations_accumulate_beside_each_other(generator):
    alone, spread = numbered(*[5.0] * 4000), numbered(*[5.0] * 4000)
    operators.mutate(alone, 0.05, 1.0, generator, stream(1))
    operators.mutate(spread, 0.05, 12.0, generator, stream(1))

    def after_a_mutation(rules):
        mutated = rules["weight"] == 0
        return mutated[1:][mutated[:-1]].mean()

    assert after_a_mutation(alone) < 0.15
    assert 0.45 < after_a_mutation(spread) < 0.75


def test_repeated_rules_are_replaced(generator):
    rules = numbered(1, 2, 3, 4)
    rules["own"] = [256, 16, 256, 16]
    rules["action"] = [0, 0, 0, 1]
    assert operators.replace_repeated(rules, generator, stream(1)) == 1
    assert rules["weight"].tolist() == [1, 2, 0, 4]


def test_light_rules_are_replaced(generator):
    rules = numbered(1, -2, 3, -1)
    assert operators.replace_light(rules, -1.0, generator, stream(1)) == 2
    assert rules["weight"].tolist() == [1, 0, 3, 0]


def test_resemblance_lowers_the_weight():
    population = np.stack([numbered(0, 0, 0, 0), numbered(0, 0, 0, 0), numbered(0, 0, 0, 0, first=20)])
    population[1, 0]["own"] = 99
    assert operators.similarity(population[0], population[1]) == 0.75
    weights = np.array([7.0, -2.0, 5.0])
    assert operators.shared_weights(population, weights, 0.5).tolist() == [4.0, -3.5, 5.0]
    assert operators.shared_weights(population, weights, 0.75).tolist() == weights.tolist()


def test_all_copies_of_a_rule_learn_from_one():
    population = np.stack([numbered(0, 0), numbered(0, 0), numbered(0, 0, first=20)])
    population[1] = population[1, ::-1]
    operators.communicate(population, np.array([[2.0, 0.0], [0.0, 0.0], [0.0, -1.0]]))
    assert population["weight"].tolist() == [[0, 0], [0, 2], [0, 0]]
    alike = np.zeros((2, 2), dtype=RULE)
    operators.communicate(alike, np.array([[1.0, 0.0], [0.0, -3.0]]))
    assert alike["weight"].tolist() == [[-3, 1 - 3], [1 - 3, 1]]  # what is its own, a rule has already


def test_a_single_player_is_the_only_parent_and_stays():
    parents, replaced = operators.parents_and_replaced("best-50", 1)
    assert (parents.tolist(), replaced.tolist()) == ([0], [])
    assert operators.couples(parents, 1).tolist() == [[0, 0]]
    assert operators.couples(parents, 0).shape == (0, 2)


def born_of(rules, generator, **heredity):
    """The rules of four children of players with these rules, which do not mutate."""
    options = Heredity(0.0, 1.0, False, False, True, False)._replace(**heredity)
    population = np.stack([rules] * 2)
    return operators.children(population, np.arange(2), 4, options, generator, stream(1))


def test_children_of_equal_parents_are_new_in_all_their_rules(generator):
    for mutate_equal in (False, True):
        same = (born_of(numbered(*range(20)), generator, mutate_equal=mutate_equal)["own"] == 1 + np.arange(20)).mean()
        assert same < 0.5 if mutate_equal else same == 1


def test_repeated_rules_of_children_are_replaced(generator):
    for no_repeats, different in ((False, 1), (True, 20)):
        child = born_of(np.repeat(numbered(1), 20), generator, no_repeats=no_repeats)[1]
        assert len(np.unique(child["own"] * 512 + child["empty"])) >= different * 0.9
