"""Maps whose pairs have values, which every game corrects, and of which some are about windows of the board."""

from dataclasses import dataclass

from ludarium.agents.genetic.board import check_board
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.lessons import VALUES
from ludarium.agents.genetic.ifthen.players import MapPlayers
from ludarium.agents.genetic.ifthen.windows import LONGEST
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class ValuedMaps(MapPlayers):
    """Options of maps with values.

    The value of a pair is that of the best known move. After every game, whoever won, the pairs of all its positions
    are corrected, from the last back to the first.

    Attributes:
        symmetry: each pair is learned in all mirror images, if the game declares `symmetries`.
        windows: the number of squares in a window. Positions that the map does not know are judged by windows, see
            `ludarium.agents.genetic.ifthen.windows`; 0: not at all.
        capacity: a map that holds this many pairs forgets half of them, those that it met in the fewest games; 0:
            never.
    """

    symmetry: bool = True
    windows: int = 4
    capacity: int = 1 << 15

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(0, "windows", "capacity")
        if game.max_outcomes:
            raise ValueError(
                f"{self.name}: {game.spec} has chance, where values cannot be backed up; use the preset 'seed'"
            )
        if self.windows == 1 or self.windows > LONGEST:
            raise ValueError(f"{self.name}: windows must be 0 or from 2 to {LONGEST}, not {self.windows!r}")
        if self.windows:
            check_board(game, f"windows={self.windows}", "set windows=0")

    def rules(self, game: Game) -> Rules:
        return Rules(game, self.symmetry, self.windows, VALUES)
