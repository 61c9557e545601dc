"""The preset `seed` of the if-then learner: the original program and the readings of its text."""

import pytest

from ludarium.agents.genetic.ifthen.heredity import Heredity
from ludarium.agents.genetic.ifthen.lessons import Lesson
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.envs.registry import make_game


def original(**options):
    return Original(**{"game": "hexapawn"} | options)


def test_readings_are_those_of_games_and_of_breeding():
    game = make_game("hexapawn")
    assert original().rules(game) == (game, False, 0, Lesson(False, False, False, False), 1)
    assert original(record_on="win+draw", overwrite_on_win=True).rules(game).lesson == Lesson(False, True, True, False)
    assert original(forget_on_loss=True).rules(game).lesson == Lesson(False, False, False, True)
    assert original(symmetry=True, games_per_comparison=2).rules(game)[1::3] == (True, 2)
    assert original().heredity == Heredity(0.05, 1.0, False, False, False)
    read = original(randomness_rate=0, randomness_inheritance="text", missing_genes="drop")
    assert read.heredity == Heredity(0.0, 1.0, True, True, False)
    assert original(rematch=3).largest_generation(game) == 18 + original().largest_generation(game)


def test_founders_are_random_below_their_limit(evolve):
    randomness = evolve(original(population=1000, games=20_000), 0)[0]["randomness"]
    assert 0.04 < randomness.max() < 0.05
    assert 0 <= randomness.min() < 0.01
    founders = original(population=1000, games=20_000, founder_limit=1.0)
    assert evolve(founders, 0)[0]["randomness"].max() > 0.9


@pytest.mark.parametrize(("window", "least"), [("lifetime", 1000), ("generation", 1)])
def test_the_window_of_the_win_rate(one_worker, window, least):
    game, learner = make_game("hexapawn"), original(population=8, win_rate_window=window)
    arrays = learner.start(game)
    arrays["games"][:] = 1000
    learner.generation(game, arrays, 0, one_worker)
    games = arrays["games"][arrays["order"][:4]]
    assert (games >= least).all()
    assert (games < least + 50).all()


@pytest.mark.parametrize("spec", ["othello?size=4", "backgammon?variant=hypergammon"])
def test_games_with_passes_and_with_chance(evolve, spec):
    assert evolve(original(game=spec, population=4, games=100), 3)[0]["entries"].sum() > 50
