"""OpenSpiel's bots in our games, and policies written for PettingZoo."""

import sys

import numpy as np
import pytest

from ludarium.agents import check_agent, make_agent
from ludarium.agents.agent import AgentFailure
from ludarium.agents.external.openspiel import OpenSpielAgent
from ludarium.agents.external.pettingzoo import PettingZooAgent
from ludarium.envs.episode import Episode
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match


def test_pettingzoo_policies_play():
    calls = []

    def cautious(observation, agent):
        calls.append(agent)
        assert set(observation) == {"observation", "action_mask"}
        return np.flatnonzero(observation["action_mask"])[-1]

    game = make_game("tictactoe")
    agent = PettingZooAgent(cautious)
    assert agent.name == "cautious"
    check_agent(agent, game, games=2)
    assert not play_match(game, [agent, "random"], 3, seed=1).forfeits
    assert set(calls) == {"player_0", "player_1"}


pyspiel = pytest.importorskip("pyspiel")


def random_bot(theirs, player, seed):
    return pyspiel.make_uniform_random_bot(player, seed)


def mcts_bot(theirs, player, seed):
    return pyspiel.MCTSBot(theirs, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, 50, 100, True, seed, False)


@pytest.mark.parametrize("spec", ["tictactoe", "othello", "backgammon"])
def test_a_bot_plays(spec):
    game = make_game(spec)
    check_agent(OpenSpielAgent(game, random_bot), game, games=1)
    match = play_match(game, [OpenSpielAgent(game, random_bot), "random"], 2, seed=1, opening=2)
    assert not match.forfeits


def test_its_mcts_beats_random():
    game = make_game("tictactoe")
    agent = OpenSpielAgent(game, mcts_bot)
    assert agent.name == "openspiel:mcts_bot"
    check_agent(agent, game, games=2)
    assert play_match(game, [agent, "random"], 20, seed=1).scores().mean() > 0.8


def test_other_games_by_name(connect_four_class):
    check_agent(OpenSpielAgent(connect_four_class(), mcts_bot, "connect_four"), connect_four_class(), games=1)


class Watcher:
    """A bot that counts what it is told."""

    def __init__(self):
        self.told, self.restarts = [], 0

    def restart(self):
        self.restarts += 1

    def inform_action(self, state, player, action):
        self.told.append((player, action))

    def step(self, state):
        return state.legal_actions()[-1]


def test_the_bot_is_told_of_the_others_actions():
    watcher = Watcher()
    game = make_game("tictactoe")
    agent = OpenSpielAgent(game, lambda theirs, player, seed: watcher)
    assert agent.name == "openspiel:<lambda>"
    play_match(game, [agent, lambda observation, mask, info: mask.argmax()], 1, seed=1)
    assert watcher.restarts == 2
    assert watcher.told[:2] == [(1, 0), (1, 1)]


def test_a_game_that_begins_in_the_middle():
    game = make_game("tictactoe")
    agent = OpenSpielAgent(game, random_bot)
    episode = Episode(game, np.uint64(1), game.from_text("xo./x../... o"), [])
    agent.reset(1, 1)
    with pytest.raises(AgentFailure, match="OpenSpiel's rules give another position; did the game begin as usual"):
        agent(episode.position.observe(1), episode.mask(), episode.info(1, agent))


def test_refusals(monkeypatch):
    for spec in ("othello?size=6", "tictactoe?rows=4", "backgammon?cube=True", "hexapawn"):
        with pytest.raises(ValueError, match=r"no game of OpenSpiel is known to have the actions of .*; give its name"):
            OpenSpielAgent(make_game(spec), random_bot)
    with pytest.raises(ValueError, match="OpenSpiel has no game 'four_in_a_row': "):
        OpenSpielAgent(make_game("hexapawn"), random_bot, "four_in_a_row")
    with pytest.raises(ValueError, match="OpenSpiel's tic_tac_toe has 9 actions, hexapawn has 27"):
        OpenSpielAgent(make_game("hexapawn"), random_bot, "tic_tac_toe")
    with pytest.raises(ValueError, match=r"hanabi: the agent 'openspiel:random_bot' needs the position, which a game"):
        make_agent(OpenSpielAgent(make_game("hanabi"), random_bot, "hanabi"), make_game("hanabi"))
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match=r'OpenSpiel is not installed: pip install "ludarium\[oracles\]"'):
        OpenSpielAgent(make_game("tictactoe"), random_bot)
