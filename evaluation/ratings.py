"""Ratings: how strong is each entrant, and how sure are we.

The model is Bradley & Terry's, with Davidson's draws and a parameter for the seat (Davidson 1970, "On extending the
Bradley–Terry model to accommodate ties"; Davidson & Beaver 1977 for the order of presentation). With strengths θ, the
first seat's advantage δ and x = θ_first − θ_second + δ, a game ends as

    win : draw : loss of the first seat  =  e^(x/2) : ν : e^(−x/2)

so without draws the odds of a win are e^x. Ratings are strengths times 400 / ln 10, which is the Elo scale.

Every parameter (each θ, δ and ln ν) has a weak prior, normal around 0 with a standard deviation of `PRIOR` Elo. It is
worth about a tenth of a game. It keeps finite what the games leave open: entrants that won or lost everything, and
groups of entrants that never met. Ford (1957) says when the games alone decide: when every entrant can be reached from
every other by a chain of games that were not lost. `Ratings.decided` says which entrants are linked in this way.

The unit of all error bars is the pair, two games with the same chance and exchanged seats, which are not independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import below, derive, seed_key
from ludarium.envs.jit import jit

ELO = 400 / math.log(10)
"""Elo in one unit of strength: ten to one are 400 Elo."""
PRIOR = 1000.0
"""Standard deviation of the prior, in Elo."""

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_TOLERANCE = 1e-8  # of a Newton step, in units of strength; after it the error is about the square of that
_ITERATIONS = 200  # far more than ever needed
_BATCH = 4_000_000  # numbers in the largest array of a bootstrap


@dataclass(frozen=True, eq=False)
class Results:
    """Finished games, one row a game.

    Attributes:
        entrants: their names.
        first: shape (games,): who had the first seat, as an index into `entrants`.
        second: shape (games,): who had the second.
        result: shape (games,): 1 if the first seat won, ½ for a draw, 0 if it lost.
        pair: shape (games,): games with the same number are one pair, and between the same two entrants.

    Raises:
        ValueError: if the columns are not of the same length, or hold what cannot be.
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
        first_row = np.unique(self.pair, return_index=True)[1][self.clusters]
        same = np.minimum(self.first, self.second) == np.minimum(self.first, self.second)[first_row]
        same &= np.maximum(self.first, self.second) == np.maximum(self.first, self.second)[first_row]
        self._refuse(~same, "the games of a pair must be between the same two entrants", "pair")

    def _refuse(self, wrong: NDArray[np.bool_], reason: str, column: str) -> None:
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"results: {reason}; game {row} has {column} {getattr(self, column)[row].item()!r}")

    @cached_property
    def clusters(self) -> Indices:
        """The number of each game's pair, counted from 0."""
        return np.asarray(np.unique(self.pair, return_inverse=True)[1])

    def scores(self) -> Floats:
        """Mean scores, shape (entrants, entrants): row against column; NaN where they did not meet."""
        n = len(self.entrants)
        sums, games = np.zeros((n, n)), np.zeros((n, n))
        for a, b, share in ((self.first, self.second, self.result), (self.second, self.first, 1 - self.result)):
            np.add.at(sums, (a, b), share)
            np.add.at(games, (a, b), 1)
        return np.asarray(np.divide(sums, games, out=np.full((n, n), np.nan), where=games > 0))


