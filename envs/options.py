"""Options of games, and the error for actions that a position does not allow."""

import difflib
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_LIKENESS = 0.7  # of two names, as `difflib` measures it; below, a hint would be a guess


class IllegalAction(ValueError):
    """An action that the position does not allow."""


def closest(name: str, names: Iterable[str]) -> str:
    """The known name that is most like an unknown one; empty if none is."""
    return next(iter(difflib.get_close_matches(name, list(names), n=1, cutoff=_LIKENESS)), "")


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """For an error about an unknown name: `"did you mean 'othello'? "`, or nothing if no known name is like it."""
    close = closest(name, names)
    return f"did you mean {close!r}? " if close else ""


@dataclass(frozen=True)
class Option:
    """One option of a game: its default and its allowed values.

    Give `low` and `high` for a range of integers, or `choices` for a list of names or numbers; a `bool` default needs
    neither. Kernels see integers: the number itself, 0 or 1 for a bool, the index for a name.
    """

    default: int | str | bool
    low: int = 0
    high: int = 0
    choices: tuple[int | str, ...] = ()
    help: str = ""

    @property
    def expected(self) -> str:
        """The allowed values in words, for error messages and help texts."""
        if self.choices:
            return "one of " + ", ".join(map(repr, self.choices))
        if isinstance(self.default, bool):
            return "True or False"
        return f"an integer from {self.low} to {self.high}"

    def check(self, game: str, name: str, value: Any) -> int | str | bool:
        """The value, if it is allowed.

        Raises:
            ValueError: if it is not; the message names the game, the option, the value and what is expected.
        """
        if self.choices:
            if type(value) in (int, str) and value in self.choices:
                return value
        elif isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
        elif not isinstance(value, bool):
            try:
                number = operator.index(value)
            except TypeError:
                pass
            else:
                if self.low <= number <= self.high:
                    return number
        raise ValueError(f"{game}: {name} must be {self.expected}, not {value!r}")

    def encode(self, value: int | str | bool) -> int:
        """The integer that kernels see."""
        return self.choices.index(value) if isinstance(value, str) else int(value)
