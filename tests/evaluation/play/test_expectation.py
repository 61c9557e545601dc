"""What a position is worth before chance, for the seat that is to roll."""

import pytest

from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.rules import ROLLING
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.expectation import expectation


def test_both_sides_expect_the_same_before_the_same_roll():
    game = make_game("backgammon")
    agent, found = make_agent("expert", game), []
    for seat in (0, 1):
        position = game.start()
        position.record.phase, position.record.seat = ROLLING, seat
        found.append(expectation(agent, position, 1))
    assert [one.seat for one in found] == [0, 1]
    assert found[0].value == pytest.approx(found[1].value, abs=1e-4)
    assert found[0].value > 0.05  # who rolls first is ahead
    assert found[0].odds == pytest.approx(found[1].odds, abs=1e-4)
