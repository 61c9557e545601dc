"""The small pictures of the page, and how the page keeps its figures in sight."""

import html
import re

import pytest

from ludarium.evaluation.report.charts import curve_plot, interval_plot, shade
from ludarium.evaluation.report.page import replay_page
from ludarium.evaluation.report.replay import Replay

LONG = "<b>" + "a_long_name_" * 12 + "&end.py"


def texts(plot):
    """What is shown in each text of a plot, and its title."""
    labels = re.findall(r"<text[^>]*>(?:<title>(.*?)</title>)?(.*?)</text>", plot)
    return [(html.unescape(shown), html.unescape(title)) for title, shown in labels]


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


def test_a_single_value_is_in_the_middle_with_its_interval_or_without():
    plot = interval_plot(["x"], [3.0], [0.0], "Elo")
    assert re.findall(r'<circle class="point" cx="([^"]*)"', plot) == ["210.0"]
    ticks = [shown for shown, _ in texts(plot) if re.fullmatch(r"[\d.]+", shown)]
    assert (ticks[0], ticks[-1]) == ("2", "4")
    known = interval_plot(["x"], [3.0], [5.0], "Elo")
    assert re.findall(r'<line class="interval" x1="([^"]*)" x2="([^"]*)"', known) == [("12.0", "408.0")]
    assert re.findall(r'<circle class="point" cx="([^"]*)"', known) == ["210.0"]


def elements(plot):
    """The elements of a plot, each with its attributes and text, without those that are the same in all of a kind."""
    parts = re.findall(r"<[^/][^>]*>[^<]*", plot)
    return [re.sub(r' text-anchor="middle"| role="img"|/?>$| r="[\d.]+"', "", part) for part in parts]


def test_intervals_are_drawn_to_scale():
    """The scale runs from -50 to 120; an infinite interval has all of it."""
    assert elements(interval_plot(["top", "low"], [100.0, -50.0], [20.0, float("inf")], "Elo")) == [
        '<svg class="plot" viewBox="0 0 420 126" aria-label="Elo"',
        '<line class="grid" x1="12.0" x2="12.0" y1="8" y2="84"',
        '<text class="tick" x="12.0" y="100">-50',
        '<line class="grid" x1="128.5" x2="128.5" y1="8" y2="84"',
        '<text class="tick" x="128.5" y="100">0',
        '<line class="grid" x1="244.9" x2="244.9" y1="8" y2="84"',
        '<text class="tick" x="244.9" y="100">50',
        '<line class="grid" x1="361.4" x2="361.4" y1="8" y2="84"',
        '<text class="tick" x="361.4" y="100">100',
        '<text x="0" y="23">top',
        '<line class="interval" x1="314.8" x2="408.0" y1="35" y2="35"',
        '<circle class="point" cx="361.4" cy="35"',
        '<text x="0" y="61">low',
        '<line class="interval" x1="12.0" x2="408.0" y1="73" y2="73"',
        '<circle class="point" cx="12.0" cy="73"',
        '<text class="tick" x="210.0" y="118">Elo',
    ]


