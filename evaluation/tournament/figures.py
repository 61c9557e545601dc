"""Standings as people read them: columns of text and remarks, the same in a terminal and in a notebook."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludarium.evaluation.tournament.standings import Table

NUMBER, AGENT, SCORE, POINTS, AGAINST = "number", "agent", "score", "points", "results against each other agent"
GAMES, TIME, SLOW = "games", "a move", "95 %"
"""What a column may hold."""
VERDICT, REPEATED, FORFEITS = "verdict", "repeated", "forfeits"
"""What a remark may be about."""
LEGEND = {
    False: "score: win 1, draw ½; ± half the 95 % interval over pairs; v n: against row n; a move: the agent's own "
    "median time, and that of 95 %",
    True: "mean score: with the same agent in all seats; ± half the 95 % interval over decks; a move: the agent's own "
    "median time, and that of 95 %",
}
"""The legend below tables, by whether their games are cooperative."""
_MOST_CAUSES = 10


class Column(NamedTuple):
    """A column: what it holds, its title, and its cells from the first row to the last."""

    kind: str
    title: str
    cells: list[str]


class Remark(NamedTuple):
    """A sentence below a table, and what it is about."""

    kind: str
    text: str


def columns(table: "Table") -> list[Column]:
    """All columns of a table."""
    game, rows = table.game, table.rows
    unit, digits = (1, 2) if game.cooperative else (100, 1)
    columns = [
        Column(NUMBER, "", [str(number) for number in range(1, len(rows) + 1)]),
        Column(AGENT, AGENT, [row.agent for row in rows]),
        Column(
            SCORE,
            "mean score" if game.cooperative else "score %",
            [plus_minus(unit * row.score, unit * row.margin, digits) for row in rows],
        ),
    ]
    if not game.cooperative and game.payoff_range[1] != 1:
        points = [plus_minus(row.points, row.points_margin, 2, sign=True) for row in rows]
        columns.append(Column(POINTS, POINTS, points))
    for number, other in enumerate([] if game.cooperative else rows, 1):
        met = [f"{100 * row.against[other.agent]:.0f}" if other.agent in row.against else "·" for row in rows]
        columns.append(Column(AGAINST, f"v {number}", met))
    columns.append(Column(GAMES, GAMES, [f"{row.games:,}" for row in rows]))
    if table.times:
        spent = {timing.agent: timing for timing in table.times}
        times = [spent.get(row.agent) for row in rows]
        columns.append(Column(TIME, TIME, [duration(one.median) if one else "–" for one in times]))
        columns.append(Column(SLOW, SLOW, [duration(one.slow) if one else "–" for one in times]))
    return columns


def remarks(table: "Table") -> Iterator[Remark]:
    """What there is to say below a table: sequential tests, games that were repeated, and forfeits."""
    for verdict in table.verdicts:
        yield Remark(VERDICT, str(verdict))
    for pairing in table.repeated:
        advice = "played the same two games again and again; random opening moves (opening) would help"
        yield Remark(REPEATED, f"{' and '.join(pairing)} {advice}")
    causes = [(count, row.agent, cause) for row in table.rows for cause, count in row.forfeits.items()]
    for count, agent, cause in sorted(causes, reverse=True)[:_MOST_CAUSES]:
        yield Remark(FORFEITS, f"{count} × {agent} forfeited: {cause}")
    if len(causes) > _MOST_CAUSES:
        yield Remark(FORFEITS, f"… and {len(causes) - _MOST_CAUSES} other causes")


def duration(seconds: float) -> str:
    """A time with two digits: `3.1 µs`, `12 ms`, `1.5 s`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.995 * size:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def plus_minus(value: float, margin: float, digits: int, *, sign: bool = False) -> str:
    """A mean ± half its interval: `?` for the latter if there are too few games, and only a dash if there are none."""
    if math.isnan(value):
        return "–"
    shown = f"{round(float(value), digits) + 0.0:{'+' if sign else ''}.{digits}f}"  # no minus before a zero
    return f"{shown} ± {margin:.{digits}f}" if math.isfinite(margin) else f"{shown} ± ?"
