"""The preset `single` of the if-then learner."""

import numpy as np

from ludarium.agents.genetic.ifthen.single import Single


def test_its_randomness_is_chosen_again_before_every_generation(evolve):
    learners = [Single(game="hexapawn", seed=seed) for seed in (1, 2)]
    seen = [evolve(learner, count)[0]["randomness"][0] for learner in learners for count in (1, 2)]
    assert len(set(seen)) == 4
    assert 0.1 < np.mean(seen) < 0.9
