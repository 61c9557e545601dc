"""A tournament's games as other programs read them, and as text, CSV and JSON lines."""

import csv
import json
from dataclasses import replace

import pytest

from ludarium.envs.backgammon.rules import ROLL
from ludarium.envs.record_files import read_records
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.export import export, formats, recorded
from ludarium.evaluation.report.replay import play_back
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import Store

GAMES = ("tictactoe", "othello?size=6", "backgammon", "hanabi")
FOUR = Tournament(("random", "greedy"), tuple(GameEntry(game, pairs=1) for game in GAMES))
TICTACTOE = """\
[Event "tournament"]
[Game "tictactoe"]
[Round "1.1"]
[X "random"]
[O "greedy"]
[Result "-1 1"]
[Ending "o wins"]

1. a1 2. b2 3. c2 4. c1 5. b1 6. a3

"""
CSV = """\
key,game,pair,leg,players,payoffs,ending,start,clock,moves,record
0:0:1:0:0,tictactoe,0,0,random; greedy,-1; 1,o wins,,,6,"""


@pytest.fixture(scope="module")
def games(played):
    return played(FOUR, workers=1)[0]


def of(rows, event):
    return [row for row in rows if row.event == event]


def test_text_has_tags_and_numbered_moves(games):
    one, *_ = export(FOUR, games, "text")
    assert one == TICTACTOE
    backgammon = next(iter(export(FOUR, of(games, 2), "text")))
    assert "{" in backgammon.split("\n\n")[1].split()[0]
    assert max(map(len, backgammon.splitlines())) <= 100
    assert not [line for line in backgammon.splitlines() if line.endswith(".")]


def test_csv_and_json_lines_have_all_games(games):
    lines = list(export(FOUR, games, "csv"))
    assert "".join(lines[:2]).startswith(CSV)
    rows = list(csv.DictReader(lines))
    assert [row["key"] for row in rows] == [":".join(map(str, row[:5])) for row in games]
    assert [row["players"] for row in rows[-2:]] == ["random; random", "greedy; greedy"]
    data = [json.loads(line) for line in export(FOUR, games, "jsonl")]
    for row, one in zip(games, data, strict=True):
        assert one["payoffs"][row.leg if one["game"] != "hanabi" else 0] == row.payoff_a
        assert len(one["moves"]) == len(one["actions"]) + len(one["chance"])
        assert (one["pair"], one["leg"]) == (row.pair, row.leg)


@pytest.mark.parametrize(("event", "name", "ending"), [(1, "ggf", "ggf"), (2, "mat", "mat"), (3, "hanab.live", "json")])
def test_readers_find_the_same_games(games, tmp_path, event, name, ending):
    game = make_game(GAMES[event])
    assert name in formats(game)
    for number, (row, text) in enumerate(zip(of(games, event), export(FOUR, of(games, event), name), strict=True)):
        path = tmp_path / f"{number}.{ending}"
        path.write_text(text)
        (read_back,) = read_records(path)
        record = recorded(FOUR, game, row)
        if name == "mat":  # it has a cube, and of a double only what both halves come to
            assert len([action for action in read_back.actions if action != ROLL]) == len(record.actions)
            assert read_back.payoffs == record.payoffs
        else:
            assert list(read_back.actions) == record.actions
        assert read_back.seats == record.seats
        script = list(read_back.script)[: len(record.script)]
        if name == "mat":  # outcomes 2k and 2k + 1 are the same roll
            script, record.script[:] = ([n if n >= 30 else n // 2 for n in one] for one in (script, record.script))
        assert script == record.script


def test_secret_chance_is_told_when_no_other_game_has_it():
    secret = replace(FOUR, games=(GameEntry("backgammon", pairs=3), GameEntry("hanabi", pairs=2)), seed=2**100)
    with Store(None, secret.data()) as store:
        run(secret, store, executor="threads", workers=1)
        rows = store.games()
    assert len(list(export(secret, rows, "jsonl"))) == len(rows) == 10
    without = [row for row in rows if row[:5] not in ((0, 0, 1, 1, 1), (1, 1, 1, 1, 0))]
    told = [json.loads(line)["key"] for line in export(secret, without, "jsonl")]
    assert told == ["0:0:1:0:0", "0:0:1:0:1", "0:0:1:2:0", "0:0:1:2:1", "1:0:0:0:0", "1:0:0:1:0", "1:1:1:0:0"]


def test_games_from_openings_begin_with_them(played, tmp_path):
    board = "--------------OX----OO----XO-------- O"
    entry = GameEntry("othello?size=6", 2, openings=(board, "b3b2"), order="sequential")
    event = Tournament(("random", "greedy"), (entry,))
    rows, _ = played(event, workers=1)
    (tmp_path / "games.ggf").write_text("".join(export(event, rows, "ggf")))
    read = list(read_records(tmp_path / "games.ggf"))
    assert [(one.start, *one.actions[:2]) for one in read] == [(board, *one.actions[:2]) for one in read[:2]] + [
        (None, 13, 7)
    ] * 2
    for row, one, line in zip(rows, read, export(event, rows, "jsonl"), strict=True):
        assert list(one.actions) == json.loads(line)["actions"] == list(row.moves)
        assert json.loads(line).get("start") == one.start
        replay = play_back(event, row)
        assert (replay.captions[0], len(replay.frames)) == ("start", len(row.moves) + 1)
    text = list(export(event, rows, "text"))
    assert [f'[Start "{board}"]' in one for one in text] == [True, True, False, False]
    assert [one["start"] for one in csv.DictReader(list(export(event, rows, "csv")))] == [board, board, "", ""]
    assert next(iter(export(event, rows[2:], "transcript"))).startswith("b3b2")
    with pytest.raises(ValueError, match="a transcript cannot hold a game from another position; GGF can"):
        list(export(event, rows, "transcript"))


def test_a_forfeited_game_has_the_payoffs_of_the_forfeit(games):
    row = of(games, 1)[1]._replace(payoff_a=-36.0, payoff_b=36.0, ending=FORFEIT + 1, cause="returned 99", moves=b"")
    (line,) = export(FOUR, [row], "jsonl")
    told = json.loads(line)
    assert told["seats"] == ["greedy", "random"]
    assert told["payoffs"] == [36, -36]
    assert told["ending"] == "random (white) forfeited: returned 99"


def test_what_cannot_be_written(games):
    with pytest.raises(ValueError, match=r"^export: tictactoe is written as jsonl, csv, text, not as 'mat'$"):
        list(export(FOUR, games, "mat"))
    with pytest.raises(
        ValueError, match=r"othello\?size=6 is written as jsonl, csv, text, transcript, ggf, not as 'sgf'"
    ):
        list(export(FOUR, of(games, 1), "sgf"))


def test_the_command(output, refused, tmp_path):
    (tmp_path / "t.toml").write_text('agents = ["random", "greedy"]\n[[games]]\ngame = "othello?size=6"\npairs = 2\n')
    output("tournament", str(tmp_path / "t.toml"))
    store = str(tmp_path / "t.db")
    assert output("export", store, "--format", "ggf", "--game", "othello").count("(;GM[Othello]") == 4
    assert "4 games" in output("export", store, "--out", str(tmp_path / "games.jsonl"))
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 4
    assert refused("export", store, "--game", "go") == "--game 'go' was not played; played: othello?size=6"
