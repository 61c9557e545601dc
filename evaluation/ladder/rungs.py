"""The rungs of each game: the package's, in `rungs.json`, and those in a file of one's own.

`python benchmarks/ladder.py` makes `rungs.json`. A file of one's own holds agents that `rate` has placed.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.envs.files import reading, replacing
from ludarium.envs.game import Game
from ludarium.evaluation.ladder.rating import Scale

SHIPPED = Path(__file__).with_name("rungs.json")
VERSION = 1


@dataclass(frozen=True)
class Rung:
    """A player of known strength.

    Attributes:
        name: what people read.
        agent: its spec.
        rating: in Elo; in cooperative games the mean score of a team.
        error: standard error of the rating.
        games: number of games that it rests on.
    """

    name: str
    agent: str
    rating: float
    error: float
    games: int


@dataclass(frozen=True)
class Ladder:
    """The rungs of a game, the weakest first.

    Attributes:
        game: its spec.
        opening: random moves at the start of each game.
        agreement, dispersion: see `rating.Scale`; not used in cooperative games.
        rungs: the rungs.
    """

    game: str
    opening: int
    agreement: float
    dispersion: float
    rungs: tuple[Rung, ...]

    @property
    def scale(self) -> Scale:
        """The rungs as numbers."""
        ratings = np.array([[rung.rating, rung.error] for rung in self.rungs], dtype=np.float64)
        return Scale(ratings[:, 0], ratings[:, 1], self.agreement, self.dispersion)

    def checked_name(self, name: str) -> str:
        """A name for another rung.

        Raises:
            ValueError: if it is not printable text, or belongs to a rung.
        """
        if not name.isprintable() or name != name.strip() or not name:
            raise ValueError(f"ladder: the name of a rung must be printable text, not {name!r}")
        if name in (rung.name for rung in self.rungs):
            raise ValueError(f"ladder: {self.game} has a rung called {name!r} already; give another name")
        return name

    def with_rungs(self, more: tuple[Rung, ...]) -> "Ladder":
        """The ladder with further rungs.

        Raises:
            ValueError: if a name belongs to a rung.
        """
        for rung in more:
            self.checked_name(rung.name)
        return replace(self, rungs=tuple(sorted((*self.rungs, *more), key=lambda rung: rung.rating)))


@cache
def shipped() -> Mapping[str, Ladder]:
    """The ladders that come with the package, by their game's spec."""
    data = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return {
        game: Ladder(game, rungs=tuple(Rung(**rung) for rung in ladder.pop("rungs")), **ladder)
        for game, ladder in data["games"].items()
    }


def ladder_of(game: Game, own: Path | None = None) -> Ladder:
    """The ladder of a game, with the rungs of one's own file.

    Raises:
        ValueError: if the game has no ladder, or the file is not one of rungs.
        OSError: if the file cannot be read.
    """
    ladder = shipped().get(game.spec)
    if ladder is None:
        raise ValueError(f"{game.spec}: this game has no ladder; games with one: {', '.join(shipped())}")
    return ladder if own is None else ladder.with_rungs(read_own(own).get(game.spec, ()))


def read_own(path: Path) -> dict[str, tuple[Rung, ...]]:
    """The rungs in a file of one's own, by game.

    Raises:
        ValueError: if it is not such a file.
        OSError: if it cannot be read.
    """
    text = path.read_bytes()
    with reading(f"{path}: this is not a ladder that ludarium rate --keep wrote; give another file"):
        data = json.loads(text)
        version = data.get("version") if isinstance(data, dict) else None
        if version != VERSION:
            raise ValueError(f"its version is {version!r}, and {VERSION} is expected")
        return {game: tuple(_rung(rung) for rung in rungs) for game, rungs in data["games"].items()}


def _rung(data: Any) -> Rung:
    rung = Rung(**data)
    numbers = rung.rating, rung.error
    if not (isinstance(rung.name, str) and isinstance(rung.agent, str) and type(rung.games) is int):
        raise TypeError("a rung has a name, an agent and a number of games")
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers) or rung.error < 0:
        raise ValueError(f"rating and error of {rung.name!r} must be finite numbers, not {numbers}")
    return rung


def keep(path: Path, game: Game, rung: Rung) -> None:
    """Add a rung to a file of one's own, which is made if there is none; a rung of the same name is replaced.

    Raises:
        ValueError: if the file is not one of rungs, or the name belongs to a rung of the package.
        OSError: if it cannot be read or written.
    """
    ladder_of(game).checked_name(rung.name)
    games = read_own(path) if path.exists() else {}
    others = tuple(one for one in games.get(game.spec, ()) if one.name != rung.name)
    games[game.spec] = (*others, rung)
    data = {"version": VERSION, "games": {name: [asdict(one) for one in rungs] for name, rungs in games.items()}}
    with replacing(path) as part:
        part.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
