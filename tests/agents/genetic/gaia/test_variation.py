"""How ordered lists of rules vary."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import variation
from ludarium.agents.genetic.gaia.rules import Generator


@pytest.fixture(scope="module")
def made(game):
    return Generator.of(board(game, True), 0.7)


def test_changed_rules_ask_for_what_their_actions_need(made, game):
    draws, seen = np.random.default_rng(1), board(game, True)
    rules = variation.new_list(draws, made, 12)
    lengths = set()
    for _ in range(300):
        rules = variation.mutate(rules, draws, made, 20)
        lengths.add(len(rules))
        needs = seen.needs[rules["action"]]
        for number, side in enumerate(("own", "opponent", "empty")):
            assert (rules[side] & needs[:, number] == needs[:, number]).all()
        assert not ((rules["own"] & rules["opponent"]) | (rules["own"] & rules["empty"])).any()
    assert max(lengths) <= 20
    assert len(lengths) > 3


def test_a_child_of_two_has_rules_of_both_and_of_nobody_else(made, wants):
    draws = np.random.default_rng(2)
    mother, father = (variation.new_list(draws, made, count) for count in (8, 12))
    mixed = 0
    for _ in range(50):
        child = variation.cross(mother, father, draws, 15)
        assert 1 <= len(child) <= 15
        assert wants(child) <= wants(mother) | wants(father)
        mixed += bool(wants(child) - wants(mother)) and bool(wants(child) - wants(father))
    assert mixed > 25
