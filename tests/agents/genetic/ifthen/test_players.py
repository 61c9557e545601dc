"""All presets of the if-then learner: twins, options, old runs, plug-in games, and what they reach."""

import re
import zlib
from dataclasses import asdict

import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.genetic.ifthen.heredity import Heredity
from ludarium.agents.genetic.ifthen.lessons import VALUES, Lesson
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Maps
from ludarium.agents.genetic.ifthen.modern import Modern
from ludarium.agents.genetic.ifthen.original import Original
from ludarium.agents.genetic.ifthen.single import Single
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.statistics.intervals import half_width

POPULATIONS = pytest.mark.parametrize("kind", [Original, Modern])


def twelve(kind, **options):
    return kind(**{"game": "hexapawn", "population": 12} | options)


def same(maps, others, members):
    """Whether the maps of members are the same, and what became of them."""
    return all((maps[name][members] == others[name][members]).all() for name in Maps._fields)


@POPULATIONS
def test_without_selection_the_same_games_are_played_but_rank_nobody(kind, evolve):
    whole, told = evolve(twelve(kind, breeding="none"), 1)
    twin, twins = evolve(twelve(kind, breeding="none", selection="none"), 1)
    assert same(whole, twin, np.arange(12))
    assert (told["games"], told["draws"], told["mean"]) == (twins["games"], twins["draws"], twins["mean"])
    assert whole["order"].tolist() != twin["order"].tolist()


@POPULATIONS
def test_founders_replace_the_bottom_half_and_inherit_nothing(kind, evolve):
    learner = twelve(kind, breeding="founders", founder_limit=0.2)
    twin, _ = evolve(learner, 3)
    children, survivors = twin["order"][6:], twin["order"][:6]
    assert not twin["keys"][children].any()
    for count in ("entries", "games", "wins"):
        assert not twin[count][children].any()
    assert len(set(twin["randomness"][children])) == 6
    assert 0.1 < twin["randomness"][children].max() < 0.2
    assert (twin["entries"][survivors] > 0).all()
    whole, _ = evolve(twelve(kind, founder_limit=0.2), 3)
    assert whole["entries"][whole["order"][6:]].all()
    assert learner.fits(make_game("hexapawn"), twin)


@POPULATIONS
def test_without_breeding_everybody_lives_for_ever(kind, evolve):
    before, twin = (evolve(twelve(kind, breeding="none"), count)[0] for count in (0, 5))
    assert (twin["randomness"] == before["randomness"]).all()
    assert (twin["games"] >= 5).all()
    assert not (evolve(twelve(kind), 5)[0]["games"] >= 5).all()


def test_how_many_children_are_ahead_of_their_parents_is_reported_where_there_are_children(evolve):
    assert "ahead_of_parents" not in evolve(twelve(Original), 1)[1]  # nobody is a child yet
    assert 0 <= evolve(twelve(Original), 2)[1]["ahead_of_parents"] <= 1
    for options in ({"breeding": "none"}, {"breeding": "founders"}, {"population": 1}):
        assert "ahead_of_parents" not in evolve(twelve(Original, **options), 2)[1]


def test_without_selection_a_third_of_the_children_are_ahead_of_their_parents(evolve):
    learners = [twelve(Original, seed=seed, selection="none") for seed in range(150)]
    assert 0.27 < np.mean([evolve(learner, 2)[1]["ahead_of_parents"] for learner in learners]) < 0.40  # 900 children


@POPULATIONS
def test_a_single_player_plays_itself_and_learns_from_both_sides(kind, evolve):
    learner = twelve(kind, population=1)
    arrays, told = evolve(learner, 3)
    assert told["games"] == learner.largest_generation(make_game("hexapawn")) == 100
    assert arrays["games"].tolist() == [600]  # each game, once for each side
    assert arrays["wins"].tolist() == [300]  # hexapawn has no draws
    assert arrays["order"].tolist() == [0]
    assert learner.fits(make_game("hexapawn"), arrays)
    if kind is Original:  # the winners' moves, of either side, and nobody's else
        assert 5 < ((arrays["keys"][0] != 0) & (arrays["moves"][0] != FORGOTTEN)).sum() < 70


@pytest.mark.parametrize("kind", [Original, Modern, Single])
def test_a_plugin_game(connect_four, play, evolve, kind):
    learner = kind(game=connect_four.spec, population=1 if kind is Single else 4)
    arrays, _ = evolve(learner, 3, connect_four)
    assert (arrays["entries"] > 10).all()
    assert len(play(connect_four, learner.policy(connect_four, arrays), random(connect_four), 10)) == 20


