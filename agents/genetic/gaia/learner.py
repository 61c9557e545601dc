"""Gaia: players made of if-then rules that evolve by playing each other; `ludarium train gaia tictactoe`.

After the tic-tac-toe learner in *Ejemplos de Vida* (Manuel de la Herrán Gascón, Red Científica). A player is a list of
rules, see `ludarium.agents.genetic.gaia.patterns`; it plays the rule that fires, and at random where none does. Players
meet in pairs. A win adds one to the player's weight, and one to a rule's weight for each time it was used; a loss
subtracts as much. Then the players are sorted by weight, and children of the best replace the others. A child takes its
rules alternately from its mother and its father, and now and then a new random one.

The preset `modern` gives the population a memory of the values of positions, see
`ludarium.agents.genetic.gaia.experience`, and breeds short lists of rules that are right in all of them, see
`ludarium.agents.genetic.gaia.offspring`. In games with more positions than the memory holds, a map of windows values
moves, see `ludarium.agents.genetic.gaia.map_experience`. In all presets the champion is a list of rules, and nothing
else.

The preset `alone` is evolution alone: lists are judged by nothing but the results of games, see
`ludarium.agents.genetic.gaia.coevolution`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import coevolution, games, operators
from ludarium.agents.genetic.gaia.breeding import founders
from ludarium.agents.genetic.gaia.experience import experience_of, is_full, no_experience, remember_and_breed
from ludarium.agents.genetic.gaia.inspection import inspect_rules
from ludarium.agents.genetic.gaia.map_experience import LEAST_GAMES, learn_and_breed, no_map, split
from ludarium.agents.genetic.gaia.meetings import meet_and_breed
from ludarium.agents.genetic.gaia.offspring import no_rules
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent, rule_policy
from ludarium.agents.genetic.ifthen.maps import are_maps
from ludarium.agents.genetic.ifthen.windows import LONGEST
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, same_layout
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_WITHOUT_MEMORY = (
    "players", "crowding", "communicate", "accumulate", "average", "priorities", "wildcards", "rigged", "heavier",
    "parents", "mutate_equal", "mutation_spread", "no_repeats", "light_every", "light_weight", "inherit_weight",
)  # fmt: skip
_WITH_TESTS = ("season", "kept", "noise")
_WITHOUT_TESTS = (*_WITHOUT_MEMORY, "games_per_pair", "mutation", "memory", "windows")
_WITH_MEMORY = ("explore", "breedings", "windows", "rule_cost", "one_shot")
_WITH_WINDOWS = ("rule_cost",)
_OF_CHILDREN = ("parents", "mutate_equal", "heavier", "no_repeats", "inherit_weight", "mutation_spread")
_MOST_RULES = 10**7  # of all players together
_LARGEST = 10**9
_GENERATIONS = 25  # where a map judges, the budget is divided into this many generations


@dataclass(frozen=True, kw_only=True)
class Gaia(Evolver):
    """Options of players made of rules; see `Evolver` for the others. The defaults are those of the preset `seed`.

    Attributes:
        population: the number of players; an even number, at least 4, or 1 for the twin.
        rules: the number of rules of each player; all players together may have at most 10,000,000.
        priorities: the number of different priorities of random rules.
        games_per_pair: the number of games that two players play when they meet. They begin alternately, the first at
            random.
        mutation: the probability that a child gets a random rule in place of an inherited one; with a memory, that it
            does not inherit a rule of its mother.
        mutation_spread: the factor by which that probability is higher for the rule after one that has mutated; 1.0: no
            higher.
        selection: which players become parents, and which their children replace. `"best-50"`, `"best-20"` and
            `"best-10"`: the best 50, 20 or 10 % are parents, and all others are replaced. `"best-40-worst-10"`: the
            best 40 % and the worst 10 % are parents, and those between them are replaced. `"none"` is a twin.
        parents: how parents are paired: `"order"`: neighbours in the order of weight; `"random"`: at random.
        players: how players are paired for games: `"random"`: at random; `"order"`: neighbours in the order of weight.
        mutate_equal: the children of two parents with the same rules get random rules only.
        crowding: a player's weight is lowered for each other player that shares more than this fraction of its rules;
            1.0: never.
        communicate: after each generation's games, what a rule won and lost is also added to the weights of its copies
            in all players.
        wildcards: the probability of `*` for each square of a random rule.
        rigged: the probability that a random rule is a rigged one, which asks for two P or two C, and V for its move.
        heavier: in each place, a child inherits the heavier of its parents' rules; otherwise it takes rules from them
            alternately.
        no_repeats: a rule that a child has twice is replaced by a random one.
        light_weight: rules whose weight is at most this are replaced by random ones, as often as `light_every` says.
        light_every: the number of generations between such replacements; 0: never.
        inherit_weight: inherited rules keep their weights; otherwise they start from 0.
        accumulate: the weights of players add up over generations; otherwise they start from 0 in each.
        average: the weight of a rule is its mean result, not the sum.
        symmetry: a rule stands for all its mirror images, if the game declares `symmetries`.
        memory: the size of the population's memory of positions, by which players are judged; a power of two, or 0 for
            no memory. It holds three quarters as many positions.
        explore: with a memory, the probability of a random move in training.
        breedings: with a memory that is not full, how many times the population breeds after the games of a generation.
        windows: the number of squares in a window of the map that judges lists in games with more positions than the
            memory holds. A generation then takes a 25th of `games`, at least 200. 0: the memory alone judges.
        rule_cost: where a map judges, a rule is dropped if it saves less than this, in units of the regret of the worst
            move.
        one_shot: with a memory, a twin without evolution: all games are random, and from the memory of them rules are
            made once, for a single player that starts without any. Where a map judges, it learns from all games first.
        tests: an even number of games that judge a list, if nothing else does, at the end of the run; a quarter of them
            at first. 0: players meet in pairs. `population` is then that of the parents, of any size.
        season: the number of generations with the same tests.
        kept: the largest share of the tests that stay for the next season, because somebody lost them.
        noise: the probability that a move of the other side in a test is random.
    """

    name: ClassVar[str] = "gaia"
    selections: ClassVar[tuple[str, ...]] = tuple(operators.SELECTIONS)
    least_population: ClassVar[int] = 4
    usual_games: ClassVar[int] = 50_000
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "seed": {},
        "modern": {
            "memory": 1 << 14,
            "windows": 4,
            "population": 20,
            "games_per_pair": 20,
            "explore": 0.75,
            "breedings": 4,
            "mutation": 0.1,
            "symmetry": True,
        },
        "alone": {"tests": 200, "population": 10, "rules": 40, "symmetry": True, "games": 2_000_000},
    }
    population: int = 40
    selection: str = "best-50"
    rules: int = 100
    priorities: int = 4
    games_per_pair: int = 5
    mutation: float = 0.01
    mutation_spread: float = 1.0
    parents: str = "order"
    players: str = "random"
    mutate_equal: bool = False
    crowding: float = 1.0
    communicate: bool = False
    wildcards: float = 0.25
    rigged: float = 0.0
    heavier: bool = False
    no_repeats: bool = False
    light_weight: float = 0.0
    light_every: int = 0
    inherit_weight: bool = True
    accumulate: bool = True
    average: bool = False
    symmetry: bool = False
    memory: int = 0
    explore: float = 0.25
    breedings: int = 1
    windows: int = 0
    rule_cost: float = 4.0
    one_shot: bool = False
    tests: int = 0
    season: int = 10
    kept: float = 0.8
    noise: float = 0.7

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "rules", most=_MOST_RULES // self.population)
        self.check_at_least(1, "priorities", most=10**6)
        self.check_at_least(1, "games_per_pair", "breedings")
        self.check_at_least(0, "light_every", "windows")
        self.check_at_least(0, "memory", most=1 << 24)
        self.check_number(0, 1, "explore", "mutation", "crowding", "wildcards", "rigged")
        self.check_choice("parents", "order", "random")
        self.check_choice("players", "order", "random")
        self.check_number(-_LARGEST, _LARGEST, "light_weight")
        self.check_number(0, _LARGEST, "mutation_spread", "rule_cost")
        if self.windows and not 2 <= self.windows <= LONGEST:
            raise ValueError(f"gaia: windows must be 0 or from 2 to {LONGEST}, not {self.windows!r}")
        if self.memory & (self.memory - 1):
            raise ValueError(f"gaia: memory must be 0 or a power of two, not {self.memory!r}")
        self.check_at_least(0, "tests", most=10**6)
        self.check_at_least(1, "season", most=10**6)
        self.check_number(0, 1, "kept", "noise")
        if self.tests % 2:
            raise ValueError(f"gaia: tests must be an even number, half of them for each seat, not {self.tests!r}")
        if self.population % 2 and self.population > 1 and not self.tests:
            raise ValueError(f"gaia: population must be an even number, not {self.population!r}: players meet in pairs")
        if self.one_shot and self.population > 1:
            raise ValueError(f"gaia: one_shot=True makes a single player: set population=1, not {self.population!r}")
        self._check_ignored()
        board(game, self.symmetry)

    def _check_ignored(self) -> None:
        """Refuse options that would have no effect."""
        if self.tests:
            self.check_idle("with tests to judge lists by", *_WITHOUT_TESTS, *_WITH_MEMORY)
            if self.selection not in ("best-50", "none"):
                raise ValueError(f"gaia: with tests the best lists live on: leave out selection={self.selection!r}")
            return
        self.check_idle("without tests", *_WITH_TESTS)
        if self.memory:
            self.check_idle("with a memory to judge rules by", *_WITHOUT_MEMORY)
        else:
            self.check_idle("without a memory to judge rules by", *_WITH_MEMORY)
        if not self.windows:
            self.check_idle("without windows", *_WITH_WINDOWS)
        if not self.light_every:
            self.check_idle("without light_every", "light_weight")
        if not self.mutation:
            self.check_idle("without mutation", "mutation_spread")
        if self.population == 1:
            self.check_idle("with a single player", "selection", "breeding", "players", "crowding", *_OF_CHILDREN)
        elif self.breeding != "parents":
            self.check_idle(f"with breeding={self.breeding!r}", *_OF_CHILDREN)
        if self.one_shot:
            self.check_idle("with one_shot=True", "generations")

    def largest_generation(self, game: Game) -> int:
        if self.tests:
            return coevolution.largest_generation(self)
        if self.one_shot:
            return self.games
        return max(self.pairs_games, LEAST_GAMES, self.games // _GENERATIONS) if self.windows else self.pairs_games

    @property
    def pairs(self) -> int:
        """The number of pairs; a single player meets itself."""
        return max(1, self.population // 2)

    @property
    def pairs_games(self) -> int:
        """The number of games in a generation in which all players meet in pairs."""
        return self.pairs * self.games_per_pair

    def start(self, game: Game) -> Arrays:
        if self.tests:
            return coevolution.first_lists(self, game)
        rules = no_rules(self.population, self.rules) if self.memory else founders(self, game)
        experience = no_experience(game, self.memory) if self.memory else {}
        judge = no_map(self, game) if self.windows else {}
        return {"rules": rules, "weights": np.zeros(self.population), **experience, **judge}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        own, judge = split(arrays)
        expected, _ = split(self.start(game))
        return bool(
            same_layout(own, expected)
            and ((arrays["rules"]["action"] >= -1) & (arrays["rules"]["action"] < game.actions)).all()
            and (not self.windows or (are_maps(judge, 1, game.actions) and arrays["kept_count"][0] >= 0))
        )

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """A player by its place in the last ranking, the best first.

        Without a memory, newborn children are in the places of the players that they replaced.
        """
        return rule_policy(game, board(game, self.symmetry), arrays["rules"][index], settled=bool(self.tests))

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"weight {weight:g}" for weight in arrays["weights"].round(3).tolist()]

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> RuleAgent:
        return RuleAgent(self.name, game, self.chosen(game, arrays, member))

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        if self.tests:
            return coevolution.compete_and_breed(self, game, arrays, number, parallel)
        key = seed_key(self.seed, LEARNING, number)
        if not self.memory:
            return meet_and_breed(self, game, arrays, number, key, parallel)
        if self.windows and is_full(experience_of(arrays)):
            return learn_and_breed(self, game, arrays, self.largest_generation(game), key, parallel)
        return remember_and_breed(self, game, arrays, key, parallel)

    def summary(self, line: Mapping[str, Any]) -> str:
        return games.summary(line)

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """The member's rules in firing order."""
        weight = "the wins minus losses of the moves it made"
        if self.tests:
            weight = "0, since no rule has credit of its own"
        elif self.memory:
            weight = "minus the mean regret of the moves it makes; 0 means that it never errs"
        elif self.average:
            weight = "the mean result of the moves it made"
        player = self.member(game, arrays, member)
        return inspect_rules(game, board(game, self.symmetry), arrays["rules"][member], player, weight, watch)
