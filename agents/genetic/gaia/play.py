"""Where rule players play: a game as compiled loops know it, buffers for one game at a time, and one move."""

from typing import Any, NamedTuple, Self

import numpy as np

from ludarium.agents.genetic.board import Board, board, see
from ludarium.agents.genetic.gaia.rules import decide
from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import bits, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE

DECISIONS, RULE_MOVES, DRAWS = range(3)
"""Indices into the array of counts."""
NEVER = -1.0
"""Given as the probability of a random move: no random number is drawn for it, as it would be for 0."""


class Field(NamedTuple):
    """What compiled loops know about a game. It holds memory addresses, so each process must make its own.

    Attributes:
        table: the game's table.
        options: its options as bytes.
        scale: the factor that brings payoffs into the range -1 to 1.
        board: the board as rules see it.
    """

    table: Any
    options: Any
    scale: float
    board: Board

    @classmethod
    def of(cls, game: Game, symmetry: bool) -> Self:
        """A game for compiled loops; with `symmetry`, rules stand for all their mirror images."""
        return cls(game.table, game.option_bytes, 1.0 / game.largest_payoff, board(game, symmetry))


class Desk(NamedTuple):
    """Buffers for one game: its state, and whatever is computed from it."""

    state: Any  # (bytes,) uint8
    observation: Any
    seen: Any  # (images, 3) uint64: the board as rules see it
    mask: Any  # (actions,) int8
    worths: Any  # (actions,) float64
    payoffs: Any
    stream: Any


@jit
def desk(field: Any) -> Any:
    """Buffers for one game at a time."""
    return Desk(
        np.zeros(field.table[STATE_SIZE], dtype=np.uint8),
        np.zeros(field.table[OBSERVATION_SIZE], dtype=np.int8),
        np.zeros((len(field.board.undo), 3), dtype=np.uint64),
        np.zeros(field.table[ACTIONS], dtype=np.int8),
        np.zeros(field.table[ACTIONS]),
        np.zeros(field.table[SEATS]),
        np.zeros(2, dtype=np.uint64),
    )


@jit
def goes_on(field: Any, state: Any, plies: int) -> bool:
    """Whether a game goes on: it is not over, and shorter than the longest that games may be."""
    return kernels.turn(field.table, state) != OVER and plies < field.table[MAX_MOVES]


@jit
def look(field: Any, state: Any, d: Any) -> None:
    """Write a position to the desk as rules see it, from the side of the seat to move."""
    kernels.observe(field.table, state, kernels.turn(field.table, state), d.observation)
    see(d.observation, field.board.squares, d.seen)


@jit
def make_move(field: Any, rules: Any, explore: float, counts: Any, d: Any) -> int:
    """Play one move in the game on the desk: the player's, or with probability `explore` a random one.

    Returns:
        The number of the rule that made it, -1 for a random move.
    """
    count = kernels.legal(field.table, d.state, d.mask)
    if explore != NEVER and uniform(d.stream) < explore:
        rule, action = -1, nth_legal(d.mask, count, bits(d.stream))
    else:
        look(field, d.state, d)
        rule, action = decide(rules, d.seen, field.board.undo, d.mask, count, d.stream)
    counts[DECISIONS] += 1
    counts[RULE_MOVES] += rule >= 0
    kernels.play(field.table, d.state, action)
    return rule
