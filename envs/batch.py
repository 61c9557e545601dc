"""Compiled batches of games: random games, and whole matches between compiled policies.

Every loop here takes a game's table and works for any game. All chance comes from streams derived from one key per game
(`ludarium.envs.chance`), so results do not depend on how games are batched.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.chance import AGENTS, DEALING, OPENING, bits, derive, draw, seed_key
from ludarium.envs.clock import clock_address, nanoseconds
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_MOVES,
    MAX_OUTCOMES,
    OBSERVATION_SIZE,
    OVER,
    SAMPLE,
    SEATS,
    STATE_SIZE,
    VIEW_SIZE,
)
from ludarium.envs.openings import Openings, random_openings
from ludarium.envs.policy import OBSERVATION_NEEDED, STATE_NEEDED, VIEW_NEEDED, Policy, policy_rows

# How a game ended, one code per game.
FINISHED, TRUNCATED, ADJUDICATED = 0, 1, 2  # the last: an adjudicator played it to its end
ILLEGAL = 16
"""`ILLEGAL + seat`: that seat's policy returned an action that is not legal."""
_TIMED = 16  # one game in so many is timed: to read the clock takes a quarter of the shortest decisions' time


@jit
def random_legal(game: Any, state: Any, mask: Any, stream: Any) -> int:
    """A uniformly random legal action; fills `mask` if the game has no `sample` kernel."""
    random_bits = bits(stream)
    if game[SAMPLE] != 0:
        return kernels.sample(game, state, random_bits)
    return nth_legal(mask, kernels.legal(game, state, mask), random_bits)


