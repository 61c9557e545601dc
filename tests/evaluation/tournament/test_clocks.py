"""Timed tournaments: settings, stores, resuming, and that everything says that games cannot be reproduced."""

import csv
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

import ludarium
from ludarium.agents.time_control import LOST_ON_TIME, MARGIN, TimeControl
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.content import summarise
from ludarium.evaluation.report.data import report_data
from ludarium.evaluation.report.export import export
from ludarium.evaluation.report.meetings import meetings
from ludarium.evaluation.report.wording import notes, reproduce, to_toml
from ludarium.evaluation.tournament.crashes import play_one_by_one
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import Work
from ludarium.evaluation.tournament.schedule import run, usual_executor
from ludarium.evaluation.tournament.soundness import wrong_games
from ludarium.evaluation.tournament.store import Store, StoreError

BOTS = Path(__file__).resolve().parents[2] / "agents" / "external"
PLAIN = GameEntry("tictactoe", 2, 1)
TIMED = GameEntry("tictactoe", 2, 1, clock="60+0.5", margin=20)
TWO = Tournament(("random", "greedy"), (TIMED, PLAIN), seed=4)


def program(path, *arguments):
    return f"process:{shlex.join([sys.executable, '-I', '-S', str(path), *arguments])}"


@pytest.fixture
def slow(time):
    """An agent that takes two seconds for a move."""

    def slow(observation, action_mask, info):
        time.pass_by(2)
        return int(action_mask.argmax())

    return slow


KEEPER = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"protocol": 1, "observation": "none"}), flush=True)
    elif message["type"] == "act":
        time.sleep(min(message["clock"]["left"]) / 4)
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"""


def test_the_settings_of_a_game():
    assert (TIMED.control, TIMED.reproducible) == (TimeControl(60, 0.5, margin=0.02), False)
    assert (PLAIN.control, PLAIN.reproducible) == (None, True)
    assert TIMED.data() == {**PLAIN.data(), "clock": "60+0.5", "margin": 20}
    assert Tournament.from_data(TWO.data()) == TWO
    assert Tournament.from_data(tomllib.loads(to_toml(TWO))) == TWO
    executors = [usual_executor(Tournament(TWO.agents, (entry,))) for entry in (PLAIN, TIMED)]
    assert executors == ["threads", "processes"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"clock": "soon"}, "clock: expected seconds a game, such as '60', with what each move adds"),
        ({"clock": "0"}, "clock: expected more than 0 and at most 1,000,000 seconds"),
        ({"clock": "-1+2"}, "clock: expected seconds a game"),
        ({"clock": "60", "margin": -1}, "margin: expected 0 to 1,000,000,000 milliseconds, not -1"),
        ({"clock": 60}, "tournament: game: clock must be a string, not 60"),
        ({"clock": "60", "margin": "1"}, "tournament: game: margin must be an integer, not '1'"),
        ({"margin": 5}, "tournament: margin of 'tictactoe' belongs to a clock, and there is none"),
    ],
)
def test_clocks_that_cannot_be(settings, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        Tournament.from_data({"agents": ["random", "random"], "games": [{"game": "tictactoe", **settings}]})


def test_programs_that_cannot_be_told_are_refused_before_anything_is_played():
    engine = program(BOTS / "othello_engine.py", "nboard").replace("process:", "nboard:")
    tournament = Tournament((engine, "random"), (GameEntry("othello", 1, 4, clock="9"),))
    with pytest.raises(
        ValueError, match=re.escape(f"agent {engine!r}: it cannot be told of a clock, for which NBoard")
    ):
        tournament.check()


def test_openings_seeds_and_pairs_are_those_of_games_without_a_clock(played):
    rows, _ = played(TWO, workers=1)
    timed, plain = ([row for row in rows if row.event == event] for event in (0, 1))
    assert [row._replace(event=1) for row in timed] == plain


def test_what_was_not_finished_is_played_again(tmp_path):
    path = tmp_path / "games.db"
    with Store(path, TWO.data()) as store:
        run(TWO, store, executor="threads", workers=1)
        rows = store.games()
        store._db.execute("DELETE FROM games WHERE event = 0 AND pair = 1")
    with Store(path, TWO.data()) as store:
        run(TWO, store, executor="threads", workers=1)
        assert store.games() == rows
        assert wrong_games(store, verify=True) == {}
    slower = Tournament(TWO.agents, (GameEntry("tictactoe", 2, 1, clock="90"), PLAIN), seed=4)
    with pytest.raises(StoreError, match=r"results of another tournament \(different: games\)"):
        Store(path, slower.data())


def test_games_played_one_by_one_have_the_clock_too(slow):
    entry = GameEntry("tictactoe", 1, clock="1", margin=0)
    finished = play_one_by_one(entry, (slow, "random"), Work(0, 0, 1, 0, 1), 5, 0, None)
    assert [one.played.cause for one in finished] == [LOST_ON_TIME] * 2
    assert [one.played.ending for one in finished] == [FORFEIT, FORFEIT + 1]


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A store of games between a program that sleeps and one that takes a quarter of its time, and the tournament."""
    folder = tmp_path_factory.mktemp("clocks")
    (folder / "keeper.py").write_text(KEEPER)
    agents = {"sleeper": program(BOTS / "faulty_bot.py", "hang"), "keeper": program(folder / "keeper.py")}
    tournament = Tournament(agents, (GameEntry("tictactoe", 1, 1, clock="1+0.1"),), seed=2)
    path = folder / "games.db"
    with Store(path, tournament.data()) as store:
        run(tournament, store, executor="threads", workers=1)
    return path, tournament


