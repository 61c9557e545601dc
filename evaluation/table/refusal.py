"""What a request is refused with, and how the fields of its body are read."""

from collections.abc import Collection
from typing import Any

_LONGEST = 500  # characters of a message: some quote what they refuse


class Refusal(ValueError):
    """A request that is not granted; the message is a sentence for the person, the status is HTTP's."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…")
        self.status = status


class Body:
    """A JSON object that a request brought, of which every field is checked.

    Args:
        data: what was read.
        fields: the names of the fields there may be.

    Raises:
        Refusal: if it is not an object, or has other fields.
    """

    def __init__(self, data: Any, fields: Collection[str]) -> None:
        if not isinstance(data, dict):
            raise Refusal(f"the request must be a JSON object, not {_kind(data)}")
        for name in data:
            if name not in fields:
                raise Refusal(f"unknown field {name[:40]!r}; the fields are: {', '.join(fields) or 'none'}")
        self._data = data

    def __contains__(self, name: str) -> bool:
        return self._data.get(name) is not None

    def text(self, name: str, most: int) -> str:
        """A string of at most `most` characters."""
        value = self._data.get(name)
        if not isinstance(value, str):
            raise Refusal(f"{name} must be a text, not {_kind(value)}")
        if len(value) > most:
            raise Refusal(f"{name} must have at most {most} characters, not {len(value)}")
        _check_characters(name, value)
        return value

    def texts(self, name: str, most: int, longest: int) -> list[str]:
        """A list of at most `most` strings, each of at most `longest` characters."""
        value = self._data.get(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise Refusal(f"{name} must be a list of texts, not {_kind(value)}")
        if len(value) > most or any(len(one) > longest for one in value):
            raise Refusal(f"{name} must be at most {most} texts of at most {longest} characters")
        for one in value:
            _check_characters(name, one)
        return value

    def number(self, name: str, low: int, high: int) -> int:
        """A whole number between two bounds."""
        value = self._data.get(name)
        if type(value) is not int or not low <= value <= high:
            shown = f"{value}"[:40] if type(value) in (int, float) else _kind(value)
            raise Refusal(f"{name} must be a whole number from {low} to {high}, not {shown}")
        return value

    def numbers(self, name: str, most: int, low: int, high: int) -> list[int]:
        """A list of at most `most` whole numbers between two bounds."""
        value = self._data.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise Refusal(f"{name} must be a list of at most {most} whole numbers")
        if not all(type(one) is int and low <= one <= high for one in value):
            raise Refusal(f"{name} must be whole numbers from {low} to {high}")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._data.get(name)
        if type(value) is not bool:
            raise Refusal(f"{name} must be true or false, not {_kind(value)}")
        return value


def _check_characters(name: str, value: str) -> None:
    r"""Refuse halves of characters, which JSON can hold (`"\ud800"`) and no answer or file can, and null characters."""
    if "\0" in value or any("\ud800" <= one <= "\udfff" for one in value):
        raise Refusal(f"{name} holds a null character or half a character, which no text may")


def _kind(value: Any) -> str:
    """A value in words that are never long."""
    if value is None:
        return "nothing"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)
