"""Bradley & Terry's model with Davidson's draws and a parameter for the seat: its likelihood, and its maximum.

See `ludarium.evaluation.statistics.ratings` for the model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludarium.envs.jit import jit
from ludarium.evaluation.statistics.results import Floats, Indices, Results, by_cluster

_TOLERANCE = 1e-8  # of a Newton step, in units of strength; after it the error is about the square of that
_ITERATIONS = 200  # far more than ever needed


class Model:
    """The likelihood of games, counted by pairing and result.

    Args:
        results: the games.
        prior: the standard deviation of each parameter's prior, in units of strength.

    Attributes:
        counts: shape (pairings, 3): losses, draws and wins of the first seat.
        cells: shape (games,): where each game is counted, as an index into the flattened `counts`.
    """

    def __init__(self, results: Results, prior: float) -> None:
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
        self.precision = 1 / prior**2

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
        order, edges = by_cluster(results)
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


def _sums(places: Indices, values: Floats, size: int) -> Floats:
    """The sum of the values at each place, shape (size,)."""
    return np.asarray(np.bincount(places.ravel(), values.ravel(), size), dtype=np.float64)
