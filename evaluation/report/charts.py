"""Small charts for the page, as inline SVG; their colours are CSS classes, so that they follow the page's style."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _SIDE = 420, 12
_TOP, _ROW = 8, 38
_TICKS = 5  # at most
_COLOURS = 6  # for curves; if there are more curves, colours repeat
_LETTER, _TICK_LETTER = 8, 6.5  # width of a letter in names and in units, estimated generously


def interval_plot(names: Sequence[str], values: Sequence[float], margins: Sequence[float], unit: str) -> str:
    """Values with their intervals, one below the other, on a common scale.

    Args:
        names: a name for each value.
        values: the values, finite.
        margins: half the intervals; infinite ones are drawn to both edges.
        unit: the label below the scale.
    """
    finite = [(v - m, v + m) if math.isfinite(m) else (v, v) for v, m in zip(values, margins, strict=True)]
    low, high = min(low for low, _ in finite), max(high for _, high in finite)
    if low == high:
        low, high = low - 1, high + 1
    scale = (_WIDTH - 2 * _SIDE) / (high - low)

    def x(value: float) -> float:
        return _SIDE + (min(max(value, low), high) - low) * scale

    bottom = _TOP + _ROW * len(names)
    parts = []
    for tick in _ticks(low, high):
        parts.append(f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP}" y2="{bottom}"/>')
        half = len(f"{tick:g}") * _TICK_LETTER / 2
        middle = min(max(x(tick), half), _WIDTH - half)  # keep the text inside
        parts.append(f'<text class="tick" x="{middle:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    for row, (name, value, margin) in enumerate(zip(names, values, margins, strict=True)):
        y = _TOP + _ROW * row + 27
        parts.append(f'<text x="0" y="{y - 12}">{_label(name, _WIDTH / _LETTER)}</text>')
        parts.append(
            f'<line class="interval" x1="{x(value - margin):.1f}" x2="{x(value + margin):.1f}" y1="{y}" y2="{y}"/>'
        )
        parts.append(f'<circle class="point" cx="{x(value):.1f}" cy="{y}" r="4.5"/>')
    parts.append(_unit(unit, bottom))
    return _svg("".join(parts), bottom + 42, unit)


class Line(NamedTuple):
    """A learning curve as it is drawn.

    Attributes:
        name: its name.
        learned: the amounts learned from, ascending.
        values: the values then.
        margins: half the height of the band around each value, infinite for all that is shown; empty for no band.
    """

    name: str
    learned: Sequence[float]
    values: Sequence[float]
    margins: Sequence[float] = ()


def curve_plot(
    curves: "Sequence[Line | tuple[str, Sequence[float], Sequence[float]]]",
    unit: str,
    *,
    shares: bool = True,
    levels: Mapping[str, float] | None = None,
) -> str:
    """Learning curves, all runs in one picture, with their names below.

    Args:
        curves: the curves, as `Line` describes them.
        unit: the label of the horizontal axis.
        shares: values are shares, 0 to 1, shown in percent; otherwise they are shown as they are.
        levels: values of others, by name, drawn as horizontal lines.
    """
    lines, levels = [Line(*curve) for curve in curves], levels or {}
    most = max(line.learned[-1] for line in lines)
    low, high = _limits([*lines, *(Line("", [], [value]) for value in levels.values())], shares)
    left, right, bottom = 46, _WIDTH - 2 * _SIDE, _TOP + 190
    scale = 100 if shares else 1

    def x(value: float) -> float:
        return left + value / (most or 1) * (right - left)

    def y(value: float) -> float:
        return bottom - (min(max(value, low), high) - low) / (high - low) * (bottom - _TOP)

    parts = []
    for tick in _ticks(scale * low, scale * high):
        at, sign = y(tick / scale), " %" if shares else ""
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="tick" x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{tick:g}{sign}</text>')
    for tick in _ticks(0, most or 1):
        middle = min(x(tick), _WIDTH - len(f"{tick:,.10g}") * _TICK_LETTER / 2)  # keep the text inside
        parts.append(f'<text class="tick" x="{middle:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:,.10g}</text>')
    parts.append(_unit(unit, bottom))
    for name, value in levels.items():
        shown = _label(name, (right - left) / _TICK_LETTER)
        parts.append(f'<line class="level" x1="{left}" x2="{right}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text class="tick" x="{right}" y="{y(value) - 3:.1f}" text-anchor="end">{shown}</text>')
    for number, (name, learned, values, margins) in enumerate(lines):
        kind, at = f"curve c{number % _COLOURS}", bottom + 54 + 20 * number
        points = [(x(amount), y(value)) for amount, value in zip(learned, values, strict=True)]
        if margins:
            ends = list(zip(learned, values, margins, strict=True))
            around = [(x(a), y(v + m)) for a, v, m in ends] + [(x(a), y(v - m)) for a, v, m in reversed(ends)]
            parts.append(f'<polygon class="band c{number % _COLOURS}" points="{_joined(around)}"/>')
        parts.append(f'<polyline class="{kind}" points="{_joined(points)}"/>')
        parts.append(f'<circle class="{kind}" cx="{points[-1][0]:.1f}" cy="{points[-1][1]:.1f}" r="2.5"/>')
        parts.append(f'<line class="{kind}" x1="{left}" x2="{left + 22}" y1="{at - 4}" y2="{at - 4}"/>')
        parts.append(f'<text x="{left + 30}" y="{at}">{_label(name, (_WIDTH - left - 30) / _LETTER)}</text>')
    return _svg("".join(parts), bottom + 42 + 20 * len(lines), f"{'score' if shares else 'strength'} over {unit}")


def _limits(lines: Sequence[Line], shares: bool) -> tuple[float, float]:
    """The least and the greatest value that is drawn: shares in tenths, other values in full.

    Bands of shares end at 0 and 1, other bands where the span of the values has tripled: two runs have wide ones.
    """
    values = [value for line in lines for value in line.values]
    least, most = min(values), max(values)
    bottom, top = (0.0, 1.0) if shares else (least - (most - least or 1), most + (most - least or 1))
    for line in lines:
        for value, margin in zip(line.values, line.margins, strict=False):
            if math.isfinite(margin):
                values += [max(value - margin, bottom), min(value + margin, top)]
    parts = 10 if shares else 1
    low, high = math.floor(parts * min(values)) / parts, math.ceil(parts * max(values)) / parts
    return (low, high) if low < high else (low - 1 / parts, high + 1 / parts)


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in points)


def _unit(unit: str, bottom: float) -> str:
    """The text below a scale."""
    shown = _label(unit, _WIDTH / _TICK_LETTER)
    return f'<text class="tick" x="{_WIDTH / 2}" y="{bottom + 34}" text-anchor="middle">{shown}</text>'


def _label(text: str, room: float) -> str:
    """The content of a `<text>`; a label longer than `room` letters is shortened in the middle, with a full title."""
    if len(text) <= room:
        return escape(text)
    half = (int(room) - 1) // 2
    return f"<title>{escape(text)}</title>{escape(text[:half])}…{escape(text[-half:])}"


def _svg(content: str, height: float, label: str) -> str:
    return f'<svg class="plot" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(label)}">{content}</svg>'


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the limits."""
    span = high - low
    size = 10 ** math.floor(math.log10(span))
    step = next(size * factor for factor in (0.25, 0.5, 1, 2.5) if span / (size * factor) <= _TICKS - 1)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def shade(share: float) -> str:
    """The class of a heat map's cell: `h0` for a share of 0 to `h10` for 1; `none` for NaN."""
    return "none" if math.isnan(share) else f"h{round(10 * min(max(share, 0.0), 1.0))}"
