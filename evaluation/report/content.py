"""The contents of a report, whatever its format: a function of the store, and of the runs that trained its agents."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.time_control import TimeControl
from ludarium.envs.batch import ADJUDICATED, TRUNCATED
from ludarium.envs.game import Game
from ludarium.evaluation.report.answer import Order, answer, exact_play, order
from ludarium.evaluation.report.counted import Counted, count
from ludarium.evaluation.report.curves import GREEDY, RANDOM, Curve, mean_curve, read_curves
from ludarium.evaluation.report.openings import ByOpening, by_opening
from ludarium.evaluation.report.strength import Strength, strength
from ludarium.evaluation.statistics.aggregate import interquartile_interval, interquartile_mean, mean_ranks, normalised
from ludarium.evaluation.statistics.intervals import likelihood_above
from ludarium.evaluation.statistics.intransitivity import alpha_rank, nash_average, three_cycles
from ludarium.evaluation.statistics.ratings import Ratings, fit
from ludarium.evaluation.statistics.results import Results
from ludarium.evaluation.statistics.sprt import UNDECIDED
from ludarium.evaluation.tournament.event import PEOPLE, Tournament
from ludarium.evaluation.tournament.schedule import games_in_all
from ludarium.evaluation.tournament.sequential import LEGS
from ludarium.evaluation.tournament.soundness import read
from ludarium.evaluation.tournament.standings import Table, results_of, tables
from ludarium.evaluation.tournament.store import GameRow, Session, Store, TimeRow

Floats = NDArray[np.float64]
PARTS = 10
"""For the intervals across games, a tournament is split by pair number into this many parts."""


@dataclass(frozen=True)
class GameContent:
    """One game of a tournament.

    Attributes:
        event: its number in the tournament's list.
        table: the standings, best entrant first, without entrants that have no games.
        rows: the games between entrants of the table.
        ratings: the fitted model, entrants in the table's order; None for cooperative games.
        scores: shape (entrants, entrants), in the table's order: row against column, NaN where they did not meet. In
            cooperative games the mean returns at one table; on the diagonal, of an entrant with itself.
        first: mean score of the first seat; NaN for cooperative games.
        draws: share of games that were drawn.
        truncated: number of games that were cut off at the maximum length.
        adjudicated: number of games that exact play of both sides finished.
        cycles: share of triples of entrants that beat each other in a cycle; None for fewer than three, or if some did
            not meet.
        counted: the same games scored in other ways.
        curves: learning curves of the entrants that come from a training run, and of the runs of the tournament's
            curve.
        strength: how strong the checkpoints of the tournament's curve are; None without any.
        openings: scores by opening; None if the game has no given openings.
        control: the time that each seat had; None without a clock.
        nash: mixture and measures of the Nash average, each of shape (entrants,); None if some did not meet.
        alpha: α-rank of each entrant, shape (entrants,); None if some did not meet.
        order: the entrants, best first, and how far they are behind.
        answers: the result in one sentence; sometimes another one explains it.
    """

    event: int
    table: Table
    rows: list[GameRow]
    ratings: Ratings | None
    scores: Floats
    first: float
    draws: float
    truncated: int
    adjudicated: int
    cycles: float | None
    nash: tuple[Floats, Floats] | None
    alpha: Floats | None
    counted: list[Counted]
    curves: list[Curve]
    order: Order
    answers: list[str]
    strength: Strength | None = None
    openings: ByOpening | None = None
    control: TimeControl | None = None

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def with_points(self) -> bool:
        """Whether to show points beside wins: payoffs are not just win, draw and loss."""
        shown = any(one.game == self.game for one in self.counted)
        return not self.game.cooperative and self.game.payoff_range != (-1, 1) and not shown

    def stronger(self) -> Floats:
        """The likelihood that the row is stronger than the column, shape (entrants, entrants), as far as known.

        Their own games decide, by the score and its interval; ratings decide where two did not meet, or too seldom.
        """
        assert self.ratings is not None
        likelihood = self.ratings.superiority()
        for (i, row), (j, other) in itertools.permutations(enumerate(self.table.rows), 2):
            if other.agent in row.against:
                own = likelihood_above(0.5, row.against[other.agent], row.against_margins[other.agent])
                likelihood[i, j] = likelihood[i, j] if math.isnan(own) else own
        return likelihood

    @property
    def crossplay(self) -> bool:
        """Whether different entrants of a cooperative game sat at one table."""
        return self.game.cooperative and any(row.a != row.b for row in self.rows)


@dataclass(frozen=True)
class Overall:
    """One entrant across games: mean rank, and interquartile mean of its normalised scores with its interval.

    The ends of the interval are NaN if every game has only one part.
    """

    agent: str
    rank: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Content:
    """A whole report.

    Attributes:
        tournament: the tournament.
        played: number of games in the store.
        total: number of games in the tournament; for a Swiss tournament the maximum, for games at the table
            those that were kept.
        games: the games that have results to show.
        sessions: the sessions that played the games, as far as the store knows.
        across: entrants that played in all games, best mean rank first; empty unless there are two entrants and two
            games.
        left_out: the games of the store that are wrong, each with the reason; only `played` counts them.
    """

    tournament: Tournament
    played: int
    total: int
    games: list[GameContent]
    sessions: list[Session]
    across: list[Overall]
    left_out: list[str]

    @property
    def finished(self) -> bool:
        """Whether there are no games to come."""
        return self.played >= self.total


def read_store(path: Path) -> tuple[Tournament, list[GameRow], list[Session], list[TimeRow]]:
    """The tournament, its games, the sessions that played them, and how long moves took.

    Raises:
        StoreError: for a file that is not a store or is damaged.
        FileNotFoundError: if there is none.
    """
    with Store(path) as store:
        return read(store)


def summarise(
    tournament: Tournament,
    rows: list[GameRow],
    sessions: Sequence[Session] = (),
    times: Sequence[TimeRow] = (),
    left_out: Sequence[str] = (),
) -> Content:
    """The contents of a report on these games; `left_out` says which others the store holds, and why they are wrong."""
    by_event: dict[int, list[GameRow]] = defaultdict(list)
    for row in rows:
        by_event[row.event].append(row)
    standings = tables(tournament, rows, times=times)
    played = len(rows) + len(left_out)
    total = played if tournament.name == PEOPLE else games_in_all(tournament) - _spared(tournament, standings)
    games = []
    for event, table in enumerate(standings):
        if parts := _played(tournament, table, by_event[event]):
            game = _game(tournament, event, *parts, finished=played >= total)
            opened = by_opening(tournament, event, game.rows)
            reached, control = strength(tournament, _figures(game)), tournament.games[event].control
            games.append(replace(game, strength=reached, openings=opened, control=control))
    return Content(tournament, played, total, games, list(sessions), _across(tournament, games), list(left_out))


def _curves(tournament: Tournament, game: Game, entrants: list[int], opponent: str) -> list[Curve]:
    """The learning curves of entrants, and the mean of the runs whose checkpoints are among them."""
    curves = read_curves([(tournament.labels[i], tournament.agents[i]) for i in entrants], game, opponent)
    runs = [run for run in tournament.curve if run in map(tournament.run_of, entrants)]
    several = read_curves([(run, run) for run in runs], game, opponent)
    return [*curves, mean_curve(", ".join(runs), several)] if several else curves


def _figures(game: GameContent) -> dict[str, tuple[float, float]]:
    """Elo, or a team's points, and half the interval, by name."""
    if game.ratings is None:
        return {row.agent: (row.score, row.margin) for row in game.table.rows}
    pairs = zip(game.ratings.elo.tolist(), game.ratings.margins().tolist(), strict=True)
    return dict(zip(game.ratings.entrants, pairs, strict=True))


