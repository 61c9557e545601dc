import numpy as np
import pytest

from ludarium.agents.genetic.minimax.original import Original
from ludarium.agents.specs import make_agent


def test_the_preset_seed_is_the_original():
    learner = Original(game="othello")
    wanted = {
        "population": 14, "generations": 14, "features": "six", "search": "beam", "depth": 10, "width": 3,
        "draw": "rank", "draw_at_root": True, "replacement": False, "view": "mover", "gene_limit": 1000,
        "games_per_pair": 1, "draw_points": 0.0, "fitness_window": "generation", "mutation": 2 / 3, "crossover": True,
    }  # fmt: skip
    assert {name: getattr(learner, name) for name in wanted} == wanted
    assert learner.unit == "generations"
    assert learner.largest_generation(learner.learned) == 91


def test_a_generation_plays_every_pair_once_and_replaces_the_two_worst(small, trained):
    runs = [trained("seed", generations=n) for n in (1, 2)]
    assert [(run.checkpoint.games, run.checkpoint.generations) for run in runs] == [(91, 1), (182, 2)]
    first, learner = runs[0].arrays, small("seed")
    points, order = first["points"], first["order"]
    founders = learner.start(learner.learned)["genes"]
    assert points[order[:-2]].tolist() == sorted(points[order[:-2]], reverse=True)
    assert points[order[-2:]].tolist() == [0, 0]  # the children have not played yet
    np.testing.assert_array_equal(first["genes"][order[:-2]], founders[order[:-2]])
    np.testing.assert_array_equal(first["champions"], founders[order[:1]])
    assert runs[1].arrays["champions"].shape == (2, 6)
    np.testing.assert_array_equal(runs[1].arrays["champions"][0], first["champions"][0])


def test_a_win_is_a_point_and_a_draw_is_worth_what_the_option_says(trained):
    plain = trained("seed", generations=1, breeding="none")
    halves = trained("seed", generations=1, breeding="none", draw_points=0.5, games_per_pair=2)
    lifetime = trained("seed", breeding="none", fitness_window="lifetime", draw_points=0.5)
    assert plain.arrays["points"].sum() <= 91
    assert halves.arrays["points"].sum() == 2 * 91
    assert lifetime.arrays["points"].sum() == 3 * 91


def test_the_champion_of_every_generation_is_an_agent(trained, tmp_path):
    run = trained("seed", tmp_path / "run")
    learner, game, champions = run.learner, run.learner.learned, run.arrays["champions"]
    assert len(np.unique(champions, axis=0)) > 1
    for generation in (1, 2, 3):
        own = learner.searcher.policy(game, learner.form.evaluation(champions[generation - 1]))
        agent = make_agent(f"minimax:{tmp_path / 'run'}?generation={generation}", game)
        assert agent.policy.block.tobytes() == own.block.tobytes()
    with pytest.raises(ValueError, match="generation must be an integer from 1 to 3"):
        make_agent(f"minimax:{tmp_path / 'run'}?generation=4", game)


def test_its_metrics(small, one_worker):
    learner = small("seed")
    arrays = learner.start(learner.learned)
    genes = arrays["genes"].copy()
    told = learner.generation(learner.learned, arrays, 0, one_worker)
    assert told["diversity"] == pytest.approx(genes.std(axis=0).mean() / learner.gene_limit)
    assert told["games"] == learner.games_per_pair * len(genes) * (len(genes) - 1) / 2