@jit
def nth_legal(mask: Any, count: int, random_bits: Any) -> int:
    """One of the `count` actions in `mask`, uniform over the 64 random bits."""
    n = np.int64(((random_bits >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))
    action = 0
    while True:
        n -= mask[action]
        if n < 0:
            return action
        action += 1


@jit
def playout(game: Any, state: Any, mask: Any, probabilities: Any, stream: Any) -> int:
    """Play random legal moves and chance to the end or the maximum length; returns the number of decisions."""
    plies = 0
    while True:
        seat = kernels.turn(game, state)
        if seat == CHANCE:
            kernels.play(game, state, draw(game, state, probabilities, stream))
        elif seat == OVER or plies >= game[MAX_MOVES]:
            return plies
        else:
            kernels.play(game, state, random_legal(game, state, mask, stream))
            plies += 1


@jit
def _random_games(game: Any, options: Any, first: int, count: int, key: Any, results: Any) -> int:
    state = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    stream = np.zeros(2, dtype=np.uint64)
    start = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    kernels.setup(game, start, options)
    total = 0
    for number in range(count):
        stream[0], stream[1] = derive(key, first + number), 0
        state[:] = start
        total += playout(game, state, mask, probabilities, stream)
        kernels.payoffs(game, state, results[number])
    return total


def random_games(game: Game, games: int, seed: int, first: int = 0) -> tuple[NDArray[np.float64], int]:
    """Play games of uniformly random legal moves.

    Args:
        game: the game.
        games: the number of games.
        seed: the seed; game number i is a function of (seed, first + i) alone.
        first: number of the first game.

    Returns:
        The payoffs, shape (games, seats), and the total number of decisions.
    """
    results = np.zeros((games, game.seats))
    decisions = _random_games(game.table, game.option_bytes, first, games, seed_key(seed), results)
    return results, int(decisions)


@jit
def choose(game: Any, state: Any, seat: int, policy: Any, mask: Any, observation: Any, view: Any, stream: Any) -> int:
    """The action that a policy (one row of `policy_rows`) chooses for `seat`, or -1 if illegal; fills `mask`."""
    kernels.legal(game, state, mask)
    if policy[2] & OBSERVATION_NEEDED:
        kernels.observe(game, state, seat, observation)
    shown = kernels.address(state) if policy[2] & STATE_NEEDED else 0
    if policy[2] & VIEW_NEEDED:
        kernels.see(game, state, seat, view)
        shown = kernels.address(view)
    action = kernels.call_policy(policy[0], game, shown, observation, mask, policy[1], stream)
    if 0 <= action < game[ACTIONS] and mask[action]:
        return action
    return -1


@jit
def _play_games(
    game: Any, policies: Any, adjudicator: int, seating: Any, keys: Any, agent_keys: Any, openings: Any, clock: int,
    results: Any,
) -> None:  # fmt: skip
    moves = results.moves
    scratch = np.zeros(2, dtype=np.int64)
    state = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    observation = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    view = np.zeros(game[VIEW_SIZE], dtype=np.uint8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    dealing = np.zeros(2, dtype=np.uint64)
    opening_stream = np.zeros(2, dtype=np.uint64)
    streams = np.zeros((game[SEATS], 2), dtype=np.uint64)
    for number in range(len(keys)):
        chosen = openings.which[number]
        for byte in range(len(state)):  # a slice would compile the text of an error that cannot happen
            state[byte] = openings.starts[chosen, byte]
        dealing[0], dealing[1] = derive(keys[number], DEALING), 0
        opening_stream[0], opening_stream[1] = derive(keys[number], OPENING), 0
        for seat in range(game[SEATS]):
            streams[seat, 0], streams[seat, 1] = derive(agent_keys[number], AGENTS + seat), 0
        plies = 0
        ending = FINISHED
        timed = clock != 0 and number % _TIMED == 0
        while True:
            seat = kernels.turn(game, state)
            if seat == CHANCE:
                kernels.play(game, state, draw(game, state, probabilities, dealing))
                continue
            if seat == OVER:
                break
            if plies >= game[MAX_MOVES]:
                ending = TRUNCATED
                break
            if plies < openings.moves.shape[1] and openings.moves[chosen, plies] >= 0:
                action = openings.moves[chosen, plies]
            elif plies < openings.random:
                kernels.legal(game, state, mask)
                action = random_legal(game, state, mask, opening_stream)
            else:
                player = seating[number, seat] if adjudicator < 0 else adjudicator
                while True:
                    policy = policies[player]
                    started = nanoseconds(clock, scratch) if timed else 0
                    action = choose(game, state, seat, policy, mask, observation, view, streams[seat])
                    if timed:
                        results.spent[number // _TIMED, plies] = nanoseconds(clock, scratch) - started
                        results.deciders[number // _TIMED, plies] = player
                    if action >= 0 or player != adjudicator:
                        break
                    player = seating[number, seat]
                if player == adjudicator:
                    ending = ADJUDICATED
            if action < 0:
                ending = ILLEGAL + seat
                break
            if plies < moves.shape[1]:
                moves[number, plies] = action
            kernels.play(game, state, action)
            plies += 1
        kernels.payoffs(game, state, results.payoffs[number])
        results.lengths[number] = plies
        results.endings[number] = ending


class Games(NamedTuple):
    """Results of `play_games`, one row per game.

    Attributes:
        payoffs: shape (games, seats) float64; for unfinished games, the returns so far.
        lengths: shape (games,) int64, decisions.
        endings: shape (games,) int64: `FINISHED`, `TRUNCATED`, `ADJUDICATED` or `ILLEGAL + seat`.
        moves: shape (games, longest) int16 actions in order, -1 after the end; empty unless recorded.
        spent: shape (some games, longest) int64: nanoseconds that each decision took, with the list of legal actions;
            of one game in sixteen, the first among them, and only if moves are recorded.
        deciders: the same shape int16: whose decision it was, as an index of the policies, whose number stands for the
            adjudicator; -1 where there was none.
    """

    payoffs: NDArray[np.float64]
    lengths: NDArray[np.int64]
    endings: NDArray[np.int64]
    moves: NDArray[np.int16]
    spent: NDArray[np.int64]
    deciders: NDArray[np.int16]


def play_games(
    game: Game,
    policies: list[Policy],
    seating: NDArray[np.int64],
    keys: NDArray[np.uint64],
    agent_keys: NDArray[np.uint64],
    *,
    opening: int | Openings = 0,
    adjudicator: Policy | None = None,
    record: bool = False,
) -> Games:
    """Play whole games between compiled policies.

    Args:
        game: the game.
        policies: the players.
        seating: shape (games, seats): which policy sits where.
        keys: shape (games,): dice, cards and random opening moves of a game are a function of its key. Two games with
            the same key and exchanged seats are a pair.
        agent_keys: shape (games,): the private randomness of the policies.
        opening: number of moves at the start that are random; or how each of the games begins.
        adjudicator: if given, it is asked first after the opening, and where it has no action, -1, the player is asked.
        record: whether to keep the moves, and how long they took.

    Returns:
        Payoffs, lengths, endings, moves and times. A seat whose policy returns an illegal action forfeits: see
        `Games.endings`.
    """
    timed = (math.ceil(len(keys) / _TIMED) if record else 0, game.max_moves)
    games = Games(
        payoffs=np.zeros((len(keys), game.seats)),
        lengths=np.zeros(len(keys), dtype=np.int64),
        endings=np.zeros(len(keys), dtype=np.int64),
        moves=np.full((len(keys), game.max_moves if record else 0), -1, dtype=np.int16),
        spent=np.zeros(timed, dtype=np.int64),
        deciders=np.full(timed, -1, dtype=np.int16),
    )
    rows = policy_rows(game, policies if adjudicator is None else [*policies, adjudicator])
    last = -1 if adjudicator is None else len(policies)
    openings = opening if isinstance(opening, Openings) else random_openings(game, len(keys), opening)
    _play_games(
        game.table, rows, last, np.ascontiguousarray(seating, dtype=np.int64), keys, agent_keys, openings,
        clock_address() if record else 0, games,
    )  # fmt: skip
    return games
