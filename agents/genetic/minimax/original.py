"""The preset `seed`: the genetic algorithm of the original program, under its search.

Fourteen genomes of six integers from 0 to 1,000. In each generation, every two play one game, and the winner gets a
point. The two with the most points have two children by one-point crossover, each of which mutates with probability ⅔;
they replace the two with the fewest. The search looks ten plies ahead, at three children of each position, drawn by
rank.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.minimax.contest import Genome, Player, every_two, play
from ludarium.agents.genetic.minimax.ga import children, founders
from ludarium.agents.genetic.minimax.players import CHILDREN, FOUNDERS, GAMES, Features
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.search.beam import DRAWS, VIEWS
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

_BEAM = ("width", "draw", "draw_at_root", "replacement", "view")
_FEW = 8  # so many weights fit into a line of the metrics


@dataclass(frozen=True, kw_only=True)
class Original(Features):
    """Options of the original; see `Features` for the others.

    The features `"six"` are l, c, f, p, d and m, where p is the text's "parity", the share of the discs. Without
    `crossover`, each child begins as a copy of one parent.

    Attributes:
        width: how many children of each position a beam keeps, 1 to 64.
        draw: how they are chosen: at random by `"rank"`, or the `"best"`.
        draw_at_root: whether the moves themselves are drawn, too.
        replacement: whether a child may be drawn twice.
        view: for whom the best child ranks first, the `"mover"` or always the `"searcher"`.
        gene_limit: the largest value of a gene, 1 to 10,000; genes are integers from 0.
        games_per_pair: games between every two, 1 to 100,000; in the first, the one with the lower number moves first.
        draw_points: the points of each for a draw, from 0 to 1; a win is 1.
        fitness_window: the games that count: those of a `"generation"`, or of a genome's `"lifetime"`.
        mutation: the probability, from 0 to 1, that a child gets a new random value in one gene.
    """

    preset: ClassVar[str] = "seed"
    population: int = 14
    features: str = "six"
    search: str = "beam"
    depth: int = 10
    width: int = 3
    draw: str = "rank"
    draw_at_root: bool = True
    replacement: bool = False
    view: str = "mover"
    gene_limit: int = 1000
    games_per_pair: int = 1
    draw_points: float = 0.0
    fitness_window: str = "generation"
    mutation: float = 2 / 3

    def settle(self) -> None:
        self.check_at_least(1, "games_per_pair", most=100_000)
        if not self.games:
            self.fill("generations", 0, 14)
        super().settle()

    def check(self, game: Game) -> None:
        self.check_choice("draw", *DRAWS)
        self.check_choice("view", *VIEWS)
        self.check_choice("fitness_window", "generation", "lifetime")
        self.check_at_least(1, "gene_limit", most=10_000)
        self.check_at_least(1, "width", most=64)
        self.check_number(0, 1, "draw_points", "mutation")
        if self.search != "beam":
            self.check_idle(f"with search={self.search}", *_BEAM)
        super().check(game)

    @property
    def searcher(self) -> Player:
        return Player(self.search, self.depth, {name: getattr(self, name) for name in _BEAM})

    def start(self, game: Game) -> Arrays:
        weights = len(self.form.names)
        return {
            "genes": founders(self.draws(0, FOUNDERS), self.population, weights, self.gene_limit),
            "points": np.zeros(self.population),
            "order": np.arange(self.population),
            "champions": np.zeros((0, weights)),
        }

    def fits(self, game: Game, arrays: Arrays) -> bool:
        champions = arrays.get("champions", np.zeros(0))  # every generation adds one
        return super().fits(game, {**arrays, "champions": champions[:0]}) and bool(np.isfinite(champions).all())

    def largest_generation(self, game: Game) -> int:
        return self.games_per_pair * math.comb(self.population, 2)

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        genes, draws = arrays["genes"], self.draws(number, CHILDREN)
        games = every_two(self.population, self.games_per_pair, self.key(number, GAMES))
        genomes = [Genome(self.form_name, weights) for weights in genes]
        payoffs, decisions = play(game, self.searcher, genomes, games, parallel)
        won = np.where(payoffs == 0, self.draw_points, payoffs > 0)
        points = np.bincount(games.seating.ravel(), won.ravel(), self.population)
        if self.fitness_window == "lifetime":
            points = arrays["points"] + points
        order = self.ranking(np.argsort(-points, kind="stable"), number)
        champion = genes[order[0]].copy()
        line = {
            "games": len(payoffs),
            "decisions": decisions,
            "best": points[order[0]],
            "mean": points.mean(),
            "diversity": genes.std(axis=0).mean() / self.gene_limit,
            "draws": (payoffs[:, 0] == 0).mean(),
            **(dict(zip(self.form.names, champion, strict=True)) if len(champion) <= _FEW else {}),
        }
        if self.replaces:
            worst = order[-2:]
            if self.inherits:
                genes[worst] = children(draws, genes[order[:2]], self.mutation, self.gene_limit, self.crossover)
            else:
                genes[worst] = founders(draws, 2, len(champion), self.gene_limit)
            points[worst] = 0
        arrays.update(points=points, order=order, champions=np.vstack([arrays["champions"], champion]))
        return line

    def champion(self, arrays: Arrays) -> NDArray[np.float64]:
        return np.asarray(arrays["champions"][-1])
