"""The preset `modern`: the weights of features evolve by CMA-ES, under an alpha-beta search."""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.minimax.cma import CMA
from ludarium.agents.genetic.minimax.contest import Player
from ludarium.agents.genetic.minimax.players import Features


@dataclass(frozen=True, kw_only=True)
class Modern(CMA, Features):
    """Options of `modern`; see `CMA` and `Features`."""

    preset: ClassVar[str] = "modern"
    usual_games: ClassVar[int] = 120_000
    features: str = "phases"
    search: str = "alphabeta"
    depth: int = 4

    @property
    def searcher(self) -> Player:
        return Player(self.search, self.depth)
