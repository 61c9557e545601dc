"""What learners may say of their players."""

import numpy as np
import pytest

from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.learning.inspection import made_by, position_of, times
from ludarium.envs.registry import make_game


def test_counts_in_words():
    assert [times(number) for number in (0, 1, 2000)] == ["0 times", "1 time", "2,000 times"]
    assert made_by(1200, 2400, "rules") == "1,200 of its 2,400 moves were made by rules, 50.0 %"
    assert made_by(0, 0, "rules") == "0 of its 0 moves were made by rules"


@pytest.mark.parametrize("spec", ["tictactoe", "hexapawn", "backgammon"])
def test_a_state_padded_with_zeros_is_its_position(spec):
    position = make_game(spec).start()
    state = np.zeros(-(-len(position.data) // 8), dtype=np.uint64)
    state.view(np.uint8)[: len(position.data)] = position.data
    restored = position_of(position.game, state)
    state[:] = 0
    assert restored == position


def test_as_a_default_a_learner_shows_nothing():
    with pytest.raises(ValueError, match=r"^td: there is nothing to inspect"):
        TD(game="tictactoe").inspect(make_game("tictactoe"), {}, 0, None)
