import json

import numpy as np
import pytest

from ludarium.agents.specs import make_agent


def test_tuples_evolve_with_a_diagonal_matrix(trained, tmp_path):
    run = trained("tuples", tmp_path / "run")
    assert run.arrays["mean"].shape == run.arrays["covariance"].shape == (72,)  # 8 classes of 9 contents
    assert make_agent(f"alphabeta?evaluation=minimax:{tmp_path / 'run'}", run.learner.learned).policy


def test_lessons_come_first_count_and_are_inherited(trained, tmp_path):
    twin = {"breeding": "founders"}  # nothing but lessons changes the mean
    run, without = trained("tuples", tmp_path / "run", **twin), trained("tuples", lessons=0, **twin)
    lines = list(map(json.loads, (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()))
    games = np.diff([0, *(line["games"] for line in lines)])
    lessons = 3  # of 64 games each, with those in the tournament, before 0.3 of the budget
    assert games.tolist() == [64] * lessons + [24] * (len(games) - lessons)
    decisions = np.diff([0, *(line["decisions"] for line in lines)])
    assert ((decisions > 6 * games) & (decisions < 16 * games)).all()  # twelve moves, if nobody passes
    assert (without.arrays["mean"] == 0).all()
    assert (run.arrays["mean"] != 0).any()


def test_the_opening_varies_by_generation(small):
    varied, fixed, none = small("tuples"), small("tuples", opening_varies=False), small("tuples", opening=0)
    openings = [varied.opening_of(number) for number in range(400)]
    assert set(openings) == {0, 1, 2, 3}
    assert openings.count(0) / 400 == pytest.approx(0.5, abs=0.1)
    assert {fixed.opening_of(number) for number in range(40)} == {3}
    assert {none.opening_of(number) for number in range(40)} == {0}