def _spared(tournament: Tournament, standings: Sequence[Table]) -> int:
    """The games that are not played because a sequential test has decided their pairing."""
    return sum(
        LEGS * (entry.pairs - one.test.pairs)
        for entry, table in zip(tournament.games, standings, strict=True)
        for one in table.verdicts
        if one.test.state != UNDECIDED
    )


def answers(tournament: Tournament, table: Table, rows: list[GameRow], *, finished: bool) -> list[str]:
    """The answers of one game alone, as in `GameContent`; none if nobody has played."""
    parts = _played(tournament, table, rows)
    return _answers(tournament, *parts, _ratings(tournament, *parts), finished)[1] if parts else []


def _played(tournament: Tournament, table: Table, rows: list[GameRow]) -> tuple[Table, list[GameRow]] | None:
    """The standings of those that have played, and the games between them; None if there are none."""
    standing = replace(table, rows=[line for line in table.rows if line.games])
    entrants = {tournament.labels.index(line.agent) for line in standing.rows}
    between = [row for row in rows if row.a in entrants and row.b in entrants]
    return (standing, between) if between else None


def _ratings(tournament: Tournament, table: Table, rows: list[GameRow]) -> Ratings | None:
    return None if table.game.cooperative else fit(_results(tournament, table, rows))


