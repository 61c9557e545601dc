"""The answer of a tournament, in one sentence for each game: who is first, by how much, and who cannot be told apart.

Agents that play exactly (`perfect`) may stand below others, since they win less against weak play. Where the games show
that, a second sentence says so.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.specs import split_options
from ludarium.evaluation.statistics.intervals import half_width
from ludarium.evaluation.statistics.ratings import Ratings
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.figures import plus_minus
from ludarium.evaluation.tournament.standings import Pairs, Row, Table
from ludarium.evaluation.tournament.store import GameRow

Floats = NDArray[np.float64]
_EXACT = ("perfect",)  # agents that play exactly wherever they play at all
_MOST_NAMED = 4  # agents that cannot be told apart
_ROUNDING = 1e-6  # Elo or points that are none


class Order(NamedTuple):
    """The entrants of one game, the first one first.

    Attributes:
        places: their places in the table.
        behind: how far each is behind the first, in `unit`.
        margins: half the 95 % interval of each of these differences; 0 for the first.
        unit: `"Elo"`; in cooperative games, `"points"`.
    """

    places: list[int]
    behind: list[float]
    margins: list[float]
    unit: str

    @property
    def level(self) -> int:
        """How many cannot be told from the first, itself among them; nobody stands between these."""
        apart_from_next = (gap > margin for gap, margin in zip(self.behind[1:], self.margins[1:], strict=True))
        return next((count for count, apart in enumerate(apart_from_next, 1) if apart), len(self.places))


def order(tournament: Tournament, table: Table, rows: Sequence[GameRow], ratings: Ratings | None) -> Order:
    """The order of the entrants of a table: by rating, or in cooperative games by their scores as teams."""
    if ratings is not None:
        places = sorted(range(len(ratings.elo)), key=lambda place: -ratings.elo[place])  # ties as in the table
        behind, margins = ratings.elo[places[0]] - ratings.elo[places], ratings.difference_margins()[places[0], places]
        return Order(places, behind.tolist(), margins.tolist(), "Elo")
    gaps = [table.rows[0].score - row.score for row in table.rows]
    return Order(list(range(len(table.rows))), gaps, _team_margins(tournament, table, rows), "points")


def _team_margins(tournament: Tournament, table: Table, rows: Sequence[GameRow]) -> list[float]:
    """Half the 95 % intervals of the differences between the first team and each, over the decks both have played."""
    alone = [row for row in rows if row.a == row.b]
    pairs, payoffs = Pairs(alone), np.array([row.payoff_a for row in alone])
    values = pairs.means(payoffs, payoffs)
    low, high = table.game.payoff_range
    margins = []
    for place in range(len(table.rows)):
        first, other = (pairs.of(tournament.labels.index(table.rows[which].agent)) for which in (0, place))
        _, mine, theirs = np.intersect1d(pairs.number[first], pairs.number[other], return_indices=True)
        gaps = values[first][mine] - values[other][theirs]
        margins.append(half_width(gaps, low - high, high - low) if place else 0.0)
    return margins


def answer(table: Table, order: Order, *, finished: bool = True) -> str:
    """The answer in one sentence."""
    names = [table.rows[place].agent for place in order.places]
    first, level = table.rows[order.places[0]], order.level
    if level > 1:
        text = f"{_listed(names[:level])} cannot be told apart: {_gap_of_level(names, order)}"
    else:
        text = f"{names[0]} is first"
        text += f" with {plus_minus(first.score, first.margin, 2)} {order.unit}" if table.game.cooperative else ""
    if level < len(names):
        gap, own = _gap(order, level), "" if table.game.cooperative else _own_games(first, names[level])
        text += f"; {names[level]} is {gap} behind {names[0]}" if level > 1 else f", ahead of {names[1]} by {gap}"
        text += own + _others(names, order)
    return f"{text}." if finished else f"So far, {text}."


def _gap_of_level(names: list[str], order: Order) -> str:
    """How far the last of those that cannot be told apart is behind the first."""
    last = order.level - 1
    if order.behind[last] < _ROUNDING:
        return "their results are equal"
    gap = _gap(order, last)
    return gap if last == 1 else f"{names[0]} is ahead of {names[last]} by {gap}"


def _own_games(first: Row, other: str) -> str:
    """What the first scores against another, if that alone would not put it ahead."""
    score, margin = first.against.get(other, math.nan), first.against_margins.get(other, math.inf)
    if not math.isfinite(margin) or score - margin > 0.5:
        return ""
    scored = plus_minus(100 * score, 100 * margin, 1)
    return f" (through games against others: in their own, {first.agent} scores {scored} %)"


def _others(names: list[str], order: Order) -> str:
    """How far those after the next one are behind, from the nearest to the farthest."""
    left, behind = names[order.level + 1 :], order.behind[order.level + 1 :]
    if not left:
        return ""
    near, far = (f"{value:,.{_digits(order)}f}" for value in (behind[0], behind[-1]))
    distance = near if near == far else f"{near} to {far}"
    return f"; {f'{left[0]} is' if len(left) == 1 else 'the others are'} {distance} {order.unit} behind"


def _gap(order: Order, number: int) -> str:
    return f"{plus_minus(order.behind[number], order.margins[number], _digits(order))} {order.unit}"


def _digits(order: Order) -> int:
    return 0 if order.unit == "Elo" else 2


def _listed(names: list[str]) -> str:
    """Names in a sentence; of many only the first ones."""
    if len(names) > _MOST_NAMED:
        names = [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} others"]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def exact_play(
    tournament: Tournament, table: Table, rows: Sequence[GameRow], order: Order, ratings: Ratings
) -> str | None:
    """Why an agent that plays exactly stands below one that does not beat it; None if the games show no such thing."""
    names, margins = [table.rows[place].agent for place in order.places], ratings.difference_margins()
    for number, place in enumerate(order.places):
        spec = tournament.agents[tournament.labels.index(names[number])]
        if not isinstance(spec, str) or split_options(spec)[0] not in _EXACT:
            continue
        for above, rival in enumerate(order.places[:number]):
            stronger = order.behind[number] - order.behind[above] > margins[place, rival]
            if stronger and table.rows[place].against.get(names[above], 0.0) >= 0.5:
                weaker = {tournament.labels.index(name) for name in names[number + 1 :]}
                mine, theirs = (_balance(tournament.labels.index(names[one]), weaker, rows) for one in (number, above))
                if mine and theirs and theirs[0] > mine[0]:
                    return _because(names[number], names[above], mine, theirs)
    return None


def _because(exact: str, rival: str, mine: tuple[float, float], theirs: tuple[float, float]) -> str:
    """The sentence, from the shares of games against weaker agents that each has won and drawn."""
    start = f"{exact} plays exactly and does not lose to {rival}, but stands below it: "
    if mine[1] > theirs[1]:
        won, drawn, rivals_won, rivals_drawn = (f"{100 * share:.1f} %" for share in (*mine, *theirs))
        return start + (
            f"against weaker agents it draws games that {rival} wins ({won} won and {drawn} drawn, "
            f"{rival} {rivals_won} and {rivals_drawn})."
        )
    return start + f"of the games against weaker agents it wins {100 * mine[0]:.1f} %, {rival} {100 * theirs[0]:.1f} %."


def _balance(entrant: int, others: set[int], rows: Sequence[GameRow]) -> tuple[float, float] | None:
    """The shares of games won and drawn against these others, who count alike; None if it did not meet them all."""
    met: dict[int, list[float]] = {other: [] for other in others}
    for row in rows:
        if row.a == entrant and row.b in others:
            met[row.b].append(row.payoff_a)
        elif row.b == entrant and row.a in others:
            met[row.a].append(row.payoff_b)
    if not others or not all(met.values()):
        return None
    won, drawn = ([np.mean(np.sign(one) == sign) for one in met.values()] for sign in (1, 0))
    return float(np.mean(won)), float(np.mean(drawn))
