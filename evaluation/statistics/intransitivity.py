"""Where a ranking does not tell the whole story: cycles, and the Nash average, which does not mind them.

Both take a matrix of mean scores, row against column, such as `ludarium.evaluation.statistics.ratings.Results.scores`:
1 for a win, ½ for a draw, 0 for a loss; scores of the same two entrants add to 1.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_CLOSE = 1e-13  # how close to 0 what falls to 0 must come
_BARRIERS = 10.0 ** -np.arange(13)
_STEPS = 100  # of Newton's method, in each of its uses; far more than needed
_SHORTEST = 1e-9  # step, as a part of Newton's, that is still tried


def three_cycles(scores: ArrayLike) -> float:
    """The share of all triples of entrants in which each beats one of the others and loses to one.

    To beat is to score more than ½. If all results were tosses of a coin, a quarter of the triples would be such cycles
    (Kendall & Babington Smith 1940).

    Args:
        scores: shape (entrants, entrants); NaN where two did not meet, which is no beat.

    Raises:
        ValueError: if it is no matrix of mean scores.
    """
    matrix = _checked(scores)
    n = len(matrix)
    if n < 3:
        return 0.0
    beats = (matrix > 0.5).astype(np.float64)
    return float(np.trace(beats @ beats @ beats) / 3 / (n * (n - 1) * (n - 2) / 6))


def nash_average(scores: ArrayLike) -> tuple[Floats, Floats]:
    """Nash averaging (Balduzzi et al. 2018, "Re-evaluating evaluation"), on mean scores.

    Two players each choose an entrant and want the higher score. Among the best mixtures for this game the one with
    most entropy weighs the entrants; an entrant's measure is its mean score against that mixture less ½: 0 for those
    that the mixture may use, negative for all others. Copies of an entrant share its weight and change nothing.

    Args:
        scores: shape (entrants, entrants), without gaps.

    Returns:
        The mixture and the measures, each of shape (entrants,).

    Raises:
        ValueError: if it is no matrix of mean scores, or two entrants did not meet.
    """
    matrix = _checked(scores)
    np.fill_diagonal(matrix, 0.5)
    if np.isnan(matrix).any():
        row, column = np.argwhere(np.isnan(matrix))[0].tolist()
        raise ValueError(f"nash average: every two entrants must have met; entrants {row} and {column} did not")
    payoff = (matrix - matrix.T) / 2  # antisymmetric to the last bit
    mixture, used = _interior_equilibrium(payoff)
    mixture = _most_entropy(payoff, mixture, used)
    return mixture, payoff @ mixture


def _checked(scores: ArrayLike) -> Floats:
    matrix = np.array(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise ValueError(f"scores must be a square matrix, row against column, not of shape {matrix.shape}")
    for row, column in np.argwhere(np.abs(matrix + matrix.T - 1) > 1e-9).tolist():
        if row != column:
            raise ValueError(
                f"scores of two entrants must add to 1; {row} against {column} has {matrix[row, column].item()!r}, "
                f"{column} against {row} has {matrix[column, row].item()!r}"
            )
    return matrix


def _interior_equilibrium(payoff: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """An equilibrium in the relative interior of all, and which entrants it uses: those that any equilibrium uses.

    The conditions p ≥ 0, slack = −payoff · p ≥ 0 are a self-dual linear program because the payoff is antisymmetric.
    One more variable makes p = slack = 1 a solution for it; from there its central path leads to the middle of the
    solutions, where exactly one of p and slack is 0 for each entrant (Goldman & Tucker 1956).
    """
    n = len(payoff)
    border = 1 + payoff.sum(axis=1)
    matrix = np.zeros((n + 1, n + 1))
    matrix[:n, :n], matrix[:n, n], matrix[n, :n] = -payoff, border, -border
    offset = np.zeros(n + 1)
    offset[n] = n + 1
    p, slack = np.ones(n + 1), np.ones(n + 1)
    for _ in range(_STEPS):
        gap = float(p @ slack) / (n + 1)
        if gap < _CLOSE:
            break
        # slack + d_slack = matrix (p + dp) + offset, and p · slack shall be a tenth of what it is
        target = 0.1 * gap - p * slack - p * (matrix @ p + offset - slack)
        dp = np.linalg.solve(np.diag(slack) + p[:, None] * matrix, target)
        d_slack = matrix @ (p + dp) + offset - slack
        both, step = np.concatenate([p, slack]), np.concatenate([dp, d_slack])
        length = min(1.0, 0.9 * float(np.min(-both[step < 0] / step[step < 0], initial=np.inf)))
        p, slack = p + length * dp, slack + length * d_slack
    used = p[:n] > slack[:n]
    mixture = np.where(used, p[:n], 0.0)
    return mixture / mixture.sum(), used


def _most_entropy(payoff: Floats, mixture: Floats, used: NDArray[np.bool_]) -> Floats:
    """The equilibrium with most entropy, from one in the interior.

    Equilibria are the mixtures of the `used` entrants among which these are all even and no other gains; what is left
    free is found by Newton's method with a barrier for the others.
    """
    even = np.vstack([payoff[np.ix_(used, used)], np.ones(int(used.sum()))])
    _, sizes, directions = np.linalg.svd(even)
    free = directions[int((sizes > 1e-9 * sizes[0]).sum()) :].T  # a basis of the mixtures that stay even
    others = -payoff[np.ix_(~used, used)]  # slack of the others
    p = mixture[used]

    def loss(q: Floats, barrier: float) -> float:
        if (q <= 0).any() or (others @ q <= 0).any():
            return float("inf")
        return float((q * np.log(q)).sum() - barrier * np.log(others @ q).sum())

    for barrier in _BARRIERS:
        for _ in range(_STEPS):
            relative = (others @ free) / (others @ p)[:, None]
            gradient = free.T @ np.log(p) + free.sum(axis=0) - barrier * relative.sum(axis=0)
            curvature = free.T @ (free / p[:, None]) + barrier * relative.T @ relative
            step = -np.linalg.solve(curvature, gradient)
            decrease, length = -float(gradient @ step), 1.0
            while (
                length > _SHORTEST
                and loss(p + length * free @ step, barrier) > loss(p, barrier) - length * decrease / 4
            ):
                length /= 2
            if decrease < _CLOSE or length <= _SHORTEST:
                break
            p = p + length * free @ step
    result = np.zeros(len(payoff))
    result[used] = p / p.sum()
    return result
