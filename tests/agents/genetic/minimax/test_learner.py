"""Evaluations that evolve: the original's program step by step, CMA-ES, twins, workers, options, and bad input."""

import json
import re

import numpy as np
import pytest

from ludarium.agents.genetic.minimax import ga
from ludarium.agents.genetic.minimax.learner import Minimax
from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

SMALL = "othello?size=4"
QUICK = {"game": SMALL, "depth": 2, "checkpoints": 1, "test_games": 2}
CMA = {
    **QUICK, "features": "phases", "search": "alphabeta", "strategy": "cma", "population": 6, "rivals": 3,
    "hall_of_fame": 4, "opening": 3, "games": 200,
}  # fmt: skip


def trained(folder, workers=1, executor="threads", **options):
    """The checkpoint of a whole run."""
    return Run.load(train(Minimax(**options), folder, workers=workers, executor=executor), Minimax)


def same(one, other):
    return one.arrays.keys() == other.arrays.keys() and all(
        np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items()
    )


TUPLES = {
    "game": SMALL, "features": "tuples", "tuples": "all-2", "search": "one-ply", "strategy": "cma", "population": 4,
    "rivals": 1, "anchors": "wpc+random", "covariance": "diagonal", "lessons": 40, "noise": 0.1, "opening": 3,
    "opening_varies": True, "games": 640, "checkpoints": 1, "test_games": 2,
}  # fmt: skip


# --- the genetic algorithm ---


def test_the_preset_seed_is_the_original():
    learner = Minimax.from_preset("seed", {"game": "othello"})
    wanted = {
        "population": 14, "generations": 14, "features": "six", "search": "beam", "depth": 10, "width": 3,
        "draw": "rank", "draw_at_root": True, "replacement": False, "view": "mover", "gene_limit": 1000,
        "games_per_pair": 1, "draw_points": 0.0, "fitness_window": "generation", "mutation": 2 / 3, "opening": 0,
    }  # fmt: skip
    assert {name: getattr(learner, name) for name in wanted} == wanted
    assert learner.unit == "generations"
    assert learner.largest_generation(make_game("othello")) == 91


def test_founders_are_integers_over_the_whole_range():
    genes = ga.founders(stream(1), 500, 6, 1000)
    assert genes.shape == (500, 6)
    assert (genes == genes.astype(int)).all()
    assert genes.min() < 10
    assert genes.max() > 990
    assert genes.max() <= 1000


def test_children_are_two_halves_of_each_parent_and_mutate_as_often_as_they_should():
    first, second, draws = np.arange(6.0), np.arange(6.0) + 100, stream(2)
    cuts, mutated = set(), 0
    for _ in range(3000):
        pair = ga.children(draws, first, second, 2 / 3, 1_000_000)
        for child, start, rest in ((pair[0], first, second), (pair[1], second, first)):
            fits = [cut for cut in range(1, 6) if np.sum(child != np.append(start[:cut], rest[cut:])) <= 1]
            exact = [cut for cut in fits if (child == np.append(start[:cut], rest[cut:])).all()]
            assert fits
            cuts.update(exact)
            mutated += not exact
    assert cuts == {1, 2, 3, 4, 5}
    assert mutated / 6000 == pytest.approx(2 / 3, abs=0.02)


def test_without_crossover_children_have_one_parent():
    parents = np.arange(6.0), np.arange(6.0) + 100
    np.testing.assert_array_equal(ga.children(stream(2), *parents, 0, 1000, False), parents)


def test_a_generation_plays_every_pair_once_and_replaces_the_two_worst(tmp_path):
    runs = [trained(tmp_path / str(n), **QUICK, generations=n) for n in (1, 2)]
    assert [(run.checkpoint.games, run.checkpoint.generations) for run in runs] == [(91, 1), (182, 2)]
    first = runs[0].arrays
    points, order = first["points"], first["order"]
    founders = Minimax(**QUICK, generations=1).start(make_game(SMALL))["genes"]
    assert points[order[:-2]].tolist() == sorted(points[order[:-2]], reverse=True)
    assert points[order[-2:]].tolist() == [0, 0]  # the children have not played yet
    kept = order[:-2]
    np.testing.assert_array_equal(first["genes"][kept], founders[kept])
    np.testing.assert_array_equal(first["champions"], founders[order[:1]])
    assert runs[1].arrays["champions"].shape == (2, 6)
    np.testing.assert_array_equal(runs[1].arrays["champions"][0], first["champions"][0])


