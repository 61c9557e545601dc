"""Where games are kept: the file of games, also while it cannot be written, and a store of finished games."""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import sqlite3
import time
from types import SimpleNamespace

import pytest

from ludarium.envs.batch import FINISHED
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.kernels import OVER
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report import write_report
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.report.replay import play_back
from ludarium.evaluation.table import store
from ludarium.evaluation.table.plan import Move, Plan, Standing
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.store import Kept, PeoplesGames, Tables
from ludarium.evaluation.tournament.event import PEOPLE, GameEntry, Tournament
from ludarium.evaluation.tournament.soundness import wrong_games
from ludarium.evaluation.tournament.store import Store, StoreError


@pytest.mark.skipif(os.name != "posix", reason="it needs permissions of files")
def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    games = tmp_path / "games.db"
    Kept(games).close()
    files = [games, *(tmp_path / f"games.db-{name}" for name in ("wal", "shm", "journal"))]
    for file in files:
        file.touch()
        file.chmod(0o644)
    with contextlib.closing(Kept(games)):
        assert not any(file.stat().st_mode & 0o077 for file in files if file.exists())


@pytest.mark.skipif(os.name != "posix", reason="it needs permissions of files")
def test_a_file_of_games_is_nobody_elses_from_the_beginning(tmp_path):
    games = tmp_path / "new" / "games.db"
    usual = os.umask(0)
    try:
        store._make(games)
    finally:
        os.umask(usual)
    assert [file.stat().st_mode & 0o777 for file in (games.parent, games)] == [0o700, 0o600]


def test_the_token_that_earlier_versions_kept_is_removed(tmp_path):
    games = tmp_path / "games.db"
    with contextlib.closing(sqlite3.connect(games)) as database:
        database.executescript(
            "CREATE TABLE sessions (key TEXT PRIMARY KEY, changed REAL NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;"
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
            "INSERT INTO settings VALUES ('token', 'an-old-secret');"
            "INSERT INTO sessions VALUES ('key', 0, '{\"moves\": []}');"
            f"PRAGMA application_id = {store._APPLICATION}; PRAGMA user_version = 1;"
        )
    assert b"an-old-secret" in games.read_bytes()
    with contextlib.closing(Kept(games)) as opened:
        assert opened.find("key") == {"moves": []}
    assert b"an-old-secret" not in games.read_bytes()


def test_all_that_wait_are_written_in_their_order(tmp_path):
    async def write():
        await asyncio.gather(*(opened.keep("key", {"number": number}) for number in range(100)), opened.keep("b", {}))
        await asyncio.gather(opened.forget("b"), opened.keep("c", {}), opened.forget("c"))

    with contextlib.closing(Kept(tmp_path / "games.db")) as opened:
        asyncio.run(write())
        assert opened.latest(5) == [("key", {"number": 99})]


def test_who_reads_a_busy_file_of_games_does_not_wait_but_who_writes_does(tmp_path):
    """The server stands still while it reads; writing is done in a thread."""
    with contextlib.closing(Kept(tmp_path / "games.db")) as opened:
        waits = [one.execute("PRAGMA busy_timeout").fetchone()[0] for one in (opened._db, opened._writer)]
    assert waits == [0, 5000]  # milliseconds


def test_the_lobby_lists_the_twelve_games_that_changed_last():
    async def keep():
        for number in range(13):
            await opened.keep(f"{number}", {"plan": plan.data(), "moves": [0] * number, "ending": ""})

    plan = Plan.of("hexapawn", ("me", "random"), 1)
    with contextlib.closing(Kept(None)) as opened:
        asyncio.run(keep())
        latest = Tables(opened, None, 60).latest()
    assert [(one["key"], one["moves"]) for one in latest] == [(f"{number}", number) for number in range(12, 0, -1)]


def test_so_many_games_may_be_at_the_table():
    tables = Tables(None, None, 60)
    tables._live = dict.fromkeys(range(499))
    tables._check_room()
    tables._live[499] = None
    with pytest.raises(Refusal, match="there are 500 games at the table already; leave one first"):
        tables._check_room()


class Game:
    """A game at the table, as far as the tables know it."""

    def __init__(self, key, viewers=0):
        self.key, self.viewers, self.changing_now, self.closed = key, viewers, False, False

    def close(self):
        self.closed = True

    @contextlib.asynccontextmanager
    async def changing(self):
        yield


def seated(*games, kept=None):
    """Tables with these games."""
    tables = Tables(kept, None, 60)
    tables._live = {game.key: game for game in games}
    return tables