def test_curves_are_drawn_to_scale():
    """A band of shares ends at 100 %, another where the span of the values, 50 to 300, has tripled."""
    plot = curve_plot([("a", [0, 1000], [0.5, 0.75], [0.1, 0.3]), ("b", [2000], [0.6])], "games")
    assert elements(plot) == [
        '<svg class="plot" viewBox="0 0 420 280" aria-label="score over games"',
        '<line class="grid" x1="46" x2="396" y1="166.3" y2="166.3"',
        '<text class="tick" x="40" y="170.3" text-anchor="end">50 %',
        '<line class="grid" x1="46" x2="396" y1="87.2" y2="87.2"',
        '<text class="tick" x="40" y="91.2" text-anchor="end">75 %',
        '<line class="grid" x1="46" x2="396" y1="8.0" y2="8.0"',
        '<text class="tick" x="40" y="12.0" text-anchor="end">100 %',
        '<text class="tick" x="46.0" y="214">0',
        '<text class="tick" x="133.5" y="214">500',
        '<text class="tick" x="221.0" y="214">1,000',
        '<text class="tick" x="308.5" y="214">1,500',
        '<text class="tick" x="396.0" y="214">2,000',
        '<text class="tick" x="210.0" y="232">games',
        '<polygon class="band c0" points="46.0,134.7 221.0,8.0 221.0,182.2 46.0,198.0"',
        '<polyline class="curve c0" points="46.0,166.3 221.0,87.2"',
        '<circle class="curve c0" cx="221.0" cy="87.2"',
        '<line class="curve c0" x1="46" x2="68" y1="248" y2="248"',
        '<text x="76" y="252">a',
        '<polyline class="curve c1" points="396.0,134.7"',
        '<circle class="curve c1" cx="396.0" cy="134.7"',
        '<line class="curve c1" x1="46" x2="68" y1="268" y2="268"',
        '<text x="76" y="272">b',
    ]
    levels = elements(
        curve_plot([("a", [10, 20], [100, 300], [20, 1e3])], "games", shares=False, levels={"greedy": 50})
    )
    assert levels[0] == '<svg class="plot" viewBox="0 0 420 260" aria-label="strength over games"'
    assert levels[1:7:2] == [f'<line class="grid" x1="46" x2="396" y1="{y}" y2="{y}"' for y in (147.3, "84.0", 20.7)]
    assert [one.partition(">")[2] for one in levels[2:8:2]] == ["0", "250", "500"]
    assert levels[13:17] == [
        '<line class="level" x1="46" x2="396" y1="134.7" y2="134.7"',
        '<text class="tick" x="396" y="131.7" text-anchor="end">greedy',
        '<polygon class="band c0" points="221.0,116.9 396.0,8.0 396.0,198.0 221.0,127.1"',
        '<polyline class="curve c0" points="221.0,122.0 396.0,71.3"',
    ]
    flat = curve_plot([("a", [10, 20], [7, 7], [3, 0.25])], "games", shares=False)  # as if the values had a span of 1
    assert [shown for shown, _ in texts(flat)][:5] == ["6", "6.5", "7", "7.5", "8"]
    close = curve_plot([("a", [10, 20], [7.2, 7.4])], "games", shares=False)  # to full values
    assert [shown for shown, _ in texts(close)][:5] == ["7", "7.25", "7.5", "7.75", "8"]
    even = curve_plot([("a", [10, 20], [0.5, 0.5])], "games")  # a tenth more and less
    assert [shown for shown, _ in texts(even)][:5] == ["40 %", "45 %", "50 %", "55 %", "60 %"]
    seven = curve_plot([(f"{n}", [1], [0.5]) for n in range(7)], "games")
    assert re.findall(r'<polyline class="curve (c\d)"', seven) == ["c0", "c1", "c2", "c3", "c4", "c5", "c0"]


def test_numbers_at_the_edges_stay_inside_the_picture():
    """A figure takes 6.5 of the 420 units, half of it on each side of its place; the scale runs from 12 to 408."""
    plot = interval_plot(["low", "high"], [-1000.0, 1000.0], [0.0, 0.0], "Elo")
    ticks = re.findall(r'<text class="tick" x="([^"]*)" y="100"[^>]*>([^<]*)', plot)
    assert (ticks[0], ticks[-1]) == (("16.2", "-1000"), ("407.0", "1000"))
    plot = curve_plot([("a", [1_000_000], [0.5])], "games")
    assert re.findall(r'x="([^"]*)" y="214"[^>]*>1,000,000<', plot) == ["390.8"]


def test_a_curve_of_the_start_alone_has_a_scale_to_one():
    plot = curve_plot([("a", [0], [0.5])], "games")
    ticks = re.findall(r'<text class="tick" x="([^"]*)" y="214"[^>]*>([^<]*)', plot)
    assert ticks == [("46.0", "0"), ("133.5", "0.25"), ("221.0", "0.5"), ("308.5", "0.75"), ("396.0", "1")]


@pytest.mark.parametrize(
    ("share", "kind"), [(-0.3, "h0"), (0.04, "h0"), (0.06, "h1"), (1.0, "h10"), (1.3, "h10"), (float("nan"), "none")]
)
def test_shades_run_from_none_of_the_points_to_all(share, kind):
    assert shade(share) == kind


def test_names_in_tables_are_never_broken():
    """A browser would break a spec after a `?` or a hyphen; a table that is too wide scrolls."""
    page = replay_page(Replay("title", "0:0:1:0:0", ["start"], ["<svg></svg>"], [[0]]), "tictactoe", "nine.db")
    assert re.search(r"\nth, td \{.*white-space: nowrap; \}", page)
    assert re.search(r"\n\.box \{ overflow-x: auto;", page)
    assert not [rule for rule in re.findall(r"\n[^{}]*\bth\b[^{}]*\{[^{}]*\}", page) if "white-space: normal" in rule]
    assert not [rule for rule in re.findall(r"\n[^{}]*\btd\b[^{}]*\{[^{}]*\}", page) if "overflow-wrap" in rule]
