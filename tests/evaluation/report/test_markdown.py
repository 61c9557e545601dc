"""A whole report of games made by hand, as its Markdown says it and as the page shows it."""

import csv
import html
import re

import pytest

from ludarium.agents.time_control import LOST_ON_TIME
from ludarium.envs.batch import ADJUDICATED, TRUNCATED
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report import content
from ludarium.evaluation.report.content import summarise
from ludarium.evaluation.report.data import report_csv, report_data
from ludarium.evaluation.report.markdown import report_markdown
from ludarium.evaluation.report.page import report_page
from ludarium.evaluation.report.replay import Replay
from ludarium.evaluation.report.wording import ACROSS, LEGEND, STRONGER, TIMES, made_with
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.session import Machine
from ludarium.evaluation.tournament.store import IN_PYTHON, GameRow, Session, TimeRow

HEXAPAWN = GameEntry("hexapawn", 12, openings=("a1a2", "b1b2"), order="sequential", clock="60+0.5")
HANABI = GameEntry("hanabi?preset=small", 12, agents=("random", "greedy"), crossplay=True)
EVENT = Tournament(("random", "greedy", "b", "c"), (HEXAPAWN, HANABI), name="all of it")
RESULTS = {(0, 1): "lldl", (0, 2): "wdwl", (0, 3): "lwlldl", (1, 2): "wlww", (1, 3): "ldwwl", (2, 3): "llwll"}
POINTS = {(0, 0, 0): 3.0, (1, 1, 0): 8.0, (0, 1, 0): 5.0, (0, 1, 1): 5.0}
REPORT = f"""\
# all of it

Hexapawn: greedy and c cannot be told apart: 36 ± 193 Elo; random is 309 ± 99 Elo behind greedy; \
b is 356 Elo behind.

Hanabi, preset = small: greedy is first with 8.50 ± 0.33 points, ahead of random by 5.00 ± 3.31 points.

192 games, 4 agents, round robin, seed 0. Left out, because what is stored of them is wrong: 1 game.

## Hexapawn

| agent | Elo | score % | Nash average | Nash weight | α-rank | games |
|---|---:|---:|---:|---:|---:|---:|
| 1 greedy | +309 ± 99 | 71.5 ± 8.9 | +0.000 | 1.00 | 1.00 | 72 |
| 2 c | +273 ± 177 | 67.4 ± 14.7 | -0.021 | 0.00 | 0.00 | 72 |
| 3 random | 0 | 33.3 ± 4.5 | -0.375 | 0.00 | 0.00 | 72 |
| 4 b | -47 ± 57 | 27.8 ± 5.7 | -0.250 | 0.00 | 0.00 | 72 |

The first seat scores 61.5 %, an advantage of +137 ± 90 Elo, standard error 40.8. Drawn: 14.6 % of all games; \
draw parameter ν = 0.448, so equals draw 18.3 % of their games.

1 game was cut off at 7 moves and counts with the payoffs so far.

2 games were adjudicated: both sides were played exactly once 12 squares were empty.

Time control: 60 s a game and 0.5 s more after each move, with a margin of 50 ms. \
Timed games depend on the machine and its load, so they cannot be reproduced. Lost on time: 1 game.

Triples of agents that beat each other in a cycle: 0.0 %.

{LEGEND[False]}

Row against column: score in %

| agent | 1 | 2 | 3 | 4 |
|---|---:|---:|---:|---:|
| 1 greedy | · | 52 | 88 | 75 |
| 2 c | 48 | · | 75 | 79 |
| 3 random | 12 | 25 | · | 62 |
| 4 b | 25 | 21 | 38 | · |

{STRONGER}

| agent | 1 | 2 | 3 | 4 |
|---|---:|---:|---:|---:|
| 1 greedy | · | 57 | 100 | 100 |
| 2 c | 43 | · | 100 | 100 |
| 3 random | 0 | 0 | · | 100 |
| 4 b | 0 | 0 | 0 | · |

By opening

| opening | games | first seat | greedy | c | random | b |
|---|---:|---:|---:|---:|---:|---:|
| 1 a1a2 | 72 | 60.4 | 65.3 | 70.8 | 33.3 | 30.6 |
| 2 b1b2 | 72 | 62.5 | 77.8 | 63.9 | 33.3 | 25.0 |

Openings played: 2 of 2. There are more pairs, so openings repeat, and deterministic agents repeat their games. \
Scores in %.

Time per move

| agent | decisions timed | median | 95 % within |
|---|---:|---:|---:|
| greedy | 1,200 | 1.4 ms | 1.4 ms |
| random | 1,200 | 1.1 ms | 1.1 ms |

{TIMES}

Forfeits

| agent | games | cause |
|---|---:|---:|
| random | 1 | hung |
| random | 1 | lost on time |

## Hanabi, preset = small

| agent | mean score | perfect | games |
|---|---:|---:|---:|
| 1 greedy | 8.50 ± 0.33 | 0.00 % | 12 |
| 2 random | 3.50 ± 0.33 | 0.00 % | 12 |

{LEGEND[True]}

Row and column at one table, in alternate seats: mean score

| agent | 1 | 2 |
|---|---:|---:|
| 1 greedy | 8.50 | 5.50 |
| 2 random | 5.50 | 3.50 |

## Across games

{ACROSS}

| agent | mean rank | interquartile mean | 95 % interval |
|---|---:|---:|---:|
| greedy | 1.00 | 0.807 | 0.755 to 0.852 |
| random | 2.00 | 0.343 | 0.310 to 0.380 |

## Play it again

Dice, cards and openings are functions of the seed; the moves of timed games are not. \
Save this as tournament.toml, and run: ludarium tournament tournament.toml

    agents = ["random", "greedy", "b", "c"]
    name = "all of it"
    seed = 0
    format = "round-robin"
    rounds = 5

    [[games]]
    game = "hexapawn"
    pairs = 12
    openings = ["a1a2", "b1b2"]
    order = "sequential"
    clock = "60+0.5"

    [[games]]
    game = "hanabi?preset=small"
    pairs = 12
    agents = ["random", "greedy"]
    crossplay = true

| session | started | seconds | games | command |
|---|---:|---:|---:|---:|
| 1 | 2026-01-02T03:04 | 1,234.6 | 1,000 | ludarium tournament x.toml |
| 2 | 2026-01-03T03:04 | 1,234.6 | 1,000 | ludarium tournament x.toml |
| 3 | 2026-01-04T03:04 | 1,234.6 | 1,000 | ludarium tournament x.toml |

Sessions 1, 3: numpy 2, Python 3.13 on Linux, a processor, 2 cores.

Session 2: numpy 2, Python 3.13 on Linux, a processor, 4 cores.

"""


