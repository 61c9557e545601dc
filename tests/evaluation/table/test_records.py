"""Games in and out of the table: in our own format, in those of others, and of a tournament's store."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from ludarium.agents import make_agent
from ludarium.envs.backgammon.match_writer import write_match
from ludarium.envs.backgammon.records import read_match
from ludarium.envs.hanabi.records import write_json
from ludarium.envs.kernels import CHANCE
from ludarium.envs.othello.records import read_ggf, read_transcripts, write_ggf, write_transcript
from ludarium.envs.records import RecordedGame, replay
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.sitting import NOBODY, Sitting
from ludarium.evaluation.report.replay import key_text
from ludarium.evaluation.table.apart import Processes
from ludarium.evaluation.table.plan import Move, Plan
from ludarium.evaluation.table.positions import Line
from ludarium.evaluation.table.records import StoredGames, read_data, taken_up, written
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import GameRow, Store

HANABI = json.loads(write_json(RecordedGame(make_game("hanabi"), ("a", "b"))))


def own(**changes):
    """A record in our own format."""
    record = {"format": 1, "game": "hexapawn", "seats": ["a", "b"], "start": None, "chance": [], "actions": []}
    return {"ludarium": record | changes}


def random_game(spec, seed, start=None):
    """A whole random game, as a record."""
    game = make_game(spec)
    position = None if start is None else game.from_text(start)
    sitting = Sitting(game, NOBODY, [make_agent("random", game) for _ in range(game.seats)], seed, position)
    while not sitting.over:
        sitting.reply()
    here, script = game.start() if position is None else position.copy(), []
    for number in sitting.episode.history:
        if here.turn == CHANCE:
            script.append(number)
        here.push(number)
    return RecordedGame(game, ("Ann", "Bob"), start, script, [turn.action for turn in sitting.turns])


@pytest.mark.parametrize("spec", ["backgammon", "backgammon?cube=True", "backgammon?match_length=3"])
@pytest.mark.parametrize("seed", [1, 2])
def test_match_files_are_read_back(spec, seed):
    record = random_game(spec, seed)
    games = list(read_match(write_match(record), "game.mat"))
    for game in games:
        replay(game)
    assert games[0].seats == ("Ann", "Bob")
    final = replay(RecordedGame(record.game, record.seats, None, record.script, record.actions))
    if record.game.options["match_length"]:
        assert replay(games[-1]).record.score.tolist() == final.record.score.tolist()
    else:
        assert len(games) == 1
        assert replay(games[0]).record.checkers.tolist() == final.record.checkers.tolist()


@pytest.mark.parametrize("spec", ["backgammon?variant=nackgammon", "othello"])
def test_what_a_match_file_cannot_hold(spec):
    with pytest.raises(ValueError, match="a match file cannot hold"):
        write_match(RecordedGame(make_game(spec), ("a", "b")))


@pytest.mark.parametrize("size", [8, 6])
def test_othello_games_are_read_back(size):
    record = random_game(f"othello?size={size}&scoring=discs", 4)
    (game,) = read_ggf(write_ggf(record), "game.ggf")
    assert (game.actions, game.seats) == (record.actions, record.seats)
    assert game.payoffs == tuple(replay(record).payoffs())
    (game,) = read_transcripts(write_transcript(record), "game.txt", record.game)
    assert game.actions == record.actions


def test_a_ggf_may_begin_anywhere_and_a_transcript_may_not():
    start = make_game("othello").from_text("-" * 27 + "OX------XXX" + "-" * 26 + " O").text
    record = random_game("othello?scoring=discs", 1, start)
    (game,) = read_ggf(write_ggf(record), "game.ggf")
    assert (game.actions, game.start) == (record.actions, start)
    with pytest.raises(ValueError, match="a transcript cannot hold a game from another position"):
        write_transcript(record)


def finished(table, game, *seats):
    key = table.open(game, *seats, seed=2)
    table.post(f"tables/{key}/pace", delay=0)
    return key, table.wait(key, lambda state: state["over"])


@pytest.mark.parametrize("game", ["hexapawn", "othello?size=6", "backgammon", "hanabi?seats=3"])
def test_a_saved_game_opens_again_in_every_format(table, game):
    key, state = finished(table, game, *["random"] * (3 if "hanabi" in game else 2))
    for format_name in state["formats"]:
        if (game, format_name) == ("othello?size=6", "transcript"):
            continue  # which does not say how large the board is
        saved = table.get(f"tables/{key}/record/{format_name}")
        again = table.state(table.post("records", name=saved["name"], text=saved["text"])["key"])
        if format_name != "mat":  # which leaves open in which order the checkers of a double moved
            assert [move["text"] for move in again["history"]] == [move["text"] for move in state["history"]]
        assert again["over"]
        assert again["result"] == state["result"]


def test_the_example_of_gengammon_opens_at_its_end(table):
    text = (Path(__file__).resolve().parents[2] / "envs" / "backgammon" / "data" / "gengammon.txt").read_text()
    opened = table.state(table.post("records", name="gengammon.txt", text=text)["key"])
    assert [seat["who"] for seat in opened["seats"]] == ["michy", "Thomas Low"]
    moves = [move["text"] for move in opened["history"] if move["text"] != "roll"]  # instead of doubling
    assert (moves[0], moves[-2:], len(moves)) == ("24/18 13/9", ["double", "drop"], 13)
    assert opened["result"] == "black wins 1 point"


def test_play_goes_on_from_a_transcript(table):
    key = table.post("records", name="moves.txt", text="f5d6c3")["key"]
    state = table.wait(key, lambda state: state["ready"])
    assert [move["text"] for move in state["history"]] == ["f5", "d6", "c3"]
    assert [move["text"] for move in table.play(key, "d3")["history"]] == ["f5", "d6", "c3", "d3"]


def test_cards_are_not_saved_while_they_are_hidden(table):
    key = table.open("hanabi", "me", "random")
    status, answer = table.call("GET", f"tables/{key}/record/ludarium")
    assert (status, answer["error"]) == (403, "the record has the hidden cards; it can be had when the game is over")


def test_a_file_has_the_name_and_the_text_of_its_format():
    plan = Plan("hexapawn", ("me", "random"), 1)
    line, move = Line(plan), plan.made.start().legal_actions()[0]
    line.follow([move])
    moves = [Move(0, move, "a1a2")]
    name, text = written(plan, line, moves, "", "ludarium")
    content = {"format": 1, "game": "hexapawn", "seats": ["person", "random"], "start": None, "chance": []}
    content |= {"actions": [move], "moves": ["a1a2"], "ending": ""}
    assert (name, text) == ("hexapawn.json", json.dumps({"ludarium": content}, indent=1) + "\n")
    with pytest.raises(Refusal) as refused:
        written(plan, line, moves, "", "x" * 50)
    assert f"{refused.value}" == f"hexapawn is written as ludarium, not as '{'x' * 40}'"


@pytest.mark.parametrize(
    ("result", "note", "ending"),
    [("", "", ""), ("?", "odd", ""), ("Ann wins", "", "Ann wins"), ("Ann wins", "resigned", "Ann wins (resigned)")],
)
def test_a_game_that_the_rules_would_go_on_with_ends_as_its_file_says(result, note, ending):
    _, kept = taken_up(RecordedGame(make_game("hexapawn"), ("a", "b"), result=result, note=note))
    assert (kept["ending"], kept["result"], kept["paused"], kept["notes"]) == (
        ending,
        ending,
        True,
        [note] * bool(note),
    )


def test_what_is_odd_about_a_record_is_told(table):
    """A broken game before the one that is opened, the number of games, and moves that are left out."""
    head, start = " 0 point match\n", " Game {}\n Ann : 0                          Bob : 0\n"
    first = "  1)                             31: 8/2 6/5\n  2) 65: 24/13\n"
    last = "  1)                             31: 8/5 6/5\n  2) 65: 24/13                   42: 8/4 6/"
    text = f"{head}\n{start.format(1)}{first}\n{start.format(2)}{last}"
    state = table.state(table.post("records", name="game.mat", text=text)["key"])
    assert [note.partition("; the")[0] for note in state["notes"]] == [
        "game.mat:5: '8/2 6/5' is not a legal play here: XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:6",
        "the file holds 2 games; this is number 2",
        "line 11: '6/' is left out",
        "the record stops after 4 moves",
    ]
    assert not state["over"]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("game.txt", "hello", "unknown kind of record"),
        ("game.txt", "", "unknown kind of record"),
        ("game.txt", "f5f5", "is not legal"),
        ("game.ggf", "(;GM[Chess];)", "expected a game of Othello"),
        ("game.mat", "nothing", "game.mat"),
        ("game.json", "{", "not JSON"),
        ("../../etc/passwd", "x", "unknown kind of record"),
        ("game.json", {"ludarium": {}}, "format must be a whole number from 1 to 1, not nothing"),
        ("game.json", {"ludarium": []}, "the record must be an object"),
        ("game.json", own(format=2), "format must be a whole number from 1 to 1"),
        ("game.json", own(actions=[99]), "move 1: "),
        ("game.json", own(actions="x"), "actions must be a list"),
        ("game.json", own(actions=[1e999]), "actions must be whole numbers"),
        ("game.json", own(chance=[10**30]), "chance must be whole numbers"),
        ("game.json", own(actions=[0] * 20_000), "at most 10000 whole numbers"),
        ("game.json", own(seats=["\ud800", "b"]), "seats holds a null character"),
        ("game.json", own(start="\0"), "start holds a null character or half"),
        ("game.json", own(ending="\udfff"), "ending holds a null character or half"),
        ("game.json", HANABI | {"players": ["\ud800", "b"]}, "a name or result holds a null"),
        ("game.json", own(seats=["a"] * 3), "the names of 2 seats, not 3"),
        ("game.json", own(seats=["a"] * 11), "seats must be at most 10 texts of at most 500 characters"),
        ("game.json", own(game="x" * 501), "game must have at most 500 characters, not 501"),
        ("game.json", own(start="x" * 10_001), "start must have at most 10000 characters, not 10001"),
        ("game.json", own(ending="x" * 501), "ending must have at most 500 characters, not 501"),
        ("game.json", own(chance=[-1]), "chance must be whole numbers from 0 to 2147483647"),
        ("game.json", own(actions=[2**31]), "actions must be whole numbers from 0 to 2147483647"),
    ],
)
def test_a_file_without_a_game_says_why(table, name, text, sentence):
    text = text if isinstance(text, str) else json.dumps(text)
    status, told = table.refused("records", name=name, text=text)
    assert (status, sentence in told) == (400, True)


def test_a_file_that_takes_too_long_is_given_up(table, monkeypatch):
    """And the next one is read, by another process."""
    from ludarium.evaluation.table import http, records

    readers = Processes(1, os.getpid)
    monkeypatch.setattr(http, "_readers", readers)
    with monkeypatch.context() as patched:
        patched.setattr(records, "read_data", re.fullmatch)  # which never ends
        patched.setattr(http, "_LONGEST_READING", 0)
        told = table.refused("records", name="(x+x+)+y", text="x" * 100)
    assert told == (400, "reading this file took more than 0 seconds and was given up")
    assert not readers._alive
    assert table.post("records", name="game.txt", text="f5d6")["key"]
    readers.end()


def test_a_game_of_ones_own_is_read_where_strangers_files_are(monkeypatch):
    example = Path(__file__).parents[3] / "examples" / "connect_four.py"
    monkeypatch.setenv("LUDARIUM_GAMES", str(example))
    readers, text = Processes(1, os.getpid), json.dumps(own(game="connect_four", actions=[3]))
    data = json.loads(asyncio.run(readers.call(read_data, "game.json", text, limit=60)))
    assert data["plan"]["game"] == "connect_four"
    assert [move[1] for move in data["kept"]["moves"]] == [3]
    readers.end()


def test_long_names_and_many_notes_are_shortened():
    record = RecordedGame(make_game("hexapawn"), ("a" * 900, "b"), note="c" * 900, repairs=("d" * 900,) * 50)
    plan, kept = taken_up(record)
    assert [len(name) for name in plan.names] == [500, 1]
    assert [len(note) for note in kept["notes"]] == [500] * 21 + [len("and 30 more repairs")]


@pytest.mark.parametrize("numbers", [{"script": [0] * 10_001}, {"actions": [0] * 10_001}])
def test_a_game_may_have_ten_thousand_moves_and_outcomes(numbers):
    with pytest.raises(ValueError, match="hexapawn: a game of more than 10000 moves or outcomes cannot be opened"):
        taken_up(RecordedGame(make_game("hexapawn"), ("a", "b"), **numbers))
    shorter = {name: one[1:] for name, one in numbers.items()}
    with pytest.raises(ValueError, match=r"^(?!hexapawn: a game of more)"):  # then something else is wrong with it
        taken_up(RecordedGame(make_game("hexapawn"), ("a",), **shorter))


@pytest.fixture(scope="module")
def nine(tmp_path_factory):
    """A store with a few games of several kinds, and their keys."""
    path = tmp_path_factory.mktemp("store") / "nine.db"
    small, large = GameEntry("tictactoe", 2, opening=1), GameEntry("backgammon?variant=hypergammon", 2)
    games = small, large, GameEntry("hanabi", 2)
    tournament = Tournament(("greedy", "random"), games)
    with Store(path, tournament.data()) as store:
        run(tournament, store, executor="threads")
        return path, [key_text(row) for row in store.games()]


def test_every_stored_game_opens_at_its_end(nine, serving):
    path, keys = nine
    with serving(store=path) as client:
        listed = client.get("stored")
        assert (listed["name"], [game["key"] for game in listed["games"]]) == ("nine.db", keys)
        assert listed["count"] == len(keys)
        for game in listed["games"]:
            state = client.state(client.post("stored", key=game["key"])["key"])
            assert state["over"]
            assert state["game"] == game["game"]
            assert [seat["who"] for seat in state["seats"]] == game["names"]
            assert state["result"]
            if game["game"] == "tictactoe":
                assert state["result"] == {1: "x wins", 0: "draw", -1: "o wins"}[game["payoff"]]
            assert len(state["history"]) > 2
        key = client.post("stored", key=keys[0])["key"]
        client.change(key, "rewind", ply=1)
        assert len(client.my_turn(key)["history"]) == 1  # one can go on from any position


def test_of_a_large_store_the_first_five_hundred_games_are_listed(tmp_path):
    tournament = Tournament(("greedy", "random"), (GameEntry("hexapawn", 251),))
    with Store(tmp_path / "many.db", tournament.data()) as store:
        store.add(GameRow(0, 0, 1, n // 2, n % 2, 1.0, -1.0, 0, "", b"") for n in range(502))
    listed = StoredGames(tmp_path / "many.db").listed()
    assert (listed["count"], len(listed["games"])) == (502, 500)
    first, second = ({"game": "hexapawn", "key": f"0:0:1:0:{leg}"} for leg in (0, 1))
    assert listed["games"][:2] == [
        first | {"names": ["greedy", "random"], "payoff": 1.0},
        second | {"names": ["random", "greedy"], "payoff": -1.0},
    ]


@pytest.mark.parametrize("key", ["", "0", "9:9:9:9:9", "0:0:0:0:x"])
def test_a_game_that_is_not_in_the_store(nine, serving, key):
    with serving(store=nine[0]) as client:
        assert client.call("POST", "stored", {"key": key})[0] == 404


def test_without_a_store_there_are_no_games(table):
    assert table.get("stored")["games"] == []
    told = table.refused("stored", key="0:0:0:0:0")
    assert told == (404, "no store is open: start the table with one, `ludarium table nine.db`")


def test_the_command_that_a_report_names_opens_the_game_at_the_move(nine, tmp_path):
    from ludarium.evaluation.report import write_replay
    from ludarium.evaluation.table.serving import _place

    path, keys = nine
    page = write_replay(path, keys[0], tmp_path).read_text()
    assert f"<code>ludarium table nine.db --game {keys[0]} --move <span" in page
    stored = StoredGames(path)
    assert _place(stored, keys[0], 2) == f"/s/{keys[0]}/2"
    assert _place(stored, keys[0], None) == f"/s/{keys[0]}"
    last = len(stored.taken_up(keys[0])[1]["moves"])
    assert _place(stored, keys[0], last) == f"/s/{keys[0]}/{last}"
    with pytest.raises(ValueError, match=f"has {last} moves, there is no position after {last + 1}"):
        _place(stored, keys[0], last + 1)
