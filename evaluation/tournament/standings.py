"""Tables: the standings of a tournament's entrants, game by game."""

import itertools
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.files import replacing
from ludarium.envs.game import Game
from ludarium.evaluation.html_table import html_table, paragraph
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.play.times import BUCKETS, Counts, quantile
from ludarium.evaluation.statistics.intervals import student_t, unvaried
from ludarium.evaluation.statistics.results import Results
from ludarium.evaluation.statistics.sprt import Sprt
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.figures import LEGEND, NUMBER, columns, remarks
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.schedule import Progress
from ludarium.evaluation.tournament.seeds import revealed
from ludarium.evaluation.tournament.sequential import verdict
from ludarium.evaluation.tournament.store import IN_COMPILED_CODE, IN_PYTHON, GameRow, TimeRow

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_TIMING = ("rate",)  # fields of a row that do not follow from the games
_ROUNDING = 1e-12  # differences below this share of the scale are none


@dataclass
class Row:
    """One entrant's line in a table.

    Attributes:
        agent: its name.
        score: mean score, 0 to 1 (a win is 1, a draw ½); in cooperative games its mean return with itself in all seats;
            NaN without games.
        margin: half the 95 % interval of `score`, see `mean_and_margin`.
        points: mean payoff per game; NaN without games.
        points_margin: half its 95 % interval.
        games: number of games it played; in cooperative games, with itself.
        perfect: share of games with the maximum return.
        against: its score against each entrant that it met; in cooperative games, their mean return at one table.
        forfeits: number of games it lost by an error or an illegal action, by cause.
        rate: decisions per second in its games, including the other entrants' decisions; None if unknown.
        against_margins: half the 95 % interval of each score in `against`.
    """

    agent: str
    score: float
    margin: float
    points: float
    points_margin: float
    games: int
    perfect: float
    against: dict[str, float]
    forfeits: dict[str, int]
    rate: float | None = None
    against_margins: dict[str, float] = field(default_factory=dict)


class Timing(NamedTuple):
    """How long an entrant's own decisions took, without compilation.

    Attributes:
        agent: its name.
        decisions: how many were timed; of games in compiled code, those of one in sixteen.
        median: seconds that half of them did not exceed.
        slow: seconds that 95 % of them did not exceed.
    """

    agent: str
    decisions: int
    median: float
    slow: float


class Verdict(NamedTuple):
    """The sequential test of a pairing, about how much stronger `agent` is than `opponent`."""

    agent: str
    opponent: str
    test: Sprt

    def __str__(self) -> str:
        return f"{self.agent} against {self.opponent}: {self.test}"

    def data(self) -> dict[str, Any]:
        """It as plain data, for JSON."""
        test = self.test
        return {
            **{"agent": self.agent, "opponent": self.opponent, "state": test.state, "llr": test.llr},
            "scores": dict(zip(map(str, test.scores.tolist()), test.counts.tolist(), strict=True)),
        }


@dataclass
class Table:
    """The result of one game of a tournament, best entrant first.

    Attributes:
        game: the game.
        rows: the entrants; those without games come last.
        repeated: pairings in which every pair consisted of the same two games, so that more pairs add nothing.
        times: how long decisions took: one for each entrant whose decisions were timed, in the table's order.
        verdicts: the sequential tests of its pairings.
        reproducible: whether the games are a function of the seed, as they are without a clock.
    """

    game: Game
    rows: list[Row]
    repeated: list[tuple[str, str]] = field(default_factory=list)
    times: list[Timing] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    reproducible: bool = True

    def _repr_html_(self) -> str:
        shown = [column for column in columns(self) if column.kind != NUMBER]
        head, cells = [column.title for column in shown], zip(*(column.cells for column in shown), strict=True)
        rows = [(f"{number} {name}", *others) for number, (name, *others) in enumerate(cells, 1)]
        below = [*(remark.text for remark in remarks(self)), LEGEND[self.game.cooperative]]
        return html_table(self.game.spec, head, rows) + "".join(map(paragraph, below))


