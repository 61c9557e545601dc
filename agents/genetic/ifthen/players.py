"""What all if-then learners share: a population of maps, how it is stored and ranked, and its players."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.ifthen.contest import Order
from ludarium.agents.genetic.ifthen.games import DECISIONS, DRAWS, GAMES, RULE_MOVES, Rules
from ludarium.agents.genetic.ifthen.heredity import ahead_of_parents, disagreement, survivors_of
from ludarium.agents.genetic.ifthen.inspection import inspect_map
from ludarium.agents.genetic.ifthen.map_agent import MapAgent
from ludarium.agents.genetic.ifthen.maps import Maps, Pairs, are_maps
from ludarium.agents.genetic.ifthen.player import player
from ludarium.agents.genetic.ifthen.windows import Windows, board_windows
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import Takes
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

SORTING, REMATCH, BREEDING, EXPLORING = 0, 1, 2, 5
"""The random streams of a generation; runs of earlier versions had others between them."""


@dataclass(frozen=True, kw_only=True)
class MapPlayers(Evolver):
    """A population of maps; subclasses say what their games teach, and define a generation.

    The twins of `Evolver` leave all other options as they are. With `selection=none`, all games are played and learned
    from, but the champion and the survivors are random. With `breeding=founders`, the bottom half is replaced by
    players that know nothing. With `population=1`, a generation is 100 games of one map against itself, which learns
    from each game as either side.
    """

    name: ClassVar[str] = "ifthen"
    takes: ClassVar[Takes] = Takes(chance=True)
    least_population: ClassVar[int] = 4

    def rules(self, game: Game) -> Rules:
        """What all games of a run have in common."""
        raise NotImplementedError

    def check(self, game: Game) -> None:
        super().check(game)
        if self.population == 1:
            self.check_idle("with population=1, a single player", "selection", "breeding")

    def start(self, game: Game) -> Arrays:
        return {**Maps.empty(self.population)._asdict(), "order": np.arange(self.population)}

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return are_maps(arrays, self.population, game.actions)

    def metrics(
        self, maps: Maps, before: Order, order: Order, counts: NDArray[np.int64], number: int
    ) -> dict[str, float]:
        """The metrics of generation `number`, given its ranking before and after its games, and their counts."""
        rates, survivors = maps.wins / np.maximum(maps.games, 1), survivors_of(len(order))
        metrics = {
            "games": counts[GAMES],
            "decisions": counts[DECISIONS],
            "best": rates[order[0]],
            "mean": rates.mean(),
            "diversity": disagreement(maps, order),
            "rule_share": counts[RULE_MOVES] / counts[DECISIONS],
            "draws": counts[DRAWS] / counts[GAMES],
            "entries": maps.entries.mean(),
            "randomness": maps.randomness[order[:survivors]].mean(),
        }
        if number and self.inherits and survivors < len(order):
            metrics["ahead_of_parents"] = ahead_of_parents(before, order, self.key(number - 1, BREEDING))
        return metrics

    def summary(self, line: Mapping[str, Any]) -> str:
        return (
            f"generation {line['generation']}: {line['draws']:.0%} drawn, {line['rule_share']:.0%} by a rule, "
            f"{line['entries']:.0f} pairs"
        ).replace("%", " %")

    def merits(self, arrays: Arrays) -> list[str]:
        records = zip(arrays["wins"][arrays["order"]].tolist(), arrays["games"][arrays["order"]].tolist(), strict=True)
        return [f"won {wins:,} of {games:,} games" if games else "newborn" for wins, games in records]

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """The member in a place of the last ranking, 0 for the champion; it always plays the moves that it knows."""
        return player(pairs_in(arrays, index)[0], self._windows(game))

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> MapAgent:
        policy, with_values = self.chosen(game, arrays, member), self.rules(game).lesson.values
        return MapAgent(self.name, policy, *pairs_in(arrays, member or 0), self._windows(game), with_values)

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """The member's map, the most used pairs first."""
        with_values, policy = self.rules(game).lesson.values, self.member(game, arrays, member)
        return inspect_map(game, *pairs_in(arrays, member), with_values, policy, watch)

    def _windows(self, game: Game) -> Windows:
        rules = self.rules(game)
        return board_windows(game, rules.windows, rules.symmetry)


def pairs_in(arrays: Arrays, place: int) -> tuple[Pairs, NDArray[np.int32]]:
    """The map of the member in a place of the last ranking, and the number of games that taught each pair."""
    own = Maps.of(arrays).rows(arrays["order"][place])
    return Pairs(own.keys, own.moves, own.values), own.visits