def test_a_win_is_a_point_and_a_draw_what_the_option_says(tmp_path):
    plain = trained(tmp_path / "a", **QUICK, generations=1, breeding="none")
    halves = trained(tmp_path / "b", **QUICK, generations=1, breeding="none", draw_points=0.5, games_per_pair=2)
    assert plain.arrays["points"].sum() <= 91
    assert halves.arrays["points"].sum() == 2 * 91
    lifetime = trained(
        tmp_path / "c", **QUICK, generations=3, breeding="none", fitness_window="lifetime", draw_points=0.5
    )
    assert lifetime.arrays["points"].sum() == 3 * 91


def test_the_champion_of_every_generation_is_an_agent(tmp_path):
    trained(tmp_path / "run", **QUICK, generations=3)
    game = make_game(SMALL)
    for generation in (1, 3):
        assert make_agent(f"minimax:{tmp_path / 'run'}?generation={generation}", game).policy
    with pytest.raises(ValueError, match="generation must be an integer from 1 to 3"):
        make_agent(f"minimax:{tmp_path / 'run'}?generation=4", game)


# --- CMA-ES ---


def test_cma_es_meets_past_champions_and_keeps_a_sample_of_them(tmp_path):
    run = trained(tmp_path / "run", **CMA)
    assert run.checkpoint.games == 180  # five generations of 6 × 3 pairs
    assert run.checkpoint.generations == 5
    assert run.arrays["hall"].shape == (4, 24)
    assert np.unique(run.arrays["hall"], axis=0).shape == (4, 24)
    np.testing.assert_array_equal(run.arrays["champion"], run.arrays["mean"])


def test_it_learns(tmp_path):
    options = {**CMA, "game": "othello?size=6", "population": 12, "rivals": 8, "games": 5000, "hall_of_fame": 20}
    trained(tmp_path / "run", **options)
    game = make_game("othello?size=6")
    scores = play_match(game, [f"minimax:{tmp_path / 'run'}", "alphabeta?depth=2&evaluation=none"], 60, 5, opening=6)
    assert scores.scores().mean() > 0.8


def test_anchors_are_rivals_in_every_generation(tmp_path):
    learner = Minimax(**CMA, anchors="wpc+six")
    assert learner.largest_generation(make_game(SMALL)) == 2 * 6 * 5
    assert trained(tmp_path / "run", **CMA, anchors="wpc+six").games == 180


def test_tuples_evolve_too(tmp_path):
    options = {**CMA, "features": "tuples", "search": "one-ply", "depth": 10, "covariance": "diagonal"}
    run = trained(tmp_path / "run", **options)
    assert run.arrays["mean"].shape == run.arrays["covariance"].shape == (72,)  # 8 classes of 9 contents
    assert make_agent(f"alphabeta?evaluation=minimax:{tmp_path / 'run'}", make_game(SMALL)).policy


# --- both ---


@pytest.mark.parametrize("options", [{**QUICK, "generations": 2}, CMA], ids=["genetic", "cma"])
def test_the_champion_does_not_depend_on_the_workers(tmp_path, options):
    alone = trained(tmp_path / "alone", **options)
    assert same(alone, trained(tmp_path / "threads", workers=3, **options))
    assert same(alone, trained(tmp_path / "processes", workers=2, executor="processes", **options))


@pytest.mark.parametrize("options", [{**QUICK, "generations": 3}, CMA, TUPLES], ids=["genetic", "cma", "tuples"])
def test_a_killed_run_ends_with_the_same_champion(tmp_path, options, killed):
    whole = trained(tmp_path / "whole", **options)
    killed(Minimax(**options), tmp_path / "killed", 2)
    assert same(whole, trained(tmp_path / "killed", **options))


@pytest.mark.parametrize("options", [{**QUICK, "generations": 3}, CMA], ids=["genetic", "cma"])
@pytest.mark.parametrize(
    "twin", [{"selection": "none"}, {"breeding": "founders"}, {"breeding": "none"}, {"crossover": False}], ids=str
)
def test_twins_play_as_many_games_and_end_elsewhere(tmp_path, options, twin):
    evolved, other = trained(tmp_path / "a", **options), trained(tmp_path / "b", **options, **twin)
    assert (other.games, other.generations) == (evolved.games, evolved.generations)
    assert not same(evolved, other)


