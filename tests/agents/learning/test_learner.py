"""How learners of numbered games divide their budget."""

import pytest

from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.learner import SelfPlay
from ludarium.envs.registry import make_game


class Counting(SelfPlay):
    """Learns nothing from games of three decisions."""

    name = "counting"

    def learn(self, game, arrays, first, count):
        return 3 * count


@pytest.mark.parametrize(
    ("games", "checkpoints", "until", "steps"),
    [
        (4000, 2, 2000, [100] * 20),
        (4000, 2, 150, [100, 50]),
        (40, 1, 6, [2, 2, 2]),
        (39, 1, 3, [1, 1, 1]),
        (10, 1, 3, [1, 1, 1]),
        (2, 5, 2, [1, 1]),
    ],
)
def test_a_step_is_a_twentieth_of_the_games_between_measurements(games, checkpoints, until, steps):
    """But at least one game, and never beyond the next measurement."""
    learner = Counting(game="tictactoe", games=games, checkpoints=checkpoints)
    game, now, taken = make_game("tictactoe"), Checkpoint({}), []
    while now.games < until:
        before = now.games
        now, metrics = learner.advance(game, now, until, None)
        taken.append(now.games - before)
        assert metrics == {}
    assert taken == steps
    assert now.decisions == 3 * until
