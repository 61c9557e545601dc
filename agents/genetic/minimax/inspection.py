"""What has evolved: the weights of features as bars, and those of n-tuples as a table of squares.

Only the ratios of weights matter, so weights are shown in percent of the sum of their sizes; those that belong to a
phase of the game, in percent of that phase. Of n-tuples, a square is worth what an own disc there adds to the sum of
all tables, compared with a disc of the other side, on average over all contents of the other squares.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.learning.inspection import PAPER, Inspection
from ludarium.agents.othello.tuples import Layout
from ludarium.envs.drawing import Drawing
from ludarium.envs.othello.notation import move_name

Floats = NDArray[np.float64]
_INK, _SOFT, _GOOD, _BAD = "#1c2126", "#66707a", "#1f6f8b", "#c8654a"
_LABEL, _BAR, _NUMBER, _LINE = 110.0, 190.0, 45.0, 17.0
_CELL, _MARGIN, _SHOWN = 44.0, 16.0, 10


def inspect_features(names: Sequence[str], weights: Floats) -> Inspection:
    """The weights of features, by name; a name may end in a comma and the phase of the game."""
    parts = [name.rpartition(", ")[::2] if ", " in name else (name, "") for name in names]
    phases = list(dict.fromkeys(phase for _, phase in parts))
    table = {
        phase: _percent({name: weight for (name, its), weight in zip(parts, weights, strict=True) if its == phase})
        for phase in phases
    }
    features = list(dict.fromkeys(name for name, _ in parts))
    width = max(map(len, features))
    head = [" " * width + "".join(f"{phase or 'percent':>12}" for phase in phases)]
    head += [
        f"{name:{width}}" + "".join(f"{table[phase].get(name, 0):+12.1f}" for phase in phases) for name in features
    ]
    data = {"weights": dict(zip(names, weights.tolist(), strict=True))}
    return Inspection("weights", f"{len(names)} weights", [], head=head, data=data, legend=_bars(features, table))


def inspect_tuples(layout: Layout, weights: Floats) -> Inspection:
    """The weights of n-tuples: what each square is worth, and the tuples that matter most."""
    squares = _squares(layout, weights)
    size = layout.size
    rows = [" ".join(f"{value:+6.2f}" for value in squares[row * size : (row + 1) * size]) for row in range(size)]
    spans = [weights[start:end].std() for start, end in zip(layout.starts, layout.starts[1:], strict=False)]
    order = np.argsort(-np.array(spans), kind="stable")[:_SHOWN]
    head = ["what a disc on a square is worth:", *rows, "", "the tuples whose tables vary most:"]
    for number in order:
        table = weights[layout.starts[number] : layout.starts[number + 1]]
        names = layout.names[layout.starts[number] : layout.starts[number + 1]]
        best, worst = (names[int(place(table))].rpartition(" ")[2] for place in (np.argmax, np.argmin))
        text = "-".join(move_name(square, size) for square in layout.tuples[number])
        head.append(f"{text}: best {best} {table.max():+.2f}, worst {worst} {table.min():+.2f}")
    count = f"{len(weights):,} weights of {len(layout.tuples)} tuples and their mirror images"
    data = {"squares": squares.tolist(), "weights": dict(zip(layout.names, weights.tolist(), strict=True))}
    return Inspection("weights", count, [], head=head, data=data, legend=_board(size, squares))


def _percent(weights: dict[str, float]) -> dict[str, float]:
    total = sum(map(abs, weights.values())) or 1.0
    return {name: 100 * weight / total for name, weight in weights.items()}


def _squares(layout: Layout, weights: Floats) -> Floats:
    """What each square is worth, shape (squares,)."""
    preferences = np.zeros(layout.size**2)
    for squares, parts in ((squares, layout.parts[number]) for squares, number in layout.regions):
        for kind, places in parts:
            table = weights[layout.starts[kind] + places]
            for digit, square in enumerate(squares):
                content = np.arange(len(table)) // 3**digit % 3
                preferences[square] += (table[content == 1].mean() - table[content == 2].mean()) / 2
    return preferences


def _bars(features: Sequence[str], table: dict[str, dict[str, float]]) -> Drawing:
    """A row of bars for each feature, one bar for each phase."""
    height = _LINE * (len(features) * len(table) + len(features) + 1)
    drawing = Drawing(_LABEL + _BAR + 2 * _NUMBER + 55, height, PAPER)
    widest = max((abs(value) for values in table.values() for value in values.values()), default=1.0) or 1.0
    middle, y = _LABEL + _NUMBER + _BAR / 2, _LINE / 2
    for name in features:
        drawing.text(_LABEL - 8, y + _LINE / 2, name, 12, _INK, anchor="end")
        for phase, values in table.items():
            value = values.get(name, 0.0)
            length = abs(value) / widest * _BAR / 2
            drawing.rect(middle - length * (value < 0), y + 3, max(length, 1), _LINE - 6, _GOOD if value >= 0 else _BAD)
            at = middle + (length + 5) * (1 if value >= 0 else -1)
            drawing.text(at, y + _LINE / 2, f"{value:+.1f}", 10, _SOFT, anchor="start" if value >= 0 else "end")
            drawing.text(drawing.width - 4, y + _LINE / 2, phase, 10, _SOFT, anchor="end")
            y += _LINE
        y += _LINE
    return drawing


def _board(size: int, squares: Floats) -> Drawing:
    """The board with the value of each square, the darker the greater; good and bad squares differ in colour."""
    drawing = Drawing(_MARGIN + size * _CELL + 2, _MARGIN + size * _CELL + 2, PAPER)
    widest = np.abs(squares).max() or 1.0
    for square, value in enumerate(squares):
        row, column = divmod(square, size)
        x, y = _MARGIN + column * _CELL, _MARGIN + row * _CELL
        drawing.rect(x, y, _CELL, _CELL, _mixed(_GOOD if value >= 0 else _BAD, abs(value) / widest), edge=PAPER)
        ink = PAPER if abs(value) > 0.55 * widest else _INK
        drawing.text(x + _CELL / 2, y + _CELL / 2, f"{value:+.2f}", 11, ink)
    for place in range(size):
        middle = _MARGIN + (place + 0.5) * _CELL
        drawing.text(middle, _MARGIN / 2, chr(ord("a") + place), 11, _SOFT)
        drawing.text(_MARGIN / 2, middle, str(place + 1), 11, _SOFT)
    return drawing


def _mixed(colour: str, share: float) -> str:
    """A share of a colour on the picture's background."""
    ends = [[int(text[i : i + 2], 16) for i in (1, 3, 5)] for text in (PAPER, colour)]
    return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in zip(*ends, strict=True))
