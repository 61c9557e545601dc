"""What people read about a player of rules."""

import numpy as np
import pytest

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.inspection import inspect_rules
from ludarium.agents.genetic.gaia.rule_agent import rule_policy
from ludarium.agents.learning.inspection import NOTHING, Decisions, Watch
from ludarium.envs.registry import make_game

LEFT, MIDDLE = ("P**V*****", 0 * 3 + 1, 2.1234), ("*P**V****", 1 * 3 + 1, 1.0)  # the steps a1a2 and b1b2 of hexapawn


@pytest.fixture
def inspect(rules):
    def inspect(written, texts, symmetry):
        """Watch a player of hexapawn in a game that leads it to these positions."""
        game = make_game("hexapawn")
        states = np.zeros((len(texts), game.state.itemsize // 8), dtype=np.uint64)
        for state, text in zip(states, texts, strict=True):
            state.view(np.uint8)[:] = game.from_text(text).data
        actions, number = np.ones(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.int64)
        decisions = Decisions(states, actions, number, np.ones(1, dtype=np.uint64))
        watch = Watch(lambda policy: decisions, lambda states, actions: np.full(len(states), NOTHING), 0)
        seen, made = board(game, symmetry), rules(*written)
        return inspect_rules(game, seen, made, rule_policy(game, seen, made), "its age", watch)

    return inspect


@pytest.mark.parametrize(("symmetry", "images"), [(False, ""), (True, ", each for its 2 mirror images")])
def test_the_summary_counts_the_images_of_a_rule(inspect, symmetry, images):
    inspection = inspect([LEFT, MIDDLE], ["ppp/.../PPP w"], symmetry)
    assert inspection.summary == "2 rules" + images
    assert inspection.head[-1] == "a rule's weight is its age"


def test_how_often_a_rule_fires_and_in_how_many_positions(inspect):
    start, other, blocked = "ppp/.../PPP w", "pp./..p/PPP w", "ppp/P../.PP w"
    inspection = inspect([LEFT, MIDDLE, ("CCCVVVPPP", 4, -0.0001)], [start, other, start, blocked], False)
    default = "default: asks for nothing but what its move needs"
    assert [list(entry.facts) for entry in inspection.entries] == [
        [default, "fired 3 times, in 2 positions", "weight 2.123, priority 0"],
        [default, "fired 1 time", "weight 1, priority 0"],
        ["fired 0 times", "weight 0, priority 0"],
    ]
    assert inspection.tail == ["4 of its 4 moves were made by rules, 100.0 %"]
