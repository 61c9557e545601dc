"""The four steps: deletion, specialisation, generalisation, merging."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import four_steps
from ludarium.agents.lcs.bootstrap import Language, nested
from ludarium.agents.lcs.four_steps import Steps, creep, delete, generalise, merge, remove_condition, specialise
from ludarium.agents.lcs.language import DOUBT
from ludarium.agents.lcs.rule_set import FIRST_SIGMA, RuleSet
from ludarium.agents.lcs.text import read_rules, rule_text, rules_text
from ludarium.envs.hanabi import Hanabi

STEPS = Steps(
    modified=1,
    tournament=4,
    sigma="literal",
    rate=0.1,
    fitness="momentum",
    caution=0.0,
    protect=0,
    keep_parent=False,
    language=Language((Hanabi(),), 4, given_hint=False),
)


def rule_set(text: str, *utility: float) -> RuleSet:
    rows = read_rules(text)
    rules = RuleSet.of(RuleSet.start(len(rows)))
    for place, row in enumerate(rows):
        rules.put(place, row)
    rules.utility[:] = utility
    return rules


def test_the_weakest_rules_are_replaced_by_new_ones() -> None:
    rules = rule_set("play\ndiscard\nhint\nplay: lives >= 2\n", 4.0, 1.0, 2.0, 3.0)
    new = iter(read_rules("hint-rank\nplay\nhint-color\n"))
    delete(rules, STEPS._replace(modified=2), np.random.default_rng(1), lambda: np.array([next(new)]))
    assert rules_text(rules.rows) == "play\nhint-rank\nhint-color\nplay: lives >= 2\n"  # the same is there already
    assert rules.utility.tolist() == [4, 0, 0, 3]


def test_of_equally_weak_rules_any_may_go() -> None:
    random = np.random.default_rng(1)
    rules = rule_set("play\ndiscard\nhint\nplay: lives >= 2\n", 4.0, 0.0, 0.0, 0.0)
    gone = [int(STEPS.weakest(rules, random)[0]) for _ in range(300)]
    assert [gone.count(place) for place in range(4)] == [0, *(pytest.approx(100, abs=30) for _ in range(3))]


def test_young_rules_go_last() -> None:
    rules = rule_set("play\ndiscard\nhint\n", 1.0, 2.0, 3.0)
    rules.age[:] = 1, 9, 9
    for protect, order in ((5, [1, 2, 0]), (0, [0, 1, 2])):
        assert STEPS._replace(protect=protect).weakest(rules, np.random.default_rng(1)).tolist() == order


@pytest.mark.parametrize("sigma", ["literal", "anneal", "self"])
def test_creeping_narrows_or_widens(sigma: str) -> None:
    random = np.random.default_rng(2)
    for narrower in (True, False):
        rule = read_rules("play: card:r1 >= 0.5 and tokens < 4 and own:0.5:r >= 1")[0]
        before, sigmas = rule["threshold"].copy(), np.full(8, 0.3)
        creep(rule, sigmas, 3, STEPS._replace(sigma=sigma), random, narrower)
        assert (rule["threshold"][0] > before[0]) == narrower
        assert (rule["threshold"][1] < before[1]) == narrower
        assert (rule["threshold"][2] > before[2]) == narrower
        assert (rule["pattern"][2] // DOUBT < 10) == narrower  # a greater probability
        assert sigmas[0] != 0.3


@pytest.mark.parametrize(
    ("sigma", "rate", "share"), [("literal", 0.1 / 2, 1), ("anneal", 0.1 / 2, 1 / 2), ("self", 12**-0.25, 1)]
)
def test_how_far_thresholds_move(sigma: str, rate: float, share: float) -> None:
    """After three changes, where all draws from the normal distribution are 1."""
    random: Any = SimpleNamespace(standard_normal=lambda: 1.0)
    rule, sizes = read_rules("play: card:r1 >= 0.5 and tokens < 4 and own:0.5:r >= 1")[0], np.full(8, 0.02)
    creep(rule, sizes, 3, STEPS._replace(sigma=sigma), random, narrower=True)
    size = 0.02 * np.exp(rate)
    assert sizes.tolist() == pytest.approx([size] * 3 + [0.02] * 5)
    step = share * size  # of the greatest values, 1, 8 and 5
    assert rule["threshold"][:3].tolist() == [round(x, 4) for x in (0.5 + step, 4 - 8 * step, 1 + 5 * step)]
    assert rule["pattern"][2] // DOUBT == round(10 - 20 * step)


def test_the_size_of_mutations_has_bounds() -> None:
    for draw, bound in ((5.0, 1.0), (-5.0, 1e-4)):
        random: Any = SimpleNamespace(standard_normal=lambda draw=draw: draw)
        rule, sizes = read_rules("play: card:r1 >= 0.5")[0], np.full(8, bound)
        creep(rule, sizes, 0, STEPS, random, narrower=True)
        assert sizes[0] == bound


def test_thresholds_stay_within_what_the_game_allows() -> None:
    text = "play: card:r1 >= 0.5 and tokens >= 8 and table:r3 >= 1 and fellow:r >= 3 and own:0.5:r >= 1"
    random, rule, sigmas = np.random.default_rng(2), read_rules(text)[0], np.full(8, 1.0)
    for _ in range(50):
        creep(rule, sigmas, 0, STEPS, random, narrower=True)
    assert rule["threshold"][:4].tolist() == [1, 8, 1, 5]
    assert rule["pattern"][4] // DOUBT == 0  # certainty
    for _ in range(50):
        creep(rule, sigmas, 0, STEPS, random, narrower=False)
    assert rule["threshold"][:4].tolist() == [0.01] * 4
    assert rule["pattern"][4] // DOUBT == 19  # a probability of 0.05


@pytest.mark.parametrize("keep", [False, True])
def test_wide_rules_are_narrowed_and_narrow_ones_widened(keep: bool) -> None:
    text = (
        "play: lives >= 2 and tokens < 4 and card:r >= 0.5\nplay: tokens < 3 and lives >= 2 and card:r >= 0.5\nhint\n"
    )
    steps, random = STEPS._replace(keep_parent=keep), np.random.default_rng(3)
    for step, chosen, conditions in ((specialise, 0, 3), (generalise, 1, 1)):
        place = 2 if keep else chosen  # the weakest gives way, or the parent itself
        for _ in range(10):
            rules = rule_set(text, 1.0, 2.0, 0.5)
            rules.uses[:] = 9, 1, 0
            before = rules.rows.copy()
            step(rules, steps, random)
            assert len(nested(rules.rows[place])) == conditions
            assert rules.changes.tolist() == [int(place == number) for number in range(3)]
            assert (rules.utility == 0).tolist() == [place == number for number in range(3)]
            assert all(rules.rows[number] == before[number] for number in range(3) if number != place)


def test_rules_keep_their_target_and_their_only_other_condition() -> None:
    random = np.random.default_rng(3)
    rules = rule_set("play: tokens < 4 and card:r >= 0.5\nhint\n", 2.0, 1.0)
    for step in (specialise, generalise):
        for _ in range(10):
            step(rules, STEPS, random)
            assert [text.split()[0] for text in rule_text(rules.rows[0]).partition(": ")[2].split(" and ")] == [
                "tokens", "card:r"
            ]  # fmt: skip


def test_the_size_of_mutations_moves_with_its_threshold() -> None:
    rule, sigma = read_rules("play: lives >= 2 and tokens < 4 and card:r >= 0.5")[0], np.arange(8) / 10
    remove_condition(rule, sigma, 0)
    assert rule == read_rules("play: tokens < 4 and card:r >= 0.5")[0]
    assert sigma.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, FIRST_SIGMA]
    rules = rule_set("hint\n", 0.0)
    rules.put(0, read_rules("play: lives >= 2 and tokens < 4")[0], np.arange(8) / 10, 5)
    assert rule_text(rules.rows[0]) == "play: tokens < 4 and lives >= 2"
    assert rules.sigma[0, :3].tolist() == [0.1, 0, 0.2]
    assert rules.changes[0] == 5


def test_only_rules_that_differ_in_numbers_alone_are_merged() -> None:
    random = np.random.default_rng(1)
    rules = rule_set("play: card:r1 >= 0.2\nplay: card:r1 >= 0.6\ndiscard: card:r1 >= 0.9", 3.0, 2.0, 1.0)
    rules.sigma[0, 0], rules.sigma[1, 0] = 0.2, 0.4
    while rules.utility[2]:  # a child that takes all from one parent is refused
        merge(rules, STEPS, random)
    assert rules_text(rules.rows) == "play: card:r1 >= 0.2\nplay: card:r1 >= 0.6\nplay: card:r1 >= 0.4\n"
    assert rules.utility.tolist() == [3.0, 2.0, 0.0]
    assert rules.sigma[2, 0] == pytest.approx(0.3)
    for other in ("play: card:y1 >= 0.6", "play: card:!r1 >= 0.6", "play: card:r1 < 0.6", "discard: card:r1 >= 0.3"):
        rules = rule_set(f"play: card:r1 >= 0.2\n{other}\nhint", 3.0, 2.0, 1.0)
        before = rules_text(rules.rows)
        for _ in range(5):
            merge(rules, STEPS, random)
        assert rules_text(rules.rows) == before


def test_the_order_of_conditions_does_not_matter_for_mates() -> None:
    text = "play: card:r1 >= 0.2 and own:0.5:r >= 1\nplay: own:0.8:r >= 2 and card:r1 >= 0.4\nhint"
    parents = four_steps._parents(rule_set(text, 3.0, 2.0, 1.0), STEPS, np.random.default_rng(1))
    assert parents is not None
    assert {*parents} == {0, 1}


def test_the_father_is_the_best_of_those_alike() -> None:
    random, children = np.random.default_rng(1), set()
    text = "play: card:r1 >= 0.2\nplay: card:r1 >= 0.9\nplay: card:r1 >= 0.6\ndiscard: card:r1 >= 0.5"
    rules = rule_set(text, 4.0, 1.0, 3.0, 0.0)
    for _ in range(20):
        parents = four_steps._parents(rules, STEPS, random)
        assert parents == (0, 2)
        child: Any = four_steps._child(rules, *parents, random)[0]
        children.add(child["threshold"][0])
    assert children == {0.2, 0.6, 0.4}
