"""What moves are worth in games that are too large to be remembered: estimates by playing on.

After Lagoudakis & Parr, "Reinforcement Learning as Classification" (ICML 2003): in positions of the population's
games, each legal move is followed by a few *playouts*, games of the champion against itself from there to the end, and
is worth their mean. The estimates of the last few thousand positions are kept. The regret of a move is how much less
it is worth than the mean of the legal ones: unlike the best of several estimates, that is right on average.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.judgement import Evidence
from ludarium.agents.genetic.gaia.patterns import RULE, Board, decide, see
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import below, bits, child_key, derive, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE

_EXPLORE = 0.1  # the probability of a random move in playouts: a champion alone may always take the same line
_GAMES, _TRIALS = 1, 5  # streams of a generation
_DECISIONS, _RULE_MOVES, _DRAWS = range(3)


def empty_trials(game: Game, positions: int) -> Arrays:
    """Room for the trials of so many positions.

    Returns:
        `trial_states`, shape (positions, bytes of a state); `trial_worths`, shape (positions, actions), NaN where an
        action is not legal or was not tried; `trial_count`, shape (1,): how many positions were ever tried, the latest
        took the places of the earliest.
    """
    return {
        "trial_states": np.zeros((positions, game.state.itemsize), dtype=np.uint8),
        "trial_worths": np.full((positions, game.actions), np.nan),
        "trial_count": np.zeros(1, dtype=np.int64),
    }


@jit
def advance(
    game: Any, state: Any, players: Any, squares: Any, undo: Any, explore: float, mask: Any, observation: Any,
    seen: Any, stream: Any, counts: Any,
) -> None:  # fmt: skip
    """Play one move: that of the seat's player, or with probability `explore` a random one."""
    seat = kernels.turn(game, state)
    count = kernels.legal(game, state, mask)
    counts[_DECISIONS] += 1
    if uniform(stream) < explore:
        action = nth_legal(mask, count, bits(stream))
    else:
        kernels.observe(game, state, seat, observation)
        see(observation, squares, seen)
        rule, action = decide(players[seat], seen, undo, mask, count, stream)
        counts[_RULE_MOVES] += rule >= 0
    kernels.play(game, state, action)


@jit
def find_positions(
    game: Any, options: Any, squares: Any, undo: Any, population: Any, explore: float, tries: int, budget: int,
    key: Any, states: Any, counts: Any,
) -> Any:  # fmt: skip
    """Play games, and take a random position of each; the number of positions, and of games if each move is tried.

    Args:
        game: the game's table.
        options: its options as bytes.
        squares: see `Board`.
        undo: see `Board`.
        population: the rules, shape (players, rules), the champion first.
        explore: the probability of a random move.
        tries: how many playouts will follow each legal move of the positions.
        budget: how many games there may be in all.
        key: the games are a function of it.
        states: the positions are written here, shape (n, bytes).
        counts: decisions, those by a rule, drawn games: they are added.
    """
    state, mask = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[ACTIONS], dtype=np.int8)
    observation, seen = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros((len(undo), 3), dtype=np.uint64)
    payoffs, stream = np.zeros(game[SEATS]), np.zeros(2, dtype=np.uint64)
    players = population[:2].copy()
    found, games, number = 0, 0, 0
    while games < budget:
        stream[0], stream[1] = derive(key, number), 0
        champion, number = number % 2, number + 1
        players[champion], players[1 - champion] = population[0], population[below(stream, len(population))]
        state[:] = 0
        kernels.setup(game, state, options)
        choices, plies = 0, 0
        while kernels.turn(game, state) != OVER and plies < game[MAX_MOVES]:
            if kernels.legal(game, state, mask) > 1:
                choices += 1
                if below(stream, choices) == 0:
                    states[found] = state
            advance(game, state, players, squares, undo, explore, mask, observation, seen, stream, counts)
            plies += 1
        cost = 1 + (tries * kernels.legal(game, states[found], mask) if choices else 0)
        if games + cost > budget:
            games += 1
            break
        kernels.payoffs(game, state, payoffs)
        counts[_DRAWS] += payoffs[0] == payoffs[1]
        games += cost
        found += choices > 0
    return found, games


