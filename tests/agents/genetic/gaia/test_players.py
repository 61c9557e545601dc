"""What all presets share: runs, damaged files, wrong options, and runs of earlier versions."""

import json

import numpy as np
import pytest

from ludarium.agents.genetic.gaia import GAIA
from ludarium.agents.genetic.gaia.alone import Alone
from ludarium.agents.genetic.gaia.modern import Modern
from ludarium.agents.genetic.gaia.original import Original
from ludarium.agents.genetic.gaia.players import metrics
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import agent_of_run
from ludarium.agents.specs import make_agent

SMALL = {"game": "tictactoe", "population": 8, "rules": 20, "test_games": 2}
PRESETS = {
    "seed": SMALL | {"communicate": True, "games": 1000},
    "modern": SMALL | {"memory": 64, "games_per_pair": 10, "games": 1000},  # so small that a map judges, too
    "alone": SMALL | {"tests": 40, "games": 8000},
}
each_preset = pytest.mark.parametrize("preset", PRESETS)


@each_preset
def test_a_damaged_population_is_refused(game, preset):
    learner = GAIA.learner(PRESETS[preset], preset)
    arrays = learner.start(game)
    assert learner.fits(game, arrays)
    assert not learner.fits(game, {name: array for name, array in arrays.items() if name != "weights"})
    arrays["rules"]["action"][3, 4] = 9
    assert not learner.fits(game, arrays)


def test_the_merit_of_a_player_is_its_weight(game):
    learner = GAIA.learner(PRESETS["seed"], "seed")
    arrays = learner.start(game)
    arrays["weights"][:2] = 0.12345, 2.0
    assert learner.merits(arrays)[:2] == ["weight 0.123", "weight 2"]


@each_preset
def test_while_it_learns_it_tells_of_draws_and_moves_by_a_rule(game, serial, preset):
    learner = GAIA.learner(PRESETS[preset], preset)
    _, line = learner.advance(game, Checkpoint(learner.start(game)), 1000, serial)
    expected = f"generation 12: {line['draws']:.0f} draws, {line['rule_moves']:.0f} moves by a rule"
    expected += "" if preset == "seed" else f", {line['champion_rules']:.0f} rules"
    assert learner.summary({"generation": 12, **line}) == expected


def test_a_run_is_an_agent_and_so_is_each_of_its_players(game, tmp_path):
    path = train(Original(**SMALL, generations=3, checkpoints=1), tmp_path / "run", workers=1)
    assert json.loads((path / "metrics.jsonl").read_text().splitlines()[-1])["games"] == 60
    champion, first, other = (agent_of_run(GAIA, game, str(path), member=member) for member in (None, 0, 3))
    np.testing.assert_array_equal(champion.rules, first.rules)
    assert champion.rules.tobytes() != other.rules.tobytes()
    assert make_agent(f"gaia:{path}?member=3", game).rules.tobytes() == other.rules.tobytes()


def test_a_generation_without_games_has_no_share_of_rules():
    told = metrics(0, np.zeros(3, dtype=np.int64), np.zeros(2), no_rules(2, 3))
    assert (told["games"], told["rule_share"]) == (0, 0.0)


