"""Gengammon: `ludarium train gengammon backgammon`, then the agent `gengammon:runs/gengammon-backgammon`.

After "Gengammon": a network with one hidden layer looks at each position that a roll allows, and the one with the
highest score is played. Evolution looks for the weights with which it plays as experts did in recorded games. The
preset `seed` is that program. `modern` has the same aim with better inputs, a smooth fitness and credit for each neuron
by itself, see `ludarium.agents.genetic.gengammon.neurons`.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.genetic.gengammon import genes as genetic
from ludarium.agents.genetic.gengammon.examples import Examples, decisions_of, examples_of, filled_up
from ludarium.agents.genetic.gengammon.fitness import FITNESSES, rank
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.agents.genetic.gengammon.inspection import inspect_network
from ludarium.agents.genetic.gengammon.neurons import POOL, credit
from ludarium.agents.genetic.gengammon.outcomes import Judged, add_outcome_gradient, credit_outcomes, judged_of
from ludarium.agents.genetic.gengammon.races import by_contact
from ludarium.agents.learning.checkpoint import Arrays, Checkpoint
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, Takes
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.values.backgammon_inputs import NAMES, inputs
from ludarium.agents.values.backgammon_network import ACTIVATIONS, OUTCOMES, Network, network_of
from ludarium.agents.values.backgammon_player import network_policy, plays
from ludarium.agents.values.pubeval import pubeval
from ludarium.envs.chance import seed_key
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

METHODS = ("genetic", "strategy", "neurons", "backprop")
_FOUNDERS, _BATCH, _BREEDING, _POOL, _PAIRS = range(5)  # streams; those of pairs follow
_PARTS = 8
"""The work of a generation is divided into this many parts, whatever the number of workers."""
_KEPT, _KEPT_SQUARES = 0.9, 0.99  # by the moving averages of Adam (Kingma & Ba 2015)
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

    Nothing is played in training, so the budget is in generations.

    Attributes:
        method: `"genetic"`: the genetic algorithm of the original; `"strategy"`: an evolution strategy, in which a
            whole network is judged at once; `"neurons"`: one in which each neuron is, see
            `ludarium.agents.genetic.gengammon.neurons`; `"backprop"`: the twin that does not evolve.
        inputs: what the network sees, see `ludarium.agents.values.backgammon_inputs`.
        hidden: hidden units.
        activation: of the hidden units. With `"identity"`, all of them together are no more than one.
        output: whether the score is the `"sum"` of the hidden units, without biases, or has `"weights"`; or there are
            six, the `"outcomes"`, learned from a judge's odds, see `ludarium.agents.genetic.gengammon.outcomes`.
        decisions: a file made by `ludarium data backgammon`; empty: the decisions that come with the package.
        batch: the decisions by which a generation is judged, drawn anew for each; 0: all decisions. They are the same
            for all its networks; with `method="strategy"`, each pair of networks has its own share of them.
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
        },
    }
    generations: int = 1000
    method: str = "genetic"
    inputs: str = "counts"
    hidden: int = 26
    activation: str = "tanh"
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

    def check(self, game: Game) -> None:
        super().check(game)
        if game.name != "backgammon":
            raise ValueError(f"gengammon: it learns backgammon, not {game.spec}")
        self.check_choice("method", *METHODS)
        self.check_choice("inputs", *NAMES)
        self.check_choice("activation", *ACTIVATIONS)
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
        self.check_number(1e-6, 1000, "gene_scale", "alpha", "spread", "first_spread")
        if self.games:
            raise ValueError(f"gengammon: nothing is played in training; give generations, not games={self.games!r}")
        if self.method != "neurons":
            self.check_idle(f"with method={self.method}", "mutants")
        if self.method == "genetic":
            self.check_idle("with method=genetic", *_STEPS)
        else:
            self.check_idle(f"with method={self.method}", "fitness", "breeding", *_GENETIC)
        if self.method in ("neurons", "backprop"):
            self.check_idle(f"with method={self.method}", "population")
        if self.method in ("strategy", "backprop"):
            self.check_idle(f"with method={self.method}", "selection")
        if self.method == "backprop":
            self.check_idle("with method=backprop", "spread")
        elif self.method == "genetic" and self.elites >= self.population:
            raise ValueError(f"gengammon: elites must be below the population, {self.population}, not {self.elites!r}")
        elif self.method == "strategy" and 0 < self.batch < self._pairs:
            raise ValueError(
                f"gengammon: each of the {self._pairs} pairs of the population needs a decision; give a batch of at "
                f"least {self._pairs}, not {self.batch!r}"
            )
        if self.output == "outcomes":
            if self.method not in ("neurons", "backprop"):
                raise ValueError(f"gengammon: output=outcomes takes method=neurons or backprop, not {self.method}")
            judged_of(self.decisions, False, self.inputs)
        variant = game.options["variant"]
        if decisions_of(self.decisions).variant != variant:
            raise ValueError(
                f"gengammon: the decisions are of {decisions_of(self.decisions).variant}, not of {variant}; "
                "give decisions=FILE, made by 'ludarium data'"
            )

    def largest_generation(self, game: Game) -> int:
        return 0

    def plays(self, game: Game) -> bool:
        return plays(self.game, game)

    @property
    def examples(self) -> Examples:
        """The decisions to learn from."""
        return examples_of(self.decisions, False, self.inputs)

    @property
    def judged(self) -> Judged:
        """The positions to learn from, with `output="outcomes"`."""
        return judged_of(self.decisions, False, self.inputs)

    # --- the network -------------------------------------------------------------------------------------------------

    @property
    def _shapes(self) -> dict[str, tuple[int, int]]:
        outputs = OUTCOMES if self.output == "outcomes" else 1
        return {"hidden": (inputs(self.inputs).number + 1, self.hidden), "output": (self.hidden + 1, outputs)}

    @property
    def _number_of_genes(self) -> int:
        """The original has no biases; with `output="weights"` the outputs of the units are genes, too."""
        return inputs(self.inputs).number * self.hidden + (self.hidden if self.output == "weights" else 0)

    def network(self, hidden: NDArray[Any], output: NDArray[Any]) -> Network:
        """The network with these weights."""
        return network_of(inputs(self.inputs), {"hidden": hidden, "output": output}, ACTIVATIONS.index(self.activation))

    def _expressed(self, genome: NDArray[np.int16]) -> Network:
        """The network of a genome."""
        weights = genetic.weights(genome, self.gene_scale)
        hidden, output = (np.zeros(shape, dtype=np.float32) for shape in self._shapes.values())
        size = hidden[:-1].size
        hidden[:-1] = weights[:size].reshape(hidden[:-1].shape)
        output[:-1, 0] = weights[size:] if self.output == "weights" else 1
        return self.network(hidden, output)

    def _founders(self, draws: np.random.Generator, number: int) -> NDArray[np.int16]:
        return genetic.founders(draws, number, self._number_of_genes, self.founders)

    def start(self, game: Game) -> Arrays:
        draws = self._draws(0, _FOUNDERS)
        if self.method == "genetic":
            return {
                "genes": self._founders(draws, self.population),
                "order": np.arange(self.population),
                "points": np.zeros(self.population),
            }
        first = {name: draws.normal(0, self.first_spread, shape) for name, shape in self._shapes.items()}
        first["output"][:] = 1 if self.output == "sum" else first["output"] * 3
        first["output"][-1] = np.log(self.judged.odds.mean(axis=0)) if self.output == "outcomes" else 0
        if self.output == "sum":
            first["hidden"][-1] = 0
        found = {name: array.astype(np.float32) for name, array in first.items()}
        for name, array in list(found.items()):
            found |= {f"{name}_mean": np.zeros_like(array), f"{name}_square": np.zeros_like(array)}
        return found

    def champion(self, arrays: Arrays) -> Network:
        """The network that has learned most."""
        if self.method == "genetic":
            return self._expressed(arrays["genes"][arrays["order"][0]])
        return self.network(arrays["hidden"], arrays["output"])

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.player(game, self.champion(arrays))

    def player(self, game: Game, network: Network, **options: Any) -> Policy:
        """The player that a network becomes; the options are those of `network_policy`."""
        if self.output == "outcomes":
            return network_policy(game, network, **options)
        return by_contact(network_policy(game, network, **options), pubeval(game))

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        return self.player(game, self._member(arrays, index))

    def _member(self, arrays: Arrays, index: int) -> Network:
        if self.method != "genetic":
            return self.champion(arrays)
        return self._expressed(arrays["genes"][arrays["order"][index]])

    @classmethod
    def agent(cls, game: Game, path: str, *, member: int | None = None, ply: int = 0, cube: bool = True) -> Agent:
        """The agent `gengammon:PATH`; with `output=outcomes` it takes `?ply=1` and `?cube=False`, too.

        Args:
            game: the game.
            path: of the run.
            member: which of the population; by default the champion.
            ply: see `network_policy`.
            cube: see `network_policy`.

        Raises:
            ValueError: if the folder holds no such run, or there is no such member, or its network has no outcomes and
                an option needs them.
        """
        found = super().agent(game, path, member=member)
        if ply == 0 and cube is True:
            return found
        run = Checkpoint.of_game(path, game, cls)
        learner: Any = run.learner
        policy = learner.player(game, learner._member(run.arrays, member or 0), ply=ply, cube=cube)
        return CompiledAgent(f"{found.name}{'&' if '?' in found.name else '?'}ply={ply}&cube={cube}", policy)

    def merits(self, arrays: Arrays) -> list[str]:
        if self.method != "genetic":
            return [""] * self.population
        return [f"{self.fitness} {arrays['points'][number]:.4f}" for number in arrays["order"]]

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        network = self._member(arrays, member)
        found = decisions_of(self.decisions)
        return inspect_network(game, network, inputs(self.inputs), found.part(bool(found.held_out.any())))

    # --- learning ----------------------------------------------------------------------------------------------------

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        batch = self._batch(number)
        if self.method == "genetic":
            told = self._breed(arrays, number, batch, parallel)
        else:
            told = self._step(arrays, number, batch, parallel)
        return {"games": 0, "decisions": len(batch), **told}

    def _batch(self, number: int) -> NDArray[np.int64]:
        """The numbers of the decisions by which a generation is judged."""
        known = self.judged.number if self.output == "outcomes" else self.examples.number
        if not self.batch or self.batch >= known:
            return np.arange(known)
        epoch, at = divmod(number * self.batch, known - known % self.batch)
        return _shuffled(known, int(seed_key(self.seed, LEARNING, epoch, _BATCH)))[at : at + self.batch]

    def _breed(self, arrays: Arrays, number: int, batch: NDArray[np.int64], parallel: Parallel) -> dict[str, float]:
        """Judge all genomes, and replace them by their children."""
        parts = [_Judged(self, some, batch) for some in _split(arrays["genes"])]
        points = np.concatenate(parallel(judge, parts))
        order = self.ranking(np.argsort(-points, kind="stable"), number)
        arrays["points"], arrays["order"] = points, order
        told = {
            "best": points[order[0]],
            "mean": points.mean(),
            "diversity": genetic.values_per_gene(arrays["genes"]) / self.population,
        }
        if number + 1 < self.generations and self.breeding != "none":
            self._replace(arrays, number)
        return told

    def _replace(self, arrays: Arrays, number: int) -> None:
        """Let the best live on as the first members, and fill the rest with children."""
        genes, order, draws = arrays["genes"], arrays["order"], self._draws(number, _BREEDING)
        elites = genes[order[: self.elites]]
        if self.breeding == "founders":
            children = self._founders(draws, self.population - self.elites)
        else:
            places = np.argsort(order)
            children = np.array([self._child(genes, places, number, draws) for _ in range(len(genes) - self.elites)])
        arrays["genes"] = np.concatenate([elites, children])
        arrays["order"] = np.arange(self.population)

    def _child(
        self, genes: NDArray[np.int16], places: NDArray[np.int64], number: int, draws: np.random.Generator
    ) -> NDArray[np.int16]:
        """A child of two winners of tournaments; `places[i]` is the rank of member i."""
        one, other = (genes[genetic.winner(draws, places, self.tournament)] for _ in range(2))
        how = self.crossover
        if how == "alternate":
            how = "bits" if number // self.alternate_every % 2 else "weights"
        child = genetic.cross(draws, one, other, how)
        mutations = math.floor(self.mutation_rate + draws.random())
        genetic.mutate(draws, child, self.mutation, self.creep * (1 - number / self.generations), mutations)
        return child

    @property
    def _pairs(self) -> int:
        return max(self.population // 2, 1)

    def _step(self, arrays: Arrays, number: int, batch: NDArray[np.int64], parallel: Parallel) -> dict[str, float]:
        """Take one step in the direction that the mutants, or the twin's derivatives, show."""
        weights = {name: arrays[name] for name in self._shapes}
        if self.method == "strategy":
            shares = [(batch, some) for some in _split(np.arange(self._pairs))]
        else:
            shares = [(some, np.arange(0)) for some in _split(batch)]
        parts = [_Asked(self, weights["hidden"], weights["output"], *share, number) for share in shares]
        answers = parallel(ask, parts)
        likelihood = sum(answer[0] for answer in answers) / len(batch)
        decay = 1 - number / self.generations
        for place, name in enumerate(weights):
            slope = np.asarray(sum(answer[1][place] for answer in answers)) / len(batch)
            if self.output == "sum" and name == "output":
                continue
            if self.output == "sum":
                slope[-1] = 0  # no biases
            if self.output == "outcomes" and name == "output":
                slope[-1] = 0  # the biases stay what outcomes are in the mean
            if name == "hidden":
                arrays[name] *= np.float32(1 - self.alpha * decay * self.decay)
            mean, square = arrays[f"{name}_mean"], arrays[f"{name}_square"]
            mean[:] = _KEPT * mean + (1 - _KEPT) * slope
            square[:] = _KEPT_SQUARES * square + (1 - _KEPT_SQUARES) * slope**2
            size = np.sqrt(square / (1 - _KEPT_SQUARES ** (number + 1))) + 1e-8
            arrays[name] += np.float32(self.alpha * decay) * (mean / (1 - _KEPT ** (number + 1)) / size)
        return {"likelihood": likelihood, "size": float(arrays["hidden"].std())}

    def _draws(self, number: int, what: int) -> np.random.Generator:
        return np.random.default_rng(int(seed_key(self.seed, LEARNING, number, what)))


