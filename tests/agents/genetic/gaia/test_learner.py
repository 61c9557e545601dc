"""The rule players: selection, inheritance and mutation, each option's effect, and runs."""

import json

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import games, operators
from ludarium.agents.genetic.gaia.breeding import breed
from ludarium.agents.genetic.gaia.learner import Gaia
from ludarium.agents.genetic.gaia.meetings import reward
from ludarium.agents.genetic.gaia.offspring import no_rules
from ludarium.agents.genetic.gaia.patterns import RULE, Generator
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import Run, agent_of_run
from ludarium.agents.specs import make_agent
from ludarium.envs.chance import stream
from ludarium.envs.registry import make_game

SMALL = {"game": "tictactoe", "population": 8, "rules": 20}


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


@pytest.fixture(scope="module")
def generator(game):
    known = board(game, False)
    return Generator(known.needs, known.playable, 9, 0.25, 4, 0.0)


def numbered(*weights, first=0):
    """Rules with these weights, which differ in what they ask of the board."""
    made = np.zeros(len(weights), dtype=RULE)
    made["own"] = first + 1 + np.arange(len(weights))
    made["weight"] = weights
    return made


@pytest.fixture
def lived(game, serial):
    """A small population after some generations, and the metrics of the last."""

    def lived(generations=1, parallel=serial, **options):
        learner = Gaia(**(SMALL | options))
        arrays = learner.start(game)
        for number in range(generations):
            metrics = learner.generation(game, arrays, number, parallel)
        return arrays, metrics

    return lived


# --- operators ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selection", "parents", "replaced"),
    [
        ("best-50", range(20), range(20, 40)),
        ("best-10", range(4), range(4, 40)),
        ("best-20", range(8), range(8, 40)),
        ("best-40-worst-10", [*range(16), 36, 37, 38, 39], range(16, 36)),
    ],
)
def test_who_has_children_and_in_whose_places(selection, parents, replaced):
    found = operators.parents_and_replaced(selection, 40)
    assert [list(part) for part in found] == [list(parents), list(replaced)]


def test_there_are_two_parents_at_least():
    assert [list(part) for part in operators.parents_and_replaced("best-10", 4)] == [[0, 1], [2, 3]]


def test_couples_have_two_children_each_with_the_roles_exchanged():
    assert operators.couples(np.array([3, 1, 0, 2]), 4).tolist() == [[3, 1], [0, 2], [1, 3], [2, 0]]
    assert operators.couples(np.array([0, 1, 2]), 3).tolist() == [[0, 1], [2, 0], [1, 0]]


def test_children_are_dealt_out_evenly():
    children = operators.couples(np.arange(4), 36)
    assert np.unique(children.max(axis=1), return_counts=True)[1].tolist() == [18, 18]


def test_rules_are_inherited_in_turns():
    mother, father, child = numbered(1, 2, 3, 4), numbered(4, 3, 2, 1, first=10), np.zeros(4, dtype=RULE)
    operators.inherit(child, mother, father, False, True)
    assert child["own"].tolist() == [1, 12, 3, 14]
    assert child["weight"].tolist() == [1, 3, 3, 1]
    operators.inherit(child, mother, father, False, False)
    assert child["weight"].tolist() == [0, 0, 0, 0]


def test_the_heavier_rule_is_inherited():
    mother, father, child = numbered(1, 2, 3, 4), numbered(4, 3, 2, 1, first=10), np.zeros(4, dtype=RULE)
    operators.inherit(child, mother, father, True, True)
    assert child["own"].tolist() == [11, 12, 3, 4]


def test_mutations_are_as_many_as_they_should_be(generator):
    rules = numbered(*[5.0] * 4000)
    assert operators.mutate(rules, 0.0, 1.0, generator, stream(1)) == 0
    count = operators.mutate(rules, 0.1, 1.0, generator, stream(1))
    assert 330 < count < 470
    assert (rules["weight"] == 0).sum() == count


def test_mutations_accumulate_beside_each_other(generator):
    alone, spread = numbered(*[5.0] * 4000), numbered(*[5.0] * 4000)
    operators.mutate(alone, 0.05, 1.0, generator, stream(1))
    operators.mutate(spread, 0.05, 12.0, generator, stream(1))

    def after_a_mutation(rules):
        mutated = rules["weight"] == 0
        return mutated[1:][mutated[:-1]].mean()

    assert after_a_mutation(alone) < 0.15
    assert 0.45 < after_a_mutation(spread) < 0.75


