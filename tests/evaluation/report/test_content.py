"""What a report says, against results made by hand, and what it refuses."""

import json
import sqlite3
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from ludarium.agents.time_control import LOST_ON_TIME
from ludarium.envs.openings import find_openings
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.charts import curve_plot, interval_plot, shade
from ludarium.evaluation.report.content import _runs, read_store, summarise
from ludarium.evaluation.report.data import report_data
from ludarium.evaluation.report.markdown import report_markdown
from ludarium.evaluation.report.replay import ending_of, episode_of
from ludarium.evaluation.report.wording import (
    ACROSS,
    across_table,
    forfeit_table,
    notes,
    opening_line,
    score_table,
    to_toml,
    warnings,
)
from ludarium.evaluation.statistics.sprt import Hypotheses
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.session import machine
from ludarium.evaluation.tournament.store import Store, StoreError

THREE = Tournament(("random", "b", "c"), (GameEntry("tictactoe", 2),))


def test_by_hand(row):
    """b beats random by 3 : 1, c and b draw everything, the first seat wins whatever random and c play."""
    payoffs = {(0, 1): (1, -1, -1, -1), (0, 2): (1, -1, 1, -1), (1, 2): (0, 0, 0, 0)}
    rows = [row(a, b, n // 2, n % 2, p) for (a, b), four in payoffs.items() for n, p in enumerate(four)]
    content = summarise(THREE, rows)
    (game,) = content.games
    assert [line.agent for line in game.table.rows] == ["b", "c", "random"]
    np.testing.assert_array_equal(game.scores[0, 1:], [0.5, 0.75])
    assert (game.first, game.draws, game.truncated) == ((1 + 1 + 0 + 1 + 4 + 2) / 12, 4 / 12, 0)
    assert game.ratings.anchor == "random"
    assert game.ratings.elo[2] == 0
    assert game.cycles == 0
    assert game.nash[0].sum() == pytest.approx(1)
    np.testing.assert_allclose(game.alpha, [101 / 153, 51 / 153, 1 / 153])  # b takes over from random, the rest by 1/50
    (said, *_) = notes(game)
    assert said.startswith("The first seat scores 75.0 %")
    ratings = game.ratings
    assert f"Elo, standard error {ratings.seat_error:.1f}. Drawn: 33.3 % of all games; draw parameter ν = " in said
    assert said.endswith(f"= {ratings.draw_parameter:.3f}, so equals draw {100 * ratings.draws:.1f} % of their games.")
    assert score_table(game)[1][2][1] == "0"
    assert (content.played, content.total, content.across) == (12, 12, [])


def test_the_standings_where_games_are_won_by_up_to_three_points(row):
    tournament = Tournament(THREE.agents, (GameEntry("backgammon", 20),))
    results = {(0, 1): (1, -1, -1, -1), (0, 2): (1, -1, 1, -1), (1, 2): (0, 0, 0, 0)}
    rows = [
        row(*met, n // 2, n % 2, result * (1 + n % 3))
        for met, four in results.items()
        for n, result in enumerate(four * 10)
    ]
    assert score_table(summarise(tournament, rows).games[0]) == (
        ["agent", "Elo", "score %", "points a game", "Nash average", "Nash weight", "α-rank", "games"],
        [
            ["1 b", "+316 ± 124", "62.5 ± 6.0", "+0.51 ± 0.27", "+0.000", "0.50", "0.66", "80"],
            ["2 c", "+158 ± 161", "50.0 ± 7.0", "-0.01 ± 0.17", "+0.000", "0.50", "0.33", "80"],
            ["3 random", "0", "37.5 ± 6.0", "-0.50 ± 0.35", "-0.125", "0.00", "0.01", "80"],
        ],
    )


def test_what_rounds_to_zero_has_no_minus(row):
    rows = [row(a, b, 0, leg, 0) for a, b in ((0, 1), (0, 2), (1, 2)) for leg in (0, 1)]
    (game,) = summarise(THREE, rows).games
    nash = np.array([1.0, -0.0049, 0.0051]), np.array([-0.00049, -0.0051, 0.00051])
    lines = score_table(replace(game, nash=nash))[1]
    assert [line[3:5] for line in lines] == [["+0.000", "1.00"], ["-0.005", "0.00"], ["+0.001", "0.01"]]


def test_a_circle_has_three_cycles(row):
    met = ((0, 1, 1), (1, 2, 1), (0, 2, -1))
    rows = [row(a, b, pair, leg, payoff) for a, b, payoff in met for pair in (0, 1) for leg in (0, 1)]
    (game,) = summarise(THREE, rows).games
    assert game.cycles == 1
    np.testing.assert_allclose(game.nash[0], 1 / 3)
    np.testing.assert_allclose(game.alpha, 1 / 3)
    assert "in a cycle: 100.0 % (25 % if" in " ".join(notes(game))
    gauntlet = [row for row in rows if row.a == 0]
    (game,) = summarise(THREE, gauntlet).games
    assert (game.cycles, game.nash, game.alpha) == (None, None, None)  # not all have met
    assert "cycle" not in " ".join(notes(game))
    (game,) = summarise(THREE, [row for row in gauntlet if row.b == 2]).games  # unfinished: those that played
    assert [line.agent for line in game.table.rows] == list(game.ratings.entrants) == ["c", "random"]
    assert (game.cycles, game.nash is None) == (None, False)  # two cannot beat each other in a cycle


def test_warnings(row):
    beaten = [row(0, 1, pair, leg, 1, moves=bytes([leg, 0])) for pair in (0, 1) for leg in (0, 1)]
    (game,) = summarise(THREE, beaten).games
    sentences = list(warnings(game))
    assert "random and b played the same two games again and again" in sentences[0]
    assert "relies on a weak prior" in sentences[1]
    four = Tournament(("a", "b", "c", "d"), (GameEntry("tictactoe", 1),))
    content = summarise(four, [row(a, a + 1, 0, leg, 0) for a in (0, 2) for leg in (0, 1)])
    assert "ratings of different groups cannot be compared" in next(warnings(content.games[0]))
    assert content.games[0].nash is None
    assert "Unfinished: 12 games are planned." in opening_line(content)


def test_one_pair_is_no_interval(row):
    content = summarise(THREE, [row(a, b, 0, leg, p) for a, b, p in ((0, 1, 1), (0, 2, 0)) for leg in (0, 1)])
    (game,) = content.games
    head, lines = score_table(game)
    assert [line[head.index("Elo")].endswith("± ?") for line in lines] == [line[0][2:] != "random" for line in lines]
    assert all(line[head.index("score %")].endswith("± ?") for line in lines)
    assert "± ? Elo" in " ".join(notes(game))
    (verdict,) = report_data(content)["verdicts"]
    assert (verdict["elo_margins"].count(None), verdict["seat_margin"]) == (2, None)


def test_one_and_many(row):
    pair = [row(0, 1, 0, leg, 1) for leg in (0, 1)]
    one = Tournament(("random", "b"), (GameEntry("tictactoe", 1),), format="swiss", rounds=1)
    told = "1 game, 2 agents, Swiss, 1 round, seed 0. Unfinished: at most 2"
    assert opening_line(summarise(one, pair[:1])).startswith(told)
    assert opening_line(summarise(THREE, pair)).startswith("2 games, 3 agents, round robin")
    wrong = replace(summarise(THREE, pair), left_out=["a game", "another one"])
    assert opening_line(wrong).endswith(" Left out, because what is stored of them is wrong: 2 games.")


def test_forfeits_are_told_by_their_cause_the_most_frequent_first(row):
    causes = ["hung", "raised x", "raised x", LOST_ON_TIME]
    rows = [row(0, 1, n // 2, n % 2, 1, ending=FORFEIT + (n + 1) % 2, cause=cause) for n, cause in enumerate(causes)]
    (game,) = summarise(THREE, rows).games
    told = [["b", "2", "raised x"], ["b", "1", "hung"], ["b", "1", LOST_ON_TIME]]
    assert forfeit_table(game) == (["agent", "games", "cause"], told)


def test_truncated_games_are_counted(row):
    (game,) = summarise(THREE, [row(0, 1, 0, 0, 0, ending=1), row(0, 1, 0, 1, 0)]).games
    assert "1 game was cut off at 9 moves and counts with" in " ".join(notes(game))


def test_adjudicated_games_are_counted():
    tournament = Tournament(("random", "greedy"), (GameEntry("othello?size=6", 1, 24, adjudicate="exact"),))
    with Store(None, tournament.data()) as store:
        run(tournament, store, executor="threads", workers=1)
        rows = store.games()
    content = summarise(tournament, rows)
    assert "2 games were adjudicated: both sides were played exactly once 12 squares were empty." in notes(
        content.games[0]
    )
    assert report_data(content)["verdicts"][0]["adjudicated"] == 2
    position = episode_of(tournament, content.games[0].game, rows[0]).position
    assert ending_of(tournament, rows[0], content.games[0].game, position).endswith(", adjudicated")
    assert Tournament.from_data(tomllib.loads(to_toml(tournament))) == tournament


def test_across_games(store_path):
    content = summarise(*read_store(store_path))
    assert [overall.agent for overall in content.across] == ["greedy", "random"]
    for overall in content.across:
        assert 0 <= overall.low <= overall.mean <= overall.high <= 1
        assert 1 <= overall.rank <= 2
    tables = {game.game.name: game for game in content.games}
    assert tables["hanabi"].ratings is None
    assert tables["backgammon"].with_points
    assert not tables["tictactoe"].with_points
    assert [len(_runs(game, 0)) for game in content.games] == [
        10,
        3,
        10,
    ]  # a part has every tenth pair, if there is one
    assert "is over 10 parts of each game" in ACROSS


def test_across_games_of_one_part(row):
    """Random wins all, and the others draw."""
    tournament = Tournament(THREE.agents, (GameEntry("tictactoe", 1), GameEntry("tictactoe?rows=4", 1)))
    met = [(a, b, event, leg) for a, b in ((0, 1), (0, 2), (1, 2)) for event in (0, 1) for leg in (0, 1)]
    content = summarise(tournament, [row(a, b, 0, leg, a == 0, event=event) for a, b, event, leg in met])
    assert [(one.agent, one.mean) for one in content.across] == [("random", 1), ("b", 0.25), ("c", 0.25)]
    assert across_table(content)[1] == [
        ["random", "1.00", "1.000", "?"], ["b", "2.50", "0.250", "?"], ["c", "2.50", "0.250", "?"]
    ]  # fmt: skip
    assert [(one["low"], one["high"]) for one in report_data(content)["across"]] == [(None, None)] * 3


def test_the_file_to_play_again(tmp_path):
    tournament = Tournament(
        ('we"ird \\ # é \U0001f3b2 \x7f \n', "random"),
        (
            GameEntry("tictactoe", 3, 1),
            GameEntry("othello", 2, agents=("random",), openings=("f5d6", "f5f6"), order="sequential"),
            GameEntry("hexapawn", 2, openings=find_openings(make_game("hexapawn"), "balanced")),
        ),
        name="x",
        seed=9,
        format="swiss",
        rounds=2,
    )
    path = tmp_path / "again.toml"
    tested = replace(tournament, format="round-robin", sprt=Hypotheses(0.0, 0.5, unit="points"))
    for one in (tournament, tested):
        path.write_text(to_toml(one), encoding="utf-8")
        assert Tournament.from_file(path) == one
    assert 'openings = ["f5d6", "f5f6"]\norder = "sequential"\n' in to_toml(one)
    assert to_toml(one).endswith('openings = "balanced"\n')


def test_a_tournament_is_finished_when_tests_have_decided_its_pairings(row):
    tournament = Tournament(("random", "b"), (GameEntry("tictactoe", 1000),), sprt=Hypotheses(0.0, 50.0))
    rows = [row(0, 1, n // 2, n % 2, 0 if n % 8 == 7 else -1, moves=bytes([n % 2])) for n in range(400)]
    content = summarise(tournament, rows)
    (verdict,) = content.games[0].table.verdicts
    decided = 2 * verdict.test.pairs
    assert 2 < decided < 400
    content = summarise(tournament, rows[:decided])
    assert (content.finished, content.total) == (True, decided)
    assert str(verdict) in list(notes(content.games[0]))
    assert not content.games[0].answers[0].startswith("So far")
    assert summarise(tournament, rows[: decided - 2]).total == 2000


def test_markdown_has_a_section_for_each_game(row):
    tournament = Tournament(("random", "perfect"), (GameEntry("tictactoe", 1), GameEntry("hexapawn", 1)), name="two")
    rows = [row(0, 1, 0, leg, -1, event=event) for event in (0, 1) for leg in (0, 1)]
    _, *sections = report_markdown(summarise(tournament, rows)).split("\n## ")
    assert [section.splitlines()[0] for section in sections[:2]] == ["Tic-tac-toe", "Hexapawn"]
    for section in sections[:2]:
        assert section.index("perfect") < section.index("random")  # the table, the winner first


def test_markdown_has_the_file_whole(row):
    """Some characters end a line for Python, but not for TOML."""
    tournament = Tournament(("random", "b"), (GameEntry("tictactoe", 1),), name="a\x85b\u2028c")
    text = report_markdown(summarise(tournament, [row(0, 1, 0, leg, 1) for leg in (0, 1)]))
    assert '\n    name = "a\x85b\u2028c"\n' in text
    assert "pairs = 1\n\n" in text


@pytest.mark.parametrize(
    "wrong",
    [
        {"event": 1},
        {"b": 7},
        {"pair": 2},
        {"pair": -1},
        {"a": 1, "b": 0},
        {"a": 1},
        {"ending": 2},
        {"leg": 2},
        {"ending": FORFEIT + 2},
        {"moves": "text"},
        {"ending": "x"},
        {"payoff_a": "x"},
    ],
)
def test_a_row_that_cannot_be(make_store, row, wrong):
    path = make_store(THREE, [row(0, 1, 0, 0, 1)])
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE games SET {', '.join(f'{name} = ?' for name in wrong)}", (*wrong.values(),))
    told = r"is damaged \(a game \(\d, \d, \d, -?\d, \d\) is not one of its tournament's\)"
    with pytest.raises(StoreError, match=told):
        read_store(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [("started", b"x"), ("seconds", "x"), ("games", "x"), ("command", b"x"), ("machine", '["a", "b", "c", "d", {}]')]
    + [("machine", json.dumps(machine()._asdict() | wrong)) for wrong in ({"cores": "x"}, {"packages": {"a": 1}})],
)
def test_a_session_that_cannot_be(make_store, row, column, value):
    path = make_store(THREE, [row(0, 1, 0, 0, 1)])
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE sessions SET {column} = ?", (value,))
    with pytest.raises(StoreError, match=r"^[^\n]*is damaged \([^\n]*session[^\n]*$"):
        read_store(path)


def test_plots():
    plot = interval_plot(["<b>", "sure"], [100.0, -3.5], [20.0, 0.0], "Elo & more")
    assert "&lt;b&gt;" in plot
    assert "Elo &amp; more" in plot
    assert "nan" not in plot
    for values, margins in (([0.0], [0.0]), ([5.0], [float("inf")]), ([1e-9, 2e-9], [0.0, 0.0]), ([-2e4], [1.0])):
        drawn = interval_plot(["x"] * len(values), values, margins, "")
        assert "nan" not in drawn
        assert 'inf"' not in drawn
    flat = curve_plot([("<b>", [1, 2], [0.5, 0.5]), ("one", [0], [0.5])], "games & more")
    assert flat.count("<polyline") == 2
    for words in ("&lt;b&gt;", "games &amp; more", "40 %", "60 %"):
        assert words in flat
    assert "nan" not in flat
    assert [shade(share) for share in (0.0, 0.5, 1.0, float("nan"))] == ["h0", "h5", "h10", "none"]
