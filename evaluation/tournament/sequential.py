"""Sequential tests of pairings: pieces of work come back in any order, and count in the order of their pairs.

So the verdict, and the games that are stored, are the same for any number of workers, and after a kill.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ludarium.evaluation.play.match import MatchResult
from ludarium.evaluation.statistics.sprt import POINTS, UNDECIDED, Hypotheses, Sprt
from ludarium.evaluation.tournament.pieces import Work
from ludarium.evaluation.tournament.store import GameRow

LEGS = 2


class PairingTest:
    """The test of one pairing.

    Args:
        hypotheses: what it decides between.
        most: maximum number of pairs.
        stored: the games of the pairing that are in the store, in the order of their keys.

    Attributes:
        held: pieces that have been played before earlier ones, by their first pair.
    """

    def __init__(self, hypotheses: Hypotheses, most: int, stored: Iterable[GameRow] = ()) -> None:
        self.most = most
        self.sprt = verdict(hypotheses, stored)
        self.held: dict[int, tuple[Work, MatchResult]] = {}

    @property
    def over(self) -> bool:
        """Whether no more pairs are needed."""
        return self.sprt.state != UNDECIDED or self.sprt.pairs >= self.most

    def take(self, work: Work, result: MatchResult) -> Iterator[tuple[Work, MatchResult]]:
        """Count a piece; returns the pieces, or parts of them, that count now."""
        self.held[work.first] = work, result
        while not self.over and (piece := self.held.pop(self.sprt.pairs, None)):
            work, result = piece
            points = self.sprt.hypotheses.unit == POINTS
            self.sprt.update(result.points() if points else result.scores())
            pairs = self.sprt.pairs - work.first
            yield work._replace(pairs=pairs), _first(result, work.first, pairs)
        if self.over:
            self.held.clear()


def _first(result: MatchResult, first: int, pairs: int) -> MatchResult:
    """The first pairs of a piece that begins with the pair `first`."""
    if pairs == len(result.endings):
        return result
    return replace(
        result,
        payoffs=result.payoffs[:pairs],
        endings=result.endings[:pairs],
        moves=result.moves[: LEGS * pairs],
        decisions=int((result.moves[: LEGS * pairs] >= 0).sum()),
        forfeits=[forfeit for forfeit in result.forfeits if forfeit.pair < first + pairs],
    )


def verdict(hypotheses: Hypotheses, rows: Iterable[GameRow]) -> Sprt:
    """The test of a pairing by its stored games, in the order of their keys."""
    test = Sprt(hypotheses)
    test.update(_pair_scores(list(rows), hypotheses.unit == POINTS))
    return test


def _pair_scores(rows: list[GameRow], points: bool) -> NDArray[np.float64]:
    """The first agent's mean score, or payoff, in each pair from pair 0 to the first that is not complete."""
    payoffs = np.array([row.payoff_a for row in rows], dtype=np.float64)
    places = np.array([LEGS * row.pair + row.leg for row in rows], dtype=np.int64)
    complete = int((places == np.arange(len(rows))).cumprod().sum()) // LEGS
    scores = payoffs if points else (1 + np.sign(payoffs)) / 2
    return np.asarray(scores[: LEGS * complete].reshape(-1, LEGS).mean(axis=1))