def test_repeated_rules_are_replaced(generator):
    rules = numbered(1, 2, 3, 4)
    rules["own"] = [256, 16, 256, 16]
    rules["action"] = [0, 0, 0, 1]
    assert operators.replace_repeated(rules, generator, stream(1)) == 1
    assert rules["weight"].tolist() == [1, 2, 0, 4]


def test_light_rules_are_replaced(generator):
    rules = numbered(1, -2, 3, -1)
    assert operators.replace_light(rules, -1.0, generator, stream(1)) == 2
    assert rules["weight"].tolist() == [1, 0, 3, 0]


def test_resemblance_lowers_the_weight():
    population = np.stack([numbered(0, 0, 0, 0), numbered(0, 0, 0, 0), numbered(0, 0, 0, 0, first=20)])
    population[1, 0]["own"] = 99
    assert operators.similarity(population[0], population[1]) == 0.75
    weights = np.array([7.0, -2.0, 5.0])
    assert operators.shared_weights(population, weights, 0.5).tolist() == [4.0, -3.5, 5.0]
    assert operators.shared_weights(population, weights, 0.75).tolist() == weights.tolist()


def test_all_copies_of_a_rule_learn_from_one():
    population = np.stack([numbered(0, 0), numbered(0, 0), numbered(0, 0, first=20)])
    population[1] = population[1, ::-1]
    operators.communicate(population, np.array([[2.0, 0.0], [0.0, 0.0], [0.0, -1.0]]))
    assert population["weight"].tolist() == [[0, 0], [0, 2], [0, 0]]


def test_weights_are_sums_or_means():
    rules = numbered(0, 0)
    for result in (1.0, 1.0, -1.0, 1.0):
        reward(rules[0], result, False)
        reward(rules[1], result, True)
    assert rules["weight"].tolist() == [2.0, 0.5]
    assert rules["uses"].tolist() == [4, 4]


# --- a generation and its options -----------------------------------------------------------------------------------


def test_the_preset_seed_is_what_the_author_described(game):
    learner = Gaia.from_preset("seed", {"game": "tictactoe"})
    assert (learner.population, learner.rules, learner.games_per_pair, learner.selection) == (40, 100, 5, "best-50")
    rules = learner.start(game)["rules"]
    assert rules.shape == (40, 100)
    assert set(np.unique(rules["priority"])) == {0, 1, 2, 3}
    assert learner.largest_generation(game) == 100
    assert Gaia.from_preset("seed", {"game": "tictactoe", "generations": 500}).games == 50_000


def test_a_generation_counts_its_games(lived):
    arrays, metrics = lived()
    assert metrics["games"] == 20
    assert 5 * 20 <= metrics["decisions"] <= 9 * 20
    assert 0 <= metrics["draws"] <= 20
    assert metrics["rule_share"] == metrics["rule_moves"] / metrics["decisions"] > 0
    assert arrays["rules"]["uses"].sum() > 0


def test_a_generation_without_games_has_no_share_of_rules():
    told = games.metrics(0, np.zeros(3, dtype=np.int64), np.zeros(2), no_rules(2, 3))
    assert (told["games"], told["rule_share"]) == (0, 0.0)


def test_wins_and_losses_of_players_and_rules_cancel(lived):
    """Where nobody dies."""
    arrays, _ = lived(breeding="none")
    assert arrays["weights"].sum() == 0
    assert abs(arrays["weights"]).max() <= 5
    assert (abs(arrays["rules"]["weight"]) <= arrays["rules"]["uses"]).all()
    assert arrays["rules"]["weight"].any()


def test_the_best_live_and_their_children_follow(lived):
    arrays, metrics = lived(mutation=0.0)
    assert arrays["weights"][0] == metrics["best"]
    assert (np.diff(arrays["weights"][:4]) <= 0).all()
    assert (arrays["weights"][4:] == 0).all()
    mother, father, child = arrays["rules"][[0, 1, 4]]
    assert (child[::2] == mother[::2]).all()
    assert (child[1::2] == father[1::2]).all()


@pytest.mark.parametrize(
    "options",
    [{}, {"communicate": True}, {"selection": "best-10", "parents": "random"}, {"crowding": 0.2, "symmetry": True}],
)
def test_the_order_in_which_pairs_play_changes_nothing(lived, serial, backwards, options):
    one, other = (lived(3, parallel, **options) for parallel in (serial, backwards))
    assert one[1] == other[1]
    for name in one[0]:
        np.testing.assert_array_equal(one[0][name], other[0][name])


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
def test_each_option_changes_what_becomes_of_the_population(lived, options):
    learned = {"wildcards": 0.7, "mutation": 0.02}
    plain, changed = lived(6, **learned), lived(6, **(learned | options))
    assert plain[0]["rules"].tobytes() != changed[0]["rules"].tobytes()


