import numpy as np
import pytest

from ludarium.agents.genetic.minimax.ga import children, founders
from ludarium.envs.chance import stream

PARENTS = np.array([np.arange(6.0), np.arange(6.0) + 100])


def test_founders_are_integers_over_the_whole_range():
    genes = founders(stream(1), 500, 6, 1000)
    assert genes.shape == (500, 6)
    assert (genes == genes.astype(int)).all()
    assert genes.min() < 10
    assert 990 < genes.max() <= 1000


def test_children_are_two_halves_of_each_parent_and_mutate_as_often_as_they_should():
    draws, cuts, mutated = stream(2), set(), 0
    for _ in range(3000):
        pair = children(draws, PARENTS, 2 / 3, 1_000_000)
        for child, start, rest in ((pair[0], *PARENTS), (pair[1], *PARENTS[::-1])):
            fits = [cut for cut in range(1, 6) if np.sum(child != np.append(start[:cut], rest[cut:])) <= 1]
            exact = [cut for cut in fits if (child == np.append(start[:cut], rest[cut:])).all()]
            assert fits
            cuts.update(exact)
            mutated += not exact
    assert cuts == {1, 2, 3, 4, 5}
    assert mutated / 6000 == pytest.approx(2 / 3, abs=0.02)


def test_without_crossover_children_have_one_parent():
    np.testing.assert_array_equal(children(stream(2), PARENTS, 0, 1000, False), PARENTS)
