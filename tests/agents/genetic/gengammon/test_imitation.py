"""What a network makes of experts' decisions: its inputs, the fitness functions, the gradient, and mutants' credits."""

from pathlib import Path

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import NAMES, inputs
from ludarium.agents.backgammon.network import ACTIVATIONS, activate, network_of, see
from ludarium.agents.genetic.gengammon.examples import (
    HELD_OUT,
    LEARNED,
    VALIDATION,
    Examples,
    Room,
    Sparse,
    add_up,
    examples_of,
    filled_up,
    make_room,
    part_of,
)
from ludarium.agents.genetic.gengammon.fitness import FITNESSES, rank, rank_tables
from ludarium.agents.genetic.gengammon.genes import founders, table
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.agents.genetic.gengammon.neurons import POOL, credit, leave_out
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.registry import make_game

FEW = str(Path(__file__).parent / "data" / "few.npz")  # 1,800 of the shipped decisions to learn from, 200 held out


def examples_for(name):
    """Forty decisions of experts."""
    known = examples_of(FEW, LEARNED, name)
    return known._replace(offsets=known.offsets[:41])


@pytest.fixture(scope="module")
def examples():
    return examples_for("tesauro")


def network(name="tesauro", units=5, activation="tanh", seed=1, size=0.2):
    draws = np.random.default_rng(seed)
    shapes = {"hidden": (inputs(name).number + 1, units), "output": (units + 1, 1)}
    arrays = {key: draws.normal(0, size, shape).astype(np.float32) for key, shape in shapes.items()}
    return network_of(inputs(name), arrays, ACTIVATIONS.index(activation))


def test_parts_of_a_file_share_no_match(tmp_path):
    parts = [part_of(FEW, part, 0.2) for part in (LEARNED, VALIDATION, HELD_OUT)]
    assert [len(set(part.matches)) for part in parts] == [7, 2, 2]
    assert len({match for part in parts for match in part.matches}) == 11
    assert sum(map(len, parts)) == 2000
    assert len(part_of(FEW, LEARNED)) == 1800
    assert len(part_of(FEW, VALIDATION)) == 0
    one = parts[0].select(parts[0].matches == parts[0].matches[0])
    save(one, tmp_path / "one.npz")
    assert len(part_of(str(tmp_path / "one.npz"), LEARNED, 0.2)) == len(one)  # a single match is learned from


def sums_of(examples, number, weights):
    """What the inputs of each result of a decision add up to."""
    room = make_room(examples, np.array([number]), weights.shape[1])
    return room.sums[: add_up(examples, number, weights, room)]


@pytest.mark.parametrize("name", NAMES)
def test_a_network_sees_the_same_in_training_and_in_play(name):
    examples, of, known = examples_for(name), network(name), load(FEW).part(held_out=False)
    position, seen = make_game("backgammon").start(), np.zeros(5, dtype=np.float32)
    for number in range(20):
        for row, sums in enumerate(sums_of(examples, number, of.hidden)):
            set_up(position.record, known.results[examples.offsets[number] + row])
            see(position.record, 0, of, seen)
            np.testing.assert_allclose(sums, seen, atol=1e-5)


def test_products_overflow_as_in_the_original():
    known, genes = load(FEW).part(held_out=False), founders(np.random.default_rng(1), 1, 52 * 3)[0]
    weights, numbers = genes.reshape(52, 3).astype(int), inputs("counts")
    rows = table(genes, 3)[:, 0]
    position, seen = make_game("backgammon").start(), np.zeros(1, dtype=np.float32)
    of = network_of(inputs("stacks"), {"hidden": np.append(rows, 0)[:, None].astype(np.float32), "output": None}, 0)
    for result in known.results[:40]:
        set_up(position.record, result)
        score = 0
        for side, place, unit in np.argwhere(numbers.columns >= 0):
            checkers = int(position.record["checkers"][side, place])
            for weight in weights[numbers.columns[side, place, unit]]:
                score += (weight * checkers + 2**15) % 2**16 - 2**15
        see(position.record, 0, of, seen)
        assert seen[0] == score


def test_tables_are_ranked_as_networks_are():
    examples, draws = examples_for("stacks"), np.random.default_rng(2)
    every, tables = np.arange(examples.number), draws.normal(size=(751, 3)).astype(np.float32)
    tables[-1] = 0
    for found, one in zip(rank_tables(examples, every, tables), tables.T, strict=True):
        output = np.array([[1], [0]], dtype=np.float32)
        expected = rank(examples, every, network_of(inputs("stacks"), {"hidden": one[:, None], "output": output}, 0))
        for of_tables, of_network in zip(found, expected, strict=True):
            np.testing.assert_allclose(of_tables, of_network, rtol=1e-5)


def test_more_units_up_to_a_whole_number_of_lanes_change_nothing(examples):
    of, every = network(), np.arange(examples.number)
    wide = filled_up(of)
    assert wide.hidden.shape == (197, 32)
    assert filled_up(wide).hidden.shape == (197, 32)
    out = [tuple(np.zeros_like(array) for array in (some.hidden, some.output)) for some in (of, wide)]
    totals = [add_gradient(examples, every, *pair) for pair in zip((of, wide), out, strict=True)]
    assert totals[0] == pytest.approx(totals[1])
    np.testing.assert_allclose(out[0][0], out[1][0][:, :5], atol=1e-4)
    np.testing.assert_allclose(out[0][1], out[1][1][[*range(5), -1]], atol=1e-4)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_are_what_they_are_called(activation):
    sums = np.linspace(-6, 6, 1001).astype(np.float32)
    units, exact = np.zeros_like(sums), {
        "identity": sums, "tanh": np.tanh(sums), "sigmoid": 1 / (1 + np.exp(-sums)), "relu": np.maximum(sums, 0),
        "cubic": np.clip(sums, -1.5, 1.5) - 4 / 27 * np.clip(sums, -1.5, 1.5) ** 3,
    }  # fmt: skip
    activate(sums, units, ACTIVATIONS.index(activation))
    np.testing.assert_allclose(units, exact[activation], atol=1e-4)


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


