"""The preset `modern`: the weights of features evolve by CMA-ES, under an alpha-beta search."""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.minimax.cma import CMA
from ludarium.agents.genetic.minimax.contest import SEARCHES, Player
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Modern(CMA):
    """Options of `modern`; see `CMA` for the others.

    Attributes:
        features: the evaluation whose weights are genes, by its name (see `Game.evaluations`); or `"tuples:all-2"` and
            the like, n-tuples of Othello.
        search: how players search: `"alphabeta"`, `"one-ply"`, or `"beam"` (see `ludarium.agents.search.beam`).
        depth: plies to look ahead, from 1.
    """

    preset: ClassVar[str] = "modern"
    usual_games: ClassVar[int] = 120_000
    features: str = "phases"
    search: str = "alphabeta"
    depth: int = 4

    def check(self, game: Game) -> None:
        self.check_choice("search", *SEARCHES)
        self.check_at_least(1, "depth", most=10_000)
        if self.search == "one-ply" and self.depth != 10:  # the default of earlier versions, in their runs
            self.check_idle("with search=one-ply", "depth")
        super().check(game)

    @property
    def form_name(self) -> str:
        return self.features

    @property
    def searcher(self) -> Player:
        return Player(self.search, self.depth)
