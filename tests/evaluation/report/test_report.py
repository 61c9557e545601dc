"""The files that a report is: complete in themselves, the same for the same store, and safe to open."""

import base64
import csv
import hashlib
import html.parser
import json
import re

import pytest
from markdown_it import MarkdownIt

from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report import write_replay, write_report
from ludarium.evaluation.report.data import COLUMNS
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.session import machine
from ludarium.evaluation.tournament.store import Store

EVIL = "<script>alert(1)</script>|[x](y)"


class Reader(html.parser.HTMLParser):
    """Collects tags, and complains about what is not closed."""

    void = {"meta", "line", "circle", "rect", "polygon", "path"}

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def page(store_path):
    return write_report(store_path).page


def test_the_files(page, store_path):
    assert page == store_path.parent / "played-report" / "report.html"
    assert {path.name for path in page.parent.iterdir()} == {f"report.{end}" for end in ("html", "md", "csv", "json")}
    assert page.stat().st_size < 3_000_000


def test_the_page_needs_nothing_else(page):
    reader = read(page)
    for tag, name, value in reader.attributes:
        assert name not in ("src", "style", "onclick", "onload"), (tag, name, value)
        if name in ("href", "xlink:href"):
            assert value.startswith("#")
    policy = next(value for _, name, value in reader.attributes if name == "content" and "default-src" in value)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert ("meta", "content", "width=device-width, initial-scale=1") in reader.attributes
    text = "".join(reader.text)
    for words in ("three games", "Tic-tac-toe", "Backgammon", "Hanabi", "points a game", "perfect", "Across games"):
        assert words in text
    for words in ("seed 5", "Sessions that added games", str(machine())):
        assert words in text
    assert reader.tags.count("figure") >= 6


def test_tables_say_what_they_are_and_what_their_headers_head(page):
    text = page.read_text(encoding="utf-8")
    tables = re.findall(r"<table.*?</table>", text)
    assert len(tables) >= 8
    for table in tables:
        assert re.match(r"<table[^>]*><caption>[^<]+</caption><thead>", table)
        assert set(re.findall(r"<th\b([^>]*)>", table)) <= {' scope="col"', ' scope="row"', ' scope="col" class="text"'}
        assert table.count('<th scope="row">') == table.count("<tr>") - 1
        if 'class="heat"' in table:
            numbers = [str(number) for number in range(1, table.count("<tr>"))]
            assert re.findall(r'<th scope="col">(\d+)</th>', table) == numbers


