"""Ratings: how strong each entrant is, and how sure we are.

The model is Bradley & Terry's, with Davidson's draws and a parameter for the seat (Davidson 1970, "On extending the
Bradley–Terry model to accommodate ties"; Davidson & Beaver 1977 for the order of presentation). With strengths θ, the
first seat's advantage δ and x = θ_first − θ_second + δ, a game ends as

    win : draw : loss of the first seat  =  e^(x/2) : ν : e^(−x/2)

so without draws the odds of a win are e^x. Ratings are strengths times 400 / ln 10, which is the Elo scale.

Every parameter (each θ, δ and ln ν) has a weak prior, normal around 0 with a standard deviation of `PRIOR` Elo. It is
worth about a tenth of a game. It keeps the ratings finite where the games alone do not determine them: for entrants
that won or lost everything, and for groups of entrants that never met. By Ford (1957) the games alone determine the
ratings if every entrant can be reached from every other by a chain of games that were not lost. `Ratings.decided` says
which entrants are linked in this way.

All error bars are computed over pair numbers. The two games of a pair, with exchanged seats, have the same dice and
opening, and so has every other pair with the same number, whoever plays it. So games with the same number are one
cluster, and only clusters are independent. A few clusters give a poor estimate of their spread: see `Ratings.margins`.
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
from ludarium.evaluation.statistics.intervals import student_t

ELO = 400 / math.log(10)
"""Elo in one unit of strength: odds of ten to one are 400 Elo."""
PRIOR = 1000.0
"""Standard deviation of the prior, in Elo."""

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_FEWEST = 10  # clusters from which their spread alone is trusted
_SAME = 1e-6  # a smaller share of the variance of independent games, or fewer Elo, is a rounding error
_TOLERANCE = 1e-8  # of a Newton step, in units of strength; after it the error is about the square of that
_ITERATIONS = 200  # far more than ever needed
_BATCH = 4_000_000  # numbers in the largest array of a bootstrap


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


@dataclass(frozen=True, eq=False)
class Ratings:
    """The fitted model.

    Attributes:
        entrants: their names.
        elo: shape (entrants,): ratings; the anchor's is 0; without an anchor, their mean is 0.
        anchor: name of the anchor, or None.
        seat: advantage of the first seat in Elo.
        seat_error: its standard error, with a variance by the rule of `margins`; infinite for a single pair number.
        seat_margin: half its 95 % interval, by Student's t.
        draw_parameter: ν; without a seat advantage, the share of draws between equals is ν / (2 + ν).
        hessian: shape (entrants, entrants): covariance of `elo` if all games were independent.
        clustered: the same, clustered by pair number (the sandwich estimator); see `margins` for where it is too small.
        connected: shape (entrants,): number of the group linked by games; between groups there is only the prior.
        decided: shape (entrants,): number of the group within which the games alone determine the ratings.
        pairs: shape (entrants,): how many different pair numbers each entrant played.
        varied: shape (entrants,): whether, against some opponent, not all of its pairs had the same score.
    """

    entrants: tuple[str, ...]
    elo: Floats
    anchor: str | None
    seat: float
    seat_error: float
    seat_margin: float
    draw_parameter: float
    hessian: Floats
    clustered: Floats
    connected: Indices
    decided: Indices
    pairs: Indices
    varied: NDArray[np.bool_]

    @property
    def draws(self) -> float:
        """The share of draws between equals without a seat advantage."""
        return self.draw_parameter / (2 + self.draw_parameter)

    def margins(self) -> Floats:
        """Half the 95 % interval of each rating, shape (entrants,), by Student's t.

        The variance is the clustered one, unless the pairs cannot show how uncertain a rating is: if an entrant has
        played fewer than ten pair numbers, if its pairs against each opponent all had the same score, or if the games
        alone do not determine its distance from the anchor (without an anchor, from all others). Then it is the greater
        of the clustered variance and the Hessian's. The margin is infinite for a single pair number. The degrees of
        freedom are one less than the pair numbers of the entrant or, if it has fewer, of the anchor.
        """
        pairs = self.pairs.copy()
        if self.anchor is not None:
            anchor = self.entrants.index(self.anchor)
            pairs = np.where(np.arange(len(pairs)) == anchor, 2, np.minimum(pairs, pairs[anchor]))
        variance = _variance(np.diag(self.clustered), np.diag(self.hessian), self._told_from_anchor())
        factors = [student_t(max(1, count - 1)) for count in pairs.tolist()]
        return np.where(pairs < 2, np.inf, factors * np.sqrt(variance))

    def superiority(self) -> Floats:
        """Likelihood of superiority, shape (entrants, entrants): that the row is stronger than the column.

        The difference of two ratings is taken as normal, with a variance by the rule of `margins`; NaN if one of the
        two has played a single pair number.

        Ratings are about results against everyone. Two who only draw each other may still be told apart by what each
        wins against a third: that is certain as a rating, and says nothing about their own games.
        """
        variance, difference = self._differences_variance(), self.elo[:, None] - self.elo[None, :]
        told = (variance > 0) & (np.abs(difference) > _SAME)
        z = np.divide(difference, np.sqrt(2 * variance), out=np.zeros_like(difference), where=told)
        erf: Any = np.vectorize(math.erf, otypes=[float])
        return np.where(self._fewer() < 2, np.nan, (1 + erf(z)) / 2)

    def difference_margins(self) -> Floats:
        """Half the 95 % interval of each difference of two ratings, shape (entrants, entrants), as `margins` has them.

        Infinite if one of the two has played a single pair number; 0 on the diagonal.
        """
        fewer = self._fewer()
        factors = np.array([[student_t(max(1, count - 1)) for count in row] for row in fewer.tolist()])
        margins = np.where(fewer < 2, np.inf, factors * np.sqrt(self._differences_variance()))
        np.fill_diagonal(margins, 0.0)
        return margins

    def _fewer(self) -> Indices:
        """The pair numbers that the one of two played who played fewer."""
        return np.minimum(self.pairs[:, None], self.pairs[None, :])

    def _differences_variance(self) -> Floats:
        """The variance of each difference; two whose results are the same in every pair do not show it."""
        clustered, hessian = _difference_variance(self.clustered), _difference_variance(self.hessian)
        return _variance(clustered, hessian, self._told() & (clustered > _SAME * hessian))

    def _told(self) -> NDArray[np.bool_]:
        """Whether pairs show how uncertain the difference of two ratings is, shape (entrants, entrants)."""
        enough = (self.pairs >= _FEWEST) & self.varied
        return (self.decided[:, None] == self.decided[None, :]) & enough[:, None] & enough[None, :]

    def _told_from_anchor(self) -> NDArray[np.bool_]:
        told = self._told()
        return np.asarray(told.all(axis=1) if self.anchor is None else told[:, self.entrants.index(self.anchor)])


def fit(results: Results, *, anchor: str = "random", prior: float = PRIOR) -> Ratings:
    """Rate the entrants: fit the most probable parameters by Newton's method.

    Args:
        results: the games.
        anchor: name of the entrant whose rating is defined as 0, if there is one.
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
    varied, seat_varied = _varied(results)
    clusters = int(results.clusters.max()) + 1
    seat = _variance(clustered[n, n], inverse[n, n], clusters >= _FEWEST and seat_varied) if clusters > 1 else math.inf
    weights = _weights(results.entrants, anchor)
    draw = math.exp(strengths[n + 1]) if model.has_draws else 0.0
    return Ratings(
        results.entrants,
        ELO * (strengths[:n] - weights @ strengths[:n]),
        anchor if anchor in results.entrants else None,
        float(ELO * strengths[n]),
        ELO * math.sqrt(seat),
        student_t(max(1, clusters - 1)) * ELO * math.sqrt(seat),
        draw,
        ELO**2 * _relative(inverse[:n, :n], weights),
        ELO**2 * _relative(clustered[:n, :n], weights),
        *_groups(results),
        _numbers(results),
        varied,
    )


