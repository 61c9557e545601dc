"""The genetic operators of Gengammon."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import network_of, see
from ludarium.agents.genetic.gengammon import genes
from ludarium.envs.backgammon.decision_files import load
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.registry import make_game


def draws():
    return np.random.default_rng(1)


def test_founders_fill_the_whole_range():
    genomes = genes.founders(draws(), 200, 300)
    assert genomes.shape == (200, 300)
    assert genomes.min() < -32600
    assert genomes.max() > 32600
    assert np.abs(genes.weights(genomes, 2.0)).max() <= 2


def test_founders_may_take_a_share_of_the_range():
    genomes = genes.founders(draws(), 200, 300, 0.25)
    assert 8000 < np.abs(genomes.astype(int)).max() <= 2**13
    assert (genes.founders(draws(), 5, 5) == genes.founders(draws(), 5, 5, 1.0)).all()


def test_a_swap_makes_no_new_value():
    child = genes.founders(draws(), 1, 50)[0]
    before = child.copy()
    genes.mutate(draws(), child, "swap", 0, 1)
    assert (child != before).sum() == 2
    assert sorted(child) == sorted(before)


def test_a_bit_is_flipped():
    child = genes.founders(draws(), 1, 50)[0]
    before = child.copy()
    genes.mutate(draws(), child, "bit", 0, 1)
    (changed,) = (child ^ before)[child != before].view(np.uint16).tolist()
    assert changed.bit_count() == 1


def test_a_creep_is_small_and_stays_in_range():
    draw, child = draws(), np.linspace(-16_000, 16_000, 100_000).astype(np.int16)
    before = child.astype(int)
    genes.mutate(draw, child, "creep", 0.01, 2000)
    assert (child - before)[child != before].std() == pytest.approx(0.01 * 2**15, rel=0.1)
    for end in (2**15 - 1, -(2**15)):
        most = np.full(1000, end, dtype=np.int16)
        genes.mutate(draw, most, "creep", 0.01, 1000)
        assert (most / end).min() > 0.9
        assert (most == end).mean() > 0.5  # half of those that were changed, and all others


@pytest.mark.parametrize(("how", "changed"), [("swap", 20), ("bit", 10), ("creep", 10)])
def test_several_mutations(how, changed):
    child = genes.founders(draws(), 1, 100_000)[0]
    before = child.copy()
    genes.mutate(draws(), child, how, 0.1, 10)
    assert (child != before).sum() == changed
    genes.mutate(draws(), before, how, 0.1, 0)


def test_both_mutations_are_swaps_and_flips():
    child = genes.founders(draws(), 1, 100_000)[0]
    before = child.copy()
    genes.mutate(draws(), child, "both", 0, 100)
    flipped = len(set(child.tolist()) - set(before.tolist()))
    assert 10 < flipped <= 100 < (child != before).sum() < 200


def test_a_child_of_one_parent():
    one, other = genes.founders(draws(), 2, 1000)
    child = genes.cross(draws(), one, other, "none")
    assert (child == one).all()
    assert not np.shares_memory(child, one)


@pytest.mark.parametrize("how", ["weights", "bits"])
def test_children_have_what_their_parents_have(how):
    one, other = genes.founders(draws(), 2, 1000)
    child = genes.cross(draws(), one, other, how)
    if how == "weights":
        assert ((child == one) | (child == other)).all()
        assert 400 < (child == one).sum() < 600
    else:
        assert ((child ^ one) & (child ^ other) == 0).all()
        assert ((child != one) & (child != other)).any()


def test_the_best_of_a_tournament():
    places = np.array([2, 0, 1])
    assert {genes.winner(np.random.default_rng(seed), places, 50) for seed in range(10)} == {1}
    assert {genes.winner(np.random.default_rng(seed), places, 1) for seed in range(30)} == {0, 1, 2}


def test_values_per_gene():
    assert genes.values_per_gene(np.array([[1, 5], [1, 6], [2, 7]], dtype=np.int16)) == 2.5


def test_products_overflow_as_in_the_original(few):
    known, genome = load(few).part(held_out=False), genes.founders(np.random.default_rng(1), 1, 52 * 3)[0]
    weights, numbers = genome.reshape(52, 3).astype(int), inputs("counts")
    rows = genes.table(genome, 3)[:, 0]
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
