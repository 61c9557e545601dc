"""Players that are lists of rules: the first rule that fires decides the move.

A list is in order of decreasing utility. If no rule fires, the oldest card is discarded or, with all tokens there, the
first hint is given.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.lcs.decide import target
from ludarium.agents.lcs.language import RULE
from ludarium.agents.lcs.scene import SCENE, look, needs
from ludarium.agents.lcs.text import MOST_RULES
from ludarium.envs.chance import below, uniform
from ludarium.envs.game import Game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.beliefs import counting
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, Bytes, Int8s, Record, view
from ludarium.envs.policy import Policy

BLOCK = np.dtype(
    [
        *SCENE,
        ("plan", np.int16, (2, MOST_RULES)),  # scratch: the rules to play, and to discard, that may apply to others
        ("plans", np.int64, (2,)),  # how many they are
        ("fired", np.int64),  # the rule that decided the last move, -1: none
        ("explore", np.float64),  # the probability that any rule that fires decides
        ("length", np.int64),  # of the list
        ("rules", np.int64),  # a table of `RULE`
    ],
    align=True,
)


def rule_player(game: Game, rules: NDArray[Any], *, exact: bool = False, explore: float = 0.0) -> Policy:
    """The policy of a list of rules.

    Args:
        game: a game of Hanabi that has views.
        rules: shape (n,) of `RULE`, in order.
        exact: whether probabilities of one's own cards consider all together; see `ludarium.envs.hanabi.beliefs`.
        explore: the probability that a move is that of a random one of the rules that fire.

    Raises:
        ValueError: if the game is another, or its observations are minimal.
    """
    check_game(game)
    numbers = {"length": len(rules), "exact": counting(exact), "needs": needs(rules), "explore": explore}
    return Policy(_choose, BLOCK, pack(BLOCK, numbers, {"rules": rules}), needs_view=True)


def check_game(game: Game) -> None:
    """Refuse games that rules cannot play.

    Raises:
        ValueError: if the game is not Hanabi, or its observations are minimal.
    """
    if not isinstance(game, Hanabi) or game.view is None:
        raise ValueError(f"lcs: rules play hanabi with observation='card_knowledge', not {game.spec}")


def _choose(game: Bytes, state: Bytes, observation: Int8s, mask: Int8s, block: Record, stream: Bytes) -> int:
    v = view(state, VIEW)
    rules = table(block, block.rules, RULE, (block.length,))
    look(v, block)
    explores = block.explore > 0.0 and uniform(stream) < block.explore
    action = block.fired = -1
    firing = 0
    for i in range(block.length):
        wanted = target(v, block, rules, i)
        if wanted >= 0:
            firing += 1
            if firing == 1 or below(stream, firing) == 0:  # so all that fire are equally likely
                action, block.fired = wanted, i
            if not explores:
                break
    return action if action >= 0 else last_resort(game, v, mask)


@jit
def last_resort(game: Bytes, v: Record, mask: Int8s) -> int:
    """What is done if no rule fires: discard the oldest card, or give the first hint, or play the oldest card."""
    if v.information < v.information_tokens:
        return 0
    for action in range(2 * v.hand_size, game[ACTIONS]):
        if mask[action]:
            return action
    return v.hand_size
