"""What is shown of a pair of a map."""

import pytest

from ludarium.agents.genetic.ifthen.inspection import _entry
from ludarium.envs.registry import make_game


@pytest.mark.parametrize(
    ("value", "visits", "used", "facts"),
    [
        (-0.0001, 1, 1, ["used 1 time", "value 0, taught by 1 game"]),  # no negative zero
        (0.12345, 2000, 2, ["used 2 times", "value 0.123, taught by 2,000 games"]),
        (None, 0, 1000, ["used 1,000 times", "taught by 0 games"]),
    ],
)
def test_the_facts_about_a_pair(value, visits, used, facts):
    assert _entry(make_game("tictactoe").start(), 4, value, visits, used, 0).facts == facts