@jit
def try_moves(
    game: Any, squares: Any, undo: Any, scale: float, champion: Any, tries: int, state: Any, key: Any, worths: Any,
    counts: Any,
) -> None:  # fmt: skip
    """Estimate what each legal move of one position is worth to the seat to move.

    Args:
        game: the game's table.
        squares: see `Board`.
        undo: see `Board`.
        scale: what brings payoffs into -1 to 1.
        champion: the rules of both players, shape (rules,).
        tries: playouts a move.
        state: the position.
        key: the playouts are a function of it.
        worths: shape (actions,): the means are written here, NaN where an action is not legal.
        counts: decisions and those by a rule are added.
    """
    child, mask = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[ACTIONS], dtype=np.int8)
    observation, seen = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros((len(undo), 3), dtype=np.uint64)
    payoffs, stream, legal = np.zeros(game[SEATS]), np.zeros(2, dtype=np.uint64), np.zeros(game[ACTIONS], dtype=np.int8)
    players = np.empty((2, len(champion)), dtype=champion.dtype)
    players[0], players[1] = champion, champion
    seat = kernels.turn(game, state)
    kernels.legal(game, state, legal)
    for action in range(len(legal)):
        total = 0.0
        for number in range(tries if legal[action] else 0):
            # The same randomness for each action: what they have in common cancels.
            stream[0], stream[1] = derive(key, number), 0
            child[:] = state
            kernels.play(game, child, action)
            plies = 0
            while kernels.turn(game, child) != OVER and plies < game[MAX_MOVES]:
                advance(game, child, players, squares, undo, _EXPLORE, mask, observation, seen, stream, counts)
                plies += 1
            kernels.payoffs(game, child, payoffs)
            total += scale * payoffs[seat]
        worths[action] = total / tries if legal[action] else np.nan


def try_positions(
    game: Game, board: Board, population: NDArray[Any], explore: float, tries: int, budget: int, key: np.uint64,
    counts: NDArray[np.int64], parallel: Parallel,
) -> tuple[NDArray[np.uint8], NDArray[np.float64], int]:  # fmt: skip
    """Find positions in games of the population, and estimate what their moves are worth.

    Args:
        game: the game.
        board: its board.
        population: the rules, shape (players, rules), the champion first.
        explore: the probability of a random move in the population's games.
        tries: playouts a move.
        budget: how many games there may be, the playouts among them.
        key: all is a function of it.
        counts: decisions, those by a rule, drawn games of the population: they are added.
        parallel: what maps over positions.

    Returns:
        The positions, shape (n, bytes of a state); the worths, shape (n, actions), NaN where an action is not legal;
        and how many games were played.
    """
    states = np.zeros((budget, game.state.itemsize), dtype=np.uint8)
    found, games = find_positions(
        game.table, game.option_bytes, board.squares, board.undo, population, explore, tries, budget,
        child_key(key, _GAMES), states, counts,
    )  # fmt: skip
    champion, worths = quick(population[0]), np.empty((found, game.actions))
    each = np.zeros((found, 3), dtype=np.int64)

    def try_position(position: int) -> None:
        try_moves(
            game.table, board.squares, board.undo, 1.0 / game.largest_payoff, champion, tries, states[position],
            child_key(key, _TRIALS, position), worths[position], each[position],
        )  # fmt: skip

    parallel(try_position, range(found))
    counts += each.sum(axis=0)
    return states[:found], worths, games


def keep(arrays: Arrays, states: NDArray[np.uint8], worths: NDArray[np.float64]) -> None:
    """Put positions and worths in the places of the earliest."""
    states, worths = states[-len(arrays["trial_states"]) :], worths[-len(arrays["trial_states"]) :]
    places = (arrays["trial_count"][0] + np.arange(len(states))) % len(arrays["trial_states"])
    arrays["trial_states"][places], arrays["trial_worths"][places] = states, worths
    arrays["trial_count"] += len(states)


def tried(game: Game, board: Board, arrays: Arrays, doubt: float, rule_cost: float) -> Evidence:
    """The positions that were tried, as rules see them, with regrets against the mean of the legal moves."""
    count = min(int(arrays["trial_count"][0]), len(arrays["trial_states"]))
    worths = arrays["trial_worths"][:count]
    senses = np.zeros((count, len(board.undo), 3), dtype=np.uint64)
    _see_all(game.table, board.squares, arrays["trial_states"], senses)
    return Evidence(senses, np.nanmean(worths, axis=1, keepdims=True) - worths, count, doubt, rule_cost)


@jit
def _see_all(game: Any, squares: Any, states: Any, senses: Any) -> None:
    observation = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    for number in range(len(senses)):
        kernels.observe(game, states[number], kernels.turn(game, states[number]), observation)
        see(observation, squares, senses[number])


def quick(rules: NDArray[Any]) -> NDArray[Any]:
    """The same player with its rules in the order in which they fire: then most are passed over quickly."""
    rules = rules[rules["action"] >= 0]
    rules = rules[np.lexsort((-rules["weight"], -rules["priority"]))]
    return rules if len(rules) else np.array([(0, 0, 0, 0.0, 0, -1, 0)], dtype=RULE)
