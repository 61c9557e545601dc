"""The preset `seed`: its first rules, its rewards, and the program as a whole."""

from typing import Any

import numpy as np
import pytest

from ludarium.agents.lcs import RULES
from ludarium.agents.lcs.bootstrap import Language
from ludarium.agents.lcs.four_steps import Steps
from ludarium.agents.lcs.games import MISPLAYED, REPEATED, SCORED, play_list
from ludarium.agents.lcs.language import NUMBER
from ludarium.agents.lcs.original import Original
from ludarium.agents.lcs.rule_set import Pay, RuleSet
from ludarium.agents.lcs.text import read_rules, rule_text, well_formed
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")
QUICK: dict[str, Any] = {"game": GAME.spec, "games": 60, "checkpoints": 1, "test_games": 20, "rules": 30}


def seed(**options: Any) -> Original:
    return Original(**{**QUICK, **options})


def test_its_rules_are_all_different() -> None:
    arrays = seed(rules=100).start(GAME)
    assert len({rule_text(rule) for rule in arrays["rules"][0]}) == 100


def test_a_run_of_an_earlier_version_fits() -> None:
    learner = seed(rules=5)
    arrays = {**learner.start(GAME), "samples": np.zeros(1)}
    del arrays["variance"], arrays["met"]
    assert learner.fits(GAME, arrays)
    assert not learner.fits(GAME, {**arrays, "utility": arrays["utility"][:-1]})


def test_seats_are_asked_for_where_they_vary() -> None:
    for options, asked in (({}, False), ({"other_seats": "3"}, True)):
        learner = seed(rules=100, **options)
        assert bool((learner.start(GAME)["rules"]["feature"] == NUMBER["seats"]).any()) == asked
    assert learner.numbers_of_seats == {2, 3}


def test_points_on_the_table_are_rewarded_whatever_the_game_counts() -> None:
    utilities = []
    for score in ("points-kept", "zero-on-bomb"):
        game = make_game(f"hanabi?score={score}")
        learner = seed(game=game.spec, breeding="none")
        arrays = learner.start(game)
        with workers(size=1) as parallel:
            told = learner.generation(game, arrays, 0, parallel)
        utilities.append(arrays["utility"])
        assert told["best"] > 0
    assert (utilities[0] == utilities[1]).all()


BELIEFS = ("card:1 >= 0.4", "own:0.3:r >= 2", "soon >= 0.3", "opens >= 0.3", "seen >= 0.5")


@pytest.mark.parametrize("condition", BELIEFS)
def test_exact_beliefs_reach_all_probabilities_of_own_cards(condition: str) -> None:
    keys = np.array([seed_key(105, deck) for deck in range(200)], dtype=np.uint64)
    rules = read_rules(f"hint, most news: news >= 1\ndiscard: {condition}\ndiscard\n")
    marginal, exact = (play_list(GAME, keys, exact, rules).credit for exact in (False, True))
    assert (marginal[1] != exact[1]).any()


def test_diversity_is_the_share_of_distinct_utilities() -> None:
    learner = seed(breeding="none")
    arrays = learner.start(GAME)
    with workers(size=1) as parallel:
        told = learner.generation(GAME, arrays, 0, parallel)
    assert told["diversity"] == len(np.unique(arrays["utility"])) / 30
    assert told["utility"] == arrays["utility"].sum()
    assert arrays["met"].any()  # a position for rules to cover


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


def test_options_reach_the_steps_and_the_rewards() -> None:
    learner = seed(
        modified=0.2, tournament=5, sigma="anneal", rate=0.3, fitness="samuel", caution=0.5, protect=7,
        keep_parent=True, reward_played=2.0, reward_misplayed=-3.0, reward_repeated=-4.0, reward_final=5.0, alpha=0.6,
        credit="td", conditions=3,
    )  # fmt: skip
    assert learner.steps == Steps(6, 5, "anneal", 0.3, "samuel", 0.5, 7, True, Language((learner.learned,), 3, False))
    assert learner.pay == Pay({SCORED: 2.0, MISPLAYED: -3.0, REPEATED: -4.0}, 5.0, 0.6, True)
    assert [seed(rules=rules).steps.modified for rules in (1, 15, 30, 100)] == [1, 2, 3, 10]
    assert not seed().pay.chained


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"given_hint": True, "covering": True, "protect": 10, "keep_parent": True},
        {"fitness": "samuel", "credit": "td", "explore": 0.1, "other_seats": "3"},
        {"fitness": "accuracy", "beliefs": "exact"},
    ],
)
def test_it_runs_and_its_rules_stay_rules(tmp_path: Any, options: dict[str, Any]) -> None:
    learner = seed(**options)
    run = Run.load(train(learner, tmp_path / "run", workers=1), RULES)
    assert run.checkpoint.games == 60
    assert well_formed(run.arrays["rules"][0])
    agent: Any = make_agent(f"lcs:{tmp_path / 'run'}", GAME)
    assert len(agent.rules) == 30
    assert (agent.rules[0] == run.arrays["rules"][0, np.argmax(learner._says(RuleSet.of(run.arrays)))]).all()


@pytest.mark.parametrize(("fitness", "says"), [("momentum", 4.0), ("samuel", 1.0), ("accuracy", 4.0)])
def test_rules_decide_by_what_they_predict_however_accurate(fitness: str, says: float) -> None:
    rules = RuleSet.of(RuleSet.start(30))
    rules.utility[:], rules.variance[:] = 4.0, 9.0
    assert (seed(fitness=fitness, caution=1.0)._says(rules) == says).all()
