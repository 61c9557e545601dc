"""Games of a tournament's store, opened at the table."""

import pytest

from ludarium.evaluation.report.replay import key_text
from ludarium.evaluation.tournament.schedule import GameEntry, Tournament, run
from ludarium.evaluation.tournament.store import Store


@pytest.fixture(scope="module")
def nine(tmp_path_factory):
    """A store with a few games of several kinds, and their keys."""
    path = tmp_path_factory.mktemp("store") / "nine.db"
    games = (
        GameEntry("tictactoe", 2, opening=1),
        GameEntry("backgammon?variant=hypergammon", 2),
        GameEntry("hanabi", 2),
    )
    tournament = Tournament(("greedy", "random"), games)
    with Store(path, tournament.data()) as store:
        run(tournament, store, executor="threads")
        return path, [key_text(row) for row in store.games()]


def test_every_stored_game_opens_at_its_end(nine, serving):
    path, keys = nine
    with serving(store=path) as client:
        listed = client.call("GET", "stored")[1]
        assert (listed["name"], [game["key"] for game in listed["games"]]) == ("nine.db", keys)
        for game in listed["games"]:
            state = client.state(client.post("stored", key=game["key"])["key"])
            assert state["over"]
            assert state["game"] == game["game"]
            assert {seat["who"] for seat in state["seats"]} == set(game["names"])
            assert state["result"]
            assert len(state["history"]) > 2
        key = client.post("stored", key=keys[0])["key"]
        client.change(key, "rewind", ply=1)
        assert len(client.my_turn(key)["history"]) == 1  # one can go on from any position


@pytest.mark.parametrize("key", ["", "0", "9:9:9:9:9", "0:0:0:0:x"])
def test_a_game_that_is_not_in_the_store(nine, serving, key):
    with serving(store=nine[0]) as client:
        assert client.call("POST", "stored", {"key": key})[0] == 404


def test_without_a_store_there_are_no_games(table):
    assert table.call("GET", "stored")[1]["games"] == []
    status, answer = table.call("POST", "stored", {"key": "0:0:0:0:0"})
    assert (status, answer["error"]) == (404, "no store is open: start the table with one, `ludarium table nine.db`")


def test_what_is_no_store_is_told_at_the_start(client_of, ludarium, tmp_path):
    assert ludarium("table", tmp_path / "none.db", "--no-browser")[0] == 2
    (tmp_path / "other.db").write_text("something else")
    code, _, told = ludarium("table", tmp_path / "other.db", "--no-browser")
    assert code == 2
    assert "is not a file of results" in told


def test_the_command_that_a_report_names_opens_the_game_at_the_move(nine, ludarium, tmp_path):
    from ludarium.evaluation.report import write_replay
    from ludarium.evaluation.table.serving import _place
    from ludarium.evaluation.table.stored import StoredGames

    path, keys = nine
    page = write_replay(path, keys[0], tmp_path).read_text()
    assert f"<code>ludarium table nine.db --game {keys[0]} --move <span" in page
    stored = StoredGames(path)
    assert _place(stored, keys[0], 2) == f"/s/{keys[0]}/2"
    assert _place(stored, keys[0], None) == f"/s/{keys[0]}"
    for arguments, told in [
        ((path, "--game", keys[0], "--move", "99"), "moves, there is no position after 99"),
        ((path, "--game", "9:9:9:9:9"), "there is no game '9:9:9:9:9' in this store"),
        (("--game", keys[0]), "needs the store that holds the game"),
    ]:
        code, _, said = ludarium("table", *arguments, "--no-browser")
        assert code == 2
        assert told in " ".join(said.split())
