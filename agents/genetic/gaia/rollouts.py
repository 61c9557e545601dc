"""A generation judged by trials, for games too large to remember: moves are valued by playing on from them.

After Lagoudakis & Parr, "Reinforcement Learning as Classification" (ICML 2003): in positions from the population's
games, each legal move is followed by a few *playouts*, in which the champion plays itself to the end of the game; their
mean result is the value of the move. At first playouts are random; the champion's own moves replace random ones as
trials replace what is remembered. The estimates of the latest few thousand positions are kept. The regret of a move is
how much less it is worth than the mean of the legal moves: the mean of estimates is unbiased, their maximum is not.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board
from ludarium.agents.genetic.gaia.experience import RULE_COST, experience_of, remembered
from ludarium.agents.genetic.gaia.games import (
    DRAWS,
    GAMES,
    TRIALS,
    copy,
    desk,
    field,
    goes_on,
    look,
    make_move,
    metrics,
)
from ludarium.agents.genetic.gaia.judgement import Cases, cases
from ludarium.agents.genetic.gaia.offspring import breed_and_judge
from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import below, child_key, derive
from ludarium.envs.game import Game
from ludarium.envs.jit import jit

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia

_TAKES = 8
"""Each tried position replaces this many remembered ones."""
_WANDER = 0.25  # the probability of a random move in games from which positions are taken
_EXPLORE = 0.1  # the least probability of a random move in playouts: without any, they might all take the same line


def no_trials(game: Game, positions: int) -> Arrays:
    """Empty arrays for the trials of this many positions.

    Returns:
        `trial_states`, shape (positions, bytes of a state); `trial_worths`, shape (positions, actions): the value of
        each action, NaN where it is not legal or was not tried; `trial_count`, shape (1,): how many positions have been
        tried so far. When all rows are filled, the latest positions replace the earliest.
    """
    return {
        "trial_states": np.zeros((positions, game.state.itemsize), dtype=np.uint8),
        "trial_worths": np.full((positions, game.actions), np.nan),
        "trial_count": np.zeros(1, dtype=np.int64),
    }


def try_and_breed(gaia: "Gaia", game: Game, arrays: Arrays, key: np.uint64, parallel: Parallel) -> dict[str, float]:
    """Try moves in positions from games, breed, and judge all players by the results; return the metrics."""
    counts, budget = np.zeros(3, dtype=np.int64), gaia.largest_generation(game)
    states = np.zeros((budget, game.state.itemsize), dtype=np.uint8)
    found, games = find_positions(
        field(game, gaia.symmetry), arrays["rules"], _WANDER, gaia.tries, budget, child_key(key, GAMES), states, counts
    )  # fmt: skip
    # The memory of so large a game is misleading: playouts should follow only rules that come from trials.
    explore = max(_EXPLORE, share_remembered(arrays))
    worths = try_positions(gaia, game, arrays["rules"][0], states[:found], explore, key, counts, parallel)
    keep(arrays, states[:found], worths)
    known = evidence(gaia, game, arrays)
    bred = breed_and_judge(gaia, game, arrays, 1, key, known, parallel)
    return metrics(games, counts, arrays["weights"], arrays["rules"], positions=len(known.senses), **bred)


@jit
def find_positions(
    field: Any, population: Any, explore: float, tries: int, budget: int, key: Any, states: Any, counts: Any
) -> Any:
    """Play games of the champion against random members, and pick a random position with a choice from each.

    Args:
        field: the game.
        population: the rules, shape (players, rules), the champion first.
        explore: the probability of a random move.
        tries: how many playouts will follow each legal move in the positions.
        budget: the maximum number of games, those playouts included.
        key: the games are a function of it.
        states: the positions are written here, shape (n, bytes).
        counts: decisions, rule moves and draws are added to it.

    Returns:
        The number of positions, and the number of games, the coming playouts included.
    """
    d, found, games, number = desk(field), 0, 0, 0
    while games < budget:
        d.stream[0], d.stream[1] = derive(key, number), 0
        champion, number = number % 2, number + 1
        other = below(d.stream, len(population))
        d.state[:] = 0
        kernels.setup(field.table, d.state, field.options)
        choices, plies = 0, 0
        while goes_on(field, d.state, plies):
            if kernels.legal(field.table, d.state, d.mask) > 1:
                choices += 1
                if below(d.stream, choices) == 0:
                    copy(d.state, states[found])
            player = 0 if kernels.turn(field.table, d.state) == champion else other
            make_move(field, population[player], explore, counts, d)
            plies += 1
        cost = 1 + (tries * kernels.legal(field.table, states[found], d.mask) if choices else 0)
        if games + cost > budget:
            games += 1
            break
        kernels.payoffs(field.table, d.state, d.payoffs)
        counts[DRAWS] += d.payoffs[0] == d.payoffs[1]
        games += cost
        found += choices > 0
    return found, games


class Positions(NamedTuple):
    """Positions to try.

    Attributes:
        numbers: shape (n,) int64: a position's playouts are a function of its number.
        states: shape (n, bytes of a state).
        worths: shape (n, actions): the value of each action is written here, NaN where it is not legal.
        counts: decisions and rule moves are added to it.
    """

    numbers: Any
    states: Any
    worths: Any
    counts: Any


def try_positions(
    gaia: "Gaia", game: Game, champion: NDArray[Any], states: NDArray[np.uint8], explore: float, key: np.uint64,
    counts: NDArray[np.int64], parallel: Parallel,
) -> NDArray[np.float64]:  # fmt: skip
    """Estimate the values of all legal moves in some positions.

    Args:
        gaia: the options.
        game: the game.
        champion: the rules of both players, shape (rules,).
        states: the positions, shape (n, bytes of a state).
        explore: the probability of a random move in playouts.
        key: the playouts are a function of it.
        counts: decisions and rule moves are added to it.
        parallel: shares the positions out among workers.

    Returns:
        The values to the seat to move, shape (n, actions), NaN where an action is not legal.
    """
    worths, numbers = np.empty((len(states), game.actions)), np.arange(len(states))
    groups = [numbers[first :: parallel.size] for first in range(parallel.size)]
    parts = [Positions(group, states[group], worths[group], np.zeros(3, dtype=np.int64)) for group in groups]
    attempt = partial(_try, game, gaia.symmetry, quick(champion), gaia.tries, explore, child_key(key, TRIALS))
    for part in parallel(attempt, parts):
        worths[part.numbers] = part.worths
        counts += part.counts
    return worths


def _try(
    game: Game, symmetry: bool, champion: NDArray[Any], tries: int, explore: float, key: np.uint64,
    positions: Positions,
) -> Positions:  # fmt: skip
    """Try the moves in some positions, in any process, and return the updated positions."""
    try_moves(field(game, symmetry), champion, tries, explore, key, positions)
    return positions


@jit
def try_moves(field: Any, champion: Any, tries: int, explore: float, key: Any, positions: Any) -> None:
    """Estimate the value of each legal move in some positions to the seat to move.

    Args:
        field: the game.
        champion: the rules of both players, shape (rules,).
        tries: the number of playouts for each move.
        explore: the probability of a random move in them.
        key: the playouts are a function of it.
        positions: see `Positions`; its values and counts are updated in place.
    """
    d = desk(field)
    for position in range(len(positions.numbers)):
        state, worths = positions.states[position], positions.worths[position]
        seat, own = kernels.turn(field.table, state), derive(key, positions.numbers[position])
        kernels.legal(field.table, state, d.mask)
        for action in range(len(worths)):
            worths[action] = 0.0 if d.mask[action] else np.nan
        for action in range(len(worths)):
            if np.isnan(worths[action]):
                continue
            for number in range(tries):
                # All actions share the same random numbers, so that what they have in common cancels out.
                d.stream[0], d.stream[1] = derive(own, number), 0
                copy(state, d.state)
                kernels.play(field.table, d.state, action)
                plies = 0
                while goes_on(field, d.state, plies):
                    make_move(field, champion, explore, positions.counts, d)
                    plies += 1
                kernels.payoffs(field.table, d.state, d.payoffs)
                worths[action] += field.scale * d.payoffs[seat]
            worths[action] /= tries


def keep(arrays: Arrays, states: NDArray[np.uint8], worths: NDArray[np.float64]) -> None:
    """Store positions and the values of their moves in place of the earliest ones."""
    states, worths = states[-len(arrays["trial_states"]) :], worths[-len(arrays["trial_states"]) :]
    places = (arrays["trial_count"][0] + np.arange(len(states))) % len(arrays["trial_states"])
    arrays["trial_states"][places], arrays["trial_worths"][places] = states, worths
    arrays["trial_count"] += len(states)


def evidence(gaia: "Gaia", game: Game, arrays: Arrays) -> Cases:
    """The cases to judge players by: the tried positions, and while these are few, remembered ones too.

    Each tried position replaces some remembered ones, beginning with those that no champion has met. The cost of a rule
    rises accordingly, from that of known values to that of estimates. Where no rule matches, the move is random, and
    its regret relative to the mean is 0.
    """
    senses, regrets = tried(game, gaia.symmetry, arrays)
    left = share_remembered(arrays)
    if left:
        old = remembered(game, gaia.symmetry, experience_of(arrays))
        rows = np.arange(round(left * len(old.regrets)))
        against_mean = old.regrets[rows] - np.nanmean(old.regrets[rows], axis=1, keepdims=True)
        senses, regrets = np.concatenate([senses, old.senses[rows]]), np.concatenate([regrets, against_mean])
    cost = left * RULE_COST + (1.0 - left) * gaia.rule_cost
    return cases(senses, regrets, np.zeros(len(regrets)), cost)


def share_remembered(arrays: Arrays) -> float:
    """The share of the remembered positions that still count, from 1 down to 0."""
    return max(0.0, 1.0 - _TAKES * int(arrays["trial_count"][0]) / np.count_nonzero(arrays["memory_keys"]))


def tried(game: Game, symmetry: bool, arrays: Arrays) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """The tried positions as rules see them, and the regrets of their moves relative to the mean of the legal ones."""
    count = min(int(arrays["trial_count"][0]), len(arrays["trial_states"]))
    worths = arrays["trial_worths"][:count]
    senses = np.zeros((count, len(board(game, symmetry).undo), 3), dtype=np.uint64)
    see_all(field(game, symmetry), arrays["trial_states"], senses)
    return senses, np.nanmean(worths, axis=1, keepdims=True) - worths


@jit
def see_all(field: Any, states: Any, senses: Any) -> None:
    """Write the first positions as rules see them to `senses`, shape (n, images, 3) uint64."""
    d = desk(field)
    for number in range(len(senses)):
        look(field, states[number], d)
        for image in range(len(d.seen)):
            for sense in range(3):
                senses[number, image, sense] = d.seen[image, sense]


def quick(rules: NDArray[Any]) -> NDArray[Any]:
    """The same player with its rules in firing order, without empty places: most rules are then skipped quickly."""
    rules = rules[rules["action"] >= 0]
    rules = rules[np.lexsort((-rules["weight"], -rules["priority"]))]
    return rules if len(rules) else np.array([(0, 0, 0, 0.0, 0, -1, 0)], dtype=RULE)
