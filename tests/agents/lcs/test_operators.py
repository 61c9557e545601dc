"""How lists vary: within limits, words that rules never have, and kinds of changes that never happen."""

import numpy as np
import pytest

from ludarium.agents.lcs import operators
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import NUMBER
from ludarium.agents.lcs.operators import CHANGES, Limits
from ludarium.agents.lcs.text import read_rules, rule_text
from ludarium.envs.chance import seed_key
from ludarium.envs.hanabi import Hanabi


def words(rules):
    return {*rules["feature"].ravel().tolist(), *rules["order"].ravel().tolist()} - {-1}


def conditions(rules):
    return int(np.count_nonzero(rules["feature"] >= 0))


def heads(rules):
    return sorted(rule_text(rule).partition(":")[0] for rule in rules)


def mutations(names):
    """Lists before and after a change, without some features and kinds of changes."""
    features = frozenset(NUMBER.values()) - {NUMBER[name] for name in names if name in NUMBER}
    changes = {kind: share for kind, share in CHANGES.items() if kind not in names}
    limits, random = Limits(25, 5, features, features, changes), np.random.default_rng(3)
    keys = np.array([seed_key(102, deck) for deck in range(5)], dtype=np.uint64)
    sample = play_list(Hanabi(), keys, False, hand_list()).sample[0]
    rules, mutations = operators.random_list(random, limits, 12), []
    for _ in range(600):
        changed = operators.mutate(rules, random, limits, np.ones(len(rules)), sample)
        mutations.append((rules, changed))
        rules = changed if 4 < len(changed) < 20 else operators.random_list(random, limits, 12)
    return mutations


def test_rules_never_have_a_word_that_is_left_out():
    names = ("good", "touched", "gain", "pace")
    gone = {NUMBER[name] for name in names}
    assert not any(words(after) & gone for _, after in mutations(names))
    assert gone <= set.union(*(words(after) for _, after in mutations(())))


@pytest.mark.parametrize(
    ("names", "never"),
    [
        ("new,exception", lambda before, after: len(after) > len(before)),
        ("delete", lambda before, after: len(after) < len(before)),
        ("specialise,replace,new,exception", lambda before, after: conditions(after) > conditions(before)),
        ("generalise,replace,delete", lambda before, after: conditions(after) < conditions(before)),
        ("reorder,new,exception,delete,action", lambda before, after: heads(after) != heads(before)),
        ("action,new,exception,delete", lambda before, after: sorted(after["action"]) != sorted(before["action"])),
        ("move,action,new,exception,delete", lambda before, after: list(after["action"]) != list(before["action"])),
        (
            "creep,specialise,generalise,replace,new,exception,delete",
            lambda before, after: sorted(after["threshold"].ravel()) != sorted(before["threshold"].ravel()),
        ),
    ],
)
def test_changes_that_are_left_out_never_happen(names, never):
    assert not any(never(before, after) for before, after in mutations(names.split(",")))
    assert any(never(before, after) for before, after in mutations(()))


@pytest.mark.parametrize(
    ("count", "changes", "left"), [(2, {"delete": 1}, 1), (1, {"delete": 1}, 1), (1, {"delete": 99, "exception": 1}, 2)]
)
def test_the_only_rule_of_a_list_stays(count, changes, left):
    rules, limits = read_rules("play\ndiscard")[:count], Limits(9, 4, changes=changes)
    for seed in range(20):
        after = operators.mutate(rules, np.random.default_rng(seed), limits, np.ones(count), None)
        assert len(after) == left
        assert left > 1 or after[0] in rules


def test_a_rule_without_a_condition_is_as_if_it_never_had_it():
    text = "play: lives >= 2 and tokens < 4 and card:r1 >= 0.5"
    fewer = read_rules(
        "play: lives >= 2 and tokens < 4\nplay: lives >= 2 and card:r1 >= 0.5\nplay: tokens < 4 and card:r1 >= 0.5"
    )
    rules = [read_rules(text)[0] for _ in range(20)]
    for seed, rule in enumerate(rules):
        operators.remove_condition(rule, np.random.default_rng(seed))
    assert all(rule in fewer for rule in rules)
    assert all(rule in np.array(rules) for rule in fewer)


def test_a_child_that_would_have_no_rule_is_its_mother():
    mother, father = read_rules("play"), read_rules("discard")
    children = [operators.cross(mother, father, np.random.default_rng(seed), Limits(9, 4)) for seed in range(200)]
    assert min(map(len, children)) == 1
    assert {rule_text(child[0]) for child in children} == {"play", "discard"}


def test_a_rule_of_the_father_comes_near_its_place():
    """At most two places from where it was, in a list of the same length."""
    cards, limits = [f"{color}{rank}" for color in "rygwb" for rank in "12345"], Limits(99, 4)
    mother, father = (read_rules("\n".join(f"{action}: card:{card} >= 0.5" for card in cards)) for action in
                      ("play", "discard"))  # fmt: skip
    moved = set()
    for seed in range(60):
        child = operators.cross(mother, father, np.random.default_rng(seed), limits)
        (strange,) = np.nonzero(child["action"] == father["action"][0])
        if len(strange) == 1 and len(child) == 26 and 2 < strange[0] < 23:
            (place,) = np.flatnonzero(father == child[strange[0]])
            moved.add(int(strange[0] - place))
    assert moved == {-2, -1, 0, 1, 2}


def test_the_changes_that_remain_share_the_probability():
    random, some = np.random.default_rng(5), {"creep": 15, "new": 38}
    drawn = [operators._kind(random, Limits(9, 4, changes=some)) for _ in range(2000)]
    assert set(drawn) == set(some)
    assert drawn.count("creep") / 2000 == pytest.approx(15 / 53, abs=0.04)
    assert sum(CHANGES.values()) == 100
