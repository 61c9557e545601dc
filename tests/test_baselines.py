"""The command that writes the table of baselines, with budgets of a moment."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from ludarium.envs.source_file import load_source

SOURCE = Path(__file__).resolve().parents[1] / "benchmarks" / "baselines.py"


@pytest.fixture
def baselines(monkeypatch):
    monkeypatch.delitem(sys.modules, "baselines", raising=False)
    module = load_source(str(SOURCE), "baselines")
    monkeypatch.setattr(module, "PAIRS", {})
    monkeypatch.setattr(module, "DEFAULT_PAIRS", 5)
    monkeypatch.setattr(module, "machine", lambda: "a machine")
    return module


@pytest.fixture
def table(baselines, tmp_path, capsys):
    """`table(games, learners, budgets, …)`: the page's rows, by their first two columns."""

    def write(games, learners, budgets, *more):
        asked = ["--games", games, "--learners", learners, "--budgets", budgets, *more]
        baselines.main([*asked, "--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "page.md")])
        text = (tmp_path / "page.md").read_text()
        assert capsys.readouterr().out == text
        assert f"Written by `python benchmarks/baselines.py {shlex.join(asked[:4])} " in text
        rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
        return {tuple(row[:2]): row[2:] for row in rows if row[0] in learners.split(",")}

    return write


def results_of(tmp_path, *path):
    return tmp_path.joinpath("runs", *path, "results.json")


def test_decisions_come_near_the_budget_and_scores_are_measured(table, tmp_path):
    rows = table("tictactoe,hexapawn", "tabular-q", "300,3000")
    assert [*rows] == [("tabular-q", "300"), ("tabular-q", "3,000")]
    for budget in (300, 3000):
        results = json.loads(results_of(tmp_path, "tictactoe", "tabular-q", str(budget), "0").read_text())
        assert results["decisions"] == pytest.approx(budget, rel=0.05)
        assert [*results["scores"]] == ["random", "greedy", "alphabeta?depth=2"]
        for score in results["scores"].values():
            assert score["score"] == pytest.approx(sum(score["by_seat"]) / 2)
        assert 0 <= results["blocked"] <= results["threats"]


def test_finished_cells_are_read_back_and_unfinished_ones_begin_anew(table, tmp_path):
    table("hexapawn", "tabular-q", "100,200")
    done, torn = (results_of(tmp_path, "hexapawn", "tabular-q", budget, "0") for budget in ("100", "200"))
    done.write_text(json.dumps(json.loads(done.read_text()) | {"decisions": 12345}))
    before = json.loads(torn.read_text())
    torn.unlink()
    rows = table("hexapawn", "tabular-q", "100,200", "--report")
    assert rows["tabular-q", "100"][0] == "12,345"
    assert set(rows["tabular-q", "200"]) == {"–"}
    rows = table("hexapawn", "tabular-q", "100,200")
    assert rows["tabular-q", "100"][0] == "12,345"
    again = json.loads(torn.read_text())
    assert again | {"cpu_seconds": 0} == before | {"cpu_seconds": 0}


def test_several_seeds_are_averaged_and_their_range_is_shown(table, tmp_path):
    cells = table("tictactoe", "tabular-q", "200", "--seeds", "2")["tabular-q", "200"]
    scores = [
        json.loads(results_of(tmp_path, "tictactoe", "tabular-q", "200", seed).read_text())["scores"]["random"]
        for seed in "01"
    ]
    values = [score["score"] for score in scores]
    margin = (scores[0]["score_margin"] ** 2 + scores[1]["score_margin"] ** 2) ** 0.5 / 2
    assert cells[1].startswith(f"{sum(values) / 2:.3f} ± {margin:.3f} (")
    assert cells[-1] == f"{min(values):.3f} to {max(values):.3f}"


def test_a_game_that_the_learner_refuses_is_a_dash(table, tmp_path):
    assert set(table("backgammon", "tabular-q", "100")["tabular-q", "100"]) == {"–"}
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("game", ["tictactoe", "backgammon", "hanabi?preset=very-small"])
def test_stock_algorithms_are_measured_on_every_kind_of_game(table, game):
    pytest.importorskip("stable_baselines3")
    cells = table(game, "sb3:a2c", "80")["sb3:a2c", "80"]
    assert cells[0] == "80"
    assert all(" ± " in cell for cell in cells[1:4])
    assert ("points" in cells[1]) == (game == "backgammon")
    assert (cells[4] == "–") == (game != "tictactoe")


def test_the_close_look_has_a_row_for_each_seed(baselines, table, tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "CLOSE_LOOK", ("tictactoe", "tabular-q", 100, 2))
    monkeypatch.setattr(baselines, "CLOSE_SETTINGS", ("",))
    table("tictactoe", "tabular-q", "50")
    _, small = (tmp_path / "page.md").read_text().split("## tabular-q on tictactoe, 100 decisions, against random\n")
    rows = [line.strip("| ").split(" | ") for line in small.splitlines()[3:]]
    for seed, cells in enumerate(rows):
        results = json.loads(results_of(tmp_path, "tictactoe", "tabular-q", "100", str(seed)).read_text())
        assert cells[:2] == ["default", str(seed)]
        assert cells[2:5] == [f"{results['decisions']:,}", *(f"{share:.3f}" for share in results["wins"])]
        assert cells[6].endswith(f" of {results['threats']:,}")
    assert len(rows) == 2


def test_settings_of_the_close_look_reach_the_algorithm(baselines):
    pytest.importorskip("sb3_contrib")
    cell = baselines.Cell("tictactoe", "sb3:maskable-ppo?learning_rate=0.001", 100, 0)
    config = baselines.sb3_config(cell)
    assert (config.algorithm, config.settings) == ("maskable-ppo", {"learning_rate": 0.001})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "chess"], "unknown game 'chess'"),
        (["--learners", "sb3:sac"], "unknown learner 'sb3:sac'; known: tabular-q, td, sb3:ppo"),
    ],
)
def test_unknown_names_are_told(baselines, capsys, arguments, message):
    with pytest.raises(SystemExit):
        baselines.main(arguments)
    assert message in capsys.readouterr().err
