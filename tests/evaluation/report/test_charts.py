"""The small pictures of the page, and how the page keeps its figures in sight."""

import html
import re

from ludarium.evaluation.report.charts import curve_plot, interval_plot
from ludarium.evaluation.report.page import replay_page
from ludarium.evaluation.report.replay import Replay

LONG = "<b>" + "a_long_name_" * 12 + "&end.py"


def texts(plot):
    """What is shown in each text of a plot, and its title."""
    found = re.findall(r"<text[^>]*>(?:<title>(.*?)</title>)?(.*?)</text>", plot)
    return [(html.unescape(shown), html.unescape(title)) for title, shown in found]


def test_long_names_are_shortened_in_the_middle():
    for plot, room in (
        (interval_plot([LONG, "short"], [1.0, 2.0], [0.5, 0.5], "Elo"), 420),
        (curve_plot([(LONG, [1, 2], [0.5, 0.7]), ("short", [1], [0.5])], "games"), 350),
    ):
        ((shown, title),) = [(shown, title) for shown, title in texts(plot) if title]
        assert title == LONG
        start, end = shown.split("…")
        assert LONG.startswith(start)
        assert LONG.endswith(end)
        assert 30 < len(shown) <= room / 8
        assert ("short", "") in texts(plot)
    unit = f"Elo with 95 % intervals; {LONG} is 0"
    ((shown, title),) = [(shown, title) for shown, title in texts(interval_plot(["x"], [1.0], [1.0], unit)) if title]
    assert (title, shown[:25], shown[-5:]) == (unit, "Elo with 95 % intervals; ", " is 0")


def test_a_single_value_without_an_interval_is_in_the_middle():
    plot = interval_plot(["x"], [3.0], [0.0], "Elo")
    assert re.findall(r'<circle class="point" cx="([^"]*)"', plot) == ["210.0"]
    ticks = [shown for shown, _ in texts(plot) if re.fullmatch(r"[\d.]+", shown)]
    assert (ticks[0], ticks[-1]) == ("2", "4")


def test_names_in_tables_are_never_broken():
    """A browser would break a spec after a `?` or a hyphen; a table that is too wide scrolls."""
    page = replay_page(Replay("title", "0:0:1:0:0", ["start"], ["<svg></svg>"], [[0]]), "tictactoe", "nine.db")
    assert re.search(r"\nth, td \{.*white-space: nowrap; \}", page)
    assert re.search(r"\n\.box \{ overflow-x: auto;", page)
    assert not [rule for rule in re.findall(r"\n[^{}]*\bth\b[^{}]*\{[^{}]*\}", page) if "white-space: normal" in rule]
    assert not [rule for rule in re.findall(r"\n[^{}]*\btd\b[^{}]*\{[^{}]*\}", page) if "overflow-wrap" in rule]
