"""The preset `seed`: choice by utility, rewards, and the four steps."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import michigan
from ludarium.agents.lcs.games import MISPLAYED, SCORED, Record
from ludarium.agents.lcs.language import FEATURES, NUMBER
from ludarium.agents.lcs.learner import LCS
from ludarium.agents.lcs.text import read_rules, rules_text, well_formed
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.registry import make_game

QUICK: dict[str, Any] = {
    "game": "hanabi?score=points-kept",
    "games": 60,
    "checkpoints": 1,
    "test_games": 20,
    "rules": 30,
}


def seed(**options: Any) -> LCS:
    return LCS.from_preset("seed", {**QUICK, **options})


def started(learner: LCS) -> tuple[Any, np.random.Generator]:
    return learner.start(make_game(learner.game)), np.random.default_rng(1)


def test_rules_come_from_the_originals_language() -> None:
    arrays, _ = started(seed(rules=200))
    names = {FEATURES[number].name for number in arrays["rules"]["feature"].ravel() if number >= 0}
    assert names <= {"tokens", "lives", "seats", "table", "discards", "fellow", "deck-next", "card", "tells"}
    assert {"card", "fellow", "tokens", "tells"} <= names
    assert (np.count_nonzero(arrays["rules"]["feature"] >= 0, axis=2) <= 4).all()
    given, _ = started(seed(rules=200, given_hint=True))
    assert NUMBER["news"] in given["rules"]["feature"]


def test_utility_is_momentum_of_rewards_and_the_score_goes_to_every_rule_used() -> None:
    learner = seed(alpha=0.5, reward_final=2.0)
    arrays, _ = started(learner)
    arrays["utility"][:3] = 4.0, 8.0, 6.0
    order = michigan.by_utility(learner, arrays)
    assert order[:3].tolist() == [1, 2, 0]
    trace = np.array([[0, SCORED], [1, MISPLAYED], [30, SCORED], [0, 0]])
    record: Any = Record(np.array([5.0]), np.zeros((31, 3)), 0, 4, np.zeros(1), trace)
    michigan._reward(learner, arrays, order, record)
    assert arrays["utility"][1] == 0.5 * (0.5 * 8 + 0.5 * 1) + 0.5 * 10
    assert arrays["utility"][2] == 0.5 * (0.5 * 6 + 0.5 * -2) + 0.5 * 10
    assert arrays["utility"][0] == 4.0
    assert arrays["uses"][:3].tolist() == [0, 2, 1]


def test_the_weakest_rules_are_replaced_unless_they_are_young() -> None:
    learner = seed(protect=5, modified=0.2)
    arrays, _ = started(learner)
    arrays["utility"][:], arrays["age"][:] = np.arange(30), 9
    arrays["age"][:3] = 1
    assert michigan._weakest(learner, arrays)[:3].tolist() == [3, 4, 5]
    assert michigan._weakest(learner, arrays)[-3:].tolist() == [0, 1, 2]


@pytest.mark.parametrize("sigma", ["literal", "anneal", "self"])
def test_creeping_narrows_or_widens(sigma: str) -> None:
    learner = seed(sigma=sigma)
    random = np.random.default_rng(2)
    for narrower in (True, False):
        rule = read_rules("play: card:r1 >= 0.5 and tokens < 4")[0]
        before, sigmas = rule["threshold"].copy(), np.full(8, 0.1)
        michigan._creep(learner, rule, sigmas, 3, random, narrower)
        assert (rule["threshold"][0] > before[0]) == narrower
        assert (rule["threshold"][1] < before[1]) == narrower
        assert sigmas[0] != 0.1


def test_merging_crosses_only_rules_of_the_same_structure() -> None:
    learner = seed(rules=3, tournament=3)
    arrays, random = started(learner)
    arrays["rules"][0] = read_rules("play: card:r1 >= 0.2\nplay: card:y1 >= 0.6\ndiscard: card:r1 >= 0.9")
    arrays["utility"][:] = 3.0, 2.0, 1.0
    michigan._merge(learner, arrays, random)
    child = arrays["rules"][0, 2]
    assert child["action"] == 0
    assert child["threshold"][0] in (0.2, 0.6, 0.4)
    assert arrays["utility"].tolist() == [3.0, 2.0, 0.0]
    arrays["rules"][0] = read_rules("play: card:r1 >= 0.2\nplay: lives >= 2\ndiscard: card:r1 >= 0.9")
    before = rules_text(arrays["rules"][0])
    arrays["utility"][:] = 3.0, 2.0, 1.0
    michigan._merge(learner, arrays, random)
    assert rules_text(arrays["rules"][0]) == before


def test_the_father_is_the_best_of_those_alike() -> None:
    learner = seed(rules=4, tournament=4)
    arrays, random = started(learner)
    for _ in range(10):
        arrays["rules"][0] = read_rules(
            "play: card:r1 >= 0.2\nplay: card:r1 >= 0.9\nplay: card:r1 >= 0.6\ndiscard: card:r1 >= 0.5"
        )
        arrays["utility"][:] = 4.0, 1.0, 3.0, 0.0
        michigan._merge(learner, arrays, random)
        assert arrays["rules"][0, 3]["threshold"][0] in (0.2, 0.6, 0.4)


def test_diversity_is_the_share_of_distinct_utilities() -> None:
    learner = seed(breeding="none")
    arrays, _ = started(learner)
    with workers(size=1) as parallel:
        told = learner.generation(make_game(learner.game), arrays, 0, parallel)
    assert told["diversity"] == len(np.unique(arrays["utility"])) / 30
    assert told["utility"] == arrays["utility"].sum()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"given_hint": True, "covering": True, "protect": 10, "keep_parent": True},
        {"selection": "none"},
        {"breeding": "none"},
    ],
)
def test_it_runs_and_its_rules_stay_rules(tmp_path: Any, options: dict[str, Any]) -> None:
    learner = seed(**options)
    run = Run.load(train(learner, tmp_path / "run", workers=1), LCS)
    assert run.checkpoint.games == 60
    assert well_formed(run.arrays["rules"][0])
    agent: Any = make_agent(f"lcs:{tmp_path / 'run'}", make_game(learner.game))
    assert len(agent.rules) == 30
    assert (agent.rules[0] == run.arrays["rules"][0, np.argmax(run.arrays["utility"])]).all()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"population": 5}, "population must be 1 with strategy=utility, not 5"),
        ({"origin": "hand"}, "origin must be 'random', not 'hand', with strategy=utility"),
        ({"sigma": "big"}, "sigma must be one of"),
        ({"alpha": 2}, "alpha must be a number from 0 to 1"),
        ({"tournament": 0}, "tournament must be an integer of at least 1"),
    ],
)
def test_bad_options(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        seed(**options)


def test_options_of_the_other_strategy_are_refused() -> None:
    with pytest.raises(ValueError, match=r"alpha must be 0\.9, not 0\.5, with strategy=lists"):
        LCS(game="hanabi", alpha=0.5)
    with pytest.raises(ValueError, match="strategy must be one of 'lists', 'utility', not 'luck'"):
        LCS(game="hanabi", strategy="luck")