@dataclass(frozen=True, eq=False)
class Ratings:
    """The fitted model.

    Attributes:
        entrants: their names.
        elo: shape (entrants,): ratings; the anchor's is 0, without one their mean is.
        anchor: name of the anchor, or None.
        seat: advantage of the first seat in Elo.
        seat_margin: half its 95 % interval, counted over pairs.
        draws: the share of draws between equals without a seat advantage, ν / (2 + ν).
        hessian: shape (entrants, entrants): covariance of `elo` if all games were independent.
        clustered: the same, counted over pairs (the sandwich estimator); too small where `decided` says no.
        connected: shape (entrants,): number of the group linked by games; between groups only the prior speaks.
        decided: shape (entrants,): number of the group within which the games alone decide the ratings.
    """

    entrants: tuple[str, ...]
    elo: Floats
    anchor: str | None
    seat: float
    seat_margin: float
    draws: float
    hessian: Floats
    clustered: Floats
    connected: Indices
    decided: Indices

    def margins(self) -> Floats:
        """Half the 95 % interval of each rating, shape (entrants,): 1.96 standard errors.

        They count pairs; where the games do not decide an entrant's distance from the anchor (without one, from the
        rest), pairs that all ended the same way cannot tell how sure it is, and the Hessian with its prior does.
        """
        usual = np.sqrt(np.diag(self.clustered))
        return 1.96 * np.where(self._decided_from_anchor(), usual, np.sqrt(np.diag(self.hessian)))

    def superiority(self) -> Floats:
        """Likelihood of superiority, shape (entrants, entrants): that the row is stronger than the column.

        It takes the difference of two ratings as normal, with the variance that `margins` describes.
        """
        same = self.decided[:, None] == self.decided[None, :]
        variance = np.where(same, _difference_variance(self.clustered), _difference_variance(self.hessian))
        difference = self.elo[:, None] - self.elo[None, :]
        z = np.divide(difference, np.sqrt(2 * variance), out=np.zeros_like(difference), where=variance > 0)
        erf: Any = np.vectorize(math.erf, otypes=[float])
        return np.asarray((1 + erf(z)) / 2)

    def _decided_from_anchor(self) -> NDArray[np.bool_]:
        if self.anchor is None:
            return np.full(len(self.entrants), bool((self.decided == self.decided[0]).all()))
        return np.asarray(self.decided == self.decided[self.entrants.index(self.anchor)])


def fit(results: Results, *, anchor: str = "random", prior: float = PRIOR) -> Ratings:
    """Rate the entrants: the most probable parameters, by Newton's method.

    Args:
        results: the games.
        anchor: the entrant whose rating is called 0, if there is one of this name.
        prior: standard deviation of the prior in Elo; see the module.

    Raises:
        ValueError: if the prior is not positive.
    """
    model = _Model(results, prior)
    strengths = model.newton(model.counts[None])[0]
    n = len(results.entrants)
    chances = model.chances(strengths[None])
    inverse = np.linalg.inv(model.curvature(model.counts[None].sum(axis=2), *chances)[0])
    clustered = inverse @ model.spread(results, strengths) @ inverse
    weights = _weights(results.entrants, anchor)
    draw = math.exp(strengths[n + 1]) if model.has_draws else 0.0
    return Ratings(
        results.entrants,
        ELO * (strengths[:n] - weights @ strengths[:n]),
        anchor if anchor in results.entrants else None,
        float(ELO * strengths[n]),
        float(1.96 * ELO * math.sqrt(clustered[n, n])),
        draw / (2 + draw),
        ELO**2 * _relative(inverse[:n, :n], weights),
        ELO**2 * _relative(clustered[:n, :n], weights),
        *_groups(results),
    )


