"""The `ludarium` command: what it prints, what it writes, and one line for every mistake."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ludarium.agents import agent_names
from ludarium.envs.registry import game_names
from ludarium.evaluation import cli
from ludarium.evaluation.cli import terminal
from ludarium.evaluation.standings import tables
from ludarium.evaluation.store import GameRow
from ludarium.evaluation.tournament import GameEntry, Tournament


@pytest.fixture
def ludarium(monkeypatch, capsys):
    """Run the command in this process: exit code, output, error output."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ludarium", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


def test_alone_it_prints_its_help(ludarium):
    _, out, err = ludarium()
    for command in (
        "arena",
        "games",
        "agents",
        "match",
        "tournament",
        "replay",
        "perft",
        "play",
        "exact",
        "report",
        "train",
        "yardstick",
    ):
        assert command in out + err


def test_games(ludarium):
    code, out, _ = ludarium("games")
    assert code == 0
    for name in game_names():
        assert name in out
    assert "size = 8  one of 8, 6, 4  rows and columns of the board" in out
    assert "hidden information" in out
    assert "rows = 3  an integer from 1 to 8" in out


def test_agents(ludarium):
    code, out, _ = ludarium("agents")
    assert code == 0
    for name in agent_names():
        assert name in out
    assert "simulations=" in out
    assert "module:attribute" in out


def test_match(ludarium, tmp_path):
    path = tmp_path / "match.json"
    code, out, _ = ludarium(
        "match", "tictactoe", "perfect", "random", "--pairs", "20", "--seed", "5", "--out", str(path)
    )
    assert code == 0
    assert "Tic-tac-toe" in out
    lines = [line for line in out.splitlines() if "perfect" in line or "random" in line]
    assert len(lines) == 2
    assert "perfect" in lines[0]
    (table,) = json.loads(path.read_text())["tables"]
    assert [row["agent"] for row in table["rows"]] == ["perfect", "random"]
    assert table["rows"][0]["games"] == 40
    for row, line in zip(table["rows"], lines, strict=True):
        assert f"{100 * row['score']:.1f}" in line


def test_the_same_seed_gives_the_same_match(ludarium, tmp_path):
    rows = []
    for run, seed in enumerate(("7", "7", "8")):
        path = tmp_path / f"{run}.json"
        game = "backgammon?variant=hypergammon"
        ludarium("match", game, "greedy", "random", "--pairs", "10", "--seed", seed, "--out", str(path))
        (table,) = json.loads(path.read_text())["tables"]
        rows.append([{k: v for k, v in row.items() if k != "rate"} for row in table["rows"]])
    assert rows[0] == rows[1] != rows[2]


def test_a_match_that_repeats_itself_says_so(ludarium):
    _, out, _ = ludarium("match", "othello?size=4", "alphabeta", "alphabeta?depth=2", "--pairs", "3")
    assert "alphabeta and alphabeta?depth=2 played the same two games again and again" in out


def test_a_match_of_teams(ludarium):
    code, out, _ = ludarium("match", "hanabi?preset=small", "greedy", "random", "--pairs", "20")
    assert code == 0
    assert "mean score" in out


def test_arena(ludarium, tmp_path, monkeypatch):
    games = (GameEntry("hexapawn", 3, 1), GameEntry("hanabi?preset=small", 3))
    tournament = Tournament(("greedy", "random"), games, name="arena", seed=1)
    monkeypatch.setattr("ludarium.evaluation.program.arena", lambda seed, scale: tournament)
    path = tmp_path / "runs" / "arena.json"
    code, out, _ = ludarium("arena", "--out", str(path), "--seed", "1")
    assert code == 0
    assert "Hanabi" in out
    assert "again: ludarium arena --seed 1" in out
    assert (path.parent / "arena-report" / "report.html").exists()
    again = ludarium("arena", "--out", str(path), "--seed", "1")
    assert again[0] == 0
    assert [table["game"] for table in json.loads(path.read_text())["tables"]] == ["hexapawn", "hanabi?preset=small"]


def test_tournament(ludarium, tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('agents = ["random", "greedy"]\n[[games]]\ngame = "tictactoe"\npairs = 20\n')
    code, first, _ = ludarium("tournament", str(file), "--executor", "threads")
    assert code == 0
    assert (tmp_path / "small.db").exists()
    _, again, _ = ludarium("tournament", str(file), "--executor", "threads")
    assert [line.split()[:6] for line in first.splitlines() if "± " in line and "legend" not in line] == [
        line.split()[:6] for line in again.splitlines() if "± " in line and "legend" not in line
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["match", "otelo", "random", "random"], "unknown game 'otelo'; did you mean 'othello'? known: "),
        (["match", "othello?size=7", "random", "random"], "othello: size must be one of 8, 6, 4, not 7"),
        (["match", "othello?colour=7", "random", "random"], "othello: unknown option 'colour'"),
        (["match", "othello", "random", "radom"], "unknown agent 'radom'; did you mean 'random'?"),
        (["match", "othello", "random", "no_such:agent"], "there is no module 'no_such'"),
        (["match", "othello", "random"], "tournament: othello needs at least two agents"),
        (["match", "hanabi", "mcts"], "hanabi"),
        (["match", "tictactoe", "random", "random", "--out", "/dev/null/x.json"], "/dev/null"),
    ],
)
def test_a_mistake_is_one_line(ludarium, arguments, text):
    code, out, err = ludarium(*arguments, *(["--pairs", "1"]))
    assert code == 2
    assert err.startswith("ludarium: ")
    assert text in err
    assert err.count("\n") == 1
    assert "Traceback" not in out + err


@pytest.mark.parametrize("arguments", [["nonsense"], ["match"], ["match", "othello", "a", "b", "--pairs", "0"]])
def test_a_wrong_command_line_has_code_2(ludarium, arguments):
    code, _, err = ludarium(*arguments)
    assert code == 2
    assert "Traceback" not in err


def test_it_is_installed():
    command = Path(sys.executable).parent / "ludarium"
    done = subprocess.run([command, "match", "otelo", "a", "b"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ludarium: unknown game 'otelo'")
    assert done.stderr.count("\n") == 1


def test_a_narrow_terminal_cuts_no_name_and_no_score(monkeypatch):
    agents = ("random", *(f"mcts?simulations={n}" for n in range(1, 5)))
    tournament = Tournament(agents, (GameEntry("tictactoe"),))
    pairings = itertools.combinations(range(5), 2)
    games = [GameRow(0, a, b, 0, leg, 1.0, -1.0, 0, "", b"") for a, b in pairings for leg in range(2)]
    (table,) = tables(tournament, games)
    for width, shown in ((60, False), (200, True)):
        monkeypatch.setattr(terminal.console, "width", width)
        with terminal.console.capture() as captured:
            terminal.print_table(table)
        told = captured.get()
        assert "…" not in told
        assert ("v 5" in told) == shown
        assert ("results against each other agent: in " in told) != shown
        for row in table.rows:
            assert f" {row.agent} " in told
            assert f"{100 * row.score:.1f} ± " in told
