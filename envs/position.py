"""A position of any game: its bytes, and checked moves, text and pictures."""

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.calls import CALLS, INT8, IS_OVER, NO_OUTCOME, PLAYED, address
from ludarium.envs.drawing import Drawing
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.options import IllegalAction

if TYPE_CHECKING:
    from ludarium.envs.game import Game


class Position:
    """A position: the bytes of a record, and methods to query and play it.

    `position.record` is that memory with named fields, `position.record.board[4]`; `position.data` is it as an array of
    shape (itemsize,) uint8. Writing to either changes the position. Positions can be copied and pickled. For compiled
    code, `buffer` holds the bytes, and `table` is the address of the game's table.
    """

    __slots__ = ("buffer", "game", "table")

    def __init__(self, game: "Game", data: NDArray[np.uint8] | bytes | None = None) -> None:
        self.game = game
        self.table = game.address
        if data is None:
            self.buffer = bytearray(game.state.itemsize)
            CALLS.setup(self.table, self.buffer, address(game.option_bytes))
        else:
            self.buffer = bytearray(data)
            if len(self.buffer) != game.state.itemsize:
                raise ValueError(f"{game.spec}: a position has {game.state.itemsize} bytes, not {len(self.buffer)}")

    @property
    def data(self) -> NDArray[np.uint8]:
        """The bytes, shape (itemsize,); writing to them changes the position."""
        return np.frombuffer(self.buffer, dtype=np.uint8)

    @property
    def record(self) -> Any:
        """The record, with its fields as attributes; writing to them changes the position."""
        return np.frombuffer(self.buffer, dtype=self.game.record_type)[0]

    @property
    def turn(self) -> int:
        """The seat to move, `CHANCE` (-1) or `OVER` (-2)."""
        return CALLS.turn(self.table, self.buffer)

    @property
    def over(self) -> bool:
        """Whether the game is finished."""
        return CALLS.turn(self.table, self.buffer) == OVER

    def copy(self) -> "Position":
        """An independent copy.

        Examples:
            >>> from ludarium.envs import make_game
            >>> position = make_game("tictactoe").start()
            >>> ahead = position.copy()
            >>> ahead.play(4)
            >>> position.text, ahead.text
            ('.../.../... x', '.../.x./... o')
        """
        other = _new(Position)
        other.game, other.table, other.buffer = self.game, self.table, self.buffer[:]
        return other

    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action of the seat to move, shape (actions,) int8.

        Examples:
            >>> from ludarium.envs import make_game
            >>> make_game("tictactoe").from_text("xox/oxo/... x").action_mask()
            array([0, 0, 0, 0, 0, 0, 1, 1, 1], dtype=int8)
        """
        mask = np.empty(self.game.shapes[0], INT8)
        CALLS.mask(self.table, self.buffer, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, in increasing order; none at chance nodes and at the end.

        Examples:
            >>> from ludarium.envs import make_game
            >>> make_game("tictactoe").from_text("xox/oxo/... x").legal_actions()
            [6, 7, 8]
        """
        return CALLS.actions(self.table, self.buffer)

    def legal_text(self) -> str:
        """The legal actions in the game's notation."""
        return " ".join(self.game.action_to_str(self, action) for action in self.legal_actions()) or "none"

    def outcomes(self) -> list[tuple[int, float]]:
        """At a chance node: each possible outcome with its probability; elsewhere none."""
        return CALLS.outcomes(self.table, self.buffer)

    def draw_outcome(self, stream: NDArray[np.uint64]) -> int:
        """At a chance node: the outcome that the next draw of a stream gives (see `ludarium.envs.chance.draw`)."""
        return CALLS.draw(self.table, self.buffer, stream)

    def play(self, action: int) -> None:
        """Play an action of the seat to move, or an outcome at a chance node; this changes the position.

        Raises:
            TypeError: if the action is not an integer.
            IllegalAction: if it is not legal here; the message lists what is.

        Examples:
            >>> from ludarium.envs import make_game
            >>> position = make_game("tictactoe").start()
            >>> position.play(4)
            >>> print(position)
               a b c
             1 . . .
             2 . x .
             3 . . .
        """
        if type(action) is not int:
            action = as_integer(self.game, action)
        answer = CALLS.play(self.table, self.buffer, action if -1 <= action <= _LARGEST else -1)
        if answer != PLAYED:
            raise IllegalAction(self._refusal(action, answer))

    def push(self, action: int) -> None:
        """Play without any check, for an action that is known to be legal."""
        CALLS.push(self.table, self.buffer, action)

    def _refusal(self, action: int, answer: int) -> str:
        game = self.game
        if answer == NO_OUTCOME:
            return f"{game.name}: {action} is not a possible outcome here: {self.text}"
        if answer == IS_OVER:
            return f"{game.name}: the game is over; action {action} cannot be played"
        if not 0 <= action < game.actions:
            return f"{game.name}: action {action} does not exist; actions are 0 to {game.actions - 1}"
        name = game.action_to_str(self, action)
        shown = f"{action} ({name})" if name != str(action) else name
        return f"{game.name}: action {shown} is not legal for {game.seat_name(self.turn)}; legal: {self.legal_text()}"

    def payoffs(self) -> NDArray[np.float64]:
        """Each seat's return so far, shape (seats,) float64.

        Examples:
            >>> from ludarium.envs import make_game
            >>> position = make_game("tictactoe").from_text("xox/oxo/... x")
            >>> position.play(6)
            >>> position.over, position.payoffs()
            (True, array([ 1., -1.]))
        """
        out = np.zeros(self.game.seats)
        CALLS.payoffs(self.table, self.buffer, out)
        return out

    def observe(self, seat: int) -> NDArray[np.int8]:
        """What a seat may see, of the game's `observation_shape`, int8.

        Raises:
            ValueError: if there is no such seat.

        Examples:
            >>> from ludarium.envs import make_game
            >>> make_game("othello").start().observe(0).shape
            (8, 8, 2)
        """
        game = self.game
        if not 0 <= seat < game.seats:
            raise self._no_seat(seat)
        _, shape, calls = game.shapes
        seen = np.empty(shape, INT8)
        calls.observe(self.table, self.buffer, seat, seen)
        return seen

    def look(self, seat: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """What a seat may see, and the action mask: `observe(seat), action_mask()`.

        Raises:
            ValueError: if there is no such seat.
        """
        game = self.game
        if not 0 <= seat < game.seats:
            raise self._no_seat(seat)
        actions, shape, calls = game.shapes
        seen, mask = np.empty(shape, INT8), np.empty(actions, INT8)
        calls.look(self.table, self.buffer, seat, mask, seen)
        return seen, mask

    def view(self, seat: int) -> Any:
        """All that a seat may know of the game so far: a record of the game's type `view`, with fields as attributes.

        Raises:
            ValueError: if the game has no views, or there is no such seat.
        """
        self.game.compile_view()
        if not 0 <= seat < self.game.seats:
            raise self._no_seat(seat)
        out = np.zeros(self.game.view_size, dtype=np.uint8)
        CALLS.see(self.table, self.buffer, seat, out)
        return out.view(np.dtype((np.record, self.game.view)))[0]

    def afterstates(self) -> list["Position"]:
        """The distinct positions that the mover's whole turn can lead to (games with an `afterstates` kernel).

        Raises:
            ValueError: if the game has none.
        """
        if "afterstates" not in self.game.compiled:
            raise ValueError(f"{self.game.name}: this game has no afterstates")
        size = self.game.state.itemsize
        out = np.zeros(self.game.max_afterstates * size, dtype=np.uint8)
        count = CALLS.afterstates(self.table, self.buffer, out)
        return [Position(self.game, row) for row in out.reshape(-1, size)[:count]]

    @property
    def text(self) -> str:
        """The position in one line, see `Game.to_text`."""
        return self.game.to_text(self)

    def picture(self, seat: int | None = None) -> Drawing:
        """The position as a picture with a title, which notebooks show; a position by itself is what a spectator sees.

        Args:
            seat: who looks at it: nothing that is hidden from that seat is in it. None is a spectator, who sees all.

        Raises:
            ValueError: if there is no such seat.
        """
        game = self.game
        if seat is None:
            drawing, text = game.draw(self), game.to_ansi(self)
        elif seat in range(game.seats):
            drawing, text = game.draw_view(self, seat), game.view_text(self, seat)
        else:
            raise self._no_seat(seat)
        viewer = "" if seat is None or not game.hidden_information else f", as {game.seat_name(seat)} sees it"
        return replace(drawing, title=f"{game.title or game.name}{viewer}: {self._moment()}", description=text)

    def _no_seat(self, seat: Any) -> ValueError:
        return ValueError(f"{self.game.name}: there is no seat {seat!r}; the seats are 0 to {self.game.seats - 1}")

    def _moment(self) -> str:
        """Who is to move, or how the game ended."""
        turn = self.turn
        if turn == OVER:
            return self.game.result_text(self)
        return "before chance" if turn == CHANCE else f"{self.game.seat_name(turn)} to move"

    def _repr_svg_(self) -> str:
        return self.picture().svg()

    def __str__(self) -> str:
        return self.game.to_ansi(self)

    def __repr__(self) -> str:
        return f"{self.game.spec} position {self.text}\n{self}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game and self.buffer == other.buffer

    def __hash__(self) -> int:
        return hash((self.game, bytes(self.buffer)))

    def __copy__(self) -> "Position":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return self.copy()

    def __reduce__(self) -> Any:
        return _unpickled, (self.game, self.game.layout, bytes(self.buffer))


_new = Position.__new__
_LARGEST = 2**62


def as_integer(game: "Game", action: Any) -> int:
    """An action of any integer type as an `int`.

    Raises:
        TypeError: if it is not an integer.
    """
    try:
        return operator.index(action)
    except TypeError:
        raise TypeError(f"{game.name}: an action is an integer, not {action!r}") from None


def _unpickled(game: "Game", layout: int, data: bytes) -> Position:
    if layout != game.layout:
        raise ValueError(
            f"{game.spec}: the position was pickled by another version of the game; pickle its text instead"
        )
    return Position(game, data)
