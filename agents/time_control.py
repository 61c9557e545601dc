"""Time controls: how long agents may think in a game, what they are told of it, and when they have lost on time.

Times are wall-clock times. Clocks count whole nanoseconds, so their sums are exact.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

LOST_ON_TIME = "lost on time"
"""The cause of the forfeit when a seat's time is up."""
MARGIN = 50
"""The usual margin for communication, in milliseconds."""
_MOST, _BILLION = 1_000_000, 1_000_000_000
_NUMBER = r"\d+(?:\.\d+)?"
_FORM = re.compile(rf"({_NUMBER})(?:\+({_NUMBER})|(/move))?", re.ASCII)


@dataclass(frozen=True)
class TimeControl:
    """The time that each seat has in a game.

    Attributes:
        seconds: for all moves of the game; with `per_move`, for each move.
        increment: seconds that a seat gains with each move it has made; 0 with `per_move`.
        per_move: whether every move has the same time, whatever the others took.
        margin: seconds by which an answer may exceed what is left, since messages take time.
    """

    seconds: float
    increment: float = 0.0
    per_move: bool = False
    margin: float = MARGIN / 1000

    @classmethod
    def read(cls, text: str, margin: int = MARGIN) -> "TimeControl":
        """The time control that a text describes.

        Args:
            text: `"60"`: 60 seconds for the game; `"60+0.5"`: half a second more after each move; `"2/move"`: two
                seconds for each move.
            margin: in milliseconds.

        Raises:
            ValueError: for any other text, or times out of range.
        """
        form = _FORM.fullmatch(text)
        if form is None:
            raise ValueError(
                "clock: expected seconds a game, such as '60', with what each move adds, '60+0.5', or seconds a move, "
                f"'2/move', not {text!r}"
            )
        seconds, increment = float(form[1]), float(form[2] or 0)
        if not 0 < seconds <= _MOST or increment > _MOST:
            raise ValueError(
                f"clock: expected more than 0 and at most {_MOST:,} seconds, and at most as many for each move, not "
                f"{text!r}"
            )
        if not 0 <= margin <= 1000 * _MOST:
            raise ValueError(f"margin: expected 0 to {1000 * _MOST:,} milliseconds, not {margin}")
        return cls(seconds, increment, form[3] is not None, margin / 1000)

    def __str__(self) -> str:
        if self.per_move:
            return f"{self.seconds:g} s a move"
        return f"{self.seconds:g} s a game" + (f" and {self.increment:g} s more after each move" * (self.increment > 0))


class TimeLeft(NamedTuple):
    """What an agent is told when it is asked for a move: `info["clock"]`, and `clock` in JSON, as an object.

    Attributes:
        left: the seconds that each seat has left, by seat: for the rest of the game, or with `per_move` for a move.
        increment: as of the `TimeControl`.
        per_move: likewise.
        margin: likewise.
    """

    left: tuple[float, ...]
    increment: float
    per_move: bool
    margin: float

    def allowed(self, seat: int) -> float:
        """The seconds after which a seat that has not moved has lost on time."""
        return self.left[seat] + self.margin


class Clock:
    """The clocks of all seats in one game.

    Args:
        control: the time control.
        seats: the number of seats.
    """

    def __init__(self, control: TimeControl, seats: int) -> None:
        self._control = control
        self._margin, self._increment = round(control.margin * _BILLION), round(control.increment * _BILLION)
        self._left = [round(control.seconds * _BILLION)] * seats

    def told(self) -> TimeLeft:
        """What agents are told now."""
        control = self._control
        left = tuple(nanoseconds / _BILLION for nanoseconds in self._left)
        return TimeLeft(left, control.increment, control.per_move, control.margin)

    def spend(self, seat: int, nanoseconds: int) -> bool:
        """Take the time of a move from a seat's clock; returns whether the seat has lost on time."""
        lost = nanoseconds >= self._left[seat] + self._margin
        if not self._control.per_move:
            self._left[seat] = max(0, self._left[seat] - nanoseconds) + self._increment
        return lost
