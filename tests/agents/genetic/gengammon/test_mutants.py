"""Networks with random changes."""

import math

import numpy as np
import pytest

from ludarium.agents.genetic.gengammon.architecture import Architecture
from ludarium.agents.genetic.gengammon.mutants import both_ways, changes, check_size


@pytest.mark.parametrize(("output", "moved"), [("weights", 0.5), ("sum", 0.0)])
def test_a_pair_is_as_far_from_the_network_in_both_directions(output, moved):
    """But a sum stays a sum."""
    architecture = Architecture("exact", 3, "tanh", output)
    hidden, out = (np.arange(math.prod(shape), dtype=np.float32).reshape(shape) for shape in architecture.shapes)
    signs = changes(architecture, 1, 2, 3)
    assert [sign.shape for sign in signs] == [hidden.shape, out.shape]
    assert all(set(np.unique(sign)) <= {-1, 1} for sign in signs)
    for way, network in zip((1, -1), both_ways(architecture, (hidden, out), signs, 0.5), strict=True):
        assert (network.hidden - hidden == way * 0.5 * signs[0]).all()
        assert (network.output - out == way * moved * signs[1]).all()


def test_signs_differ_by_seed_generation_and_pair():
    architecture = Architecture("exact", 3, "tanh", "weights")
    places = [(1, 2, 3), (2, 2, 3), (1, 3, 3), (1, 2, 4)]
    signs = [changes(architecture, *place)[0] for place in places]
    assert len({sign.tobytes() for sign in signs}) == 4
    assert (signs[0] == changes(architecture, *places[0])[0]).all()
    assert abs(np.mean(signs)) < 0.1  # as many of each kind


def test_the_largest_network_has_a_sign_for_each_weight():
    largest = Architecture("exact", 624, "tanh", "weights")
    check_size(largest)
    for pair in range(3):
        hidden, output = changes(largest, 1, 2, pair)
        assert hidden.size + output.size == 131_041 < 131_072
    with pytest.raises(ValueError, match="fewer than 131,072 weights; with hidden=625 there are 131,251"):
        check_size(largest._replace(hidden=625))