def test_a_program_that_sleeps_loses_to_one_that_keeps_its_time(contest):
    path, tournament = contest
    with Store(path) as store:
        rows = store.games()
        assert wrong_games(store, verify=True) == {}
    assert [(row.payoff_a, row.payoff_b, row.cause) for row in rows] == [(-1, 1, LOST_ON_TIME)] * 2
    content = summarise(tournament, rows)
    (game,) = content.games
    told = "Time control: 1 s a game and 0.1 s more after each move, with a margin of 50 ms. Timed games depend on "
    assert next(note for note in notes(game) if note.startswith(told)).endswith("Lost on time: 2 games.")
    assert "the moves of timed games are not" in reproduce(content)[0]
    assert [table["reproducible"] for table in report_data(content)["tables"]] == [False]
    assert {line[2] for line in meetings(tournament, game)[0, 1].lines} == {"sleeper lost on time"}


def test_exported_games_are_marked(contest):
    path, tournament = contest
    with Store(path) as store:
        rows = store.games()
    lines = [json.loads(line) for line in export(tournament, rows, "jsonl")]
    assert [(line["clock"], line["reproducible"]) for line in lines] == [("1+0.1", False)] * 2
    assert [line["clock"] for line in csv.DictReader(export(tournament, rows, "csv"))] == ["1+0.1"] * 2
    text = next(iter(export(tournament, rows, "text")))
    assert '[TimeControl "1+0.1"]\n[Reproducible "no"]' in text
    assert re.search(r'\[Ending "sleeper \([xo]\) forfeited: lost on time"\]', text)


def test_a_match_in_python(slow):
    match = ludarium.match(slow, "random", game="tictactoe", pairs=1, opening=1, clock="1.5", margin=0, seed=1)
    assert [(game["ending"], game["cause"]) for game in match.games] == [("forfeit", LOST_ON_TIME)] * 2
    told = "Time control: 1.5 s a game, with a margin of 0 ms."
    assert str(match).splitlines()[3].startswith(told)
    assert f"<p>{told}" in match._repr_html_()


def test_the_command(output, tmp_path):
    """It says that the games cannot be reproduced, in words and as data."""
    command = "match", "tictactoe", "random", "greedy", "--pairs", "1", "--opening", "1", "--executor", "threads"
    told = output(*command, "--clock", "5/move", "--margin", "7")
    assert "Time control: 5 s a move, with a margin of 7 ms." in told
    assert "Lost on time: 0 games." in told
    data = json.loads(output(*command, "--clock", "5/move", "--json"))
    entry = data["tournament"]["games"][0]
    assert (entry["clock"], entry["margin"]) == ("5/move", MARGIN)
    assert not data["tables"][0]["reproducible"]
    assert "clock" not in output(*command)
