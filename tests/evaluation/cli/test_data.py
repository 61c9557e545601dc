"""`ludarium data`: what it prints and writes, and one line for every mistake."""

import collections
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from ludarium.envs.backgammon.decision_files import load
from ludarium.envs.records import RecordError

_DATA = Path(__file__).resolve().parents[2] / "envs" / "backgammon" / "data"
_MATCH = _DATA / "match.mat"
NO_GAME = "there is no game of backgammon that can be read; the first of 1 errors:"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matches").mkdir()
    (tmp_path / "matches" / "one.mat").write_bytes(_MATCH.read_bytes())
    return tmp_path


def test_a_folder_of_matches(ludarium, folder):
    torn = _MATCH.read_text().replace("24/13", "24/3", 1)
    (folder / "matches" / "torn.mat").write_text(torn)
    (folder / "matches" / "letter.txt").write_text("Dear Ada,\n")
    code, out, err = ludarium("data", "backgammon", "matches", "--out", "new/tests.npz")
    assert (code, err) == (0, "")
    lines = {" ".join(line.split()[:-1]): line.split()[-1] for line in out.splitlines() if line.strip()}
    assert "letter.txt: there is no line such as '7 point match'" in out
    counts = ("files", "files refused", "games", "games refused", "matches", "duplicate games", "decisions", "left")
    assert [lines[name] for name in counts] == ["3", "1", "3", "1", "2", "0", "12", "12"]
    assert [lines[f"dropped: {name}"] for name in ("unmovable", "forced", "race", "duplicates")] == ["0"] * 4
    assert "1 × … is not a legal play here" in out
    assert f"saved: new/tests.npz, {(folder / 'new' / 'tests.npz').stat().st_size:,} bytes" in out
    assert len(load("new/tests.npz")) == 12


def test_the_example_of_the_original_gives_ten_decisions_the_first_with_fourteen_results(ludarium):
    example = str(_DATA / "gengammon.txt")
    assert ludarium("data", "backgammon", example)[0] == 0
    decisions = load("decisions.npz")
    assert (len(decisions), decisions.counts[0], decisions.dice[0].tolist()) == (10, 14, [4, 6])
    _, out, err = ludarium("replay", example)
    assert "1 games replayed to their end, 0 stopped early, 0 wrong" in out + err


def test_any_number_of_processes_reads_the_same(ludarium, folder, monkeypatch):
    monkeypatch.setattr(sys.modules["ludarium.evaluation.cli.data"], "_FILES", 1)
    torn = _MATCH.read_text().replace("24/13", "24/3", 1)
    (folder / "matches" / "another.mat").write_text(torn)
    (folder / "matches" / "letter.txt").write_text("Dear Ada,\n")
    told = []
    for size in (1, 2):
        _, out, _ = ludarium("data", "backgammon", "matches", "--workers", str(size), "--json")
        told.append((json.loads(out), Path("decisions.npz").read_bytes()))
    assert told[0] == told[1]
    assert len(told[0][0]["refused"]) == 2


def test_json_and_options(output, folder):
    arguments = ("--held-out", "1", "--compact", "--keep", "race, forced", "--contradicting", "first", "--json")
    data = json.loads(output("data", "backgammon", "matches/one.mat", "matches", *arguments))
    stored = load("decisions.npz")
    assert data["files"] == 1  # named twice
    assert data["left"] == data["held_out"] == len(stored) == 9
    assert data["results"] == len(stored.results)
    assert data["refused"] == []
    with np.load("decisions.npz") as arrays:
        assert "results" not in arrays.files


def test_games_of_an_agent(output):
    assert "by default 1,000." in " ".join(output("data", "--help").replace("│", " ").split())
    options = "--from-agent", "greedy", "--games", "3", "--out", "x.npz", "--json"
    for variant, men in (("", 15), ("?variant=hypergammon", 3)):
        assert json.loads(output("data", f"backgammon{variant}", *options))["games"] == 3
        decisions = load("x.npz", variant.partition("=")[2] or "standard")
        assert set(decisions.matches.tolist()) == {0, 1, 2}
        assert decisions.positions[:, [0, 25]].max() <= men
        assert decisions.outcomes.all()


