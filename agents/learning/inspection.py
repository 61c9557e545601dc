"""What a learner shows of a player it has made: the contract of `ludarium inspect`.

A learner says what there is to see in `Learner.inspect`, and no more: an `Inspection` becomes text, JSON and a picture
elsewhere. What it may want to know of the player in games, it asks the `Watch` that it is given.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Drawing
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

NOTHING, WINS, BLOCKS, FORKS = range(4)
"""What a move does, by the numbers of `Watch.effects`."""
VERBS = ("", "wins", "blocks", "forks")
"""The same as JSON has it."""
PAPER, MARK = "#fcfcfb", "#2a8f7a"
"""The colours of a picture's ground, and of a frame around what a move touches."""


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


@dataclass(frozen=True)
class Watch:
    """What can be found out about a player from outside.

    Attributes:
        decisions: what it decides in games against the random agent.
        effects: what moves do, indices into `VERBS`, from states and actions as `Decisions` has them.
        positions: how many positions to look through at most, for what was learned without its positions.
    """

    decisions: Callable[[Policy], Decisions]
    effects: Callable[[NDArray[np.uint64], NDArray[np.int64]], NDArray[np.int64]]
    positions: int


@dataclass(frozen=True)
class Entry:
    """One of the things that a player consists of: a rule, a position with its move.

    Attributes:
        board: as lines of text.
        drawing: the same as a picture.
        move: what it plays there: `"c3"`.
        mover: who plays it: `"white"`; empty: the player, whichever seat it has.
        facts: what else is known of it, a line each.
        used: how many moves it made in the games that were watched.
        positions: in how many different positions.
        data: all of this as JSON takes it.
    """

    board: str
    drawing: Drawing
    move: str
    mover: str
    facts: Sequence[str]
    used: int
    positions: int
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Inspection:
    """What is inside a player.

    Attributes:
        kind: what JSON calls the entries: `"rules"`.
        summary: how many there are, and what they are: `"25 rules"`.
        entries: they are numbered from 1 in this order.
        order: which order that is: `"in the order in which they fire"`; empty: by use.
        head: lines to read before the entries.
        tail: lines to read after them.
        data: what JSON says besides.
        legend: what the signs in the entries' drawings mean.
    """

    kind: str
    summary: str
    entries: Sequence[Entry]
    order: str = ""
    head: Sequence[str] = ()
    tail: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    legend: Drawing | None = None


def times(number: int) -> str:
    """`1 time`, `2,000 times`."""
    return f"{number:,} time{'s' * (number != 1)}"


def made_by(number: int, moves: int, what: str) -> str:
    """A line on how many of a player's moves were made by what was found."""
    share = f", {100 * number / moves:.1f} %" if moves else ""
    return f"{number:,} of its {moves:,} moves were made by {what}{share}"


def position_of(game: Game, state: NDArray[np.uint64]) -> Position:
    """The position of a state, shape (words,) uint64."""
    return Position(game, state.view(np.uint8)[: game.state.itemsize].copy())