def test_there_are_as_many_players_and_rules_as_was_asked_for(lived):
    assert lived(population=6, rules=7)[0]["rules"].shape == (6, 7)


def test_children_of_equal_parents_are_new_in_all_their_rules(game):
    for mutate_equal in (False, True):
        learner = Gaia(**SMALL, mutation=0.0, mutate_equal=mutate_equal)
        arrays = learner.start(game)
        arrays["rules"][:] = arrays["rules"][0]
        breed(learner, game, arrays, 0, stream(1))
        same = (arrays["rules"]["own"][4:] == arrays["rules"]["own"][0]).mean()
        assert same < 0.5 if mutate_equal else same == 1


def test_repeated_rules_of_children_are_replaced(game):
    for no_repeats, different in ((False, 1), (True, 20)):
        learner = Gaia(**SMALL, mutation=0.0, no_repeats=no_repeats)
        arrays = learner.start(game)
        arrays["rules"][:] = arrays["rules"][0, 0]
        breed(learner, game, arrays, 0, stream(1))
        assert len(np.unique(arrays["rules"]["own"][5] * 512 + arrays["rules"]["empty"][5])) >= different * 0.9


def test_light_rules_go_every_so_many_generations(game):
    learner = Gaia(**SMALL, light_every=3, light_weight=-1.0)
    gone = []
    for number in range(6):
        arrays = learner.start(game)
        arrays["rules"]["weight"] = -1.0
        breed(learner, game, arrays, number, stream(1))
        gone.append(bool((arrays["rules"]["weight"][0] == 0).all()))
    assert gone == [False, False, True, False, False, True]


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_a_generation_depends_on_the_arrays_and_its_number_alone(game, serial, preset):
    options = SMALL | {"communicate": True} if preset == "seed" else {"game": "tictactoe", "memory": 1 << 12}
    learner = Gaia.from_preset(preset, options)
    arrays = learner.start(game)
    for number in range(2):
        learner.generation(game, arrays, number, serial)
    stored = {name: array.copy() for name, array in arrays.items()}
    assert learner.fits(game, stored)
    told = [Gaia.from_preset(preset, options).generation(game, known, 2, serial) for known in (arrays, stored)]
    assert told[0] == told[1]
    assert all(arrays[name].tobytes() == stored[name].tobytes() for name in arrays)


@pytest.mark.parametrize("spec", ["hexapawn", "othello?size=4"])
def test_other_games(serial, spec):
    game = make_game(spec)
    learner = Gaia(**(SMALL | {"game": spec, "wildcards": 0.9}))
    assert learner.generation(game, learner.start(game), 0, serial)["rule_moves"] > 0


# --- runs -----------------------------------------------------------------------------------------------------------


def test_a_run_is_an_agent_and_so_is_each_of_its_players(game, tmp_path):
    path = train(Gaia(**SMALL, generations=3, checkpoints=1, test_games=10), tmp_path / "run", workers=1)
    assert json.loads((path / "metrics.jsonl").read_text().splitlines()[-1])["games"] == 60
    champion, first, other = (
        agent_of_run(Gaia, game, str(path)),
        agent_of_run(Gaia, game, str(path), member=0),
        agent_of_run(Gaia, game, str(path), member=3),
    )
    np.testing.assert_array_equal(champion.rules, first.rules)
    assert champion.rules.tobytes() != other.rules.tobytes()
    assert make_agent(f"gaia:{path}?member=3", game).rules.tobytes() == other.rules.tobytes()


@pytest.mark.parametrize("preset", ["seed", "modern"])
def test_any_workers_come_to_the_same_champion(tmp_path, preset):
    """In `modern` with so small a memory that moves are tried, too."""
    options = {"memory": 64, "games_per_pair": 10} if preset == "modern" else {"communicate": True}
    config = Gaia.from_preset(preset, SMALL | options | {"games": 1000, "checkpoints": 1, "test_games": 2})
    found = []
    for executor, size in (("threads", 1), ("threads", 2), ("threads", 8), ("processes", 2)):
        path = train(config, tmp_path / f"{executor}-{size}", executor=executor, workers=size)
        found.append([(path / name).read_bytes() for name in ("metrics.jsonl", "checkpoint.json")])
        found[-1].append([array.tobytes() for array in Run.load(path, Gaia).arrays.values()])
    assert all(one == found[0] for one in found)


