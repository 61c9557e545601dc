"""The games of each two entrants: a few of them, each with its result and length, and which games to show as pictures.

Shown are games between the best, and upsets: games that an entrant won against another that stands clearly above it. In
a cooperative game the best teams are shown, and the deck on which one that stands below did better by the most.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ludarium.agents.time_control import LOST_ON_TIME
from ludarium.envs.batch import ADJUDICATED, TRUNCATED
from ludarium.envs.game import Game
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.content import GameContent
from ludarium.evaluation.report.replay import Replay, key_text, play_back
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.store import GameRow, move_type

_MOST_LISTED, _MOST_IN_ALL = 10, 1_000  # games of one meeting, and of all meetings in a game
_MOST_MEETINGS = 1_000
_MOST_REPLAYS = 12
_LARGEST = 2_000_000  # maximum number of characters of all replays in one report
_ORDINALS = ("first", "second", "third")


class Meeting(NamedTuple):
    """Two entrants of a game, or a team by itself, and their games.

    Attributes:
        anchor: where the page shows it.
        title: who they are, how many games there are, and what came of them.
        rows: the games listed: first those that the lower one won, then in the order of their numbers.
        lines: for each of them its key, who began, its result and its number of decisions.
        left_out: how many more there are.
    """

    anchor: str
    title: str
    rows: list[GameRow]
    lines: list[list[str]]
    left_out: int


class Sample(NamedTuple):
    """A game to show as pictures, and why."""

    reason: str
    row: GameRow


def anchor(content: GameContent, place: int, other: int) -> str:
    """The name of a meeting on the page, whoever of the two is named first."""
    first, second = sorted((place, other))
    return f"meeting-{content.event}-{first}-{second}"


def meetings(tournament: Tournament, content: GameContent) -> dict[tuple[int, int], Meeting]:
    """The meetings by the places of the two in the table, the upper one first; empty if there are too many to list."""
    rows_by_places = _by_places(tournament, content)
    if len(rows_by_places) > _MOST_MEETINGS:
        return {}
    listed = min(_MOST_LISTED, max(1, _MOST_IN_ALL // max(1, len(rows_by_places))))
    return {
        places: _meeting(tournament, content, places, rows, listed) for places, rows in sorted(rows_by_places.items())
    }


def _by_places(tournament: Tournament, content: GameContent) -> dict[tuple[int, int], list[GameRow]]:
    """The games by the places of the two in the table, the upper one first."""
    places = {tournament.labels.index(line.agent): place for place, line in enumerate(content.table.rows)}
    rows_by_places: dict[tuple[int, int], list[GameRow]] = {}
    for row in content.rows:
        first, second = sorted((places[row.a], places[row.b]))
        rows_by_places.setdefault((first, second), []).append(row)
    return rows_by_places


def _meeting(
    tournament: Tournament, content: GameContent, places: tuple[int, int], rows: list[GameRow], listed: int
) -> Meeting:
    names = [content.table.rows[place].agent for place in places]
    payoffs = [_payoff(tournament, row, names[0]) for row in rows]
    ranked = sorted(range(len(rows)), key=lambda i: content.game.cooperative or payoffs[i] >= 0)  # a stable sort
    chosen = [rows[i] for i in ranked[:listed]]
    if content.game.cooperative:
        who = names[0] if places[0] == places[1] else " and ".join(names)
        outcome = f"{np.mean(payoffs):.2f} points on average"
    else:
        who, signs = " – ".join(names), np.sign(payoffs)
        won, drawn, lost = (int((signs == sign).sum()) for sign in (1, 0, -1))
        outcome = f"{names[0]} won {won:,}, drew {drawn:,} and lost {lost:,}"
    title = f"{who}: {len(rows):,} {'game' if len(rows) == 1 else 'games'}; {outcome}"
    lines = [_line(tournament, content.game, row) for row in chosen]
    return Meeting(anchor(content, *places), title, chosen, lines, len(rows) - len(chosen))


def _length(row: GameRow) -> int:
    return len(row.moves)


def _payoff(tournament: Tournament, row: GameRow, agent: str) -> float:
    return row.payoff_a if tournament.labels[row.a] == agent else row.payoff_b


def _line(tournament: Tournament, game: Game, row: GameRow) -> list[str]:
    first = tournament.labels[entrant_at(row, 0)]
    decisions = len(row.moves) // move_type(game).itemsize
    return [key_text(row), first, _result(tournament, game, row), f"{decisions:,}"]


def _points(number: float) -> str:
    return f"{number:g} point{'s' * (number != 1)}"


def _result(tournament: Tournament, game: Game, row: GameRow) -> str:
    """How a game ended, in a few words, from what is stored of it."""
    if row.ending >= FORFEIT:
        how = LOST_ON_TIME if row.cause == LOST_ON_TIME else "forfeited"
        return f"{tournament.labels[entrant_at(row, row.ending - FORFEIT)]} {how}"
    if game.cooperative:
        result = _points(row.payoff_a)
    elif row.payoff_a == 0:
        result = "drawn"
    else:
        winner = tournament.labels[row.a if row.payoff_a > 0 else row.b]
        result = f"{winner} won" + (f" by {abs(row.payoff_a):g}" if game.payoff_range[1] != 1 else "")
    return result + {TRUNCATED: ", cut off", ADJUDICATED: ", adjudicated"}.get(row.ending, "")


def samples(tournament: Tournament, content: GameContent) -> Iterator[Sample]:
    """The games to show, the most telling first: of the best two, the greatest upset, and then others of both kinds."""
    if content.game.cooperative:
        kinds = _teams(tournament, content)
    else:
        kinds = list(_of_the_best(tournament, content)), list(_upsets(tournament, content))
    for both in itertools.zip_longest(*kinds):
        yield from (sample for sample in both if sample is not None)


def _of_the_best(tournament: Tournament, content: GameContent) -> Iterator[Sample]:
    """Games between the best, each the longest that the better one won, or the longest if it won none."""
    rows_by_places, places = _by_places(tournament, content), content.order.places
    for first, second in itertools.combinations(range(min(len(places), len(_ORDINALS))), 2):
        upper, lower = sorted((places[first], places[second]))
        rows = rows_by_places.get((upper, lower), [])
        better = content.table.rows[places[first]].agent
        if won := [row for row in rows if _payoff(tournament, row, better) > 0 and row.ending < FORFEIT] or rows:
            yield Sample(f"the {_ORDINALS[first]} against the {_ORDINALS[second]}", max(won, key=_length))


def _upsets(tournament: Tournament, content: GameContent) -> Iterator[Sample]:
    """Of each two that can be told apart, the first game that the lower one won; the greatest distance first."""
    ratings = content.ratings
    assert ratings is not None
    margins = ratings.difference_margins()
    upsets: list[tuple[float, GameRow]] = []
    for (first, second), rows in _by_places(tournament, content).items():
        gap = float(ratings.elo[first] - ratings.elo[second])
        lower = content.table.rows[second if gap > 0 else first].agent
        won = (row for row in rows if _payoff(tournament, row, lower) > 0 and row.ending < FORFEIT)
        if abs(gap) > margins[first, second] and (row := next(won, None)):
            upsets.append((abs(gap), row))
    for gap, row in sorted(upsets, key=lambda upset: -upset[0]):
        yield Sample(f"an upset, {gap:,.0f} Elo apart", row)


def _teams(tournament: Tournament, content: GameContent) -> tuple[list[Sample], list[Sample]]:
    """The best team at its best and at its worst; and the cards on which others did better than it by the most."""
    rows_by_places = _by_places(tournament, content)
    best = rows_by_places.get((0, 0), [])
    by_deck = {row.pair: row.payoff_a for row in best}
    upsets: list[tuple[float, GameRow]] = []
    for place in range(1, len(content.table.rows)):
        gains = [
            (row.payoff_a - by_deck.get(row.pair, math.inf), row) for row in rows_by_places.get((place, place), [])
        ]
        gain, row = max(gains, key=lambda one: one[0], default=(0.0, None))
        if row is not None and gain > 0:
            upsets.append((gain, row))
    upsets.sort(key=lambda upset: -upset[0])
    extremes = [("highest", max), ("lowest", min)] if best else []
    return (
        [Sample(f"the first at its {name}", extreme(best, key=lambda row: row.payoff_a)) for name, extreme in extremes],
        [Sample(f"an upset, {_points(gain)} more than the first with the same cards", row) for gain, row in upsets],
    )


def choose(tournament: Tournament, games: Sequence[GameContent]) -> dict[int, list[tuple[str, Replay]]]:
    """Replays for a report, each with the reason why it is shown, by event: as many as fit."""
    # alternate between the tournament's games, so that none is left out
    turns = itertools.zip_longest(*(samples(tournament, game) for game in games))
    replays: dict[int, list[tuple[str, Replay]]] = {}
    shown: set[tuple[int, ...]] = set()
    size = 0
    for sample in itertools.chain.from_iterable(turns):
        if sample is None or sample.row.key in shown or len(shown) == _MOST_REPLAYS:
            continue
        replay = play_back(tournament, sample.row)
        length = len(replay.to_json())
        if size + length <= _LARGEST:
            replays.setdefault(sample.row.event, []).append((sample.reason, replay))
            shown.add(sample.row.key)
            size += length
    return replays
