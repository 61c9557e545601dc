"""The pages about evolved players beside others: what their tables say of results made by hand."""

import json
import os
from pathlib import Path

import pytest

from ludarium.envs.registry import make_game
from ludarium.envs.source_file import load_source
from ludarium.evaluation.tournament.standings import Row, Table

SOURCE = Path(__file__).resolve().parents[1] / "benchmarks" / "evolved.py"


@pytest.fixture
def evolved(monkeypatch):
    monkeypatch.setenv("LUDARIUM_GAMES", os.environ.get("LUDARIUM_GAMES", ""))  # which the module adds to
    return load_source(str(SOURCE), "evolved")


def page_of(evolved, game):
    return evolved.Page((game,), {"mine": evolved.own("lcs")}, ("random", "greedy"))


def results(folder, game, seed, scores, kind="lcs"):
    """A seed's table, given the scores of every two players; a player's own is that of its row."""
    clock = folder / "mine" / str(seed) / game.replace("?", "-").replace("=", "-") / "seconds.json"
    clock.parent.mkdir(parents=True)
    clock.write_text(json.dumps(10.0 + 2 * seed), encoding="utf-8")
    names = {"mine": f"{kind}:{folder / 'mine' / str(seed)}"}
    rows = []
    for name, met in scores.items():
        against = {names.get(other, other): score for other, score in met.items() if other != name}
        margins = dict.fromkeys(against, 0.02)
        row = Row(names.get(name, name), met[name], 0.01, met[name] - 1, 0.03, 40, 0.0, against, {}, None, margins)
        rows.append(row)
    return [Table(make_game(game), rows)]


def test_teams_are_shown_by_points(evolved, tmp_path):
    game, played = "hanabi?score=points-kept", []
    others = {
        "random": {"mine": 1.0, "random": 2.0, "greedy": 3.0},
        "greedy": {"mine": 11.0, "random": 3.0, "greedy": 18.0},
    }
    for seed in (0, 1):
        scores = {"mine": {"mine": 20.0 + seed, "random": 1.0, "greedy": 11.0}, **others}
        played.append(results(tmp_path, game, seed, scores))
    page = page_of(evolved, game)
    one_seed = evolved.document("a-page", page, tmp_path, played[:1])
    assert "| **mine** | 20.00 ± 0.01 | 6.00 ± 0.02 | 10 |" in one_seed  # with the errors of its games
    text = evolved.document("a-page", page, tmp_path, played)
    assert "with 40 decks, the same for every team" in text
    assert "as one seat has in that many games of `greedy`." in " ".join(text.split())
    assert "| **mine** | 20.50 ± 6.35 | 6.00 ± 0.00 | 11 |" in text
    assert "| `greedy` | 18.00 ± 0.00 | 7.00 ± 0.00 |  |" in text
    assert "| **mine** | 20.5 ± 6.4 | 11.0 ± 0.0 | 1.0 ± 0.0 |" in text
    assert "| `random` | 1.0 ± 0.0 | 3.0 ± 0.0 | 2.0 ± 0.0 |" in text
    assert "%" not in text.split("## ")[1]


def test_opponents_are_shown_by_shares_of_wins(evolved, tmp_path):
    game = "othello"
    scores = {
        "mine": {"mine": 0.75, "random": 1.0, "greedy": 0.5},
        "random": {"mine": 0.0, "random": 0.125, "greedy": 0.25},
        "greedy": {"mine": 0.5, "random": 0.75, "greedy": 0.625},
    }
    text = evolved.document("a-page", page_of(evolved, game), tmp_path, [results(tmp_path, game, 0, scores)])
    assert "with 10 pairs of games in each pairing, which begin with a few random moves" in text
    assert "± is half of the 95 % interval over pairs of games." in " ".join(text.split())
    assert "| **mine** | 75.0 ± 1.0 | 100 ± 2 | 50 ± 2 | 10 |" in text
    assert "| `random` | 12.5 ± 1.0 |  | 25 ± 2 |  |" in text


def test_equal_games_are_said_of_those_who_play(evolved, tmp_path):
    page = evolved.PAGES["comparison-backgammon"]
    page = evolved.Page(page.games, {"mine": evolved.own("td")}, ("random",), 10, "", page.title, page.learned)
    scores = {"mine": {"mine": 0.9, "random": 0.9}, "random": {"mine": 0.1, "random": 0.1}}
    played = results(tmp_path, "backgammon", 0, scores, "td")
    text = " ".join(evolved.document("comparison-backgammon", page, tmp_path, [played]).split())
    assert text.startswith("# Evolved players beside others in backgammon Written by")
    assert "Every learner" not in text
    assert "| **mine** | 90.0 ± 1.0 | -0.10 ± 0.03 | 90 ± 2 | 10 |" in text


def test_a_partner_of_the_same_kind(evolved):
    team = evolved.stock("dqn").config("hanabi?score=points-kept", 100, 1)
    assert (team.opponent, team.pool, team.snapshot_every) == ("self", 1, 1)
    assert 3000 < team.steps < 4000  # half of a hundred games of about 70 decisions
    assert evolved.stock("maskable-ppo").config("tictactoe", 100, 1).opponent == "random"