@pytest.mark.parametrize(
    ("preset", "spec", "games", "seeds", "needed"),
    [
        ("seed", "hexapawn", 10_000, 5, 4),
        ("modern", "hexapawn", 1_000, 5, 5),
        ("modern", "tictactoe", 25_000, 1, 1),
        ("single", "hexapawn", 1_000, 3, 3),
    ],
)
def test_what_the_presets_reach(preset, spec, games, seeds, needed, evolve):
    game, exact = make_game(spec), []
    for seed in range(seeds):
        learner = IFTHEN.learner({"game": spec, "games": games, "seed": seed}, preset)
        exact.append(measure(game, learner.policy(game, evolve(learner)[0])))
    assert sum(one.nash_conv == 0 for one in exact) >= needed
    assert preset == "seed" or {one.method for one in exact} == {"deterministic"}


@pytest.mark.parametrize(
    ("preset", "options", "message"),
    [
        ("seed", {"population": 3}, "population must be an integer of at least 4, not 3"),
        ("seed", {"population": 10**8}, "population must be an integer of at most 10000, not 100000000"),
        ("seed", {"games_per_comparison": "x"}, "games_per_comparison must be an integer of at least 1, not 'x'"),
        ("seed", {"rematch": -1}, "rematch must be an integer of at least 0, not -1"),
        ("seed", {"rematch": "x"}, "rematch must be an integer of at least 0, not 'x'"),
        ("seed", {"founder_limit": 2}, "founder_limit must be a number from 0 to 1, not 2"),
        ("seed", {"missing_genes": "some"}, "missing_genes must be one of 'union', 'drop', not 'some'"),
        ("seed", {"record_on": "loss"}, "record_on must be one of 'win', 'win+draw', not 'loss'"),
        ("seed", {"overwrite_on_win": 1}, "overwrite_on_win must be True or False, not 1"),
        ("seed", {"randomness_rate": 0, "rerandomise_limit": 0.5}, "rerandomise_limit must be 1.0, not 0.5, with"),
        (
            "seed",
            {"randomness_rate": 1, "randomness_inheritance": "text"},
            "randomness_inheritance must be 'code', not",
        ),
        ("seed", {"population": 1, "rematch": 2}, "rematch must be 0, not 2, with population=1, a single player"),
        ("seed", {"population": 1, "selection": "none"}, "selection must be 'merit', not 'none', with population=1"),
        ("modern", {"capacity": -1}, "capacity must be an integer of at least 0, not -1"),
        ("modern", {"windows": 1}, "windows must be 0 or from 2 to 10, not 1"),
        ("modern", {"windows": 11}, "windows must be 0 or from 2 to 10, not 11"),
        ("modern", {"games_per_comparison": 0}, "games_per_comparison must be an integer of at least 1, not 0"),
        ("modern", {"randomness_rate": 1.5}, "randomness_rate must be a number from 0 to 1, not 1.5"),
        ("modern", {"game": "backgammon"}, "backgammon has chance, where values cannot be backed up; use the preset"),
        ("single", {"population": 4}, "population must be an integer of at most 1, not 4"),
        ("single", {"selection": "none"}, "selection must be 'merit', not 'none', with population=1, a single player"),
    ],
)
def test_wrong_options(preset, options, message):
    with pytest.raises(ValueError, match=re.escape(f"ifthen: {message}")):
        IFTHEN.learner({"game": "hexapawn"} | options, preset)


OLD = {**asdict(Original(game="hexapawn")), "inheritance": "win-rate", "values": False, "windows": 0, "capacity": 0}
OLD |= {"hall_of_fame": 0, "novelty": 0.0}  # the options in the manifest of a run from before there were classes
VALUED = {"values": True, "windows": 3, "symmetry": True, "capacity": 512}


@pytest.mark.parametrize(
    ("options", "learner"),
    [
        ({"rematch": 2}, Original(game="hexapawn", rematch=2)),
        (
            {**VALUED, "inheritance": "evidence", "population": 8, "founder_limit": 1.0, "games_per_comparison": 2},
            Modern(game="hexapawn", windows=3, capacity=512, randomness_rate=0.05),
        ),
        (
            {**VALUED, "randomness_inheritance": "none", "population": 1},
            Single(game="hexapawn", windows=3, capacity=512),
        ),
    ],
)
def test_runs_from_before_there_were_classes(options, learner):
    assert IFTHEN.of_run(OLD | options, None) == learner