def test_lessons_come_first_count_and_are_inherited(tmp_path):
    options = {**TUPLES, "breeding": "founders"}  # nothing but lessons changes the mean
    run, without = trained(tmp_path / "a", **options), trained(tmp_path / "b", **{**options, "lessons": 0})
    lines = list(map(json.loads, (tmp_path / "a" / "metrics.jsonl").read_text().splitlines()))
    games = np.diff([0, *(line["games"] for line in lines)])
    lessons = 3  # of 64 games each, with those in the tournament, before 0.3 of the budget
    assert games.tolist() == [64] * lessons + [24] * (len(games) - lessons)
    assert (without.arrays["mean"] == 0).all()
    assert (run.arrays["mean"] != 0).any()


def test_a_whole_number_is_a_spread(tmp_path):
    trained(tmp_path / "run", **CMA | {"spread": 1})  # and its checkpoint is read again


def test_the_anchor_that_plays_at_random_likes_all_positions_equally():
    wpc, random = Minimax(**TUPLES)._anchored(make_game(SMALL))
    assert wpc.name == "wpc"
    assert random.name == "tuples:all-2"
    assert not random.weights.any()


def test_the_opening_varies_by_generation():
    learner = Minimax(**TUPLES)
    openings = [learner._opening(number) for number in range(400)]
    assert set(openings) == {0, 1, 2, 3}
    assert openings.count(0) / 400 == pytest.approx(0.5, abs=0.1)
    assert {Minimax(**TUPLES | {"opening_varies": False})._opening(number) for number in range(40)} == {3}


def test_a_random_search_does_not_forget_its_champion(tmp_path):
    run = trained(tmp_path / "run", **CMA, breeding="founders")
    assert (run.arrays["genes"] == run.arrays["champion"]).all(axis=1).any()
    np.testing.assert_array_equal(run.arrays["mean"], np.zeros(24))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population": 1}, "population must be at least 4: a single player has nobody to be better than"),
        ({"features": "eight"}, "othello: there are no features 'eight'; it must be one of those with weights: six,"),
        ({"features": "tuples", "tuples": "a1-z9"}, "othello: tuples must be one of all-1, "),
        ({"tuples": "all-3"}, "tuples must be 'all-2', not 'all-3', with features=six"),
        ({"search": "deep"}, "search must be one of 'beam', 'alphabeta', 'one-ply', not 'deep'"),
        ({"search": "alphabeta", "width": 4}, "width must be 3, not 4, with search=alphabeta"),
        ({"strategy": "cma", "mutation": 0.5}, "mutation must be 0.6666666666666666, not 0.5, with strategy=cma"),
        ({"rivals": 3}, "rivals must be 20, not 3, with strategy=genetic"),
        (
            {"strategy": "cma", "anchors": "wpc+best"},
            "anchors: othello has no evaluation 'best'; it must be one of wpc, six",
        ),
        ({"strategy": "cma", "spread": 0}, "spread must be a number from 1e-09 to 1000000000.0, not 0"),
        ({"breeding": "none", "crossover": False}, "crossover must be True, not False, with breeding=none"),
        ({"lessons": 5}, "lessons must be 0, not 5, with features=six"),
        ({"opening_varies": True}, "opening_varies must be False, not True, without an opening"),
        ({**TUPLES, "lessons": 0, "alpha": 0.5}, "alpha must be 1.0, not 0.5, without lessons"),
        ({"depth": 0}, "depth must be an integer of at least 1, not 0"),
        ({"game": "tictactoe"}, "tictactoe: there are no features 'six'; it must be one of those with weights: none"),
        ({"game": "backgammon"}, "backgammon cannot be learned"),
    ],
    ids=str,
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Minimax(**{"game": SMALL, **options})


def test_a_damaged_run_is_refused(tmp_path):
    run = trained(tmp_path / "run", **CMA)
    run.arrays["hall"][1, 2] = np.nan
    run.save(tmp_path / "run")
    with pytest.raises(ValueError, match="the trained model is damaged"):
        Run.load(tmp_path / "run", learner_presets("minimax"))
