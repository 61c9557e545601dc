"""Gengammon: `ludarium train gengammon backgammon`, then the agent `gengammon:runs/gengammon-backgammon`.

After "Gengammon": a network with one hidden layer looks at each position that a roll allows, and the one with the
highest score is played. Evolution looks for the weights with which it plays as experts did in recorded games. The
preset `seed` is that program. `modern` has the same aim with better inputs, a smooth fitness and credit for each neuron
by itself, see `ludarium.agents.genetic.gengammon.neurons`.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.backgammon.by_contact import by_contact
from ludarium.agents.backgammon.inputs import NAMES, inputs
from ludarium.agents.backgammon.network import ACTIVATIONS, IDENTITY, OUTCOMES, Network, network_of
from ludarium.agents.backgammon.player import network_policy, plays
from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon import genes as genetic
from ludarium.agents.genetic.gengammon.breeding import PARTS, breed
from ludarium.agents.genetic.gengammon.directions import Asked, ask, both_ways, changes
from ludarium.agents.genetic.gengammon.examples import LEARNED, Examples, decisions_of, examples_of
from ludarium.agents.genetic.gengammon.fitness import FITNESSES
from ludarium.agents.genetic.gengammon.games import SEASON, Duel, champion, crown, dice, duel, new_hall
from ludarium.agents.genetic.gengammon.genes import WRAP
from ludarium.agents.genetic.gengammon.inspection import inspect_network
from ludarium.agents.genetic.gengammon.neurons import POOL
from ludarium.agents.genetic.gengammon.outcomes import Judged, judged_of
from ludarium.agents.genetic.gengammon.validation import look, new_best
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, Takes, same_layout
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.learning.runs import Run
from ludarium.agents.values.adam import Adam
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

METHODS = ("genetic", "strategy", "neurons", "games", "backprop")
_FOUNDERS, _BATCH = range(2)  # streams; those of `breeding.py` and `directions.py` follow
_KEPT_SQUARES = 0.99  # of Adam
_GENETIC = (
    "tournament",
    "elites",
    "gene_scale",
    "founders",
    "mutation",
    "mutation_rate",
    "creep",
    "crossover",
    "alternate_every",
)
_STEPS = ("alpha", "decay", "spread", "first_spread")


@dataclass(frozen=True, kw_only=True)
class Gengammon(Evolver):
    """Options of the learner Gengammon; see `Evolver` for the others. The defaults are those of the preset `seed`.

    The budget is in generations: but for `method="games"`, nothing is played in training.

    Attributes:
        method: `"genetic"`: the genetic algorithm of the original; `"strategy"`: an evolution strategy, in which a
            whole network is judged at once; `"neurons"`: one in which each neuron is, see
            `ludarium.agents.genetic.gengammon.neurons`; `"games"`: an evolution strategy that knows nothing but
            points, see `ludarium.agents.genetic.gengammon.games`; `"backprop"`: the twin that does not evolve.
        origin: the folder of a run with such a network, from which learning goes on; not with `method="genetic"`.
        inputs: what the network sees, see `ludarium.agents.backgammon.inputs`.
        hidden: hidden units.
        activation: of the hidden units. With `"identity"`, all of them together are no more than one. `"wrap"` is the
            same, but products of weights and checkers overflow as in the original, see `genes.table`; it goes with
            `method="genetic"`, `inputs="counts"` and `output="sum"`.
        output: whether the score is the `"sum"` of the hidden units, without biases, or has `"weights"`; or there are
            six, the `"outcomes"`, learned from a judge's odds, see `ludarium.agents.genetic.gengammon.outcomes`.
        decisions: a file made by `ludarium data backgammon`; empty: the decisions that come with the package.
        batch: the decisions by which a generation is judged, drawn anew for each; 0: all decisions. They are the same
            for all its networks; with `method="strategy"`, each pair of networks has its own share of them. With
            `method="games"`, the number of times that two networks play with the same dice, once in each seat.
        fitness: of the genetic algorithm, see `ludarium.agents.genetic.gengammon.fitness`.
        tournament: how many genomes compete to be a parent.
        elites: how many of the best live on.
        gene_scale: the largest weight.
        founders: the largest weight of the first genomes, as a share of that.
        mutation: `"swap"` two weights, flip a `"bit"`, `"both"` in turn by chance, or `"creep"`.
        mutation_rate: mutations of a child; the expected number, if it is not whole.
        creep: the standard deviation of a creep, as a share of the largest weight; it falls linearly to 0.
        crossover: by `"weights"`, by `"bits"`, `"alternate"`, or `"none"`: a child has one parent.
        alternate_every: generations after which the crossovers alternate.
        alpha: the step size of the other methods (Adam); it falls linearly to 0.
        decay: by this share of the step size, each step also takes the input weights back towards 0 (AdamW).
        spread: the size of a mutant's changes.
        mutants: the pairs of mutants of each neuron in a decision, each with a share of its genes.
        first_spread: the standard deviation of the first weights.
        validation: the share of the matches that is not learned from, but says which network of the run is best, see
            `ludarium.agents.genetic.gengammon.validation`; 0: the last one is. With `method="genetic"` and `"games"`,
            other things do.
    """

    name: ClassVar[str] = "gengammon"
    takes: ClassVar[Takes] = Takes(chance=True)
    usual_games: ClassVar[int] = 0
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "seed": {},
        "modern": {
            "method": "neurons",
            "inputs": "threats",
            "hidden": 100,
            "activation": "cubic",
            "output": "weights",
            "generations": 6000,
            "decay": 0.1,
            "validation": 0.05,
        },
    }
    generations: int = 1000
    method: str = "genetic"
    origin: str = ""
    inputs: str = "counts"
    hidden: int = 26
    activation: str = WRAP
    output: str = "sum"
    decisions: str = ""
    batch: int = 1000
    fitness: str = "v2"
    tournament: int = 3
    elites: int = 2
    gene_scale: float = 0.2
    founders: float = 1.0
    mutation: str = "swap"
    mutation_rate: float = 1.0
    creep: float = 0.1
    crossover: str = "weights"
    alternate_every: int = 100
    alpha: float = 0.01
    decay: float = 0.0
    spread: float = 0.05
    mutants: int = 8
    first_spread: float = 0.1
    validation: float = 0.0

    def check(self, game: Game) -> None:
        super().check(game)
        if game.name != "backgammon":
            raise ValueError(f"gengammon: it learns backgammon, not {game.spec}")
        self.check_choice("method", *METHODS)
        self.check_choice("inputs", *NAMES)
        self.check_choice("activation", *ACTIVATIONS, WRAP)
        self.check_choice("output", "sum", "weights", "outcomes")
        self.check_choice("fitness", *FITNESSES)
        self.check_choice("mutation", *genetic.MUTATIONS)
        self.check_choice("crossover", *genetic.CROSSOVERS)
        self.check_at_least(1, "hidden", most=2000)
        self.check_at_least(1, "generations", "tournament", "alternate_every", most=10**9)
        self.check_at_least(0, "batch", "elites", most=10**7)
        self.check_at_least(1, "mutants", most=100)
        self.check_number(0, 10**6, "mutation_rate")
        self.check_number(0, 1000, "creep")
        self.check_number(0, 10, "decay")
        self.check_number(0, 1, "founders")
        self.check_number(0, 0.5, "validation")
        self.check_number(1e-6, 1000, "gene_scale", "alpha", "spread", "first_spread")
        if self.games != self.generations * self.largest_generation(game):
            raise ValueError(f"gengammon: the budget is in generations, so give generations, not games={self.games!r}")
        self._check_idle_options()
        if self.activation == WRAP and (self.method, self.inputs, self.output) != ("genetic", "counts", "sum"):
            raise ValueError(
                f"gengammon: activation={WRAP} goes with method=genetic, inputs=counts and output=sum, not with "
                f"method={self.method}, inputs={self.inputs} and output={self.output}; give activation=tanh, for "
                "example"
            )
        weights = sum(math.prod(shape) for shape in self.shapes.values())
        if self.method in ("strategy", "neurons", "games") and weights >= POOL:
            raise ValueError(
                f"gengammon: method={self.method} takes fewer than {POOL:,} weights; with hidden={self.hidden} there "
                f"are {weights:,}"
            )
        if self.method == "genetic" and self.elites >= self.population:
            raise ValueError(f"gengammon: elites must be below the population, {self.population}, not {self.elites!r}")
        if self.method in ("strategy", "games") and (self.batch or self.method == "games") and self.batch < self.pairs:
            raise ValueError(
                f"gengammon: each of the {self.pairs} pairs of the population needs a decision or dice; give a batch "
                f"of at least {self.pairs}, not {self.batch!r}"
            )
        if self.output == "outcomes" and self.method not in ("neurons", "games", "backprop"):
            raise ValueError(f"gengammon: output=outcomes takes method=neurons, games or backprop, not {self.method}")

    def _check_idle_options(self) -> None:
        """Refuse options that the method does not use."""
        method, idle = f"with method={self.method}", list[str]()
        if self.method != "neurons":
            idle.append("mutants")
        if self.method == "genetic":
            idle += (*_STEPS, "origin")
        else:
            idle += ("fitness", "breeding", *_GENETIC)
        if self.method in ("genetic", "games"):
            idle.append("validation")
        if self.method in ("neurons", "backprop"):
            idle.append("population")
        if self.method in ("strategy", "games", "backprop"):
            idle.append("selection")
        if self.method == "backprop":
            idle.append("spread")
        self.check_idle(method, *idle)

    def _check_sources(self, game: Game) -> None:
        """Refuse decisions that do not fit; a run that has learned from them does without.

        Raises:
            ValueError: for decisions of another variant, or without odds where these are learned.
            OSError: if they cannot be read.
        """
        variant, found = game.options["variant"], decisions_of(self.decisions).variant
        if found != variant:
            raise ValueError(
                f"gengammon: the decisions are of {found}, not of {variant}; give decisions=FILE, made by "
                "'ludarium data'"
            )
        if self.output == "outcomes":
            judged_of(self.decisions, LEARNED, self.inputs, self.validation)

    def _weights_of_origin(self) -> Network:
        """The network from which learning goes on.

        Raises:
            ValueError: if there is none in the folder, or another one.
        """
        found = Run.load(Path(self.origin), Gengammon)
        known: Any = found.learner
        for name in ("inputs", "hidden", "activation", "output"):
            if getattr(known, name) != getattr(self, name):
                raise ValueError(
                    f"gengammon: the network of {self.origin} has {name}={getattr(known, name)}, not "
                    f"{getattr(self, name)!r}; give options that agree"
                )
        if not found.checkpoint.moment:
            raise ValueError(f"{self.origin}: there is no trained model here yet: the run has not reached a checkpoint")
        return cast(Network, known.champion(found.arrays))

    def largest_generation(self, game: Game) -> int:
        return 4 * self.batch if self.method == "games" else 0

    def plays(self, game: Game) -> bool:
        return plays(self.game, game)

    @property
    def examples(self) -> Examples:
        """The decisions to learn from."""
        return examples_of(self.decisions, LEARNED, self.seen, self.validation)

    @property
    def seen(self) -> str:
        """The name of what the networks see that weights turn into."""
        return "stacks" if self.activation == WRAP else self.inputs

    @property
    def judged(self) -> Judged:
        """The positions to learn from, with `output="outcomes"`."""
        return judged_of(self.decisions, LEARNED, self.inputs, self.validation)

    # --- the network -------------------------------------------------------------------------------------------------

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """Those of the weights."""
        outputs = OUTCOMES if self.output == "outcomes" else 1
        return {"hidden": (inputs(self.inputs).number + 1, self.hidden), "output": (self.hidden + 1, outputs)}

    @property
    def _number_of_genes(self) -> int:
        """The original has no biases; with `output="weights"` the outputs of the units are genes, too."""
        return inputs(self.inputs).number * self.hidden + (self.hidden if self.output == "weights" else 0)

    def network(self, hidden: NDArray[Any], output: NDArray[Any]) -> Network:
        """The network with these weights."""
        activation = IDENTITY if self.activation == WRAP else ACTIVATIONS.index(self.activation)
        return network_of(inputs(self.seen), {"hidden": hidden, "output": output}, activation)

    def expressed(self, genome: NDArray[np.int16]) -> Network:
        """The network of a genome."""
        if self.activation == WRAP:
            table = genetic.weights(genetic.table(genome, self.hidden), self.gene_scale)
            return self.network(np.append(table, [[0]], axis=0).astype(np.float32), np.array([[1], [0]], np.float32))
        weights = genetic.weights(genome, self.gene_scale)
        hidden, output = (np.zeros(shape, dtype=np.float32) for shape in self.shapes.values())
        size = hidden[:-1].size
        hidden[:-1] = weights[:size].reshape(hidden[:-1].shape)
        output[:-1, 0] = weights[size:] if self.output == "weights" else 1
        return self.network(hidden, output)

    def founding(self, draws: np.random.Generator, number: int) -> NDArray[np.int16]:
        """New random genomes."""
        return genetic.founders(draws, number, self._number_of_genes, self.founders)

    def start(self, game: Game) -> Arrays:
        self._check_sources(game)
        found = self._first_arrays()
        if self.origin:
            origin = self._weights_of_origin()
            found["hidden"], found["output"] = origin.hidden.copy(), origin.output.copy()
        elif self.output == "outcomes":
            found["output"][-1] = np.log(self.judged.odds.mean(axis=0))
        return found | self._champions(found)

    def fits(self, game: Game, arrays: Arrays) -> bool:
        first = self._first_arrays()
        return same_layout(arrays, first | self._champions(first))

    def _first_arrays(self) -> Arrays:
        """What a new run knows before it has looked at any decision, or at another run."""
        draws = self.draws(0, _FOUNDERS)
        if self.method == "genetic":
            return {
                "genes": self.founding(draws, self.population),
                "order": np.arange(self.population),
                "points": np.zeros(self.population),
            }
        first: Arrays = {name: draws.normal(0, self.first_spread, shape) for name, shape in self.shapes.items()}
        first["output"][:] = 1 if self.output == "sum" else first["output"] * 3
        first["output"][-1] = 0
        if self.output == "sum":
            first["hidden"][-1] = 0
        found = {name: array.astype(np.float32) for name, array in first.items()}
        for name in self.shapes:
            found |= {f"{name}_{memory}": np.zeros_like(found[name]) for memory in ("mean", "square")}
        return found

    def _champions(self, first: Arrays) -> Arrays:
        """What a run that begins like this knows of its best networks, apart from the one that learns."""
        if self.method == "games":
            return new_hall(first)
        return new_best(first) if self.validation else {}

    def champion(self, arrays: Arrays) -> Network:
        """The network that has learned most."""
        if self.method == "genetic":
            return self.expressed(arrays["genes"][arrays["order"][0]])
        if self.method == "games":
            return champion(self, arrays)
        best = "best_" if self.validation else ""
        return self.network(arrays[f"{best}hidden"], arrays[f"{best}output"])

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.policy_of(game, self.champion(arrays))

    def policy_of(self, game: Game, network: Network, **options: Any) -> Policy:
        """The player that a network becomes; the options are those of `network_policy`."""
        if self.output == "outcomes":
            return network_policy(game, network, **options)
        return by_contact(network_policy(game, network, **options), pubeval(game))

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        return self.policy_of(game, self._member(arrays, index))

    def _member(self, arrays: Arrays, index: int) -> Network:
        if self.method != "genetic":
            return self.champion(arrays)
        return self.expressed(arrays["genes"][arrays["order"][index]])

    def player(
        self, game: Game, arrays: Arrays, *, member: int | None = None, ply: int = 0, cube: bool = True
    ) -> Agent:
        """The agent `gengammon:RUN`; with `output=outcomes` it takes `?ply=1` and `?cube=False`, too.

        Raises:
            ValueError: if there is no such member, or its network has no outcomes and an option needs them.
        """
        self.chosen(game, arrays, member)
        network = self._member(arrays, member or 0)
        return CompiledAgent(self.name, self.policy_of(game, network, ply=ply, cube=cube))

    def merits(self, arrays: Arrays) -> list[str]:
        if self.method != "genetic":
            return [""] * self.population
        return [f"{self.fitness} {arrays['points'][number]:.4f}" for number in arrays["order"]]

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        network = self._member(arrays, member)
        found = decisions_of(self.decisions)
        return inspect_network(game, network, inputs(self.seen), found.part(bool(found.held_out.any())))

    # --- learning ----------------------------------------------------------------------------------------------------

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        if self.method == "games":
            return self._contend(arrays, number, parallel)
        batch = self._batch(number)
        if self.method == "genetic":
            told = breed(self, arrays, number, batch, parallel)
        else:
            told = self._step(arrays, number, batch, parallel)
            if self.validation:
                told |= look(self, arrays, number, parallel)
        return {"games": 0, "decisions": len(batch), **told}

    def _batch(self, number: int) -> NDArray[np.int64]:
        """The numbers of the decisions by which a generation is judged."""
        known = self.judged.number if self.output == "outcomes" else self.examples.number
        if not self.batch or self.batch >= known:
            return np.arange(known)
        epoch, at = divmod(number * self.batch, known - known % self.batch)
        return _shuffled(known, int(seed_key(self.seed, LEARNING, epoch, _BATCH)))[at : at + self.batch]

    @property
    def pairs(self) -> int:
        """How many pairs of networks with the same changes, added and subtracted, are judged at once."""
        return max(self.population // 2, 1)

    def _step(self, arrays: Arrays, number: int, batch: NDArray[np.int64], parallel: Parallel) -> dict[str, float]:
        """Take one step in the direction that the mutants, or the twin's derivatives, show."""
        weights = {name: arrays[name] for name in self.shapes}
        if self.method == "strategy":
            shares = [(batch, some) for some in _split(np.arange(self.pairs))]
        else:
            shares = [(some, np.arange(0)) for some in _split(batch)]
        parts = [Asked(self, weights["hidden"], weights["output"], *share, number) for share in shares]
        answers = parallel(ask, parts)
        for place, name in enumerate(weights):
            self._climb(arrays, name, np.asarray(sum(answer[1][place] for answer in answers)) / len(batch), number)
        likelihood = sum(answer[0] for answer in answers) / len(batch)
        return {"likelihood": likelihood, "size": float(arrays["hidden"].std())}

    def _contend(self, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        """Let pairs of networks play each other, and take one step towards those that win."""
        keys, weights = dice(self, number), (arrays["hidden"], arrays["output"])
        signs = [changes(self, number, pair) for pair in range(self.pairs)]
        duels = []
        for pair, sign in enumerate(signs):
            one, other = both_ways(self, weights, sign)
            duels.append(Duel(self, one, other, keys[pair :: self.pairs]))
        answers = parallel(duel, duels)
        for place, name in enumerate(self.shapes):
            pairs = zip(answers, signs, strict=True)
            slope = sum(np.float32(points / (2 * self.spread)) * sign[place] for (points, _), sign in pairs)
            self._climb(arrays, name, np.asarray(slope) / len(keys), number)
        games, decisions = 2 * len(keys), sum(decisions for _, decisions in answers)
        if (number + 1) % SEASON == 0:
            more, further = crown(self, arrays, number, parallel)
            games, decisions = games + more, decisions + further
        crowned, size = float(arrays["crowned"][0]), float(arrays["hidden"].std())
        return {"games": games, "decisions": decisions, "champions": crowned, "size": size}

    def _climb(self, arrays: Arrays, name: str, slope: NDArray[Any], number: int) -> None:
        """Take one step of Adam with some of the weights."""
        decay = 1 - number / self.generations
        if self.output == "sum" and name == "output":
            return
        if self.output == "sum" or (self.output == "outcomes" and name == "output"):
            slope[-1] = 0  # a sum has no biases, and those of outcomes stay what they are in the mean
        if name == "hidden":
            arrays[name] *= np.float32(1 - self.alpha * decay * self.decay)
        adam = Adam(arrays[f"{name}_mean"], arrays[f"{name}_square"], kept_squares=_KEPT_SQUARES)
        adam.step(arrays[name], slope, self.alpha * decay, number + 1)

    def draws(self, number: int, what: int) -> np.random.Generator:
        """The randomness of a generation, by stream."""
        return np.random.default_rng(int(seed_key(self.seed, LEARNING, number, what)))


# --- parts of a generation, which can be sent to other processes ----------------------------------------------------


@lru_cache(maxsize=2)
def _shuffled(number: int, key: int) -> NDArray[np.int64]:
    return np.random.default_rng(key).permutation(number)


def _split(array: NDArray[Any]) -> list[NDArray[Any]]:
    """Up to `PARTS` parts of about the same length."""
    return [part for part in np.array_split(array, PARTS) if len(part)]