def test_a_game_is_left_unless_somebody_looks_or_changes_it(monkeypatch):
    monkeypatch.setattr(store, "LEFT", 0)
    games = left, seen, changing, _ = Game("left"), Game("seen", 1), Game("changing"), Game("again")
    changing.changing_now = True
    tables = seated(left, seen, changing, Game("again"))  # another game has the name of the last by now

    async def turns(number):
        for _ in range(number):
            await asyncio.sleep(0)

    async def look_away():
        for game in games:
            tables.looked_away(game)
        await turns(9)
        assert list(tables._live) == ["seen", "changing", "again"]
        changing.changing_now = False
        await turns(9)

    asyncio.run(look_away())
    assert list(tables._live) == ["seen", "again"]
    assert [game.closed for game in games] == [True, False, True, False]


def test_all_games_are_left_when_the_server_ends_and_the_file_is_written_to_its_end():
    ended = []

    async def finish():
        ended.append([game.closed for game in games])

    games = Game("a"), Game("b", viewers=1)
    tables = seated(*games, kept=SimpleNamespace(finish=finish))
    asyncio.run(tables.close())
    assert (ended, tables._live) == ([[True, True]], {})


def test_a_game_that_is_forgotten_is_closed_and_in_no_file():
    forgotten = []

    async def forget(key):
        forgotten.append((key, game.closed))

    game, other = Game("a"), Game("b")
    tables = seated(game, other, kept=SimpleNamespace(forget=forget, find=lambda key: None))
    asyncio.run(tables.forget("a"))
    assert (forgotten, tables._live, game.closed) == ([("a", False)], {"b": other}, True)
    with pytest.raises(Refusal) as refused:
        asyncio.run(tables.forget("a"))
    assert (refused.value.status, f"{refused.value}") == (404, "there is no such game at this table")


@pytest.fixture
def full(serving, tmp_path):
    """A client of a table, whose file of games cannot be written while `client.full()` is open."""
    games = tmp_path / "games.db"

    @contextlib.contextmanager
    def fails():
        with contextlib.closing(sqlite3.connect(games)) as database:
            for change in ("INSERT", "DELETE"):
                told = "SELECT RAISE(ABORT, 'database or disk is full');"
                database.execute(f"CREATE TRIGGER {change}_fails BEFORE {change} ON sessions BEGIN {told} END")
            yield
            for change in ("INSERT", "DELETE"):
                database.execute(f"DROP TRIGGER {change}_fails")

    with serving(games=games) as client:
        client.full = fails
        yield client


SENTENCE = "the file of games cannot be written (database or disk is full); mend that and try again"


@pytest.mark.parametrize(
    ("game", "others", "action", "body"),
    [
        ("hexapawn", ["random"], "play", {"action": 0}),
        ("hexapawn", ["random"], "rewind", {"ply": 0}),
        ("hexapawn", ["random"], "resign", {}),
        ("backgammon", ["me"], "resign", {"lost": "gammon"}),
        ("backgammon", ["me"], "chance", {"outcome": 1}),
    ],
)
def test_a_change_that_cannot_be_kept_is_not_made_and_can_be_tried_again(full, game, others, action, body):
    key = full.open(game, "me", *others, seed=1)
    state = full.my_turn(key)
    if game == "hexapawn":
        state = full.play(key, state["view"]["moves"][0]["text"])
    if action == "play":
        body = {"action": state["view"]["moves"][0]["action"]}
    if action == "chance":
        chance = state["view"]["chance"]
        body = {"outcome": next(number for number, _ in chance["choices"] if number != chance["outcome"])}
    asked = {**body, "version": state["version"]}
    with full.full():
        for _ in range(2):
            assert full.refused(f"tables/{key}/{action}", **asked) == (503, SENTENCE)
            assert full.state(key) == state
    full.post(f"tables/{key}/{action}", **asked)
    after = full.my_turn(key)
    assert (after["history"], after["view"], after["over"]) != (state["history"], state["view"], state["over"])


def test_nothing_else_happens_either_while_the_file_cannot_be_written(full):
    key = full.open("tictactoe", "perfect", "random", seed=1)
    full.post(f"tables/{key}/pace", paused=True)
    before = full.state(key)
    with full.full():
        for path, body in (
            (f"tables/{key}/pace", {"paused": False}),
            (f"tables/{key}/forget", {}),
            (f"tables/{key}/again", {}),
            ("tables", {"game": "hexapawn", "seats": ["me", "random"]}),
        ):
            assert full.refused(path, **body) == (503, SENTENCE)
        assert full.state(key) == before
    assert [table["key"] for table in full.get("lobby")["tables"]] == [key]
    full.post(f"tables/{key}/forget")
    assert full.refused(f"tables/{key}/pace", paused=True)[0] == 404
    assert full.get("lobby")["tables"] == []


