"""The games of rule players: compiled functions that play moves, the buffers they use, and a generation's metrics."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import board, see
from ludarium.agents.genetic.gaia.patterns import decide
from ludarium.envs import kernels
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import bits, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE

DECISIONS, RULE_MOVES, DRAWS = range(3)
"""Indices into the array of counts."""
PLAYERS, PLAYING, BREEDING, CHILDREN, BIRTH = range(5)
"""The random streams of a generation; `BIRTH` is the stream of a seed for the first rules."""
NEVER = -1.0
"""Given as the probability of a random move: no random number is drawn for it, as it would be for 0."""


class Field(NamedTuple):
    """What compiled loops know about a game.

    Attributes:
        table: the game's table.
        options: its options as bytes.
        scale: the factor that brings payoffs into the range -1 to 1.
        squares: see `Board`.
        undo: see `Board`.
    """

    table: Any
    options: Any
    scale: float
    squares: Any
    undo: Any


class Desk(NamedTuple):
    """Buffers for one game: its state, and whatever is computed from it."""

    state: Any  # (bytes,) uint8
    observation: Any
    seen: Any  # (images, 3) uint64: the board as rules see it
    mask: Any  # (actions,) int8
    worths: Any  # (actions,) float64
    payoffs: Any
    stream: Any


def field(game: Game, symmetry: bool) -> Field:
    """A game for compiled loops. It holds memory addresses, so each process must make its own."""
    seen = board(game, symmetry)
    return Field(game.table, game.option_bytes, 1.0 / game.largest_payoff, seen.squares, seen.undo)


@jit
def desk(field: Any) -> Any:
    """Buffers for one game at a time."""
    return Desk(
        np.zeros(field.table[STATE_SIZE], dtype=np.uint8),
        np.zeros(field.table[OBSERVATION_SIZE], dtype=np.int8),
        np.zeros((len(field.undo), 3), dtype=np.uint64),
        np.zeros(field.table[ACTIONS], dtype=np.int8),
        np.zeros(field.table[ACTIONS]),
        np.zeros(field.table[SEATS]),
        np.zeros(2, dtype=np.uint64),
    )


@jit
def copy(source: Any, target: Any) -> None:
    """Copy the bytes of a state; a slice assignment would take seconds to compile, for the error it can raise."""
    for byte in range(len(target)):
        target[byte] = source[byte]


@jit
def goes_on(field: Any, state: Any, plies: int) -> bool:
    """Whether a game goes on: it is not over, and shorter than the longest that games may be."""
    return kernels.turn(field.table, state) != OVER and plies < field.table[MAX_MOVES]


@jit
def look(field: Any, state: Any, d: Any) -> None:
    """Write a position to the desk as rules see it, from the side of the seat to move."""
    kernels.observe(field.table, state, kernels.turn(field.table, state), d.observation)
    see(d.observation, field.squares, d.seen)


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
        rule, action = decide(rules, d.seen, field.undo, d.mask, count, d.stream)
    counts[DECISIONS] += 1
    counts[RULE_MOVES] += rule >= 0
    kernels.play(field.table, d.state, action)
    return rule


def metrics(
    games: int, counts: NDArray[np.int64], merits: NDArray[np.float64], rules: NDArray[Any], **more: float
) -> dict[str, float]:
    """The metrics of a generation; as in the original, draws and rule moves are absolute numbers.

    Args:
        games: how many games were played.
        counts: decisions, rule moves and draws.
        merits: shape (players,): the weight of each player, or minus its cost.
        rules: the population's rules, shape (players, rules).
        more: further metrics.
    """
    return {
        "games": games,
        "decisions": int(counts[DECISIONS]),
        "best": float(merits.max()),
        "mean": float(merits.mean()),
        "diversity": diversity(rules),
        "rule_moves": int(counts[RULE_MOVES]),
        "rule_share": float(counts[RULE_MOVES] / max(counts[DECISIONS], 1)),
        "draws": int(counts[DRAWS]),
        **more,
    }


def summary(line: Mapping[str, Any]) -> str:
    """The metrics of a generation as one line of text."""
    rules = f", {line['champion_rules']:.0f} rules" if "champion_rules" in line else ""
    moves = f"{line['rule_moves']:.0f} moves by a rule"
    return f"generation {line['generation']}: {line['draws']:.0f} draws, {moves}{rules}"


def diversity(rules: NDArray[Any]) -> float:
    """The number of different rules divided by the number of all rules."""
    senses = (
        rules["own"]
        ^ rules["opponent"] * np.uint64(0x9E3779B97F4A7C15)
        ^ rules["empty"] * np.uint64(0xBF58476D1CE4E5B9)
    )
    keys = senses ^ rules["action"].astype(np.uint64) * np.uint64(0x94D049BB133111EB)
    return len(np.unique(keys)) / keys.size
