"""The report as data: JSON with everything, CSV with a line for each agent in each game."""

import csv
import io
from typing import Any

from ludarium.evaluation.report.content import Content, GameContent
from ludarium.evaluation.report.counted import WAYS
from ludarium.evaluation.tournament.session import machine
from ludarium.evaluation.tournament.standings import plain, to_data

COLUMNS = (
    "game", "agent", "rank", "games", "score", "margin", "points", "points_margin", "perfect", "forfeits",
    "elo", "elo_margin", "nash_average", "nash_weight", "alpha_rank",
    *(column for ways in WAYS.values() for way in ways for column in (way.name, f"{way.name}_margin")),
)  # fmt: skip


def report_data(content: Content) -> dict[str, Any]:
    """The report as plain data; None for values that are not finite, such as an infinite margin."""
    tables = [game.table for game in content.games]
    data = to_data(content.tournament, tables, finished=content.finished, left_out=content.left_out)
    data["played"], data["total"] = content.played, content.total
    data["verdicts"] = [plain(_verdict(game)) for game in content.games]
    data["across"] = [plain(vars(overall)) for overall in content.across]
    data["sessions"] = [{**one._asdict(), "machine": one.machine._asdict()} for one in content.sessions]
    data["made_with"] = machine()._asdict()
    return data


def _verdict(game: GameContent) -> dict[str, Any]:
    """The figures for one game as a whole; matrices and lists are in the table's order."""
    ratings, figures = game.ratings, ("means", "margins", "between", "between_margins")
    return {
        "game": game.game.spec,
        "answer": " ".join(game.answers),
        "truncated": game.truncated,
        "adjudicated": game.adjudicated,
        "first_seat_score": game.first,
        "draws": game.draws if ratings is not None else None,
        "scores": game.scores.tolist(),
        "elo": ratings.elo.tolist() if ratings is not None else None,
        "elo_margins": ratings.margins().tolist() if ratings is not None else None,
        "anchor": ratings.anchor if ratings is not None else None,
        "seat_elo": ratings.seat if ratings is not None else None,
        "seat_error": ratings.seat_error if ratings is not None else None,
        "seat_margin": ratings.seat_margin if ratings is not None else None,
        "draw_parameter": ratings.draw_parameter if ratings is not None else None,
        "stronger": game.stronger().tolist() if ratings is not None else None,
        "three_cycles": game.cycles,
        "nash_weights": game.nash[0].tolist() if game.nash is not None else None,
        "nash_averages": game.nash[1].tolist() if game.nash is not None else None,
        "alpha_rank": game.alpha.tolist() if game.alpha is not None else None,
        "counted": {one.way.name: {name: getattr(one, name).tolist() for name in figures} for one in game.counted},
        "learning_curves": [curve._asdict() for curve in game.curves],
        "openings": [one._asdict() for one in game.openings.shown] if game.openings is not None else None,
        "strength": game.strength._asdict() if game.strength is not None else None,
    }


def report_csv(content: Content) -> str:
    """The report as CSV: one line for each agent in each game; figures that do not apply are empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for game in content.games:
        for place in range(len(game.table.rows)):
            writer.writerow(plain(_csv_line(game, place)))  # None is written as nothing
    return out.getvalue()


def _csv_line(game: GameContent, place: int) -> dict[str, Any]:
    row = game.table.rows[place]
    line: dict[str, Any] = {name: vars(row).get(name) for name in COLUMNS}
    line |= {"game": game.game.spec, "rank": place + 1, "forfeits": sum(row.forfeits.values())}
    if game.ratings is not None:
        line |= {"elo": game.ratings.elo[place].item(), "elo_margin": game.ratings.margins()[place].item()}
    if game.nash is not None:
        line |= {"nash_weight": game.nash[0][place].item(), "nash_average": game.nash[1][place].item()}
    if game.alpha is not None:
        line["alpha_rank"] = game.alpha[place].item()
    for one in game.counted:
        line |= {one.way.name: one.means[place].item(), f"{one.way.name}_margin": one.margins[place].item()}
    return line
