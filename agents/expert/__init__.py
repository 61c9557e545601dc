"""The agent `expert`: for each game, the strongest player that comes with this package.

| game | player |
|---|---|
| hexapawn, tic-tac-toe, any small game | perfect, by solving the whole game |
| Othello 8 × 8 | alpha-beta on patterns that learned by playing themselves, and a perfect endgame |
| Othello 4 × 4 | perfect for discs, since all of it is endgame |
| backgammon | networks that learned from a teacher; races at home from exact tables |
| Hanabi | rules that evolved, a list for each number of seats; with minimal observations, as `greedy` |
| other games | alpha-beta if there is an evaluation, otherwise Monte Carlo tree search, or whoever takes the game |

`benchmarks/expert.py` makes the patterns and `benchmarks/expert_backgammon.py` the networks, which are shipped beside
this file, rounded to 16 bits; `benchmarks/lcs.py --part expert --choose` chooses the rules.
"""

import contextlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.expectations import network_evaluation
from ludarium.agents.backgammon.network import Network
from ludarium.agents.backgammon.player import network_policy
from ludarium.agents.backgammon.teaching_games import network
from ludarium.agents.baselines.random import random
from ludarium.agents.lcs.agent import RuleAgent
from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.text import read_file
from ludarium.agents.othello.tuples import layout
from ludarium.agents.search.alphabeta import alphabeta, check_budget
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.greedy import greedy
from ludarium.agents.search.mcts import mcts
from ludarium.agents.search.solver import perfect
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.files import read_arrays, reading
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

PATTERNS = Path(__file__).parent / "othello.npz"
"""The shipped patterns: `weights`, shape (phases, weights) int16; `scale`, what they are divided by."""
NETWORKS = Path(__file__).parent / "backgammon.npz"
"""The shipped networks: for `contact` and `race`, `hidden`, `output` and `bias`, float16."""
LISTS = Path(__file__).parent / "hanabi"
"""The shipped lists of rules for Hanabi, by number of seats, see `ludarium.agents.lcs.text`."""
_NODES, _DEPTH, _ENDGAME = 100_000, 60, 16
_POSITIONS = 100_000  # of a game that is solved


def expert(
    game: Game, *, seconds: float = 0.0, nodes: int = 0, exact: bool = True, ply: int = 0, cube: bool = True
) -> Policy | RuleAgent:
    """The strongest player of a game; nothing about it is random, except between equally good moves.

    Args:
        game: any game.
        seconds: how long a move may take, for players that search; the moves then depend on the machine.
        nodes: how many positions a move may take instead. By default 100,000 in Othello.
        exact: solve small games. Such a player knows only the positions that its game can reach from the start.
        ply: in backgammon, 1 to look one roll ahead, else 0.
        cube: in backgammon, double and drop.

    Raises:
        ValueError: for a budget out of range, or options of backgammon for another game.
    """
    check_budget("expert", nodes, seconds)
    if game.name == "backgammon":
        contact, race = networks()
        return network_policy(game, contact, race=race, ply=ply, cube=cube)
    if (ply, cube) != (0, True):
        raise ValueError(f"expert: ply and cube are options for backgammon, not for {game.name}")
    if game.name == "othello" and game.options["size"] == 8:
        nodes = nodes or (0 if seconds else _NODES)
        own_evaluation = evaluation(game)
        return alphabeta(game, depth=_DEPTH, nodes=nodes, seconds=seconds, endgame=_ENDGAME, evaluation=own_evaluation)
    if game.name == "othello" and game.options["size"] == 4:
        return alphabeta(game, endgame=12)
    if game.name == "hanabi" and game.view:
        return RuleAgent("expert", game, _rules(game))
    searched: list[Callable[[], Policy]] = [lambda: perfect(game, limit=_POSITIONS)] if exact else []
    if game.name == "hanabi":
        searched = [lambda: greedy(game)]
    if evaluation_of(game):
        depth = _DEPTH if seconds or nodes else 8
        searched.append(lambda: alphabeta(game, depth=depth, seconds=seconds, nodes=nodes))
    searched += [lambda: mcts(game, simulations=2000), lambda: greedy(game)]
    for make in searched:
        with contextlib.suppress(ValueError):  # the game is not for this player
            return make()
    return random(game)


def evaluation(game: Game) -> Evaluation:
    """What `expert` knows of unfinished positions, for other players that look ahead: `"mcts?evaluation=expert"`.

    Returns:
        The patterns in Othello 8 × 8, the networks in backgammon, elsewhere the first evaluation of the game.

    Raises:
        ValueError: for a game that has none.
    """
    if game.name == "othello" and game.options["size"] == 8:
        return _patterns()
    if game.name == "backgammon":
        contact, race = networks()
        return network_evaluation(network_policy(game, contact, race=race))
    usual = evaluation_of(game)
    if usual is None:
        raise ValueError(f"expert: it has no evaluation for {game.name}; use none, LEARNER:RUN, or FILE.py:FUNCTION")
    return usual


@cache
def networks() -> tuple[Network, Network]:
    """The networks that are shipped for backgammon: for contact, and for races."""
    with reading(f"{NETWORKS}: the networks cannot be read"):
        arrays = {name: array.astype(np.float32) for name, array in read_arrays(NETWORKS).items()}
        return network(arrays, "contact"), network(arrays, "race")


def _rules(game: Game) -> NDArray[Any]:
    """The list for a game of Hanabi; the one written by hand if it is not played with all cards."""
    seats = game.options["seats"]
    same = {**game.options, "score": "", "observation": ""} == {
        **make_game(f"hanabi?seats={seats}").options, "score": "", "observation": ""
    }  # fmt: skip
    return read_file(LISTS / f"{seats}.txt") if same else hand_list()


@cache
def _patterns() -> Evaluation:
    """The evaluation that is shipped for Othello."""
    with reading(f"{PATTERNS}: the patterns cannot be read"):
        stored = read_arrays(PATTERNS)
        weights = stored["weights"] / np.float32(stored["scale"])
        return layout(8, "patterns").evaluation(weights.reshape(-1), len(weights))
