"""Players made of rules: the policy, and the agent that knows its move probabilities and names the rule it follows."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent, Reason
from ludarium.agents.compiled.blocks import pack, table, unpack
from ludarium.agents.genetic.board import Board, board, see
from ludarium.agents.genetic.gaia.rule_drawing import rule_drawing
from ludarium.agents.genetic.gaia.rule_text import firing_order, in_image, rule_text
from ludarium.agents.genetic.gaia.rules import RULE, decide, decide_in_order, matches
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.policy import Policy

_BLOCK = np.dtype(
    [
        ("count", np.int64),  # of rules
        ("images", np.int64),
        ("size", np.int64),  # squares of the board
        ("squares", np.int64),  # (images, size) int64, see `Board`
        ("undo", np.int64),  # (images, actions) int64, see `Board`
        ("rules", np.int64),  # (count,) of `RULE`
        ("settled", np.int64),  # see `rule_policy`
    ]
)


class RuleAgent(CompiledAgent):
    """A player made of rules; its policy comes from `rule_policy`.

    Attributes:
        board: the game's board as its rules see it.
        rules: shape (n,) of `RULE`.
        settled: whether it breaks ties the same way each time, see `rule_policy`.
    """

    remembered = ("_stream", "_drawn")

    def __init__(self, name: str, game: Game, policy: Policy) -> None:
        super().__init__(name, policy)
        assert policy.block is not None
        header = policy.block[: _BLOCK.itemsize].view(_BLOCK)[0]
        self.board = board(game, bool(header["images"] > 1))
        self.settled = bool(header["settled"])
        self._drawn = self._stream.copy()  # the random stream as it was before the last decision
        self.rules = unpack(policy.block, _BLOCK, "rules", RULE, (header["count"],))

    def distribution(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> NDArray[np.float64]:
        fired = self._fired(observation, action_mask)
        if self.settled and len(fired):
            return np.eye(len(action_mask))[self._decided(self._see(observation), action_mask)[1]]
        chances = np.zeros(len(action_mask)) if len(fired) else action_mask.astype(np.float64)
        np.add.at(chances, fired[:, 1], 1.0)
        return chances / chances.sum()

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        self._drawn[:] = self._stream
        return super().__call__(observation, action_mask, info)

    def explain(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> Reason:
        """The rule that fired: its number in firing order, and the rule as it applies to the actual board."""
        game, seat, seen = info["game"], info["seat"], self._see(observation)
        undo, (place, action) = self.board.undo, self._decided(seen, action_mask)
        if place < 0:
            return Reason("no rule matches: a random move")
        rule = self.rules[place]
        images = (i for i in range(len(undo)) if undo[i, rule["action"]] == action and matches(rule, seen, i))
        there = in_image(self.board, rule, next(images))
        number = firing_order(self.rules).tolist().index(place) + 1
        text = f"rule {number}:\n{rule_text(game, self.board, there, seat)}"
        return Reason(text, drawing=rule_drawing(game, self.board, there, seat))

    def _decided(self, seen: NDArray[np.uint64], action_mask: NDArray[np.int8]) -> tuple[int, int]:
        """The rule and the action of the last decision."""
        how, count = decide_in_order if self.settled else decide, int(action_mask.sum())
        place, action = how(self.rules, seen, self.board.undo, action_mask, count, self._drawn.copy())
        return int(place), int(action)

    def _see(self, observation: NDArray[np.int8]) -> NDArray[np.uint64]:
        """The board as sets of squares in each mirror image, shape (images, 3) uint64."""
        seen = np.zeros((len(self.board.undo), 3), dtype=np.uint64)
        see(observation.reshape(-1), self.board.squares, seen)
        return seen

    def _fired(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """The rules that may fire, shape (n, 2): rule and action; all are equally likely."""
        seen = self._see(observation)
        pairs = np.zeros((self.rules.size * len(seen), 2), dtype=np.int64)
        pairs = pairs[: _matching(self.rules, seen, self.board.undo, action_mask, pairs)]
        fields = self.rules[pairs[:, 0]]
        first = fields["priority"] == fields["priority"].max(initial=-1)
        heaviest = fields["weight"][first].max(initial=-np.inf)
        return pairs[first & (fields["weight"] == heaviest)]


@jit
def _matching(rules: Any, seen: Any, undo: Any, mask: Any, pairs: Any) -> int:
    """Write each matching rule with its action where that is legal, and return how many there are."""
    count = 0
    for number in range(len(rules)):
        for image in range(len(undo)):
            if matches(rules[number], seen, image) and mask[undo[image, rules[number].action]]:
                pairs[count, 0], pairs[count, 1] = number, undo[image, rules[number].action]
                count += 1
    return count


def rule_policy(game: Game, board: Board, rules: NDArray[Any], *, settled: bool = False) -> Policy:
    """A player with these rules.

    Args:
        game: the game.
        board: its board, as the rules see it.
        rules: shape (n,) of `RULE`. Where none matches, it plays a random legal action.
        settled: between several mirror images of a rule, it chooses the same each time that it meets a position.
    """
    numbers = {
        "count": len(rules), "images": board.squares.shape[0], "size": board.squares.shape[1], "settled": int(settled),
    }  # fmt: skip
    block = pack(_BLOCK, numbers, {"squares": board.squares, "undo": board.undo, "rules": rules})
    return Policy(_act, _BLOCK, block, needs_observation=True)


def _act(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The policy of `rule_policy`."""
    squares = table(block, block.squares, np.int64, (block.images, block.size))
    undo = table(block, block.undo, np.int64, (block.images, game[ACTIONS]))
    rules = table(block, block.rules, RULE, (block.count,))
    # As arrays, so that no function is compiled a second time for pointers.
    shown, legal = numba.carray(observation, (2 * block.size,)), numba.carray(mask, (game[ACTIONS],))
    seen = np.zeros((block.images, 3), dtype=np.uint64)
    see(shown, squares, seen)
    count: Any = np.int64(0)
    for action in range(len(legal)):
        count += legal[action]
    if block.settled:
        return decide_in_order(rules, seen, undo, legal, count, numba.carray(stream, (2,)))[1]
    return decide(rules, seen, undo, legal, count, numba.carray(stream, (2,)))[1]
