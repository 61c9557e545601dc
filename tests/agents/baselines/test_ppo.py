"""The networks that are shipped."""

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.baselines.ppo import FOLDER
from ludarium.envs.chance import seed_key
from ludarium.envs.episode import Episode
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


@pytest.mark.parametrize("spec", ["tictactoe", "hanabi"])
def test_its_reason_is_how_probable_it_finds_each_move(spec):
    game = make_game(spec)
    agent = make_agent("ppo", game)
    episode = Episode(game, seed_key(3), None, [])
    for _ in range(5):
        shown = (episode.position.observe(episode.turn), episode.mask().copy(), episode.info(episode.turn, agent))
        agent.reset(episode.turn, 1)
        action, reason = agent(*shown), agent.explain(*shown)
        assert set(reason.values) == set(episode.position.legal_actions())
        assert sum(reason.values.values()) == pytest.approx(1)
        assert reason.values[action] == max(reason.values.values())
        assert reason.text == f"the most probable move, {reason.values[action]:.0%}"
        episode.play(action)
