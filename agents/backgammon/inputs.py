"""What networks see of a backgammon position: numbers that each depend on one place and the checkers of one side there.

A place is a point as its side counts it, 1 to 24, its bar, 25, or the checkers it has borne off, 0. So a position is a
sum over the places of both sides, and a turn changes only those where checkers have moved; with `threats`, the twelve
other inputs are added. Everything is seen by the seat that has just moved, whose opponent rolls next.

| name | inputs | |
|---|---|---|
| `counts` | 52 | the number of checkers on each point and on both bars, for each side: those of Gengammon |
| `tesauro` | 196 | each point: at least one, two, three, half of how many more; bar / 2, off / 15 (Tesauro 1992) |
| `exact` | 208 | each place: exactly one, two, three, half of how many more |
| `stacks` | 750 | each point and bar: exactly one, two, three, up to fifteen |
| `threats` | 220 | `exact`, and six for each side that depend on more than one place: `backgammon_threats.NAMES` |
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.threats import NAMES as THREATS

OF_PLACES = ("counts", "tesauro", "exact", "stacks")
"""Those in which each input depends on one place."""
NAMES = (*OF_PLACES, "threats")
_PLACES, _COUNTS = 26, 16
_OFF, _BAR = 0, 25


class Inputs(NamedTuple):
    """Where a network's inputs come from.

    Attributes:
        columns: shape (2, 26, units) int32: by side, the one that has just moved first, by place and unit: the number
            of the input, or -1.
        values: shape (26, 16, units) float32: by place, number of checkers and unit: what the input is. 0 without
            checkers.
        threats: how many inputs follow that depend on more than one place, for each side.
        labels: what each input means.
    """

    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    threats: int
    labels: tuple[str, ...]

    @property
    def number(self) -> int:
        """The number of inputs."""
        return len(self.labels)


@cache
def inputs(name: str) -> Inputs:
    """The inputs of a name.

    Raises:
        ValueError: if there are none of this name.
    """
    if name not in NAMES:
        raise ValueError(f"backgammon: inputs must be one of {', '.join(NAMES)}, not {name!r}")
    if name == "threats":
        exact = inputs("exact")
        more = tuple(f"{who} {text}" for who in ("own", "other") for text in THREATS)
        return exact._replace(threats=len(THREATS), labels=exact.labels + more)
    units = max(len(_units(name, place)) for place in range(_PLACES)) + (name == "counts")
    columns = np.full((2, _PLACES, units), -1, dtype=np.int32)
    values = np.zeros((_PLACES, _COUNTS, units), dtype=np.float32)
    labels: list[str] = []
    for side, who in enumerate(("own", "other")):
        for place in [*range(1, _BAR + 1), _OFF]:
            for unit, (text, by_count) in enumerate(_units(name, place)):
                columns[side, place, unit] = len(labels)
                values[place, :, unit] = by_count
                labels.append(f"{who} {_place_name(place)}{text}")
    if name == "counts":  # each side's half also has the other's bar
        for side, who in enumerate(("own", "other")):
            columns[1 - side, _BAR, 1] = len(labels)
            labels.append(f"{who} half: the opponent's bar")
        values[_BAR, :, 1] = range(_COUNTS)
    return Inputs(columns, values, 0, tuple(labels))


def _units(name: str, place: int) -> list[tuple[str, NDArray[Any]]]:
    """What a place contributes: for each unit a label, and its value by the number of checkers."""
    count = np.arange(_COUNTS)
    if name == "counts":
        return [] if place == _OFF else [("", count)]
    if name == "stacks":
        return [] if place == _OFF else [(f" = {n}", count == n) for n in range(1, _COUNTS)]
    more = (" > 3", np.maximum(count - 3, 0) / 2)
    if name == "exact":
        return [*((f" = {n}", count == n) for n in (1, 2, 3)), more]
    if place in (_OFF, _BAR):
        return [("", count / (15 if place == _OFF else 2))]
    return [*((f" ≥ {n}", count >= n) for n in (1, 2, 3)), more]


def _place_name(place: int) -> str:
    return {_OFF: "off", _BAR: "bar"}.get(place, f"point {place}")