def _results(tournament: Tournament, table: Table, rows: list[GameRow]) -> Results:
    return results_of(table, [tournament.labels.index(line.agent) for line in table.rows], rows)


def _answers(
    tournament: Tournament, table: Table, rows: list[GameRow], ratings: Ratings | None, finished: bool
) -> tuple[Order, list[str]]:
    ordering = order(tournament, table, rows, ratings)
    explained = exact_play(tournament, table, rows, ordering, ratings) if ratings is not None else None
    return ordering, [answer(table, ordering, finished=finished), *([explained] if explained else [])]


def _game(tournament: Tournament, event: int, table: Table, rows: list[GameRow], *, finished: bool) -> GameContent:
    entrants = [tournament.labels.index(line.agent) for line in table.rows]
    counted = count(table.game, tournament.seed, entrants, rows, tournament.games[event].begin)
    curves = [curve for opponent in (RANDOM, GREEDY) for curve in _curves(tournament, table.game, entrants, opponent)]
    truncated, adjudicated = (sum(row.ending == code for row in rows) for code in (TRUNCATED, ADJUDICATED))
    ratings = _ratings(tournament, table, rows)
    answered = _answers(tournament, table, rows, ratings, finished)
    if ratings is None:
        return GameContent(
            event,
            table,
            rows,
            None,
            _together(table),
            float("nan"),
            0.0,
            truncated,
            adjudicated,
            None,
            None,
            None,
            counted,
            curves,
            *answered,
        )
    results = _results(tournament, table, rows)
    scores = results.scores()
    all_met = not np.isnan(scores[~np.eye(len(entrants), dtype=bool)]).any()
    return GameContent(
        event,
        table,
        rows,
        ratings,
        scores,
        float(results.result.mean()),
        float((results.result == 0.5).mean()),
        truncated,
        adjudicated,
        three_cycles(scores) if all_met and len(entrants) > 2 else None,
        nash_average(scores) if all_met else None,
        alpha_rank(scores) if all_met else None,
        counted,
        curves,
        *answered,
    )


def _together(table: Table) -> Floats:
    """Mean returns of every two entrants at one table, and of each with itself."""
    return np.array(
        [
            [row.score if row is other else row.against.get(other.agent, float("nan")) for other in table.rows]
            for row in table.rows
        ]
    )


def _across(tournament: Tournament, games: list[GameContent]) -> list[Overall]:
    played = [{line.agent for line in game.table.rows} for game in games]
    names = [label for label in tournament.labels if all(label in names for names in played)]
    if len(games) < 2 or len(names) < 2:
        return []
    scores = [{line.agent: line.score for line in game.table.rows} for game in games]
    ranks = mean_ranks([[by_name[name] for name in names] for by_name in scores])
    standings = []
    for name, rank in zip(names, ranks.tolist(), strict=True):
        entrant = tournament.labels.index(name)
        runs = [_runs(game, entrant) for game in games]
        standings.append(Overall(name, rank, interquartile_mean(runs), *interquartile_interval(runs)))
    return sorted(standings, key=lambda overall: (overall.rank, -overall.mean))


def _runs(game: GameContent, entrant: int) -> Floats:
    """An entrant's mean score in each part of the pairs, from 0 for the minimum score to 1 for the maximum."""
    mine = [
        (row.pair % PARTS, row.payoff_a if row.a == entrant else row.payoff_b)
        for row in game.rows
        if entrant in (row.a, row.b) and (row.a == row.b or not game.game.cooperative)
    ]
    parts = [[payoff for _, payoff in part] for _, part in itertools.groupby(sorted(mine), key=lambda item: item[0])]
    if game.game.cooperative:
        return normalised([np.mean(part) for part in parts], *game.game.payoff_range)
    return np.array([np.mean((1 + np.sign(part)) / 2) for part in parts])