@pytest.mark.parametrize(
    ("preset", "options", "message"),
    [
        ("seed", {"population": 0}, "population must be an integer of at least 1, not 0"),
        ("modern", {"population": 10**8}, "population must be an integer of at most 10000, not 100000000"),
        ("alone", {"rules": 10**8}, "rules must be an integer of at most [0-9]+, not 100000000"),
        ("alone", {"rules": 0}, "rules must be an integer of at least 1, not 0"),
        *((preset, {"game": "backgammon"}, "backgammon cannot be learned; it takes two-seat") for preset in PRESETS),
        ("seed", {"population": 7}, "population must be an even number, not 7: players meet in pairs"),
        ("seed", {"population": 2}, "population must be an integer of at least 4, not 2; or 1, a single player"),
        ("seed", {"light_weight": float("nan")}, "light_weight must be a number from -10+ to 10+, not nan"),
        ("seed", {"mutation": 1.5}, "mutation must be a number from 0 to 1, not 1.5"),
        ("seed", {"mutation_spread": "x"}, "mutation_spread must be a number from 0 to 1000000000, not 'x'"),
        ("seed", {"games_per_pair": "x"}, "games_per_pair must be an integer of at least 1, not 'x'"),
        ("seed", {"selection": "best"}, "selection must be one of 'best-50', 'best-10'"),
        ("seed", {"players": "best"}, "players must be one of 'order', 'random', not 'best'"),
        ("seed", {"light_weight": -1.0}, "light_weight must be 0.0, not -1.0, without light_every"),
        ("seed", {"mutation": 0, "mutation_spread": 2.0}, "mutation_spread must be 1.0, not 2.0, without mutation"),
        (
            "seed",
            {"population": 1, "selection": "best-10"},
            "selection must be .*, not 'best-10', with a single player",
        ),
        ("seed", {"breeding": "none", "heavier": True}, "heavier must be False, not True, with breeding='none'"),
        ("modern", {"memory": 1000}, "memory must be a power of two, not 1000"),
        ("modern", {"memory": 0}, "memory must be an integer of at least 1, not 0"),
        ("modern", {"windows": 1}, "windows must be 0 or from 2 to 10, not 1"),
        ("modern", {"rule_cost": -1.0}, "rule_cost must be a number from 0 to 1000000000, not -1.0"),
        ("modern", {"rule_cost": float("nan")}, "rule_cost must be a number from 0 to 1000000000, not nan"),
        ("modern", {"windows": 0, "rule_cost": 1.0}, "rule_cost must be 4.0, not 1.0, without windows"),
        (
            "modern",
            {"population": 1, "selection": "best-10"},
            "selection must be .*, not 'best-10', with a single list",
        ),
        ("modern", {"games_per_pair": "x"}, "games_per_pair must be an integer of at least 1, not 'x'"),
        ("modern", {"explore": 2.0}, "explore must be a number from 0 to 1, not 2.0"),
        ("alone", {"tests": 41}, "gaia: tests must be an even number, half of them for each seat, not 41"),
        ("alone", {"tests": "x"}, "gaia: tests must be an integer of at least 2, not 'x'"),
        ("alone", {"selection": "best-10"}, "gaia: selection must be one of 'best-50', 'none', not 'best-10'"),
        ("alone", {"noise": 2.0}, "gaia: noise must be a number from 0 to 1, not 2.0"),
    ],
)
def test_options_that_are_not_allowed(preset, options, message):
    with pytest.raises(ValueError, match=message):
        GAIA.learner(PRESETS[preset] | options, preset)


OLD = {
    "seed": 0, "checkpoints": 10, "test_games": 400, "games": 50_000, "generations": 0, "population": 40,
    "selection": "best-50", "breeding": "parents", "rules": 100, "priorities": 4, "games_per_pair": 5, "mutation": 0.01,
    "mutation_spread": 1.0, "parents": "order", "players": "random", "mutate_equal": False, "crowding": 1.0,
    "communicate": False, "wildcards": 0.25, "rigged": 0.0, "heavier": False, "no_repeats": False, "light_weight": 0.0,
    "light_every": 0, "inherit_weight": True, "accumulate": True, "average": False, "symmetry": False, "memory": 0,
    "explore": 0.25, "breedings": 1, "windows": 0, "rule_cost": 4.0, "one_shot": False, "tests": 0, "season": 10,
    "kept": 0.8, "noise": 0.7, "game": "tictactoe",
}  # fmt: skip
"""The options of a run of the version in which a single class had all of them."""


@pytest.mark.parametrize(
    ("options", "learner"),
    [
        ({"heavier": True}, Original(game="tictactoe", games=50_000, heavier=True)),
        (
            {"memory": 1 << 14, "windows": 4, "population": 20, "games_per_pair": 20, "explore": 0.75, "breedings": 4,
             "mutation": 0.1, "symmetry": True},
            Modern(game="tictactoe", games=50_000),
        ),
        ({"memory": 64, "explore": 0.5}, Modern(
            game="tictactoe", games=50_000, memory=64, explore=0.5, windows=0, population=40, games_per_pair=5,
            breedings=1, mutation=0.01, symmetry=False)),
        ({"tests": 200, "population": 10, "rules": 40, "symmetry": True}, Alone(game="tictactoe", games=50_000)),
    ],
)  # fmt: skip
def test_runs_of_the_version_with_a_single_class(options, learner):
    assert GAIA.of_run(OLD | options, None) == learner


def test_runs_with_an_option_that_no_class_has():
    with pytest.raises(ValueError, match="trained with one_shot=True, which this version does not have; train again"):
        GAIA.of_run(OLD | {"memory": 1 << 14, "population": 1, "one_shot": True}, None)


@pytest.mark.parametrize(
    ("preset", "option", "message"),
    [
        ("seed", {"memory": 64}, "option 'memory'; .* the preset 'modern'"),
        ("modern", {"one_shot": True}, "option 'one_shot'; the options are: game, seed"),
        ("alone", {"mutation": 0.1}, "option 'mutation'; it is an option of the presets 'seed' and 'modern'"),
    ],
)
def test_options_of_another_preset(preset, option, message):
    with pytest.raises(ValueError, match=f"gaia --preset {preset}: unknown {message}"):
        GAIA.learner({"game": "tictactoe", **option}, preset)
