"""The greedy agent: looks one action ahead and takes what is worth most."""

from typing import Any

import numpy as np

from ludarium.agents.values.evaluations import evaluation_address, payoff_scale, worth
from ludarium.envs import kernels
from ludarium.envs.chance import below
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, SEATS, STATE_SIZE
from ludarium.envs.policy import Policy

BLOCK = np.dtype([("evaluation", np.int64), ("scale", np.float64)], align=True)


def greedy(game: Game) -> Policy:
    """The action whose result the game's static evaluation likes best; ties are broken at random.

    Backgammon is played by `pubeval`, Hanabi by the rule list of Piers; every other game by the evaluations of
    `ludarium.agents.values.evaluations`. Where a game has none, that means: win if a single action wins, avoid to
    lose by a single action, otherwise anything. An action that leads to a chance node is judged before the chance.

    Raises:
        ValueError: for other games with hidden information, where the result of an action cannot be seen.
    """
    if game.name == "backgammon":
        from ludarium.agents.values.pubeval import pubeval

        return pubeval(game)
    if game.name == "hanabi":
        from ludarium.agents.baselines.hanabi_rules import rule_list

        return rule_list(game, name="piers")
    if game.hidden_information:
        raise ValueError(
            f"greedy: {game.name} has hidden information, so the result of an action cannot be seen; "
            "use an agent that plays by what it sees, such as 'random'"
        )
    block = np.array([(evaluation_address(game), payoff_scale(game))], dtype=BLOCK)
    return Policy(_greedy, BLOCK, block, needs_state=True)


def _greedy(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    seat = kernels.turn(game, state)
    successor = np.empty(game[STATE_SIZE], dtype=np.uint8)
    payoffs = np.empty(game[SEATS])
    choice, best, ties = -1, -np.inf, 0
    for action in range(game[ACTIONS]):
        if not mask[action]:
            continue
        value = _value_after(game, state, action, seat, block, successor, payoffs)
        if choice < 0 or value > best:
            choice, best, ties = action, value, 1
        elif value == best:  # keep each of the equals with the same probability
            ties += 1
            if below(stream, ties) == 0:
                choice = action
    return choice


@jit
def _value_after(game: Any, state: Any, action: int, seat: int, block: Any, successor: Any, payoffs: Any) -> float:
    for i in range(game[STATE_SIZE]):
        successor[i] = state[i]
    kernels.play(game, successor, action)
    turn = kernels.turn(game, successor)
    return worth(game, successor, seat, turn, block.evaluation, block.scale, payoffs)