def tables(
    tournament: Tournament,
    games: Iterable[GameRow],
    progress: Progress | None = None,
    times: Iterable[TimeRow] = (),
) -> list[Table]:
    """The tables of a tournament's games so far; except for rates and times, a function of the games alone.

    Args:
        tournament: the tournament.
        games: rows of its store.
        progress: progress of the run that played them, for the rates.
        times: the store's.

    Examples:
        >>> from ludarium.evaluation import GameEntry, Store, Tournament, run, tables
        >>> tournament = Tournament(("greedy", "random"), (GameEntry("tictactoe", pairs=10, opening=1),), seed=1)
        >>> with Store(None, tournament.data()) as store:
        ...     progress = run(tournament, store, executor="threads")
        ...     (table,) = tables(tournament, store.games())
        >>> [(row.agent, row.score) for row in table.rows]
        [('greedy', 0.975), ('random', 0.025)]
    """
    by_event: dict[int, list[GameRow]] = {event: [] for event in range(len(tournament.games))}
    for row in games:
        by_event[row.event].append(row)
    spent = list(times)
    return [table(tournament, event, rows, progress, spent) for event, rows in by_event.items()]


def table(
    tournament: Tournament,
    event: int,
    games: list[GameRow],
    progress: Progress | None = None,
    times: Iterable[TimeRow] = (),
) -> Table:
    """The table of one game of a tournament; the arguments are those of `tables`, with this game's rows."""
    entry = tournament.games[event]
    game = entry.rules
    rows = _rows(tournament, event, game, games)
    if progress is not None:
        for entrant, row in zip(tournament.entrants(event), rows, strict=True):
            seconds = progress.seconds[event, entrant]
            row.rate = progress.decisions[event, entrant] / seconds if seconds else None
    rows.sort(key=lambda row: -row.score if row.games else math.inf)
    spent = _timings(tournament, rows, [row for row in times if row.event == event])
    repeated, verdicts = _repeated(tournament.labels, games), _verdicts(tournament, games)
    return Table(game, rows, repeated, spent, verdicts, entry.reproducible)


def _verdicts(tournament: Tournament, games: list[GameRow]) -> list[Verdict]:
    """The sequential tests of the pairings that have games."""
    if tournament.sprt is None:
        return []
    pairings, labels = itertools.groupby(sorted(games), key=lambda row: (row.a, row.b)), tournament.labels
    return [Verdict(labels[a], labels[b], verdict(tournament.sprt, rows)) for (a, b), rows in pairings]


def _timings(tournament: Tournament, entrants: list[Row], rows: list[TimeRow]) -> list[Timing]:
    """Times of decisions in compiled code if there are any; otherwise in Python, where a call takes time, too."""
    counts: defaultdict[tuple[int, int], Counts] = defaultdict(lambda: np.zeros(BUCKETS, dtype=np.int64))
    for row in rows:
        counts[row.entrant, row.apart][row.bucket] += row.decisions
    timings = []
    for line in entrants:
        entrant = tournament.labels.index(line.agent)
        kind = next((kind for kind in (IN_COMPILED_CODE, IN_PYTHON) if (entrant, kind) in counts), None)
        if kind is not None:
            spent = counts[entrant, kind]
            timings.append(Timing(line.agent, int(spent.sum()), quantile(spent, 0.5), quantile(spent, 0.95)))
    return timings


def results_of(table: Table, entrants: list[int], rows: list[GameRow]) -> Results:
    """The games in the form that ratings take; in leg 0 the entrant `a` has the first seat."""
    place = {entrant: number for number, entrant in enumerate(entrants)}
    seats = [(row.a, row.b, row.payoff_a) if row.leg == 0 else (row.b, row.a, row.payoff_b) for row in rows]
    return Results(
        tuple(line.agent for line in table.rows),
        np.array([place[first] for first, _, _ in seats]),
        np.array([place[second] for _, second, _ in seats]),
        np.array([(1 + np.sign(payoff)) / 2 for _, _, payoff in seats]),
        np.array([row.pair for row in rows]),
    )


