"""Lists that learn from cases: what they reach, which judge they ask, and their twins."""

import zlib
from itertools import pairwise

import pytest

from ludarium.agents.baselines.random import random
from ludarium.agents.genetic.gaia import modern
from ludarium.agents.genetic.gaia.draft import Evidence
from ludarium.agents.genetic.gaia.modern import Modern
from ludarium.agents.genetic.gaia.offspring import Lists
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.genetic.gaia.window_judge import LEAST_GAMES
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import agent_of_run
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure

SMALL = {"game": "tictactoe", "population": 8, "rules": 30, "games_per_pair": 10, "memory": 1 << 12}
FULL = SMALL | {"memory": 64, "games": 10_000}
"""A memory that is full after the first generation."""


def test_players_never_lose(game, tmp_path):
    path = train(Modern(game="tictactoe", seed=1, generations=20, checkpoints=1), tmp_path / "run", workers=2)
    champion = agent_of_run(Modern, game, str(path))
    exact = measure(game, champion)
    assert exact.method == "exact"
    assert (exact.never_loses_first, exact.never_loses_second, exact.nash_conv) == (True, True, 0.0)
    assert (champion.rules["action"] >= 0).sum() <= 60


def test_hexapawn_is_solved(tmp_path):
    path = train(Modern(game="hexapawn", generations=5, checkpoints=1), tmp_path / "run", workers=1)
    assert measure(make_game("hexapawn"), agent_of_run(Modern, make_game("hexapawn"), str(path))).nash_conv == 0


def test_exploring_is_an_option(lived):
    known = [lived(Modern(**SMALL, explore=explore), 3)[1][-1]["positions"] for explore in (0.0, 0.9)]
    assert known[0] < known[1]


def test_where_lists_that_learn_from_the_memory_end(lived):
    """The values that they learn from are 1, 0 and -1, so no machine rounds them otherwise."""
    arrays, told = lived(Modern(**SMALL, windows=0), 4)
    assert told[-1] == pytest.approx({
        "games": 40, "decisions": 273, "best": -0.239111572, "mean": -1.240346348, "diversity": 0.2375, "draws": 4,
        "rule_moves": 121, "rule_share": 121 / 273, "positions": 255, "improved": 0.3125, "champion_rules": 24,
    })  # fmt: skip
    fields = ("own", "opponent", "empty", "action", "uses")
    assert zlib.crc32(b"".join(arrays["rules"][name].tobytes() for name in fields)) == 1_989_905_365


def test_improved_is_the_share_of_children_better_than_both_parents(game, serial, game_cases, monkeypatch):
    """Of two breedings of two children, one child is better than both of its parents, and one as good as the better."""
    learner, prices = Modern(game="tictactoe", population=4, rules=4, breedings=2), iter([[0.5, 50.0], [0.5, 50.0]])
    costs = [4.0, 3.0, 2.0, 1.0]
    monkeypatch.setattr(modern, "ask_memory", lambda *_: Evidence(game_cases[0], 0, [0, 0, 0]))
    monkeypatch.setattr(modern, "judge_all", lambda rules, exam: Lists(rules, modern.np.array(costs)))
    monkeypatch.setattr(modern, "bear_all", lambda *_: Lists(no_rules(2, 4), modern.np.array(next(prices))))
    assert learner.generation(game, learner.start(game), 0, serial)["improved"] == 0.25


# --- the map as judge -----------------------------------------------------------------------------------------------


def test_a_full_memory_hands_over_to_the_map(lived):
    arrays, metrics = lived(Modern(**FULL), 3)
    assert [line["games"] for line in metrics] == [metrics[0]["games"], 400, 400]  # a 25th of the games
    assert metrics[0]["games"] < 40  # it stops when the memory is full
    assert arrays["map_games"][0] == 2 * 600
    assert 30 < metrics[1]["positions"] <= 64
    assert metrics[2]["champion_rules"] > 1
    arrays, metrics = lived(Modern(**FULL, windows=0), 3)
    assert "map_keys" not in arrays
    assert all(line["games"] == 40 for line in metrics)