@pytest.fixture
def whole(row, monkeypatch):
    """What a report says of these games; one of the planned ones was left out."""
    monkeypatch.setattr(content, "count", lambda *_: [])  # nobody has played them
    games = [
        row(a, b, n // 2, n % 2, "ldw".index(results[n % len(results)]) - 1, moves=bytes([n]))
        for (a, b), results in RESULTS.items()
        for n in range(24)
    ]
    for number, ending in enumerate((FORFEIT, FORFEIT + 1, TRUNCATED, ADJUDICATED, ADJUDICATED)):
        games[number] = games[number]._replace(ending=ending, cause=("hung", LOST_ON_TIME, *[""] * 3)[number])
    for (a, b, leg), least in POINTS.items():
        games += [GameRow(1, a, b, n, leg, least + n % 2, least + n % 2, 0, "", bytes([n])) for n in range(12)]
    times = [TimeRow(0, entrant, 1 - entrant, IN_PYTHON, 80 + entrant, 1200) for entrant in (0, 1)]
    sessions = [
        Session(
            f"2026-01-0{day}T03:04",
            1234.56,
            1000,
            "ludarium tournament x.toml",
            Machine("Linux", "a processor", cores, "3.13", {"numpy": "2"}),
        )
        for day, cores in ((2, 2), (3, 4), (4, 2))
    ]
    return summarise(EVENT, games[:-1], sessions, times, ["one"])


def test_all_that_the_markdown_says(whole):
    said, end = report_markdown(whole).split("Report made with ")
    assert said == REPORT
    assert f"Report made with {end}".replace("\\", "") == f"{made_with()}\n"


def test_the_page_has_the_tables_of_the_markdown(whole):
    page = report_page(whole, {}, "x.db")
    captions, tables = [], []
    for table in re.findall(r"<table.*?</table>", page):
        captions.append(html.unescape(re.search("<caption>(.*?)</caption>", table)[1]))
        lines = [re.findall(r"<t[dh][^>]*>(?:<a [^>]*>)?(.*?)(?:</a>)?</t[dh]>", line) for line in table.split("<tr>")]
        tables.append([[html.unescape(cell) for cell in line] for line in lines[1:]])
    links = "; a figure leads to the games"
    assert captions == [
        "Standings",
        f"Row against column: score in %{links}",
        STRONGER,
        "By opening",
        "Time per move",
        "Forfeits",
        *["Games"] * 6,
        "Standings",
        f"Row and column at one table, in alternate seats: mean score{links}",
        *["Games"] * 3,
        "Across games",
        "Sessions that added games",
    ]
    written = [[line.strip("| ").split(" | ") for line in part.splitlines()] for part in REPORT.split("\n\n")]
    written = [[head, *lines] for head, rule, *lines in filter(lambda part: part[1:], written) if "---" in rule[0]]
    shown = [table for caption, table in zip(captions, tables, strict=True) if caption != "Games"]
    assert [table[1:] for table in shown] == [table[1:] for table in written]
    assert [table[0][1:] for table in shown] == [table[0][1:] for table in written]
    assert re.findall(r'<td class="(\w+)">', page)[:8] == ["none", "h5", "h9", "h8", "h5", "none", "h8", "h8"]


def test_the_page_has_the_sentences_of_the_markdown_and_pictures_of_the_standings(whole):
    page = html.unescape(report_page(whole, {}, "x.db")).replace("\u00a0", " ")
    parts = [part for part in REPORT.strip().split("\n\n") if not part.startswith(("#", "|", " "))]
    assert [part for part in parts if f">{part}" not in page] == []
    pictures = re.findall(r'<svg class="plot" [^>]*aria-label="([^"]*)"', page)
    assert pictures == ["Elo with 95 % intervals; random is 0", "mean score with 95 % intervals"]


def test_the_page_says_why_a_game_is_shown_and_how_to_go_on_from_it(whole):
    replay = Replay("the title", "0:1:2:0:1", ["start"], ["<svg></svg>"], [[0]])
    page = report_page(whole, {0: [("an upset", replay)]}, "my games.db")
    assert '<details id="game-0-1-2-0-1"><summary>An upset: the title</summary><figure class="replay"' in page
    assert "<code>ludarium table &#x27;my games.db&#x27; --game 0:1:2:0:1 --move <span" in page
    assert page.count('<a href="#game-0-1-2-0-1">0:1:2:0:1</a>') == 1  # where the meeting lists it


def test_the_data_have_the_figures_of_the_text(whole):
    head, *lines = csv.reader(report_csv(whole).splitlines())
    assert lines[4][: head.index("elo")] == ["hanabi?preset=small", "greedy", "1", "12", *lines[4][4:8], "0.0", "0"]
    assert lines[5][head.index("elo") :] == [""] * (len(head) - head.index("elo"))
    columns = "rank agent elo elo_margin score margin nash_average nash_weight alpha_rank games forfeits"
    picked = [[line[head.index(name)] for name in columns.split()] for line in lines[:4]]
    shown = [
        f"| {rank} {agent} | {float(elo):+.0f} ± {float(elo_margin):.0f} | {100 * float(score):.1f} ± "
        f"{100 * float(margin):.1f} | {float(average):+.3f} | {float(weight):.2f} | {float(alpha):.2f} | {games} |"
        for rank, agent, elo, elo_margin, score, margin, average, weight, alpha, games, _ in picked
    ]
    assert "\n".join(shown).replace("+0 ± 0", "0") in REPORT
    assert [line[-1] for line in picked] == ["0", "0", "2", "0"]
    hexapawn, hanabi = report_data(whole)["verdicts"]
    counts = ("truncated", 1), ("adjudicated", 2), ("three_cycles", 0), ("anchor", "random"), ("counted", {})
    assert [(name, hexapawn[name]) for name, _ in counts] == list(counts)
    assert f"{hexapawn['answer']}\n" in REPORT
    assert (hexapawn["nash_weights"], hexapawn["nash_averages"][0]) == ([1, 0, 0, 0], 0)
    assert (
        f"The first seat scores {100 * hexapawn['first_seat_score']:.1f} %, an advantage of "
        f"{hexapawn['seat_elo']:+.0f} ± {hexapawn['seat_margin']:.0f} Elo, standard error "
        f"{hexapawn['seat_error']:.1f}. Drawn: {100 * hexapawn['draws']:.1f} % of all games; "
        f"draw parameter ν = {hexapawn['draw_parameter']:.3f},"
    ) in REPORT
    for name in ("scores", "stronger"):
        for place, shares in enumerate(hexapawn[name]):
            cells = ["·" if other == place else f"{100 * share:.0f}" for other, share in enumerate(shares)]
            assert f" | {' | '.join(cells)} |\n" in REPORT
    assert [[round(share, 3) for share in one["scores"].values()] for one in hexapawn["openings"]] == [
        [0.333, 0.653, 0.306, 0.708],
        [0.333, 0.778, 0.25, 0.639],
    ]
    assert hanabi["scores"] == [[8.5, 5.5], [5.5, 3.5]]
    assert {name for name, value in hanabi.items() if value is None} == {
        *("first_seat_score", "draws", "elo", "elo_margins", "anchor", "seat_elo", "seat_error", "seat_margin"),
        *("draw_parameter", "stronger", "three_cycles", "nash_weights", "nash_averages", "alpha_rank"),
        *("openings", "strength"),
    }
