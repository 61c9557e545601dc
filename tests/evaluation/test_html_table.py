"""Results in notebooks: the same figures as in a terminal, in tables that no name can break."""

import math
from xml.etree import ElementTree

from ludarium.envs.registry import make_game
from ludarium.evaluation.html_table import html_table
from ludarium.evaluation.ladder.result import Against, Rating
from ludarium.evaluation.tournament.standings import Row, Table, Timing

NASTY = 'bot & <b>"x"</b>'


def read(page):
    """What a notebook shows: the tables as lists of rows, and the paragraphs."""
    root = ElementTree.fromstring(f"<div>{page}</div>")
    tables = [[[cell.text or "" for cell in row] for row in table.iter("tr")] for table in root.iter("table")]
    return tables, [paragraph.text for paragraph in root.iter("p")]


def test_rows_are_named_and_everything_is_escaped():
    page = html_table(NASTY, [NASTY, "n"], [[NASTY, "1"], ["two", NASTY]], text=True)
    assert read(page) == ([[[NASTY, "n"], [NASTY, "1"], ["two", NASTY]]], [])
    root = ElementTree.fromstring(page)
    assert root.find("caption").text == NASTY
    assert [cell.get("scope") for cell in root.iter("th")] == ["col", "col", "row", "row"]
    assert [cell.get("class") for cell in root.iter("td")] == ["text", "text"]


def test_only_a_last_column_of_sentences_has_their_class():
    head, rows = ["agent", "games", "cause"], [["a", "2", "it hung"]]
    assert "class" not in html_table("Forfeits", head, rows)
    marked = [cell.text for cell in ElementTree.fromstring(html_table("", head, rows, text=True)).iter() if cell.attrib]
    assert marked == ["agent", "games", "cause", "a", "it hung"]  # those that head rows and columns, and the sentence


def test_standings_have_the_columns_and_the_remarks_of_a_terminal():
    rows = [
        Row(NASTY, 0.75, 0.125, 1.5, 0.25, 1200, 0.0, {"random": 0.75}, {}),
        Row("random", 0.25, math.inf, -1.5, math.inf, 1200, 0.0, {NASTY: 0.25}, {"raised <x>": 2}),
    ]
    table = Table(make_game("backgammon"), rows, [(NASTY, "random")], [Timing("random", 9, 0.002, 0.03)])
    (shown,), told = read(table._repr_html_())
    assert shown == [
        ["agent", "score %", "points", "v 1", "v 2", "games", "a move", "95 %"],
        [f"1 {NASTY}", "75.0 ± 12.5", "+1.50 ± 0.25", "·", "75", "1,200", "–", "–"],
        ["2 random", "25.0 ± ?", "-1.50 ± ?", "25", "·", "1,200", "2 ms", "30 ms"],
    ]
    assert (
        told[0]
        == f"{NASTY} and random played the same two games again and again; random opening moves (opening) would help"
    )
    assert told[1] == "2 × random forfeited: raised <x>"
    assert told[2].startswith("score: win 1, draw ½; ± half the 95 % interval over pairs")


def test_a_rating_has_the_ladder_from_the_top():
    rungs = Against("weak", 300.0, 0.9, None, 0), Against("strong", 800.0, 0.4, 0.25, 8)
    rating = Rating(make_game("tictactoe"), NASTY, 700.0, (650.0, 755.0), rungs, 8, 0, 2.0)
    (shown,), told = read(rating._repr_html_())
    assert [[cell.strip() for cell in row] for row in shown] == [
        ["", "Elo", "expected %", "scored %", "games"],
        ["strong", "800", "40.0", "25.0", "8"],
        [f"→ {NASTY}", "700", "", "", ""],
        ["weak", "300", "90.0", "–", "0"],
    ]
    assert told == [
        f"tictactoe: {NASTY} has 700 ± 52 Elo, where random play is 0; between weak and strong",
        "8 games in 2 s; seed 0",
    ]
