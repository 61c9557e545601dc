"""Finished games against people in a store, and that reports count them."""

import json

import pytest

from ludarium.evaluation.report import write_report
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.report.replay import play_back
from ludarium.evaluation.table.people import PeoplesGames
from ludarium.evaluation.table.plan import Plan
from ludarium.evaluation.tournament.schedule import PEOPLE, GameEntry, Tournament
from ludarium.evaluation.tournament.store import Store, StoreError


@pytest.fixture
def people(serving, tmp_path):
    """A table with a store for people, and the store's path."""
    path = tmp_path / "people.db"
    with serving(people=PeoplesGames(path, "Ann")) as client:
        yield client, path


def finish(client, *opened, **more):
    """Play first moves to the end; the game's key."""
    key = client.open(*opened, **more)
    while not (state := client.my_turn(key))["over"]:
        client.play(key, state["view"]["moves"][0]["text"])
    return key


def test_a_report_counts_the_person_among_the_entrants(people, serving):
    client, path = people
    assert client.call("GET", "lobby")[1]["store"] == "people.db"
    won = {}
    for opened in (
        ("hexapawn", "me", "random"),
        ("hexapawn", "perfect", "me"),
        ("backgammon?variant=hypergammon", "me", "random"),
        ("hanabi", "me", "greedy"),
    ):
        key = finish(client, *opened)
        stored = client.post(f"tables/{key}/keep")["key"]
        won[stored] = [move["text"] for move in client.state(key)["history"]]
        status, answer = client.call("POST", f"tables/{key}/keep", {})
        assert (status, answer["error"]) == (409, "this game is in the store already")
    given_up = client.open("hexapawn", "me", "random")
    client.change(given_up, "resign")
    won[client.post(f"tables/{given_up}/keep")["key"]] = []
    most = client.open("backgammon?variant=hypergammon", "me", "random")
    client.my_turn(most)
    client.change(most, "resign", lost="backgammon")
    won[client.post(f"tables/{most}/keep")["key"]] = [move["text"] for move in client.state(most)["history"]]
    tournament, rows, *_ = read_store(path)
    assert tournament.labels == ("Ann", "random", "perfect", "greedy")
    assert [entry.game for entry in tournament.games] == ["hexapawn", "backgammon?variant=hypergammon", "hanabi"]
    assert len(rows) == 6
    for row in rows:
        replay = play_back(tournament, row)  # the store's seed gives the same dice and cards
        assert [caption.rpartition(": ")[2].split(" ·")[0].split(" —")[0] for caption in replay.captions[1:]] == (
            won[replay.key]
        )
    data = json.loads(write_report(path).with_suffix(".json").read_text())
    assert "Ann" in json.dumps(data)
    assert (data["played"], data["total"]) == (6, 6)  # such a tournament has no schedule
    with serving(people=PeoplesGames(path, "Ben")) as again:  # a later session goes on with the same file
        key = finish(again, "hexapawn", "me", "random")
        assert again.post(f"tables/{key}/keep")["key"] not in won
    assert read_store(path)[0].labels[-1] == "Ben"


def test_no_deal_comes_back_after_a_restart_or_follows_from_others(tmp_path):
    path = tmp_path / "people.db"
    Store(path, Tournament(("Ann", "random"), (GameEntry("hanabi"),), PEOPLE, 5).data()).close()
    deals = [PeoplesGames(path, "Ann").deal(Plan.of("hanabi", ("me", "random"), None)) for _ in range(3)]
    assert {deal.seed for deal in deals} == {5}
    assert len({deal.pair for deal in deals}) == 3
    assert max(deal.pair for deal in deals) > 2**50


def test_games_that_a_store_cannot_hold(people, table):
    client, path = people

    def refused(key):
        status, answer = client.call("POST", f"tables/{key}/keep", {})
        assert status == 409
        return answer["error"]

    key = client.open("backgammon", "me", "random")
    client.my_turn(key)
    client.change(key, "resign", lost="single game")
    assert "might have won more" in refused(key)
    assert "not over yet" in refused(client.open("hexapawn", "me", "random"))
    assert "one person with one agent" in refused(finish(client, "tictactoe", "me", "me"))
    assert "a seed of your own" in refused(finish(client, "hexapawn", "me", "random", seed=1))
    assert "from the start" in refused(finish(client, "hexapawn", "me", "random", position="p.p/.p./P.P w"))
    key = client.open("hexapawn", "me", "random")
    client.play(key, client.my_turn(key)["view"]["moves"][0]["text"])
    client.change(key, "rewind", ply=0)
    client.change(key, "resign")
    assert "taken back" in refused(key)
    assert not path.exists()
    key = table.open("hexapawn", "me", "random")
    status, answer = table.call("POST", f"tables/{key}/keep", {})
    assert (status, answer["error"]) == (
        404, "there is no store to keep games in: start the table with one, --store people.db"
    )  # fmt: skip


def test_no_tournament_between_agents_is_added_to(tmp_path):
    tournament = Tournament(("greedy", "random"), (GameEntry("hexapawn"),), "nine")
    with Store(tmp_path / "nine.db", tournament.data()) as store:
        with pytest.raises(StoreError, match="can only be extended"):
            store.extend({**tournament.data(), "seed": 5})
        with pytest.raises(StoreError, match="can only be extended"):
            store.extend({**tournament.data(), "agents": ["random", "greedy"]})
    with pytest.raises(StoreError, match="holds the tournament 'nine'; give another file as --store"):
        PeoplesGames(tmp_path / "nine.db", "Ann")
