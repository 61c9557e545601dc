"""The preset `single` of the if-then learner."""

import numpy as np
import pytest

from ludarium.agents.genetic.ifthen import IFTHEN
from ludarium.agents.genetic.ifthen.single import Single
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.exact import measure


def test_its_randomness_is_chosen_again_before_every_generation(evolve):
    learners = [Single(game="hexapawn", seed=seed) for seed in (1, 2)]
    seen = [evolve(learner, count)[0]["randomness"][0] for learner in learners for count in (1, 2)]
    assert len(set(seen)) == 4
    assert 0.1 < np.mean(seen) < 0.9


def test_it_comes_to_play_optimally(evolve):
    game, learner = make_game("hexapawn"), Single(game="hexapawn", games=1000)
    arrays, told = evolve(learner)
    assert told["games"] == 100
    assert measure(game, learner.policy(game, arrays)).nash_conv == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population": 4}, "population must be an integer of at most 1, not 4"),
        ({"selection": "none"}, "selection must be 'merit', not 'none', with population=1, a single player"),
        ({"founder_limit": 0.5}, "unknown option 'founder_limit'; it is an option of the presets 'seed' and 'modern'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        IFTHEN.learner({"game": "hexapawn"} | options, "single")
