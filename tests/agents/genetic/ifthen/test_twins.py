"""The twins of the if-then learner: each lacks one part, and only that."""

import numpy as np
import pytest

from ludarium.agents.genetic.ifthen.learner import IfThen
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Maps
from ludarium.envs.registry import make_game


class Sequential:
    """One worker, this one."""

    shares_memory, size = True, 1

    def __call__(self, function, parts):
        return [function(part) for part in parts]


def lived(count, preset="seed", **options):
    """A learner, what it knows after this many generations, and the metrics of the last."""
    game = make_game("hexapawn")
    config = IfThen.from_preset(
        preset, {"game": game.spec, **({} if preset == "single" else {"population": 12}), **options}
    )
    arrays, told = config.start(game), {}
    for number in range(count):
        told = config.generation(game, arrays, number, Sequential())
    return config, arrays, told


def same(maps, others, members):
    """Whether the maps of members are the same, and what became of them."""
    return all((maps[name][members] == others[name][members]).all() for name in Maps._fields)


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_without_selection_the_same_games_are_played_but_rank_nobody(preset):
    _, whole, told = lived(1, preset, breeding="none")
    _, twin, twins = lived(1, preset, breeding="none", selection="none")
    assert same(whole, twin, np.arange(12))
    assert (told["games"], told["draws"], told["mean"]) == (twins["games"], twins["draws"], twins["mean"])
    assert whole["order"].tolist() != twin["order"].tolist()


def test_without_selection_the_best_player_takes_any_place():
    places = []
    for seed in range(20):
        best = lived(1, breeding="none", seed=seed)[1]["order"][0]
        places.append(lived(1, breeding="none", seed=seed, selection="none")[1]["order"].tolist().index(best))
    assert len(set(places)) > 6
    assert 3 < np.mean(places) < 8


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_founders_replace_the_bottom_half_and_inherit_nothing(preset):
    config, twin, _ = lived(3, preset, breeding="founders", founder_limit=0.2)
    children, survivors = twin["order"][6:], twin["order"][:6]
    assert not twin["keys"][children].any()
    for count in ("entries", "games", "wins"):
        assert not twin[count][children].any()
    assert len(set(twin["randomness"][children])) == 6
    assert 0.1 < twin["randomness"][children].max() < 0.2
    assert (twin["entries"][survivors] > 0).all()
    _, whole, _ = lived(3, preset, founder_limit=0.2)
    assert whole["entries"][whole["order"][6:]].all()
    assert config.fits(make_game("hexapawn"), twin)


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_without_breeding_everybody_lives_for_ever(preset):
    before, twin = lived(0, preset, breeding="none")[1], lived(5, preset, breeding="none")[1]
    assert (twin["randomness"] == before["randomness"]).all()
    assert (twin["games"] >= 5).all()
    assert not (lived(5, preset)[1]["games"] >= 5).all()


def test_how_many_children_are_ahead_of_their_parents_is_reported_where_there_are_children():
    assert "ahead_of_parents" not in lived(1)[2]  # nobody is a child yet
    assert 0 <= lived(2)[2]["ahead_of_parents"] <= 1
    for options in ({"breeding": "none"}, {"breeding": "founders"}, {"population": 1}):
        assert "ahead_of_parents" not in lived(2, **options)[2]


def test_without_selection_a_third_of_the_children_are_ahead_of_their_parents():
    shares = [lived(2, seed=seed, selection="none")[2]["ahead_of_parents"] for seed in range(150)]
    assert 0.27 < np.mean(shares) < 0.40  # 900 children


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_a_single_player_plays_itself_and_learns_from_both_sides(preset):
    config, arrays, told = lived(3, preset, population=1)
    assert told["games"] == config.largest_generation(make_game("hexapawn")) == 100
    assert arrays["games"].tolist() == [600]  # each game, once for each side
    assert arrays["wins"].tolist() == [300]  # hexapawn has no draws
    assert arrays["order"].tolist() == [0]
    assert config.fits(make_game("hexapawn"), arrays)
    if preset == "seed":  # the winners' moves, of either side, and nobody's else
        assert 5 < ((arrays["keys"][0] != 0) & (arrays["moves"][0] != FORGOTTEN)).sum() < 70


def test_randomness_that_is_not_inherited_is_drawn_again_for_everybody():
    for preset, options in (("single", {}), ("seed", {"population": 12})):
        seen = [lived(count, preset, randomness_inheritance="none", **options)[1]["randomness"] for count in (2, 3)]
        assert len(np.unique(seen)) == 2 * len(seen[0])
        assert (np.array(seen) > 0).all()
        assert np.mean(seen) > 0.1


def test_what_the_loop_says_beside_the_bar():
    line = {"generation": 12, "draws": 0.381, "rule_share": 0.814, "entries": 412.4}
    said = IfThen(game="hexapawn").summary(line)
    assert said == "generation 12: 38 % drawn, 81 % by a rule, 412 pairs"
