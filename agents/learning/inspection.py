"""What a learner shows of a player it has trained: the interface behind `ludarium inspect`.

A learner only says what there is to see: `Learner.inspect` returns an `Inspection`, which is turned into text, JSON and
a picture elsewhere. To learn what the player does in games, it asks the `Watch` that it is given.
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
"""What a move does: the values of `Watch.effects`."""
VERBS = ("", "wins", "blocks", "forks")
"""The same in words, as in JSON."""
PAPER, MARK = "#fcfcfb", "#2a8f7a"
"""The colours of a picture's background, and of the frame around what a move touches."""


class Decisions(NamedTuple):
    """The decisions of a player in its games.

    Attributes:
        states: shape (decisions, words) uint64: the records of the positions, padded with zeros.
        actions: shape (decisions,) int64: the actions played in them.
        games: shape (decisions,) int64: the number of the game of each decision.
        streams: shape (games,) uint64: the key of the player's random stream in each game.
    """

    states: NDArray[np.uint64]
    actions: NDArray[np.int64]
    games: NDArray[np.int64]
    streams: NDArray[np.uint64]


@dataclass(frozen=True)
class Watch:
    """What can be observed of a player from outside.

    Attributes:
        decisions: plays games against the random agent, and returns the player's decisions.
        effects: returns what moves do, as indices into `VERBS`, for states and actions as in `Decisions`.
        positions: the maximum number of positions to search, by learners that do not store positions.
    """

    decisions: Callable[[Policy], Decisions]
    effects: Callable[[NDArray[np.uint64], NDArray[np.int64]], NDArray[np.int64]]
    positions: int


@dataclass(frozen=True)
class Entry:
    """One of the parts of a player: a rule, or a position with its move.

    Attributes:
        board: the board as lines of text.
        drawing: the same as a picture.
        move: the move that is played there: `"c3"`.
        mover: the seat that plays it: `"white"`; empty: either seat.
        facts: what else is known about it, one line each.
        used: how many moves it made in the games that were watched.
        positions: the number of different positions in which it made them.
        data: all of this, ready for JSON.
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
        kind: the name of the entries in JSON: `"rules"`.
        summary: how many entries there are, and of what: `"25 rules"`.
        entries: the parts, numbered from 1 in this order.
        order: what that order is: `"in the order in which they fire"`; empty: by use.
        head: lines of text before the entries.
        tail: lines of text after them.
        data: what else goes into JSON.
        legend: what the symbols in the entries' drawings mean.
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
    """A number of times as text: `1 time`, `2,000 times`."""
    return f"{number:,} time{'s' * (number != 1)}"


def made_by(number: int, moves: int, what: str) -> str:
    """A line that says how many of a player's moves were made by the entries: `"rules"`."""
    share = f", {100 * number / moves:.1f} %" if moves else ""
    return f"{number:,} of its {moves:,} moves were made by {what}{share}"


def position_of(game: Game, state: NDArray[np.uint64]) -> Position:
    """The position with the record `state`, shape (words,) uint64."""
    return Position(game, state.view(np.uint8)[: game.state.itemsize].copy())
