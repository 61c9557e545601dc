"""The same games scored in other ways: disc differences in Othello, both conventions of Hanabi's score.

How a game is scored is one of its options. So the stored moves are replayed under the other option.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.game import Game
from ludarium.evaluation.play.openings import Book
from ludarium.evaluation.tournament.replaying import by_entrant, replay
from ludarium.evaluation.tournament.standings import Pairs, mean_and_margin
from ludarium.evaluation.tournament.store import GameRow, StoreError

Floats = NDArray[np.float64]


class Way(NamedTuple):
    """A way of scoring: a name for data, a title for people, and the game's options for it."""

    name: str
    title: str
    options: dict[str, str]


WAYS = {
    "othello": (Way("discs", "discs a game", {"scoring": "discs"}),),
    "hanabi": (
        Way("points_kept", "score, points kept", {"score": "points-kept"}),
        Way("zero_on_bomb", "score, zero on bomb", {"score": "zero-on-bomb"}),
    ),
}
"""The other ways to score a game, by the game's name."""


@dataclass(frozen=True)
class Counted:
    """Games scored in one way, by entrant, in the order of a table.

    Attributes:
        way: the way of scoring.
        game: the game with the options of that way.
        means: shape (entrants,): mean payoff per game; in cooperative games, of an entrant with itself.
        margins: shape (entrants,): half the 95 % intervals; infinite for a single pair.
        between: shape (entrants, entrants): mean payoff of the row against, or with, the column; NaN if there are no
            such games.
        between_margins: the same shape: half their 95 % intervals.
    """

    way: Way
    game: Game
    means: Floats
    margins: Floats
    between: Floats
    between_margins: Floats


def count(
    game: Game, seed: int, entrants: Sequence[int], rows: list[GameRow], opening: int | Book = 0
) -> list[Counted]:
    """Score the games in every other way defined for this game; for most games there is none.

    Args:
        game: the game that was played.
        seed: the tournament's seed.
        entrants: their numbers, in the order of the table.
        rows: the stored games, all between these entrants.
        opening: how they began.

    Raises:
        StoreError: if moves cannot be played: the store is damaged, or of another version of the game.
    """
    counts = []
    for way in WAYS.get(game.name, ()):
        other = type(game)(**{**game.given, **way.options})
        counts.append(_by_entrant(way, other, entrants, rows, replayed_payoffs(other, seed, rows, opening)))
    return counts


def replayed_payoffs(game: Game, seed: int, rows: list[GameRow], opening: int | Book = 0) -> Floats:
    """The payoffs of the stored moves in this game, shape (games, seats).

    A forfeited game has the forfeit payoffs of this game; one that was cut off has the payoffs so far.

    Raises:
        StoreError: if a move is not legal.
    """
    played = replay(game, seed, rows, opening)
    for number in np.flatnonzero(~played.legal).tolist():
        key = ":".join(map(str, rows[number][:5]))
        raise StoreError(f"the moves of game {key} are damaged, or of another version of {game.name}")
    return played.payoffs


def _by_entrant(way: Way, game: Game, entrants: Sequence[int], rows: list[GameRow], payoffs: Floats) -> Counted:
    """Means and margins as in a table, see `ludarium.evaluation.tournament.standings.mean_and_margin`."""
    pairs = Pairs(rows)
    values = pairs.means(*by_entrant(game, rows, payoffs))
    size, scale = len(entrants), game.payoff_range
    means, margins = np.full((2, size), np.nan)
    between, between_margins = np.full((2, size, size), np.nan)
    for i, entrant in enumerate(entrants):
        mine = pairs.of(entrant)
        value, opponent, number = values[mine], pairs.opponent[mine], pairs.number[mine]
        own = opponent == entrant if game.cooperative else opponent != entrant
        means[i], margins[i] = mean_and_margin(value[own], opponent[own], number[own], *scale)
        for j, other in enumerate(entrants):
            met = opponent == other
            if met.any():
                between[i, j], between_margins[i, j] = mean_and_margin(value[met], opponent[met], number[met], *scale)
    return Counted(way, game, means, margins, between, between_margins)
