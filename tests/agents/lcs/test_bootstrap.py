"""Random rules of the original's types: all occur, mostly together, and none asks what a game cannot have."""

from collections import Counter

import numpy as np
import pytest

from ludarium.agents.lcs import bootstrap
from ludarium.agents.lcs.bootstrap import GIVEN_HINT, TARGETS, TYPES, Language, fires_in, nested, random_rule
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.language import FEATURES, HINT_COLOR, NUMBER, OWN, pattern_number
from ludarium.agents.lcs.text import read_rules, rule_text, rules_text, well_formed
from ludarium.envs.chance import seed_key
from ludarium.envs.hanabi import Hanabi

GAME = Hanabi()


def some_rules(count=400, games=(GAME,), conditions=4, given_hint=False):
    language, random = Language(games, conditions, given_hint), np.random.default_rng(1)
    return np.concatenate([random_rule(random, language) for _ in range(count)])


def shares(rules):
    """The share of the rules that ask for each feature."""
    asked = Counter(int(number) for rule in rules for number in {*rule["feature"].tolist()} - {-1})
    return {number: count / len(rules) for number, count in asked.items()}


def test_all_types_are_equally_frequent_and_mostly_combined():
    rules = some_rules()
    asked, counts = shares(rules), [len(nested(rule)) for rule in rules]
    assert set(asked) == {*TARGETS, *TYPES} - {NUMBER["seats"]}
    assert all(asked[number] == pytest.approx(1 / 3, abs=0.08) for number in set(asked) - {*TARGETS})
    assert asked[TARGETS[0]] + asked[TARGETS[1]] == pytest.approx(1)
    assert sum(count > 1 for count in counts) / len(counts) == pytest.approx(0.8, abs=0.05)
    assert {*counts} == {1, 2, 3, 4}
    assert {int(action) for action in rules["action"]} == {0, 1, 3, 4}
    assert (rules["order"] == [NUMBER["match"], -1]).all()


def test_a_rule_has_room_for_eight_conditions_with_that_on_its_target():
    rules = some_rules(60, conditions=8)
    assert np.count_nonzero(rules["feature"] >= 0, axis=1).max() == 8
    assert max(len(nested(rule)) for rule in rules) == 7


def test_hints_given_are_added_to_the_other_types():
    before, after = shares(some_rules()), shares(some_rules(given_hint=True))
    assert {*after} - {*before} == {*GIVEN_HINT[0], *GIVEN_HINT[1]}
    assert all(after[number] == pytest.approx(before[number], abs=0.08) for number in before)
    assert sum(after[number] for number in after if number not in before) == pytest.approx(0.5, abs=0.05)


def test_the_same_type_occurs_twice_but_never_with_the_same_pattern():
    rules, twice = some_rules(), 0
    for rule in rules:
        asked = [*zip(rule["feature"][rule["feature"] >= 0].tolist(), rule["pattern"].tolist(), strict=False)]
        assert len({*asked}) == len(asked)
        twice += len({number for number, _ in asked}) < len(asked)
    assert twice > 40


