"""Tables: what the games of a tournament say about its entrants, game by game."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.match import FORFEIT, half_width
from ludarium.evaluation.pieces import entrant_at
from ludarium.evaluation.store import GameRow
from ludarium.evaluation.tournament import Progress, Tournament


@dataclass
class Row:
    """One entrant's line in a table.

    Attributes:
        agent: its name.
        score: mean score, 0 to 1 (a win is 1, a draw ½); in cooperative games the mean return of a team of its own.
        margin: half the 95 % interval of `score`, counted over pairs.
        points: mean payoff a game.
        points_margin: half its 95 % interval.
        games: games it played; in cooperative games, by itself.
        perfect: share of games with the greatest return there is.
        against: its score against each entrant that it met; in cooperative games, their mean return at one table.
        forfeits: games it lost by an error or an illegal action, by cause.
        rate: decisions a second in its games, the others' included; None where that is not known.
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


@dataclass
class Table:
    """The result of one game of a tournament, best entrant first.

    Attributes:
        game: the game.
        rows: the entrants.
        repeated: pairings of which every pair was the same two games: more of them say nothing new.
    """

    game: Game
    rows: list[Row]
    repeated: list[tuple[str, str]] = field(default_factory=list)


def tables(tournament: Tournament, games: Iterable[GameRow], progress: Progress | None = None) -> list[Table]:
    """The tables of a tournament's games so far; a function of the games alone, but for the rates.

    Args:
        tournament: the tournament.
        games: rows of its store.
        progress: of the run that played them, for the rates.
    """
    by_event: dict[int, list[GameRow]] = {event: [] for event in range(len(tournament.games))}
    for row in games:
        by_event[row.event].append(row)
    return [_table(tournament, event, rows, progress) for event, rows in by_event.items()]


def _table(tournament: Tournament, event: int, games: list[GameRow], progress: Progress | None) -> Table:
    game = make_game(tournament.games[event].game)
    labels = tournament.labels
    rows = [_row(entrant, labels, game, games) for entrant in tournament.entrants(event)]
    if progress is not None:
        for entrant, row in zip(tournament.entrants(event), rows, strict=True):
            seconds = progress.seconds[event, entrant]
            row.rate = progress.decisions[event, entrant] / seconds if seconds else None
    met = [row for row in rows if row.games]
    return Table(game, sorted(met, key=lambda row: -row.score), _repeated(labels, games))


def _row(entrant: int, labels: tuple[str, ...], game: Game, games: list[GameRow]) -> Row:
    pairs: dict[tuple[int, int], list[float]] = {}  # payoffs by (opponent, pair)
    forfeits: Counter[str] = Counter()
    for row in games:
        if entrant in (row.a, row.b):
            mine = row.payoff_a if row.a == entrant else row.payoff_b
            pairs.setdefault((row.b if row.a == entrant else row.a, row.pair), []).append(mine)
            if row.ending >= FORFEIT and entrant_at(row, row.ending - FORFEIT) == entrant:
                forfeits[row.cause] += 1
    met = np.array([opponent for opponent, _ in pairs], dtype=np.int64)
    counted = met == entrant if game.cooperative else met >= 0  # a team stands by itself
    payoffs = list(pairs.values())
    points = np.array([np.mean(payoff) for payoff in payoffs])
    shares = np.array([np.mean((1 + np.sign(payoff)) / 2) for payoff in payoffs])
    scores = points if game.cooperative else shares
    opponents = sorted({opponent for opponent, _ in pairs} - {entrant})
    flat = [payoff for pair, counts in zip(payoffs, counted, strict=True) if counts for payoff in pair]
    return Row(
        labels[entrant],
        float(scores[counted].mean()) if flat else float("nan"),
        half_width(scores[counted]),
        float(points[counted].mean()) if flat else float("nan"),
        half_width(points[counted]),
        len(flat),
        sum(payoff == game.payoff_range[1] for payoff in flat) / max(1, len(flat)),
        {labels[opponent]: float(scores[met == opponent].mean()) for opponent in opponents},
        dict(forfeits.most_common()),
    )


def _repeated(labels: tuple[str, ...], games: list[GameRow]) -> list[tuple[str, str]]:
    """Pairings of more than one pair in which each leg was always the same game."""
    seen: dict[tuple[int, int], tuple[set[int], set[tuple[int, bytes]]]] = {}
    for row in games:
        pairs, lines = seen.setdefault((row.a, row.b), (set(), set()))
        pairs.add(row.pair)
        lines.add((row.leg, row.moves))
    return [
        (labels[a], labels[b])
        for (a, b), (pairs, lines) in seen.items()
        if a != b and len(pairs) > 1 and len({leg for leg, _ in lines}) == len(lines)
    ]


def to_data(tournament: Tournament, found: list[Table]) -> dict[str, Any]:
    """Tournament and tables as plain data for JSON; a half interval of a single pair is None."""
    return {
        "schema": 1,
        "tournament": tournament.data(),
        "tables": [
            {
                "game": table.game.spec,
                "cooperative": table.game.cooperative,
                "rows": [{k: None if v == float("inf") else v for k, v in vars(row).items()} for row in table.rows],
                "repeated": [list(pairing) for pairing in table.repeated],
            }
            for table in found
        ],
    }


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write atomically: a reader sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    part.replace(path)
