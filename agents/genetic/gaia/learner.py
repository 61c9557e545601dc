"""Gaia: players made of if-then rules that evolve by playing each other; `ludarium train gaia tictactoe`.

After the tic-tac-toe learner in *Ejemplos de Vida* (Manuel de la Herrán Gascón, Red Científica). A player is a list of
rules, see `ludarium.agents.genetic.gaia.patterns`; it plays by the one that fires, at random where none does. Players
meet in pairs. A win adds one to the weight of the player and of each rule for each time it was used, a loss takes one.
Then the players are ordered by weight, and the children of the best take the places of the others: each has the rules
of its mother and its father in turns, and from time to time a new random one.

The preset `modern` gives the population a memory of what became of the moves that were made, and selects by it: see
`ludarium.agents.genetic.gaia.experience`; where a game has more positions than that holds, it tries moves by playing
on, see `ludarium.agents.genetic.gaia.rollouts`. The champion is rules alone in any case.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia import games, operators
from ludarium.agents.genetic.gaia.breeding import founders
from ludarium.agents.genetic.gaia.experience import experience_of, is_full, no_experience, remember_and_breed
from ludarium.agents.genetic.gaia.inspection import inspect_rules
from ludarium.agents.genetic.gaia.meetings import meet_and_breed
from ludarium.agents.genetic.gaia.rollouts import no_trials, try_and_breed
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent, rule_policy
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_WITHOUT_MEMORY = ("players", "crowding", "communicate", "accumulate", "average")
_WITH_MEMORY = ("explore", "tries", "trials", "doubt", "rule_cost", "induction", "one_shot")
_WITH_TRIES = ("trials", "doubt", "rule_cost")
_OF_CHILDREN = ("parents", "mutate_equal", "heavier", "no_repeats", "inherit_weight", "mutation_spread")
_MOST_RULES = 10**7  # of all players together
_LARGEST = 10**9
_GENERATIONS = 50  # where moves are tried, a generation takes one part in so many of the budget


@dataclass(frozen=True, kw_only=True)
class Gaia(Evolver):
    """Options of the rule players; see `Evolver` for the others. The defaults are those of the preset `seed`.

    Attributes:
        population: how many players live; an even number.
        rules: how many rules each has; all players together have at most 10,000,000.
        priorities: how many different priorities there are.
        games_per_pair: how many games two players play in a row; they begin in turns, at random who begins.
        mutation: the probability that a child gets a random rule instead of an inherited one.
        mutation_spread: next to a mutated rule that probability is so many times as high.
        selection: who has children, in whose places: `"best-50"`, `"best-10"`, `"best-20"` are the best so many per
            cent, in the places of all others; `"best-40-worst-10"`, in the places of those between.
        parents: `"order"`: couples are neighbours in order of weight; `"random"`.
        players: how players meet: `"random"`, or `"order"`: neighbours in order of weight.
        mutate_equal: the children of two equal parents have random rules only.
        crowding: a player's weight is lowered for each other that shares more than this part of its rules; 1: never.
        communicate: what a rule won and lost changes the weights of its copies in all players, each generation.
        wildcards: the share of `*` in random rules.
        rigged: the probability that a random rule is one of two P or two C, and V.
        heavier: a child inherits the heavier of its parents' rules in each place, not one in turns.
        no_repeats: random rules take the place of those that a child has twice.
        light_weight: the weight up to which rules are replaced by random ones.
        light_every: every so many generations; 0: never.
        inherit_weight: children's rules keep the weights they had; otherwise they start from 0.
        accumulate: players' weights add up over the generations; otherwise they start from 0 in each.
        average: a rule's weight is its mean result, not the sum.
        symmetry: a rule stands for all its mirror images, if the game declares `symmetries`.
        memory: how many positions the population remembers, to judge rules by; a power of two, or 0 for none.
        explore: with a memory, the probability of a random move in training.
        tries: in a game with more positions than the memory holds, so many playouts tell what a move is worth, and a
            generation takes a fiftieth of `games`; 0: never.
        trials: so many positions whose moves were tried are kept.
        doubt: where worths are estimates, a rule is weighed as if it had matched in so many more positions, without
            effect.
        rule_cost: where worths are estimates, a rule that saves less regret than this, in units of won games, is
            dropped.
        induction: with a memory, children cover their errors by new rules and drop those they do not miss; without,
            they are what evolution alone makes them.
        one_shot: with a memory, all games are random ones, and from what is remembered of them rules are made once, for
            a single player who has none; a twin without evolution.
    """

    name: ClassVar[str] = "gaia"
    selections: ClassVar[tuple[str, ...]] = tuple(operators.SELECTIONS)
    least_population: ClassVar[int] = 4
    usual_games: ClassVar[int] = 50_000
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "seed": {},
        "modern": {
            "memory": 1 << 14,
            "tries": 4,
            "population": 20,
            "games_per_pair": 20,
            "priorities": 1,
            "mutation": 0.05,
            "wildcards": 0.5,
            "symmetry": True,
        },
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
    tries: int = 0
    trials: int = 16384
    doubt: float = 50.0
    rule_cost: float = 4.0
    induction: bool = True
    one_shot: bool = False

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "rules", most=_MOST_RULES // self.population)
        self.check_at_least(1, "priorities", "trials", most=10**6)
        self.check_at_least(1, "games_per_pair")
        self.check_at_least(0, "light_every", "tries")
        self.check_at_least(0, "memory", most=1 << 24)
        self.check_number(0, 1, "explore", "mutation", "crowding", "wildcards", "rigged")
        self.check_choice("parents", "order", "random")
        self.check_choice("players", "order", "random")
        self.check_number(-_LARGEST, _LARGEST, "light_weight")
        self.check_number(0, _LARGEST, "mutation_spread", "doubt", "rule_cost")
        if self.memory & (self.memory - 1):
            raise ValueError(f"gaia: memory must be 0 or a power of two, not {self.memory!r}")
        if self.population % 2 and self.population > 1:
            raise ValueError(f"gaia: population must be an even number, not {self.population!r}: players meet in pairs")
        if self.one_shot and self.population > 1:
            raise ValueError(f"gaia: one_shot=True makes a single player: set population=1, not {self.population!r}")
        self._check_ignored()
        board(game, self.symmetry)

    def _check_ignored(self) -> None:
        """Refuse options that would change nothing."""
        if self.memory:
            self.check_idle("with a memory to judge rules by", *_WITHOUT_MEMORY)
            if not self.light_every:
                self.check_idle("with a memory to judge rules by, and without light_every", "inherit_weight")
        else:
            self.check_idle("without a memory to judge rules by", *_WITH_MEMORY)
        if not self.tries:
            self.check_idle("without tries", *_WITH_TRIES)
        if not self.light_every:
            self.check_idle("without light_every", "light_weight")
        if not self.mutation:
            self.check_idle("without mutation", "mutation_spread")
        if self.population == 1:
            self.check_idle("with a single player", "selection", "breeding", "players", "crowding", *_OF_CHILDREN)
        elif self.breeding != "parents":
            self.check_idle(f"with breeding={self.breeding!r}", *_OF_CHILDREN)
        if self.one_shot:
            self.check_idle("with one_shot=True", "generations", "light_every", "induction")

    def largest_generation(self, game: Game) -> int:
        if self.one_shot:
            return self.games
        return max(self.pairs_games, self.games // _GENERATIONS if self.tries else 0)

    @property
    def pairs(self) -> int:
        """How many pairs there are; a single player meets itself."""
        return max(1, self.population // 2)

    @property
    def pairs_games(self) -> int:
        """The games of a generation in which all players meet in pairs."""
        return self.pairs * self.games_per_pair

    def start(self, game: Game) -> Arrays:
        experience = no_experience(game, self.memory) if self.memory else {}
        trials = no_trials(game, self.trials) if self.tries else {}
        return {"rules": founders(self, game), "weights": np.zeros(self.population), **experience, **trials}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return super().fits(game, arrays) and bool(
            ((arrays["rules"]["action"] >= -1) & (arrays["rules"]["action"] < game.actions)).all()
        )

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """Any player; they are in the order of their weights when the last children were born, the best first."""
        return rule_policy(game, board(game, self.symmetry), arrays["rules"][index])

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"weight {weight:g}" for weight in arrays["weights"].round(3).tolist()]

    @classmethod
    def agent(cls, game: Game, path: str, *, member: int | None = None) -> RuleAgent:
        agent = super().agent(game, path, member=member)
        assert agent.policy is not None
        return RuleAgent(agent.name, game, agent.policy)

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        live = meet_and_breed
        if self.memory:
            full = self.tries and not self.one_shot and is_full(experience_of(arrays))
            live = try_and_breed if full else remember_and_breed
        return live(self, game, arrays, number, seed_key(self.seed, LEARNING, number), parallel)

    def summary(self, line: Mapping[str, Any]) -> str:
        return games.summary(line)

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """The member's rules, in the order in which they fire."""
        weight = "wins minus losses of the moves it made"
        if self.memory:
            weight = "minus the mean regret of the moves it would make; 0: it never errs"
        elif self.average:
            weight = "the mean result of the moves it made"
        player = self.member(game, arrays, member)
        return inspect_rules(game, board(game, self.symmetry), arrays["rules"][member], player, weight, watch)
