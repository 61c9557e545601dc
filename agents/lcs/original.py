"""The preset `seed`, one set of rules, each with a utility: the classifier system as its author describes it.

The rule with the greatest utility whose conditions hold decides the move, and so on down; its target is the
one that its conditions fit best. Every rule that made a move gets what the move brought at once and, at the end
of the game, the score; its utility is α times the old one plus (1 - α) times the reward. After a few
games come the four fixed steps: deletion, specialisation, generalisation, merging.

What the text leaves open is decided here: utility is fitness, ties are broken at random, a new or changed rule has
utility 0, and σ is changed with n + 1.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludarium.agents.lcs.four_steps import Steps, delete, generalise, merge, specialise
from ludarium.agents.lcs.games import FIRED, MISPLAYED, REPEATED, SAMPLE, SCORED, Record, play_list
from ludarium.agents.lcs.language import DISCARD, MOST_CONDITIONS, NUMBER, RULE
from ludarium.agents.lcs.operators import Limits, Random, Rules, covering_rule, random_rule
from ludarium.agents.lcs.players import BREEDING, DECKS, FOUNDERS, RuleLists
from ludarium.agents.lcs.rule_set import RuleSet
from ludarium.agents.lcs.text import MOST_RULES
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

WORDS = ("tokens", "lives", "seats", "table", "discards", "fellow", "deck-next", "card", "tells")
"""The features that the original names."""
GIVEN_HINT = ("news", "touched", "color-told", "rank-told")
"""The features that its author missed: hints that were given already."""


@dataclass(frozen=True, kw_only=True)
class Original(RuleLists):
    """Options of the preset `seed`, with values of our own where the original names none; see `RuleLists`.

    Attributes:
        population: the rules are one player.
        rules: how many there are.
        conditions: the greatest number of conditions of a rule.
        season: the number of games between changes.
        alpha: the weight of the old utility.
        reward_played: what a rule gets at once for a card that scores; the others for a mistake, for a hint that tells
            nothing new, and, times the score, at the end of the game.
        modified: the share of the rules that each of the four steps changes.
        tournament: how many rules meet when one is to be changed.
        sigma: how the size of mutations changes: by the original's formula, `"literal"`; divided by √n as well,
            `"anneal"`; or as in evolution strategies, `"self"`.
        rate: the learning rate of that formula.
        crossover: whether rules are merged.
        given_hint: whether rules may ask what hints have told already, and whether a hint tells anything new.
        covering: whether new rules are made to fire in a position that was met.
        protect: how many games a rule is not deleted for while others can be.
        keep_parent: whether a changed rule replaces the weakest one, not the rule that it comes from.
    """

    preset: ClassVar[str] = "seed"
    usual_games: ClassVar[int] = 20_000
    population: int = 1
    rules: int = 100
    conditions: int = 4
    season: int = 10
    alpha: float = 0.9
    reward_played: float = 1.0
    reward_misplayed: float = -2.0
    reward_repeated: float = -0.5
    reward_final: float = 1.0
    modified: float = 0.1
    tournament: int = 4
    sigma: str = "literal"
    rate: float = 0.1
    crossover: bool = True
    given_hint: bool = False
    covering: bool = False
    protect: int = 0
    keep_parent: bool = False

    def settle(self) -> None:
        self.check_at_least(1, "season", most=10_000)
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        if self.population != 1:
            raise ValueError(f"{self.name}: population must be 1, one set of rules, not {self.population!r}")
        self.check_at_least(1, "rules", most=MOST_RULES)
        self.check_at_least(1, "conditions", most=MOST_CONDITIONS)
        self.check_number(0, 1, "alpha", "modified")
        self.check_number(-1000, 1000, "reward_played", "reward_misplayed", "reward_repeated", "reward_final")
        self.check_at_least(1, "tournament", most=1000)
        self.check_choice("sigma", "literal", "anneal", "self")
        self.check_number(0, 10, "rate")
        self.check_at_least(0, "protect", most=10**9)

    @property
    def limits(self) -> Limits:
        """How large rules may become, and what they may ask."""
        words = (*WORDS, *(GIVEN_HINT if self.given_hint else ()))
        return Limits(self.rules, self.conditions, frozenset(NUMBER[word] for word in words))

    @property
    def _steps(self) -> Steps:
        modified = max(1, round(self.modified * self.rules))
        return Steps(modified, self.tournament, self.sigma, self.rate, self.protect, self.keep_parent, self.limits)

    def largest_generation(self, game: Game) -> int:
        return self.season

    def start(self, game: Game) -> Arrays:
        random = self.random(0, FOUNDERS)
        rules = np.concatenate([self._new_rule(random) for _ in range(self.rules)])
        return {**RuleSet.start(rules), "samples": np.zeros(1, dtype=SAMPLE)}

    def _new_rule(self, random: Random, sample: Any = None) -> Rules:
        """A random rule, shape (1,), or with `covering` one that fits a position that was met."""
        if self.covering and sample is not None:
            rule = covering_rule(random, self.limits, sample)
        else:
            rule = random_rule(random, self.limits)
        rule["order"], rule["least"] = -1, 0
        if rule["action"][0] <= DISCARD:
            rule["order"][0, 0] = NUMBER["match"]  # the strongest trigger
        return rule

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        rules, random, records = RuleSet.of(arrays), self.random(number, BREEDING), []
        at_once = {SCORED: self.reward_played, MISPLAYED: self.reward_misplayed, REPEATED: self.reward_repeated}
        for deck in self.deals(range(self.season), number, DECKS):
            ties = random.permutation(self.rules)
            order = ties if self.selection == "none" else rules.by_utility(ties)
            records.append(play_list(game, np.array([deck]), self.exact, rules.rows[order]))
            rules.reward(order, records[-1], at_once, self.reward_final, self.alpha)
            if records[-1].sample[0]["known"]:
                arrays["samples"] = records[-1].sample
        if self.replaces:
            delete(rules, self._steps, lambda: self._new_rule(random, arrays["samples"][0]))
        if self.inherits:
            specialise(rules, self._steps, random)
            generalise(rules, self._steps, random)
        if self.inherits and self.crossover:
            merge(rules, self._steps, random)
        return self._metrics(rules, records)

    def _metrics(self, rules: RuleSet, records: list[Record]) -> dict[str, float]:
        decisions = sum(record.decisions for record in records)
        score = float(np.mean([record.scores[0] for record in records]))
        return {
            "games": len(records),
            "decisions": decisions,
            "best": score,
            "mean": score,
            "diversity": len(np.unique(rules.utility)) / self.rules,
            "rule_share": 1 - sum(record.credit[-1, FIRED] for record in records) / decisions,
            "repeated_hints": sum(record.repeats for record in records) / decisions,
            "rules": self.rules,
            "utility": float(rules.utility.sum()),
        }

    def list_of(self, arrays: Arrays, index: int) -> Rules:
        rules = RuleSet.of(arrays)
        return rules.rows[rules.by_utility()].astype(RULE)

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"utility {arrays['utility'].sum():.2f}"]
