"""Players made of rules: the policy, the agent that knows its own chances, and its rules in print."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.compiled.blocks import pack, table, unpack
from ludarium.agents.genetic.board import Board, board, see
from ludarium.agents.genetic.gaia.patterns import RULE, decide, matches
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.policy import Policy

_BLOCK = np.dtype(
    [
        ("count", np.int64),  # of rules
        ("images", np.int64),
        ("size", np.int64),  # of the board
        ("squares", np.int64),  # (images, size) int64, see `Board`
        ("undo", np.int64),  # (images, actions) int64, see `Board`
        ("rules", np.int64),  # (count,) of `RULE`
    ]
)


class RuleAgent(CompiledAgent):
    """A player made of rules, from what `rule_policy` makes.

    Attributes:
        board: the game's board as its rules see it.
        rules: shape (n,) of `RULE`.
    """

    def __init__(self, name: str, game: Game, policy: Policy) -> None:
        super().__init__(name, policy)
        assert policy.block is not None
        header = policy.block[: _BLOCK.itemsize].view(_BLOCK)[0]
        self.board = board(game, bool(header["images"] > 1))
        self.rules = unpack(policy.block, _BLOCK, "rules", RULE, (header["count"],))

    def distribution(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> NDArray[np.float64]:
        fired = self._fired(observation, action_mask)
        chances = np.zeros(len(action_mask)) if len(fired) else action_mask.astype(np.float64)
        np.add.at(chances, fired[:, 1], 1.0)
        return chances / chances.sum()

    def explain(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> str:
        fired = self._fired(observation, action_mask)
        if not len(fired):
            return "no rule matches: a random move"
        numbers = np.unique(fired[:, 0])
        texts = [rule_text(info["game"], self.board, self.rules[number]) for number in numbers]
        return "\n\n".join(f"rule {number}:\n{text}" for number, text in zip(numbers, texts, strict=True))

    def _fired(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """The rules that may fire here, shape (n, 2): rule and action; each is as likely as the others."""
        seen = np.zeros((len(self.board.undo), 3), dtype=np.uint64)
        see(observation.reshape(-1), self.board.squares, seen)
        pairs = np.zeros((self.rules.size * len(seen), 2), dtype=np.int64)
        pairs = pairs[: _matching(self.rules, seen, self.board.undo, action_mask, pairs)]
        fields = self.rules[pairs[:, 0]]
        first = fields["priority"] == fields["priority"].max(initial=-1)
        heaviest = fields["weight"][first].max(initial=-np.inf)
        return pairs[first & (fields["weight"] == heaviest)]


@jit
def _matching(rules: Any, seen: Any, undo: Any, mask: Any, pairs: Any) -> int:
    """Write the rules that match and their legal actions; how many."""
    count = 0
    for number in range(len(rules)):
        for image in range(len(undo)):
            if matches(rules[number], seen, image) and mask[undo[image, rules[number].action]]:
                pairs[count, 0], pairs[count, 1] = number, undo[image, rules[number].action]
                count += 1
    return count


def rule_policy(game: Game, board: Board, rules: NDArray[Any]) -> Policy:
    """The player with these rules, shape (n,) of `RULE`; it plays a random legal action where none matches."""
    numbers = {"count": len(rules), "images": board.squares.shape[0], "size": board.squares.shape[1]}
    block = pack(_BLOCK, numbers, {"squares": board.squares, "undo": board.undo, "rules": rules})
    return Policy(_act, _BLOCK, block, needs_observation=True)


def _act(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The policy of `rule_policy`."""
    squares = table(block, block.squares, np.int64, (block.images, block.size))
    undo = table(block, block.undo, np.int64, (block.images, game[ACTIONS]))
    rules = table(block, block.rules, RULE, (block.count,))
    # As arrays, so that nothing is compiled for pointers besides.
    shown, legal = numba.carray(observation, (2 * block.size,)), numba.carray(mask, (game[ACTIONS],))
    seen = np.zeros((block.images, 3), dtype=np.uint64)
    see(shown, squares, seen)
    count: Any = np.int64(0)
    for action in range(len(legal)):
        count += legal[action]
    return decide(rules, seen, undo, legal, count, numba.carray(stream, (2,)))[1]


def senses_text(board: Board, rule: Any) -> str:
    """What a rule asks of each square, row by row: P own, C the opponent's, V empty, `*` anything."""
    kinds = (("P", "own"), ("C", "opponent"), ("V", "empty"))
    squares = range(board.shape[0] * board.shape[1])
    return "".join(next((s for s, name in kinds if int(rule[name]) >> square & 1), "*") for square in squares)


def rule_text(game: Game, board: Board, rule: Any) -> str:
    """A rule as a small board of its senses, with what its action needs in brackets, and the action below."""
    rows, columns = board.shape
    needs = int(np.bitwise_or.reduce(board.needs[rule["action"]]))
    senses = enumerate(senses_text(board, rule))
    cells = [f"[{sense}]" if needs >> square & 1 else f" {sense} " for square, sense in senses]
    lines = ["".join(cells[row * columns : (row + 1) * columns]).rstrip() for row in range(rows)]
    return "\n".join([*lines, f"play {game.action_to_str(game.start(), int(rule['action']))}"])
