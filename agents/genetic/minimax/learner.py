"""Evaluations that evolve: `ludarium train minimax othello`, then the agent `minimax:runs/minimax-othello`.

After "Othello game with Artificial Intelligence": a player is a search with an evaluation of six weights, and evolution
looks for the weights. The preset `seed` is that program: fourteen genomes of six integers, one game between every two,
the two best have two children, which replace the two worst; the search looks ten plies ahead, at three children of each
position. `modern` still finds nothing but the weights of declared features, by games alone: with better features, by
CMA-ES, and under a real alpha-beta search. `tuples` are many weights, those of n-tuples, played one ply ahead; their
evolution is Lamarckian: what an individual learns in its life by temporal differences, its children inherit (as in
"coevolutionary temporal difference learning", Szubert, Jaskowski & Krawiec 2009).

Any game with an evaluation that has named weights can be learned, see `Game.evaluations`.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.genetic.minimax import ga
from ludarium.agents.genetic.minimax.contest import SEARCHES, Genome, Pairing, Player, play
from ludarium.agents.genetic.minimax.inspection import inspect_features, inspect_tuples
from ludarium.agents.learning import cma
from ludarium.agents.learning.evolution import Evolver, sample_place
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, same_layout
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.othello import td
from ludarium.agents.othello.tuples import layout
from ludarium.agents.search.beam import DRAWS, VIEWS
from ludarium.agents.search.evaluations import Form, evaluations, form
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import below, child_key, seed_key, stream
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_FOUNDERS, _GAMES, _BREEDING, _HALL, _RIVALS, _LESSONS, _OPENING = range(7)
_BEAM = ("width", "draw", "draw_at_root", "replacement", "view")
_GENETIC = ("gene_limit", "games_per_pair", "draw_points", "fitness_window", "mutation")
_CMA = ("covariance", "spread", "rivals", "hall_of_fame", "anchors", "lessons")
_LESSON_OPTIONS = ("lessons_until", "alpha")


@dataclass(frozen=True, kw_only=True)
class Minimax(Evolver):
    """Options of the minimax learner; see `Evolver` for the others. The defaults are those of the preset `seed`.

    The twins of `Evolver` leave all other options as they are. With `selection=none`, all games are played, but chance
    decides who is best. With `breeding=founders`, children are new random genomes: a random search. With
    `breeding=none`, the first genomes play on. With `crossover=False`, children have one parent: in CMA-ES the mean
    moves to the best genome, not to the mean of the better half.

    Attributes:
        features: the evaluation whose weights are genes, by its name (see `Game.evaluations`); `"tuples"`: n-tuples of
            Othello.
        tuples: which tuples, see `ludarium.agents.othello.tuples.layout`: `"all-2"`, `"4+2x2"`, a list, ….
        search: how players search: `"beam"` (see `ludarium.agents.search.beam`), `"alphabeta"`, or `"one-ply"`.
        depth: plies to look ahead.
        width: how many children of each position a beam keeps.
        draw: how they are chosen: at random by `"rank"`, or the `"best"`.
        draw_at_root: whether the moves themselves are drawn, too.
        replacement: whether a child may be drawn twice.
        view: for whom the best child ranks first, the `"mover"` or always the `"searcher"`.
        opening: random moves at the start of each game.
        opening_varies: whether only every other generation has them, on average, and draws their number, from 1 to
            `opening`; the others begin at the start of the game.
        noise: the probability of a random move later on.
        crossover: whether children inherit from several parents, see above.
        strategy: `"genetic"`: the genetic algorithm of the original; `"cma"`: CMA-ES, whose champion is the mean of its
            distribution.
        gene_limit: the largest value of a gene; genes are integers from 0.
        games_per_pair: games between every two; in the first, the one with the lower number moves first.
        draw_points: what a draw is worth to each; a win is 1.
        fitness_window: the games that count: those of a `"generation"`, or of a genome's `"lifetime"`.
        mutation: the probability that a child gets a new random value in one gene.
        covariance: what CMA-ES adapts: the `"full"` matrix, or its `"diagonal"`, for many weights.
        spread: the standard deviation of the first genomes around 0.
        rivals: how many past champions every genome meets in a generation, in pairs of games with exchanged seats.
        hall_of_fame: how many past champions, a random sample of all, are kept as rivals.
        anchors: names of evaluations that are rivals in every generation, joined by `+`; empty: none. `random` is one
            that likes all positions equally.
        lessons: n-tuples: games against itself by which the mean learns before each generation, by TD(0); they count.
        lessons_until: the share of the budget after which there are no more lessons.
        alpha: the step size in the first lesson; it falls linearly to 0 by the last.
    """

    name: ClassVar[str] = "minimax"
    least_population: ClassVar[int] = 4
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "seed": {},
        "modern": {
            "features": "phases",
            "search": "alphabeta",
            "depth": 4,
            "opening": 8,
            "strategy": "cma",
            "population": 24,
            "games": 120_000,
        },
        "tuples": {
            "features": "tuples",
            "search": "one-ply",
            "opening": 8,
            "opening_varies": True,
            "noise": 0.1,
            "strategy": "cma",
            "covariance": "diagonal",
            "spread": 0.02,
            "population": 320,
            "rivals": 1,
            "anchors": "wpc+wpc",
            "lessons": 1000,
            "games": 300_000,
        },
    }
    test_games: int = 100
    population: int = 14
    features: str = "six"
    tuples: str = "all-2"
    search: str = "beam"
    depth: int = 10
    width: int = 3
    draw: str = "rank"
    draw_at_root: bool = True
    replacement: bool = False
    view: str = "mover"
    opening: int = 0
    opening_varies: bool = False
    noise: float = 0.0
    crossover: bool = True
    strategy: str = "genetic"
    gene_limit: int = 1000
    games_per_pair: int = 1
    draw_points: float = 0.0
    fitness_window: str = "generation"
    mutation: float = 2 / 3
    covariance: str = "full"
    spread: float = 1.0
    rivals: int = 20
    hall_of_fame: int = 200
    anchors: str = ""
    lessons: int = 0
    lessons_until: float = 0.3
    alpha: float = 1.0

    def settle(self) -> None:
        if not self.games and not self.generations and self.strategy == "genetic":
            object.__setattr__(self, "generations", 14)
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        if self.population == 1:
            raise ValueError(
                f"{self.name}: population must be at least 4: a single player has nobody to be better than"
            )
        self._form(game).evaluation(np.ones(len(self._form(game).names))).check(game)
        self.check_choice("search", *SEARCHES)
        self.check_choice("draw", *DRAWS)
        self.check_choice("view", *VIEWS)
        self.check_choice("strategy", "genetic", "cma")
        self.check_choice("fitness_window", "generation", "lifetime")
        self.check_choice("covariance", "full", "diagonal")
        self.check_at_least(1, "depth", "gene_limit", most=10_000)
        self.check_at_least(1, "width", most=64)
        self.check_at_least(1, "games_per_pair", "rivals", "hall_of_fame", most=100_000)
        self.check_at_least(0, "opening", most=1000)
        self.check_at_least(0, "lessons", most=1_000_000)
        self.check_number(1e-3, 1, "lessons_until")
        self.check_number(1e-6, 10, "alpha")
        self.check_number(0, 1, "noise", "draw_points", "mutation")
        self.check_number(1e-9, 1e9, "spread")
        if self.search != "beam":
            self.check_idle(f"with search={self.search}", *_BEAM)
        if self.features != "tuples":
            self.check_idle(f"with features={self.features}", "tuples", "lessons")
        if not self.opening:
            self.check_idle("without an opening", "opening_varies")
        if not self.lessons:
            self.check_idle("without lessons", *_LESSON_OPTIONS)
        if self.search == "one-ply":
            self.check_idle("with search=one-ply", "depth")
        if self.breeding != "parents":
            self.check_idle(f"with breeding={self.breeding}", "crossover")
        self.check_idle(f"with strategy={self.strategy}", *(_CMA if self.strategy == "genetic" else _GENETIC))
        self._anchored(game)
        self._player.policy(game, self._form(game).evaluation(np.ones(len(self._form(game).names))))

    # --- the population ----------------------------------------------------------------------------------------------

    def start(self, game: Game) -> Arrays:
        dimensions = len(self._form(game).names)
        arrays = {"order": np.arange(self.population), "points": np.zeros(self.population)}
        if self.strategy == "genetic":
            draws = stream(self.seed, LEARNING, 0, _FOUNDERS)
            genes = ga.founders(draws, self.population, dimensions, self.gene_limit)
            return {**arrays, "genes": genes, "champions": np.zeros((0, dimensions))}
        return {
            **arrays,
            **cma.start(dimensions, self.spread, self.covariance == "diagonal"),
            "genes": np.zeros((self.population, dimensions)),
            "champion": np.zeros(dimensions),
            "hall": np.zeros((self.hall_of_fame, dimensions)),
        }

    def fits(self, game: Game, arrays: Arrays) -> bool:
        expected = self.start(game)
        if "champions" in arrays and arrays["champions"].ndim == 2:  # it grows
            expected["champions"] = np.zeros((len(arrays["champions"]), expected["genes"].shape[1]))
        return bool(
            same_layout(arrays, expected)
            and all(np.isfinite(array).all() for array in arrays.values())
            and (np.sort(arrays["order"]) == expected["order"]).all()
        )

    def largest_generation(self, game: Game) -> int:
        if self.strategy == "genetic":
            return self.games_per_pair * math.comb(self.population, 2)
        return 2 * self.population * (self.rivals + len(self._anchored(game))) + self.lessons

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        if self.strategy == "genetic":
            told = self._rank_all(game, arrays, number, parallel)
            self._breed(arrays, number)
        else:
            lessons, decisions = self._learn(game, arrays, number)
            told = self._meet_rivals(game, arrays, number, parallel)
            told["games"] += lessons
            told["decisions"] += decisions
            self._adapt(arrays, number)
        return told

    # --- the genetic algorithm ---------------------------------------------------------------------------------------

    def _rank_all(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        """Play between every two, and rank by points, the best first."""
        pairs = np.array([(a, b) for a in range(self.population) for b in range(a)])[:, ::-1]
        seating = np.concatenate([pairs[:, :: 1 if leg % 2 == 0 else -1] for leg in range(self.games_per_pair)])
        key = seed_key(self.seed, LEARNING, number, _GAMES)
        keys = np.array([child_key(key, game_number) for game_number in range(len(seating))], dtype=np.uint64)
        genomes = [Genome(self._form_name, genes) for genes in arrays["genes"]]
        payoffs, decisions = play(game, self._trainee, genomes, Pairing(seating, keys, self._opening(number)), parallel)
        points = arrays["points"] if self.fitness_window == "lifetime" else np.zeros(self.population)
        won = np.where(payoffs == 0, self.draw_points, payoffs > 0)
        arrays["points"] = points + np.bincount(seating.ravel(), won.ravel(), self.population)
        order = np.argsort(-arrays["points"], kind="stable")
        arrays["order"] = order = self.ranking(order, number)
        arrays["champions"] = np.vstack([arrays["champions"], arrays["genes"][order[0]]])
        return {
            "games": len(seating),
            "decisions": decisions,
            "best": arrays["points"][order[0]],
            "mean": arrays["points"].mean(),
            "diversity": arrays["genes"].std(axis=0).mean() / self.gene_limit,
            "draws": (payoffs[:, 0] == 0).mean(),
            **self._named(game, arrays["genes"][order[0]]),
        }

    def _breed(self, arrays: Arrays, number: int) -> None:
        """Replace the two worst by two children of the two best."""
        genes, order = arrays["genes"], arrays["order"]
        draws = stream(self.seed, LEARNING, number, _BREEDING)
        if self.breeding == "founders":
            genes[order[-2:]] = ga.founders(draws, 2, genes.shape[1], self.gene_limit)
        elif self.breeding == "parents":
            genes[order[-2:]] = ga.children(
                draws, genes[order[0]], genes[order[1]], self.mutation, self.gene_limit, self.crossover
            )
        if self.breeding != "none":
            arrays["points"][order[-2:]] = 0

    # --- CMA-ES ------------------------------------------------------------------------------------------------------

    def _learn(self, game: Game, arrays: Arrays, number: int) -> tuple[int, int]:
        """Let the mean learn from games against itself, if it still may; return the numbers of games and decisions."""
        time = number * self.largest_generation(game) / (self.lessons_until * self.games)
        if not self.lessons or time >= 1:
            return 0, 0
        shape = layout(game.options["size"], self.tuples, merged=False)
        weights = arrays["mean"].astype(np.float32)[None]
        rates = np.array([self.alpha * (1 - time), 0.0, self.noise, 0.0])
        key = seed_key(self.seed, LEARNING, number, _LESSONS)
        decisions = td.learn(game, shape, weights, 0, self.lessons, key, rates, self.opening)
        arrays["mean"] = weights[0].astype(np.float64)
        return self.lessons, decisions

    def _meet_rivals(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        """Make the genomes of a generation, let each play the same games with the same rivals, and rank them."""
        genes = arrays["genes"] = self._genomes(arrays, number)
        rivals = self._chosen_rivals(game, arrays, number)
        genomes = [*(Genome(self._form_name, row) for row in genes), *rivals]
        key = seed_key(self.seed, LEARNING, number, _GAMES)
        openings = np.array([child_key(key, rival) for rival in range(len(rivals))], dtype=np.uint64)
        ours = np.repeat(np.arange(self.population), len(rivals))
        theirs = self.population + np.tile(np.arange(len(rivals)), self.population)
        seating = np.stack([ours, theirs, theirs, ours], axis=1).reshape(-1, 2)
        keys = np.repeat(np.tile(openings, self.population), 2)
        payoffs, decisions = play(game, self._trainee, genomes, Pairing(seating, keys, self._opening(number)), parallel)
        scores = (1 + np.sign(payoffs.reshape(self.population, len(rivals), 2, 2))) / 2
        points = (scores[:, :, 0, 0] + scores[:, :, 1, 1]).mean(axis=1) / 2
        arrays["points"] = arrays["points"] + points if self.breeding == "none" else points
        order = np.argsort(-arrays["points"], kind="stable")
        arrays["order"] = order = self.ranking(order, number)
        return {
            "games": len(seating),
            "decisions": decisions,
            "best": points[order[0]],
            "mean": points.mean(),
            "diversity": float((genes.std(axis=0) / np.maximum(np.abs(genes).mean(axis=0), 1e-12)).mean()),
            "draws": (payoffs[:, 0] == 0).mean(),
            "step": float(arrays["sigma"][0]),
        }

    def _genomes(self, arrays: Arrays, number: int) -> NDArray[np.float64]:
        """The genomes that play in a generation, shape (population, weights)."""
        adapted = self.breeding == "parents"
        state = arrays if adapted else {**cma.start(len(arrays["mean"]), self.spread, True), "mean": arrays["mean"]}
        drawn_in = 0 if self.breeding == "none" else number
        draws = np.random.default_rng(int(seed_key(self.seed, LEARNING, drawn_in, _BREEDING)))
        genes = cma.sample(state, draws.standard_normal(arrays["genes"].shape))
        if self.breeding == "founders" and number:
            genes[0] = arrays["champion"]  # a random search must not forget what it found
        return genes

    def _chosen_rivals(self, game: Game, arrays: Arrays, number: int) -> list[Genome]:
        """Past champions, drawn at random, and the anchors."""
        draws = stream(self.seed, LEARNING, number, _RIVALS)
        known = min(number, self.hall_of_fame)
        champions = [arrays["champion"]] + [
            arrays["hall"][int(below(draws, known))] for _ in range(self.rivals - 1) if known
        ]
        champions += [arrays["champion"]] * (self.rivals - len(champions))
        return [*(Genome(self._form_name, weights) for weights in champions), *self._anchored(game)]

    def _adapt(self, arrays: Arrays, number: int) -> None:
        """Learn from the ranking, and remember the champion."""
        ranked = arrays["genes"][arrays["order"]]
        if self.breeding == "parents":
            cma.update(arrays, ranked, number, self.crossover)
        arrays["champion"] = arrays["mean"].copy() if self.breeding == "parents" else ranked[0]
        place = sample_place(number, self.hall_of_fame, stream(self.seed, LEARNING, number, _HALL))
        if place < self.hall_of_fame:  # in a uniform sample of all champions
            arrays["hall"][place] = arrays["champion"]

    def _anchored(self, game: Game) -> list[Genome]:
        """The anchors as rivals.

        Raises:
            ValueError: if one is not an evaluation of the game with weights.
        """
        known = {name: Genome(name, found.weights) for name, found in evaluations(game).items()}
        known["random"] = Genome(self._form_name, np.zeros(len(self._form(game).names)))
        names = [name for name in self.anchors.split("+") if name]
        for name in names:
            if name not in known:
                raise ValueError(
                    f"{self.name}: anchors: {game.name} has no evaluation {name!r}; it must be one of "
                    f"{', '.join(known)}"
                )
        return [known[name] for name in names]

    def _opening(self, number: int) -> int:
        """The number of random moves at the start of each game of a generation."""
        if not self.opening_varies:
            return self.opening
        draws = stream(self.seed, LEARNING, number, _OPENING)
        return 0 if below(draws, 2) else 1 + int(below(draws, self.opening))

    # --- players -----------------------------------------------------------------------------------------------------

    @property
    def _player(self) -> Player:
        if self.search == "one-ply":
            return Player(self.search, {})
        if self.search == "alphabeta":
            return Player(self.search, {"depth": self.depth, "table": 0 if self.depth < 4 else 12, "endgame": 0})
        return Player(self.search, {"depth": self.depth, **{name: getattr(self, name) for name in _BEAM}})

    @property
    def _trainee(self) -> Player:
        """How genomes play in training."""
        return replace(self._player, noise=self.noise)

    def _form(self, game: Game) -> Form:
        return form(game, self._form_name)

    @property
    def _form_name(self) -> str:
        return f"tuples:{self.tuples}" if self.features == "tuples" else self.features

    def _named(self, game: Game, weights: NDArray[np.float64]) -> dict[str, float]:
        """The weights for the metrics, if they are few."""
        names = self._form(game).names
        return dict(zip(names, weights.tolist(), strict=True)) if len(names) <= 8 else {}

    def champion(self, arrays: Arrays) -> NDArray[np.float64]:
        """The weights of the champion, shape (weights,)."""
        return np.asarray(arrays["champion"] if self.strategy == "cma" else arrays["champions"][-1])

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        return self._form(game).evaluation(self.champion(arrays))

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self._player.policy(game, self.evaluation(game, arrays))

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        weights = arrays["genes"][arrays["order"][index]]
        return self._player.policy(game, self._form(game).evaluation(weights))

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None, generation: int | None = None) -> Agent:
        """A run's champion, `…?member=3`, or `…?generation=6`, the champion after a generation.

        Raises:
            ValueError: if there is no such member or generation.
        """
        if generation is None:
            return super().player(game, arrays, member=member)
        known = len(arrays.get("champions", ()))
        if member is not None or type(generation) is not int or not 1 <= generation <= known:
            kept = f"an integer from 1 to {known}" if known else "left out: this run keeps its last champion only"
            raise ValueError(f"{self.name}: generation must be {kept}, and member be left out, not {generation!r}")
        evaluation = self._form(game).evaluation(arrays["champions"][generation - 1])
        return CompiledAgent(self.name, self._player.policy(game, evaluation))

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"{arrays['points'][number]:g} points" for number in arrays["order"]]

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        weights = self.champion(arrays) if member == 0 else arrays["genes"][arrays["order"][member]]
        if self.features == "tuples":
            return inspect_tuples(layout(game.options["size"], self.tuples), weights)
        return inspect_features(self._form(game).names, weights)
