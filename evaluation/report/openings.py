"""Scores by opening: how the first seat and each agent did after each of the openings of a game."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ludarium.evaluation.play.openings import Book
from ludarium.evaluation.tournament.event import Tournament
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.store import GameRow

_MOST, _FEW = 50, 10  # openings in a table; and of more, those that stand out


class OpeningScore(NamedTuple):
    """The games after one opening.

    Attributes:
        number: its place among the openings, from 1.
        text: the opening.
        games: number of games.
        first: mean score of the first seat: a win is 1, a draw ½.
        scores: the mean score of each agent, by name; of those that played after this opening.
    """

    number: int
    text: str
    games: int
    first: float
    scores: dict[str, float]


class ByOpening(NamedTuple):
    """Scores by opening.

    Attributes:
        shown: up to fifty openings that were played in their order; of more, the ten after which the score of the
            first seat is farthest from its mean, the farthest first.
        played: how many were played.
        known: how many there are.
    """

    shown: list[OpeningScore]
    played: int
    known: int


def by_opening(tournament: Tournament, event: int, rows: list[GameRow]) -> ByOpening | None:
    """The scores of one game by opening; None if its openings were not given.

    Args:
        tournament: the tournament.
        event: the number of the game in it.
        rows: its games.
    """
    book = tournament.games[event].begin
    if not isinstance(book, Book):
        return None
    numbers = book.numbers(tournament.seed, np.array([row.pair for row in rows], dtype=np.int64)).tolist()
    rows_by_opening: dict[int, list[GameRow]] = defaultdict(list)
    for number, row in zip(numbers, rows, strict=True):
        rows_by_opening[number].append(row)
    scores = [
        _score(tournament, number, book.texts[number], rows_by_opening[number]) for number in sorted(rows_by_opening)
    ]
    if len(scores) > _MOST:
        mean = sum(one.first * one.games for one in scores) / len(rows)
        scores = sorted(scores, key=lambda one: -abs(one.first - mean))[:_FEW]
    return ByOpening(scores, len(rows_by_opening), len(book.texts))


def _score(tournament: Tournament, number: int, text: str, rows: list[GameRow]) -> OpeningScore:
    first, by_agent = list[float](), defaultdict[str, list[float]](list)
    for row in rows:
        for entrant, payoff in ((row.a, row.payoff_a), (row.b, row.payoff_b)):
            score = (1 + float(np.sign(payoff))) / 2
            by_agent[tournament.labels[entrant]].append(score)
            if entrant == entrant_at(row, 0):
                first.append(score)
    means = {name: float(np.mean(scores)) for name, scores in by_agent.items()}
    return OpeningScore(number + 1, text, len(rows), float(np.mean(first)), means)
