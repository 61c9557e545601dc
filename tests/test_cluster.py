"""The simulated cluster of `benchmarks/cluster.py`, with costs for which the times are known."""

import importlib
from pathlib import Path

import pytest

from ludarium.evaluation.tournament.event import GameEntry, Tournament


@pytest.fixture
def cluster(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "benchmarks"))
    return importlib.import_module("cluster")


def used(cluster, machines, pairs=20, **costs):
    """A tournament of two with games of half a second, on machines of one core each."""
    tournament = Tournament(("random", "random"), (GameEntry("tictactoe", pairs),))
    return cluster.simulate(
        tournament, cluster.Cluster(machines, cluster.Costs(**costs), cluster.Games(pace=1.0, spread=0.0))
    )


def test_without_costs_nobody_is_idle(cluster):
    usage = used(cluster, cluster.Machines((1.0, 1.0), 1, {}))
    assert (usage.seconds, usage.playing, usage.capacity) == pytest.approx((10, 20, 20))
    assert usage.idle == pytest.approx(0, abs=1e-6)


def test_starting_is_idle_time(cluster):
    usage = used(cluster, cluster.Machines((1.0, 1.0), 1, {}), start=1.0)
    assert (usage.seconds, usage.starting) == pytest.approx((11, 2))
    assert usage.idle == pytest.approx(2 / 22)


def test_the_command_and_the_scheduler_are_charged(cluster):
    usage = used(
        cluster, cluster.Machines((1.0,), 1, {}), hand_out=0.01, schedule=0.02, pass_on=0.001, store_game=0.002
    )
    assert usage.command == pytest.approx(0.01 * usage.bundles + 0.002 * 40)
    assert usage.scheduler == pytest.approx(0.02 * usage.bundles + 0.001 * 40)


def test_a_vanished_machine_costs_what_it_was_playing_until_that_is_noticed(cluster):
    usage = used(cluster, cluster.Machines((1.0, 1.0), 1, {1: 2.0}))
    assert usage.playing == pytest.approx(20)
    assert usage.lost == pytest.approx(2)
    assert usage.seconds > 2 + cluster.NOTICED
    assert usage.capacity == pytest.approx(usage.seconds + 2)


def test_a_slow_machine_plays_less(cluster):
    usage = used(cluster, cluster.Machines((1.0, 4.0), 1, {}), pairs=200)
    assert 200 / 1.25 < usage.seconds < 1.2 * 200 / 1.25
