"""The player that looks one action ahead, with any evaluation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.search.units import at_sight, in_units
from ludarium.agents.values.evaluations import Evaluation, worth
from ludarium.envs import kernels
from ludarium.envs.chance import below
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, SEATS, STATE_SIZE
from ludarium.envs.opinions import Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_BLOCK = np.dtype([("evaluation", np.int64), ("parameters", np.int64), ("weights", np.int64)], align=True)


def check_game(game: Game) -> None:
    """Refuse games in which the result of an action cannot be seen.

    Raises:
        ValueError: for these.
    """
    if game.hidden_information:
        raise ValueError(
            f"greedy: {game.name} has hidden information, so the result of an action cannot be seen; "
            "use an agent that plays by what it sees, such as 'random'"
        )


def one_ply(game: Game, evaluation: Evaluation | None) -> Policy:
    """The player that takes the action whose result has the best evaluation, at random among equals.

    Args:
        game: a game without hidden information.
        evaluation: None to judge unfinished positions by their returns so far.

    Raises:
        ValueError: for a game with hidden information.
    """
    check_game(game)
    weights = evaluation.weights if evaluation else np.zeros(0)
    numbers = {"evaluation": evaluation.address(game) if evaluation else 0, "parameters": len(weights)}
    return Policy(
        _greedy,
        _BLOCK,
        pack(_BLOCK, numbers, {"weights": weights}),
        needs_state=True,
        judge=lambda position, stream: judge_by_evaluation(position, evaluation),
    )


def judge_by_evaluation(position: Position, evaluation: Evaluation | None) -> Opinions:
    """What each action leads to is worth, without any search.

    Args:
        position: a position where a seat is to move.
        evaluation: None to judge unfinished positions by their returns so far.
    """
    opinions = (at_sight(position, action, evaluation) for action in position.legal_actions())
    return in_units(position, evaluation, opinions)


def judging(policy: Policy, evaluation: Callable[[Game], Evaluation]) -> Policy:
    """A player that goes by an evaluation, and then also says what it thinks of moves."""
    return replace(policy, judge=lambda position, stream: judge_by_evaluation(position, evaluation(position.game)))


def _greedy(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    seat = kernels.turn(game, state)
    weights = table(block, block.weights, np.float64, (block.parameters,))
    successor = np.empty(game[STATE_SIZE], dtype=np.uint8)
    payoffs = np.empty(game[SEATS])
    choice, best, ties = -1, -np.inf, 0
    for action in range(game[ACTIONS]):
        if not mask[action]:
            continue
        _follow(game, state, action, successor)
        turn = kernels.turn(game, successor)
        value = worth(game, successor, seat, turn, block.evaluation, weights, payoffs)
        if choice < 0 or value > best:
            choice, best, ties = action, value, 1
        elif value == best:  # each of the equals is kept with the same probability
            ties += 1
            if below(stream, ties) == 0:
                choice = action
    return choice


@jit
def _follow(game: Any, state: Any, action: int, successor: Any) -> None:
    """Write the position that an action leads to."""
    for i in range(game[STATE_SIZE]):
        successor[i] = state[i]
    kernels.play(game, successor, action)
