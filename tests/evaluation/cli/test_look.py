"""The commands that look things up, where they show a time or something is broken."""

import itertools
import json
from types import SimpleNamespace

import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.cli import look

LISTS = {
    "games": ("ludarium.envs.registry.game_names", "unknown game 'lost'"),
    "agents": ("ludarium.agents.agent_names", "unknown agent 'lost'"),
    "learners": ("ludarium.agents.learning.registry.learner_names", "unknown learner 'lost'"),
}


@pytest.mark.parametrize("command", LISTS)
def test_what_is_broken_comes_first_and_hides_no_other(output, monkeypatch, command):
    names, why = LISTS[command]
    monkeypatch.setattr(names, lambda: ("lost", {"games": "hexapawn", "agents": "perfect", "learners": "td"}[command]))
    broken, other = output(command).splitlines()[:2]
    assert broken.startswith(f"lost  broken: {why}; ")
    assert other.split()[0] in ("hexapawn", "perfect", "td")
    if command != "learners":
        listed = json.loads(output(command, "--json"))
        (lost,) = [one for one in (listed if command == "games" else listed["agents"]) if "broken" in one]
        assert f"lost  broken: {lost['broken']}" == broken


def test_each_game_says_how_many_play_and_whether_there_is_chance(output, monkeypatch):
    monkeypatch.setattr(look.console, "width", 200)
    games = [
        "hexapawn  Hexapawn: 2 seats, 27 actions",
        "tictactoe  Tic-tac-toe: 2 seats, 9 actions",
        "othello  Othello: 2 seats, 65 actions",
        "backgammon  Backgammon: 2 seats, 1352 actions, chance",
        "hanabi  Hanabi: 2 seats, 20 actions, chance, hidden information",
    ]
    names = [game.split()[0] for game in games]
    assert [line for line in output("games").splitlines() if line.partition(" ")[0] in names] == games


def test_words_of_plug_ins_are_no_markup(output, monkeypatch):
    words, game = "[/x] [bold]", make_game("hexapawn")
    option = SimpleNamespace(default=words, expected=words, help=words)
    monkeypatch.setattr(type(game), "title", words)
    monkeypatch.setattr(type(game), "option_types", {words: option})
    monkeypatch.setattr("ludarium.envs.registry.game_names", lambda: ("hexapawn",))
    monkeypatch.setattr("ludarium.envs.registry.make_game", lambda name: game)
    assert output("games").splitlines() == [
        f"hexapawn  {words}: 2 seats, 27 actions",
        f"  {words} = {words!r}  {words}  {words}",
    ]
    presets = SimpleNamespace(takes=words, names=(words,), classes=[SimpleNamespace(variants=(), preset="")])
    monkeypatch.setattr(look, "_learner_options", lambda kind: [])
    monkeypatch.setattr("ludarium.agents.learning.registry.learner_names", lambda: (words,))
    monkeypatch.setattr("ludarium.agents.learning.registry.learner_presets", lambda name: presets)
    assert output("learners").splitlines()[0] == f"{words}  takes {words}; presets: {words}"
    monkeypatch.setattr("ludarium.agents.agent_names", lambda: (words,))
    monkeypatch.setattr("ludarium.agents.specs.agent_factory", lambda name: None)
    monkeypatch.setattr(look, "_agent_data", lambda name, factory: {"summary": words, "options": {}})
    assert output("agents").splitlines()[0] == f"{words}  {words}"


def test_perft_says_how_long_each_depth_took(output, monkeypatch):
    """Here a quarter of a second passes from one look at the clock to the next."""
    monkeypatch.setattr("time.perf_counter", itertools.count(100, 0.25).__next__)
    assert output("perft", "tictactoe", "--depth", "2").splitlines() == [
        "  0                    1  0.25 s",
        "  1                    9  0.25 s",
        "  2                   72  0.25 s",
    ]
