"""The preset `seed`: its language, and the program as a whole."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import RULES
from ludarium.agents.lcs.language import FEATURES, NUMBER
from ludarium.agents.lcs.original import GIVEN_HINT, WORDS, Original
from ludarium.agents.lcs.text import well_formed
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")
QUICK: dict[str, Any] = {"game": GAME.spec, "games": 60, "checkpoints": 1, "test_games": 20, "rules": 30}


def seed(**options: Any) -> Original:
    return Original(**{**QUICK, **options})


def words(**options: Any) -> set[str]:
    rules = seed(rules=200, **options).start(GAME)["rules"]
    assert (np.count_nonzero(rules["feature"] >= 0, axis=2) <= 4).all()
    assert set(rules["order"].ravel().tolist()) == {-1, NUMBER["match"]}
    return {FEATURES[number].name for number in rules["feature"].ravel() if number >= 0}


def test_rules_come_from_the_originals_language() -> None:
    assert words() == set(WORDS)
    assert {*GIVEN_HINT} < words(given_hint=True) <= {*WORDS, *GIVEN_HINT}


def test_diversity_is_the_share_of_distinct_utilities() -> None:
    learner = seed(breeding="none")
    arrays = learner.start(GAME)
    with workers(size=1) as parallel:
        told = learner.generation(GAME, arrays, 0, parallel)
    assert told["diversity"] == len(np.unique(arrays["utility"])) / 30
    assert told["utility"] == arrays["utility"].sum()


def test_only_as_many_rules_change_as_twins_let() -> None:
    changed = {}
    for breeding in ("parents", "founders", "none"):
        learner = seed(breeding=breeding)
        arrays = learner.start(GAME)
        before = arrays["rules"].copy()
        with workers(size=1) as parallel:
            learner.generation(GAME, arrays, 0, parallel)
        changed[breeding] = int((arrays["rules"] != before).sum())
    assert changed["none"] == 0
    assert changed["founders"] == 3
    assert changed["parents"] > 3


@pytest.mark.parametrize("options", [{}, {"given_hint": True, "covering": True, "protect": 10, "keep_parent": True}])
def test_it_runs_and_its_rules_stay_rules(tmp_path: Any, options: dict[str, Any]) -> None:
    learner = seed(**options)
    run = Run.load(train(learner, tmp_path / "run", workers=1), RULES)
    assert run.checkpoint.games == 60
    assert well_formed(run.arrays["rules"][0])
    agent: Any = make_agent(f"lcs:{tmp_path / 'run'}", GAME)
    assert len(agent.rules) == 30
    assert (agent.rules[0] == run.arrays["rules"][0, np.argmax(run.arrays["utility"])]).all()
