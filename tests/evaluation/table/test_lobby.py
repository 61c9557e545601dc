"""What the lobby offers, and that nothing broken hides the rest."""

from types import SimpleNamespace

import pytest

from ludarium.envs.options import Option
from ludarium.envs.registry import make_game
from ludarium.evaluation.table import lobby
from ludarium.evaluation.table.refusal import Refusal


def broken(*arguments):
    raise RuntimeError("broken")


def test_a_game_that_cannot_be_loaded_is_left_out(monkeypatch):
    monkeypatch.setattr(lobby, "game_names", lambda: ["broken", "hexapawn", "hanabi"])
    monkeypatch.setattr(lobby, "make_game", lambda name: broken() if name == "broken" else make_game(name))
    pawns, cards = lobby.games()
    options = pawns.pop("options"), cards.pop("options")
    assert pawns == {
        "name": "hexapawn",
        "title": "Hexapawn",
        "seats": 2,
        "seat_names": ["white", "black"],
        "hidden": False,
        "cooperative": False,
    }
    assert (cards["name"], cards["hidden"], cards["cooperative"]) == ("hanabi", True, True)
    assert [option["name"] for option in options[0]] == list(make_game("hexapawn").option_types)


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        (Option(8, choices=(8, 6), help="size"), {"default": 8, "help": "size", "choices": [8, 6]}),
        (Option(False, help="cube"), {"default": False, "help": "cube"}),
        (Option(3, 1, 9, help="rows"), {"default": 3, "help": "rows", "low": 1, "high": 9}),
    ],
)
def test_an_option_has_what_its_field_in_a_form_needs(option, shown):
    assert lobby._option("x", option) == {"name": "x", **shown}


def test_agents_that_cannot_be_loaded_or_do_not_play_the_game_are_left_out(monkeypatch):
    monkeypatch.setattr(lobby, "agent_names", lambda: ["broken", "elsewhere", "random"])
    monkeypatch.setattr(lobby, "agent_options", lambda name: broken() if name == "broken" else {"depth": 4})
    monkeypatch.setattr(lobby, "refusal", lambda name, game: "not here" if name == "elsewhere" else "")
    assert lobby.agents("hexapawn") == [{"name": "random", "options": [{"name": "depth", "default": 4}]}]


def test_the_runs_that_play_a_game_have_a_hundred_members_at_most(monkeypatch):
    def find(agent):
        _, _, folder = agent.partition(":")
        if folder == "damaged":
            broken()
        learner = SimpleNamespace(name="td", plays=lambda game: folder != "elsewhere")
        run = SimpleNamespace(learner=learner, game=make_game("hexapawn"))
        run.merits, run.spec = lambda: [0.5] * 101, lambda place: f"{agent}@{place}"
        return run, None

    monkeypatch.setattr(lobby, "learner_in", lambda folder: "td")
    monkeypatch.setattr(lobby, "find_run", find)
    (run,) = lobby.runs(["damaged", "elsewhere", "mine"], "hexapawn")
    members = run.pop("members")
    assert run == {"folder": "mine", "learner": "td", "game": "hexapawn"}
    assert members == [{"spec": f"td:mine@{place}", "merit": 0.5} for place in range(100)]


@pytest.mark.parametrize("shown", [lobby.picture, lobby.agents, lambda game: lobby.runs([], game)])
def test_what_is_asked_of_no_game_is_not_found(shown):
    for spec, sentence in (("chess", "unknown game 'chess'"), ("hexapawn?rows=99", "rows must be an integer from")):
        with pytest.raises(Refusal, match=sentence) as refused:
            shown(spec)
        assert refused.value.status == 404


def test_a_picture_that_cannot_be_drawn_keeps_nothing_from_being_loaded(monkeypatch):
    loaded = []
    monkeypatch.setattr(lobby, "games", lambda: [{"name": "broken"}, {"name": "hexapawn"}])
    monkeypatch.setattr(lobby, "agents", loaded.append)
    monkeypatch.setattr(lobby, "picture", broken)
    lobby.prepare()
    assert loaded == ["broken", "hexapawn"]


def test_a_folder_that_there_is_not_has_no_runs(tmp_path):
    assert lobby.run_folders(tmp_path / "none") == []
