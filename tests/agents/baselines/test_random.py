import numpy as np
import pytest

from ludarium.agents.baselines.random import random
from ludarium.envs.batch import ILLEGAL, play_games, random_games
from ludarium.envs.chance import seed_key, stream
from ludarium.envs.tictactoe import TicTacToe

NO_STATE = np.zeros(0, dtype=np.uint8)


def test_every_legal_action_is_equally_likely_and_no_other_occurs():
    game = TicTacToe()
    position = game.from_text("x.o/.x./..o x")
    policy, draws, mask = random(game), stream(5), position.action_mask()
    counts = np.zeros(game.actions)
    for _ in range(5000):
        counts[policy.choose(game, NO_STATE, mask, mask, draws)] += 1
    assert np.array_equal(counts > 0, mask == 1)
    assert counts[mask == 1] == pytest.approx(1000, abs=130)  # more than four standard deviations


def test_it_plays_as_random_games_are_played(play):
    game = TicTacToe()
    payoffs, _ = random_games(game, 20_000, seed=3)
    assert np.mean(payoffs[:, 0] == 1) == pytest.approx(0.58492, abs=0.015)  # exact: .58492, .12698, .28810
    policy = random(game)
    keys = np.array([seed_key(1, i) for i in range(20_000)])
    games = play_games(game, [policy], np.zeros((20_000, 2), dtype=np.int64), keys, keys)
    assert (games.endings < ILLEGAL).all()
    assert np.mean(games.payoffs[:, 0] == 1) == pytest.approx(0.58492, abs=0.015)
    assert np.mean(games.payoffs[:, 0] == 0) == pytest.approx(0.12698, abs=0.01)
