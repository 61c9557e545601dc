"""CMA-ES moves thresholds and nothing else, helps, and can be stopped anywhere."""

import json

import numpy as np
import pytest

from ludarium.agents.lcs import numbers
from ludarium.agents.lcs.games import play_list
from ludarium.agents.lcs.language import FEATURES, RULE
from ludarium.agents.lcs.learner import LCS
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.racing import Race
from ludarium.agents.lcs.tables import tables
from ludarium.agents.lcs.text import read_rules, rules_text
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game

GAME = make_game("hanabi?score=points-kept")
QUICK = {
    "game": "hanabi?score=points-kept", "population": 4, "decks": 30, "season": 3, "games": 3000, "checkpoints": 30,
    "test_games": 2, "rules": 25, "origin": "hand", "numbers": 0.5,
}  # fmt: skip


def decks(seed, count):
    return np.array([seed_key(seed, deck) for deck in range(count)], dtype=np.uint64)


def rest(rules):
    """All of rules but the numbers that may move."""
    fixed = np.where(numbers._MOVABLE[rules["feature"]], 0.0, rules["threshold"])
    return [fixed.tobytes(), *(rules[name].tobytes() for name in RULE.names or () if name != "threshold")]


def generations(learner):
    now = Checkpoint(learner.start(GAME))
    with workers("threads", 1) as parallel:
        while not learner.is_over(GAME, now):
            now = learner.advance(GAME, now, 0, parallel)[0]
            yield now


def test_points_are_lists_that_differ_only_in_their_numbers():
    rules, random = hand_list(), np.random.default_rng(1)
    here = numbers._point(rules)
    assert rules_text(numbers._moved(rules, here)) == rules_text(rules)
    for spread in (0.1, 1, 10):
        moved = numbers._moved(rules, here + spread * random.standard_normal(len(here)))
        assert rest(moved) == rest(rules)
        assert (moved["threshold"] != rules["threshold"]).any()
        read = read_rules(rules_text(moved))  # what can never fire would be refused
        assert (read["threshold"] == moved["threshold"]).all()
        for feature, threshold in zip(moved["feature"].ravel(), moved["threshold"].ravel(), strict=True):
            assert feature < 0 or FEATURES[feature].name in ("playable", "dead", "critical") or threshold % 1 == 0


def test_spoiled_numbers_are_mended():
    rules = read_rules(rules_text(hand_list()).replace("playable >= 0.05", "playable >= 0.5"))
    arrays, random, fresh = numbers.start(200), np.random.default_rng(2), decks(9, 600)
    with workers("threads", 1) as parallel:
        race = Race(tables(GAME, "", ""), fresh, False, parallel)
        for number in range(8):
            numbers.evolve(arrays, race, rules, decks(number, 60), random)
    assert race.games == 8 * numbers.CHILDREN * 60
    before, after = (play_list(GAME, fresh, False, one).scores for one in (rules, numbers.middle(arrays, rules)))
    assert after.mean() > before.mean() + 0.5


def test_the_last_phase_moves_numbers_only_and_keeps_to_the_budget():
    learner = LCS(**QUICK)
    phases = {True: [], False: []}
    start = rest(learner.member_rules(learner.start(GAME), 0))
    for now in generations(learner):
        tuned = now.arrays["cma_step"][1] > 0
        assert not tuned or rest(learner.member_rules(now.arrays, 0)) == start
        start = rest(learner.member_rules(now.arrays, 0))
        phases[tuned].append(now)
    room = QUICK["games"] - learner.largest_generation(GAME)
    assert phases[False][-1].games > room / 2 > phases[False][-2].games
    assert room < phases[True][-1].games <= QUICK["games"]
    assert phases[True][-1].arrays["cma_step"][1] == len(phases[True]) > 1


@pytest.mark.parametrize("worse", [False, True])
def test_the_mean_becomes_the_champion_unless_it_is_worse(worse):
    learner = LCS(**QUICK)
    now = next(generations(learner))
    rules = learner.member_rules(now.arrays, 0)
    now.arrays["progress"][0] = QUICK["games"] - learner.largest_generation(GAME)  # the last generation
    now.arrays["scores"][0] = 25 if worse else 0
    with workers("threads", 1) as parallel:
        told = learner.generation(GAME, now.arrays, 1, parallel)
    champion, middle = learner.member_rules(now.arrays, 0), numbers.middle(now.arrays, rules)
    assert rules_text(middle) != rules_text(rules)
    assert rules_text(champion) == rules_text(rules if worse else middle)
    assert told["best"] == now.arrays["scores"][0].mean(dtype=np.float64)


def test_workers_and_interruptions_change_nothing(tmp_path):
    learner, steps = LCS(**QUICK), sum(not now.arrays["cma_step"][1] for now in generations(LCS(**QUICK))) + 2
    train(learner, tmp_path / "whole", workers=1)
    train(learner, tmp_path / "two", workers=2)

    def stop(done, total, text):
        nonlocal steps
        steps -= 1
        if steps < 0:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        train(learner, tmp_path / "killed", workers=1, progress=stop)
    assert 1 <= Run.load(tmp_path / "killed", LCS).arrays["cma_step"][1] <= 2
    train(learner, tmp_path / "killed", workers=1)
    whole, two, killed = (Run.load(tmp_path / name, LCS) for name in ("whole", "two", "killed"))
    for name, array in whole.arrays.items():
        np.testing.assert_array_equal(array, two.arrays[name])
        np.testing.assert_array_equal(array, killed.arrays[name])
    last = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("whole", "two", "killed")]
    assert last[0] == last[1] == last[2]
    assert {"best", "mean", "rules", "decks"} <= set(json.loads(last[0].splitlines()[-1]))


def test_lists_of_facts_have_no_numbers_so_they_go_on_evolving():
    learner = LCS(**QUICK)
    now = next(generations(learner))
    now.arrays["rules"]["feature"] = -1
    now.arrays["progress"][0] = QUICK["games"]
    assert not learner._is_tuning(GAME, now.arrays)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": 1}, "numbers must be a number from 0 to 0.9, not 1"),
        ({"selection": "none"}, "numbers must be 0.0, not 0.5, with selection=none"),
        ({"breeding": "founders"}, "numbers must be 0.0, not 0.5, with breeding=founders"),
        ({"games": 0, "generations": 5}, "numbers must be 0.0, not 0.5, with a budget in generations"),
        (
            {"strategy": "utility", "population": 1, "origin": "random", "decks": 2000},
            "numbers must be 0.0, not 0.5, with strategy=utility",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        LCS(**QUICK | options)