def bootstrap(
    results: Results, *, anchor: str = "random", prior: float = PRIOR, replicates: int = 1000, seed: int = 0
) -> Floats:
    """Intervals of the ratings by resampling pair numbers: the 2.5 % and 97.5 % quantiles of refitted models.

    All games with the same number are resampled together. Where pairs cannot show how uncertain a rating is, the
    replicates agree for the wrong reason, and the interval is that of `Ratings.margins`.

    Args:
        results: the games.
        anchor: as for `fit`.
        prior: as for `fit`.
        replicates: how often the pair numbers are resampled.
        seed: replicate number i is a function of (seed, i).

    Returns:
        Lower and upper ends in Elo, shape (entrants, 2).

    Raises:
        ValueError: if the prior or the number of replicates is not positive.
    """
    if replicates < 1:
        raise ValueError(f"bootstrap: replicates must be at least 1, not {replicates!r}")
    model, ratings = _Model(results, prior), fit(results, anchor=anchor, prior=prior)
    order, edges = _by_cluster(results)
    cells = model.cells[order]
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
    return np.where(ratings._told_from_anchor()[:, None], ends, plain)


@jit
def _resample(key: Any, first: int, edges: Any, cells: Any, counts: Any) -> None:
    """For each row of `counts`, resample the clusters with replacement, and count their games by cell."""
    stream = np.zeros(2, dtype=np.uint64)
    clusters = len(edges) - 1
    for replicate in range(len(counts)):
        stream[0], stream[1] = derive(key, first + replicate), 0
        for _ in range(clusters):
            cluster = below(stream, clusters)
            for game in range(edges[cluster], edges[cluster + 1]):
                counts[replicate, cells[game]] += 1.0


