"""The original program: each option's effect on a generation, and its twins."""

import numpy as np
import pytest

from ludarium.agents.genetic.gaia import GAIA
from ludarium.agents.genetic.gaia.meetings import reward
from ludarium.agents.genetic.gaia.original import Original
from ludarium.agents.genetic.gaia.rules import RULE
from ludarium.envs.registry import make_game

SMALL = {"game": "tictactoe", "population": 8, "rules": 20}


@pytest.fixture
def original(lived):
    """A small population after some generations, and the metrics of the last."""

    def original(generations=1, **options):
        arrays, told = lived(Original(**(SMALL | options)), generations)
        return arrays, told[-1]

    return original


def test_weights_are_sums_or_means():
    rules = np.zeros(2, dtype=RULE)
    for result in (1.0, 1.0, -1.0, 1.0):
        reward(rules[0], result, False)
        reward(rules[1], result, True)
    assert rules["weight"].tolist() == [2.0, 0.5]
    assert rules["uses"].tolist() == [4, 4]


def test_the_preset_seed_is_what_the_author_described(game):
    learner = GAIA.learner({"game": "tictactoe"}, "seed")
    assert (learner.population, learner.rules, learner.games_per_pair, learner.selection) == (40, 100, 5, "best-50")
    rules = learner.start(game)["rules"]
    assert rules.shape == (40, 100)
    assert set(np.unique(rules["priority"])) == {0, 1, 2, 3}
    assert learner.largest_generation(game) == 100
    assert Original(game="tictactoe", generations=500).games == 50_000


def test_a_generation_counts_its_games(original):
    arrays, metrics = original()
    assert metrics["games"] == 20
    assert 5 * 20 <= metrics["decisions"] <= 9 * 20
    assert 0 <= metrics["draws"] <= 20
    assert metrics["rule_share"] == metrics["rule_moves"] / metrics["decisions"] > 0
    assert arrays["rules"]["uses"].sum() > 0


def test_wins_and_losses_of_players_and_rules_cancel(original):
    """Where nobody dies."""
    arrays, _ = original(breeding="none")
    assert arrays["weights"].sum() == 0
    assert abs(arrays["weights"]).max() <= 5
    assert (abs(arrays["rules"]["weight"]) <= arrays["rules"]["uses"]).all()
    assert arrays["rules"]["weight"].any()


def test_the_best_live_and_their_children_follow(original):
    arrays, metrics = original(mutation=0.0)
    assert arrays["weights"][0] == metrics["best"]
    assert (np.diff(arrays["weights"][:4]) <= 0).all()
    assert (arrays["weights"][4:] == 0).all()
    mother, father, child = arrays["rules"][[0, 1, 4]]
    assert (child[::2] == mother[::2]).all()
    assert (child[1::2] == father[1::2]).all()


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 1},
        {"mutation": 0.5},
        {"mutation": 0.3, "mutation_spread": 3.0},
        {"selection": "best-20"},
        {"parents": "random"},
        {"players": "order"},
        {"crowding": 0.0},
        {"communicate": True},
        {"rigged": 1.0},
        {"heavier": True},
        {"light_every": 1, "light_weight": 0.0},
        {"inherit_weight": False},
        {"accumulate": False},
        {"average": True},
        {"symmetry": True},
        {"wildcards": 0.9},
        {"priorities": 1},
        {"games_per_pair": 6},
    ],
)
def test_each_option_changes_what_becomes_of_the_population(original, options):
    learned = {"wildcards": 0.7, "mutation": 0.02}
    plain, changed = original(6, **learned), original(6, **(learned | options))
    assert plain[0]["rules"].tobytes() != changed[0]["rules"].tobytes()


def test_light_rules_go_every_so_many_generations(game, serial):
    """Whatever the results of the games were."""
    learner, gone = Original(**SMALL, light_every=3, light_weight=10**6), []
    for number in range(6):
        arrays = learner.start(game)
        arrays["rules"]["uses"] = 1
        learner.generation(game, arrays, number, serial)
        gone.append(bool((arrays["rules"]["uses"] == 0).all()))
    assert gone == [False, False, True, False, False, True]


@pytest.mark.parametrize("spec", ["hexapawn", "othello?size=4"])
def test_other_games(serial, spec):
    game = make_game(spec)
    learner = Original(**(SMALL | {"game": spec, "wildcards": 0.9}))
    told = learner.generation(game, learner.start(game), 0, serial)
    assert told["rule_moves"] > 0
    assert told["draws"] == (0 if spec == "hexapawn" else 2)  # hexapawn has none


# --- twins ----------------------------------------------------------------------------------------------------------


def test_without_selection_the_order_is_random(original):
    for selection, in_order in (("best-50", True), ("none", False)):
        arrays, metrics = original(3, selection=selection)
        weights = arrays["weights"][:4]  # children have not met anybody yet
        assert (np.diff(weights) <= 0).all() == in_order
        if in_order:
            assert weights[0] == metrics["best"]


def test_founders_inherit_nothing(game, original, wants):
    before = wants(Original(**SMALL).start(game)["rules"])
    for breeding in ("parents", "founders"):
        after = wants(original(breeding=breeding, mutation=0.0)[0]["rules"])
        new = after - before
        assert bool(new) == (breeding == "founders")
        if new:
            assert len(new) > 0.9 * 4 * 20  # random rules are seldom the same
            assert len(after & before) < 1.1 * 4 * 20


def test_without_breeding_all_live_for_ever(game, original, wants):
    arrays, metrics = original(3, breeding="none")
    assert wants(arrays["rules"]) == wants(Original(**SMALL).start(game)["rules"])
    assert (np.diff(arrays["weights"]) <= 0).all()
    assert metrics["best"] != metrics["mean"]


def test_a_single_player_learns_by_its_weights_alone(game, original, wants):
    arrays, metrics = original(3, population=1)
    assert metrics["games"] == 5
    assert arrays["weights"].tolist() == [0.0]  # it wins and loses as often
    assert wants(arrays["rules"]) == wants(Original(**SMALL | {"population": 1}).start(game)["rules"])
    assert arrays["rules"]["weight"].any()
    assert arrays["rules"]["uses"].sum() == metrics["rule_moves"] + sum(
        original(number, population=1)[1]["rule_moves"] for number in (1, 2)
    )
