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
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import below, derive, seed_key
from ludarium.envs.jit import jit
from ludarium.evaluation.statistics.davidson import Model
from ludarium.evaluation.statistics.intervals import student_t
from ludarium.evaluation.statistics.results import (
    Floats,
    Indices,
    Results,
    by_cluster,
    groups,
    pair_numbers,
    varied_pairs,
)

ELO = 400 / math.log(10)
"""Elo in one unit of strength: odds of ten to one are 400 Elo."""
PRIOR = 1000.0
"""Standard deviation of the prior, in Elo."""

_FEWEST = 10  # clusters from which their spread alone is trusted
_SAME = 1e-6  # a smaller share of the variance of independent games, or fewer Elo, is a rounding error
_BATCH = 4_000_000  # numbers in the largest array of a bootstrap


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
        different = (variance > 0) & (np.abs(difference) > _SAME)
        z = np.divide(difference, np.sqrt(2 * variance), out=np.zeros_like(difference), where=different)
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
        comparable = self._told()
        column = None if self.anchor is None else self.entrants.index(self.anchor)
        return np.asarray(comparable.all(axis=1) if column is None else comparable[:, column])


def fit(results: Results, *, anchor: str = "random", prior: float = PRIOR) -> Ratings:
    """Rate the entrants: fit the most probable parameters by Newton's method.

    Args:
        results: the games.
        anchor: name of the entrant whose rating is defined as 0, if there is one.
        prior: standard deviation of the prior in Elo; see the module.

    Raises:
        ValueError: if the prior is not positive.
    """
    model = _model(results, prior)
    strengths = model.newton(model.counts[None])[0]
    n = len(results.entrants)
    chances = model.chances(strengths[None])
    inverse = np.linalg.inv(model.curvature(model.counts[None].sum(axis=2), *chances)[0])
    clustered = inverse @ model.spread(results, strengths) @ inverse
    varied, seat_varied = varied_pairs(results)
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
        *groups(results),
        pair_numbers(results),
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
    model, ratings = _model(results, prior), fit(results, anchor=anchor, prior=prior)
    order, edges = by_cluster(results)
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


def _model(results: Results, prior: float) -> Model:
    if not prior > 0:
        raise ValueError(f"ratings: prior must be a positive number of Elo, not {prior!r}")
    return Model(results, prior / ELO)


def _weights(entrants: tuple[str, ...], anchor: str) -> Floats:
    """The zero of the rating scale as weights of the entrants: the anchor, or the mean of all."""
    if anchor in entrants:
        return np.asarray(np.arange(len(entrants)) == entrants.index(anchor), dtype=np.float64)
    return np.full(len(entrants), 1 / len(entrants))


def _relative(covariance: Floats, weights: Floats) -> Floats:
    """The covariance of strengths measured from their weighted mean."""
    with_mean = covariance @ weights
    return np.asarray(covariance - with_mean[:, None] - with_mean[None, :] + weights @ with_mean)


def _variance(clustered: Any, hessian: Any, determined: Any) -> Any:
    """The clustered variance where pairs determine it, otherwise the greater of the two."""
    return np.where(determined, clustered, np.maximum(clustered, hessian))


def _difference_variance(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    return np.asarray(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))