def test_the_policy_names_the_style_and_the_script(page):
    text = page.read_text(encoding="utf-8")
    for tag, body in re.findall(r"<(style|script)>(.*?)</\1>", text, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in text


def test_the_same_store_gives_the_same_bytes(page, store_path, tmp_path):
    again = write_report(store_path, tmp_path / "deep" / "again.html").page
    assert again == tmp_path / "deep" / "again.html"
    for end in (".html", ".md", ".csv", ".json"):
        assert again.with_suffix(end).read_bytes() == page.with_suffix(end).read_bytes()


def rendered(page):
    """The pieces of text that a reader of the report's Markdown sees, in their order."""
    text = MarkdownIt("commonmark").enable("table").render(page.with_suffix(".md").read_text(encoding="utf-8"))
    return [html.unescape(piece).strip() for piece in re.split(r"<[^>]+>", text) if piece.strip()]


@pytest.fixture
def full_page(make_store, row, tmp_path):
    """A report with openings, forfeits, a warning, and the curve of a run, which two others have beaten."""
    agents = ("random", "greedy", "tabular-q:a@20", "tabular-q:a@40")
    book = GameEntry("hexapawn", 3, openings=("a1a2", "b1b2"), order="sequential")
    tournament = Tournament(agents, (book,), curve="tabular-q:a", name="all of it")
    games = [row(a, b, pair, leg, 1) for a in (0, 1) for b in (2, 3) for pair in (0, 1) for leg in (0, 1)]
    games[0] = games[0]._replace(ending=FORFEIT + 1, cause="hung")
    return write_report(make_store(tournament, games), tmp_path / "full").page


def test_the_page_says_all_that_the_markdown_says(page, full_page):
    for one in (page, full_page):
        said = {piece.replace("\u00a0", " ").strip() for piece in read(one).text}
        said |= {title.removesuffix("; a figure leads to the games") for title in said}
        assert [piece for piece in rendered(one) if piece not in said] == []
    session = rendered(page)[rendered(page).index("session") :]
    assert session[:6] == ["session", "started", "seconds", "games", "command", "1"]
    told = rendered(full_page)
    for title in ("By opening", "Forfeits", "Elo by games", "Play it again"):
        assert told.count(title) == 1
    links = re.findall(r"<nav>(.*?)</nav>", page.read_text(encoding="utf-8"))
    assert re.findall(r'href="#([^"]*)">([^<]*)', links[0]) == [
        ("game-0", "Tic-tac-toe"),
        ("game-1", "Backgammon"),
        ("game-2", "Hanabi, preset = very-small"),
        ("across", "Across games"),
        ("again", "Play it again"),
    ]


def test_data(page):
    data = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert data["schema"] == 2
    assert data["played"] == data["total"] == 6 * 30 + 6 + 60
    assert [verdict["game"] for verdict in data["verdicts"]] == [table["game"] for table in data["tables"]]
    assert data["verdicts"][0]["anchor"] == "random"
    assert data["verdicts"][2]["elo"] is None
    assert set(data["made_with"]) == {"system", "processor", "cores", "python", "packages"}
    (session,) = data["sessions"]
    assert session["games"] == data["played"]
    assert session["machine"] == data["made_with"]
    assert data["verdicts"][2]["counted"]["points_kept"]["means"][0] >= data["tables"][2]["rows"][0]["score"]
    with page.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 3 + 2 + 2
    assert tuple(lines[0]) == COLUMNS
    assert [line["rank"] for line in lines[:3]] == ["1", "2", "3"]
    assert lines[-1]["elo"] == lines[0]["points_kept"] == ""
    columns = {
        "elo": "elo",
        "elo_margin": "elo_margins",
        "nash_weight": "nash_weights",
        "nash_average": "nash_averages",
    }
    for name, verdict in (columns | {"alpha_rank": "alpha_rank"}).items():
        assert [float(line[name]) for line in lines[:3]] == data["verdicts"][0][verdict]
    assert float(lines[-1]["zero_on_bomb"]) == float(lines[-1]["score"])


def test_names_are_shown_as_text(make_store, row, tmp_path):
    tournament = Tournament((EVIL, "random"), (GameEntry("tictactoe", 1),), name=EVIL)
    cause = "raised <img src=x onerror=alert(1)>"
    store = make_store(tournament, [row(0, 1, 0, leg, -1, ending=FORFEIT + leg, cause=cause) for leg in (0, 1)])
    page = write_report(store, tmp_path).page
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img" not in text
    reader = read(page)
    assert EVIL in reader.text
    assert cause in reader.text
    single = write_replay(store, "0:0:1:0:0", tmp_path)
    assert single == tmp_path / "replay.html"
    assert "<script>alert" not in single.read_text(encoding="utf-8")
    assert read(single).tags.count("figure") == 1


NASTY = ("a|b", "`x`", "<b>", "[x](y)", "*a*_b_", "~~a~~", "&lt;", "a\\|b\\", "# x !", "x\ny\r\n| z |")


def test_markdown_shows_names_and_causes_as_they_are(make_store, row, tmp_path):
    """All there is in tables comes back from a reader of Markdown; line breaks are spaces."""
    tournament = Tournament((*NASTY, "random"), (GameEntry("tictactoe", 1),), name="\n".join(NASTY))
    last = len(NASTY)
    games = [row(a, last, 0, 0, -1, ending=FORFEIT, cause=f"raised {name}") for a, name in enumerate(NASTY)]
    page = write_report(make_store(tournament, games), tmp_path).page
    text = page.with_suffix(".md").read_text(encoding="utf-8")
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line, re.DOTALL) for line in shown.split("<tr>")[1:]]
    told = {html.unescape(cell) for cells in rows for cell in cells}
    for name in NASTY:
        seen = " ".join(name.replace("\r\n", " \n").split("\n"))
        assert f"raised {seen}" in told
        assert any(re.fullmatch(rf"\d+ {re.escape(seen)}", cell) for cell in told)
    assert {len(cells) for cells in rows[1 : last + 2]} == {len(rows[0])}
    assert html.unescape(re.search(r"<h1>(.*?)</h1>", shown, re.DOTALL)[1]).split() == " ".join(NASTY).split()
    assert shown.count("<h1>") == 1


def test_a_name_that_is_not_utf_8_is_written_as_in_python(make_store, row, tmp_path):
    tournament = Tournament(("caf\udce9.py", "random"), (GameEntry("tictactoe", 1),))
    page = write_report(make_store(tournament, [row(0, 1, 0, leg, 1) for leg in (0, 1)]), tmp_path).page
    for kind in (".html", ".csv"):
        assert "caf\\udce9.py" in page.with_suffix(kind).read_text(encoding="utf-8")


def test_the_command(output, store_path, tmp_path):
    assert f"report: {tmp_path / 'report.html'}" in output("report", store_path, "--out", tmp_path)
    output("report", store_path, "--replay", "1:0:1:2:1", "--out", tmp_path / "game.html")
    assert (tmp_path / "game.html").is_file()


def test_there_is_no_report_of_half_a_file_or_of_no_games(refused, store_path, make_store, tmp_path):
    cut = tmp_path / "cut.db"
    with Store(store_path):
        cut.write_bytes(store_path.read_bytes()[:6000])
    empty = make_store(Tournament(("random", "greedy"), (GameEntry("tictactoe", 1),)), [])
    assert "damaged" in refused("report", cut)
    assert "made.db holds no finished games: play some with ludarium tournament" in refused("report", empty)
    assert not list(tmp_path.glob("*-report"))
