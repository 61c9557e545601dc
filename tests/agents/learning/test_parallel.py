"""Workers for the parts of a learner's steps."""

import os

import pytest

from ludarium.agents.learning.parallel import workers


@pytest.mark.parametrize("size", [0, -1])
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_there_is_at_least_one_worker(executor, size):
    with pytest.raises(ValueError, match=f"workers must be at least 1, not {size}"), workers(executor, size):
        pass


def test_parts_come_back_in_order():
    with workers(size=2) as parallel:
        assert parallel.size == 2
        assert parallel.shares_memory  # threads by default
        assert parallel(abs, [-3, 2, -1]) == [3, 2, 1]
    with workers() as parallel:
        assert parallel.size == os.cpu_count()


def test_there_is_one_worker_where_nobody_knows_the_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    with workers() as parallel:
        assert parallel.size == 1
        assert parallel(abs, [-1, 2]) == [1, 2]
