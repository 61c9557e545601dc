"""Twins: the same program without one of its parts, and what is then missing."""

from itertools import pairwise

import numpy as np
import pytest

from ludarium.agents.genetic.gaia.learner import Gaia
from ludarium.agents.genetic.gaia.offspring import breed_and_judge
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import agent_of_run
from ludarium.envs.chance import seed_key
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure

SMALL = {"game": "tictactoe", "population": 8, "rules": 20}


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


def lived(game, preset, generations=3, **options):
    """A population's arrays before its first generation and after the last, and the metrics of that."""
    learner = Gaia.from_preset(preset, SMALL | ({"memory": 1 << 12} if preset == "modern" else {}) | options)
    arrays = learner.start(game)
    before = {name: array.copy() for name, array in arrays.items()}
    with workers("threads", 1) as parallel:
        for number in range(generations):
            metrics = learner.generation(game, arrays, number, parallel)
    return before, arrays, metrics


def known(rules):
    """Rules as what they ask and do, whatever they weigh."""
    rules = rules.reshape(-1)
    return set(zip(*(rules[name].tolist() for name in ("own", "opponent", "empty", "action")), strict=True))


def test_without_selection_the_order_is_by_lot(game):
    for selection, in_order in (("best-50", True), ("none", False)):
        _, arrays, metrics = lived(game, "seed", selection=selection)
        weights = arrays["weights"][:4]  # children have not met anybody yet
        assert (np.diff(weights) <= 0).all() == in_order
        if in_order:
            assert weights[0] == metrics["best"]


def test_without_selection_good_lists_are_replaced_too(game, game_cases, serial):
    """On the same cases; the champion is the best of those that are left."""
    falls = {}
    for selection in ("best-50", "none"):
        learner, best = Gaia.from_preset("modern", SMALL | {"rules": 40, "selection": selection}), []
        arrays = learner.start(game)
        for number in range(12):
            breed_and_judge(learner, game, arrays, 1, seed_key(number), game_cases[0], serial)
            assert (arrays["weights"][0] >= arrays["weights"]).all()
            best.append(float(arrays["weights"][0]))
        falls[selection] = sum(later < one for one, later in pairwise(best))
    assert falls["best-50"] == 0 < falls["none"]


def test_founders_inherit_nothing(game):
    for breeding in ("parents", "founders"):
        before, arrays, _ = lived(game, "seed", 1, breeding=breeding, mutation=0.0)
        new = known(arrays["rules"]) - known(before["rules"])
        assert bool(new) == (breeding == "founders")
        if new:
            assert len(new) > 0.9 * 4 * 20  # random rules are seldom the same
            assert len(known(arrays["rules"]) & known(before["rules"])) < 1.1 * 4 * 20


def test_modern_founders_learn_but_inherit_nothing(game):
    """Without mutation, children of the same parents would be much like these."""
    shared = {}
    for breeding in ("parents", "founders"):
        _, arrays, _ = lived(game, "modern", 6, breeding=breeding, mutation=0.0)
        assert (arrays["rules"]["action"] >= 0).any(axis=1).all()
        shared[breeding] = len(known(arrays["rules"]))
    assert shared["founders"] > 1.5 * shared["parents"]


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_without_breeding_all_live_for_ever(game, preset):
    before, arrays, metrics = lived(game, preset, breeding="none")
    assert known(arrays["rules"]) == known(before["rules"])
    assert (np.diff(arrays["weights"]) <= 0).all()
    assert (metrics["best"] != metrics["mean"]) == (preset == "seed")  # modern ones have no rules, and none learns


def test_a_single_player_of_the_seed_learns_by_its_weights_alone(game):
    before, arrays, metrics = lived(game, "seed", population=1)
    assert metrics["games"] == 5
    assert arrays["weights"].tolist() == [0.0]  # it wins and loses as often
    assert known(arrays["rules"]) == known(before["rules"])
    assert arrays["rules"]["weight"].any()
    assert arrays["rules"]["uses"].sum() == metrics["rule_moves"] + sum(
        lived(game, "seed", number, population=1)[2]["rule_moves"] for number in (1, 2)
    )


def test_a_single_modern_player_is_replaced_by_children_that_are_no_worse(game):
    before, arrays, metrics = lived(game, "modern", 1, population=1, games_per_pair=20)
    _, later, improved = lived(game, "modern", 8, population=1, games_per_pair=20)
    assert (metrics["games"], len(known(before["rules"]))) == (20, 1)
    assert improved["positions"] > metrics["positions"]
    assert known(later["rules"]) != known(arrays["rules"])


def test_one_shot(game, tmp_path):
    """Rules made once, from random games, for a player who had none."""
    options = {"game": "tictactoe", "population": 1, "one_shot": True, "games": 5_000, "checkpoints": 1}
    learner = Gaia.from_preset("modern", options)
    before = learner.start(game)
    assert (before["rules"]["action"] == -1).all()
    with workers("threads", 1) as parallel:
        metrics = learner.generation(game, before, 0, parallel)
    assert (metrics["games"], metrics["rule_moves"]) == (5_000, 0)
    champion = agent_of_run(Gaia, game, str(train(learner, tmp_path / "run")))
    np.testing.assert_array_equal(champion.rules, before["rules"][0])
    exact = measure(game, champion)
    assert (exact.never_loses_first, exact.never_loses_second) == (True, True)
