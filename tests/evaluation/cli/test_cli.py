"""The `ludarium` command: what it prints, what it writes, and one line for every mistake."""

import io
import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from ludarium.agents import agent_names, agent_options
from ludarium.envs.registry import game_names, make_game
from ludarium.evaluation import cli
from ludarium.evaluation.cli import terminal
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.standings import Row, Table, tables
from ludarium.evaluation.tournament.store import IN_PYTHON, GameRow, Store, TimeRow


def test_alone_it_prints_six_lines_that_lead_on(output):
    title, *lines = output().splitlines()
    assert title.startswith("Ludarium: five games")
    assert (len(lines), max(map(len, lines)) < 80) == (5, True)
    for line in lines:
        _, *words = re.split(r" {2,}", line.strip())[0].split()
        assert "Usage:" in output(*words, "--help")


def test_its_help_groups_all_commands(output):
    out = output("--help")
    commands = "arena games agents match tournament replay perft play exact learners report train yardstick check data"
    assert all(command in out for command in (*commands.split(), "disk", "examples"))
    assert all(f" {group} " in out for group in ("Look up", "Measure", "Play", "Train"))
    assert " Commands " not in out  # where those are that name no group


OPTIONS = """\
analyse: seed = 0 [0, None]
arena: seed = 0 [0, None]; out = runs/arena.json; pairs [1, None]
check agent: games = 10 [1, 1000000000]; seed = 0 [0, None]
check game: games = 50 [1, 1000000000]; seed = 0 [0, None]
data: out = decisions.npz; games [1, 1000000000]; seed = 0 [0, None]; contradicting = all; held_out = 0.0; \
rollouts [1, 1000000000]; executor = threads; workers [1, 10000]
exact: samples = 100 [None, 1000000000]; seed = 0 [0, None]
export: format_name = jsonl
inspect: games = 1000 [1, 1000000000]; seed = 0 [0, None]; top = 10 [1, None]; by = order; \
positions = 200000 [1, 10000000]
match: pairs = 100 [1, None]; opening = 0 [0, None]; order = random; margin = 50; alpha = 0.05; beta = 0.05; \
unit = elo; workers [1, 10000]
perft: depth = 6 [0, 1000]
play: seat = first; seed [0, None]
rate: time = 60.0 [0.1, None]; games [1, 1000000]; workers [1, 10000]
replay: show = 0 [0, None]
table: move [0, None]; name = person; port = 8642 [0, 65535]; browser = True; runs = runs; \
move_time = 60 [0.1, 86400]
tournament: executor = processes; workers [1, 10000]
train: games [1, None]; steps [1, None]; seed = 0 [0, None]; keep = 10 [0, None]; executor = threads; \
workers [1, 10000]
yardstick backgammon-errors: games = 100 [1, 1000000000]; seed = 0 [0, None]; judge = expert?ply=1
yardstick backgammon-pubeval: games = 2000 [1, 1000000000]; seed = 0 [0, None]
yardstick hanabi: games = 1000 [1, 1000000000]; seed = 0 [0, None]; seats = 2 [2, 5]
yardstick othello-league: games = 2000 [1, 1000000000]; seed = 0 [0, None]
yardstick othello-openings: games = 2000 [1, 1000000000]; seed = 0 [0, None]; opponent = greedy
"""


def options_of(command, *names):
    """The options of a command and of those in it that have a default or bounds, a line for each command."""
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from options_of(inner, *names, name)
    options = []
    for option in () if hasattr(command, "commands") else command.params:
        default = f" = {option.default}" if option.default or type(option.default) in (int, float) else ""
        low, high = getattr(option, "min", None), getattr(option, "max", None)
        options += [option.name + default + f" [{low}, {high}]" * (low is not None or high is not None)]
    if options := [told for told in options if " " in told]:
        yield f"{' '.join(names)}: {'; '.join(options)}\n"


