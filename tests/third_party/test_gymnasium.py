"""Gymnasium's own wrappers around our environments: statistics, videos, and those of vectors."""

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers import vector as wrappers

import ludarium  # noqa: F401  (registers the games)
from ludarium.envs.chance import stream
from ludarium.envs.lanes import random_actions
from ludarium.envs.vector import GameVectorEnv

SEED = 21


def test_episodes_are_recorded():
    env = RecordEpisodeStatistics(gymnasium.make("ludarium/Othello-v0", size=4, opponent="greedy"))
    _, info = env.reset(seed=SEED)
    total = steps = 0
    while "episode" not in info:
        _, reward, _, _, info = env.step(int(info["action_mask"].argmax()))
        total, steps = total + reward, steps + 1
    assert (info["episode"]["r"], info["episode"]["l"]) == (total, steps)


def test_a_game_becomes_a_video(tmp_path):
    pytest.importorskip("moviepy")
    env = RecordVideo(gymnasium.make("ludarium/TicTacToe-v0", render_mode="rgb_array"), str(tmp_path))
    _, info = env.reset(seed=SEED)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


@pytest.mark.parametrize(
    ("wrapper", "arguments"),
    [
        (wrappers.FlattenObservation, {}),
        (wrappers.TransformObservation, {"func": lambda seen: seen + 1}),
        (wrappers.NormalizeObservation, {}),
        (wrappers.RecordEpisodeStatistics, {}),
        (wrappers.DictInfoToList, {}),
        (wrappers.RecordVideo, {"video_folder": "videos"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_gymnasiums_vector_wrappers(wrapper, arguments, tmp_path, monkeypatch):
    if wrapper is wrappers.RecordVideo:
        pytest.importorskip("moviepy")
    monkeypatch.chdir(tmp_path)
    env = wrapper(GameVectorEnv("tictactoe", 3, render_mode="rgb_array", autoreset_mode="NextStep"), **arguments)
    env.reset(seed=SEED)
    for _ in range(20):
        observations, *_ = env.step(env.unwrapped.action_masks().argmax(axis=1))
    assert len(observations) == 3
    env.close()


def test_gymnasiums_wrappers_understand_it():
    env = wrappers.RecordEpisodeStatistics(GameVectorEnv("tictactoe", 4, seat=0))
    _, infos = env.reset(seed=1)
    draws, seen = stream(3), 0
    for _ in range(30):
        _, _, terminated, _, infos = env.step(random_actions(infos["action_mask"], draws))
        if terminated.any():
            seen += int(terminated.sum())
            won = infos["final_info"]["payoffs"][terminated, 0]
            assert np.array_equal(infos["episode"]["r"][terminated], won)
    assert seen > 10