def test_a_judge_adds_odds(output):
    told = json.loads(output("data", "backgammon", "matches", "--judge", "expert", "--json"))
    assert load("decisions.npz").odds.shape == (told["results"], 6)


def test_rollouts_choose(output):
    arguments = ("data", "backgammon?variant=hypergammon", "--from-agent", "greedy", "--games", "1", "--rollouts", "3")
    by_metric = {}
    for name, options in (("points", ()), ("pips", ("--metric", "home-bound", "--roll-bonus", "8.166"))):
        told = json.loads(output(*arguments, *options, "--out", name, "--workers", "2", "--json"))
        by_metric[name] = load(name, "hypergammon")
        assert told["rollouts"] == 3 * len(by_metric[name].results)
        assert (by_metric[name].chosen.sum(), by_metric[name].held_out.sum()) == (len(by_metric[name]), 0)
    assert (by_metric["points"].results == by_metric["pips"].results).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("othello matches", "data: decisions are made of backgammon, not of othello"),
        ("backgammon?cube=True matches", "data: decisions are about moves in a game without the cube; give"),
        ("backgammon?variant=nackgammon matches", "data: match files hold standard backgammon; "),
        ("backgammon", "data: give match files, folders of them, or --from-agent SPEC, and not both"),
        ("backgammon matches --from-agent greedy", "data: give match files, folders of them, or --from"),
        ("backgammon matches --games 3", "data: --games goes with --from-agent"),
        ("backgammon matches --rollouts 3", "data: --rollouts goes with --from-agent, the agent that plays"),
        ("backgammon --from-agent greedy --metric points", "data: --metric goes with --rollouts"),
        ("backgammon --from-agent greedy --rollouts 3 --roll-bonus 8", "data: --roll-bonus goes with --metric home-"),
        ("backgammon none.mat", "there is no file none.mat"),
        ("backgammon empty", "the folder empty holds no files"),
        ("backgammon letters", f"{NO_GAME} a.txt: "),
        ("backgammon matches --keep races", "keep takes names of unmovable, forced, race, duplicates, not"),
        ("backgammon matches --held-out 2", "held_out must be a share from 0 to 1, not 2.0"),
        ("backgammon matches --out matches", "--out matches is a folder; give a file, such as"),
        ("backgammon matches --out matches/one.mat", "--out matches/one.mat would overwrite matches"),
        ("backgammon --from-agent alphabeta", "alphabeta: "),
        ("backgammon long.mat", f"{NO_GAME} long.mat: matches to 25 points at most can be read, not to 31"),
        ("backgammon dice.mat", f"{NO_GAME} dice.mat:4: 07 is not a roll of two dice"),
    ],
)
def test_mistakes(refused, folder, arguments, message):
    (folder / "empty").mkdir()
    (folder / "letters").mkdir()
    (folder / "letters" / "a.txt").write_text("Dear Ada,\n")
    (folder / "long.mat").write_text(_MATCH.read_text().replace(" 5 point", " 31 point"))
    (folder / "dice.mat").write_text(" 5 point match\n Game 1\n A : 0    B : 0\n  1) 07: 8/5 6/5\n")
    assert refused("data", *arguments.split()).startswith(message)
    assert not (folder / "decisions.npz").exists()


@pytest.mark.parametrize(("kinds", "last"), [(10, "1 × reason j"), (12, "… and 2 other reasons")])
def test_the_ten_most_frequent_reasons_are_printed(capsys, kinds, last):
    reasons = [f"reason {'abcdefghijkl'[kind]}: here" for kind in range(kinds)]
    refused = [RecordError("file", 1, reason) for reason in (reasons[3], *reasons)]
    command = sys.modules["ludarium.evaluation.cli.data"]
    command._print(collections.defaultdict(int, dropped={"race": 1234}), refused)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first, *_, end = [line for line in lines if "reason" in line]
    assert (first, end, len([line for line in lines if "×" in line])) == ("2 × reason d", last, 10)
    assert ["dropped:", "race", "1,234"] in [line.split() for line in lines]
