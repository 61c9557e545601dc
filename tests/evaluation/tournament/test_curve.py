"""Curves: the checkpoints that training runs have kept, as entrants."""

import re

import pytest

from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.learning.run import train
from ludarium.evaluation.tournament.curve import number_in
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import games_in_all
from ludarium.evaluation.tournament.store import Store

GAMES = (GameEntry("tictactoe", 3, 1),)


def trained(folder, keep=3, **options):
    learner = TabularQ(**{"game": "tictactoe", "games": 60, "checkpoints": 3, "test_games": 2} | options)
    return f"tabular-q:{train(learner, folder, keep=keep)}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs that differ in their seed, as agents."""
    folder = tmp_path_factory.mktemp("runs")
    return [trained(folder / str(seed), seed=seed) for seed in (0, 1)]


def test_each_checkpoint_meets_the_other_agents_alone(runs, played):
    tournament = Tournament(("random", "greedy"), GAMES, curve=tuple(runs))
    assert tournament.agents == ("random", "greedy", *(f"{run}@{n}" for run in runs for n in (20, 40, 60)))
    assert [tournament.run_of(i) for i in range(8)] == [None] * 2 + [runs[0]] * 3 + [runs[1]] * 3
    games, state = played(tournament)
    expected = {(0, 1), *((agent, checkpoint) for agent in (0, 1) for checkpoint in range(2, 8))}
    assert {(row.a, row.b) for row in games} == expected
    assert state.done == state.total == len(games) == 3 * 2 * (1 + 2 * 6)
    assert games_in_all(Tournament(("random", "greedy"), GAMES, format="gauntlet", curve=runs[0])) == 3 * 2 * (1 + 3)
    together = GameEntry("hanabi?preset=small", 5, crossplay=True)
    assert games_in_all(Tournament(("random", "greedy"), (together,), curve=runs[0])) == 5 * (5 + 2 * (1 + 2 * 3))
    both = Tournament(("random", "greedy"), (*GAMES, GameEntry("hexapawn", 2)), curve=runs[0])
    assert games_in_all(both) == 3 * 2 * 7 + 2 * 2 * 7
    chosen = GameEntry("tictactoe", agents=("random", runs[0])), GameEntry("hexapawn", agents=("random", "greedy"))
    some = Tournament(("random", "greedy"), chosen, curve=runs[0])
    assert [some.entrants(event) for event in (0, 1)] == [[0, 2, 3, 4], [0, 1]]


def test_a_stored_curve_needs_its_runs_no_more(runs, tmp_path, played):
    """The store names the checkpoints, so it is read, and goes on, as any other; a file names the run alone."""
    run = trained(tmp_path / "run")
    (tmp_path / "t.toml").write_text(
        f'agents = ["random"]\ncurve = "{tmp_path / "run"}"\n[[games]]\ngame = "tictactoe"\npairs = 3\nopening = 1\n'
    )
    tournament = Tournament.from_file(tmp_path / "t.toml")
    assert (tournament.curve, len(tournament.agents)) == ((run,), 4)
    whole, _ = played(tournament)
    with Store(tmp_path / "t.db", tournament.data()) as store:
        store.add(whole[:8])
    with Store(tmp_path / "t.db", Tournament.from_file(tmp_path / "t.toml").data()) as store:
        assert store.pairs(0, 0, 1) == {0, 1, 2}
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    with Store(tmp_path / "t.db") as store:
        assert Tournament.from_data(store.tournament) == tournament
    assert "curve" not in Tournament(("random", "greedy"), GAMES).data()


def test_the_number_in_a_spec():
    assert number_in("td:runs/x", "td:runs/x@20") == 20
    assert number_in("lcs:runs/x?member=3", "lcs:runs/x@20?member=3") == 20
    for spec in ("td:runs/x", "td:runs/xy@20", "td:runs/x@best", "td:runs/x@20?member=3", print):
        assert number_in("td:runs/x", spec) is None


@pytest.mark.parametrize(
    ("curve", "text"),
    [
        (3, "curve must be a run, such as 'td:runs/x', or a list of runs, not 3"),
        ([3], "curve must be a run, such as 'td:runs/x', or a list of runs, not [3]"),
        ("nowhere", "curve: 'nowhere' is no training run: expected its folder, or its agent: td:runs/x"),
        ("td:nowhere", "curve: nowhere: no checkpoint is kept here; train with --keep 10"),
        (["td:a", "td:a"], "curve: a run is given twice: td:a, td:a"),
    ],
)
def test_curves_that_cannot_be(curve, text):
    with pytest.raises(ValueError, match=re.escape(f"tournament: {text}")):
        Tournament(("random",), GAMES, curve=curve)


def test_runs_that_cannot_be_on_one_curve(runs, tmp_path):
    with pytest.raises(ValueError, match=r"/0 has alpha=1.0, and .*/other 0.5; give runs that differ in their seed"):
        Tournament(("random",), GAMES, curve=[runs[0], trained(tmp_path / "other", alpha=0.5)])
    with pytest.raises(ValueError, match=r"/0 has kept 3 checkpoints, and .*/fewer 2; give runs that are over"):
        Tournament(("random",), GAMES, curve=[runs[0], trained(tmp_path / "fewer", keep=2)])
    with pytest.raises(ValueError, match="a curve needs the same opponents for all checkpoints, so format cannot be"):
        Tournament(("random",), GAMES, curve=runs[0], format="swiss")
    with pytest.raises(ValueError, match="tictactoe needs at least one agent beside the checkpoints of the curve"):
        Tournament((), GAMES, curve=runs[0]).check()
