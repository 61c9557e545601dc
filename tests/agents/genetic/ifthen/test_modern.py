"""The preset `modern` of the if-then learner."""

import re

import pytest

from ludarium.agents.genetic.ifthen.heredity import Heredity
from ludarium.agents.genetic.ifthen.lessons import VALUES
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width


def test_its_options_are_those_of_games_and_of_breeding():
    game, modern = make_game("tictactoe"), Modern(game="tictactoe", windows=3, randomness_rate=1)
    assert modern.rules(game) == (game, True, 3, VALUES, 2)
    assert modern.heredity == Heredity(1.0, 1.0, False, False, True)


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


def test_with_windows_it_beats_greedy_in_a_game_larger_than_its_book(connect_four, evolve):
    scores = {}
    for windows in (0, 4):
        learner = Modern(game=connect_four.spec, games=400, windows=windows)
        champion = learner.policy(connect_four, evolve(learner)[0])
        scores[windows] = play_match(connect_four, [champion, "greedy"], 100, 1, opening=2).scores()
    assert scores[4].mean() - half_width(scores[4]) > 0.5
    assert scores[0].mean() + half_width(scores[0]) < 0.5
