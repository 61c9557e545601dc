"""The preset `modern` of the if-then learner."""

import re

import pytest

from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.genetic.ifthen.heredity import Heredity
from ludarium.agents.genetic.ifthen.lessons import VALUES
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width


def test_its_options_are_those_of_games_and_of_breeding():
    game, modern = make_game("tictactoe"), Modern(game="tictactoe", windows=3, randomness_rate=1)
    assert modern.rules(game) == (game, True, 3, VALUES, 2)
    assert modern.heredity == Heredity(1.0, 1.0, False, False, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capacity": -1}, "capacity must be an integer of at least 0, not -1"),
        ({"windows": 1}, "windows must be 0 or from 2 to 10, not 1"),
        ({"windows": 11}, "windows must be 0 or from 2 to 10, not 11"),
        ({"symmetry": 1}, "symmetry must be True or False, not 1"),
        ({"games_per_comparison": 0}, "games_per_comparison must be an integer of at least 1, not 0"),
        ({"randomness_rate": 1.5}, "randomness_rate must be a number from 0 to 1, not 1.5"),
        ({"population": 1, "breeding": "none"}, "breeding must be 'parents', not 'none', with population=1"),
        ({"game": "backgammon"}, "backgammon has chance, where values cannot be backed up; use the preset 'seed'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=re.escape(f"ifthen: {message}")):
        IFTHEN.learner({"game": "hexapawn"} | options, "modern")


def test_games_without_a_board_are_refused(higher):
    message = "higher: for windows=4 the observation must be a board of at most 64 squares: two planes of 0 and 1, of "
    with pytest.raises(ValueError, match=re.escape(message) + ".*has the shape .1,. and the range .*; set windows=0"):
        Modern(game="othello").check(higher)


def test_capacity_holds_over_generations(evolve):
    slots = {}
    for capacity in (512, 0):
        learner = Modern(game="othello?size=6", games=300, population=4, capacity=capacity)
        slots[capacity] = evolve(learner)[0]["keys"].shape[1]
    assert slots[512] <= 4096 < slots[0]


def test_a_run_that_forgets_does_not_depend_on_threads_or_interruptions(tmp_path, killed):
    options = {"population": 6, "capacity": 256, "games": 400, "checkpoints": 1, "test_games": 2}
    learner = Modern(game="tictactoe", **options)
    killed(learner, tmp_path / "killed", 8)
    whole = Run.load(train(learner, tmp_path / "whole", workers=1), IFTHEN).arrays
    again = Run.load(train(learner, tmp_path / "killed", workers=2), IFTHEN).arrays
    assert all((array == again[name]).all() for name, array in whole.items())


@pytest.mark.parametrize(("spec", "games", "seeds"), [("hexapawn", 1_000, 5), ("tictactoe", 25_000, 1)])
def test_it_comes_to_play_optimally(evolve, spec, games, seeds):
    game = make_game(spec)
    for seed in range(seeds):
        learner = Modern(game=spec, games=games, seed=seed)
        exact = measure(game, learner.policy(game, evolve(learner)[0]))
        assert exact.nash_conv == 0
        assert exact.method == "deterministic"


def test_with_windows_it_beats_greedy_in_a_game_larger_than_its_book(connect_four, evolve):
    scores = {}
    for windows in (0, 4):
        learner = Modern(game=connect_four.spec, games=400, windows=windows)
        champion = learner.policy(connect_four, evolve(learner)[0])
        scores[windows] = play_match(connect_four, [champion, "greedy"], 100, 1, opening=2).scores()
    assert scores[4].mean() - half_width(scores[4]) > 0.5
    assert scores[0].mean() + half_width(scores[0]) < 0.5
