"""The report as data: JSON with everything, CSV with a line for each agent in each game."""

import csv
import io
import math
from typing import Any

from ludarium.evaluation.report.content import Content, GameContent
from ludarium.evaluation.report.wording import software
from ludarium.evaluation.standings import to_data

COLUMNS = (
    "game", "agent", "rank", "games", "score", "margin", "points", "points_margin", "perfect", "forfeits",
    "elo", "elo_margin", "nash_average", "nash_weight",
)  # fmt: skip


def report_data(content: Content) -> dict[str, Any]:
    """The report as plain data; what is not a number is None, also an infinite half interval."""
    data = to_data(content.tournament, [game.table for game in content.games])
    data["played"], data["total"] = content.played, content.total
    data["verdicts"] = [_verdict(game) for game in content.games]
    data["across"] = [vars(overall) for overall in content.across]
    data["made_with"] = software()
    return data


def _verdict(game: GameContent) -> dict[str, Any]:
    """What the games of one table say together; matrices and lists in the table's order."""
    ratings = game.ratings
    return {
        "game": game.game.spec,
        "truncated": game.truncated,
        "first_seat_score": _finite(game.first),
        "draws": game.draws if ratings is not None else None,
        "scores": [[_finite(score) for score in row] for row in game.scores.tolist()],
        "elo": ratings.elo.tolist() if ratings is not None else None,
        "elo_margins": ratings.margins().tolist() if ratings is not None else None,
        "anchor": ratings.anchor if ratings is not None else None,
        "seat_elo": ratings.seat if ratings is not None else None,
        "seat_margin": ratings.seat_margin if ratings is not None else None,
        "superiority": ratings.superiority().tolist() if ratings is not None else None,
        "three_cycles": game.cycles,
        "nash_weights": game.nash[0].tolist() if game.nash is not None else None,
        "nash_averages": game.nash[1].tolist() if game.nash is not None else None,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def report_csv(content: Content) -> str:
    """One line for each agent in each game; empty where a figure does not apply."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for game in content.games:
        elo = game.ratings.elo.tolist() if game.ratings is not None else None
        margins = game.ratings.margins().tolist() if game.ratings is not None else None
        for place, row in enumerate(game.table.rows):
            values = [row.score, row.margin, row.points, row.points_margin, row.perfect]
            writer.writerow(
                [
                    game.game.spec,
                    row.agent,
                    place + 1,
                    row.games,
                    *("" if _finite(value) is None else value for value in values),
                    sum(row.forfeits.values()),
                    elo[place] if elo else "",
                    margins[place] if margins else "",
                    game.nash[1][place].item() if game.nash else "",
                    game.nash[0][place].item() if game.nash else "",
                ]
            )
    return out.getvalue()
