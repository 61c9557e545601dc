import math
from types import SimpleNamespace

import pytest

from ludarium.envs.registry import make_game
from ludarium.evaluation.tournament.figures import (
    AGAINST,
    AGENT,
    FORFEITS,
    GAMES,
    NUMBER,
    POINTS,
    REPEATED,
    SCORE,
    SLOW,
    TIME,
    VERDICT,
    Remark,
    columns,
    plus_minus,
    remarks,
)
from ludarium.evaluation.tournament.standings import Row, Table, Timing


def lines(against):
    one, other = (Row(name, 0.75, 0.1234, 1.5, 0.25, 1200, 0.0, {}, {}) for name in ("one", "other"))
    if against:
        one.against = {"other": 0.99}
    return [one, other]


@pytest.mark.parametrize(
    ("game", "shown"),
    [
        (
            "tictactoe",
            {"score %": ["75.0 ± 12.3"] * 2, "v 1": ["·", "·"], "v 2": ["99", "·"]},
        ),
        (
            "backgammon",
            {"score %": ["75.0 ± 12.3"] * 2, "points": ["+1.50 ± 0.25"] * 2, "v 1": ["·", "·"], "v 2": ["99", "·"]},
        ),
        ("hanabi", {"mean score": ["0.75 ± 0.12"] * 2}),
    ],
)
def test_the_columns_of_a_table(game, shown):
    table = Table(make_game(game), lines(against=True), times=[Timing("other", 9, 0.0012, 3.0)])
    assert {column.title: column.cells for column in columns(table)} == {
        "": ["1", "2"],
        "agent": ["one", "other"],
        **shown,
        "games": ["1,200", "1,200"],
        "a move": ["–", "1.2 ms"],
        "95 %": ["–", "3 s"],
    }
    assert [column.title for column in columns(Table(make_game(game), []))][-1] == "games"


@pytest.mark.parametrize(
    ("game", "kinds"),
    [
        ("tictactoe", [NUMBER, AGENT, SCORE, AGAINST, AGAINST, GAMES, TIME, SLOW]),
        ("backgammon", [NUMBER, AGENT, SCORE, POINTS, AGAINST, AGAINST, GAMES, TIME, SLOW]),
        ("hanabi", [NUMBER, AGENT, SCORE, GAMES, TIME, SLOW]),
    ],
)
def test_what_each_column_holds(game, kinds):
    table = Table(make_game(game), lines(against=True), times=[Timing("other", 9, 0.0012, 3.0)])
    assert [column.kind for column in columns(table)] == kinds


def test_scores_are_rounded_and_say_how_sure_they_are():
    assert plus_minus(0.125, 0.049, 1) == "0.1 ± 0.0"
    assert plus_minus(1.26, 0.2, 1, sign=True) == "+1.3 ± 0.2"
    assert plus_minus(0.5, math.inf, 2) == "0.50 ± ?"
    assert plus_minus(math.nan, math.inf, 2) == "–"


def test_a_table_in_a_notebook_has_its_rows_numbered():
    page = Table(make_game("tictactoe"), lines(against=True))._repr_html_()
    assert page.count("<tr>") == 3
    assert page.index(">1 one<") < page.index(">99<") < page.index(">2 other<")


def test_remarks_end_with_the_most_frequent_causes_of_forfeits():
    often = {f"cause {number:02}": number for number in range(1, 9)}
    rows = [SimpleNamespace(agent=agent, forfeits=often) for agent in ("one", "two")]
    table = SimpleNamespace(verdicts=["accepted"], repeated=[("one", "two")], rows=rows)
    verdict, repeated, *causes, others = remarks(table)
    assert verdict == Remark(VERDICT, "accepted")
    advice = "played the same two games again and again; random opening moves (opening) would help"
    assert repeated == Remark(REPEATED, f"one and two {advice}")
    assert causes[:3] == [
        Remark(FORFEITS, "8 × two forfeited: cause 08"),
        Remark(FORFEITS, "8 × one forfeited: cause 08"),
        Remark(FORFEITS, "7 × two forfeited: cause 07"),
    ]
    assert len(causes) == 10
    assert others == Remark(FORFEITS, "… and 6 other causes")


def test_nothing_to_say():
    assert not list(remarks(SimpleNamespace(verdicts=[], repeated=[], rows=[SimpleNamespace(forfeits={})])))
