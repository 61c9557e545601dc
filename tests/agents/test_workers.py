"""Pools of workers in this process; `evaluation/tournament/test_schedule.py` runs those in others."""

import contextlib
import threading
from concurrent.futures import CancelledError, Future, wait
from types import SimpleNamespace

import pytest

from ludarium.agents.worker_process import WorkerDied, close_all
from ludarium.agents.workers import Workers, _Processes


def worker_that(reports):
    """A worker that returns 7, or dies after these reports."""

    def call(function, arguments, heard):
        if reports is None:
            return 7
        raise WorkerDied("was killed by SIGKILL", reports, by_itself=False)

    return SimpleNamespace(call=call, is_alive=lambda: True)


@pytest.mark.parametrize("useful", [["a game"], None], ids=["a report", "a result"])
def test_only_deaths_in_a_row_without_any_use_end_the_work(useful, monkeypatch):
    monkeypatch.setattr("ludarium.agents.workers._MOST_DEATHS", 2)
    processes = _Processes(1)
    for reports in ([], [], useful, [], [], []):
        monkeypatch.setattr(processes, "_worker", lambda reports=reports: worker_that(reports))
        wait([processes.submit(int, (), None)])
    with pytest.raises(ChildProcessError, match="worker processes died 3 times in a row"):
        processes.submit(int, (), None)
    processes.end(0, ask=False)


@pytest.mark.parametrize(("interrupt", "end"), [(None, (5.0, True)), (KeyboardInterrupt, (0.5, False))])
@pytest.mark.parametrize(
    ("kind", "cores", "size"),
    [("processes", 6, 3), ("dask:tcp://10.0.0.1:8786", 6, 6), ("dask:tcp://10.0.0.1:8786", None, 1)],
)
def test_ordinary_and_dangerous_work_have_processes_of_their_own(kind, cores, size, interrupt, end, monkeypatch):
    pools, on_cluster = [], []
    cluster = SimpleNamespace(status="running", ncores=lambda: {"a": 2}, close=lambda: on_cluster.append("close"))
    cluster.run = lambda function, **options: on_cluster.append((function, options))

    def started(size):
        pool = SimpleNamespace(size=size, work=[], ends=[])
        pool.submit = lambda function, arguments, heard: pool.work.append((function, arguments))
        pool.end = lambda patience, *, ask: pool.ends.append((patience, ask))
        pools.append(pool)
        return pool

    monkeypatch.setattr("ludarium.agents.workers._Processes", started)
    monkeypatch.setattr("ludarium.agents.workers._cluster", lambda address: (cluster, None))
    monkeypatch.setattr("os.cpu_count", lambda: cores)  # a cluster's size says nothing about this machine
    with contextlib.suppress(KeyboardInterrupt), Workers(kind, 3, patience=5.0) as workers:
        for text in ("1", "2"):
            workers.submit_here(int, text)
            workers.submit_guarded(float, text)
        if interrupt:
            raise interrupt
    assert [pool.size for pool in pools] == [size, size]
    assert [pool.work for pool in pools] == [[(each, ("1",)), (each, ("2",))] for each in (int, float)]
    assert [pool.ends for pool in pools] == [[end], [end]]
    closing = [] if interrupt else [(close_all, {"on_error": "ignore"})]
    assert on_cluster == ([] if kind == "processes" else [*closing, "close"])


@pytest.mark.parametrize(("cores", "size"), [(6, 6), (None, 1)])
def test_there_is_one_worker_per_core(cores, size, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    with Workers("threads") as workers:
        assert workers.size == size


def named(name):
    return type(name, (Exception,), {})()


@pytest.mark.parametrize(
    ("error", "death"),
    [
        (WorkerDied("exited with status 3", [], by_itself=True), ("exited with status 3", True)),
        (CancelledError(), ("was lost", False)),
        (named("CommClosedError"), ("was lost", False)),
        (named("KilledWorker"), ("died again and again", True)),
        (ValueError("no such game"), None),
        (None, None),
    ],
    ids=repr,
)
def test_which_errors_are_deaths(error, death):
    future = Future()
    future.set_exception(error)
    with Workers("threads", 1) as workers:
        answer = workers.death_of(future)
    assert (answer and (str(answer), answer.by_itself)) == death


def test_work_that_was_cancelled_is_lost():
    future = Future()
    future.cancel()
    with Workers("threads", 1) as workers:
        answer = workers.death_of(future)
    assert (str(answer), answer.by_itself) == ("was lost", False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("threads", 0), "^workers must be at least 1, not 0$"),
        (("fork", 1), "^executor must be 'processes', 'threads' or 'dask:ADDRESS', not 'fork'$"),
    ],
)
def test_pools_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        Workers(*arguments)


@pytest.mark.parametrize("stuck", [True, False])
def test_an_interrupt_abandons_a_thread_that_goes_on(stuck, monkeypatch):
    closed, begun, may_end = [], threading.Event(), threading.Event()
    monkeypatch.setattr("ludarium.agents.workers._GRACE", 0)
    monkeypatch.setattr("ludarium.agents.workers.close_all", lambda: closed.append("what agents use"))

    def work():
        begun.set()
        return may_end.wait(60)

    def interrupted(pool):
        with pool:
            future = pool.submit(work)
            begun.wait(60)
            if not stuck:
                may_end.set()
                future.result(60)
            raise KeyboardInterrupt

    pool = Workers("threads", 1)
    with pytest.raises(KeyboardInterrupt):
        interrupted(pool)
    may_end.set()
    assert pool.abandoned == stuck
    assert closed == ([] if stuck else ["what agents use"])  # a thread that goes on may need it
