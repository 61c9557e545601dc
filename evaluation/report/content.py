"""What a report says, before it is a page or a text: a function of the store, and of the runs that made its agents."""

import itertools
import math
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.arena import TRUNCATED
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.aggregate import interquartile_interval, interquartile_mean, mean_ranks, normalised
from ludarium.evaluation.intransitivity import nash_average, three_cycles
from ludarium.evaluation.match import FORFEIT
from ludarium.evaluation.ratings import Ratings, Results, fit
from ludarium.evaluation.report.counted import Counted, count
from ludarium.evaluation.report.curves import Curve, read_curves
from ludarium.evaluation.standings import Table, tables
from ludarium.evaluation.store import GameRow, Session, Store, StoreError
from ludarium.evaluation.tournament import Tournament, games_in_all

Floats = NDArray[np.float64]
PARTS = 10
"""Into so many parts, by the number of the pair, a tournament is cut for the intervals across games."""


@dataclass(frozen=True)
class GameContent:
    """One game of a tournament.

    Attributes:
        event: its number in the tournament's list.
        table: the standings, best entrant first.
        rows: its games.
        ratings: the fitted model, entrants in the table's order; None for cooperative games.
        scores: shape (entrants, entrants), in the table's order: row against column, NaN where they did not meet. In
            cooperative games the mean returns at one table, in the diagonal by itself.
        first: mean score of the first seat; NaN for cooperative games.
        draws: share of games that were drawn.
        truncated: number of games that were cut off at their greatest length.
        cycles: share of triples of entrants that beat each other in a circle; None for fewer than three.
        counted: the same games counted in other ways.
        curves: how those entrants learned that a training run made.
        nash: mixture and measures of the Nash average, each of shape (entrants,); None if some did not meet.
    """

    event: int
    table: Table
    rows: list[GameRow]
    ratings: Ratings | None
    scores: Floats
    first: float
    draws: float
    truncated: int
    cycles: float | None
    nash: tuple[Floats, Floats] | None
    counted: list[Counted]
    curves: list[Curve]

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def with_points(self) -> bool:
        """Whether points say more than wins: payoffs other than win, draw and loss."""
        shown = any(one.game == self.game for one in self.counted)
        return not self.game.cooperative and self.game.payoff_range != (-1, 1) and not shown

    @property
    def crossplay(self) -> bool:
        """Whether entrants of a cooperative game sat at one table."""
        return self.game.cooperative and any(row.against for row in self.table.rows)


@dataclass(frozen=True)
class Overall:
    """One entrant across games: mean rank, interquartile mean of its normalised scores, and that one's interval."""

    agent: str
    rank: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Content:
    """A whole report.

    Attributes:
        tournament: what was to be played.
        total: number of games it has; in a Swiss tournament the most there can be.
        games: the games that have results.
        sessions: what played the games, as far as the store knows.
        across: entrants that played in all games, best mean rank first; empty unless there are two of both.
    """

    tournament: Tournament
    total: int
    games: list[GameContent]
    sessions: list[Session]
    across: list[Overall]

    @property
    def played(self) -> int:
        """Number of games in the store."""
        return sum(len(game.rows) for game in self.games)


