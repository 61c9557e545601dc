"""Whether a store holds what was played: damaged files are refused, and wrong games are named.

A file whose rows cannot be of its tournament is refused as a whole. Where a game has been changed, by hand or by a
fault, only that game is wrong: its moves, played again by the rules, do not give its payoffs.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ludarium.envs.batch import ADJUDICATED, FINISHED, TRUNCATED
from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.episode import Episode
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.play.openings import openings_of
from ludarium.evaluation.tournament.event import PEOPLE, GameEntry, Tournament
from ludarium.evaluation.tournament.replaying import Replayed, by_entrant, replay
from ludarium.evaluation.tournament.session import Machine
from ludarium.evaluation.tournament.store import GameRow, Session, Store, StoreError, TimeRow, move_type

MOST_VERIFIED = 100_000
"""From so many games on, checksums are compared instead of moves, unless asked."""


def read(store: Store) -> tuple[Tournament, list[GameRow], list[Session], list[TimeRow]]:
    """The tournament of a store, its games, the sessions that played them, and how long moves took.

    Raises:
        StoreError: if it is damaged.
    """
    path = store.path
    try:
        tournament = Tournament.from_data(store.tournament)
        rows, sessions, times = store.games(), store.sessions(), store.times()
        for entry in tournament.games:
            openings_of(entry.rules, entry.begin, tournament.seed, np.arange(0))  # read once, and then kept
    except StoreError:
        raise
    except (sqlite3.DatabaseError, ValueError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is damaged ({error})") from None
    events = [
        _Event(
            entry.rules,
            frozenset(tournament.entrants(number)),
            _ANY_PAIR if tournament.name == PEOPLE else entry.pairs,
            bool(entry.adjudicate),
        )
        for number, entry in enumerate(tournament.games)
    ]
    for row in rows:
        if not _is_sound(row, events):
            raise StoreError(f"{path} is damaged (a game {row.key!r} is not one of its tournament's)")
    for number, session in enumerate(sessions, 1):
        if not _is_sound_session(session):
            raise StoreError(f"{path} is damaged (session {number} is invalid: {session!r})")
    return tournament, rows, sessions, times


def wrong_games(store: Store, verify: bool | None = None) -> dict[tuple[int, ...], str]:
    """The games of a store that are wrong, by their keys (event, a, b, pair, leg): a sentence that names each.

    Args:
        store: the store.
        verify: whether to play the moves again by the rules. None for doing so below `MOST_VERIFIED` games, and
            comparing checksums from there on; stores of before schema 6 have none. False leaves out only payoffs that
            the game cannot have.

    Raises:
        StoreError: if the store is damaged.
    """
    tournament, rows, *_ = read(store)
    wrong: dict[tuple[int, ...], str] = {}
    for event, entry in enumerate(tournament.games):
        game, mine = entry.rules, [row for row in rows if row.event == event]
        if verify or (verify is None and len(rows) < MOST_VERIFIED):
            faults = _verified(tournament, entry, mine)
        else:
            faults = _out_of_range(game, mine)
        wrong |= {row.key: named(tournament, row, why) for row, why in faults}
    if verify is None and len(rows) >= MOST_VERIFIED:
        changed = set(store.changed())
        why = "it is not as it was stored: its checksum differs"
        wrong |= {row.key: named(tournament, row, why) for row in rows if row.key in changed}
    return wrong


def named(tournament: Tournament, row: GameRow, why: str) -> str:
    """A sentence about a game that is left out."""
    who = " and ".join(dict.fromkeys(tournament.labels[entrant] for entrant in (row.a, row.b)))
    game, key = tournament.games[row.event].game, ":".join(map(str, row.key))
    return f"{game}, {who}: game {row.leg} of pair {row.pair} ({key}) is left out: {why}"


def _out_of_range(game: Game, rows: list[GameRow]) -> Iterator[tuple[GameRow, str]]:
    low, high = game.payoff_range
    for row in rows:
        if not (low <= row.payoff_a <= high and low <= row.payoff_b <= high):
            yield row, f"it has the payoffs {row.payoff_a:g} and {row.payoff_b:g}, which this game cannot have"


def _verified(tournament: Tournament, entry: GameEntry, rows: list[GameRow]) -> Iterator[tuple[GameRow, str]]:
    """The games that do not follow from their moves, and why."""
    game = entry.rules
    played = replay(game, tournament.seed, rows, entry.begin)
    people = tournament.name == PEOPLE
    if people:  # who may resign in more ways than agents
        for number in np.flatnonzero(~played.legal).tolist():
            _replay_resigned(game, tournament.seed, rows, number, played)
    payoffs = by_entrant(game, rows, played.payoffs)
    for number, row in enumerate(rows):
        if not played.legal[number]:
            in_opening = played.moves[number] < played.given[number]
            why = "not that of its opening" if in_opening else "not legal"
            yield row, f"its move number {int(played.moves[number]) + 1} is {why}"
        elif why := _ended_wrong(game, row, int(played.turns[number]), int(played.moves[number]), people):
            yield row, why
        elif (stored := (row.payoff_a, row.payoff_b)) != (right := tuple(float(one[number]) for one in payoffs)):
            yield (
                row,
                f"it has the payoffs {stored[0]:g} and {stored[1]:g}, and its moves give {right[0]:g} and {right[1]:g}",
            )


def _ended_wrong(game: Game, row: GameRow, turn: int, moves: int, people: bool) -> str:
    """Why a game cannot have ended as it is stored; empty if it can."""
    if turn == OVER or moves >= game.max_moves:
        right, how = ((FINISHED, ADJUDICATED), "is over") if turn == OVER else ((TRUNCATED,), "has its maximum length")
        return "" if row.ending in right else f"after its moves the game {how}, which is not how it is stored"
    if row.ending < FORFEIT:
        return "its moves stop before the game is over"
    if moves and row.ending - FORFEIT != turn and not people:  # people resign at any time
        return f"the {game.seat_names[row.ending - FORFEIT]} forfeited it, and it is not their turn"
    return ""


def _replay_resigned(game: Game, seed: int, rows: list[GameRow], number: int, played: Replayed) -> None:
    """Replay a game in which people may have given up by a move."""
    row, kind = rows[number], move_type(game)
    if len(row.moves) % kind.itemsize:
        return
    episode = Episode(game, child_key(seed_key(seed), row.pair), None, [])
    for action in np.frombuffer(row.moves, dtype=kind).tolist():
        if episode.turn == OVER or episode.objection(action, resigning=True):
            return
        episode.play(action)
    played.legal[number], played.turns[number], played.moves[number] = True, episode.turn, episode.plies
    if row.ending < FORFEIT:
        played.payoffs[number] = episode.returns


_ANY_PAIR = 2**63  # games at the table have no schedule


class _Event(NamedTuple):
    """What rows of one event are checked against."""

    game: Game
    entrants: frozenset[int]
    pairs: int
    adjudicated: bool


def _is_sound(row: GameRow, events: Sequence[_Event]) -> bool:
    """Whether a row has the types and ranges of the rows that `run` stores."""
    if [type(value) for value in row] != [int] * 5 + [float] * 2 + [int, str, bytes]:
        return False
    game, entrants, pairs, adjudicated = events[row.event]
    alone = row.a == row.b
    return (
        row.a in entrants
        and row.b in entrants
        and (game.cooperative if alone else row.a < row.b)
        and 0 <= row.pair < pairs
        and 0 <= row.leg < (1 if alone else 2)
        and (
            row.ending in (FINISHED, TRUNCATED)
            or (row.ending == ADJUDICATED and adjudicated)
            or FORFEIT <= row.ending < FORFEIT + game.seats
        )
    )


def _is_sound_session(session: Session) -> bool:
    """Whether a session has the types of the sessions that `run` stores."""
    return (
        [type(value) for value in session] == [str, float, int, str, Machine]
        and [type(value) for value in session.machine] == [str, str, int, str, dict]
        and all(type(text) is str for package in session.machine.packages.items() for text in package)
    )
