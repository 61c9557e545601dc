"""All presets of minimax: twins, bad input, and runs of earlier versions."""

import re
from dataclasses import asdict

import numpy as np
import pytest

from ludarium.agents.genetic.minimax import MINIMAX
from ludarium.agents.learning.runs import Run

UNUSED = {
    "covariance": "full", "gene_limit": 1000, "games_per_pair": 1, "draw_points": 0.0, "fitness_window": "generation",
    "mutation": 2 / 3, "width": 3, "draw": "rank", "draw_at_root": True, "replacement": False, "view": "mover",
    "depth": 10, "features": "tuples", "search": "one-ply", "tuples": "all-2", "opening": 0, "opening_varies": False,
    "noise": 0.0, "spread": 1.0, "rivals": 20, "hall_of_fame": 200, "anchors": "", "lessons": 0, "lessons_until": 0.3,
    "alpha": 1.0,
}  # fmt: skip
WRITTEN = {
    "seed": UNUSED | {"strategy": "genetic"},
    "modern": UNUSED | {"strategy": "cma"},
    "tuples": UNUSED | {"strategy": "cma", "covariance": "diagonal"},
}
"""Options in the manifests of earlier versions that presets do not have now."""


def test_tuples_are_features_too(small, trained):
    assert trained("seed", features="tuples:all-1", generations=1).arrays["genes"].shape == (14, 9)
    learner = small("modern", features="tuples:all-1")
    assert len(learner.inspect(learner.learned, learner.start(learner.learned), 0, None).data["squares"]) == 16


def test_the_usual_budget_is_games_unless_generations_are_given():
    games = {"modern": 120_000, "tuples": 300_000}
    assert {name: MINIMAX.learner({"game": "othello"}, name).budget for name in games} == games
    assert {MINIMAX.learner({"game": "othello", "generations": 5}, name).budget for name in MINIMAX.names} == {5}


def test_a_whole_number_is_a_spread(trained):
    trained("modern", spread=1)  # and its checkpoint is read again


def test_a_damaged_run_is_refused(trained, preset, tmp_path):
    run = trained(preset, tmp_path / "run")
    run.arrays["champions" if preset == "seed" else "hall"][1, 2] = np.nan
    run.save(tmp_path / "run")
    with pytest.raises(ValueError, match="the trained model is damaged"):
        Run.load(tmp_path / "run", MINIMAX)


@pytest.mark.parametrize(
    ("preset", "options", "message"),
    [
        ("seed", {"population": 1}, "population must be at least 4: a single player has nobody to be better than"),
        ("seed", {"features": "eight"}, "othello: there are no features 'eight'; it must be one of those with weights"),
        ("seed", {"features": 5}, "othello: there are no features 5; it must be"),
        ("modern", {"anchors": 5}, "anchors: othello has no evaluation '5'; it must be"),
        ("seed", {"features": "tuples"}, "othello: there are no features 'tuples'; it must be"),
        ("tuples", {"tuples": "a1-z9"}, "othello: tuples must be one of all-1, "),
        ("seed", {"search": "deep"}, "search must be one of 'beam', 'alphabeta', 'one-ply', not 'deep'"),
        ("seed", {"search": "alphabeta", "width": 4}, "width must be 3, not 4, with search=alphabeta"),
        ("modern", {"search": "one-ply", "depth": 3}, "depth must be 4, not 3, with search=one-ply"),
        ("modern", {"mutation": 0.5}, "unknown option 'mutation'; it is an option of the preset 'seed'"),
        ("seed", {"strategy": "cma"}, "unknown option 'strategy'; strategy='cma' is the preset 'modern' now"),
        ("modern", {"anchors": "wpc+best"}, "anchors: othello has no evaluation 'best'; it must be one of wpc, six"),
        ("modern", {"spread": 0}, "spread must be a number from 1e-09 to 1000000000.0, not 0"),
        ("seed", {"breeding": "none", "crossover": False}, "crossover must be True, not False, with breeding=none"),
        ("tuples", {"lessons": 0, "alpha": 0.5}, "alpha must be 1.0, not 0.5, without lessons"),
        ("seed", {"depth": 0}, "depth must be an integer of at least 1, not 0"),
        ("seed", {"game": "tictactoe"}, "tictactoe: there are no features 'six'; it must be one of those with weights"),
        ("seed", {"game": "backgammon"}, "backgammon cannot be learned"),
    ],
    ids=str,
)
def test_bad_options_are_refused(small, preset, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(preset, **options)


def test_runs_of_earlier_versions_are_understood(small, preset):
    now, gone = small(preset), WRITTEN[preset]
    assert MINIMAX.of_run(gone | asdict(now), None) == now
    assert small("modern", search="one-ply", depth=10)  # as they had to be given
    option = {"seed": "lessons", "modern": "width", "tuples": "depth"}[preset]
    with pytest.raises(ValueError, match=f"trained with {option}=6, which this version does not have; train again"):
        MINIMAX.of_run(gone | asdict(now) | {option: 6}, None)


def test_members_stand_in_the_order_of_the_ranking(small, preset):
    learner = small(preset)
    game, arrays = learner.learned, learner.start(learner.learned)
    arrays["order"], arrays["points"] = arrays["order"][::-1], np.arange(learner.population) + 0.5
    assert learner.merits(arrays) == [f"{n}.5 points" for n in range(learner.population - 1, -1, -1)]
    genes = arrays["genes"][-3]
    shown = learner.inspect(game, arrays, 2, None).data["weights"]
    np.testing.assert_array_equal(list(shown.values()), genes)
    theirs = learner.searcher.policy(game, learner.form.evaluation(genes))
    assert learner.member(game, arrays, 2).block.tobytes() == theirs.block.tobytes()


def test_a_run_with_another_matrix_than_its_preset_is_refused(small):
    written = asdict(small("modern")) | {"strategy": "cma", "covariance": "diagonal"}
    with pytest.raises(ValueError, match="trained with features='phases', which this version does not have"):
        MINIMAX.of_run(written, None)