# --- parts of a generation, which can be sent to other processes ----------------------------------------------------


class _Judged(NamedTuple):
    """Genomes to judge by the same decisions."""

    learner: Gengammon
    genes: NDArray[np.int16]
    batch: NDArray[np.int64]


def judge(part: _Judged) -> NDArray[np.float64]:
    """The fitness of each genome."""
    learner, examples = part.learner, part.learner.examples
    networks = (learner._expressed(genome) for genome in part.genes)
    ranks = (rank(examples, part.batch, network, likelihood=learner.fitness == "likelihood") for network in networks)
    return np.array([found.fitness(learner.fitness).mean() for found in ranks])


class _Asked(NamedTuple):
    """A network, and who is to say how it should change: some of the decisions, or some pairs of mutants."""

    learner: Gengammon
    hidden: NDArray[np.float32]
    output: NDArray[np.float32]
    batch: NDArray[np.int64]
    pairs: NDArray[np.int64]
    number: int


def ask(part: _Asked) -> tuple[float, tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """The sum of the likelihoods of the decisions, and the slope of that sum for each weight, or an estimate of it."""
    learner = part.learner
    if learner.method == "strategy":
        out = np.zeros_like(part.hidden), np.zeros_like(part.output)
        return _compare_pairs(part, out), out
    outcomes = learner.output == "outcomes"
    known: Any = learner.judged if outcomes else learner.examples
    network = filled_up(learner.network(part.hidden, part.output))
    out = np.zeros_like(network.hidden), np.zeros_like(network.output)
    if learner.method == "backprop":
        total = (add_outcome_gradient if outcomes else add_gradient)(known, part.batch, network, out)
    else:
        key = seed_key(learner.seed, LEARNING, part.number, _BREEDING)
        sizes = np.array([learner.spread, 0.0 if learner.output == "sum" else learner.spread], dtype=np.float32)
        how = sizes, learner.mutants, learner.selection == "none"
        judge_neurons = credit_outcomes if outcomes else credit
        total = judge_neurons(known, part.batch, network, _pool(learner.seed), key, how, out)
        for array in out:
            array /= 2 * learner.spread
    return total, (out[0][:, : learner.hidden], np.append(out[1][: learner.hidden], out[1][-1:], axis=0))


def _compare_pairs(part: _Asked, out: tuple[NDArray[np.float32], NDArray[np.float32]]) -> float:
    """Judge networks with the same changes added and subtracted, each pair by its own share of the decisions.

    Adds up the slopes, and returns the sum of the likelihoods.
    """
    learner, examples, total = part.learner, part.learner.examples, 0.0
    sizes = [array.size for array in out]
    for pair in part.pairs:
        start = learner._draws(part.number, _PAIRS + int(pair)).integers(POOL - sum(sizes))
        signs = np.split(_pool(learner.seed)[start : start + sum(sizes)], sizes[:1])
        changes = [some.reshape(array.shape) for some, array in zip(signs, out, strict=True)]
        steps = (learner.spread, 0.0 if learner.output == "sum" else learner.spread)
        sums = []
        for way in (1, -1):
            arrays = zip((part.hidden, part.output), changes, steps, strict=True)
            network = learner.network(*(array + np.float32(way * step) * change for array, change, step in arrays))
            sums.append(rank(examples, part.batch[pair :: learner._pairs], network).likelihood.sum())
        for array, change in zip(out, changes, strict=True):
            array += np.float32((sums[0] - sums[1]) / (2 * learner.spread)) * change
        total += (sums[0] + sums[1]) / 2
    return total


@cache
def _pool(seed: int) -> NDArray[np.float32]:
    """Random signs."""
    draws = np.random.default_rng(int(seed_key(seed, LEARNING, 0, _POOL)))
    return np.where(draws.random(POOL) < 0.5, -1, 1).astype(np.float32)


@lru_cache(maxsize=2)
def _shuffled(number: int, key: int) -> NDArray[np.int64]:
    return np.random.default_rng(key).permutation(number)


def _split(array: NDArray[Any]) -> list[NDArray[Any]]:
    """Up to `_PARTS` parts of about the same length."""
    return [part for part in np.array_split(array, _PARTS) if len(part)]
