"""Short lists of rules, bred from what positions are worth: `ludarium train gaia tictactoe --preset modern`.

A generation plays games, and then asks one of two judges for *cases*, positions in which the choice of a move matters:
a memory of the values of positions (`ludarium.agents.genetic.gaia.memory`) or, in games with more positions than that
holds, a map of windows (`ludarium.agents.genetic.gaia.window_judge`). On these cases the population breeds, which takes
no games: children take over what mends errors from their parents, and make new rules for the errors that are left
(`ludarium.agents.genetic.gaia.offspring`).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludarium.agents.genetic.gaia import window_judge
from ludarium.agents.genetic.gaia.draft import Evidence
from ludarium.agents.genetic.gaia.memory import Memory, ask_memory
from ludarium.agents.genetic.gaia.offspring import Exam, bear_all, best_lists, judge_all
from ludarium.agents.genetic.gaia.operators import SELECTIONS, couples, parents_and_replaced, shuffle
from ludarium.agents.genetic.gaia.play import Field
from ludarium.agents.genetic.gaia.players import RulePlayers, metrics
from ludarium.agents.genetic.gaia.rules import no_rules
from ludarium.agents.genetic.gaia.window_judge import LEAST_GAMES, MapTerms, ask_map
from ludarium.agents.genetic.ifthen.maps import are_maps
from ludarium.agents.genetic.ifthen.windows import LONGEST
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

_PLAYING, _BREEDING, _CHILDREN = 1, 2, 3  # the random streams of a generation
_MOST_COST = 10**9
_GENERATIONS = 25  # where a map judges, the budget is divided into this many generations
_CHILDREN_BY_MAP = 40  # of such a generation, whether it takes one breeding or many


@dataclass(frozen=True, kw_only=True)
class Modern(RulePlayers):
    """Options of lists that learn from cases; see `RulePlayers` for the others.

    Attributes:
        population: the number of lists, at least 4, or 1 for the twin, a list that gives way to its child if that is no
            worse.
        selection: which lists become parents, and which their children replace, see `operators.SELECTIONS`. With
            `"none"` both are chosen at random, and the champion is the best list that happens to be left.
        games_per_pair: the number of games, from 1, in a generation for every two lists.
        mutation: the probability, from 0 to 1, that a child does not inherit a rule of its mother.
        memory: the size of the population's memory of positions, a power of two. It holds three quarters as many.
        explore: the probability, from 0 to 1, of a random move in training.
        breedings: how many times, from 1, the population breeds after the games of a generation that the memory judges.
        windows: the number of squares in a window of the map that judges lists in games with more positions than the
            memory holds. A generation then takes a 25th of `games`, at least 200. 0: the memory alone judges.
        rule_cost: where a map judges, a rule is dropped if it saves less than this, in units of the regret of the worst
            move.
    """

    preset: ClassVar[str] = "modern"
    selections: ClassVar[tuple[str, ...]] = tuple(SELECTIONS)
    least_population: ClassVar[int] = 4
    usual_games: ClassVar[int] = 50_000
    population: int = 20
    symmetry: bool = True
    games_per_pair: int = 20
    mutation: float = 0.1
    memory: int = 1 << 14
    explore: float = 0.75
    breedings: int = 4
    windows: int = 4
    rule_cost: float = 4.0

    def settle(self) -> None:
        self.check_at_least(1, "games_per_pair")
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "breedings")
        self.check_at_least(1, "memory", most=1 << 24)
        self.check_at_least(0, "windows")
        self.check_number(0, 1, "explore", "mutation")
        self.check_number(0, _MOST_COST, "rule_cost")
        if self.memory & (self.memory - 1):
            raise ValueError(f"gaia: memory must be a power of two, not {self.memory!r}")
        if self.windows and not 2 <= self.windows <= LONGEST:
            raise ValueError(f"gaia: windows must be 0 or from 2 to {LONGEST}, not {self.windows!r}")
        if not self.windows:
            self.check_idle("without windows", "rule_cost")
        if self.population == 1:
            self.check_idle("with a single list", "selection")

    @property
    def _games_by_memory(self) -> int:
        return max(1, self.population // 2) * self.games_per_pair

    def largest_generation(self, game: Game) -> int:
        games = self._games_by_memory
        return max(games, LEAST_GAMES, self.games // _GENERATIONS) if self.windows else games

    def start(self, game: Game) -> Arrays:
        judge = window_judge.knows_nothing(game, self.memory) if self.windows else {}
        lists = {"rules": no_rules(self.population, self.rules), "weights": np.zeros(self.population)}
        return {**lists, **Memory.empty(game, self.memory).arrays(), **judge}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        if not self.windows:
            return super().fits(game, arrays)
        others, known = window_judge.split(arrays)
        return bool(
            super().fits(game, {**others, **window_judge.no_map()})
            and are_maps(known, 1, game.actions)
            and arrays["kept_count"][0] >= 0
        )

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        field, key = Field.of(game, self.symmetry), self.key(number)
        evidence, breedings = self._ask(game, field, arrays, child_key(key, _PLAYING), parallel)
        exam, better = Exam(evidence.cases, field.board, parallel), [0.0]

        lists = best_lists(self.population, judge_all(arrays["rules"], exam))
        for breeding in range(breedings if self.replaces else 0):
            draws = np.array([child_key(child_key(key, _BREEDING), breeding), 0], dtype=np.uint64)
            ranks = np.arange(self.population)
            if not self.selects:
                shuffle(ranks, draws)
            parents, replaced = (ranks[part] for part in parents_and_replaced(self.selection, self.population))
            shuffle(parents, draws)
            pairs = couples(parents, max(1, len(replaced)))  # a single list is both parents of one child
            rules = lists.rules[pairs]
            rules[max(1, len(pairs) - 1) if self.inherits else 0 :] = no_rules(self.rules)  # without parents
            born = bear_all(rules, exam, float(self.mutation), child_key(child_key(key, _CHILDREN), breeding))
            better.append(float((born.costs < lists.costs[pairs].min(axis=1)).mean()))
            lists = best_lists(self.population, born, lists.rows(np.setdiff1d(ranks, replaced)))

        arrays["rules"], arrays["weights"] = lists.rules, -lists.costs
        return metrics(
            evidence.games, evidence.counts, arrays["weights"], lists.rules,
            positions=len(evidence.cases.senses), improved=sum(better) / max(1, breedings),
            champion_rules=int((lists.rules[0]["action"] >= 0).sum()),
        )  # fmt: skip

    def _ask(
        self, game: Game, field: Field, arrays: Arrays, key: np.uint64, parallel: Parallel
    ) -> tuple[Evidence, int]:
        """The evidence of the judge whose turn it is, and how many times the population breeds by it."""
        memory = Memory.of(arrays)
        if self.windows and memory.is_full:
            terms = MapTerms(game, self.symmetry, self.windows, float(self.rule_cost), self.seed)
            children = len(parents_and_replaced(self.selection, self.population)[1])
            evidence = ask_map(terms, field, arrays, self.largest_generation(game), key, parallel)
            return evidence, max(1, _CHILDREN_BY_MAP // max(1, children))
        explore, stops = float(self.explore), self.windows > 0
        return ask_memory(field, memory, arrays["rules"], self._games_by_memory, explore, stops, key), self.breedings

    @property
    def weight_in_words(self) -> str:
        return "minus the mean regret of the moves it makes; 0 means that it never errs"