def test_what_agents_did_while_the_file_was_full_is_kept_with_the_next_move(full, tmp_path):
    key = full.open("tictactoe", "me", "me", seed=1)
    full.play(key, "b2")
    watched = full.open("tictactoe", "random", "random", seed=1)
    with full.full():
        full.post(f"tables/{watched}/pace", step=True)
        assert full.wait(watched, lambda state: state["history"])
    full.post(f"tables/{watched}/pace", paused=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "games.db")) as database:
        (data,) = database.execute("SELECT data FROM sessions WHERE key = ?", (watched,)).fetchone()
    assert len(json.loads(data)["moves"]) == len(full.state(watched)["history"])


def test_the_table_goes_on_while_the_file_is_busy(serving, tmp_path, monkeypatch):
    games = tmp_path / "games.db"
    monkeypatch.setattr(store, "PATIENCE", 60.0)
    with serving(games=games) as client, contextlib.closing(sqlite3.connect(games, isolation_level=None)) as other:
        key, looked_at = (client.open("hexapawn", "me", "random", seed=1) for _ in range(2))
        other.execute("BEGIN IMMEDIATE")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            played = pool.submit(client.play, key, "a1a2")
            assert client.state(looked_at)["ready"]
            assert client.call("GET", f"tables/{looked_at}/plies/0/known")[0] == 409
            assert client.state(key)["history"] == []
            assert not played.done()
            other.execute("ROLLBACK")
            assert len(played.result(30)["history"]) == 2


def test_a_file_that_stays_busy_refuses_the_move(serving, tmp_path, monkeypatch):
    games = tmp_path / "games.db"
    monkeypatch.setattr(store, "PATIENCE", 0.1)
    with serving(games=games) as client, contextlib.closing(sqlite3.connect(games, isolation_level=None)) as other:
        key = client.open("hexapawn", "me", "random", seed=1)
        state = client.my_turn(key)
        asked = {"action": state["view"]["moves"][0]["action"], "version": state["version"]}
        other.execute("BEGIN IMMEDIATE")
        status, told = client.refused(f"tables/{key}/play", **asked)
        assert (status, "(database is locked)" in told) == (503, True)
        other.execute("ROLLBACK")
        client.post(f"tables/{key}/play", **asked)
        assert len(client.my_turn(key)["history"]) == 2


def test_a_game_that_nobody_looks_at_is_left_and_can_be_taken_up_again(serving, monkeypatch):
    monkeypatch.setattr(store, "LEFT", 0.05)
    with serving() as client:
        key = client.open("hexapawn?rows=5&columns=5", "me", "random", seed=1)
        with client.listening(key) as page:
            next(page)
            time.sleep(0.3)
            before = client.play(key, next(iter(client.state(key)["view"]["moves"]))["text"])
        while key in client.tables._live:
            time.sleep(0.02)
        assert client.my_turn(key) == before


@pytest.fixture
def people(serving, tmp_path):
    """A table with a store for people, and the store's path."""
    path = tmp_path / "people.db"
    with serving(people=PeoplesGames(path, "Ann")) as client:
        yield client, path


def finish(client, *opened, **more):
    """Play first moves to the end; the game's key."""
    key = client.open(*opened, **more)
    client.first_moves(key)
    return key


def test_a_report_counts_the_person_among_the_entrants(people, serving):
    client, path = people
    assert client.get("lobby")["store"] == "people.db"
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
        assert client.refused(f"tables/{key}/keep") == (409, "this game is in the store already")
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
        shown = [caption.rpartition(": ")[2].split(" ·")[0].split(" —")[0] for caption in replay.captions[1:]]
        assert shown == won[replay.key]
    data = json.loads(write_report(path).page.with_suffix(".json").read_text())
    assert "Ann" in json.dumps(data)
    assert (data["played"], data["total"]) == (6, 6)  # such a tournament has no schedule
    with serving(people=PeoplesGames(path, "Ben")) as again:  # a later session goes on with the same file
        key = finish(again, "hexapawn", "me", "random")
        assert again.post(f"tables/{key}/keep")["key"] not in won
    assert read_store(path)[0].labels[-1] == "Ben"


