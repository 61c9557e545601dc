"""Stable-Baselines3: its own checks, and environments for it; `tests/agents/baselines/sb3` trains on them."""
# ruff: noqa: E402  (imports that must wait until it is known that they can be)

import re

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")

from stable_baselines3.common.vec_env import VecMonitor

from ludarium.envs.lanes import random_actions
from ludarium.envs.sb3 import SB3VecEnv
from ludarium.envs.vector import GameVectorEnv


def play(env, steps, seed=1):
    """Random legal actions; what each step showed."""
    env.seed(seed)
    observations, draws, shown = env.reset(), np.array([5, 0], dtype=np.uint64), []
    for _ in range(steps):
        actions = random_actions(env.action_masks().astype(np.int8), draws)
        shown.append((observations, actions, *env.step(actions)))
        observations = shown[-1][2]
    return shown


def test_its_steps_are_those_of_the_vector_environment():
    vector, env = (kind("othello?size=4", 3, opponent="greedy") for kind in (GameVectorEnv, SB3VecEnv))
    expected, _ = vector.reset(seed=1)
    ended = 0
    for observations, actions, after, rewards, done, infos in play(env, 30):
        assert np.array_equal(observations, expected)
        expected, their_rewards, terminated, truncated, extra = vector.step(actions)
        assert np.array_equal(after, expected)
        assert rewards.dtype == np.float32
        assert np.array_equal(rewards, their_rewards)
        assert np.array_equal(done, terminated | truncated)
        for i, info in enumerate(infos):
            assert ("terminal_observation" in info) == done[i]
            if done[i]:
                ended += 1
                assert np.array_equal(info["terminal_observation"], extra["final_obs"][i])
                assert np.array_equal(info["payoffs"], extra["final_info"]["payoffs"][i])
                assert info["TimeLimit.truncated"] is False
    assert ended > 5
    assert np.array_equal(env.action_masks(), extra["action_mask"])


def test_seeds_are_honoured():
    runs = [play(SB3VecEnv("hanabi", 2), 10, seed) for seed in (3, 3, 4)]
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(runs[0], runs[1], strict=True))
    assert not np.array_equal(runs[0][0][0], runs[2][0][0])


@pytest.mark.parametrize("number", [1, 2])
def test_reset_options_are_honoured_once(number):
    env = SB3VecEnv("tictactoe", number, seat=0)
    env.seed(1)
    env.set_options({"position": "xo./.../... x"})
    assert env.reset().sum() == 2 * number
    assert env.reset().sum() == 0


@pytest.mark.parametrize("options", [[], [{"position": "xo./.../... x"}, {}]])
def test_environments_with_options_of_their_own_are_refused(options):
    env = SB3VecEnv("tictactoe", 2, seat=0)
    with pytest.raises(ValueError, match=re.escape(f"the same for all environments; give one dict, not {options}")):
        env.set_options(options)
    env.set_options([{"position": "xo./.../... x"}] * 2)
    assert env.reset().sum() == 4


def test_monitors_and_attributes():
    env = VecMonitor(SB3VecEnv("tictactoe", 2, seat=0))
    env.seed(1)
    env.reset()
    episodes = []
    for _ in range(10):
        *_, infos = env.step(np.array([np.argmax(mask) for mask in env.env_method("action_masks")]))
        episodes += [info["episode"] for info in infos if "episode" in info]
    assert episodes
    assert {episode["r"] for episode in episodes} <= {-1.0, 0.0, 1.0}
    assert env.get_attr("game") == [env.venv.vector.game] * 2
    assert env.has_attr("action_masks")
    assert env.has_attr("game")
    assert not env.has_attr("games")
    for wrapper in (gymnasium.Wrapper, gymnasium.Env, gymnasium.vector.VectorWrapper):
        assert env.env_is_wrapped(wrapper) == [False, False]
        assert env.env_is_wrapped(wrapper, indices=1) == [False]
    env.close()


def test_pictures():
    env = SB3VecEnv("tictactoe", 2, render_mode="rgb_array")
    env.reset()
    one, other = env.get_images()
    assert one.shape == other.shape
    assert env.render().ndim == 3
    assert len(env.env_method("render", indices=0)) == 1


def test_self_play_is_refused():
    text = "SB3VecEnv: self_play must be False; put the opponent inside with opponent=..."
    with pytest.raises(ValueError, match=text):
        SB3VecEnv("tictactoe", 2, self_play=True)


def test_what_its_environments_do_not_have():
    env = SB3VecEnv("tictactoe", 2)
    with pytest.raises(AttributeError, match="SB3VecEnv has no method 'fly' for its environments; it has: action_mas"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="SB3VecEnv: 'game' cannot be set; pass it when the environment is made"):
        env.set_attr("game", 1)
