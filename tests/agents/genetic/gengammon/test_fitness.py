"""How well a network imitates experts: the fitness functions."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import network_of
from ludarium.agents.genetic.gengammon.examples import LEARNED, Examples, Sparse, examples_of
from ludarium.agents.genetic.gengammon.fitness import FITNESSES, rank, rank_tables


def test_tables_are_ranked_as_networks_are(examples_for):
    examples, draws = examples_for("stacks"), np.random.default_rng(2)
    every, tables = np.arange(examples.number), draws.normal(size=(751, 3)).astype(np.float32)
    tables[-1] = 0
    for standings, one in zip(rank_tables(examples, every, tables), tables.T, strict=True):
        output = np.array([[1], [0]], dtype=np.float32)
        expected = rank(examples, every, network_of(inputs("stacks"), {"hidden": one[:, None], "output": output}, 0))
        for of_tables, of_network in zip(standings, expected, strict=True):
            np.testing.assert_allclose(of_tables, of_network, rtol=1e-5)


def ranks(scores, *right):
    """What the fitness functions see of one decision: its results have these scores, and some count as right."""
    ends, what = np.arange(0, 4 * len(scores) + 1, 4), np.zeros(4 * len(scores), dtype=np.float32)
    what[::4] = scores
    changes = Sparse(ends, np.zeros(len(what), dtype=np.int16), what)
    position = Sparse(ends[:2], *(array[:4] for array in (changes.which, np.zeros_like(what))))
    one = Examples(position, changes, np.array([0, len(scores)]), np.isin(np.arange(len(scores)), right))
    return rank_tables(one, np.zeros(1, dtype=np.int64), np.array([[1], [0]], dtype=np.float32))[0]


@pytest.mark.parametrize(("place", "v2"), [(1, 1.0), (2, 14 / 15), (3, 13 / 15), (16, 0.0)])
def test_v2_is_the_rank(place, v2):
    scores = [100.0 - i for i in range(16)]
    assert ranks(scores, place - 1).fitness("v2")[0] == pytest.approx(v2)


def test_v1_looks_at_scores_and_not_at_ranks():
    scores = [0.0, 990.0, *(991.0 + i / 2 for i in range(13)), 1000.0]
    assert ranks(scores, 1).fitness("v1")[0] == pytest.approx(0.99)
    assert ranks(scores, 1).fitness("v2")[0] == pytest.approx(1 / 15)


@pytest.mark.parametrize("reference", ["best", "next"])
@pytest.mark.parametrize("third", [118.0, 100.0, 10.0])
def test_v3_of_a_third_place_among_sixteen_is_at_least_13_and_below_14_fifteenths(third, reference):
    """The example of the original: a choice worth 100, or closer, or further behind, and a best result worth 120."""
    worth = ranks([120.0, 119.0, third, *([0.0] * 13)], 2).fitness("v3", reference)[0]
    behind = ((120 if reference == "best" else 119) - third) / 120
    assert worth == pytest.approx(13 / 15 + (1 - behind) / 30)
    assert 13 / 15 <= worth < 14 / 15


def test_v3_of_a_shared_rank_is_below_that_of_the_rank_above():
    """Two results share the second and the third place, so close to the first that the addition is nearly all of ½."""
    scores = [120.0, 119.9, 119.9, *([0.0] * 13)]
    assert 13.5 / 15 < ranks(scores, 1).fitness("v3")[0] < 14 / 15


def test_v3_of_the_last_of_several_that_are_equal_adds_what_it_falls_behind():
    assert ranks([120.0, 0.0, 0.0], 1).fitness("v3", "next")[0] == ranks([120.0, 0.0, 0.0], 1).fitness("v3")[0] == 0.25
    scores = [120.0, 60.0, 30.0, 0.0]
    assert ranks(scores, 2).fitness("v3")[0] == pytest.approx(1 / 3 + 0.25 / 6)
    assert ranks(scores, 2).fitness("v3", "next")[0] == pytest.approx(1 / 3 + 0.75 / 6)


def test_v3_as_published_prefers_to_be_further_behind():
    near, far = ([120.0, 119.0, third, *([0.0] * 13)] for third in (118.0, 100.0))
    assert ranks(far, 2).fitness("v3-literal")[0] == pytest.approx(13 / 15 + 20 / (16 * 120))
    assert ranks(far, 2).fitness("v3-literal")[0] > ranks(near, 2).fitness("v3-literal")[0]


def test_v3_as_coded_cannot_tell_the_first_from_the_second():
    scores = [100.0 - i for i in range(16)]
    assert ranks(scores, 0).fitness("v3-coded")[0] == 1
    assert ranks(scores, 1).fitness("v3-coded")[0] == pytest.approx(14 / 15 + 1 / 16)


RANKED = [name for name in FITNESSES if name != "likelihood"]


@pytest.mark.parametrize("name", RANKED)
def test_a_network_that_cannot_tell_results_apart_is_worth_a_half(few, network, name):
    examples = examples_of(few, LEARNED, "tesauro")
    ranks = rank(examples, np.arange(examples.number), network(size=0.0))
    assert (ranks.wrong < ranks.results - 1).any()  # several choices are right
    assert (ranks.fitness(name) == 0.5).all()
    assert ranks.agreement == 0


@pytest.mark.parametrize("name", RANKED)
def test_a_choice_that_shares_the_first_place_is_worth_less_than_the_first_alone(name):
    """Two tied results are a coin, however far the third falls behind."""
    assert ranks([5.0, 5.0], 0).fitness(name)[0] == 0.5
    if name != "v1":  # which does not look at ranks
        assert ranks([5.0, 5.0, 1.0], 0).fitness(name)[0] == 0.75
    assert ranks([6.0, 5.0, 1.0], 0).fitness(name)[0] == 1


@pytest.mark.parametrize("name", ["v2", "v3"])
def test_fitness_goes_from_nought_to_one_however_many_choices_are_right(name):
    scores = [9.0, 8.0, 7.0, 6.0, 5.0]
    assert ranks(scores, 1, 0).fitness(name)[0] == 1
    assert ranks(scores, 3, 4).fitness(name)[0] == pytest.approx(0 if name == "v2" else 1 / 4 / 6)
    assert ranks([9.0, 9.0, 9.0, 1.0, 1.0], 0, 1).fitness(name)[0] == pytest.approx(5 / 6)


@pytest.mark.parametrize("name", RANKED)
def test_a_decision_with_nothing_wrong_is_worth_a_half_to_anything(name):
    for scores, right in (([5.0], (0,)), ([5.0, 4.0], (0, 1))):
        assert ranks(scores, *right).fitness(name)[0] == 0.5


@pytest.mark.parametrize(
    ("scores", "right", "share"),
    [
        ([2.0, 1.0, 0.0], (0,), 1 / (1 + np.exp(-1) + np.exp(-2))),
        ([2.0, 1.0, 0.0], (0, 2), (1 + np.exp(-2)) / (1 + np.exp(-1) + np.exp(-2))),
        ([1002.0, 1001.0], (1,), 1 / (1 + np.exp(1))),
        ([1000.0, 0.0], (1,), 1e-300),  # the least
    ],
)
def test_the_likelihood_is_the_logarithm_of_the_share_of_the_choice(scores, right, share):
    assert ranks(scores, *right).fitness("likelihood")[0] == pytest.approx(np.log(share))


def test_the_likelihood_is_known_only_if_asked_for(examples, network):
    every, of = np.arange(examples.number), network()
    asked, other = rank(examples, every, of), rank(examples, every, of, likelihood=False)
    assert np.isnan(other.likelihood).all()
    for field in ("results", "wrong", "rank", "choice", "next", "highest", "lowest"):
        assert (getattr(asked, field) == getattr(other, field)).all()
