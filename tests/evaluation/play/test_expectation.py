"""What a position is worth before chance, for the seat that is to roll."""

import pytest

from ludarium.agents.agent import Agent
from ludarium.agents.specs import make_agent
from ludarium.envs.backgammon.rules import ROLLING
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.expectation import Expectation, expectation


def test_both_sides_expect_the_same_before_the_same_roll():
    game = make_game("backgammon")
    agent, values = make_agent("expert", game), []
    for seat in (0, 1):
        position = game.start()
        position.record.phase, position.record.seat = ROLLING, seat
        values.append(expectation(agent, position, 1))
    assert [one.seat for one in values] == [0, 1]
    assert values[0].value == pytest.approx(values[1].value, abs=1e-4)
    assert values[0].value > 0.05  # who rolls first is ahead
    assert values[0].odds == pytest.approx(values[1].odds, abs=1e-4)


class Sums(Agent):
    """Likes its first move best, which is worth the sum of the dice to seat 0, and twice as much to seat 1."""

    name = "sums"

    def judge(self, position, seed):
        worth = float(position.record.dice.sum()) * (1 + position.turn)
        actions = enumerate(position.legal_actions())
        return Opinions(
            "points", tuple(Opinion(action, worth - n, odds=(("win", worth / 100),)) for n, action in actions)
        )


def test_the_best_moves_of_all_rolls_are_weighed_by_their_chances():
    position = make_game("backgammon").start()
    assert expectation(Sums(), position, 1) == Expectation(0, pytest.approx((7 - 14) / 2), {})  # either begins
    for seat, mean in ((0, 7), (1, 14)):
        position.record.phase, position.record.seat = ROLLING, seat
        assert expectation(Sums(), position, 1) == Expectation(
            seat, pytest.approx(mean), {"win": pytest.approx(mean / 100)}
        )
