"""Tournaments as Python values and as plain data: what they may be made of, and what becomes of it."""

import functools
import json
import pickle
import re

import pytest

from ludarium.evaluation.play.openings import Book
from ludarium.evaluation.statistics.sprt import Hypotheses
from ludarium.evaluation.tournament.entrants import entered, own_name
from ludarium.evaluation.tournament.event import GameEntry, Tournament

AGENTS = ("random", "greedy")


def refused(**data):
    """Why there is no such tournament."""
    with pytest.raises(ValueError, match="tournament: ") as refusal:
        Tournament.from_data({"agents": list(AGENTS), "games": [{"game": "othello"}], **data})
    return f"{refusal.value}"


@pytest.mark.parametrize("games", [None, "othello", {}, {"game": "othello"}, [5], [{"game": "othello"}, "hexapawn"]])
def test_games_are_a_list_of_tables(games):
    assert refused(games=games) == f"tournament: games must be a list of tables ([[games]] in TOML), not {games!r}"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rounds": True}, "tournament: rounds must be an integer, not True"),
        ({"format": ["swiss"]}, "tournament: format must be a string, not ['swiss']"),
        ({"sprt": {"h0": 0}}, "tournament: sprt must be a table with h0 and h1 ([sprt] in TOML), not {'h0': 0}"),
        ({"sprt": {"h0": 0, "h1": True}}, "tournament: sprt: h1 must be a number"),
        ({"sprt": {"h0": "0", "h1": 9}}, "tournament: sprt: h0 must be a number"),
        ({"sprt": {"h0": 0, "h1": 9, "unit": 5}}, "tournament: sprt: unit must be a string"),
        (
            {"sprt": {"h0": 0, "h1": 9, "elo": 5}},
            "tournament: sprt: unknown setting 'elo'; known: h0, h1, alpha, beta, unit",
        ),
        (
            {"names": ["a", "b"]},
            "tournament: unknown setting 'names'; known: agents, games, name, seed, format, rounds, sprt, curve",
        ),
        ({"games": [{"game": "othello", "pairs": True}]}, "tournament: game: pairs must be an integer, not True"),
        (
            {"games": [{"game": "othello", "openings": ["a", 5]}]},
            "tournament: game: openings must be a file, a shipped set or a list of openings, not ['a', 5]",
        ),
        (
            {"agents": ["random", {"x": 5}]},
            "tournament: agents must be a list of specs, not ['random', {'x': 5}]; or a table of names and specs",
        ),
    ],
)
def test_a_setting_of_another_kind_is_refused(settings, sentence):
    assert refused(**settings) == sentence


def test_the_last_numbers_that_are_allowed():
    for settings in ({"seed": 0}, {"format": "swiss", "rounds": 1}, {"rounds": 0}):
        Tournament(AGENTS, (GameEntry("othello"),), **settings)
    for pairs in (1, 1_000_000_000):
        Tournament(AGENTS, (GameEntry("othello", pairs),))
    with pytest.raises(ValueError, match=r"pairs of 'othello' must be 1 to 1,000,000,000, not 1,000,000,001"):
        Tournament(AGENTS, (GameEntry("othello", 1_000_000_001),))


def test_a_game_is_kept_with_no_more_than_it_has_and_a_worker_gets_its_settings_alone():
    """Stores of before there were openings, adjudication and clocks hold the same games."""
    plain = {"game": "othello", "pairs": 100, "opening": 0, "agents": [], "crossplay": False}
    entry = GameEntry("othello")
    assert entry.data() == plain
    assert GameEntry("othello", adjudicate="exact").data() == {**plain, "adjudicate": "exact"}
    begun = GameEntry("othello", openings=("d3c5",), order="sequential")
    assert begun.data() == {**plain, "openings": ["d3c5"], "order": "sequential"}
    assert (entry.begin, GameEntry("othello", opening=3).begin) == (0, 3)
    assert begun.begin == Book(("d3c5",), "sequential")
    timed = GameEntry("othello", clock="60", margin=7)
    assert timed.data() == {**plain, "clock": "60", "margin": 7}
    assert (entry.control, entry.reproducible, timed.reproducible) == (None, True, False)
    assert timed.control.margin == 0.007
    assert entry.rules.spec == "othello"
    assert "rules" not in vars(pickle.loads(pickle.dumps(entry)))


def test_a_tournament_comes_back_from_its_data():
    games = GameEntry("hexapawn", 3, 2, ("mine", "random")), GameEntry("hanabi", 5, crossplay=True)
    sprt = Hypotheses(0, 0.5, 0.1, 0.2, "points")
    tournament = Tournament(({"mine": "greedy"}, "random"), games, "n", 4, "gauntlet", 2, sprt)
    data = json.loads(json.dumps(tournament.data()))
    assert data["agents"] == [{"mine": "greedy"}, "random"]
    assert {name: data[name] for name in ("name", "seed", "format", "rounds")} == {
        "name": "n", "seed": 4, "format": "gauntlet", "rounds": 2
    }  # fmt: skip
    assert data["sprt"] == {"h0": 0, "h1": 0.5, "alpha": 0.1, "beta": 0.2, "unit": "points"}
    assert Tournament.from_data(data) == tournament
    assert {"sprt", "curve"}.isdisjoint(Tournament(AGENTS, games[1:]).data())


def test_names_are_as_many_as_agents():
    assert entered(AGENTS, ("", "mine")) == (AGENTS, ("", "mine"))
    assert entered(AGENTS, ("", "")) == (AGENTS, ())
    for names in (("a",), ("a", "b", "c")):
        with pytest.raises(ValueError, match=re.escape(f"tournament: {len(names)} names were given for 2 agents")):
            entered(AGENTS, names)


def test_an_object_is_called_as_it_calls_itself():
    class Agent:
        name = ""

    def clever():
        pass

    unnamed = Agent()
    assert own_name("td:runs/x") == "td:runs/x"
    assert own_name(clever) == "clever"
    assert own_name(unnamed) == own_name(Agent) == "Agent"
    unnamed.name = "bob"
    assert own_name(unnamed) == "bob"
    assert own_name(functools.partial(clever)) == "partial"
