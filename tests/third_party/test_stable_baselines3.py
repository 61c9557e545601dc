"""Stable-Baselines3 and sb3-contrib as their users call them: the checker, training, evaluation, and a match."""
# ruff: noqa: E402  (imports that must wait until it is known that they can be)

import gymnasium
import pytest

stable_baselines3, sb3_contrib = pytest.importorskip("stable_baselines3"), pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_checker import check_env

import ludarium
from ludarium.envs.sb3 import SB3VecEnv
from ludarium.envs.single import GameEnv

QUICK = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "seed": 1, "device": "cpu"}


@pytest.mark.filterwarnings(
    "error", "ignore:It seems that your observation .*is an image", "ignore:The minimal resolution for an image"
)  # a board has three axes too
@pytest.mark.parametrize("game", ["tictactoe", "hanabi?preset=very-small", "backgammon?variant=hypergammon"])
def test_the_checker_finds_nothing_to_complain_about(game):
    check_env(GameEnv(game))


@pytest.mark.parametrize("make", [lambda: gymnasium.make("ludarium/TicTacToe-v0"), lambda: SB3VecEnv("tictactoe", 2)])
def test_maskable_ppo_learns_and_plays_only_legal_moves(make):
    model = sb3_contrib.MaskablePPO("MlpPolicy", make(), **QUICK).learn(64)
    assert model.num_timesteps >= 64
    evaluate_policy(model, gymnasium.make("ludarium/TicTacToe-v0", illegal="raise"), 5, warn=False)
    assert not ludarium.match(model, "random", game="tictactoe", pairs=2).forfeits


def test_ppo_learns_and_plays_from_memory():
    model = stable_baselines3.PPO("MlpPolicy", SB3VecEnv("tictactoe", 2, opponent="random"), **QUICK).learn(64)
    assert not ludarium.match({"mine": model}, "random", game="tictactoe", pairs=2).forfeits
