"""The ladders that come with the package are those that the benchmark's games make."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def ladder(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[1] / "benchmarks")
    return importlib.import_module("ladder")


def test_every_ladder_follows_from_its_games(ladder):
    shipped = json.loads(ladder.SHIPPED.read_text(encoding="utf-8"))["games"]
    assert list(shipped) == list(json.loads(ladder.KEPT.read_text(encoding="utf-8")))
    assert set(shipped) == set(ladder.RUNGS)
    for spec, kept in shipped.items():
        counts = ladder.Counts(spec)
        assert counts.ladder() == kept
        assert counts.games >= 100_000


def test_games_go_on_where_they_were_stopped(ladder, monkeypatch, tmp_path):
    monkeypatch.setattr(ladder, "KEPT", tmp_path / "games.json")
    monkeypatch.setattr(ladder, "SHIPPED", tmp_path / "rungs.json")
    monkeypatch.setattr(ladder, "FEWEST", 20)
    monkeypatch.setitem(ladder.RUNGS, "tictactoe", (1, {"random": "random", "MCTS 2": "mcts?simulations=2"}))
    ladder.play_ladder("tictactoe", 40, 1.0)
    stopped = ladder.Counts("tictactoe")
    stopped.play(1, 0, 3)
    at_once = ladder.Counts("tictactoe")
    at_once.tally[:] = 0
    at_once.play(1, 0, 23)
    assert np.array_equal(stopped.tally, at_once.tally)
    (tictactoe,) = json.loads((tmp_path / "rungs.json").read_text())["games"].values()
    assert [(rung["name"], rung["games"]) for rung in tictactoe["rungs"]] == [("random", 40), ("MCTS 2", 40)]


def test_the_next_games_are_those_that_take_most_of_the_variance_away(ladder):
    counts = ladder.Counts("hexapawn")
    pairings = counts.pairings()
    counts.seconds[:] = 1.0
    counts.tally[:] = [1000, 500, 400]
    counts.tally[pairings[4]] = [200, 100, 80]
    counts.seconds[pairings[4]] = 0.2
    assert counts.next() == pairings[4]
    counts.tally[pairings[7]] = [2, 1, 0.5]
    assert counts.next() == pairings[7]  # too few to say anything