@pytest.mark.parametrize(
    "options", [{"novelty": 0.2}, {"hall_of_fame": 4}, {"capacity": 512}, {**VALUED, "win_rate_window": "generation"}]
)
def test_runs_that_this_version_cannot_go_on_with(options):
    option, value = list(options.items())[-1]
    with pytest.raises(ValueError, match=f"trained with {option}={value!r}, which this version does not have"):
        IFTHEN.of_run(OLD | options, None)


def test_what_the_loop_says_beside_the_bar():
    line = {"generation": 12, "draws": 0.381, "rule_share": 0.814, "entries": 412.4}
    said = Original(game="hexapawn").summary(line)
    assert said == "generation 12: 38 % drawn, 81 % by a rule, 412 pairs"


def hexapawn(**options):
    return Original(**{"game": "hexapawn"} | options)


def test_readings_are_those_of_games_and_of_breeding():
    game = make_game("hexapawn")
    assert hexapawn().rules(game) == (game, False, 0, Lesson(False, False, False, False), 1)
    assert hexapawn(record_on="win+draw", overwrite_on_win=True).rules(game).lesson == Lesson(False, True, True, False)
    assert hexapawn(forget_on_loss=True).rules(game).lesson == Lesson(False, False, False, True)
    assert hexapawn(symmetry=True, games_per_comparison=2).rules(game)[1::3] == (True, 2)
    assert hexapawn().heredity == Heredity(0.05, 1.0, False, False, False)
    read = hexapawn(randomness_rate=0, randomness_inheritance="text", missing_genes="drop")
    assert read.heredity == Heredity(0.0, 1.0, True, True, False)
    assert hexapawn(rematch=3).largest_generation(game) == 18 + hexapawn().largest_generation(game)


def test_founders_are_random_below_their_limit(evolve):
    randomness = evolve(hexapawn(population=1000, games=20_000), 0)[0]["randomness"]
    assert 0.04 < randomness.max() < 0.05
    assert 0 <= randomness.min() < 0.01
    founders = hexapawn(population=1000, games=20_000, founder_limit=1.0)
    assert evolve(founders, 0)[0]["randomness"].max() > 0.9


@pytest.mark.parametrize(("window", "least"), [("lifetime", 1000), ("generation", 1)])
def test_the_window_of_the_win_rate(one_worker, window, least):
    game, learner = make_game("hexapawn"), hexapawn(population=8, win_rate_window=window)
    arrays = learner.start(game)
    arrays["games"][:] = 1000
    learner.generation(game, arrays, 0, one_worker)
    games = arrays["games"][arrays["order"][:4]]
    assert (games >= least).all()
    assert (games < least + 50).all()


@pytest.mark.parametrize("spec", ["othello?size=4", "backgammon?variant=hypergammon"])
def test_games_with_passes_and_with_chance(evolve, spec):
    assert evolve(hexapawn(game=spec, population=4, games=100), 3)[0]["entries"].sum() > 50


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


@pytest.mark.parametrize(
    ("capacity", "told", "known"),
    [
        (0, (132, 0.625, 0.45661977, 0.09749304, 72 / 132, 1 / 18, 728.8333333, 0.30853975, 0.0), 4_042_864_689),
        (64, (123, 0.5, 0.41666667, 0.18226601, 17 / 123, 2 / 16, 203.5, 0.46352078, 1 / 3), 1_526_185_622),
    ],
)
def test_where_maps_without_windows_end(evolve, capacity, told, known):
    """The values of positions are 1, 0 and -1, so no machine rounds them otherwise."""
    arrays, line = evolve(Modern(game="tictactoe", population=6, windows=0, capacity=capacity), 4)
    assert tuple(line.values())[1:] == pytest.approx(told)
    names = ("keys", "moves", "visits", "order")
    assert zlib.crc32(b"".join(arrays[name].tobytes() for name in names)) == known


def test_its_randomness_is_chosen_again_before_every_generation(evolve):
    learners = [Single(game="hexapawn", seed=seed) for seed in (1, 2)]
    seen = [evolve(learner, count)[0]["randomness"][0] for learner in learners for count in (1, 2)]
    assert len(set(seen)) == 4
    assert 0.1 < np.mean(seen) < 0.9
