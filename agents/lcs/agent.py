"""Players made of rules, which say why they made a move."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent, Reason
from ludarium.agents.compiled.blocks import table
from ludarium.agents.hanabi.playouts import judged_by_playouts
from ludarium.agents.lcs.decide import target
from ludarium.agents.lcs.foresight import consider
from ludarium.agents.lcs.games import FIRED, POINTS
from ludarium.agents.lcs.language import FIRST_CARD, FIRST_HINT, PLAY, RULE
from ludarium.agents.lcs.match import card_value, hint_value, position_value
from ludarium.agents.lcs.policy import BLOCK, rule_player
from ludarium.agents.lcs.scene import look
from ludarium.agents.lcs.text import rule_text
from ludarium.agents.lcs.words import condition_words
from ludarium.envs.game import Game
from ludarium.envs.hanabi.notation import action_text
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import jit
from ludarium.envs.kernels import view

_OTHERS = 2
"""How many further rules a reason names."""


class RuleAgent(CompiledAgent):
    """A player made of rules.

    Attributes:
        rules: shape (n,) of `RULE`.
        credit: shape (n, 3), what each did in training; None if that is not known. See `ludarium.agents.lcs.games`.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        rules: NDArray[Any],
        *,
        credit: NDArray[np.float64] | None = None,
        exact: bool = False,
    ) -> None:
        super().__init__(name, judged_by_playouts(rule_player(game, rules, exact=exact)))
        self.rules, self.credit = rules, credit

    def explain(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> Reason:
        """The rule that fired, why its conditions hold, its credit, and the next rules that wanted something else."""
        assert self.policy.block is not None
        seen = np.frombuffer(info["view"].tobytes(), dtype=np.uint8).copy()
        block = self.policy.block.copy()
        wanted = np.full(len(self.rules), -1, dtype=np.int64)
        _ask_all(seen, block, wanted)
        wanted[~action_mask.astype(bool)[wanted]] = -1
        firing = np.flatnonzero(wanted >= 0)
        if not len(firing):
            return Reason("no rule fires: the last resort")
        first = int(firing[0])
        values = np.zeros(len(self.rules[first]["feature"]))
        _look_up(seen, block, first, int(wanted[first]), values)
        lines = [f"rule {first + 1}: {rule_text(self.rules[first])}", *self._because(first, values)]
        others = dict.fromkeys(wanted[firing].tolist())  # in the order of the rules
        for action in list(others)[1 : 1 + _OTHERS]:
            number = int(firing[wanted[firing] == action][0])
            lines.append(f"rule {number + 1} wanted {action_text(info['view'], action)}")
        return Reason("\n".join(lines))

    def _because(self, number: int, values: NDArray[np.float64]) -> list[str]:
        rule = self.rules[number]
        places = np.flatnonzero(rule["feature"] >= 0).tolist()
        lines = [f"  {condition_words(rule, place, values[place])}" for place in places]
        if self.credit is not None and self.credit[number, FIRED]:
            fired, points = self.credit[number, FIRED], self.credit[number, POINTS]
            lines.append(f"  in training it fired {int(fired):,} times; {points / fired:.1f} points followed")
        return lines


@jit
def _ask_all(seen: Any, block: Any, wanted: Any) -> None:
    """The action that each rule wants, -1 if it does not fire."""
    v, m = view(seen, VIEW), view(block, BLOCK)
    rules = table(m, m.rules, RULE, (m.length,))
    look(v, m)
    for i in range(m.length):
        wanted[i] = target(v, m, rules, i)
    if not m.considered:
        consider(v, m, rules)


@jit
def _look_up(seen: Any, block: Any, i: int, action: int, values: Any) -> None:
    """The value of each feature in the conditions of a rule, for the target of its action; after `_ask_all`."""
    v, m = view(seen, VIEW), view(block, BLOCK)
    rules = table(m, m.rules, RULE, (m.length,))
    slot = action - v.hand_size if rules[i].action == PLAY else action
    for c in range(len(values)):
        feature = rules[i].feature[c]
        if feature < 0:
            break
        pattern = rules[i].pattern[c]
        if feature < FIRST_CARD:
            values[c] = position_value(v, m, feature, pattern)
        elif feature >= FIRST_HINT:
            values[c] = hint_value(v, m, feature, pattern, action - 2 * v.hand_size)
        else:
            values[c] = card_value(v, m, feature, pattern, 0, slot)
