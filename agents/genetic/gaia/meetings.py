"""Games in pairs, as in the original: the results change the weights of players, and those of their rules."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.play import DRAWS, NEVER, Field, desk, goes_on, make_move
from ludarium.agents.genetic.gaia.rules import Rules
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import bits, derive
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_MOVES

_PARTS = 8


class Terms(NamedTuple):
    """How all pairs play; it can be sent to another process.

    Attributes:
        game: the game.
        symmetry: whether rules stand for all their mirror images.
        games: how many games each pair plays; the players begin alternately.
        average: see `reward`.
    """

    game: Game
    symmetry: bool
    games: int
    average: bool


class Pairs(NamedTuple):
    """Some of the pairs of a generation, with their players.

    Attributes:
        numbers: shape (pairs,) int64: a pair's games are a function of its number.
        seats: shape (pairs, 2) int64: the two players of each pair, as indices into the arrays below.
        rules: shape (players, rules) of `RULE`.
        weights: shape (players,).
        results: shape (players, rules): the wins minus losses of each rule's moves.
        counts: decisions, rule moves and draws.
    """

    numbers: Any
    seats: Any
    rules: Any
    weights: Any
    results: Any
    counts: Any


def meet(
    terms: Terms,
    pairs: NDArray[np.int64],
    rules: Rules,
    weights: NDArray[np.float64],
    key: np.uint64,
    parallel: Parallel,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Let pairs of players meet.

    Args:
        terms: see `Terms`.
        pairs: shape (pairs, 2): the players, each in one pair; a single player may meet itself.
        rules: shape (players, rules); their weights are updated in place.
        weights: shape (players,): the weights of the players, updated in place.
        key: the games are a function of it.
        parallel: maps a function over parts.

    Returns:
        The wins minus losses of each rule's moves, shape (players, rules); and decisions, rule moves and draws.
    """
    results, first, parts = np.zeros(rules.shape), 0, []
    shares = np.array_split(pairs, min(_PARTS, len(pairs)))
    groups = [np.unique(share) for share in shares]
    for members, share in zip(groups, shares, strict=True):
        numbers, seats = np.arange(first, first + len(share)), np.searchsorted(members, share)
        counts = np.zeros(3, dtype=np.int64)
        parts.append(Pairs(numbers, seats, rules[members], weights[members], results[members], counts))
        first += len(share)
    played = parallel(partial(_play, terms, key), parts)
    for members, part in zip(groups, played, strict=True):
        rules[members], weights[members], results[members] = part.rules, part.weights, part.results
    return results, np.sum([part.counts for part in played], axis=0)


def _play(terms: Terms, key: np.uint64, pairs: Pairs) -> Pairs:
    """Play the games of some pairs, in any process, and return the updated pairs."""
    play_pairs(Field.of(terms.game, terms.symmetry), pairs, terms.games, terms.average, key)
    return pairs


@jit
def play_pairs(field: Any, pairs: Any, games: int, average: bool, key: Any) -> None:
    """Play the games of some pairs; update their rules, weights, results and counts in place.

    Args:
        field: the game.
        pairs: see `Pairs`.
        games: how many games each pair plays; the players begin alternately.
        average: see `reward`.
        key: the games are a function of it.
    """
    d = desk(field)
    used = np.zeros(field.table[MAX_MOVES], dtype=np.int64)  # the rule behind each move, -1 for none
    movers = np.zeros(field.table[MAX_MOVES], dtype=np.int64)
    for pair in range(len(pairs.numbers)):
        d.stream[0], d.stream[1] = derive(key, pairs.numbers[pair]), 0
        begins = np.int64(bits(d.stream) >> np.uint64(63))
        for number in range(games):
            first = (begins + number) % 2  # which of the two is in seat 0
            d.state[:] = 0
            kernels.setup(field.table, d.state, field.options)
            plies = 0
            while goes_on(field, d.state, plies):
                movers[plies] = kernels.turn(field.table, d.state)
                player = pairs.seats[pair, (first + movers[plies]) % 2]
                used[plies] = make_move(field, pairs.rules[player], NEVER, pairs.counts, d)
                plies += 1
            kernels.payoffs(field.table, d.state, d.payoffs)
            pairs.counts[DRAWS] += d.payoffs[0] == d.payoffs[1]
            for seat in range(2):
                pairs.weights[pairs.seats[pair, (first + seat) % 2]] += np.sign(d.payoffs[seat])
            for ply in range(plies):
                if used[ply] >= 0:
                    player, result = pairs.seats[pair, (first + movers[ply]) % 2], np.sign(d.payoffs[movers[ply]])
                    reward(pairs.rules[player, used[ply]], result, average)
                    pairs.results[player, used[ply]] += result


@jit
def reward(rule: Any, result: float, average: bool) -> None:
    """Add a result to a rule's weight; with `average`, keep the weight the mean of all results."""
    rule.uses += 1
    rule.weight += (result - rule.weight) / rule.uses if average else result
