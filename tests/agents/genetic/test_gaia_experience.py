"""What a population remembers, how it judges rules by that, and what the preset `modern` reaches."""

import numpy as np
import pytest

from ludarium.agents.genetic.evolution import evolve
from ludarium.agents.genetic.experience import (
    cover,
    empty_memory,
    improve,
    judge,
    payoff_scale,
    play_and_remember,
    remembered,
    weigh,
)
from ludarium.agents.genetic.gaia import Gaia, trained
from ludarium.agents.genetic.patterns import RULE, board
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.registry import make_game
from ludarium.evaluation.exact import measure

NOTHING = (0, 0, 0, 0.0, 0, -1, 0)


@pytest.fixture(scope="module")
def game():
    return make_game("tictactoe")


def remember(game, games, symmetry, slots=1 << 13):
    """A memory after so many games of players without a rule, and the counts."""
    known, memory, counts = board(game, symmetry), empty_memory(game, slots), np.zeros(3, dtype=np.int64)
    population = np.array([[NOTHING]] * 2, dtype=RULE)
    play_and_remember(
        game.table, game.option_bytes, known.squares, known.undo, payoff_scale(game), population, games, 0.5,
        seed_key(1), *memory.values(), counts,
    )  # fmt: skip
    return memory, counts


@pytest.fixture(scope="module")
def memory(game):
    return remember(game, 4000, True)[0]


def test_with_symmetry_images_share_what_is_known(game, memory):
    known = np.count_nonzero(memory["memory_keys"])
    assert 600 < known <= 627  # of 765 positions up to symmetry, those with a decision
    assert np.count_nonzero(remember(game, 4000, False)[0]["memory_keys"]) > 3 * known


def test_the_memory_becomes_right(game, memory):
    """The empty board is a draw, and so is every first move; a move that loses is regretted."""
    senses, regrets, _ = remembered(game, board(game, True), memory)
    taken = np.bitwise_count(senses[:, 0, 0] | senses[:, 0, 1])
    assert regrets[taken == 0].tolist() == [[0.0] * 9]
    corner = (taken == 1) & ((senses[:, :, 1] == 1).any(axis=1))
    assert sorted(regrets[corner][0][~np.isnan(regrets[corner][0])].tolist()) == [0.0] + [1.0] * 7


def test_the_memory_forgets_what_it_has_no_room_for(game):
    memory, counts = remember(game, 200, False, slots=64)
    assert np.count_nonzero(memory["memory_keys"]) == 48
    assert counts[0] > 1000


def test_positions_that_champions_met_come_first(game, memory):
    senses, _, met = remembered(game, board(game, True), memory)
    assert 0 < met[0] == memory["memory_met"].sum() < len(senses)


def small_world():
    """Two positions of two squares: in the first only action 0 is good, in the second only action 1."""
    senses = np.array([[[1, 0, 2]], [[2, 0, 1]]], dtype=np.uint64)
    regrets = np.array([[0.0, 1.0], [2.0, 0.0]])
    return senses, np.array([[0, 1]]), regrets


def test_a_weight_is_the_mean_regret_where_a_rule_matches():
    rules = np.array([NOTHING] * 3, dtype=RULE)
    rules["action"], rules["own"] = 0, [0, 1, 3]
    assert [weigh(rule, *small_world()) for rule in rules] == [-1.0, 0.0, -2.0]


def test_a_player_is_judged_by_what_it_would_play():
    senses, undo, regrets = small_world()
    errors, rules = np.zeros(2), np.array([NOTHING] * 3, dtype=RULE)
    assert judge(rules, senses, undo, regrets, 2, errors) == 3.0  # nothing matches: the worst move
    rules["action"][0] = 0
    assert judge(rules, senses, undo, regrets, 2, errors) == 2.01
    assert errors.tolist() == [0.0, 2.0]
    rules["action"][1] = 1  # as heavy: either may fire, and the worse counts
    assert judge(rules, senses, undo, regrets, 2, errors) == 3.01
    rules["weight"] = [-1.0, -0.5, 0.0]
    rules["own"][2], rules["action"][2] = 1, 0
    assert judge(rules, senses, undo, regrets, 2, errors) == 0.02
    assert rules["uses"].tolist() == [0, 1, 1]
    assert judge(rules, senses, undo, regrets, 1, errors[:1]) == 0.01


def test_an_error_is_covered_by_a_rule_that_never_errs():
    senses, undo, regrets = small_world()
    rules = np.array([NOTHING] * 2, dtype=RULE)
    rules["action"][0] = 0
    errors, needs = np.zeros(2), np.zeros((2, 3), dtype=np.uint64)
    rules["weight"][0] = weigh(rules[0], senses, undo, regrets)
    judge(rules, senses, undo, regrets, 2, errors)
    assert cover(rules, senses, undo, regrets, needs, errors, 2, stream(1))
    assert rules["action"][1] == 1
    assert rules["weight"][1] == 0.0
    assert np.bitwise_count(rules["own"][1] | rules["empty"][1]) == 1  # one of the two senses is enough
    judge(rules, senses, undo, regrets, 2, errors)
    assert not cover(rules, senses, undo, regrets, needs, errors, 2, stream(1))


def test_what_is_not_missed_is_dropped():
    senses, undo, regrets = small_world()
    rules, needs = np.array([NOTHING] * 6, dtype=RULE), np.zeros((2, 3), dtype=np.uint64)
    rules["action"][:4] = 1
    cost = improve(rules, senses, undo, regrets, 2, needs, 2, seed_key(1), True)
    assert cost == 0.02
    assert (rules["action"] >= 0).sum() == 2
    old = np.array([NOTHING] * 6, dtype=RULE)
    old["action"][:4] = 1
    assert improve(old, senses, undo, regrets, 2, needs, 2, seed_key(1), False) > 1
    assert (old["action"] >= 0).sum() == 4


def test_modern_players_never_lose(game, tmp_path):
    config = Gaia.from_preset("modern", {"game": "tictactoe", "seed": 1, "generations": 12, "checkpoints": 1})
    path = evolve(config, tmp_path / "run", workers=2)
    champion = trained(game, str(path))
    exact = measure(game, champion)
    assert exact.method == "exact"
    assert (exact.never_loses_first, exact.never_loses_second, exact.nash_conv) == (True, True, 0.0)
    assert (champion.rules["action"] >= 0).sum() <= 60


def test_modern_hexapawn_and_any_number_of_threads(tmp_path):
    game, found = make_game("hexapawn"), []
    for workers in (1, 2):
        config = Gaia.from_preset("modern", {"game": "hexapawn", "generations": 5, "checkpoints": 1})
        champion = trained(game, str(evolve(config, tmp_path / str(workers), workers=workers)))
        found.append(champion.rules.tobytes())
        assert measure(game, champion).nash_conv == 0
    assert found[0] == found[1]


def test_exploring_is_an_option(game):
    learned = []
    for explore in (0.0, 0.9):
        learner = Gaia.from_preset("modern", {"game": "tictactoe", "explore": explore, "memory": 1 << 12})
        arrays = learner.start(game)
        learned.append(learner.generation(game, arrays, 0, lambda f, parts: list(map(f, parts)))["positions"])
    assert learned[0] != learned[1]
