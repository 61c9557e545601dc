"""What networks see of decisions: parts of a file, inputs, lanes, and activations."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import NAMES
from ludarium.agents.backgammon.network import ACTIVATIONS, activate, see
from ludarium.agents.genetic.gengammon.examples import HELD_OUT, LEARNED, VALIDATION, filled_up, part_of
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.envs.backgammon.decision_files import load, save
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.registry import make_game


def test_parts_of_a_file_share_no_match(few, tmp_path):
    parts = [part_of(few, part, 0.2) for part in (LEARNED, VALIDATION, HELD_OUT)]
    assert [len(set(part.matches)) for part in parts] == [7, 2, 2]
    assert len({match for part in parts for match in part.matches}) == 11
    assert sum(map(len, parts)) == 2000
    assert len(part_of(few, LEARNED)) == 1800
    assert len(part_of(few, VALIDATION)) == 0
    one = parts[0].select(parts[0].matches == parts[0].matches[0])
    save(one, tmp_path / "one.npz")
    assert len(part_of(str(tmp_path / "one.npz"), LEARNED, 0.2)) == len(one)  # a single match is learned from


@pytest.mark.parametrize("how", ["first", "majority"])
def test_one_choice_may_be_right_where_several_were_made_but_for_those_held_out(few, how):
    every, settled = part_of(few, LEARNED), part_of(few, LEARNED, contradicting=how)
    assert every.chosen.sum() > len(every) > len(settled) == settled.chosen.sum()
    held_out = part_of(few, HELD_OUT, contradicting=how)
    assert (held_out.chosen == part_of(few, HELD_OUT).chosen).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_network_sees_the_same_in_training_and_in_play(few, examples_for, network, sums_of, name):
    examples, of, known = examples_for(name), network(name), load(few).part(held_out=False)
    position, seen = make_game("backgammon").start(), np.zeros(5, dtype=np.float32)
    for number in range(20):
        for row, sums in enumerate(sums_of(examples, number, of.hidden)):
            set_up(position.record, known.results[examples.offsets[number] + row])
            see(position.record, 0, of, seen)
            np.testing.assert_allclose(sums, seen, atol=1e-5)


def test_more_units_up_to_a_whole_number_of_lanes_change_nothing(examples, network):
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
    small = np.abs(sums) < 2
    np.testing.assert_allclose(units[small], exact[activation][small], rtol=1e-6, atol=1e-7)
