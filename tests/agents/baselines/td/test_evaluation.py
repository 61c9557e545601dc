"""What a run of `td` has learned, under players that look ahead."""

import shutil

import numpy as np
import pytest

from ludarium.agents import make_agent
from ludarium.agents.baselines.tabular_q import TabularQ
from ludarium.agents.baselines.td.learner import TD
from ludarium.agents.baselines.td.network import PayoffNetwork
from ludarium.agents.learning.run import train
from ludarium.agents.learning.runs import evaluation_of_run
from ludarium.agents.search.solver import solve
from ludarium.envs.chance import stream
from ludarium.envs.othello import Othello
from ludarium.envs.registry import make_game

HYPERGAMMON = "backgammon?variant=hypergammon"


@pytest.fixture(scope="module", params=["tuples", "network"])
def run(request, tmp_path_factory):
    """A run that has learned tic-tac-toe."""
    folder = tmp_path_factory.mktemp(request.param)
    games = {"tuples": 3000, "network": 6000}[request.param]
    learner = TD(game="tictactoe", games=games, approximator=request.param, epsilon=0.3, checkpoints=1, test_games=2)
    train(learner, folder)
    return folder


@pytest.mark.parametrize("player", ["greedy", "alphabeta?depth=2&", "mcts?simulations=100&"])
def test_any_player_takes_it(run, player, play):
    game = make_game("tictactoe")
    separator = "" if "?" in player else "?"
    agent = make_agent(f"{player}{separator}evaluation=td:{run}", game)
    assert play(game, agent.policy, make_agent("random", game).policy, 100).mean() > 0.6


@pytest.mark.parametrize("plies", [4, 5])  # either side to move
def test_it_is_good_for_whoever_wins_and_bad_for_the_other(run, plies, random_positions):
    game = make_game("tictactoe")
    evaluation, solution, values = evaluation_of_run(TD, game, str(run)), solve(game), {-1: [], 0: [], 1: []}
    for position in random_positions(game, 200, plies):
        value = evaluation.value(position, 0)
        assert value == -evaluation.value(position, 1)
        values[int(solution.value(position))].append(value)
    assert np.mean(values[1]) > np.mean(values[-1]) + 0.2


def test_its_own_player_takes_what_it_values_most(run, random_positions):
    game = make_game("tictactoe")
    agent, draws = make_agent(f"td:{run}", game), stream(1)
    for position in random_positions(game, 40, 3):
        mask = position.action_mask()
        action = agent.policy.choose(game, position.data, mask, mask, draws)
        opinions = agent.judge(position, 0)
        assert opinions.ranked().moves[0].value == {o.action: o.value for o in opinions}[action]


def test_a_run_of_another_game_is_refused(run):
    with pytest.raises(ValueError, match=r"the model was trained on tictactoe, not on othello"):
        make_agent(f"alphabeta?evaluation=td:{run}", Othello())


def test_chance_is_refused(tmp_path):
    train(TD(game=HYPERGAMMON, games=2, hidden=2, checkpoints=1, test_games=2), tmp_path)
    game, network = make_game(HYPERGAMMON), PayoffNetwork(hidden=2)
    refused = pytest.raises(ValueError, match=r"has chance, so a position does not tell who has just moved; what the")
    for player in ("greedy", "mcts"):
        with refused:
            make_agent(f"{player}?evaluation=td:{tmp_path}", game)
    with refused:
        network.evaluation(game, network.start(game, 1))


def test_a_damaged_run_is_refused(run, tmp_path):
    game, folder = make_game("tictactoe"), tmp_path / "copy"
    shutil.copytree(run, folder)
    (file,) = folder.glob("arrays-*.npz")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ValueError, match="the trained model is damaged"):
        make_agent(f"greedy?evaluation=td:{folder}", game)
    with pytest.raises(ValueError, match="there is no trained model here"):
        make_agent(f"greedy?evaluation=td:{tmp_path}", game)
    with pytest.raises(ValueError, match="the folder of a run is missing"):
        make_agent("greedy?evaluation=td:", game)


def test_a_learner_that_does_not_value_positions_says_so(tmp_path):
    train(TabularQ(game="tictactoe", games=10, checkpoints=1, test_games=2), tmp_path)
    with pytest.raises(ValueError, match=r"tabular-q: this learner does not say what positions are worth"):
        make_agent(f"greedy?evaluation=tabular-q:{tmp_path}", make_game("tictactoe"))
