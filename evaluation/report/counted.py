"""The same games scored in other ways: disc differences in Othello, both conventions of Hanabi's score.

How a game is scored is one of its options. So compiled code replays the stored moves under the other option; dice and
cards follow from the tournament's seed, so that only moves need to be stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.batch import draw
from ludarium.envs.chance import DEALING, derive, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, OVER, STATE_SIZE
from ludarium.evaluation.play.match import FORFEIT, forfeit_payoffs
from ludarium.evaluation.tournament.standings import Pairs, mean_and_margin
from ludarium.evaluation.tournament.store import GameRow, StoreError, move_type

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


def count(game: Game, seed: int, entrants: Sequence[int], rows: list[GameRow]) -> list[Counted]:
    """Score the games in every other way defined for this game; for most games there is none.

    Args:
        game: the game that was played.
        seed: the tournament's seed.
        entrants: their numbers, in the order of the table.
        rows: the stored games, all between these entrants.

    Raises:
        StoreError: if moves cannot be played: the store is damaged, or of another version of the game.
    """
    found = []
    for way in WAYS.get(game.name, ()):
        other = type(game)(**{**game.given, **way.options})
        found.append(_by_entrant(way, other, entrants, rows, replayed_payoffs(other, seed, rows)))
    return found


def replayed_payoffs(game: Game, seed: int, rows: list[GameRow]) -> Floats:
    """The payoffs of the stored moves in this game, shape (games, seats).

    A forfeited game has the forfeit payoffs of this game; one that was cut off has the payoffs so far.

    Raises:
        StoreError: if a move is not legal.
    """
    sizes = np.array([len(row.moves) for row in rows], dtype=np.int64)
    payoffs = np.zeros((len(rows), game.seats))
    pairs = np.array([row.pair for row in rows], dtype=np.int64)
    kind = move_type(game)
    odd = np.flatnonzero(sizes % kind.itemsize)
    number = int(odd[0]) if len(odd) else 0
    if not len(odd):
        decided = np.frombuffer(b"".join(row.moves for row in rows), dtype=kind).astype(np.int16)
        ends = np.cumsum(sizes // kind.itemsize)
        number = _replay(game.table, game.option_bytes, seed_key(seed), pairs, decided, ends, payoffs)
    if len(odd) or number >= 0:
        key = ":".join(map(str, rows[number][:5]))
        raise StoreError(f"the moves of game {key} are damaged, or of another version of {game.name}")
    for number, row in enumerate(rows):
        if row.ending >= FORFEIT:
            payoffs[number] = forfeit_payoffs(game, row.ending - FORFEIT)
    return payoffs


@jit
def _replay(game: Any, options: Any, key: Any, pairs: Any, moves: Any, ends: Any, payoffs: Any) -> int:
    """Play the moves, with the chance of each game's pair; return the first game with an illegal one, or -1."""
    state = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    dealing = np.zeros(2, dtype=np.uint64)
    move = 0
    for number in range(len(pairs)):
        state[:] = 0
        kernels.setup(game, state, options)
        dealing[0], dealing[1] = derive(derive(key, pairs[number]), DEALING), 0
        while True:
            turn = kernels.turn(game, state)
            if turn == CHANCE:
                kernels.play(game, state, draw(game, state, probabilities, dealing))
                continue
            if turn == OVER or move == ends[number]:
                break
            action = moves[move]
            kernels.legal(game, state, mask)
            if action < 0 or action >= game[ACTIONS] or mask[action] == 0:
                return number
            kernels.play(game, state, action)
            move += 1
        if move != ends[number]:
            return number
        kernels.payoffs(game, state, payoffs[number])
    return -1


def _by_entrant(way: Way, game: Game, entrants: Sequence[int], rows: list[GameRow], payoffs: Floats) -> Counted:
    """Means and margins as in a table, see `ludarium.evaluation.tournament.standings.mean_and_margin`."""
    pairs, games = Pairs(rows), np.arange(len(rows))
    seat_of_a = np.array([0 if game.cooperative else row.leg for row in rows], dtype=np.int64)
    seat_of_b = seat_of_a if game.cooperative else 1 - seat_of_a
    values = pairs.means(payoffs[games, seat_of_a], payoffs[games, seat_of_b])
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
