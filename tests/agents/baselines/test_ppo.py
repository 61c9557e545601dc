"""The networks that are shipped."""

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.baselines.ppo import FOLDER
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match


@pytest.mark.parametrize("name", ["hexapawn", "tictactoe", "othello", "backgammon", "hanabi"])
def test_a_network_is_shipped_for_every_game(name):
    game = make_game(name)
    assert make_agent("ppo", game).policy is not None
    tables = [["ppo"], ["random"]] if game.cooperative else [["ppo", "random"]]
    matches = [play_match(game, agents, 100, seed=1) for agents in tables]
    assert not any(match.forfeits for match in matches)
    ours, theirs = np.concatenate([match.payoffs for match in matches], axis=2).mean(axis=(0, 1))
    assert ours > theirs
    assert (FOLDER / f"{name}.npz").stat().st_size < 500_000


def test_games_without_a_shipped_network():
    message = (
        r"ppo: no trained network is shipped for othello\?size=6; there is one for backgammon, hanabi, hexapawn, oth"
    )
    with pytest.raises(ValueError, match=message):
        make_agent("ppo", make_game("othello?size=6"))
