"""A look inside a trained player: what `ludarium inspect` prints, and what a notebook shows."""

from dataclasses import dataclass
from typing import Any

from ludarium.agents.learning.inspection import Inspection
from ludarium.envs.registry import make_game
from ludarium.evaluation.inspection.games import watch
from ludarium.evaluation.inspection.picture import inspection_picture
from ludarium.evaluation.inspection.runs import find_run
from ludarium.evaluation.inspection.text import inspection_data, inspection_text


@dataclass(frozen=True, repr=False)
class Inside:
    """What is inside a trained player; a notebook shows it as a picture, and `print` as text.

    Attributes:
        agent: its spec.
        game: the spec of the game.
        merit: how it does in its population; empty if there is nothing to say.
        inspection: what is inside.
        games: the number of games in which it was watched.
        seed: what these are a function of.
        top: the maximum number of entries to show.
        by_use: whether the most used come first.
    """

    agent: str
    game: str
    merit: str
    inspection: Inspection
    games: int
    seed: int
    top: int
    by_use: bool

    @property
    def title(self) -> str:
        """The player, its game, and how it does, in a line."""
        return ", ".join(filter(None, (f"{self.agent}: {self.game}", self.merit)))

    @property
    def text(self) -> str:
        """Its parts as lines of text."""
        sample = f"{self.games:,} game{'s' * (self.games != 1)} against random, seed {self.seed}"
        return inspection_text(self.inspection, sample, self.by_use, self.top)

    @property
    def svg(self) -> str:
        """The same as a picture, an SVG document."""
        return inspection_picture(self.inspection, self.title, self.by_use, self.top)

    def data(self) -> dict[str, Any]:
        """All of it as plain data."""
        about = {"agent": self.agent, "game": self.game, "games": self.games, "seed": self.seed}
        return about | inspection_data(self.inspection, self.by_use, self.top)

    def __str__(self) -> str:
        return f"{self.title}\n{self.text}"

    def __repr__(self) -> str:
        return f"<Inside {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg


def look_inside(
    agent: str,
    game: str = "",
    *,
    games: int = 1000,
    seed: int = 0,
    top: int | None = 10,
    by_use: bool = False,
    positions: int = 200_000,
) -> Inside:
    """Look inside a trained player.

    Args:
        agent: a run's folder; an agent from a run, `gaia:RUN` or `gaia:RUN?member=3`; or a file that a learner reads.
        game: the spec of the game that it plays; by default the one that it learned.
        games: the number of games against the random agent in which uses are counted.
        seed: these games are a function of it.
        top: the maximum number of rules or positions to show; None for all.
        by_use: show the most used first, instead of the order in which they apply.
        positions: maps: the maximum number of positions to search for those that they hold.

    Raises:
        ValueError: if there is no such run or member, or its learner has nothing to show.
    """
    run, member = find_run(agent, make_game(game) if game else None)
    inspection = run.inspect(member, watch(run.game, games, seed, positions))
    most = max(1, len(inspection.entries)) if top is None else top
    return Inside(run.spec(member), run.game.spec, run.merits()[member], inspection, games, seed, most, by_use)
