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
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.experience import empty_memory, is_full, play_and_remember, remembered
from ludarium.agents.genetic.gaia.inspection import inspect_rules
from ludarium.agents.genetic.gaia.judgement import Evidence, improve
from ludarium.agents.genetic.gaia.patterns import RULE, board, decide, random_rule, see
from ludarium.agents.genetic.gaia.rollouts import empty_trials, keep, tried, try_positions
from ludarium.agents.genetic.gaia.rule_agent import RuleAgent, rule_policy
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import bits, child_key, derive, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE
from ludarium.envs.policy import Policy

_WITHOUT_MEMORY = ("players", "crowding", "communicate", "accumulate", "average")
_PLAYERS, _GAMES, _BREEDING, _CHILDREN = range(4)  # streams of a generation
_BIRTH = 4  # the stream of a seed that the first rules come from
_MOST_RULES = 10**7  # of all players together
_LARGEST = 10**9
_GENERATIONS = 50  # where moves are tried, a generation takes one part in so many of the budget
_DECISIONS, _RULE_MOVES, _DRAWS = range(3)  # what is counted of a pair's games


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
    """

    name: ClassVar[str] = "gaia"
    selections: ClassVar[tuple[str, ...]] = (*operators.SELECTIONS, "none")
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
        if self.population % 2:
            raise ValueError(f"gaia: population must be an even number, not {self.population!r}: players meet in pairs")
        self.check_number(-_LARGEST, _LARGEST, "light_weight")
        self.check_number(0, _LARGEST, "mutation_spread", "doubt", "rule_cost")
        if self.memory & (self.memory - 1):
            raise ValueError(f"gaia: memory must be 0 or a power of two, not {self.memory!r}")
        if self.tries and not self.memory:
            raise ValueError(f"gaia: tries must be 0, not {self.tries!r}, without a memory that tells when to begin")
        for option in _WITHOUT_MEMORY if self.memory else ():
            given, default = getattr(self, option), getattr(Gaia, option)
            if given != default:
                raise ValueError(f"gaia: {option} must be {default!r}, not {given!r}, with a memory to judge rules by")
        board(game, self.symmetry)

    def largest_generation(self, game: Game) -> int:
        return max(self._pairs_games, self.games // _GENERATIONS if self.tries else 0)

    @property
    def _pairs_games(self) -> int:
        """The games of a generation in which all players meet in pairs."""
        return self.population // 2 * self.games_per_pair

    def start(self, game: Game) -> Arrays:
        rules = np.zeros((self.population, self.rules), dtype=RULE)
        stream = np.array([seed_key(self.seed, _BIRTH), 0], dtype=np.uint64)
        _replace_all(rules.reshape(-1), *self._generator(game), stream)
        memory = empty_memory(game, self.memory) if self.memory else {}
        trials = empty_trials(game, self.trials) if self.memory and self.tries else {}
        return {"rules": rules, "weights": np.zeros(self.population), **memory, **trials}

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
        key = seed_key(self.seed, LEARNING, number)
        if self.memory and self.tries and is_full(arrays):
            return self._try_and_breed(game, arrays, number, key, parallel)
        if self.memory:
            return self._remember_and_breed(game, arrays, number, key, parallel)
        if not self.accumulate:
            arrays["weights"] = np.zeros(self.population)
        counts = self._play(game, arrays, key, parallel)
        weights = arrays["weights"]
        if self.crowding < 1.0:
            weights = operators.shared_weights(arrays["rules"], weights, self.crowding)
        metrics = self._metrics(game, counts, weights, arrays["rules"])
        order = np.argsort(-weights, kind="stable")
        arrays["rules"], arrays["weights"] = arrays["rules"][order], arrays["weights"][order]
        self._breed(game, arrays, number, np.array([child_key(key, _BREEDING), 0], dtype=np.uint64))
        return metrics

    def _remember_and_breed(
        self, game: Game, arrays: Arrays, number: int, key: np.uint64, parallel: Parallel
    ) -> dict[str, float]:
        """A generation of players that are judged by what the population remembers."""
        seen, counts = board(game, self.symmetry), np.zeros(3, dtype=np.int64)
        play_and_remember(
            game.table, game.option_bytes, seen.squares, seen.undo, 1.0 / game.largest_payoff, arrays["rules"],
            self._pairs_games, self.explore, child_key(key, _GAMES), arrays["memory_keys"],
            arrays["memory_values"], arrays["memory_met"], arrays["memory_states"], counts,
        )  # fmt: skip
        known = remembered(game, seen, arrays)
        costs = self._breed_and_judge(game, arrays, number, key, parallel, known)
        return self._metrics(game, counts, -costs, arrays["rules"]) | {
            "games": self._pairs_games,
            "positions": len(known.senses),
            "met": known.met,
            "champion_rules": int((arrays["rules"][0]["action"] >= 0).sum()),
        }

    def _try_and_breed(
        self, game: Game, arrays: Arrays, number: int, key: np.uint64, parallel: Parallel
    ) -> dict[str, float]:
        """A generation of players that are judged by what playouts of the champion come to."""
        seen, counts = board(game, self.symmetry), np.zeros(3, dtype=np.int64)
        states, worths, games = try_positions(
            game, seen, arrays["rules"], self.explore, self.tries, self.largest_generation(game), key, counts, parallel
        )
        keep(arrays, states, worths)
        known = tried(game, seen, arrays, self.doubt, self.rule_cost)
        costs = self._breed_and_judge(game, arrays, number, key, parallel, known)
        return self._metrics(game, counts, -costs, arrays["rules"]) | {
            "games": games,
            "positions": len(known.senses),
            "champion_rules": int((arrays["rules"][0]["action"] >= 0).sum()),
        }

    def _breed_and_judge(
        self, game: Game, arrays: Arrays, number: int, key: np.uint64, parallel: Parallel, known: Evidence
    ) -> NDArray[np.float64]:
        """Children are born and improved, and all are put in order of what they cost; the costs in that order."""
        seen, costs = board(game, self.symmetry), np.zeros(self.population)
        _, replaced = operators.parents_and_replaced(self.selection, self.population)
        self._breed(game, arrays, number, np.array([child_key(key, _BREEDING), 0], dtype=np.uint64))

        def improve_child(child: int) -> None:
            costs[child] = improve(
                arrays["rules"][child], *known, seen.undo, seen.needs, seen.squares.shape[1],
                child_key(key, _CHILDREN, child), bool((replaced == child).any()),
            )  # fmt: skip

        parallel(improve_child, range(self.population))
        order = np.argsort(costs, kind="stable")
        arrays["rules"], arrays["weights"] = arrays["rules"][order], -costs[order]
        return costs

    def _metrics(
        self, game: Game, counts: NDArray[np.int64], merits: NDArray[np.float64], rules: NDArray[Any]
    ) -> dict[str, float]:
        """What is told of every generation; draws and the moves that a rule made are numbers, as their author had."""
        return {
            "games": self._pairs_games,
            "decisions": int(counts[_DECISIONS]),
            "best": float(merits.max()),
            "mean": float(merits.mean()),
            "diversity": _diversity(rules),
            "rule_moves": int(counts[_RULE_MOVES]),
            "rule_share": float(counts[_RULE_MOVES] / counts[_DECISIONS]),
            "draws": int(counts[_DRAWS]),
        }

    def _generator(self, game: Game) -> tuple[NDArray[np.uint64], NDArray[np.int64], int, NDArray[np.float64]]:
        """What `random_rule` takes between the rule and the stream."""
        seen = board(game, self.symmetry)
        numbers = np.array([self.wildcards, self.priorities, self.rigged], dtype=np.float64)
        return seen.needs, seen.playable, seen.squares.shape[1], numbers

    def _play(self, game: Game, arrays: Arrays, key: np.uint64, parallel: Parallel) -> NDArray[np.int64]:
        """Let all players meet in pairs; weights change. Returns the counts of all games."""
        players = np.argsort(-arrays["weights"], kind="stable")
        if self.players == "random":
            operators.shuffle(players, np.array([child_key(key, _PLAYERS), 0], dtype=np.uint64))
        pairs, rules, weights = players.reshape(-1, 2), arrays["rules"], arrays["weights"]
        results, counts = np.zeros(rules.shape), np.zeros((len(pairs), 3), dtype=np.int64)
        seen, games_key = board(game, self.symmetry), child_key(key, _GAMES)

        def play(part: NDArray[np.int64]) -> None:
            _play_pairs(
                game.table, game.option_bytes, seen.squares, seen.undo, pairs, part, self.games_per_pair, games_key,
                self.average, rules, weights, results, counts,
            )  # fmt: skip

        parallel(play, np.array_split(np.arange(len(pairs)), min(8, len(pairs))))
        if self.communicate:
            operators.communicate(rules, results)
        return counts.sum(axis=0)

    def _breed(self, game: Game, arrays: Arrays, number: int, stream: NDArray[np.uint64]) -> None:
        """Put children in their places, and replace what rules are to be replaced."""
        rules, generator = arrays["rules"], self._generator(game)
        parents, replaced = operators.parents_and_replaced(self.selection, self.population)
        if self.parents == "random":
            operators.shuffle(parents, stream)
        children = np.empty((len(replaced), self.rules), dtype=RULE)
        for child, (mother, father) in zip(children, operators.couples(parents, len(replaced)), strict=True):
            operators.inherit(child, rules[mother], rules[father], self.heavier, self.inherit_weight)
            alike = self.mutate_equal and operators.equal(rules[mother], rules[father])
            operators.mutate(child, 1.0 if alike else self.mutation, self.mutation_spread, *generator, stream)
            if self.no_repeats:
                operators.replace_repeated(child, *generator, stream)
        rules[replaced], arrays["weights"][replaced] = children, 0.0
        if self.light_every and (number + 1) % self.light_every == 0:
            operators.replace_light(rules.reshape(-1), self.light_weight, *generator, stream)

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """The member's rules, in the order in which they fire."""
        weight = "wins minus losses of the moves it made"
        if self.memory:
            weight = "minus the mean regret of the moves it would make; 0: it never errs"
        elif self.average:
            weight = "the mean result of the moves it made"
        player = self.member(game, arrays, member)
        return inspect_rules(game, board(game, self.symmetry), arrays["rules"][member], player, weight, watch)


