"""The games in which a player is watched, and what a move does in a position.

Every other game is played in each seat against the random agent, which leads into positions of all kinds.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.baselines.random import random
from ludarium.envs import kernels
from ludarium.envs.batch import draw, play_games
from ludarium.envs.chance import AGENTS, DEALING, derive, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, SEATS, STATE_SIZE
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position
from ludarium.evaluation.measures.tactics import BLOCKED, has_won, threat_answer

_NOTHING, _WINS, _BLOCKS = 0, 1, 2
VERBS = ("", "wins", "blocks")
"""What a move does, by the numbers of `effects`."""


class Decisions(NamedTuple):
    """What a player decided in its games.

    Attributes:
        states: shape (decisions, words) uint64: the positions' records, padded with zeros.
        actions: shape (decisions,) int64.
        games: shape (decisions,) int64: in which game.
        streams: shape (games,) uint64: the key of the player's random stream in each game.
    """

    states: NDArray[np.uint64]
    actions: NDArray[np.int64]
    games: NDArray[np.int64]
    streams: NDArray[np.uint64]


def decisions_against_random(game: Game, policy: Policy, games: int, seed: int) -> Decisions:
    """Let a player play against the random agent, in each seat in turns.

    Args:
        game: a game of two seats.
        policy: the player.
        games: how many games.
        seed: the games are a function of it.
    """
    numbers = np.arange(games)
    keys = np.array([seed_key(seed, number // 2) for number in range(games)], dtype=np.uint64)
    seats = numbers % 2
    played = play_games(game, [policy, random(game)], np.stack([seats, 1 - seats], axis=1), keys, keys, record=True)
    most, words = int(played.lengths.sum()), -(-game.state.itemsize // 8)
    states = np.zeros((most, words), dtype=np.uint64)
    actions, where = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    streams = np.zeros(games, dtype=np.uint64)
    count = _list(game.table, game.option_bytes, played.moves, keys, states, actions, where, streams)
    return Decisions(states[:count].copy(), actions[:count], where[:count], streams)


@jit
def _list(
    game: Any, options: Any, moves: Any, keys: Any, states: Any, actions: Any, games: Any, streams: Any
) -> int:  # fmt: skip
    """Play recorded games again, and fill in the decisions of the player; how many."""
    state, count = np.zeros(states.shape[1], dtype=np.uint64), 0
    probabilities, dealing = np.zeros(game[MAX_OUTCOMES] + 1), np.zeros(2, dtype=np.uint64)
    for number in range(len(moves)):
        player, ply = number % 2, 0
        streams[number] = derive(keys[number], AGENTS + player)
        dealing[0], dealing[1] = derive(keys[number], DEALING), 0
        state[:] = 0
        kernels.setup(game, state, options)
        while ply < moves.shape[1] and moves[number, ply] >= 0:
            seat = kernels.turn(game, state)
            if seat == CHANCE:
                kernels.play(game, state, draw(game, state, probabilities, dealing))
                continue
            if seat == player:
                states[count], actions[count], games[count] = state, moves[number, ply], number
                count += 1
            kernels.play(game, state, moves[number, ply])
            ply += 1
    return count


def effects(game: Game, states: NDArray[np.uint64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """What moves do in positions: indices into `VERBS`, shape (n,) int64.

    A move *wins* if the game is over with it, and won. It *blocks* if no move wins here, if after some other legal
    moves the opponent can win with its next one, and if after this move it cannot: a threat that is blocked as
    `ludarium.evaluation.measures.tactics` counts them.

    Args:
        game: a game of two seats.
        states: the positions, shape (n, words), see `Decisions`; none is over or a chance node.
        actions: the moves, legal, shape (n,).
    """
    found = np.zeros(len(states), dtype=np.int64)
    _judge(game.table, states, actions, found)
    return found


@jit
def _judge(game: Any, states: Any, actions: Any, found: Any) -> None:
    """Fill in `effects`."""
    state, boards = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros((2, game[STATE_SIZE]), dtype=np.uint8)
    masks, payoffs = np.zeros((2, game[ACTIONS]), dtype=np.int8), np.zeros(game[SEATS])
    for number in range(len(states)):
        state[:] = states[number].view(np.uint8)[: game[STATE_SIZE]]
        boards[0, :] = state
        seat = kernels.turn(game, state)
        kernels.play(game, boards[0], actions[number])
        if has_won(game, boards[0], seat, payoffs):
            found[number] = _WINS
        elif threat_answer(game, state, actions[number], boards, masks, payoffs) == BLOCKED:
            found[number] = _BLOCKS


def position_of(game: Game, state: NDArray[np.uint64]) -> Position:
    """The position of a state, shape (words,) uint64."""
    return Position(game, state.view(np.uint8)[: game.state.itemsize].copy())