class _Model:
    """The likelihood of games, counted by pairing and result.

    Attributes:
        counts: shape (pairings, 3): losses, draws and wins of the first seat.
        cells: shape (games,): where each game is counted, as an index into the flattened `counts`.
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

        Steps are damped by the rule that Sun & Tran-Dinh (2019) prove to converge from any point for functions such as
        this one, whose third derivative is bounded by the second.
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
        """Convert derivatives by x and by ln ν, shape (rows, pairings), to derivatives by the parameters."""
        parts = [self._at(of_x, self.first) - self._at(of_x, self.second), of_x.sum(axis=1)[:, None]]
        return np.concatenate([*parts, of_draws.sum(axis=1)[:, None]] if self.has_draws else parts, axis=1)

    def curvature(self, games: Floats, win: Floats, draw: Floats, loss: Floats) -> Floats:
        """The negative second derivatives, including the prior's: shape (rows, parameters, parameters)."""
        mean = (win - loss) / 2
        xx, xd, dd = games * ((win + loss) / 4 - mean**2), -games * draw * mean, games * draw * (1 - draw)
        blocks = ((xx, xx, xd), (xx, xx, xd), (xd, xd, dd))
        return self._matrix(blocks) + self.precision * np.eye(self.parameters)

    def spread(self, results: Results, strengths: Floats) -> Floats:
        """Sum over clusters of the outer product of a cluster's gradient: the middle of the sandwich."""
        win, draw, loss = (chance[0, self.pairing] for chance in self.chances(strengths[None]))
        by_x, by_draws = results.result - 0.5 - (win - loss) / 2, (results.result == 0.5) - draw
        order, edges = _by_cluster(results)
        first, second = results.first[order], results.second[order]
        total = np.zeros((self.parameters, self.parameters))
        _add_outer_products(edges, first, second, by_x[order], by_draws[order], self.entrants, total)
        clusters = len(edges) - 1
        return total * (clusters / max(1, clusters - 1))

    def _matrix(self, blocks: Sequence[Sequence[Floats]]) -> Floats:
        """The sum over pairings of symmetric 3 × 3 blocks, shape (rows, parameters, parameters).

        A block's rows and columns are θ_first − θ_second, δ and ln ν; its entries have the shape (rows, pairings).
        """
        n, rows = self.entrants, len(blocks[0][0])
        matrix = np.zeros((rows, self.parameters, self.parameters))
        offset = np.arange(rows)[:, None] * n * n + self.first * n + self.second
        crossed = _sums(offset, blocks[0][0], rows * n * n).reshape(rows, n, n)
        crossed = crossed + crossed.transpose(0, 2, 1)
        matrix[:, :n, :n] = -crossed
        matrix[:, range(n), range(n)] = crossed.sum(axis=2)
        for a in range(n, self.parameters):
            edge = self._at(blocks[0][a - n + 1], self.first) - self._at(blocks[0][a - n + 1], self.second)
            matrix[:, a, :n] = matrix[:, :n, a] = edge
            for b in range(n, self.parameters):
                matrix[:, a, b] = blocks[a - n + 1][b - n + 1].sum(axis=1)
        return matrix

    def _at(self, values: Floats, entrant: Indices) -> Floats:
        """Sums of values (rows, terms) by entrant, shape (rows, entrants)."""
        rows, n = len(values), self.entrants
        return _sums(np.arange(rows)[:, None] * n + entrant, values, rows * n).reshape(rows, n)