def test_the_defaults_and_the_bounds_of_all_options():
    assert "".join(options_of(typer.main.get_command(cli.app))) == OPTIONS


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_characters_that_cannot_be_shown_end_no_run(monkeypatch, tmp_path, encoding):
    path = tmp_path / "Löwy.json"
    teams = ["望月\ud800", "Löwy ±"], ["望", "月", "\ud800"] * 2
    path.write_text(json.dumps([{"players": names, "deck": [], "actions": []} for names in teams]))
    for arguments, status, told in (
        (("replay", path), 1, "0 games replayed to their end, 0 stopped early, 2 wrong"),
        (("match", "tictactoe", "望月\ud800", "random"), 2, "agent '"),
        (("games",), 0, "othello"),
    ):
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        monkeypatch.setattr(sys, "argv", ["ludarium", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out.flush()
        err.flush()
        shown = out.buffer.getvalue().decode(encoding) + err.buffer.getvalue().decode(encoding)
        assert (ended.value.code, told in shown) == (status, True)


def test_perft_counts_the_lines_of_each_depth(output):
    lines = [line.split() for line in output("perft", "tictactoe", "--depth", "3").splitlines()]
    assert [line[:2] for line in lines] == [["0", "1"], ["1", "9"], ["2", "72"], ["3", "504"]]


DOUBLE = """ 0 point match

 Game 1
 Ann : 0                          Bob : 0
  1)                             31: 8/5 6/5
  2) 65: 24/13                   42: 8/4 6/
"""


def test_replay_counts_the_games_of_all_files(ludarium, tmp_path):
    """Two of each kind of file: with whole games, games that stop early, a wrong one, a damaged one, and no record."""
    transcripts = Path(__file__).resolve().parents[2] / "envs" / "othello" / "data" / "transcripts.txt"
    for name in "ab":
        (tmp_path / f"{name}1.txt").write_text(transcripts.read_text())  # three whole games, and one that stops
        (tmp_path / f"{name}2.txt").write_text("f5d6\nf5f5\nf5f6e6\n")
        (tmp_path / f"{name}3.mat").write_text(DOUBLE)
        (tmp_path / f"{name}4.txt").write_text("Dear Ada,\n")
    code, out, _ = ludarium("replay", tmp_path)
    hint = "--notes says why games stop early and what is damaged\n"
    counts = "6 games replayed to their end, 8 stopped early, 4 wrong; 2 have harmless damage\n"
    assert (code, out.endswith(f"\n{counts}{hint}")) == (1, True)
    (tmp_path / "a4.txt").unlink()
    told = ludarium("replay", tmp_path, "--notes")[1]
    assert "8 stopped early, 3 wrong; 2 have harmless damage\n" in told
    notes = [line for line in told.splitlines() if line.startswith(("a2", "a3"))]
    assert [note.partition(" after ")[0] for note in notes] == [
        "a2.txt:2: move 2: othello: action 37 (f5) is not legal for white; legal: f4 d6 f6",
        "a2.txt:1: the record stops",
        "a2.txt:3: the record stops",
        "a3.mat:3: the record stops",
        "a3.mat:3: line 6: '6/' is left out; the file ends there",
    ]
    assert "--notes" not in told


def test_replay_shows_one_game_of_a_file(ludarium, tmp_path):
    (tmp_path / "a.txt").write_text("f5d6\nf5f6e6\n")
    shown = ludarium("replay", tmp_path / "a.txt", "--show", "2")[1]
    assert shown.startswith("black – white    the record stops after 3 moves\nstart\n")
    assert [line for line in shown.splitlines() if len(line) == 2 or line == "start"] == ["start", "f5", "f6", "e6"]
    told = ludarium("replay", tmp_path / "a.txt", "--show", "3")
    assert told == (2, "", "ludarium: a.txt: there is no game 3\n")
    counts, hint = ludarium("replay", tmp_path / "a.txt")[1].splitlines()
    assert counts == "0 games replayed to their end, 2 stopped early, 0 wrong"
    assert hint.startswith("--notes says why games stop early")


def test_games(output):
    out = output("games")
    assert all(name in out for name in game_names())
    assert "size = 8  one of 8, 6, 4  rows and columns of the board" in out
    assert "hidden information" in out
    assert "rows = 3  an integer from 1 to 8" in out
    data = {game["name"]: game for game in json.loads(output("games", "--json"))}
    assert list(data) == game_names()
    assert data["othello"]["options"]["size"]["default"] == 8
    assert data["hanabi"]["hidden_information"]


def test_agents(output):
    out, data = output("agents"), json.loads(output("agents", "--json"))
    assert all(name in out for name in agent_names())
    assert all(f"{learner}:FOLDER" in out for learner in ("sb3", "tabular-q", "td", "ifthen", "gaia"))
    assert all(words in out for words in ("module:attribute", "process:COMMAND"))
    assert "mcts  UCT with random playouts or an evaluation; " in out
    assert "  simulations = 200  playouts per move, from 1.\n" in out
    assert [agent["name"] for agent in data["agents"]] == list(agent_names())
    assert "process" in data["programs"]
    (perfect,) = json.loads(output("agents", "perfect", "--json"))["agents"]
    meant = "the maximum number of positions of the game, 1 to 100,000,000."
    assert perfect["options"] == {"limit": {"default": 1_000_000, "help": meant}}
    assert output("agents", "gtp").count("\n  ") == len(agent_options("gtp"))
    assert "  member = None  the member, by its place in the population" in output("agents", "gaia")


def test_match(output, tmp_path):
    path = tmp_path / "match.json"
    out = output("match", "tictactoe", "perfect", "random", "--pairs", "20", "--seed", "5", "--out", path)
    assert "Tic-tac-toe" in out
    answer, *lines = [line for line in out.splitlines() if "perfect" in line or "random" in line]
    assert re.fullmatch(r"Tic-tac-toe: perfect is first, ahead of random by \d+ ± \d+ Elo\.", answer)
    assert out.startswith(answer)
    (table,) = json.loads(path.read_text())["tables"]
    assert [row["agent"] for row in table["rows"]] == ["perfect", "random"]
    assert table["rows"][0]["games"] == 40
    for row, line in zip(table["rows"], lines, strict=True):
        assert row["agent"] in line
        assert f"{100 * row['score']:.1f}" in line


def test_the_same_seed_gives_the_same_match(output):
    match = "match", "backgammon?variant=hypergammon", "greedy", "random", "--pairs", "10", "--json", "--seed"
    one, same, other = (json.loads(output(*match, seed))["tables"][0]["rows"] for seed in (7, 7, 8))
    assert one == same != other


def test_what_is_compared_is_the_same_byte_for_byte(output, tmp_path):
    """In two runs, and in one that was played in two parts; only the times differ."""
    file = tmp_path / "a.toml"
    text = 'agents = ["random", "greedy"]\n[[games]]\ngame = "tictactoe"\npairs = 30\nopening = 1\n'
    file.write_text(text)
    written = []
    for name in ("whole", "again", "parts"):
        store, out = tmp_path / f"{name}.db", tmp_path / f"{name}.json"
        if name == "parts":
            with Store(tmp_path / "whole.db") as whole, Store(store, whole.tournament) as part:
                part.add(whole.games()[:20])
        output("tournament", file, "--store", store, "--out", out, "--executor", "threads")
        data = json.loads(out.read_text())
        assert data.pop("timing")
        written.append(json.dumps(data))
    assert written[0] == written[1] == written[2]


CHATTY = """
import os

def chatty(observation, action_mask, info):
    print("hm")
    os.write(1, b"hmm\\n")
    return int(action_mask.argmax())
"""


def test_json_and_nothing_else(tmp_path):
    """On standard output there is one document, whatever agents print, in this process or in others."""
    bot = str(tmp_path / "chatty.py")
    Path(bot).write_text(CHATTY)
    store = tmp_path / "m.db"
    arguments = "match", "tictactoe", bot, "random", "--pairs", "2", "--store", store, "--workers", "1", "--json"
    command = [sys.executable, "-c", "from ludarium.evaluation.cli import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {"tables", "timing"} < set(json.loads(done.stdout))
    assert "hm" in done.stderr
    with Store(store) as kept:
        assert kept.count() == 4


def test_a_match_that_repeats_itself_says_so(output):
    out = output("match", "othello?size=4", "alphabeta", "alphabeta?depth=2", "--pairs", "3")
    assert "alphabeta and alphabeta?depth=2 played the same two games again and again" in out


def test_a_match_of_teams(output):
    assert "mean score" in output("match", "hanabi?preset=small", "greedy", "random", "--pairs", "20")


def test_arena(output, tmp_path, monkeypatch):
    games = (GameEntry("hexapawn", 3, 1), GameEntry("hanabi?preset=small", 3))
    tournament = Tournament(("greedy", "random"), games, name="arena", seed=1)
    monkeypatch.setattr("ludarium.evaluation.tournament.program.arena", lambda seed, pairs: tournament)
    path = tmp_path / "runs" / "arena.json"
    out = output("arena", "--out", path, "--seed", "1")
    assert "Hanabi" in out
    assert (path.parent / "arena-report" / "report.html").exists()
    assert [table["game"] for table in json.loads(path.read_text())["tables"]] == ["hexapawn", "hanabi?preset=small"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ModuleNotFoundError("No module named 'torch'"), "No module named 'torch'"),
        (MemoryError(), "not enough memory: ask for less"),
        (MemoryError("Unable to allocate 7 TiB"), "not enough memory: Unable to allocate 7 TiB"),
        (FileNotFoundError("there are no results at x.db"), "there are no results at x.db"),
        (PermissionError(13, "Permission denied", "x"), "x cannot be read or written: Permission denied"),
        (OSError(28, "No space left"), "the output or a file cannot be read or written: No space left"),
        (OSError("the scheduler does not answer"), "the scheduler does not answer"),
    ],
)
def test_what_the_machine_lacks_is_one_line(refused, monkeypatch, error, text):
    def fail():
        raise error

    monkeypatch.setattr(cli, "app", fail)
    assert refused() == text


def printed(monkeypatch, *tables, width=200):
    """What is printed of tables, with their legend."""
    monkeypatch.setattr(terminal.console, "width", width)
    with terminal.console.capture() as captured:
        for table in tables:
            terminal.print_table(table)
        terminal.print_legend(tables)
    return captured.get()


@pytest.fixture
def wide_table():
    """A table of backgammon with every column there can be."""
    agents = ("random", *(f"mcts?simulations={n}" for n in range(1, 5)))
    pairings = list(itertools.combinations(range(5), 2))
    games = [GameRow(0, a, b, 0, leg, 1.0, -1.0, 0, "", b"") for a, b in pairings for leg in range(2)]
    times = [TimeRow(0, a, b, IN_PYTHON, 40, 2) for a, b in pairings]
    return tables(Tournament(agents, (GameEntry("backgammon"),)), games, times=times)[0]


def test_a_narrow_table_leaves_out_columns_and_breaks_no_name(monkeypatch, wide_table):
    """One after the other, and it tells which; how many columns all of it takes is true."""
    spare = {"v 5": "results against each other agent", "95 %": "95 %", "a move": "a move"}
    seen = set()
    for width in range(54, 120):
        told = printed(monkeypatch, wide_table, width=width).splitlines()
        shown, said = told[: len(wide_table.rows) + 4], told[len(wide_table.rows) + 4 :]
        assert max(map(len, shown)) <= width
        for row in wide_table.rows:
            (line,) = (part for part in shown if f" {row.agent} " in part)
            assert f" {100 * row.score:.1f} ± " in line
        left_out = [spare[title] for title in spare if title not in shown[2]]
        seen.add(len(left_out))
        assert left_out == list(spare.values())[: len(left_out)]
        assert (f"left out: {', '.join(left_out)}; for all of it: 94 columns, or --out FILE" in said) == bool(left_out)
        assert bool(left_out) == (width < 94)
    assert seen == {0, 1, 2, 3}


def test_names_that_are_too_long_for_any_table_are_below_it(monkeypatch, wide_table):
    told = printed(monkeypatch, wide_table, width=40)
    assert all(len(part) <= 40 for part in told.splitlines()[:9])
    for number, row in enumerate(wide_table.rows, 1):
        assert f"\n{number} is {row.agent}\n" in told
        assert f"\n {number}  {100 * row.score:5.1f} ± " in told


def test_a_table_has_the_title_of_its_game_and_a_game_without_one_its_name(monkeypatch):
    table = Table(make_game("tictactoe"), [line("a"), line("b")])
    assert printed(monkeypatch, table).splitlines()[0].strip() == "Tic-tac-toe"
    monkeypatch.setattr(table.game, "title", "", raising=False)
    assert printed(monkeypatch, table).splitlines()[0].strip() == "tictactoe"


@pytest.mark.parametrize(
    ("rate", "text"), [(0.5, "0.5"), (999.0, "999"), (1e3, "1 k"), (7644.0, "7.64 k"), (1e6, "1 M"), (1.2e6, "1.2 M")]
)
def test_rates_have_three_digits(rate, text):
    assert terminal.short(rate) == text


def test_a_terminal_breaks_sentences_between_words(monkeypatch):
    names = [f"{letter}?{'-' * 20}" for letter in "ab"]
    table = Table(make_game("tictactoe"), [line(name) for name in names], [tuple(names)])
    monkeypatch.setattr(terminal, "console", terminal.Console(force_terminal=True, color_system=None, width=40))
    with terminal.console.capture() as captured:
        terminal.print_table(table)
        terminal.say(f"one two three {'four' * 7} five six", indent=2)
    assert f"{names[0]} and\n{names[1]} played the same\ntwo games" in captured.get()
    assert captured.get().endswith(f"\n  one two three\n    {'four' * 7} five\n    six\n")


def line(agent, score=0.5, margin=0.1, games=10, **others):
    """A row of a table."""
    return Row(agent, score, margin, score, margin, games, 0.0, {}, {}, **others)


@pytest.mark.parametrize("name", ["bot[v2].py", "bot[/b].py", "bot[red].py", "bot\\\\[v2].py"])
def test_names_are_not_markup(monkeypatch, name):
    table = Table(make_game("tictactoe"), [line(name), line("random")], [(name, "random")])
    table.rows[0].forfeits["raised [/x]"] = 2
    told = printed(monkeypatch, table)
    assert f" {name} " in told.splitlines()[4]
    assert f"{name} and random played the same" in told
    assert f"2 × {name} forfeited: raised [/x]" in told


@pytest.mark.parametrize("game", ["backgammon", "hanabi"])
def test_figures_that_are_not_there(monkeypatch, game):
    rows = [line("once", 0.5, math.inf, 1), line("resting", math.nan, math.inf, 0)]
    told = printed(monkeypatch, Table(make_game(game), rows))
    once, resting = (next(part.split() for part in told.splitlines() if name in part) for name in ("once", "resting"))
    assert "inf" not in told
    assert "nan" not in told
    assert once.count("?") == (2 if game == "backgammon" else 1)
    assert "–" in resting
    assert "±" not in resting


def test_the_legend_is_true_for_the_tables(monkeypatch):
    teams, others = (Table(make_game(game), [line("random")]) for game in ("hanabi", "othello"))
    assert "win 1, draw ½" in printed(monkeypatch, others)
    assert "decks" not in printed(monkeypatch, others, others)
    assert "win 1, draw ½" not in printed(monkeypatch, teams)
    assert "interval over decks" in printed(monkeypatch, teams)
    assert printed(monkeypatch, teams, others, others).count("95 % interval") == 2


def test_teams_have_no_results_against_others(monkeypatch):
    assert "against" not in printed(monkeypatch, Table(make_game("hanabi"), [line("x" * 100)]), width=60)


@pytest.fixture
def noisy(tmp_path):
    """An agent that prints while it thinks, and has a name that Rich and Python could read as more than text."""
    path = tmp_path / "bot{x}[b].py"
    path.write_text("print('hello')\ndef noisy(o, mask, info):\n    print('thinking')\n    return int(mask.argmax())\n")
    return f"{path}:noisy"


@pytest.mark.parametrize(
    "command", ["exact hexapawn --agent AGENT", "yardstick othello-openings AGENT --opponent random --games 2"]
)
def test_what_agents_print_does_not_spoil_the_json(ludarium, noisy, command):
    code, out, err = ludarium(*command.replace("AGENT", noisy).split(), "--json")
    assert code == 0
    assert json.loads(out)["agent"] == noisy
    assert "thinking" in err


def test_an_exact_measure_breaks_no_words(output, monkeypatch):
    monkeypatch.setattr("ludarium.evaluation.cli.measure.console", terminal.Console(highlight=False, width=40))
    out = output("exact", "hexapawn", "--agent", "greedy")
    for word in ("against a", "best response", "never", "loses", "shortest", "loss"):
        assert f"{word} " in out


def test_an_exact_measure_in_print(output):
    """Second wins hexapawn, so an exact player loses as the first only."""
    told = [line.split() for line in output("exact", "hexapawn", "--agent", "perfect").splitlines()]
    assert " ".join(told[0]) == "perfect in 70 positions of hexapawn: known exactly"
    assert [line[:3] for line in told if line and line[0] in ("first", "second")] == [
        ["first", "-1.0000", "no"],
        ["second", "+1.0000", "yes"],
    ]
    assert " ".join(told[-1]) == "NashConv 0.0000 optimal actions 100.00 %"


def test_the_progress_of_an_exact_measure_on_a_terminal(ludarium, noisy, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    wide = terminal.Console(highlight=False, width=500)
    monkeypatch.setattr("ludarium.evaluation.cli.measure.console", wide)
    monkeypatch.setattr(terminal, "console", wide)
    code, out, err = ludarium("exact", "hexapawn", "--agent", noisy)
    assert (code, err) == (0, "")
    assert f"{noisy} in 70 positions of hexapawn: deterministic" in out
