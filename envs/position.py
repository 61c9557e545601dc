"""A position of any game, for Python code: checked moves, text, pictures."""

import ctypes
import operator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.chance import uniform
from ludarium.envs.game import Game, IllegalAction, seat_name
from ludarium.envs.kernels import CHANCE, OVER

_CALL = {
    1: ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p),
    2: ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p),
    3: ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p),
}
_PLAY = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)


class _Calls:
    """The kernels of one game as Python callables over addresses."""

    def __init__(self, game: Game) -> None:
        table = game.table
        self.setup = _CALL[2](int(table[kernels.SETUP]))
        self.turn = _CALL[1](int(table[kernels.TURN]))
        self.legal = _CALL[2](int(table[kernels.LEGAL]))
        self.play = _PLAY(int(table[kernels.PLAY]))
        self.payoffs = _CALL[2](int(table[kernels.PAYOFFS]))
        self.observe = _CALL[3](int(table[kernels.OBSERVE]))
        self.outcomes = _CALL[2](int(table[kernels.OUTCOMES])) if game.max_outcomes else None
        has_afterstates = int(table[kernels.AFTERSTATES]) != 0
        self.afterstates = _CALL[2](int(table[kernels.AFTERSTATES])) if has_afterstates else None
        self._game = game

    @cached_property
    def see(self) -> Any:
        return _CALL[3](self._game.compile_view())


def address(array: NDArray[Any]) -> int:
    """The address of the data of a contiguous, writable, non-empty array; cheaper than `array.ctypes.data`."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]


class Position:
    """A position: the record's bytes in `data`, shape (itemsize,) uint8, and methods to query and play it.

    `position.record` is the same memory with named fields: `position.record.board[4]`.
    """

    __slots__ = ("_address", "_calls", "data", "game")

    def __init__(self, game: Game, data: NDArray[np.uint8] | None = None) -> None:
        calls = game.__dict__.get("_calls")
        if calls is None:
            calls = game.__dict__["_calls"] = _Calls(game)
        self.game = game
        self._calls: _Calls = calls
        if data is None:
            self.data = np.zeros(game.state.itemsize, dtype=np.uint8)
            self._address = address(self.data)
            calls.setup(self._address, address(game.option_bytes))
        else:
            self.data = data
            self._address = address(data)

    @property
    def record(self) -> Any:
        """The record, with its fields as attributes; writing to them changes `data`."""
        return self.data.view(np.dtype((np.record, self.game.state)))[0]

    @property
    def turn(self) -> int:
        """The seat to move, `CHANCE` (-1) or `OVER` (-2)."""
        return self._calls.turn(self._address)

    @property
    def over(self) -> bool:
        """Whether the game is finished."""
        return self._calls.turn(self._address) == OVER

    def copy(self) -> "Position":
        """An independent copy."""
        return Position(self.game, self.data.copy())

    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action of the seat to move, shape (actions,) int8."""
        mask = np.empty(self.game.actions, dtype=np.int8)
        self._calls.legal(self._address, address(mask))
        return mask

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, in increasing order; none at chance nodes and at the end."""
        found: list[int] = np.flatnonzero(self.action_mask()).tolist()
        return found

    def legal_text(self) -> str:
        """The legal actions in the game's notation."""
        return " ".join(self.game.action_to_str(self, action) for action in self.legal_actions()) or "none"

    def outcomes(self) -> list[tuple[int, float]]:
        """At a chance node: each possible outcome with its probability."""
        if self.turn != CHANCE or self._calls.outcomes is None:
            return []
        probabilities = np.zeros(self.game.max_outcomes)
        count = self._calls.outcomes(self._address, address(probabilities))
        return [(i, float(p)) for i, p in enumerate(probabilities[:count]) if p > 0]

    def draw_outcome(self, stream: NDArray[np.uint64]) -> int:
        """At a chance node: the outcome that the next draw of a stream gives (see `ludarium.envs.batch.draw`)."""
        u, last = uniform(stream), -1
        for outcome, probability in self.outcomes():
            u, last = u - probability, outcome
            if u < 0:
                break
        return last

    def play(self, action: int) -> None:
        """Play an action of the seat to move, or an outcome at a chance node.

        Raises:
            TypeError: if the action is not an integer.
            IllegalAction: if it is not legal here; the message lists what is.
        """
        try:
            action = operator.index(action)
        except TypeError:
            raise TypeError(f"{self.game.name}: an action is an integer, not {action!r}") from None
        turn = self.turn
        if turn == CHANCE:
            if action not in (outcome for outcome, _ in self.outcomes()):
                raise IllegalAction(f"{self.game.name}: {action} is not a possible outcome here: {self.text}")
        elif turn == OVER:
            raise IllegalAction(f"{self.game.name}: the game is over; action {action} cannot be played")
        elif not (0 <= action < self.game.actions and self.action_mask()[action]):
            raise IllegalAction(self._illegal(action, turn))
        self._calls.play(self._address, action)

    def push(self, action: int) -> None:
        """Play without any check, for an action that is known to be legal."""
        self._calls.play(self._address, action)

    def _illegal(self, action: int, seat: int) -> str:
        game = self.game
        if not 0 <= action < game.actions:
            return f"{game.name}: action {action} does not exist; actions are 0 to {game.actions - 1}"
        name = game.action_to_str(self, action)
        shown = f"{action} ({name})" if name != str(action) else name
        return f"{game.name}: action {shown} is not legal for {seat_name(game, seat)}; legal: {self.legal_text()}"

    def payoffs(self) -> NDArray[np.float64]:
        """Each seat's return so far, shape (seats,) float64."""
        out = np.zeros(self.game.seats)
        self._calls.payoffs(self._address, address(out))
        return out

    def observe(self, seat: int) -> NDArray[np.int8]:
        """What a seat may see, of the game's `observation_shape`, int8."""
        out = np.empty(self.game.observation_shape, dtype=np.int8)
        self._calls.observe(self._address, seat, address(out))
        return out

    def view(self, seat: int) -> Any:
        """All that a seat may know of the game so far: a record of the game's type `view`, with fields as attributes.

        Raises:
            ValueError: if the game has no views.
        """
        see = self._calls.see
        out = np.zeros(1, dtype=np.dtype((np.record, self.game.view)))
        see(self._address, seat, address(out.view(np.uint8)))
        return out[0]

    def afterstates(self) -> list["Position"]:
        """The distinct positions that the mover's whole turn can lead to (games with an `afterstates` kernel).

        Raises:
            ValueError: if the game has none.
        """
        if self._calls.afterstates is None:
            raise ValueError(f"{self.game.name}: this game has no afterstates")
        out = np.zeros((self.game.max_afterstates, self.game.state.itemsize), dtype=np.uint8)
        count = self._calls.afterstates(self._address, address(out))
        return [Position(self.game, row.copy()) for row in out[:count]]

    @property
    def text(self) -> str:
        """The position in one line, see `Game.to_text`."""
        return self.game.to_text(self)

    def _repr_svg_(self) -> str:
        return self.game.draw(self).svg()

    def __str__(self) -> str:
        return self.game.to_ansi(self)

    def __repr__(self) -> str:
        return f"<{self.game.spec} position {self.text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game and self.data.tobytes() == other.data.tobytes()

    def __hash__(self) -> int:
        return hash((self.game, self.data.tobytes()))