def read_store(path: Path) -> tuple[Tournament, list[GameRow], list[Session]]:
    """The tournament, its games, and the sessions that played them.

    Raises:
        StoreError: for a file that is not a store or is damaged.
        FileNotFoundError: if there is none.
    """
    try:
        with Store(path) as store:
            tournament, rows, sessions = Tournament.from_data(store.tournament), store.games(), store.sessions()
    except StoreError:
        raise
    except (sqlite3.DatabaseError, ValueError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is damaged ({error})") from None
    for row in rows:
        if not _is_sound(tournament, row):
            raise StoreError(f"{path} is damaged (a game {row[:5]!r} is not one of its tournament's)")
    return tournament, rows, sessions


def _is_sound(tournament: Tournament, row: GameRow) -> bool:
    """Whether a row has the types, and is in the ranges, of what `run` stores."""
    if [type(value) for value in row] != [int] * 5 + [float] * 2 + [int, str, bytes]:
        return False
    return (
        0 <= row.event < len(tournament.games)
        and {row.a, row.b} <= set(tournament.entrants(row.event))
        and row.leg in (0, 1)
        and math.isfinite(row.payoff_a)
        and math.isfinite(row.payoff_b)
        and 0 <= row.ending < FORFEIT + make_game(tournament.games[row.event].game).seats
    )


def summarise(tournament: Tournament, rows: list[GameRow], sessions: Sequence[Session] = ()) -> Content:
    """Everything a report says about these games."""
    by_event: dict[int, list[GameRow]] = defaultdict(list)
    for row in rows:
        by_event[row.event].append(row)
    found = tables(tournament, rows)
    games = [_game(tournament, event, found[event], by_event[event]) for event in sorted(by_event)]
    return Content(tournament, games_in_all(tournament), games, list(sessions), _across(tournament, games))


def _game(tournament: Tournament, event: int, table: Table, rows: list[GameRow]) -> GameContent:
    names = tuple(line.agent for line in table.rows)
    entrants = [tournament.labels.index(name) for name in names]
    counted = count(table.game, tournament.seed, entrants, rows)
    curves = read_curves(((tournament.labels[i], tournament.agents[i]) for i in entrants), table.game)
    truncated = sum(row.ending == TRUNCATED for row in rows)
    versus = [row for row in rows if row.a != row.b]
    if table.game.cooperative or not versus:
        return GameContent(
            event, table, rows, None, _together(table), float("nan"), 0.0, truncated, None, None, counted, curves
        )
    results = _results(tournament, names, versus)
    scores = results.scores()
    all_met = not np.isnan(scores[~np.eye(len(names), dtype=bool)]).any()
    return GameContent(
        event,
        table,
        rows,
        fit(results),
        scores,
        float(results.result.mean()),
        float((results.result == 0.5).mean()),
        truncated,
        three_cycles(scores) if len(names) > 2 else None,
        nash_average(scores) if all_met else None,
        counted,
        curves,
    )


def _together(table: Table) -> Floats:
    """Mean returns of every two entrants at one table, and of each by itself."""
    return np.array(
        [
            [row.score if row is other else row.against.get(other.agent, float("nan")) for other in table.rows]
            for row in table.rows
        ]
    )


def _results(tournament: Tournament, names: tuple[str, ...], rows: list[GameRow]) -> Results:
    """The games as ratings take them; in leg 0 the entrant `a` has the first seat."""
    place = {i: names.index(label) for i, label in enumerate(tournament.labels) if label in names}
    seats = [(row.a, row.b, row.payoff_a) if row.leg == 0 else (row.b, row.a, row.payoff_b) for row in rows]
    pairs: dict[tuple[int, int, int], int] = {}
    return Results(
        names,
        np.array([place[first] for first, _, _ in seats]),
        np.array([place[second] for _, second, _ in seats]),
        np.array([(1 + np.sign(payoff)) / 2 for _, _, payoff in seats]),
        np.array([pairs.setdefault((row.a, row.b, row.pair), len(pairs)) for row in rows]),
    )


def _across(tournament: Tournament, games: list[GameContent]) -> list[Overall]:
    played = [{line.agent for line in game.table.rows} for game in games]
    names = [label for label in tournament.labels if all(label in names for names in played)]
    if len(games) < 2 or len(names) < 2:
        return []
    ranks = mean_ranks([[_line_score(game, name) for name in names] for game in games])
    found = []
    for name, rank in zip(names, ranks.tolist(), strict=True):
        entrant = tournament.labels.index(name)
        runs = [_runs(game, entrant) for game in games]
        found.append(Overall(name, rank, interquartile_mean(runs), *interquartile_interval(runs)))
    return sorted(found, key=lambda overall: (overall.rank, -overall.mean))


def _line_score(game: GameContent, name: str) -> float:
    return next(line.score for line in game.table.rows if line.agent == name)


def _runs(game: GameContent, entrant: int) -> Floats:
    """An entrant's mean score in each part of the pairs, 0 for the least that can be scored and 1 for the most."""
    mine = [
        (row.pair % PARTS, row.payoff_a if row.a == entrant else row.payoff_b)
        for row in game.rows
        if entrant in (row.a, row.b) and (row.a == row.b or not game.game.cooperative)
    ]
    parts = [[payoff for _, payoff in part] for _, part in itertools.groupby(sorted(mine), key=lambda item: item[0])]
    if game.game.cooperative:
        return normalised([np.mean(part) for part in parts], *game.game.payoff_range)
    return np.array([np.mean((1 + np.sign(part)) / 2) for part in parts])
