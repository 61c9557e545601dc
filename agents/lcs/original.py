"""The preset `seed`, one set of rules, each with a utility: the classifier system as its author describes it.

The rule with the greatest utility whose conditions hold decides the move, and so on down; its target is the one that
its pattern fits best, its strongest trigger. Every rule that made a move gets what the move brought at once and, at the
end of the game, the points on the table, whether or not they count after three mistakes; its utility is α times the old
one plus (1 - α) times the reward. After a few games come the four fixed steps: deletion, specialisation,
generalisation, merging.

The program decides what the text leaves open: utility is fitness, ties are broken at random, a new or changed rule has
utility 0, and σ is changed with n + 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.bootstrap import fires_in, random_rule
from ludarium.agents.lcs.four_steps import delete, generalise, merge, specialise
from ludarium.agents.lcs.games import FIRED, SCORED, Record, play_list
from ludarium.agents.lcs.language import RULE
from ludarium.agents.lcs.operators import Random, Rules
from ludarium.agents.lcs.original_options import OriginalOptions
from ludarium.agents.lcs.players import BREEDING, DECKS, FOUNDERS
from ludarium.agents.lcs.rule_set import Floats, RuleSet, complete, ranked
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.hanabi.view import VIEW


@dataclass(frozen=True, kw_only=True)
class Original(OriginalOptions):
    """The preset `seed`."""

    def largest_generation(self, game: Game) -> int:
        return self.season

    def start(self, game: Game) -> Arrays:
        random, arrays = self.random(0, FOUNDERS), RuleSet.start(self.rules)
        for place in range(self.rules):
            RuleSet.of(arrays).renew(place, partial(random_rule, random, self.language))
        return {**arrays, "met": np.zeros(VIEW.itemsize, dtype=np.uint8)}

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        rules, random, steps, records = RuleSet.of(arrays), self.random(number, BREEDING), self.steps, []
        for deck in self.deals(range(self.season), number, DECKS):
            order = ranked(self._says(rules), random) if self.selects else random.permutation(self.rules)
            table = self.tables[int(deck % np.uint64(len(self.tables)))]
            record = play_list(table, np.array([deck]), self.exact, rules.rows[order], explore=self.explore, study=True)
            rules.reward(order, record, self.pay)
            records.append(record)
            if record.sample[0]["known"]:
                arrays["met"] = record.met
        if self.replaces:
            delete(rules, steps, random, self._new_rule(game, arrays["met"], random))
        if self.inherits:
            specialise(rules, steps, random)
            generalise(rules, steps, random)
        if self.inherits and self.crossover:
            merge(rules, steps, random)
        return self._metrics(rules, records)

    def _says(self, rules: RuleSet) -> Floats:
        """By what rules decide moves: fitness, but in the way of XCS what they predict."""
        return rules.fitness("momentum" if self.fitness == "accuracy" else self.fitness, self.caution)

    def _new_rule(self, game: Game, met: NDArray[np.uint8], random: Random) -> Callable[[], Rules]:
        """What makes random rules, or with `covering` such as fire in a position that was met, if one was."""
        covers = (fires_in(game, self.exact, met),) if self.covering and met.any() else ()
        return partial(random_rule, random, self.language, *covers)

    def _metrics(self, rules: RuleSet, records: list[Record]) -> dict[str, float]:
        decisions = sum(record.decisions for record in records)
        points = float(np.mean([np.count_nonzero(record.trace[:, 1] == SCORED) for record in records]))
        return {
            "games": len(records),
            "decisions": decisions,
            "best": points,
            "mean": points,
            "diversity": len(np.unique(rules.utility)) / self.rules,
            "rule_share": 1 - sum(record.credit[-1, FIRED] for record in records) / decisions,
            "repeated_hints": sum(record.repeats for record in records) / decisions,
            "rules": self.rules,
            "utility": float(rules.utility.sum()),
        }

    def fits(self, game: Game, arrays: Arrays) -> bool:
        complete(arrays)
        return super().fits(game, arrays)

    def list_of(self, arrays: Arrays, index: int) -> Rules:
        rules = RuleSet.of(arrays)
        return rules.rows[np.argsort(-self._says(rules), kind="stable")].astype(RULE)

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"utility {arrays['utility'].sum():.2f}"]