def bootstrap(
    results: Results, *, anchor: str = "random", prior: float = PRIOR, replicates: int = 1000, seed: int = 0
) -> Floats:
    """Intervals of the ratings by resampling whole pairs: the 2.5 % and 97.5 % quantiles of refitted models.

    Where the games do not decide an entrant's distance from the anchor, all replicates agree for the wrong reason;
    there the interval is the Hessian's, see `Ratings.margins`.

    Args:
        results: the games.
        anchor: as for `fit`.
        prior: as for `fit`.
        replicates: how often the pairs are resampled.
        seed: replicate number i is a function of (seed, i).

    Returns:
        Lower and upper ends in Elo, shape (entrants, 2).

    Raises:
        ValueError: if the prior or the number of replicates is not positive.
    """
    if replicates < 1:
        raise ValueError(f"bootstrap: replicates must be at least 1, not {replicates!r}")
    model, ratings = _Model(results, prior), fit(results, anchor=anchor, prior=prior)
    clusters = results.clusters
    by_pair = np.argsort(clusters, kind="stable")
    edges = np.searchsorted(clusters[by_pair], np.arange(clusters.max() + 2))
    cells = model.cells[by_pair]
    n, key = len(results.entrants), seed_key(seed)
    weights = _weights(results.entrants, anchor)
    samples = []
    batch = max(1, _BATCH // max(n * n, model.counts.size))
    for first in range(0, replicates, batch):
        counts = np.zeros((min(batch, replicates - first), model.counts.size))
        _resample(key, first, edges, cells, counts)
        strengths = model.newton(counts.reshape(-1, *model.counts.shape))[:, :n]
        samples.append(strengths - (strengths @ weights)[:, None])
    ends = ELO * np.quantile(np.concatenate(samples), (0.025, 0.975), axis=0).T
    margins = ratings.margins()
    plain = np.stack([ratings.elo - margins, ratings.elo + margins], axis=1)
    return np.where(ratings._decided_from_anchor()[:, None], ends, plain)


@jit
def _resample(key: Any, first: int, edges: Any, cells: Any, counts: Any) -> None:
    """Draw as many pairs as there are, with replacement, for each row of `counts`; count their games by cell."""
    stream = np.zeros(2, dtype=np.uint64)
    pairs = len(edges) - 1
    for replicate in range(len(counts)):
        stream[0], stream[1] = derive(key, first + replicate), 0
        for _ in range(pairs):
            pair = below(stream, pairs)
            for game in range(edges[pair], edges[pair + 1]):
                counts[replicate, cells[game]] += 1.0


class _Model:
    """The likelihood of games that were counted by pairing and result.

    Attributes:
        counts: shape (pairings, 3): losses, draws and wins of the first seat.
        cells: shape (games,): where each game is counted in `counts`, seen as flat.
    """

    def __init__(self, results: Results, prior: float) -> None:
        if not prior > 0:
            raise ValueError(f"ratings: prior must be a positive number of Elo, not {prior!r}")
        self.entrants = len(results.entrants)
        codes = results.first * self.entrants + results.second
        present = np.bincount(codes) > 0
        pairings = np.flatnonzero(present)
        self.first, self.second = np.divmod(pairings, self.entrants)
        self.pairing = pairing = (np.cumsum(present) - 1)[codes]
        self.cells = 3 * pairing + (2 * results.result).astype(np.int64)
        self.counts = np.bincount(self.cells, minlength=3 * len(pairings)).reshape(-1, 3).astype(np.float64)
        self.has_draws = bool(self.counts[:, 1].any())  # if not, ν is 0 and not a parameter
        self.parameters = self.entrants + 1 + self.has_draws
        self.precision = (ELO / prior) ** 2

    def newton(self, counts: Floats) -> Floats:
        """The most probable parameters for each row of `counts`, shape (rows, parameters): each θ, δ, and ln ν.

        Steps are damped as Sun & Tran-Dinh (2019) prove to converge from anywhere for functions such as this one,
        whose third derivative is bounded by the second.
        """
        strengths = np.zeros((len(counts), self.parameters))
        for _ in range(_ITERATIONS):
            win, draw, loss = self.chances(strengths)
            games = counts.sum(axis=2)
            gradient = self.sums(
                (counts[:, :, 2] - counts[:, :, 0]) / 2 - games * (win - loss) / 2, counts[:, :, 1] - games * draw
            )
            gradient -= self.precision * strengths
            step = np.linalg.solve(self.curvature(games, win, draw, loss), gradient[:, :, None])[:, :, 0]
            size = 2 * np.abs(step).max(axis=1, keepdims=True)
            strengths += step * np.divide(np.log1p(size), size, out=np.ones_like(size), where=size > 0)
            if not (size > _TOLERANCE).any():
                break
        return strengths

    def chances(self, strengths: Floats) -> tuple[Floats, Floats, Floats]:
        """Probabilities of win, draw and loss of the first seat, each of shape (rows, pairings)."""
        theta, seat = strengths[:, : self.entrants], strengths[:, self.entrants]
        half = (theta[:, self.first] - theta[:, self.second] + seat[:, None]) / 2
        top = np.abs(half)
        win, loss = np.exp(half - top), np.exp(-half - top)
        draw = np.exp(strengths[:, -1:] - top) if self.has_draws else np.zeros_like(win)
        total = win + draw + loss
        return win / total, draw / total, loss / total

    def sums(self, of_x: Floats, of_draws: Floats) -> Floats:
        """Derivatives by x and by ln ν, shape (rows, pairings), as derivatives by the parameters."""
        parts = [self._at(of_x, self.first) - self._at(of_x, self.second), of_x.sum(axis=1)[:, None]]
        return np.concatenate([*parts, of_draws.sum(axis=1)[:, None]] if self.has_draws else parts, axis=1)

    def curvature(self, games: Floats, win: Floats, draw: Floats, loss: Floats) -> Floats:
        """Minus the second derivatives, the prior's included: shape (rows, parameters, parameters)."""
        mean = (win - loss) / 2
        xx, xd, dd = games * ((win + loss) / 4 - mean**2), -games * draw * mean, games * draw * (1 - draw)
        blocks = ((xx, xx, xd), (xx, xx, xd), (xd, xd, dd))
        return self._matrix(blocks, self.first, self.second) + self.precision * np.eye(self.parameters)

    def spread(self, results: Results, strengths: Floats) -> Floats:
        """Sum over pairs of the outer product of a pair's gradient: the middle of the sandwich.

        All games of a pair are between the same two entrants, so its gradient by the strengths is one number, with
        opposite signs for the two.
        """
        win, draw, loss = (chance[0, self.pairing] for chance in self.chances(strengths[None]))
        clusters = results.clusters
        rows = np.unique(clusters, return_index=True)[1]
        by_x, by_draws = results.result - 0.5 - (win - loss) / 2, (results.result == 0.5) - draw
        sign = np.where(results.first == results.first[rows][clusters], 1, -1)
        parts = [_sums(clusters, values, len(rows))[None] for values in (sign * by_x, by_x, by_draws)]
        blocks = [[a * b for b in parts] for a in parts]
        pairs = len(rows)
        total = self._matrix(blocks, results.first[rows], results.second[rows])[0]
        return np.asarray(total * (pairs / max(1, pairs - 1)))

    def _matrix(self, blocks: Sequence[Sequence[Floats]], first: Indices, second: Indices) -> Floats:
        """The sum over terms (pairings or pairs) of symmetric 3 × 3 blocks, shape (rows, parameters, parameters).

        A block's rows and columns are θ_first − θ_second, δ and ln ν; each of its numbers has the shape (rows, terms).
        """
        n, rows = self.entrants, len(blocks[0][0])
        matrix = np.zeros((rows, self.parameters, self.parameters))
        offset = np.arange(rows)[:, None] * n * n + first * n + second
        crossed = _sums(offset, blocks[0][0], rows * n * n).reshape(rows, n, n)
        crossed = crossed + crossed.transpose(0, 2, 1)
        matrix[:, :n, :n] = -crossed
        matrix[:, range(n), range(n)] = crossed.sum(axis=2)
        for a in range(n, self.parameters):
            edge = self._at(blocks[0][a - n + 1], first) - self._at(blocks[0][a - n + 1], second)
            matrix[:, a, :n] = matrix[:, :n, a] = edge
            for b in range(n, self.parameters):
                matrix[:, a, b] = blocks[a - n + 1][b - n + 1].sum(axis=1)
        return matrix

    def _at(self, values: Floats, entrant: Indices) -> Floats:
        """Sums of values (rows, terms) by entrant, shape (rows, entrants)."""
        rows, n = len(values), self.entrants
        return _sums(np.arange(rows)[:, None] * n + entrant, values, rows * n).reshape(rows, n)


def _sums(places: Indices, values: Floats, size: int) -> Floats:
    """The sum of the values at each place, shape (size,)."""
    return np.asarray(np.bincount(places.ravel(), values.ravel(), size), dtype=np.float64)


def _weights(entrants: tuple[str, ...], anchor: str) -> Floats:
    """What ratings are measured from, as weights of the entrants: the anchor, or the mean of all."""
    if anchor in entrants:
        return np.asarray(np.arange(len(entrants)) == entrants.index(anchor), dtype=np.float64)
    return np.full(len(entrants), 1 / len(entrants))


def _relative(covariance: Floats, weights: Floats) -> Floats:
    """The covariance of strengths measured from their weighted mean."""
    with_mean = covariance @ weights
    return np.asarray(covariance - with_mean[:, None] - with_mean[None, :] + weights @ with_mean)


def _difference_variance(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    return np.asarray(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))


def _groups(results: Results) -> tuple[Indices, Indices]:
    """`Ratings.connected` and `Ratings.decided`: components of "met", strong components of "did not lose to"."""
    n = len(results.entrants)
    held = np.eye(n, dtype=bool)
    held[results.first[results.result > 0], results.second[results.result > 0]] = True
    held[results.second[results.result < 1], results.first[results.result < 1]] = True
    chains = _reachable(held)
    return _numbered(_reachable(held | held.T)), _numbered(chains & chains.T)


def _reachable(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which entrant reaches which in any number of steps: paths of twice the length until there are no more."""
    while True:
        longer = (steps.astype(np.float32) @ steps.astype(np.float32)) > 0
        if (longer == steps).all():
            return steps
        steps = longer


def _numbered(same: NDArray[np.bool_]) -> Indices:
    """The classes of an equivalence, numbered from 0 in the order of their first members."""
    return np.unique(same.argmax(axis=1), return_inverse=True)[1].astype(np.int64)
