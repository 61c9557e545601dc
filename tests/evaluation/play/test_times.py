"""Times of moves: buckets that can be added, and who took them."""

import time

import numpy as np
import pytest

from ludarium.agents.agent import Agent
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match
from ludarium.evaluation.play.times import BUCKETS, count_times, quantile


def test_quantiles_are_right_within_nine_percent():
    spent = np.random.default_rng(1).lognormal(10, 2, 5000).astype(np.int64)
    counts = count_times(spent)
    assert counts.sum() == 5000
    for share in (0.5, 0.95):
        assert quantile(counts, share) == pytest.approx(1e-9 * np.quantile(spent, share), rel=0.12)
    both = count_times(spent[:700]) + count_times(spent[700:])
    np.testing.assert_array_equal(both, counts)
    assert count_times([0, 1, 10**18])[[0, BUCKETS - 1]].tolist() == [2, 1]  # the ends of the scale
    assert np.isnan(quantile(count_times([]), 0.5))


class _First(Agent):
    name = "first"

    def __call__(self, observation, action_mask, info):
        return int(action_mask.argmax())


class _Sleepy(_First):
    name = "sleepy"

    def __call__(self, observation, action_mask, info):
        time.sleep(0.002)
        return super().__call__(observation, action_mask, info)


class _Batched(_First):
    name = "batched"

    def act_batch(self, observations, action_masks, infos):
        return action_masks.argmax(axis=1)


def test_each_agent_has_its_own_time():
    result = play_match(make_game("tictactoe"), [_Sleepy(), _First()], 3, 0)
    assert result.timed_apart
    assert result.times.shape == (2, BUCKETS)
    assert result.times.sum() == result.decisions
    assert quantile(result.times[0], 0.5) > 0.0018
    assert quantile(result.times[0], 0.5) > quantile(result.times[1], 0.5)


def test_games_in_step_share_the_time_of_a_call_and_between_compiled_agents_only_the_mean_is_known():
    result = play_match(make_game("tictactoe"), [_Batched(), "random"], 20, 0)
    assert result.timed_apart
    assert result.times.sum() == result.decisions
    result = play_match(make_game("tictactoe"), ["random", "greedy"], 20, 0)
    assert not result.timed_apart
    assert (result.times > 0).sum(axis=1).tolist() == [1, 1]
    np.testing.assert_array_equal(result.times[0], result.times[1])
