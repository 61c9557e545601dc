"""A map as an agent that says what it knows of a position, and what the moves there seem worth to it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent, Reason
from ludarium.agents.compiled.hashing import EMPTY, find, hash_state
from ludarium.agents.genetic.ifthen.maps import FORGOTTEN, Pairs
from ludarium.agents.genetic.ifthen.player import scratch, worth
from ludarium.agents.genetic.ifthen.windows import Windows
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position


class MapAgent(CompiledAgent):
    """An if-then player with reasons.

    Args:
        name: its name.
        policy: the player.
        pairs: its map, arrays of shape (slots,).
        visits: (slots,) int32: the number of games that have taught each pair.
        windows: the windows that the learner values; none if there are none.
        with_values: whether the learner keeps values.
    """

    def __init__(
        self, name: str, policy: Policy, pairs: Pairs, visits: NDArray[np.int32], windows: Windows, with_values: bool
    ) -> None:
        super().__init__(name, policy)
        self._pairs, self._visits, self._windows, self._with_values = pairs, visits, windows, with_values

    def explain(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> Reason:
        """The pair of the position with its value and its games, or how it chose without one."""
        position: Position = info["position"]
        game, pairs, state = position.game, self._pairs, _words(position)
        slot = find(pairs.keys, np.uint64(hash_state(state)))
        move = int(pairs.moves[slot])
        known = pairs.keys[slot] != EMPTY and move != FORGOTTEN and action_mask[move]
        values = self._values(game, position, state, action_mask) if self._with_values else {}
        if known:
            count = int(self._visits[slot])
            value = f" and the value {float(pairs.values[slot]):+.2f}" if self._with_values else ""
            taught = f"taught by {count:,} game{'s' * (count != 1)}"
            return Reason(f"its map has {game.action_to_str(position, move)} here, {taught}{value}", values)
        if len(self._windows.kinds):
            return Reason("its map does not know this position: the move whose squares seem worth most", values)
        return Reason("its map does not know this position: a random move")

    def _values(
        self, game: Game, position: Position, state: NDArray[np.uint64], mask: NDArray[np.int8]
    ) -> dict[int, float]:
        """What each legal action seems worth."""
        table, seat, buffers = game.table, position.turn, scratch(game.table)
        return {
            action: float(worth(table, self._pairs, self._windows, state, seat, action, buffers))
            for action in np.flatnonzero(mask).tolist()
        }


def _words(position: Position) -> NDArray[np.uint64]:
    """A position's bytes as whole words, as maps hash them."""
    words = np.zeros((len(position.data) + 7) // 8, dtype=np.uint64)
    words.view(np.uint8)[: len(position.data)] = position.data
    return words
