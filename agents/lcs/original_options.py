"""The options of the preset `seed`, with values of our own where the original names none."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ludarium.agents.lcs.bootstrap import Language
from ludarium.agents.lcs.four_steps import Steps
from ludarium.agents.lcs.games import MISPLAYED, REPEATED, SCORED
from ludarium.agents.lcs.language import MOST_CONDITIONS
from ludarium.agents.lcs.players import RuleLists
from ludarium.agents.lcs.rule_set import Pay
from ludarium.agents.lcs.tables import tables
from ludarium.agents.lcs.text import MOST_RULES
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class OriginalOptions(RuleLists):
    """Options of the preset `seed`; see `RuleLists` for the others.

    Attributes:
        population: the rules are one player.
        rules: how many there are, from 1.
        conditions: the greatest number, from 1, of nested conditions of a rule, besides that on its target.
        season: the number of games between changes, 1 to 10,000.
        alpha: the weight of the old utility, from 0 to 1.
        reward_played: what a rule gets at once for a card that scores, from -1000 to 1000, as are the other rewards.
        reward_misplayed: what it gets for a mistake, -1,000 to 1,000.
        reward_repeated: what it gets, -1,000 to 1,000, for a hint that tells nothing new.
        reward_final: what it gets, -1,000 to 1,000, at the end of the game for each point on the table.
        credit: who gets the points: all rules of the game, `"score"`; or only the last, and each rule is paid by the
            one that decides next, `"td"`, a bucket brigade.
        fitness: what makes a rule good: `"momentum"`, its utility; `"samuel"`, that less `caution` standard deviations
            of its rewards; `"accuracy"`, that its rewards deviate little, while utility still decides moves.
        caution: the number of standard deviations, 0 to 10, that `fitness="samuel"` takes off.
        explore: the probability, from 0 to 1, that in training any rule that fires makes the move.
        modified: the share of the rules that each of the four steps changes.
        tournament: how many rules, 1 to 1000, meet when one is to be changed.
        sigma: how the size of mutations changes: by the original's formula, `"literal"`; divided by √n as well,
            `"anneal"`; or as in evolution strategies, `"self"`.
        rate: the learning rate of that formula, from 0 to 10.
        crossover: whether rules are merged.
        given_hint: whether rules may also ask what hints have told already, and whether a hint tells anything new.
        covering: whether new rules are made to fire in a position that was met.
        protect: how many games, from 0, a rule is not deleted for while others can be.
        keep_parent: whether a changed rule replaces the weakest one, not the rule that it comes from.
        other_seats: further numbers of seats that the rules must play as well, `"3,4,5"`, and may ask for.
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
    credit: str = "score"
    fitness: str = "momentum"
    caution: float = 1.0
    explore: float = 0.0
    modified: float = 0.1
    tournament: int = 4
    sigma: str = "literal"
    rate: float = 0.1
    crossover: bool = True
    given_hint: bool = False
    covering: bool = False
    protect: int = 0
    keep_parent: bool = False
    other_seats: str = ""

    def settle(self) -> None:
        self.check_at_least(1, "season", most=10_000)
        self.fill("credit", True, "score")  # so runs have it from before each preset had its own options
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        if self.population != 1:
            raise ValueError(f"{self.name}: population must be 1, one set of rules, not {self.population!r}")
        tables(game, self.other_seats, "")
        self.check_at_least(1, "rules", most=MOST_RULES)
        self.check_at_least(1, "conditions", most=MOST_CONDITIONS)
        self.check_number(0, 1, "alpha", "modified", "explore")
        self.check_number(-1000, 1000, "reward_played", "reward_misplayed", "reward_repeated", "reward_final")
        self.check_choice("credit", "score", "td")
        self.check_choice("fitness", "momentum", "samuel", "accuracy")
        self.check_at_least(1, "tournament", most=1000)
        self.check_choice("sigma", "literal", "anneal", "self")
        self.check_number(0, 10, "rate", "caution")
        self.check_at_least(0, "protect", most=10**9)

    @cached_property
    def tables(self) -> tuple[Game, ...]:
        """The game, with each number of seats that the rules play."""
        return tuple(table.game for table in tables(self.learned, self.other_seats, ""))

    @property
    def numbers_of_seats(self) -> set[int]:
        return {game.seats for game in self.tables}

    @property
    def language(self) -> Language:
        """What rules may say."""
        return Language(self.tables, self.conditions, self.given_hint)

    @property
    def steps(self) -> Steps:
        """How the four steps choose and change rules."""
        modified = max(1, round(self.modified * self.rules))
        how = self.sigma, self.rate, self.fitness, self.caution, self.protect, self.keep_parent
        return Steps(modified, self.tournament, *how, self.language)

    @property
    def pay(self) -> Pay:
        """What rules get for moves."""
        at_once = {SCORED: self.reward_played, MISPLAYED: self.reward_misplayed, REPEATED: self.reward_repeated}
        return Pay(at_once, self.reward_final, self.alpha, self.credit == "td")
