"""Populations of players made of rules: what all presets of `gaia` share.

After the tic-tac-toe learner in *Ejemplos de Vida* (Manuel de la Herrán Gascón, Red Científica). A player is a list of
rules, see `ludarium.agents.genetic.gaia.rules`; it plays the rule that fires, and at random where none does. In all
presets the champion is a list of rules, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.inspection import inspect_rules
from ludarium.agents.genetic.gaia.play import DECISIONS, DRAWS, RULE_MOVES
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent, rule_policy
from ludarium.agents.genetic.gaia.rules import Rules, diversity
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_MOST_RULES = 10**7  # of all players together


@dataclass(frozen=True, kw_only=True)
class RulePlayers(Evolver):
    """Options of all players made of rules; see `Evolver` for the others.

    Attributes:
        rules: the number of rules of each player; all players together may have at most 10,000,000.
        symmetry: a rule stands for all its mirror images, if the game declares `symmetries`.
    """

    name: ClassVar[str] = "gaia"
    settled: ClassVar[bool] = False
    """Whether players choose between mirror images of a rule once for all, see `rule_policy`."""
    selection: str = "best-50"
    rules: int = 100
    symmetry: bool = False

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "rules", most=_MOST_RULES // self.population)
        board(game, self.symmetry)

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return super().fits(game, arrays) and bool(
            ((arrays["rules"]["action"] >= -1) & (arrays["rules"]["action"] < game.actions)).all()
        )

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """A player by its place in the last ranking, the best first."""
        return rule_policy(game, board(game, self.symmetry), arrays["rules"][index], settled=self.settled)

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"weight {weight:g}" for weight in arrays["weights"].round(3).tolist()]

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> RuleAgent:
        return RuleAgent(self.name, game, self.chosen(game, arrays, member))

    def summary(self, line: Mapping[str, Any]) -> str:
        rules = f", {line['champion_rules']:.0f} rules" if "champion_rules" in line else ""
        moves = f"{line['rule_moves']:.0f} moves by a rule"
        return f"generation {line['generation']}: {line['draws']:.0f} draws, {moves}{rules}"

    @property
    def weight_in_words(self) -> str:
        """What the weight of a rule is."""
        raise NotImplementedError

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """The member's rules in firing order."""
        player, rules = self.member(game, arrays, member), arrays["rules"][member]
        return inspect_rules(game, board(game, self.symmetry), rules, player, self.weight_in_words, watch)


def metrics(
    games: int, counts: NDArray[np.int64], merits: NDArray[np.float64], rules: Rules, **more: float
) -> dict[str, float]:
    """The metrics of a generation; as in the original, draws and rule moves are absolute numbers.

    Args:
        games: how many games were played.
        counts: decisions, rule moves and draws.
        merits: shape (players,): the weight of each player, or minus its cost.
        rules: the population's rules, shape (players, rules).
        **more: further metrics.
    """
    return {
        "games": games,
        "decisions": int(counts[DECISIONS]),
        "best": float(merits.max()),
        "mean": float(merits.mean()),
        "diversity": diversity(rules),
        "rule_moves": int(counts[RULE_MOVES]),
        "rule_share": float(counts[RULE_MOVES] / max(counts[DECISIONS], 1)),
        "draws": int(counts[DRAWS]),
        **more,
    }
