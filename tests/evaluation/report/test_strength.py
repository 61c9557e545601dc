"""How strong checkpoints of training runs are: by value, and as the report shows it."""

import json

import numpy as np
import pytest

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.learning.run import train
from ludarium.evaluation.report import write_report
from ludarium.evaluation.report.strength import strength
from ludarium.evaluation.report.wording import to_toml
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.store import GameRow

FIELD = ("random", "greedy")
KEPT = tuple(f"tabular-q:{run}@{games}" for run in "ab" for games in (20, 40))
TWO = Tournament((*FIELD, *KEPT), (GameEntry("tictactoe", 12),), curve=("tabular-q:a", "tabular-q:b"))
ONE = Tournament((*FIELD, *KEPT[:2]), (GameEntry("tictactoe", 12),), curve="tabular-q:a")
FIGURES = {
    "random": (0.0, 0.0), "greedy": (50.0, 9.0),
    KEPT[0]: (100.0, 7.0), KEPT[1]: (300.0, 8.0), KEPT[2]: (200.0, 7.0), KEPT[3]: (340.0, 8.0),
}  # fmt: skip


def test_the_mean_of_runs_and_its_interval():
    curve = strength(TWO, FIGURES)
    assert (curve.runs, curve.unit, curve.learned) == (("tabular-q:a", "tabular-q:b"), "games", [20, 40])
    assert curve.values == [150, 320]
    np.testing.assert_allclose(curve.margins, [12.706 * 50, 12.706 * 20], rtol=1e-4)  # Student's t for two runs
    assert curve.others == {"random": 0, "greedy": 50}
    alone = strength(ONE, FIGURES)
    assert (alone.values, alone.margins) == ([100, 300], [7, 8])
    half = strength(TWO, {name: figure for name, figure in FIGURES.items() if name != KEPT[3]})
    assert half.learned == [20]  # one of the others has not played yet
    assert strength(Tournament(FIELD, TWO.games), FIGURES) is None


def test_the_report_shows_it(make_store, row, tmp_path):
    results = {2: (1, -1), 3: (1, 1)}  # by checkpoint, against random and greedy
    rows = [
        row(agent, checkpoint, pair, leg, -result if pair else 0)
        for checkpoint, both in results.items()
        for agent, result in enumerate(both)
        for pair in range(12)
        for leg in (0, 1)
    ]
    page = write_report(make_store(ONE, rows), tmp_path / "out").page
    text, markdown = page.read_text(encoding="utf-8"), page.with_suffix(".md").read_text(encoding="utf-8")
    (verdict,) = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))["verdicts"]
    curve, (_, *lines) = verdict["strength"], page.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    by_name = dict(zip([line.split(",")[1] for line in lines], verdict["elo"], strict=True))
    assert (curve["learned"], curve["unit"]) == ([20, 40], "games")
    assert curve["values"] == [by_name["tabular-q:a@20"], by_name["tabular-q:a@40"]]
    assert curve["others"] == {name: by_name[name] for name in FIELD} | {"random": 0.0}
    assert curve["values"][0] < curve["values"][1]
    assert "Checkpoints of tabular-q:a, each against the same agents." in text
    assert text.count('class="level"') == 2
    assert text.count('class="band c0"') == 1
    assert f"| 40 | {curve['values'][1]:+.0f} ± {curve['margins'][1]:.0f} |" in markdown


def test_the_file_to_play_it_again_names_the_checkpoints(tmp_path):
    """So it says the same wherever the runs are, and whatever they have kept since."""
    (tmp_path / "again.toml").write_text(to_toml(TWO), encoding="utf-8")
    assert Tournament.from_file(tmp_path / "again.toml") == TWO


def test_teams_have_points(make_store, tmp_path):
    tournament = Tournament(KEPT[:2], (GameEntry("hanabi?preset=small", 2),), curve="tabular-q:a")
    rows = [GameRow(0, i, i, pair, 0, 3.0 + i + pair, 3.0 + i + pair, 0, "", b"") for i in (0, 1) for pair in (0, 1)]
    page = write_report(make_store(tournament, rows), tmp_path / "out").page
    (verdict,) = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))["verdicts"]
    assert verdict["strength"]["values"] == [3.5, 4.5]
    assert "Points of a team by games" in page.read_text(encoding="utf-8")
    assert "\n| 20 | 3.50 ± 6.35 |\n| 40 | 4.50 ± 6.35 |\n" in page.with_suffix(".md").read_text(encoding="utf-8")


@pytest.mark.parametrize("seeds", [1, 2])
def test_a_small_tournament_with_a_curve(seeds, tmp_path, played, make_store):
    """From training to the figures: each checkpoint has a row, is rated, and later ones of these runs are stronger."""
    runs = []
    for seed in range(seeds):
        learner = TabularQ(game="hexapawn", games=400, seed=seed, checkpoints=2, test_games=2)
        runs.append(f"tabular-q:{train(learner, tmp_path / str(seed))}")
    tournament = Tournament(("random", "greedy"), (GameEntry("hexapawn", 20),), curve=runs, seed=1)
    rows, _ = played(tournament)
    page = write_report(make_store(tournament, rows), tmp_path / "out").page
    data = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert {line["agent"] for line in data["tables"][0]["rows"]} == set(tournament.labels)
    curve = data["verdicts"][0]["strength"]
    assert curve["learned"] == [200, 400]
    assert curve["runs"] == runs
    assert all(value > 0 for value in curve["values"])  # stronger than random
