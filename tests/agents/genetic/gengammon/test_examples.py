"""What networks see of decisions: parts of a file, inputs, lanes, and activations."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import NAMES
from ludarium.agents.backgammon.network import ACTIVATIONS, activate, see
from ludarium.agents.genetic.gengammon.examples import (
    HELD_OUT,
    LEARNED,
    VALIDATION,
    filled_up,
    make_room,
    part_of,
    score,
    weigh,
)
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


def threats_in(inputs, row):
    """How many of the inputs of a row that are not 0 are threats."""
    some = slice(*inputs.ends[row : row + 2])
    return int(((inputs.which[some] >= 208) & (inputs.what[some] != 0)).sum())


def test_what_a_position_threatens_is_taken_from_its_first_result(examples_for):
    """The last twelve of the 220 inputs. So the changes of that result hold none of them, and those of others may."""
    examples, in_changes = examples_for("threats"), []
    for number in range(examples.number):
        first, end = examples.offsets[number : number + 2]
        in_changes.append([threats_in(examples.changes, row) for row in range(first, end)])
        assert threats_in(examples.positions, number) > 0
    assert {results[0] for results in in_changes} == {0}
    assert max(map(max, in_changes)) > 0


def test_a_score_is_what_all_units_put_out_and_the_bias(examples, network, sums_of):
    of, room = network(units=19, activation="identity"), make_room(examples, np.arange(10), 19)
    for number in range(10):
        results = score(examples, number, of, room)
        expected = sums_of(examples, number, of.hidden) @ of.output[:-1, 0] + of.output[-1, 0]
        np.testing.assert_allclose(room.scores[:results], expected, atol=1e-4)


@pytest.mark.parametrize("level", [0.0, 100.0, -200.0])
def test_only_the_differences_of_scores_matter(level):
    """However high or low all of them are: float32 has no exponential of 100, and none of -200."""
    scores = np.array([level, level - 1, level + 0.5], dtype=np.float32)
    shares = np.exp([0.0, -1.0, 0.5]) / np.exp([0.0, -1.0, 0.5]).sum()
    assert weigh(scores, np.array([True, True, False])) == pytest.approx(np.log(shares[:2].sum()), rel=1e-5)
    np.testing.assert_allclose(scores / scores.sum(), shares, rtol=1e-5)


def test_a_choice_that_is_out_of_question_counts_as_one_in_ten_to_the_thirty():
    scores = np.array([0.0, -200.0], dtype=np.float32)
    assert weigh(scores, np.array([False, True])) == pytest.approx(-30 * np.log(10), rel=1e-5)


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