@jit
def _add_outer_products(
    edges: Any, first: Any, second: Any, by_x: Any, by_draws: Any, entrants: int, total: Any
) -> None:
    """Add the outer product of each cluster's gradient to `total`; a cluster's games lie between two edges."""
    gradient = np.zeros(len(total))
    for cluster in range(len(edges) - 1):
        gradient[:] = 0.0
        for game in range(edges[cluster], edges[cluster + 1]):
            gradient[first[game]] += by_x[game]
            gradient[second[game]] -= by_x[game]
            gradient[entrants] += by_x[game]
            gradient[entrants + 1 :] += by_draws[game]  # empty where there are no draws
        touched = np.flatnonzero(gradient)
        for i in touched:
            for j in touched:
                total[i, j] += gradient[i] * gradient[j]


def _by_cluster(results: Results) -> tuple[Indices, Indices]:
    """The games ordered by cluster, and where in this order each cluster begins; then where the last one ends."""
    order = np.argsort(results.clusters, kind="stable")
    return order, np.searchsorted(results.clusters[order], np.arange(results.clusters.max() + 2))


def _numbers(results: Results) -> Indices:
    """`Ratings.pairs`: each pair number counts once for an entrant, however many opponents it had."""
    clusters = int(results.clusters.max()) + 1
    played = np.unique(np.concatenate([results.first, results.second]) * clusters + np.tile(results.clusters, 2))
    return np.bincount(played // clusters, minlength=len(results.entrants))


def _varied(results: Results) -> tuple[NDArray[np.bool_], bool]:
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


def _sums(places: Indices, values: Floats, size: int) -> Floats:
    """The sum of the values at each place, shape (size,)."""
    return np.asarray(np.bincount(places.ravel(), values.ravel(), size), dtype=np.float64)


def _weights(entrants: tuple[str, ...], anchor: str) -> Floats:
    """The zero of the rating scale as weights of the entrants: the anchor, or the mean of all."""
    if anchor in entrants:
        return np.asarray(np.arange(len(entrants)) == entrants.index(anchor), dtype=np.float64)
    return np.full(len(entrants), 1 / len(entrants))


def _relative(covariance: Floats, weights: Floats) -> Floats:
    """The covariance of strengths measured from their weighted mean."""
    with_mean = covariance @ weights
    return np.asarray(covariance - with_mean[:, None] - with_mean[None, :] + weights @ with_mean)


def _variance(clustered: Any, hessian: Any, told: Any) -> Any:
    """The clustered variance where pairs determine it, otherwise the greater of the two."""
    return np.where(told, clustered, np.maximum(clustered, hessian))


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
    """Which entrant reaches which in any number of steps: doubles the length of paths until nothing changes."""
    while True:
        longer = (steps.astype(np.float32) @ steps.astype(np.float32)) > 0
        if (longer == steps).all():
            return steps
        steps = longer


def _numbered(same: NDArray[np.bool_]) -> Indices:
    """The classes of an equivalence, numbered from 0 in the order of their first members."""
    return np.unique(same.argmax(axis=1), return_inverse=True)[1].astype(np.int64)