def test_v3_stays_within_the_step_of_its_rank_and_rises_towards_the_best():
    near = ranks([120.0, 119.0, 118.0, *([0.0] * 13)], 2).fitness("v3")[0]
    far = ranks([120.0, 119.0, 10.0, *([0.0] * 13)], 2).fitness("v3")[0]
    assert 13 / 15 < far < near < 14 / 15
    assert ranks([120.0, 119.0], 0).fitness("v3")[0] == 1


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
def test_a_network_that_cannot_tell_results_apart_is_worth_a_half(name):
    examples = examples_of(FEW, LEARNED, "tesauro")
    found = rank(examples, np.arange(examples.number), network(size=0.0))
    assert (found.wrong < found.results - 1).any()  # several choices are right
    assert (found.fitness(name) == 0.5).all()
    assert found.agreement == 0


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
    assert ranks(scores, 3, 4).fitness(name)[0] == pytest.approx(0 if name == "v2" else 1 / 4 / 3)
    assert ranks([9.0, 9.0, 9.0, 1.0, 1.0], 0, 1).fitness(name)[0] == pytest.approx(5 / 6)


@pytest.mark.parametrize("name", RANKED)
def test_a_decision_with_nothing_wrong_is_worth_a_half_to_anything(name):
    for scores, right in (([5.0], (0,)), ([5.0, 4.0], (0, 1))):
        assert ranks(scores, *right).fitness(name)[0] == 0.5


def test_the_likelihood_is_known_only_if_asked_for(examples):
    every, of = np.arange(examples.number), network()
    asked, other = rank(examples, every, of), rank(examples, every, of, likelihood=False)
    assert np.isnan(other.likelihood).all()
    for field in ("results", "wrong", "rank", "choice", "highest", "lowest"):
        assert (getattr(asked, field) == getattr(other, field)).all()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_is_that_of_the_likelihood(examples, activation):
    of, every = network(activation=activation), np.arange(examples.number)
    out = np.zeros_like(of.hidden), np.zeros_like(of.output)
    total = add_gradient(examples, every, of, out)
    assert total == pytest.approx(rank(examples, every, of).likelihood.sum(), rel=1e-4)
    heaviest = np.unravel_index(np.abs(out[0]).argmax(), out[0].shape)
    for array, slopes, at in (
        (of.hidden, out[0], heaviest),
        (of.hidden, out[0], (196, 2)),
        (of.output, out[1], (3, 0)),
    ):
        weight, likelihoods = array[at], []
        for way in (-0.01, 0.01):
            array[at] = weight + np.float32(way)
            likelihoods.append(rank(examples, every, of).likelihood.sum())
        array[at] = weight
        assert slopes[at] == pytest.approx((likelihoods[1] - likelihoods[0]) / 0.02, rel=0.1, abs=0.05)


def credits_of(examples, of, lot=False, keys=150, pairs=2):
    pool = np.where(np.random.default_rng(3).random(POOL) < 0.5, -1, 1).astype(np.float32)
    out, every = (np.zeros_like(of.hidden), np.zeros_like(of.output)), np.arange(examples.number)
    for key in range(keys):
        credit(examples, every, of, pool, np.uint64(key), (np.full(2, 0.05, dtype=np.float32), pairs, lot), out)
    return tuple(array / (2 * 0.05 * keys) for array in out)


def cosines(estimates, slopes):
    """The cosines of the angles between estimates and gradients, one for each array."""
    pairs = zip(estimates, slopes, strict=True)
    return [(one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other) for one, other in pairs]


def test_credits_estimate_the_gradient_and_chance_does_not(examples):
    of = network(activation="cubic")
    exact = np.zeros_like(of.hidden), np.zeros_like(of.output)
    add_gradient(examples, np.arange(examples.number), of, exact)
    assert min(cosines(credits_of(examples, of), exact)) > 0.9
    assert abs(cosines(credits_of(examples, of, lot=True), exact)[0]) < 0.4


def test_more_mutants_tell_more(examples):
    of = network(activation="cubic")
    exact = np.zeros_like(of.hidden), np.zeros_like(of.output)
    add_gradient(examples, np.arange(examples.number), of, exact)
    one, two, eight = (cosines(credits_of(examples, of, keys=3, pairs=pairs), exact)[0] for pairs in (1, 2, 8))
    assert one < two < eight


def test_results_that_are_out_of_question_are_left_out():
    scores, right = [1.0, 0.5, 1e-4, 1e-5], np.array([False, False, False, True])
    block = np.arange(8, dtype=np.float32).reshape(4, 2)
    room = Room(block[:1], block, block + 1, np.array(scores, dtype=np.float32), np.arange(4))
    chosen = np.zeros(4, dtype=np.bool_)
    assert leave_out(room, right, chosen) == 3
    assert room.lines[:3].tolist() == [0, 1, 3]
    assert chosen[:3].tolist() == [False, False, True]
    assert room.sums[2].tolist() == [6, 7]


def test_genes_that_are_not_expressed_get_no_credit(examples):
    one = examples._replace(offsets=examples.offsets[:2])
    credited = (credits_of(one, network(activation="cubic"), keys=3)[0] != 0).any(axis=1)
    for row in range(196):
        unit = np.zeros((197, 1), dtype=np.float32)
        unit[row] = 1
        assert credited[row] == sums_of(one, 0, unit).any()
    assert credited[196]
