"""The original program of *Ejemplos de Vida*: `ludarium train gaia tictactoe`.

Players meet in pairs. A win adds one to the player's weight, and one to a rule's weight for each time it was used; a
loss subtracts as much. Then the players are sorted by weight, and children of the best replace the others. A child
takes its rules alternately from its mother and its father, and now and then a new random one. All else is an option.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.meetings import Terms, meet
from ludarium.agents.genetic.gaia.operators import SELECTIONS, Heredity, children, random_players
from ludarium.agents.genetic.gaia.players import RulePlayers, metrics
from ludarium.agents.genetic.gaia.rules import Generator, Rules
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

_PLAYERS, _PLAYING, _BREEDING = 0, 1, 2  # the random streams of a generation
_BIRTH = 4  # the stream of a seed for the first rules
_LARGEST = 10**9
_OF_CHILDREN = ("parents", "mutate_equal", "heavier", "no_repeats", "inherit_weight", "mutation_spread")


@dataclass(frozen=True, kw_only=True)
class Original(RulePlayers):
    """Options of the original program; see `RulePlayers` for the others.

    Attributes:
        population: the number of players; an even number, at least 4, or 1 for the twin, which meets itself.
        selection: which players become parents, and which their children replace. `"best-50"`, `"best-20"` and
            `"best-10"`: the best 50, 20 or 10 % are parents, and all others are replaced. `"best-40-worst-10"`: the
            best 40 % and the worst 10 % are parents, and those between them are replaced. `"none"` is a twin.
        priorities: the number, 1 to 1,000,000, of different priorities of random rules.
        games_per_pair: the number of games, from 1, that two players play when they meet. They begin alternately, the
            first at random.
        mutation: the probability, from 0 to 1, that a child gets a random rule in place of an inherited one.
        mutation_spread: the factor, from 0, by which that probability is higher for the rule after one that has
            mutated; 1.0: no higher.
        parents: how parents are paired: `"order"`: neighbours in the order of weight; `"random"`: at random.
        players: how players are paired for games: `"random"`: at random; `"order"`: neighbours in the order of weight.
        mutate_equal: the children of two parents with the same rules get random rules only.
        crowding: a player's weight is lowered for each other player that shares more than this fraction of its rules;
            1.0: never.
        communicate: after each generation's games, what a rule won and lost is also added to the weights of its copies
            in all players.
        wildcards: the probability, from 0 to 1, of `*` for each square of a random rule.
        rigged: the probability, from 0 to 1, that a random rule is a rigged one, which asks for two P or two C, and V
            for its move.
        heavier: in each place, a child inherits the heavier of its parents' rules; otherwise it takes rules from them
            alternately.
        no_repeats: a rule that a child has twice is replaced by a random one.
        light_weight: rules whose weight is at most this are replaced by random ones, as often as `light_every` says.
        light_every: the number of generations between such replacements; 0: never.
        inherit_weight: inherited rules keep their weights; otherwise they start from 0.
        accumulate: the weights of players add up over generations; otherwise they start from 0 in each.
        average: the weight of a rule is its mean result, not the sum.
    """

    preset: ClassVar[str] = "seed"
    selections: ClassVar[tuple[str, ...]] = tuple(SELECTIONS)
    least_population: ClassVar[int] = 4
    usual_games: ClassVar[int] = 50_000
    population: int = 40
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

    def settle(self) -> None:
        self.check_at_least(1, "games_per_pair")
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "priorities", most=10**6)
        self.check_at_least(0, "light_every")
        self.check_number(0, 1, "mutation", "crowding", "wildcards", "rigged")
        self.check_number(0, _LARGEST, "mutation_spread")
        self.check_number(-_LARGEST, _LARGEST, "light_weight")
        self.check_choice("parents", "order", "random")
        self.check_choice("players", "order", "random")
        if self.population % 2 and self.population > 1:
            raise ValueError(f"gaia: population must be an even number, not {self.population!r}: players meet in pairs")
        if not self.light_every:
            self.check_idle("without light_every", "light_weight")
        if not self.mutation:
            self.check_idle("without mutation", "mutation_spread")
        if self.population == 1:
            self.check_idle("with a single player", "selection", "breeding", "players", "crowding", *_OF_CHILDREN)
        elif not self.inherits:
            self.check_idle(f"with breeding={self.breeding!r}", *_OF_CHILDREN)

    def largest_generation(self, game: Game) -> int:
        return max(1, self.population // 2) * self.games_per_pair

    def generator(self, game: Game) -> Generator:
        """The generator of random rules."""
        return Generator.of(board(game, self.symmetry), self.wildcards, self.priorities, self.rigged)

    def start(self, game: Game) -> Arrays:
        draws = np.array([seed_key(self.seed, _BIRTH), 0], dtype=np.uint64)
        rules = random_players(self.population, self.rules, self.generator(game), draws)
        return {"rules": rules, "weights": np.zeros(self.population)}

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        key, generator = self.key(number), self.generator(game)
        rules, weights = arrays["rules"], arrays["weights"] if self.accumulate else np.zeros(self.population)

        terms = Terms(game, self.symmetry, self.games_per_pair, self.average)
        results, counts = meet(terms, self._pairs(weights, key), rules, weights, child_key(key, _PLAYING), parallel)
        if self.communicate:
            operators.communicate(rules, results)
        merits = operators.shared_weights(rules, weights, float(self.crowding)) if self.crowding < 1.0 else weights
        line = metrics(self.largest_generation(game), counts, merits, rules)

        order = self.ranking(np.argsort(-merits, kind="stable"), number)
        rules, weights = rules[order], weights[order]
        draws = np.array([child_key(key, _BREEDING), 0], dtype=np.uint64)
        if self.replaces:
            parents, replaced = operators.parents_and_replaced(self.selection, self.population)
            rules[replaced] = (
                self._children(rules, parents, len(replaced), generator, draws)
                if self.inherits
                else random_players(len(replaced), self.rules, generator, draws)
            )
            weights[replaced] = 0.0
        if self.light_every and (number + 1) % self.light_every == 0:
            operators.replace_light(rules.reshape(-1), float(self.light_weight), generator, draws)
        arrays["rules"], arrays["weights"] = rules, weights
        return line

    def _pairs(self, weights: NDArray[np.float64], key: np.uint64) -> NDArray[np.int64]:
        """Who meets whom, shape (pairs, 2)."""
        players = np.argsort(-weights, kind="stable")
        if self.players == "random":
            operators.shuffle(players, np.array([child_key(key, _PLAYERS), 0], dtype=np.uint64))
        return np.resize(players, (max(1, self.population // 2), 2))  # a single player meets itself

    def _children(
        self, rules: Rules, parents: NDArray[np.int64], count: int, generator: Generator, draws: NDArray[np.uint64]
    ) -> Rules:
        if self.parents == "random":
            operators.shuffle(parents, draws)
        heredity = Heredity(
            self.mutation, self.mutation_spread, self.mutate_equal, self.heavier, self.inherit_weight, self.no_repeats
        )
        return children(rules, parents, count, heredity, generator, draws)

    @property
    def weight_in_words(self) -> str:
        return "the mean result of the moves it made" if self.average else "the wins minus losses of the moves it made"
