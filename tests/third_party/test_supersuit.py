"""SuperSuit's wrappers around our PettingZoo environments: which keep the mask of legal actions, and which refuse."""

import re
from pathlib import Path

import numpy as np
import pettingzoo
import pytest

import ludarium  # noqa: F401  (registers the games)

supersuit = pytest.importorskip("supersuit")


def tictactoe():
    return pettingzoo.make("aec", "ludarium/tictactoe-v0")


def play(env):
    """The first legal move, again and again; the sum of all rewards."""
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        env.step(None if terminated or truncated else int(np.flatnonzero(seen["action_mask"])[0]))
    return list(total.values())


@pytest.mark.parametrize(
    ("wrapper", "arguments", "rewards"),
    [
        ("clip_reward_v0", {"lower_bound": -0.5, "upper_bound": 0.5}, [0.5, -0.5]),
        ("reward_lambda_v0", {"change_reward_fn": lambda reward: 3 * reward}, [3, -3]),
    ],
)
def test_wrappers_of_rewards_keep_the_mask(wrapper, arguments, rewards):
    assert play(tictactoe()) == [1, -1]
    assert play(getattr(supersuit, wrapper)(tictactoe(), **arguments)) == rewards


@pytest.mark.parametrize(
    ("wrapper", "arguments"),
    [
        ("flatten_v0", {}),
        ("dtype_v0", {"dtype": np.float32}),
        ("normalize_obs_v0", {}),
        ("frame_stack_v2", {}),
        ("agent_indicator_v0", {}),
        ("pad_observations_v0", {}),
    ],
)
def test_wrappers_of_arrays_refuse_a_dict(wrapper, arguments):
    with pytest.raises((AssertionError, AttributeError)):
        getattr(supersuit, wrapper)(tictactoe(), **arguments).reset(seed=1)


def test_two_wrappers_harm_the_mask_without_a_word():
    largest = supersuit.max_observation_v0(tictactoe(), 2)
    largest.reset(seed=1)
    assert np.shape(largest.last()[0]) == ()  # no mask, and no board either
    late = supersuit.delay_observations_v0(tictactoe(), 1)
    late.reset(seed=1)
    for action in range(3):
        late.step(action)
    assert np.flatnonzero(late.last()[0]["action_mask"]).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert late.unwrapped.position.legal_actions() == [3, 4, 5, 6, 7, 8]


def test_the_example_of_supersuit_keeps_the_masks():
    """The one in the documentation, on its own game."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "environments.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import numpy.*?import supersuit\n.*?)```", page, re.DOTALL)
    names = {}
    exec(example, names)
    env = names["env"]
    env.reset(seed=1)
    for agent in env.agent_iter(20):
        seen, _, over, _, _ = env.last()
        position = env.unwrapped.position
        assert not over
        assert np.flatnonzero(seen["action_mask"]).tolist() == position.legal_actions()
        assert np.array_equal(seen["observation"], position.observe(env.unwrapped._seat_of[agent]).ravel())
        assert env.observation_space(agent).contains(seen)
        env.step(int(seen["action_mask"].argmax()))
