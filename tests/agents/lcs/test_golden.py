"""What operators make of fixed draws, and what lists that use every word play: any change of either is noticed."""

import zlib

import numpy as np
import pytest

from ludarium.agents.lcs import operators
from ludarium.agents.lcs.bootstrap import Language, random_rule
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import FEATURES, empty_rules
from ludarium.agents.lcs.operators import Limits
from ludarium.agents.lcs.origin import first_lists
from ludarium.agents.lcs.text import rule_text
from ludarium.envs.chance import seed_key
from ludarium.envs.hanabi import Hanabi

LIMITS = Limits(25, 5)


def told(rules):
    return "\n".join(map(rule_text, rules))


def changed(operator):
    """The rules that an operator makes of random ones."""
    random, texts = np.random.default_rng(102), []
    for _ in range(300):
        rule = operators.random_rule(random, LIMITS)
        operator(rule[0], random)
        texts.append(told(rule))
    return zlib.crc32("\n".join(texts).encode())


@pytest.mark.parametrize(
    ("operator", "sum_of_texts"),
    [
        (lambda rule, random: operators.add_condition(rule, random, LIMITS), 268_526_883),
        (operators.remove_condition, 1_864_229_522),
        (operators.creep, 1_922_304_201),
        (lambda rule, random: operators.change_order(rule, random, LIMITS), 2_023_845_049),
        (operators.change_action, 857_055_372),
    ],
    ids=["add", "remove", "creep", "order", "action"],
)
def test_the_children_of_random_rules(operator, sum_of_texts):
    assert changed(operator) == sum_of_texts


def test_the_children_of_random_lists():
    random = np.random.default_rng(103)
    mother, texts = operators.random_list(random, LIMITS, 12), []
    for _ in range(300):
        father = operators.random_list(random, LIMITS, 12)
        mother = operators.cross(mother, father, random, LIMITS)
        mother = operators.mutate(mother, random, LIMITS, np.arange(1.0, len(mother) + 1), None)
        texts.append(told(mother))
    assert zlib.crc32("\n\n".join(texts).encode()) == 3_312_819_740


def test_rules_that_cover_a_position():
    keys = np.array([seed_key(104, deck) for deck in range(3)], dtype=np.uint64)
    sample, random = play_list(Hanabi(), keys, False, hand_list()).sample[0], np.random.default_rng(105)
    rules = [operators.covering_rule(random, LIMITS, sample)[0] for _ in range(200)]
    assert zlib.crc32(told(rules).encode()) == 1_288_573_207


@pytest.mark.parametrize(("given", "sum_of_texts"), [(hand_list(), 2_842_837_962), (empty_rules(0), 3_425_313_714)])
def test_the_first_lists(given, sum_of_texts):
    lists = first_lists(np.random.default_rng(105), given, LIMITS, 3)
    assert zlib.crc32(told(np.concatenate(lists)).encode()) == sum_of_texts


@pytest.mark.parametrize(
    ("seats", "given_hint", "sum_of_texts"),
    [
        ((2,), False, 2_214_210_603),
        ((2,), True, 1_378_410_447),
        ((3, 5), False, 892_990_122),
        ((3, 5), True, 383_710_859),
    ],
)
def test_random_rules_of_the_original(seats, given_hint, sum_of_texts):
    language, random = Language(tuple(Hanabi(seats=n) for n in seats), 4, given_hint), np.random.default_rng(105)
    rules = [random_rule(random, language)[0] for _ in range(200)]
    assert zlib.crc32(told(rules).encode()) == sum_of_texts


@pytest.mark.parametrize(("seats", "plays"), [(2, 2_979_633_780), (3, 501_063_450), (5, 1_020_336_613)])
def test_games_of_random_lists(seats, plays):
    random, game = np.random.default_rng(104), Hanabi(seats=seats)
    keys = np.array([seed_key(104, deck) for deck in range(3)], dtype=np.uint64)
    asked, seen = set(), 0
    for _ in range(60):
        rules = operators.random_list(random, LIMITS, 25)
        asked |= {*rules["feature"].ravel().tolist(), *rules["order"].ravel().tolist()}
        record = play_list(game, keys, False, rules)
        seen = zlib.crc32(record.scores.tobytes() + record.credit.tobytes(), seen)
    assert len(asked) > len(FEATURES) * 0.9
    assert seen == plays


def test_what_the_numbers_of_features_mean():
    """Stored runs name features by number; thresholds come from their levels, and end at their bounds."""
    rows = [(f.name, f.scope, list(map(float, f.levels)), float(f.most), f.pattern, f.seat, f.chance) for f in FEATURES]
    assert zlib.crc32(repr(rows).encode()) == 811_225_449
