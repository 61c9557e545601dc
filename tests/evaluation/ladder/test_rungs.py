"""The rungs that come with the package, and files of one's own."""

import json

import pytest

from ludarium.agents import make_agent
from ludarium.envs import make_game
from ludarium.evaluation.ladder.rungs import Rung, keep, ladder_of, read_own, shipped

MINE = Rung("mine", "mcts?simulations=7", 250.0, 12.5, 400)


@pytest.mark.parametrize("game", ["hexapawn", "tictactoe", "othello", "backgammon", "hanabi", "hanabi?seats=5"])
def test_a_ladder_leads_from_random_play_to_the_strongest(game):
    rungs = ladder_of(make_game(game)).rungs
    assert 8 <= len(rungs) <= 11
    assert (rungs[0].name, rungs[0].rating) == ("random", 0)
    assert [rung.rating for rung in rungs] == sorted(rung.rating for rung in rungs)
    assert all(rung.error < 15 for rung in rungs)
    for rung in rungs:
        assert make_agent(rung.agent, make_game(game)).policy is not None  # compiled, so quick
        assert "seconds" not in rung.agent  # as strong on every machine


def test_the_strongest_are_where_they_belong():
    strongest = {game: shipped()[game].rungs[-1].name for game in ("tictactoe", "backgammon", "hanabi")}
    assert strongest["backgammon"] == strongest["hanabi"] == "expert"


def test_other_games_have_no_ladder():
    with pytest.raises(ValueError, match=r"othello\?size=6: this game has no ladder; games with one: hexapawn"):
        ladder_of(make_game("othello?size=6"))


def test_a_kept_rung_stands_in_its_place(tmp_path):
    file, game = tmp_path / "my.json", make_game("tictactoe")
    keep(file, game, MINE)
    keep(file, make_game("hexapawn"), MINE)
    keep(file, game, Rung("better", "perfect", 900.0, 0.0, 10))
    rungs = ladder_of(game, file).rungs
    assert MINE in rungs
    assert rungs[-1].name == "better"
    assert [rung.rating for rung in rungs] == sorted(rung.rating for rung in rungs)
    keep(file, game, Rung("mine", "greedy", 300.0, 5.0, 800))  # rated again
    assert [rung.agent for rung in read_own(file)["tictactoe"]] == ["perfect", "greedy"]
    assert read_own(file)["hexapawn"] == (MINE,)


@pytest.mark.parametrize("name", ["random", "", " mine", "a\nb"])
def test_a_name_that_is_taken_or_none_changes_nothing(tmp_path, name):
    file, game = tmp_path / "my.json", make_game("tictactoe")
    keep(file, game, MINE)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"^ladder: "):
        keep(file, game, Rung(name, "greedy", 0.0, 1.0, 2))
    assert file.read_bytes() == before


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    file, game = tmp_path / "my.json", make_game("tictactoe")
    keep(file, game, MINE)
    before = file.read_bytes()
    monkeypatch.setattr("pathlib.Path.write_text", lambda *given, **options: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        keep(file, game, Rung("other", "greedy", 0.0, 1.0, 2))
    assert file.read_bytes() == before


GOOD = {"name": "mine", "agent": "greedy", "rating": 1.0, "error": 1.0, "games": 2}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("[]", "its version is None, and 1 is expected"),
        ('{"version": 2, "games": {}}', "its version is 2, and 1 is expected"),
        ("[" * 100_000, "recursion"),
        ('{"version": 1}', "'games'"),
        ('{"version": 1, "games": []}', "items"),
        *(
            (json.dumps({"version": 1, "games": {"tictactoe": [rung]}}), why)
            for rung, why in (
                ({"name": "mine"}, "missing"),
                ({**GOOD, "more": 1}, "unexpected keyword argument 'more'"),
                ({**GOOD, "rating": "high"}, "must be finite numbers"),
                ({**GOOD, "rating": float("nan")}, "must be finite numbers"),
                ({**GOOD, "error": -1}, "must be finite numbers"),
                ({**GOOD, "agent": 3}, "a rung has a name, an agent"),
                ({**GOOD, "games": 2.5}, "a rung has a name, an agent"),
            )
        ),
    ],
)
def test_a_broken_file_is_one_clear_error(tmp_path, text, why):
    file = tmp_path / "my.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=rf"my\.json: this is not a ladder that ludarium rate --keep wrote; .*{why}"):
        ladder_of(make_game("tictactoe"), file)
