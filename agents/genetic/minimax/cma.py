"""Evolution by CMA-ES: every genome plays the same games with past champions, and their distribution moves.

The champion is the mean of the distribution, which no genome has to be lucky to be.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.minimax.contest import Genome, Player, play, shares, with_rivals
from ludarium.agents.genetic.minimax.players import CHILDREN, GAMES, HALL, RIVALS, SearchPlayers
from ludarium.agents.learning import cma
from ludarium.agents.learning.evolution import sample_place
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.search.evaluations import evaluations
from ludarium.envs.chance import below
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class CMA(SearchPlayers):
    """Options of CMA-ES; see `SearchPlayers` for the others.

    Without `crossover`, the mean moves to the best genome, not to the mean of the better half. The twin
    `breeding=founders` keeps the best genome so far.

    Attributes:
        opening: random moves at the start of each game, 0 to 1000.
        spread: the standard deviation of the first genomes around 0, from 1e-9 to 1e9.
        rivals: how many past champions, 1 to 100,000, every genome meets in a generation, in pairs of games with
            exchanged seats.
        hall_of_fame: how many past champions, 1 to 100,000, a random sample of all, are kept as rivals.
        anchors: names of evaluations that are rivals in every generation, joined by `+`; empty: none. `random` is one
            that likes all positions equally.
    """

    diagonal: ClassVar[bool] = False
    """Whether only the diagonal of the covariance matrix adapts, for many weights."""
    population: int = 24
    opening: int = 8
    spread: float = 1.0
    rivals: int = 20
    hall_of_fame: int = 200
    anchors: str = ""

    def settle(self) -> None:
        self.check_at_least(1, "rivals", "hall_of_fame", most=100_000)
        super().settle()

    def check(self, game: Game) -> None:
        self.check_at_least(0, "opening", most=1000)
        self.check_number(1e-9, 1e9, "spread")
        super().check(game)

    @property
    def trainee(self) -> Player:
        """How genomes play in training."""
        return self.searcher

    def opening_of(self, number: int) -> int:
        """The number of random moves at the start of each game of a generation."""
        return self.opening

    @cached_property
    def anchored(self) -> list[Genome]:
        """The anchors as rivals.

        Raises:
            ValueError: if one is not an evaluation of the game with weights.
        """
        genomes = {name: Genome(name, own.weights) for name, own in evaluations(self.learned).items()}
        genomes["random"] = Genome(self.form_name, np.zeros(len(self.form.names)))
        names = [name for name in str(self.anchors).split("+") if name]
        for name in names:
            if name not in genomes:
                raise ValueError(
                    f"{self.name}: anchors: {self.learned.name} has no evaluation {name!r}; it must be one of "
                    f"{', '.join(genomes)}"
                )
        return [genomes[name] for name in names]

    def start(self, game: Game) -> Arrays:
        weights = len(self.form.names)
        return {
            **cma.start(weights, self.spread, self.diagonal),
            "genes": np.zeros((self.population, weights)),
            "points": np.zeros(self.population),
            "order": np.arange(self.population),
            "champion": np.zeros(weights),
            "hall": np.zeros((self.hall_of_fame, weights)),
        }

    def largest_generation(self, game: Game) -> int:
        return 2 * self.population * (self.rivals + len(self.anchored))

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        draws = np.random.default_rng(int(self.key(number if self.replaces else 0, CHILDREN)))
        noise, step = draws.standard_normal(arrays["genes"].shape), float(arrays["sigma"][0])
        unlearned = {**cma.start(noise.shape[1], self.spread, diagonal=True), "mean": arrays["mean"]}
        genes = cma.sample(arrays if self.inherits else unlearned, noise)
        if self.replaces and not self.inherits and number:
            genes[0] = arrays["champion"]  # a random search must not forget what it has
        rivals = [*self.past_champions(arrays, number), *self.anchored]
        genomes = [*(Genome(self.form_name, weights) for weights in genes), *rivals]
        games = with_rivals(self.population, len(rivals), self.key(number, GAMES), self.opening_of(number))
        payoffs, decisions = play(game, self.trainee, genomes, games, parallel)
        points = shares(payoffs, self.population)
        total = points if self.replaces else arrays["points"] + points
        order = self.ranking(np.argsort(-total, kind="stable"), number)
        if self.inherits:
            cma.update(arrays, genes[order], number, self.crossover)
        champion = arrays["mean"].copy() if self.inherits else genes[order[0]]
        place = sample_place(number, self.hall_of_fame, self.draws(number, HALL))
        if place < self.hall_of_fame:
            arrays["hall"][place] = champion
        arrays.update(genes=genes, points=total, order=order, champion=champion)
        return {
            "games": len(payoffs),
            "decisions": decisions,
            "best": points[order[0]],
            "mean": points.mean(),
            "diversity": float((genes.std(axis=0) / np.maximum(np.abs(genes).mean(axis=0), 1e-12)).mean()),
            "draws": (payoffs[:, 0] == 0).mean(),
            "step": step,
        }

    def past_champions(self, arrays: Arrays, number: int) -> list[Genome]:
        """The last champion, and others drawn from the hall of fame; at first, the last one alone."""
        draws, champions = self.draws(number, RIVALS), min(number, self.hall_of_fame)
        others = [
            arrays["hall"][int(below(draws, champions))] if champions else arrays["champion"]
            for _ in range(self.rivals - 1)
        ]
        return [Genome(self.form_name, weights) for weights in (arrays["champion"], *others)]

    def champion(self, arrays: Arrays) -> NDArray[np.float64]:
        return np.asarray(arrays["champion"])