@pytest.mark.parametrize("options", [{}, {"population": 1}, {"selection": "best-20"}])
def test_a_map_is_asked_for_about_forty_children(lived, options, monkeypatch):
    born, bear_all = [], modern.bear_all

    def counted(rules, *arguments):
        born.append(len(rules))
        return bear_all(rules, *arguments)

    learner = Modern(**FULL | options)
    monkeypatch.setattr(modern, "bear_all", counted)
    lived(learner, 2)  # the memory judges the first
    assert abs(sum(born[learner.breedings :]) - 40) < born[-1]


@pytest.mark.parametrize("options", [{"windows": 2}, {"rule_cost": 0.0}, {"seed": 1}])
def test_each_option_changes_what_is_learned(lived, options):
    one, other = (lived(Modern(**FULL | given), 3)[0]["rules"].tobytes() for given in ({}, options))
    assert one != other


@pytest.mark.parametrize("damage", ["map_keys", "map_moves", "kept_count", "kept_states"])
def test_a_damaged_map_is_refused(game, lived, damage):
    learner = Modern(**FULL)
    arrays = lived(learner, 2)[0]
    assert learner.fits(game, arrays)
    if damage == "kept_states":
        arrays[damage] = arrays[damage][:0]
    else:
        arrays[damage][:] = 1 if damage == "map_keys" else -9
    assert not learner.fits(game, arrays)


def test_it_learns_a_game_too_large_for_its_memory(connect_four, play, tmp_path):
    options = {"game": connect_four.spec, "memory": 512, "games": 10 * LEAST_GAMES, "population": 8, "rules": 20}
    champion = agent_of_run(Modern, connect_four, str(train(Modern(**options, checkpoints=1), tmp_path / "run")))
    assert play(connect_four, champion.policy, random(connect_four), 200).mean() > 0.4


# --- twins ----------------------------------------------------------------------------------------------------------


def test_without_selection_good_lists_are_replaced_too(game, game_cases, lived, monkeypatch):
    """On the same cases; the champion is the best of those that are left."""
    monkeypatch.setattr(modern, "ask_memory", lambda *_: Evidence(game_cases[0], 0, [0, 0, 0]))
    falls = {}
    for selection in ("best-50", "none"):
        arrays, metrics = lived(Modern(**SMALL | {"rules": 40, "breedings": 1}, selection=selection), 12)
        assert (arrays["weights"][0] >= arrays["weights"]).all()
        falls[selection] = sum(later["best"] < one["best"] for one, later in pairwise(metrics))
    assert falls["best-50"] == 0 < falls["none"]


def test_founders_learn_but_inherit_nothing(lived, wants):
    """Without mutation, children of the same parents would be much like these."""
    shared = {}
    for breeding in ("parents", "founders"):
        arrays, _ = lived(Modern(**SMALL, breeding=breeding, mutation=0.0), 6)
        assert (arrays["rules"]["action"] >= 0).any(axis=1).all()
        shared[breeding] = len(wants(arrays["rules"]))
    assert shared["founders"] > 1.5 * shared["parents"]


def test_without_breeding_nobody_learns(lived):
    arrays, metrics = lived(Modern(**SMALL, breeding="none"), 3)
    assert (arrays["rules"]["action"] == -1).all()
    assert metrics[-1]["best"] == metrics[-1]["mean"]


def test_a_single_list_is_replaced_by_children_that_are_no_worse(lived, wants):
    learner = Modern(**SMALL | {"population": 1, "games_per_pair": 20})
    (early, first), (late, last) = lived(learner, 1), lived(learner, 8)
    assert first[0]["games"] == 20
    assert last[-1]["positions"] > first[0]["positions"]
    assert wants(late["rules"]) != wants(early["rules"])
