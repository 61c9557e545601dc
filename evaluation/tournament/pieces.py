"""Pieces of work: consecutive pairs of one pairing, played wherever an executor likes, and what a store keeps of them.

In a cooperative game an entrant is a team of its own, one game a deck. Two entrants at one table sit in turns, two
games a deck: in leg 0 the first of them has the seats 0, 2, …, in leg 1 the seats 1, 3, ….
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.registry import make_game
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.match import MatchResult, play_match
from ludarium.evaluation.tournament.store import GameRow, move_type

_ENTRANT_BITS = 24  # of the numbers of two entrants in the number of their pairing


class Work(NamedTuple):
    """Consecutive pairs of one pairing, played at one go."""

    event: int
    a: int
    b: int  # the same as a where a team of one plays a cooperative game
    first: int
    pairs: int


def play_work(game: str, agents: tuple[str, ...], work: Work, seed: int, opening: int) -> MatchResult | Failed:
    """Play it; runs wherever the executor likes, and is a function of its arguments.

    It fails where an agent cannot be made: that may be the fault of the machine, so it is no result.
    """
    rules = make_game(game)
    mixed = np.stack([np.arange(rules.seats) % 2, np.arange(1, rules.seats + 1) % 2])  # sitting in turns
    try:
        return play_match(
            rules,
            agents,
            work.pairs,
            seed,
            first=work.first,
            pairing=_pairing(work),
            opening=opening,
            record=True,
            seating=mixed if rules.cooperative and work.a != work.b else None,
        )
    except (ValueError, TypeError, OSError) as error:
        return Failed(str(error))


def _pairing(work: Work) -> int:
    return work.a << _ENTRANT_BITS | work.b


def entrant_at(row: GameRow, seat: int) -> int:
    """Which entrant had a seat in a stored game."""
    return row.a if seat % 2 == row.leg else row.b


def game_rows(result: MatchResult, work: Work) -> list[tuple[Any, ...]]:
    """The games of a match as rows of a store, with the columns of `GameRow`.

    Column by column, and as plain tuples, since the fastest games take microseconds.
    """
    pairs, legs = result.endings.shape
    kind = move_type(result.game)
    size = kind.itemsize * result.moves.shape[1]
    lengths = kind.itemsize * (result.moves >= 0).sum(axis=1)
    moves = result.moves.astype(kind).tobytes()
    causes = [""] * result.games
    for forfeit in result.forfeits:
        causes[(forfeit.pair - work.first) * legs + forfeit.game] = forfeit.cause
    columns = (
        itertools.repeat(work.event),
        itertools.repeat(work.a),
        itertools.repeat(work.b),
        np.repeat(np.arange(work.first, work.first + pairs), legs).tolist(),
        list(range(legs)) * pairs,
        result.payoffs[:, :, 0].ravel().tolist(),
        result.payoffs[:, :, -1].ravel().tolist(),
        result.endings.ravel().tolist(),
        causes,
        [
            moves[start : start + length]
            for start, length in zip(itertools.count(0, size), lengths.tolist(), strict=False)
        ],
    )
    return list(zip(*columns, strict=False))  # the first three columns have no end
