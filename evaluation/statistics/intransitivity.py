"""Where a ranking does not tell the whole story: cycles; Nash average and α-rank, defined despite them.

All take a matrix of mean scores, row against column, such as `ludarium.evaluation.statistics.ratings.Results.scores`:
1 for a win, ½ for a draw, 0 for a loss; the scores of two entrants against each other add to 1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
POPULATION = 50
"""Size of α-rank's population, as in most of the paper."""
_CLOSE = 1e-13  # below this, a quantity that converges to 0 counts as 0
_BARRIERS = 10.0 ** -np.arange(13)
_STEPS = 100  # of Newton's method, each time it is used; far more than needed
_SHORTEST = 1e-9  # shortest step tried, as a fraction of Newton's


def three_cycles(scores: ArrayLike) -> float:
    """The share of all triples of entrants in which each beats one of the others and loses to one.

    An entrant beats another by scoring more than ½. If all results were coin tosses, a quarter of the triples would be
    such cycles (Kendall & Babington Smith 1940).

    Args:
        scores: shape (entrants, entrants); NaN where two did not meet, so neither beats the other.

    Raises:
        ValueError: if it is not a matrix of mean scores.
    """
    matrix = _checked(scores)
    n = len(matrix)
    if n < 3:
        return 0.0
    beats = (matrix > 0.5).astype(np.float64)
    return float(np.trace(beats @ beats @ beats) / 3 / (n * (n - 1) * (n - 2) / 6))


def nash_average(scores: ArrayLike) -> tuple[Floats, Floats]:
    """Nash averaging (Balduzzi et al. 2018, "Re-evaluating evaluation"), on mean scores.

    Two players each choose an entrant and want the higher score. The weights of the entrants are the maximum-entropy
    equilibrium of this game. An entrant's measure is its mean score against that mixture minus ½: 0 for those that
    some equilibrium uses, negative for all others. Copies of an entrant share its weight and change nothing else.

    Args:
        scores: shape (entrants, entrants), without gaps.

    Returns:
        The mixture and the measures, each of shape (entrants,).

    Raises:
        ValueError: if it is not a matrix of mean scores, or two entrants did not meet.
    """
    payoff = _payoff("nash average", scores)
    mixture, used = _interior_equilibrium(payoff)
    mixture = _most_entropy(payoff, mixture, used)
    return mixture, payoff @ mixture


def alpha_rank(scores: ArrayLike, *, population: int = POPULATION, intensity: float = math.inf) -> Floats:
    """α-rank (Omidshafiei et al. 2019, "α-Rank: Multi-Agent Evaluation by Evolution"), on mean scores.

    A population plays one entrant; now and then a mutant tries another, at random, which either takes over the
    population or dies out. α-rank is the share of the time for which the population plays each entrant. With the
    selection intensity α, a population of m and u = α (mutant's score − resident's score, against each other), a mutant
    takes over with probability (1 − e^(−u)) / (1 − e^(−mu)), which is 1/m for u = 0.

    The paper ranks by large α, where the shares no longer change. The default is the limit: whoever scores more than ½
    takes over for certain. So whoever beats all others has a share of 1; otherwise the shares are those of the smallest
    group in which each beats everyone outside it.

    Args:
        scores: shape (entrants, entrants), without gaps.
        population: m, at least 2.
        intensity: α, positive.

    Returns:
        The shares, shape (entrants,); their sum is 1.

    Raises:
        ValueError: if it is not a matrix of mean scores, two entrants did not meet, or a parameter is out of range.
    """
    if population < 2 or not intensity > 0:
        raise ValueError(
            "alpha rank: population must be at least 2 and intensity positive, "
            f"not population={population!r}, intensity={intensity!r}"
        )
    payoff = _payoff("alpha rank", scores).T  # of the column, a mutant, against the row, the resident
    ahead = np.full(payoff.shape, np.inf)
    if math.isfinite(intensity):
        ahead = 2 * intensity * np.abs(payoff)
    with np.errstate(invalid="ignore"):  # 0 / 0, and ∞ · 0, of equals
        better = np.expm1(-ahead) / np.expm1(-population * ahead)
        rates = np.where(payoff > 0, better, better * np.exp((1 - population) * ahead))
    rates[payoff == 0] = 1 / population
    np.fill_diagonal(rates, 0.0)
    # Every two entrants have a way in at least one direction, so there is one stationary distribution: flow in = out.
    balance = np.vstack([rates.T - np.diag(rates.sum(axis=1)), np.ones(len(rates))])
    shares = np.linalg.lstsq(balance, np.eye(len(rates) + 1)[-1], rcond=None)[0]
    shares = np.where(shares > _CLOSE, shares, 0.0)
    return np.asarray(shares / shares.sum())


def _payoff(what: str, scores: ArrayLike) -> Floats:
    """Mean scores minus ½, exactly antisymmetric."""
    matrix = _checked(scores)
    np.fill_diagonal(matrix, 0.5)
    if np.isnan(matrix).any():
        row, column = np.argwhere(np.isnan(matrix))[0].tolist()
        raise ValueError(f"{what}: every two entrants must have met; entrants {row} and {column} did not")
    return np.asarray((matrix - matrix.T) / 2)


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
    """An equilibrium in the relative interior of the set of equilibria, and the entrants that any equilibrium uses.

    The conditions p ≥ 0, slack = −payoff · p ≥ 0 are a self-dual linear program because the payoff is antisymmetric.
    One additional variable makes p = slack = 1 feasible; from there the central path leads into the interior of the set
    of solutions, where exactly one of p and slack is 0 for each entrant (Goldman & Tucker 1956).
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
        # slack + d_slack = matrix (p + dp) + offset, and p · slack falls to a tenth
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
    """The maximum-entropy equilibrium, starting from one in the interior.

    Equilibria are the mixtures of the `used` entrants against which all of these score the same and no other scores
    more. Newton's method searches this set, with a barrier for the other entrants.
    """
    even = np.vstack([payoff[np.ix_(used, used)], np.ones(int(used.sum()))])
    _, sizes, directions = np.linalg.svd(even)
    free = directions[int((sizes > 1e-9 * sizes[0]).sum()) :].T  # a basis of the directions within this set
    others = -payoff[np.ix_(~used, used)]  # times p: slack of the others
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
