"""A generation as in the original: players meet in pairs, and the results change their weights and their rules'."""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.breeding import breed
from ludarium.agents.genetic.gaia.games import (
    BREEDING,
    DRAWS,
    NEVER,
    PLAYERS,
    PLAYING,
    desk,
    field,
    goes_on,
    make_move,
    metrics,
)
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import bits, child_key, derive
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_MOVES

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia

_PARTS = 8


class Pairs(NamedTuple):
    """Some of the pairs of a generation, with their players.

    Attributes:
        numbers: shape (pairs,) int64: a pair's games are a function of its number.
        seats: shape (pairs, 2) int64: the two players of each pair, as indices into the arrays below.
        rules: shape (players, rules) of `RULE`.
        weights: shape (players,).
        results: shape (players, rules): the wins minus losses of each rule's moves.
        counts: see `games.DECISIONS`.
    """

    numbers: Any
    seats: Any
    rules: Any
    weights: Any
    results: Any
    counts: Any


def meet_and_breed(
    gaia: "Gaia", game: Game, arrays: Arrays, number: int, key: np.uint64, parallel: Parallel
) -> dict[str, float]:
    """Let all players meet, sort them by weight and breed; return the metrics."""
    if not gaia.accumulate:
        arrays["weights"] = np.zeros(gaia.population)
    counts = _meet(gaia, game, arrays, key, parallel)
    weights = arrays["weights"]
    if gaia.crowding < 1.0:
        weights = operators.shared_weights(arrays["rules"], weights, gaia.crowding)
    line = metrics(gaia.pairs_games, counts, weights, arrays["rules"])
    order = gaia.ranking(np.argsort(-weights, kind="stable"), number)
    arrays["rules"], arrays["weights"] = arrays["rules"][order], arrays["weights"][order]
    breed(gaia, game, arrays, number, np.array([child_key(key, BREEDING), 0], dtype=np.uint64))
    return line


def _meet(gaia: "Gaia", game: Game, arrays: Arrays, key: np.uint64, parallel: Parallel) -> NDArray[np.int64]:
    """Play the games of all pairs, update rules and weights in place, and return the counts."""
    players = np.argsort(-arrays["weights"], kind="stable")
    if gaia.players == "random":
        operators.shuffle(players, np.array([child_key(key, PLAYERS), 0], dtype=np.uint64))
    pairs, results = np.resize(players, (gaia.pairs, 2)), np.zeros(arrays["rules"].shape)  # one player meets itself
    groups = [np.unique(part) for part in np.array_split(pairs, min(_PARTS, len(pairs)))]
    parts, first = [], 0
    for members, part in zip(groups, np.array_split(pairs, len(groups)), strict=True):
        parts.append(
            Pairs(
                np.arange(first, first + len(part)), np.searchsorted(members, part), arrays["rules"][members],
                arrays["weights"][members], results[members], np.zeros(3, dtype=np.int64),
            )
        )  # fmt: skip
        first += len(part)
    play = partial(_play, game, gaia.symmetry, gaia.games_per_pair, gaia.average, child_key(key, PLAYING))
    played = parallel(play, parts)
    for members, pair in zip(groups, played, strict=True):
        arrays["rules"][members], arrays["weights"][members], results[members] = pair[2:5]
    if gaia.communicate:
        operators.communicate(arrays["rules"], results)
    return np.sum([part.counts for part in played], axis=0)


def _play(game: Game, symmetry: bool, games: int, average: bool, key: np.uint64, pairs: Pairs) -> Pairs:
    """Play the games of some pairs, in any process, and return the updated pairs."""
    play_pairs(field(game, symmetry), pairs, games, average, key)
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