def test_while_it_learns_it_tells_of_draws_and_moves_by_a_rule(game, serial):
    for preset in ("seed", "modern"):
        learner = Gaia.from_preset(preset, {"game": "tictactoe", "population": 8, "rules": 20, "games": 1000})
        _, line = learner.advance(game, Checkpoint(learner.start(game)), 1000, serial)
        expected = f"generation 12: {line['draws']:.0f} draws, {line['rule_moves']:.0f} moves by a rule"
        expected += f", {line['champion_rules']:.0f} rules" if preset == "modern" else ""
        assert learner.summary({"generation": 12, **line}) == expected


def test_a_damaged_population_is_refused(game):
    learner = Gaia(**SMALL)
    arrays = learner.start(game)
    assert learner.fits(game, arrays)
    arrays["rules"]["action"][3, 4] = 9
    assert not learner.fits(game, arrays)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population": 7}, "population must be an even number, not 7: players meet in pairs"),
        ({"population": 0}, "population must be an integer of at least 1, not 0"),
        ({"population": 10**8}, "population must be an integer of at most 10000, not 100000000"),
        ({"rules": 10**8}, "rules must be an integer of at most [0-9]+, not 100000000"),
        ({"light_weight": float("nan")}, "light_weight must be a number from -1000000000 to 1000000000, not nan"),
        ({"rule_cost": float("nan")}, "rule_cost must be a number from 0 to 1000000000, not nan"),
        ({"rules": 0}, "rules must be an integer of at least 1, not 0"),
        ({"mutation": 1.5}, "mutation must be a number from 0 to 1, not 1.5"),
        ({"mutation_spread": "x"}, "mutation_spread must be a number from 0 to 1000000000, not 'x'"),
        ({"selection": "best"}, "selection must be one of 'best-50', 'best-10'"),
        ({"players": "best"}, "players must be one of 'order', 'random', not 'best'"),
        ({"windows": 4}, "windows must be 0, not 4, without a memory to judge rules by"),
        ({"rule_cost": -1.0}, "rule_cost must be a number from 0 to 1000000000, not -1.0"),
        ({"rule_cost": "x"}, "rule_cost must be a number from 0 to 1000000000, not 'x'"),
        ({"memory": 1024, "windows": 1}, "windows must be 0 or from 2 to 10, not 1"),
        ({"memory": 1000}, "memory must be 0 or a power of two, not 1000"),
        ({"memory": 1024, "average": True}, "average must be False, not True, with a memory to judge rules by"),
        ({"game": "backgammon"}, "backgammon"),
        ({"population": 2}, "population must be an integer of at least 4, not 2; or 1, a single player"),
        ({"explore": 0.5}, "explore must be 0.25, not 0.5, without a memory to judge rules by"),
        ({"one_shot": True, "population": 1}, "one_shot must be False, not True, without a memory to judge rules by"),
        ({"memory": 1024, "rule_cost": 1.0}, "rule_cost must be 4.0, not 1.0, without windows"),
        ({"memory": 1024, "inherit_weight": False}, "inherit_weight must be True, not False, with a memory"),
        ({"memory": 1024, "parents": "random"}, "parents must be 'order', not 'random', with a memory"),
        ({"memory": 1024, "wildcards": 0.5}, "wildcards must be 0.25, not 0.5, with a memory"),
        ({"memory": 1024, "one_shot": True}, "one_shot=True makes a single player: set population=1, not 8"),
        (
            {"memory": 1024, "one_shot": True, "population": 1, "generations": 3},
            "generations must be 0, not 3, with one_shot=True",
        ),
        ({"light_weight": -1.0}, "light_weight must be 0.0, not -1.0, without light_every"),
        ({"mutation": 0, "mutation_spread": 2.0}, "mutation_spread must be 1.0, not 2.0, without mutation"),
        ({"population": 1, "selection": "best-10"}, "selection must be 'best-50', not 'best-10', with a single player"),
        ({"breeding": "none", "heavier": True}, "heavier must be False, not True, with breeding='none'"),
    ],
)
def test_options_that_are_not_allowed(options, message):
    with pytest.raises(ValueError, match=message):
        Gaia(**(SMALL | options))
