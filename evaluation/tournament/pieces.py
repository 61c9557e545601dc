"""Pieces of work: consecutive pairs of one pairing, played on any worker, and what a store keeps of them.

In a cooperative game an entrant is a team by itself, with one game per deck. Two entrants at one table have alternate
seats, and play two games per deck: in leg 0 the first of them has the seats 0, 2, …, in leg 1 the seats 1, 3, ….
"""

import itertools
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.match import MatchResult, play_benches, usual_seating
from ludarium.evaluation.tournament.event import GameEntry
from ludarium.evaluation.tournament.kept import kept_benches
from ludarium.evaluation.tournament.store import IN_COMPILED_CODE, IN_PYTHON, GameRow, TimeRow, move_type

_ENTRANT_BITS = 24  # bits for an entrant's number in the number of a pairing


class Work(NamedTuple):
    """Consecutive pairs of one pairing, played in one go."""

    event: int
    a: int
    b: int  # the same as a if an entrant plays a cooperative game by itself
    first: int
    pairs: int


class Done(NamedTuple):
    """A finished piece of work, and the seconds that it took besides its games, for the making of agents."""

    result: MatchResult
    besides: float


Arguments = tuple[GameEntry, tuple[Any, ...], Work, int]
"""All that a piece of work is a function of: the arguments of `play_work`."""


def play_bundle(bundle: list[Arguments]) -> list[Done | Failed]:
    """Play pieces of work one after the other, on any worker: see `play_work`."""
    return [play_work(*arguments) for arguments in bundle]


def play_work(entry: GameEntry, agents: tuple[Any, ...], work: Work, seed: int) -> Done | Failed:
    """Play a piece of work; without a clock, the games are a function of the arguments.

    If an agent cannot be made, it returns `Failed`: that may be the machine's fault, so it is not a result.
    """
    started = time.perf_counter()
    rules = make_game(entry.game)
    try:
        result = play_benches(
            rules,
            kept_benches(agents, rules),
            work.pairs,
            seed,
            first=work.first,
            pairing=pairing_of(work),
            opening=entry.begin,
            adjudicate=entry.adjudicate,
            control=entry.control,
            record=True,
            seating=seating_of(rules, work),
        )
    except (ValueError, TypeError, OSError) as error:
        return Failed(str(error))
    return Done(result, time.perf_counter() - started - result.seconds)


def seating_of(game: Game, work: Work) -> NDArray[np.int64]:
    """Which of the entrants has which seat, shape (games per pair, seats)."""
    if game.cooperative and work.a != work.b:  # alternate seats
        return np.stack([np.arange(game.seats) % 2, np.arange(1, game.seats + 1) % 2])
    return usual_seating(game)


def pairing_of(work: Work) -> int:
    """The number of the pairing, which separates its agents' random numbers from those of others."""
    return work.a << _ENTRANT_BITS | work.b


def entrant_at(row: GameRow, seat: int) -> int:
    """Which entrant had a seat in a stored game."""
    return row.a if seat % 2 == row.leg else row.b


def time_rows(result: MatchResult, work: Work) -> list[TimeRow]:
    """How long the agents' decisions took, as rows of a store."""
    rows, kind = [], IN_COMPILED_CODE if result.compiled else IN_PYTHON
    for number, counts in enumerate(result.times):
        entrant, opponent = (work.a, work.b) if number == 0 else (work.b, work.a)
        for bucket in np.flatnonzero(counts).tolist():
            rows.append(TimeRow(work.event, entrant, opponent, kind, bucket, int(counts[bucket])))
    return rows


def game_rows(result: MatchResult, work: Work) -> list[tuple[Any, ...]]:
    """The games of a match as rows of a store, with the columns of `GameRow`.

    They are built column by column, as plain tuples, since the fastest games take microseconds.
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
    return list(zip(*columns, strict=False))  # the first three columns are infinite
