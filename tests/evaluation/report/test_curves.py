"""Learning curves: found by the agents' specs, and drawn where there are some."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.learning.run import train
from ludarium.envs.registry import make_game
from ludarium.evaluation.report import write_curves, write_report
from ludarium.evaluation.report.curves import Curve, mean_curve, read_curves, run_folder
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.store import GameRow

TICTACTOE = make_game("tictactoe")


def write(folder, *lines):
    folder.mkdir(exist_ok=True)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_the_folder_of_a_spec(tmp_path):
    write(tmp_path)
    (tmp_path / "model.zip").write_bytes(b"")
    for spec in (f"td:{tmp_path}", f"sb3:{tmp_path}/model.zip", f"later:{tmp_path}?member=3"):
        assert run_folder(spec, TICTACTOE) == tmp_path
    for spec in ("random", "mcts?simulations=4", "process:", "td:", f"td:{tmp_path}/none/deep", "gtp:" + "x" * 5000):
        assert run_folder(spec, TICTACTOE) is None
    for name in ("tictactoe", "othello-size-6"):  # a run for each game
        write(tmp_path / name)
    (tmp_path / "metrics.jsonl").unlink()
    assert run_folder(f"td:{tmp_path}", TICTACTOE) == tmp_path / "tictactoe"
    assert run_folder(f"td:{tmp_path}", make_game("othello?size=6")) == tmp_path / "othello-size-6"
    assert run_folder(f"td:{tmp_path}", make_game("othello?size=4")) is None


def test_measurements(tmp_path):
    write(tmp_path / "q", *({"games": g, "decisions": 9 * g, "score": s} for g, s in ((1, 0.5), (2, 0.7))))
    write(tmp_path / "ppo", {"steps": 64, "score": 0.6, "by_seat": [0.5, 0.7]})
    write(tmp_path / "bare", {"games": 5, "score": 1}, {"games": 6, "best": 3}, {"games": 7, "score": None}, [3])
    write(tmp_path / "none", {"games": 5})
    with (tmp_path / "q" / "metrics.jsonl").open("a") as file:
        file.write('{"games": 3, "deci')  # torn
    names = [(name, f"any:{tmp_path / name}") for name in ("q", "ppo", "bare", "none")]
    assert read_curves([*names, ("random", "random")], TICTACTOE) == [
        Curve("q", "decisions", [9, 18], [0.5, 0.7]),
        Curve("ppo", "decisions", [64], [0.6]),
        Curve("bare", "games", [5], [1]),
    ]


def test_measurements_against_greedy_and_the_mean_of_runs(tmp_path):
    for seed, scores in enumerate(((0.2, 0.4, 0.5), (0.4, 0.8))):
        lines = ({"games": n, "score": 0.9, "score_greedy": score} for n, score in enumerate(scores, 1 + seed))
        write(tmp_path / f"{seed}", *lines)
    runs = read_curves([(f"{seed}", f"td:{tmp_path}/{seed}") for seed in (0, 1)], TICTACTOE, "greedy")
    assert runs[0] == Curve("0", "games", [1, 2, 3], [0.2, 0.4, 0.5], "greedy")
    mean = mean_curve("td", runs)
    assert mean[:3] == ("td", "games", [1.5, 2.5])
    np.testing.assert_allclose(mean.scores, [0.3, 0.6])
    np.testing.assert_allclose(mean.margins, [12.706 * 0.1, 12.706 * 0.2], rtol=1e-4)  # Student's t for two runs
    assert mean_curve("td", runs[:1]) == runs[0]._replace(agent="td")


def test_long_runs_are_thinned(tmp_path):
    write(tmp_path, *({"games": g, "score": g / 5000} for g in range(1, 5001)))
    (curve,) = read_curves([("x", f"x:{tmp_path}")], TICTACTOE)
    assert len(curve.learned) == len(curve.scores) == 200
    assert (curve.learned[0], curve.learned[-1]) == (1, 5000)
    assert curve.scores == [learned / 5000 for learned in curve.learned]


@pytest.mark.parametrize("trained", [True, False])
def test_the_report_draws_them_where_there_are_some(tmp_path, make_store, row, trained):
    agents = ["random", "greedy"]
    for seed in range(2 * trained):
        learner = TabularQ(game="tictactoe", games=40, seed=seed, checkpoints=3, test_games=4)
        agents.append(f"tabular-q:{train(learner, tmp_path / f'{seed}')}")
    rows = [row(0, i, 0, leg, -1) for i in range(1, len(agents)) for leg in (0, 1)]
    page, _ = write_report(make_store(Tournament(tuple(agents), (GameEntry("tictactoe", 1),)), rows), tmp_path / "out")
    text = page.read_text(encoding="utf-8")
    assert text.count("<polyline") == 2 * 2 * trained  # against random, and against greedy
    assert ("Learning curves" in text) == ("The same against greedy." in text) == trained
    (verdict,) = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))["verdicts"]
    told = [(curve["agent"], curve["opponent"]) for curve in verdict["learning_curves"]]
    assert told == [(agent, opponent) for opponent in ("random", "greedy") for agent in agents[2:]]


def test_a_team_is_not_measured_against_random(tmp_path, make_store):
    write(tmp_path / "run", {"steps": 64, "score": 0.2, "points": 5.0})
    tournament = Tournament(("random", f"sb3:{tmp_path / 'run'}"), (GameEntry("hanabi", 1),))
    rows = [GameRow(0, i, i, 0, 0, 1.0, 1.0, 0, "", b"") for i in (0, 1)]
    text = write_report(make_store(tournament, rows), tmp_path / "out").page.read_text(encoding="utf-8")
    assert "Score of a team, as a share of the maximum, during training" in text
    assert "against random" not in text.lower()


def test_a_picture_of_its_own(tmp_path):
    for name, shares in (("slow", (0.4, 0.5)), ("fast", (0.4, 0.9))):
        write(tmp_path / name, *({"decisions": 10 * n, "score": share} for n, share in enumerate(shares, 1)))
    write(tmp_path / "games", {"games": 5, "score": 1})
    agents = {name: f"td:{tmp_path / name}" for name in ("slow", "fast", "games")}
    picture = write_curves(agents, "tictactoe", tmp_path / "new" / "curves.svg")
    drawn = ElementTree.parse(picture).getroot()
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    told = picture.read_text()
    assert ">slow</text>" in told
    assert ">fast</text>" in told
    assert ">games</text>" not in told  # another unit
    assert "--paper" in told
    band = write_curves({"td": [agents["slow"], agents["fast"]]}, "tictactoe", tmp_path / "band.svg").read_text()
    assert band.count("<polygon") == band.count("<polyline") == 1
    with pytest.raises(ValueError, match="none of random names a run of tictactoe with measurements against random"):
        write_curves({"x": "random"}, "tictactoe", tmp_path / "x.svg")
