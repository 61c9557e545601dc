"""Results of games by entrant: what ratings are computed from, and what these games can tell."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Results:
    """Finished games, one row per game.

    Attributes:
        entrants: their names.
        first: shape (games,): who had the first seat, as an index into `entrants`.
        second: shape (games,): who had the second.
        result: shape (games,): 1 if the first seat won, ½ for a draw, 0 if it lost.
        pair: shape (games,): number of the pair; games with the same number, by any entrants, have the same chance.

    Raises:
        ValueError: if the columns differ in length, or hold invalid values.
    """

    entrants: tuple[str, ...]
    first: Indices
    second: Indices
    result: Floats
    pair: Indices

    def __post_init__(self) -> None:
        for name, kind in (("first", np.int64), ("second", np.int64), ("result", np.float64), ("pair", np.int64)):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind))
        columns = (self.first, self.second, self.result, self.pair)
        if len({column.shape for column in columns}) != 1 or self.first.ndim != 1 or len(self.first) == 0:
            shapes = ", ".join(str(column.shape) for column in columns)
            raise ValueError(
                f"results: first, second, result and pair must have the same shape (games,) and at least one game, "
                f"not {shapes}"
            )
        if len(set(self.entrants)) != len(self.entrants):
            raise ValueError(f"results: the entrants' names must differ: {list(self.entrants)!r}")
        for name in ("first", "second"):
            outside = (getattr(self, name) < 0) | (getattr(self, name) >= len(self.entrants))
            self._refuse(outside, f"{name} must be an index of the {len(self.entrants)} entrants", name)
        self._refuse(self.first == self.second, "an entrant cannot be rated by games against itself", "first")
        self._refuse(~np.isin(self.result, (0.0, 0.5, 1.0)), "result must be 1, 0.5 or 0", "result")

    def _refuse(self, wrong: NDArray[np.bool_], reason: str, column: str) -> None:
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"results: {reason}; game {row} has {column} {getattr(self, column)[row].item()!r}")

    @cached_property
    def clusters(self) -> Indices:
        """The number of each game's cluster, counted from 0 without gaps."""
        return np.asarray(np.unique(self.pair, return_inverse=True)[1])

    def scores(self) -> Floats:
        """Mean scores, shape (entrants, entrants): row against column; NaN where they did not meet."""
        n = len(self.entrants)
        sums, games = np.zeros((n, n)), np.zeros((n, n))
        for a, b, share in ((self.first, self.second, self.result), (self.second, self.first, 1 - self.result)):
            np.add.at(sums, (a, b), share)
            np.add.at(games, (a, b), 1)
        return np.asarray(np.divide(sums, games, out=np.full((n, n), np.nan), where=games > 0))


def by_cluster(results: Results) -> tuple[Indices, Indices]:
    """The games ordered by cluster, and where in this order each cluster begins; then where the last one ends."""
    order = np.argsort(results.clusters, kind="stable")
    return order, np.searchsorted(results.clusters[order], np.arange(results.clusters.max() + 2))


def pair_numbers(results: Results) -> Indices:
    """`Ratings.pairs`: each pair number counts once for an entrant, however many opponents it had."""
    clusters = int(results.clusters.max()) + 1
    played = np.unique(np.concatenate([results.first, results.second]) * clusters + np.tile(results.clusters, 2))
    return np.bincount(played // clusters, minlength=len(results.entrants))


def varied_pairs(results: Results) -> tuple[NDArray[np.bool_], bool]:
    """`Ratings.varied`; and whether the first seat's score differed between pairs of some pairing."""
    n, clusters = len(results.entrants), int(results.clusters.max()) + 1
    a, b = np.minimum(results.first, results.second), np.maximum(results.first, results.second)
    pairs, place = np.unique((a * n + b) * clusters + results.clusters, return_inverse=True)
    games, pairing = np.bincount(place), pairs // clusters
    starts = np.flatnonzero(np.diff(pairing, prepend=-1))

    def differ(scores: Floats) -> NDArray[np.bool_]:
        """Whether the pairs of each pairing differ in their mean score."""
        means = np.bincount(place, scores) / games
        return np.asarray(np.minimum.reduceat(means, starts) < np.maximum.reduceat(means, starts))

    differing = pairing[starts][differ(np.where(results.first == a, results.result, 1 - results.result))]
    varied = np.isin(np.arange(n), np.divmod(differing, n))
    return varied, bool(differ(results.result).any())


def groups(results: Results) -> tuple[Indices, Indices]:
    """`Ratings.connected` and `Ratings.decided`: components of "met", strong components of "did not lose to"."""
    n = len(results.entrants)
    held = np.eye(n, dtype=bool)
    held[results.first[results.result > 0], results.second[results.result > 0]] = True
    held[results.second[results.result < 1], results.first[results.result < 1]] = True
    chains = _reachable(held)
    return _numbered(_reachable(held | held.T)), _numbered(chains & chains.T)


def _reachable(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which entrant reaches which in any number of steps: doubles the length of paths until nothing changes."""
    while True:
        longer = (steps.astype(np.float32) @ steps.astype(np.float32)) > 0
        if (longer == steps).all():
            return steps
        steps = longer


def _numbered(same: NDArray[np.bool_]) -> Indices:
    """The classes of an equivalence, numbered from 0 in the order of their first members."""
    return np.unique(same.argmax(axis=1), return_inverse=True)[1].astype(np.int64)