def _diversity(rules: NDArray[Any]) -> float:
    """The share of different rules among all."""
    senses = (
        rules["own"]
        ^ rules["opponent"] * np.uint64(0x9E3779B97F4A7C15)
        ^ rules["empty"] * np.uint64(0xBF58476D1CE4E5B9)
    )
    keys = senses ^ rules["action"].astype(np.uint64) * np.uint64(0x94D049BB133111EB)
    return len(np.unique(keys)) / keys.size


@jit
def _replace_all(rules: Any, needs: Any, playable: Any, squares: int, generator: Any, stream: Any) -> None:
    for number in range(len(rules)):
        random_rule(rules[number], needs, playable, squares, generator, stream)


@jit
def _play_pairs(
    game: Any, options: Any, squares: Any, undo: Any, pairs: Any, part: Any, games: int, key: Any, average: bool,
    rules: Any, weights: Any, results: Any, counts: Any,
) -> None:  # fmt: skip
    """Play the games of some pairs. Weights, results and counts change, of these pairs' players alone."""
    state, mask = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[ACTIONS], dtype=np.int8)
    observation, seen = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros((len(undo), 3), dtype=np.uint64)
    payoffs, stream = np.zeros(game[SEATS]), np.zeros(2, dtype=np.uint64)
    used = np.zeros(game[MAX_MOVES], dtype=np.int64)  # the rule behind each move, -1 for none
    seats = np.zeros(game[MAX_MOVES], dtype=np.int64)
    for pair in part:
        stream[0], stream[1] = derive(key, pair), 0
        begins = np.int64(bits(stream) >> np.uint64(63))
        for number in range(games):
            first = (begins + number) % 2  # which of the two sits in seat 0
            state[:] = 0
            kernels.setup(game, state, options)
            plies = 0
            while kernels.turn(game, state) != OVER and plies < game[MAX_MOVES]:
                seat = kernels.turn(game, state)
                player = pairs[pair, (first + seat) % 2]
                kernels.observe(game, state, seat, observation)
                see(observation, squares, seen)
                count = kernels.legal(game, state, mask)
                used[plies], action = decide(rules[player], seen, undo, mask, count, stream)
                seats[plies] = seat
                counts[pair, _RULE_MOVES] += used[plies] >= 0
                kernels.play(game, state, action)
                plies += 1
            kernels.payoffs(game, state, payoffs)
            counts[pair, _DECISIONS] += plies
            counts[pair, _DRAWS] += payoffs[0] == payoffs[1]
            for seat in range(2):
                weights[pairs[pair, (first + seat) % 2]] += np.sign(payoffs[seat])
            for ply in range(plies):
                if used[ply] >= 0:
                    player, result = pairs[pair, (first + seats[ply]) % 2], np.sign(payoffs[seats[ply]])
                    reward(rules[player, used[ply]], result, average)
                    results[player, used[ply]] += result


@jit
def reward(rule: Any, result: float, average: bool) -> None:
    """Add a result to a rule's weight, or average it in."""
    rule.uses += 1
    rule.weight += (result - rule.weight) / rule.uses if average else result
