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
    assert quantile(count_times([10**18]), 0.5) > 86_400  # it counts in the last bucket
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
    began = time.perf_counter()
    result = play_match(make_game("tictactoe"), [_Sleepy(), _First()], 3, 0)
    assert 0 < result.seconds <= time.perf_counter() - began
    assert not result.compiled
    assert result.times.shape == (2, BUCKETS)
    assert result.times.sum() == result.decisions
    assert quantile(result.times[0], 0.5) > 0.0018
    assert quantile(result.times[0], 0.5) > quantile(result.times[1], 0.5)


def test_games_in_step_share_the_time_of_a_call(time):
    """A second for each decision; the opponent, which answers in one game at a time, takes none."""

    class Slow(_Batched):
        def act_batch(self, observations, action_masks, infos):
            time.pass_by(len(infos))
            return super().act_batch(observations, action_masks, infos)

    result = play_match(make_game("tictactoe"), [Slow(), "random"], 20, 0)
    assert result.times.sum() == result.decisions
    assert result.times[0].nonzero() == count_times([10**9]).nonzero()
    assert result.times[1].nonzero() == count_times([0]).nonzero()


def test_in_compiled_code_one_game_in_sixteen_is_timed_each_agent_by_itself():
    """Games 0 and 16, the first ones of pairs 0 and 8; the two random moves at the start are nobody's."""
    game, agents = make_game("tictactoe"), ["mcts?simulations=2000", "random"]
    result = play_match(game, agents, 16, 0, opening=2, record=True)
    assert result.compiled
    lengths = (result.moves >= 0).sum(axis=1)[[0, 16]] - 2
    assert result.times.sum(axis=1).tolist() == [((lengths + 1) // 2).sum(), (lengths // 2).sum()]
    assert quantile(result.times[0], 0.5) > 10 * quantile(result.times[1], 0.5)
    assert play_match(game, agents, 1, 0).times.sum() == 0  # nothing is recorded
