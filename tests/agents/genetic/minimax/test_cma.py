import numpy as np
import pytest

from ludarium.agents.genetic.minimax import MINIMAX
from ludarium.agents.specs import make_agent
from ludarium.evaluation.play.match import play_match


def test_it_meets_past_champions_and_keeps_a_sample_of_them(trained):
    run = trained("modern")
    assert run.checkpoint.games == 180  # five generations of 6 × 3 pairs
    assert run.checkpoint.generations == 5
    assert run.arrays["hall"].shape == (4, 24)
    assert np.unique(run.arrays["hall"], axis=0).shape == (4, 24)
    np.testing.assert_array_equal(run.arrays["champion"], run.arrays["mean"])


def test_its_metrics(small, one_worker):
    learner = small("modern")
    arrays = learner.start(learner.learned)
    told = learner.generation(learner.learned, arrays, 0, one_worker)
    genes, points = arrays["genes"], arrays["points"]
    assert told["diversity"] == pytest.approx(np.mean([column.std() / np.abs(column).mean() for column in genes.T]))
    assert (told["best"], told["mean"]) == (points.max(), points.mean())


def test_it_learns(trained, tmp_path):
    options = {"game": "othello?size=6", "population": 12, "rivals": 8, "games": 5000, "hall_of_fame": 20}
    game = trained("modern", tmp_path / "run", **options).learner.learned
    scores = play_match(game, [f"minimax:{tmp_path / 'run'}", "alphabeta?depth=2&evaluation=none"], 60, 5, opening=6)
    assert scores.scores().mean() > 0.8


def test_anchors_are_rivals_in_every_generation(small, trained):
    learner = small("modern", anchors="wpc+random")
    assert learner.largest_generation(learner.learned) == 2 * 6 * 5
    wpc, random = learner.anchored
    assert (wpc.name, random.name) == ("wpc", "phases")
    assert not random.weights.any()  # it likes all positions equally
    assert trained("modern", anchors="wpc+random").checkpoint.games == 180


def test_a_random_search_does_not_forget_its_champion(trained):
    arrays = trained("modern", breeding="founders").arrays
    assert (arrays["genes"] == arrays["champion"]).all(axis=1).any()
    np.testing.assert_array_equal(arrays["mean"], np.zeros(24))


def test_a_run_that_keeps_one_champion_says_so(trained, tmp_path):
    game = trained("modern", tmp_path / "run", games=36).learner.learned
    with pytest.raises(ValueError, match="generation must be left out: this run keeps its last champion only"):
        make_agent(f"minimax:{tmp_path / 'run'}?generation=1", game)


def test_usual_options_are_those_of_cma_es_and_of_the_preset():
    learner = MINIMAX.learner({"game": "othello"}, "modern")
    usual = learner.population, learner.rivals, learner.features, learner.search, learner.depth, learner.budget
    assert usual == (24, 20, "phases", "alphabeta", 4, 120_000)