def test_patterns_are_of_all_kinds():
    rules = some_rules()
    asked = rules["feature"]
    patterns = rules["pattern"][np.isin(asked, [n for n, f in enumerate(FEATURES) if f.pattern])]
    assert np.mean(patterns // 180 % 2) == pytest.approx(0.25, abs=0.05)
    for color, rank in ((False, True), (True, False), (False, False)):
        kind = ((patterns // 6 % 6 == 5) == color) & ((patterns % 6 == 5) == rank)
        assert kind.mean() == pytest.approx(1 / 3, abs=0.06)
    assert len(np.unique(rules["pattern"][asked == OWN] // 360)) == 20


@pytest.mark.parametrize("seats", [2, 4])
def test_rules_ask_for_the_seats_that_there_are(seats):
    rules = some_rules(games=(Hanabi(seats=seats),))
    for name in ("fellow", "tells"):
        assert {*(rules["pattern"][rules["feature"] == NUMBER[name]] // 36 % 5).tolist()} == {*range(seats)}
    assert NUMBER["seats"] not in shares(rules)
    assert shares(some_rules(games=(GAME, Hanabi(seats=3))))[NUMBER["seats"]] > 0.1


@pytest.mark.parametrize(
    ("name", "pattern", "most"),
    [
        ("tokens", 0, 8),
        ("lives", 0, 3),
        ("seats", 0, 4),
        ("table", pattern_number(0, 2), 1),
        ("table", pattern_number(5, 2), 5),
        ("table", pattern_number(0, 2, negated=True), 24),
        ("discards", pattern_number(0, 0), 3),
        ("discards", pattern_number(0, 5), 10),
        ("fellow", pattern_number(0, 5, seat=1), 4),
        ("fellow", pattern_number(0, 5), 10),
        ("fellow", pattern_number(0, 5, seat=4), 0),
        ("fellow", pattern_number(0, 5, seat=3), 4),
        ("fellow", pattern_number(5, 5), 12),
        ("own", pattern_number(0, 4, chance=0.5), 1),
        ("own", pattern_number(0, 5), 4),
        ("tells", pattern_number(5, 5), 4),
        ("tells", pattern_number(0, 4), 1),
        ("tells", pattern_number(5, 5, seat=4), 0),
        ("news", 0, 4),
        ("card", pattern_number(0, 0), 1),
    ],
)
def test_thresholds_end_where_the_game_does(name, pattern, most):
    language = Language((Hanabi(seats=4),), 4, given_hint=False)
    assert language.most(NUMBER[name], pattern) == most


@pytest.mark.parametrize(("color", "most"), [(0, 1), (1, 0)])
def test_a_game_of_one_color_has_no_cards_of_another(color, most):
    language = Language((Hanabi(preset="very-small"),), 4, given_hint=False)
    for name in ("card", "table", "own"):
        assert language.most(NUMBER[name], pattern_number(color, 4)) == most


def test_rules_of_small_games_can_be_fulfilled():
    rules = some_rules(games=(Hanabi(preset="very-small"),))
    assert well_formed(rules)
    for rule in rules:
        for number, pattern, threshold in zip(rule["feature"], rule["pattern"], rule["threshold"], strict=True):
            if FEATURES[number].pattern and number >= 0:
                assert pattern // 6 % 6 in (0, 5)
            assert number < 0 or threshold <= Language((Hanabi(preset="very-small"),), 4, False).most(number, pattern)


def test_random_rules_can_be_read_again():
    rules = some_rules(200, games=(GAME, Hanabi(seats=5)), given_hint=True)
    assert (read_rules(rules_text(rules)) == rules).all()


def test_rules_that_cover_a_position_fire_there_and_ask_as_much_as_others():
    language, random = Language((GAME,), 4, given_hint=True), np.random.default_rng(4)
    keys = np.array([seed_key(103, deck) for deck in range(3)], dtype=np.uint64)
    record = play_list(GAME, keys, False, some_rules(30), study=True)
    assert record.sample["known"][0] > 0
    fires = fires_in(GAME, False, record.met)
    rules = [random_rule(random, language, fires) for _ in range(100)]
    assert all(fires(rule) for rule in rules), rule_text(rules[0][0])
    assert np.mean([fires(random_rule(random, language)) for _ in range(100)]) < 0.3
    assert np.mean([len(nested(rule[0])) > 1 for rule in rules]) > 0.7
    assert {*shares(np.concatenate(rules))} >= {NUMBER[name] for name in ("table", "fellow", "own", "card")}
    assert any(rule["action"] >= HINT_COLOR for rule in rules) or record.sample["known"][0] == 2


def extended(fires, monkeypatch):
    """The texts, without numbers, of a rule after one try to add a condition on tokens."""
    monkeypatch.setattr(bootstrap, "_TRIES", 1)
    language, tokens, texts = Language((GAME,), 4, given_hint=False), [NUMBER["tokens"]], set()
    for seed in range(20):
        rule = read_rules("play: fresh and not touched")
        bootstrap._extend(rule, np.random.default_rng(seed), language, tokens, fires)
        texts.add(rule_text(rule[0]).rstrip(" 0123456789"))
    return texts


def test_a_condition_that_does_not_hold_is_turned_round_or_left_out(monkeypatch):
    """The others stay as they are."""
    many_tokens, few_tokens = "play: fresh and not touched and tokens >=", "play: fresh and not touched and tokens <"
    assert extended(lambda rule: True, monkeypatch) == {many_tokens, few_tokens}
    assert extended(lambda rule: rule["negated"][0, 2], monkeypatch) == {few_tokens}
    assert extended(lambda rule: not rule["negated"][0, 2], monkeypatch) == {many_tokens}
    assert extended(lambda rule: False, monkeypatch) == {"play: fresh and not touched"}


def test_a_study_counts_every_rule_that_fires():
    rules = read_rules("discard: tokens < 8\nhint\nplay\nplay: lives < 1\n")
    keys = np.array([seed_key(104, 1)], dtype=np.uint64)
    record = play_list(GAME, keys, False, rules, study=True)
    assert record.triggers[0] == record.credit[0, 0]  # the first rule makes a move whenever it fires
    assert record.credit[2, 0] == 0
    assert record.triggers.tolist()[2:] == [record.decisions, 0]
    plain = play_list(GAME, keys, False, rules)
    assert plain.scores == record.scores
    assert not len(plain.triggers)


def test_exploring_lets_other_rules_decide():
    rules = read_rules("discard: tokens < 8\nhint\nplay\n")
    keys = np.array([seed_key(104, deck) for deck in range(20)], dtype=np.uint64)
    fired = [play_list(GAME, keys, False, rules, explore=share).credit[:, 0] for share in (0.0, 0.5, 1.0)]
    assert fired[0][2] == 0
    assert 0 < fired[1][2] / fired[1].sum() < fired[2][2] / fired[2].sum()
    assert fired[2][2] / fired[2].sum() == pytest.approx(0.42, abs=0.1)  # one of two or three that fire
    again = play_list(GAME, keys, False, rules, explore=0.5).credit[:, 0]
    assert (again == fired[1]).all()
