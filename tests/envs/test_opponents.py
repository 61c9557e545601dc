"""Mixtures of opponents, as text and as mappings."""

import re

import numpy as np
import pytest

from ludarium.envs.opponents import make_opponents, read_mixture
from ludarium.envs.registry import make_game


@pytest.mark.parametrize(
    ("spec", "mixture"),
    [
        ("greedy", [("greedy", 1.0)]),
        (
            "0.5*greedy+.25*mcts?exploration=0.5+2*random",
            [("greedy", 0.5), ("mcts?exploration=0.5", 0.25), ("random", 2)],
        ),
        ({"greedy": 0.5, "random": 3}, [("greedy", 0.5), ("random", 3)]),
        (["greedy", "random"], [(["greedy", "random"], 1.0)]),  # one for each seat
        ("1*greedy+2*", [("greedy+2*", 1.0)]),  # of which no agent is called
    ],
)
def test_a_mixture_is_its_parts_with_their_weights(spec, mixture):
    assert read_mixture(spec) == mixture


@pytest.mark.parametrize(
    "spec", [{}, "0*greedy", *({"greedy": weight} for weight in (0, -1, np.inf, np.nan, True, "1"))]
)
def test_weights_are_positive_numbers(spec):
    told = f"opponent: the weights of a mixture must be positive numbers, not as in {spec!r}"
    with pytest.raises(ValueError, match=re.escape(told)):
        read_mixture(spec)


def test_every_seat_has_an_opponent_of_its_own_and_those_that_were_made_are_closed():
    game = make_game("hanabi?seats=3")

    def mine(observation, action_mask, info):
        return 0

    opponents = make_opponents({"random": 1, mine: 0.5}, game)
    assert opponents.weights.tolist() == [1, 0.5]
    assert [[one.name for one in seats] for seats in opponents.seated] == [["random"] * 2, ["mine"] * 2]
    assert len({id(one) for seats in opponents.seated for one in seats}) == 4
    assert [one.name for one in opponents.made] == ["random", "random", "mine"]  # the second is a copy
    with pytest.raises(ValueError, match=r"hanabi: opponent must be one spec or a list of 2, not \['random'\]"):
        make_opponents(["random"], game)
