"""Scores by opening."""

from dataclasses import replace

import pytest

from ludarium.evaluation.report.content import summarise
from ludarium.evaluation.report.data import report_data
from ludarium.evaluation.report.markdown import report_markdown
from ludarium.evaluation.report.openings import OpeningScore, by_opening
from ludarium.evaluation.report.wording import opening_table
from ludarium.evaluation.tournament.event import GameEntry, Tournament

BOOK = GameEntry("hexapawn", 3, openings=("a1a2", "b1b2", "c1c2"), order="sequential")
EVENT = Tournament(("random", "greedy"), (BOOK,))


def test_by_hand(row):
    """Random wins as White after a1a2, and greedy both games after b1b2."""
    rows = [row(0, 1, 0, 0, 1), row(0, 1, 0, 1, -1), row(0, 1, 1, 0, -1), row(0, 1, 1, 1, -1)]
    openings = by_opening(EVENT, 0, rows)
    assert (openings.played, openings.known) == (2, 3)
    assert openings.shown == [
        OpeningScore(1, "a1a2", 2, 1.0, {"random": 0.5, "greedy": 0.5}),
        OpeningScore(2, "b1b2", 2, 0.5, {"random": 0.0, "greedy": 1.0}),
    ]
    content = summarise(EVENT, rows)
    assert "| 2 b1b2 | 2 | 50.0 | 100.0 | 0.0 |" in report_markdown(content)
    assert "Openings played: 2 of 3. Scores in %." in report_markdown(content)
    assert report_data(content)["verdicts"][0]["openings"][1]["scores"] == {"random": 0.0, "greedy": 1.0}
    assert by_opening(replace(EVENT, games=(GameEntry("hexapawn", 3),)), 0, rows) is None


@pytest.mark.parametrize(("length", "shown"), [(80, "a" * 80), (81, "a" * 78 + " …")])
def test_a_long_opening_is_shortened_to_eighty_characters(row, length, shown):
    openings = by_opening(EVENT, 0, [row(0, 1, 0, leg, 1) for leg in (0, 1)])
    openings = openings._replace(shown=[openings.shown[0]._replace(text="a" * length)])
    (game,) = summarise(EVENT, [row(0, 1, 0, leg, 1) for leg in (0, 1)]).games
    assert opening_table(game, openings)[1][0][0] == f"1 {shown}"


def test_of_many_openings_those_that_stand_out_are_shown(row):
    """Seat 0 wins half of its games, and both after opening 8, none after opening 60."""
    many = GameEntry("hexapawn", 60, openings=("a1a2",) * 60, order="sequential")
    won = {7: (1, -1), 59: (-1, 1)}
    rows = [row(0, 1, pair, leg, won.get(pair, (1, 1))[leg]) for pair in range(60) for leg in (0, 1)]
    openings = by_opening(replace(EVENT, games=(many,)), 0, rows)
    assert (len(openings.shown), openings.played) == (10, 60)
    assert [(one.number, one.first) for one in openings.shown[:3]] == [(8, 1.0), (60, 0.0), (1, 0.5)]
    farthest = "Shown: the 10 after which the first seat's score is farthest from its mean. Scores in %."
    assert f"Openings played: 60 of 60. {farthest}" in report_markdown(summarise(replace(EVENT, games=(many,)), rows))


def test_a_table_has_fifty_openings_and_says_when_they_repeat(row):
    fifty = replace(EVENT, games=(GameEntry("hexapawn", 51, openings=("a1a2",) * 50, order="sequential"),))
    rows = [row(0, 1, pair, leg, 1) for pair in range(51) for leg in (0, 1)]
    assert len(by_opening(fifty, 0, rows).shown) == 50
    more = replace(EVENT, games=(GameEntry("hexapawn", 51, openings=("a1a2",) * 51, order="sequential"),))
    assert len(by_opening(more, 0, rows).shown) == 10
    repeat = "There are more pairs, so openings repeat, and deterministic agents repeat their games."
    assert f"Openings played: 50 of 50. {repeat} Scores in %." in report_markdown(summarise(fifty, rows))
    assert repeat not in report_markdown(summarise(fifty, rows[:100]))
