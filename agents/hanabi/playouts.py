"""What moves are worth to a player of Hanabi that does not value any: how its own games go on after them.

In worlds drawn from all that agree with the seat's view, the move is made, and then the same player has all seats until
the end. All moves are tried in the same worlds, with the same random numbers for the cards that are drawn, so that
differences between moves are known better than their values. The true hands and the true deck play no part.
"""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.batch import choose
from ludarium.envs.chance import derive, draw
from ludarium.envs.hanabi.rules import STATE
from ludarium.envs.hanabi.worlds import redeal
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_OUTCOMES,
    OBSERVATION_SIZE,
    OVER,
    SEATS,
    STATE_SIZE,
    VIEW_SIZE,
    view,
)
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.policy import Policy, policy_rows
from ludarium.envs.position import Position

WORLDS = 100
"""Worlds in which each move is tried."""
_HANDS, _CARDS, _PLAYER = range(3)  # what the random numbers of a world are for


def judged_by_playouts(policy: Policy) -> Policy:
    """The same player of Hanabi, which can say what moves are worth to it."""

    def judge(position: Position, stream: NDArray[np.uint64]) -> Opinions:
        return by_playouts(position, copy.deepcopy(policy), stream)

    return replace(policy, judge=judge)


def by_playouts(position: Position, policy: Policy, stream: NDArray[np.uint64]) -> Opinions:
    """The mean score that follows each legal move, with its standard error, and the move that the player makes.

    Args:
        position: a position of Hanabi where a seat is to move; only its view matters.
        policy: the player, with a block that nobody else uses.
        stream: the random numbers, of which the worlds are a function; the first of them are the player's own.
    """
    game, actions = position.game, position.legal_actions()
    scores = np.zeros((len(actions), WORLDS))
    (row,) = policy_rows(game, [policy])
    _try(game.table, position.data, row, np.array(actions), stream[0], scores)
    means, errors = scores.mean(axis=1), scores.std(axis=1, ddof=1) / np.sqrt(WORLDS)
    moves = (
        Opinion(action, game.as_value(float(mean)), nodes=WORLDS, line=(action,), error=float(error))
        for action, mean, error in zip(actions, means, errors, strict=True)
    )
    return Opinions(game.unit, tuple(moves), _played(position, policy, stream))


def _played(position: Position, policy: Policy, stream: NDArray[np.uint64]) -> int:
    seat = position.turn
    seen = np.frombuffer(position.view(seat).tobytes(), dtype=np.uint8).copy()
    return policy.choose(position.game, seen, position.observe(seat), position.action_mask(), stream.copy())


@jit
def _try(game: Any, state: Any, policy: Any, actions: Any, key: Any, scores: Any) -> None:
    """Write the score of each action in each world."""
    world, here = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    stream, seat = np.zeros(2, dtype=np.uint64), kernels.turn(game, state)
    room = (
        np.zeros(game[ACTIONS], dtype=np.int8),
        np.zeros(game[OBSERVATION_SIZE], dtype=np.int8),
        np.zeros(game[VIEW_SIZE], dtype=np.uint8),
        np.zeros(game[MAX_OUTCOMES] + 1),
        np.zeros(game[SEATS]),
    )
    for number in range(scores.shape[1]):
        own = derive(key, number)
        world[:] = state
        stream[0], stream[1] = derive(own, _HANDS), 0
        _redeal(world, seat, stream)
        for i in range(len(actions)):
            here[:] = world
            kernels.play(game, here, actions[i])
            scores[i, number] = _play_on(game, here, policy, own, room)


@jit
def _redeal(state: Any, seat: int, stream: Any) -> None:
    redeal(view(state, STATE), seat, stream)


@jit
def _play_on(game: Any, state: Any, policy: Any, key: Any, room: Any) -> float:
    """Let the player have all seats until the end; return the score."""
    mask, observation, seen, probabilities, payoffs = room
    cards, player = np.zeros(2, dtype=np.uint64), np.zeros(2, dtype=np.uint64)
    cards[0], player[0] = derive(key, _CARDS), derive(key, _PLAYER)
    while True:
        seat = kernels.turn(game, state)
        if seat == OVER:
            break
        if seat == CHANCE:
            kernels.play(game, state, draw(game, state, probabilities, cards))
        else:
            action = choose(game, state, seat, policy, mask, observation, seen, player)
            kernels.play(game, state, action)
    kernels.payoffs(game, state, payoffs)
    return payoffs[0]