def played(plan, most=1000):
    """First moves, and what each seat has at the end."""
    episode, moves = Episode(plan.made, child_key(seed_key(plan.seed), plan.pair), None, []), []
    while episode.turn != OVER and len(moves) < most:
        moves.append(Move(episode.turn, episode.position.legal_actions()[0], ""))
        episode.play(moves[-1].action)
    return moves, episode.returns.tolist()


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("hexapawn", ("me", "random")),
        ("tictactoe", ("random", "me")),
        ("backgammon?variant=hypergammon", ("me", "random")),
        ("hanabi?preset=very-small", ("random", "me")),
    ],
)
def test_a_kept_game_has_the_payoffs_of_its_moves(tmp_path, game, seats):
    people = PeoplesGames(tmp_path / "people.db", "Ann")
    plan = people.deal(Plan.of(game, seats, None))
    moves, payoffs = played(plan)
    key = people.keep(Standing.of(plan, {"moves": moves, "ending": "over"}))
    ann = seats.index("me")
    assert key == f"0:0:1:{plan.pair}:{ann}"
    with Store(tmp_path / "people.db") as kept:
        (row,) = kept.games()
        assert (row.payoff_a, row.payoff_b, row.ending) == (payoffs[ann], payoffs[1 - ann], FINISHED)
        assert wrong_games(kept) == {}


def test_nobody_has_the_name_of_the_agent(tmp_path):
    people = PeoplesGames(tmp_path / "people.db", "random")
    plan = people.deal(Plan.of("hexapawn", ("me", "random"), None))
    with pytest.raises(Refusal) as refused:
        people.keep(Standing.of(plan, {"moves": played(plan)[0], "ending": "over"}))
    sentence = "you have the name of the agent 'random'; start the table with another --name"
    assert (refused.value.status, f"{refused.value}") == (409, sentence)
    assert not (tmp_path / "people.db").exists()


@pytest.mark.parametrize("loser", [0, 1])
def test_a_kept_game_that_was_given_up_is_lost(tmp_path, loser):
    people = PeoplesGames(tmp_path / "people.db", "Ann")
    plan = people.deal(Plan.of("hexapawn", ("random", "me"), None))
    moves, _ = played(plan, 1)
    people.keep(Standing.of(plan, {"moves": moves, "ending": "told", "loser": loser}))
    with Store(tmp_path / "people.db") as kept:
        (row,) = kept.games()
        won = 1 if loser == 0 else -1  # of Ann, who has the second seat
        assert (row.a, row.b, row.leg, row.payoff_a, row.payoff_b) == (0, 1, 1, won, -won)
        assert (row.ending, row.cause) == (FORFEIT + loser, "told")
        assert wrong_games(kept) == {}


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
        status, told = client.refused(f"tables/{key}/keep")
        assert status == 409
        return told

    for cheap in ("single game", "gammon"):
        key = client.open("backgammon", "me", "random")
        client.my_turn(key)
        client.change(key, "resign", lost=cheap)
        assert "might have won more" in refused(key)
    assert "not over yet" in refused(client.open("hexapawn", "me", "random"))
    assert "one person with one agent" in refused(finish(client, "tictactoe", "me", "me"))
    three = client.open("hanabi?seats=3&preset=very-small", "me", "random", "random")
    assert "one person with one agent" in refused(client.first_moves(three)["key"])
    assert "a seed of your own" in refused(finish(client, "hexapawn", "me", "random", seed=1))
    assert "from the start" in refused(finish(client, "hexapawn", "me", "random", position="p.p/.p./P.P w"))
    key = client.open("hexapawn", "me", "random")
    client.play(key, client.my_turn(key)["view"]["moves"][0]["text"])
    client.change(key, "rewind", ply=0)
    client.change(key, "resign")
    assert "taken back" in refused(key)
    assert not path.exists()
    key = table.open("hexapawn", "me", "random")
    told = "there is no store to keep games in: start the table with one, --store people.db"
    assert table.refused(f"tables/{key}/keep") == (404, told)


def test_no_tournament_between_agents_is_added_to(tmp_path):
    tournament = Tournament(("greedy", "random"), (GameEntry("hexapawn"),), "nine")
    with Store(tmp_path / "nine.db", tournament.data()) as store:
        with pytest.raises(StoreError, match="can only be extended"):
            store.extend({**tournament.data(), "seed": 5})
        with pytest.raises(StoreError, match="can only be extended"):
            store.extend({**tournament.data(), "agents": ["random", "greedy"]})
    with pytest.raises(StoreError, match="holds the tournament 'nine'; give another file as --store"):
        PeoplesGames(tmp_path / "nine.db", "Ann")