class Pairs:
    """The pairs that games form, each listed once for each of its entrants; entrants' means are taken over them.

    Args:
        games: games of one event, with the columns of a store.

    Attributes:
        entrant: shape (pairs,): the entrant for which the pair is listed, ascending.
        opponent: shape (pairs,): the other entrant; in cooperative games, the same one for a team by itself.
        number: shape (pairs,): number of the pair.
        games: shape (pairs,): number of games in the pair.
    """

    def __init__(self, games: Sequence[GameRow]) -> None:
        a, b, number = np.array([(row.a, row.b, row.pair) for row in games], dtype=np.int64).reshape(-1, 3).T
        self._two = a != b
        numbers, number = np.unique(number, return_inverse=True)  # the numbers of games at the table are large
        keys = np.concatenate([[a, b, number], np.stack([b, a, number])[:, self._two]], axis=1)
        shape = tuple((keys.max(axis=1, initial=0) + 1).tolist())
        codes, self._place = np.unique(np.ravel_multi_index(tuple(keys), shape), return_inverse=True)
        self.entrant, self.opponent, places = np.unravel_index(codes, shape)
        self.number = numbers[places]
        self.games = np.bincount(self._place)

    def of(self, entrant: int) -> slice:
        """The slice of an entrant's pairs."""
        begin, end = np.searchsorted(self.entrant, (entrant, entrant + 1)).tolist()
        return slice(begin, end)

    def means(self, of_a: Floats, of_b: Floats) -> Floats:
        """The entrants' means in each pair, shape (pairs,), given what the entrants `a` and `b` got in each game."""
        return np.asarray(np.bincount(self._place, np.concatenate([of_a, of_b[self._two]])) / self.games)


