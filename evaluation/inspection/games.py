"""The games in which a player is watched, and what a move does in a position.

The opponent is the random agent, which leads into positions of all kinds; the player takes each seat alternately.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.baselines.random import random
from ludarium.agents.learning.inspection import BLOCKS, FORKS, WINS, Decisions, Watch
from ludarium.envs import kernels
from ludarium.envs.batch import play_games
from ludarium.envs.chance import AGENTS, DEALING, derive, draw, seed_key
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, SEATS, STATE_SIZE
from ludarium.envs.policy import Policy
from ludarium.evaluation.measures.tactics import BLOCKED, has_won, threat_answer


def watch(game: Game, games: int, seed: int, positions: int) -> Watch:
    """A `Watch` for the players of a game.

    Args:
        game: a game of two seats.
        games: the number of games against the random agent.
        seed: the games are a function of it.
        positions: the maximum number of positions to search.
    """
    return Watch(
        decisions=lambda player: decisions_against_random(game, player, games, seed),
        effects=lambda states, actions: effects(game, states, actions),
        positions=positions,
    )


def decisions_against_random(game: Game, policy: Policy, games: int, seed: int) -> Decisions:
    """Let a player play against the random agent, in each seat alternately, and return its decisions.

    Args:
        game: a game of two seats.
        policy: the player.
        games: the number of games.
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
    """Replay recorded games, fill in the player's decisions, and return how many there are."""
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

    A move *wins* if it ends the game and wins it. It *blocks* if no move wins, the opponent could win at once after
    some other legal moves, and it cannot after this one: a blocked threat as `ludarium.evaluation.measures.tactics`
    counts them. It makes a *fork*, two threats at once, if it neither wins nor blocks, the opponent cannot win with its
    reply, and after every reply some move wins, but no single move wins after all of them.

    Args:
        game: a game of two seats.
        states: the positions, shape (n, words), see `Decisions`; none is terminal or a chance node.
        actions: the moves, shape (n,), all legal.
    """
    effects = np.zeros(len(states), dtype=np.int64)
    _judge(game.table, states, actions, effects)
    return effects


@jit
def _judge(game: Any, states: Any, actions: Any, effects: Any) -> None:
    """Fill in `effects`."""
    state, after = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    boards = np.zeros((2, game[STATE_SIZE]), dtype=np.uint8)
    masks, payoffs = np.zeros((2, game[ACTIONS]), dtype=np.int8), np.zeros(game[SEATS])
    for number in range(len(states)):
        state[:] = states[number].view(np.uint8)[: game[STATE_SIZE]]
        seat = kernels.turn(game, state)
        after[:] = state
        kernels.play(game, after, actions[number])
        if has_won(game, after, seat, payoffs):
            effects[number] = WINS
        elif threat_answer(game, state, actions[number], boards, masks, payoffs) == BLOCKED:
            effects[number] = BLOCKS
        elif _is_fork(game, after, seat, boards, masks, payoffs):
            effects[number] = FORKS


@jit
def _is_fork(game: Any, state: Any, seat: int, boards: Any, masks: Any, payoffs: Any) -> bool:
    """Whether a seat has two threats at once, with the opponent to move."""
    if kernels.turn(game, state) != 1 - seat:
        return False
    kernels.legal(game, state, masks[0])
    always = np.ones(game[ACTIONS], dtype=np.bool_)  # the moves that win after every reply
    for answer in range(game[ACTIONS]):
        if not masks[0, answer]:
            continue
        boards[0, :] = state
        kernels.play(game, boards[0], answer)
        if kernels.turn(game, boards[0]) != seat:  # the game is over, or chance moves next
            return False
        kernels.legal(game, boards[0], masks[1])
        wins = False
        for action in range(game[ACTIONS]):
            won = False
            if masks[1, action]:
                boards[1, :] = boards[0]
                kernels.play(game, boards[1], action)
                won = has_won(game, boards[1], seat, payoffs)
            wins, always[action] = wins or won, always[action] and won
        if not wins:
            return False
    return not always.any()