def mean_and_margin(
    scores: Floats, opponents: Indices, numbers: Indices, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """The mean of an entrant's scores, and half its 95 % interval, by Student's t.

    Differences in strength between opponents are not uncertainty, so each score is compared with the mean against the
    same opponent. Pairs with the same number have the same dice, cards and opening, whoever plays them, so deviations
    are summed by pair number; only these sums are independent. With one opponent the margin is that of
    `intervals.half_width`. If all pairs against the same opponent had the same score, it is that of
    `intervals.unvaried`.

    Args:
        scores: shape (pairs,): mean score in each pair.
        opponents: shape (pairs,): number of the opponent.
        numbers: shape (pairs,): number of the pair.
        low: the lowest score there can be.
        high: the highest.

    Returns:
        The mean, NaN without scores; and the margin, infinite if no opponent was met in more than one pair, or if the
        interval would hold every score there can be.
    """
    if not len(scores):
        return math.nan, math.inf
    mean = float(scores.mean())
    met, opponent = np.unique(opponents, return_inverse=True)
    if len(met) == len(scores):
        return mean, math.inf
    distances = scores - (np.bincount(opponent, scores) / np.bincount(opponent))[opponent]
    sums = np.bincount(np.unique(numbers, return_inverse=True)[1], distances)
    if np.abs(distances).max() < _ROUNDING * (high - low):
        return mean, unvaried(len(sums), float(np.maximum(scores - low, high - scores).mean()))
    variance = len(sums) / (len(sums) - 1) * float(sums @ sums) / len(scores) ** 2
    margin = student_t(len(sums) - 1) * math.sqrt(variance)
    return mean, margin if margin < high - low else math.inf


def _rows(tournament: Tournament, event: int, game: Game, games: list[GameRow]) -> list[Row]:
    """The lines of the entrants, in the tournament's order."""
    labels, pairs, forfeits = tournament.labels, Pairs(games), _forfeits(games)
    payoffs = np.array([(row.payoff_a, row.payoff_b) for row in games], dtype=np.float64).reshape(-1, 2).T
    points = pairs.means(*payoffs)
    scores = points if game.cooperative else pairs.means(*(1 + np.sign(payoffs)) / 2)
    scale = game.payoff_range if game.cooperative else (0.0, 1.0)
    perfect = pairs.means(*(payoffs == game.payoff_range[1]))
    rows = []
    for entrant in tournament.entrants(event):
        mine = pairs.of(entrant)
        score, opponent, number = scores[mine], pairs.opponent[mine], pairs.number[mine]
        own = opponent == entrant if game.cooperative else opponent != entrant  # a team is ranked by itself
        count = pairs.games[mine][own]
        met = {
            labels[i]: mean_and_margin(score[opponent == i], opponent[opponent == i], number[opponent == i], *scale)
            for i in np.unique(opponent).tolist()
            if i != entrant
        }
        rows.append(
            Row(
                labels[entrant],
                *mean_and_margin(score[own], opponent[own], number[own], *scale),
                *mean_and_margin(points[mine][own], opponent[own], number[own], *game.payoff_range),
                int(count.sum()),
                float(perfect[mine][own] @ count) / max(1, int(count.sum())),
                {other: mean for other, (mean, _) in met.items()},
                dict(forfeits[entrant].most_common()),
                against_margins={other: margin for other, (_, margin) in met.items()},
            )
        )
    return rows


def _forfeits(games: list[GameRow]) -> defaultdict[int, Counter[str]]:
    """How often each entrant forfeited a game, by cause."""
    causes: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for row in games:
        if row.ending >= FORFEIT:
            causes[entrant_at(row, row.ending - FORFEIT)][row.cause] += 1
    return causes


def _repeated(labels: tuple[str, ...], games: list[GameRow]) -> list[tuple[str, str]]:
    """Pairings of more than one pair in which each leg was always the same game; forfeited games are ignored."""
    seen: dict[tuple[int, int], tuple[set[int], set[tuple[int, bytes]]]] = {}
    for row in games:
        if row.ending >= FORFEIT:
            continue
        pairs, lines = seen.setdefault((row.a, row.b), (set(), set()))
        pairs.add(row.pair)
        lines.add((row.leg, row.moves))
    return [
        (labels[a], labels[b])
        for (a, b), (pairs, lines) in seen.items()
        if a != b and len(pairs) > 1 and len({leg for leg, _ in lines}) == len(lines)
    ]


def to_data(
    tournament: Tournament, tables: list[Table], *, finished: bool = True, left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """Tournament and tables as plain data for JSON; None for values that are not finite, as the margin of one pair.

    As long as it is not finished, a secret seed is left out. `left_out` says which games are, and why.

    Everything but `timing` is a function of the games; what took how long is in that block alone.
    """
    return {
        "schema": 2,
        "tournament": {**tournament.data(), "seed": revealed(tournament.seed, finished)},
        "tables": [
            {
                "game": table.game.spec,
                "cooperative": table.game.cooperative,
                "rows": [{k: plain(v) for k, v in vars(row).items() if k not in _TIMING} for row in table.rows],
                "repeated": [list(pairing) for pairing in table.repeated],
                "reproducible": table.reproducible,
                **({"sprt": [one.data() for one in table.verdicts]} if tournament.sprt is not None else {}),
            }
            for table in tables
        ],
        "left_out": list(left_out),
        "timing": [
            {
                "game": table.game.spec,
                "rows": [{"agent": row.agent, "moves_per_second": row.rate} for row in table.rows],
                "seconds_per_move": [timing._asdict() for timing in table.times],
            }
            for table in tables
        ],
    }


def plain(value: Any) -> Any:
    """The value, and all that a dictionary or a list holds, with None in place of numbers that are not finite."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write JSON atomically: a reader sees the old file or the new one, never part of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        part.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
