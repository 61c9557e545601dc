"""Small pictures for the page, as inline SVG: their colours are classes, so that they follow the page's."""

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _SIDE = 420, 12
_TOP, _ROW = 8, 38
_TICKS = 5  # at most


def interval_plot(names: Sequence[str], values: Sequence[float], margins: Sequence[float], unit: str) -> str:
    """Values with their intervals, one below the other, on a common scale.

    Args:
        names: what each is called.
        values: the values, finite.
        margins: half the intervals; an infinite one is drawn to both edges.
        unit: what the scale shows, as a text below it.
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
        anchor = "start" if x(tick) < 2 * _SIDE else "end" if x(tick) > _WIDTH - 2 * _SIDE else "middle"
        left = {"start": 0.0, "end": float(_WIDTH), "middle": x(tick)}[anchor]
        parts.append(f'<text class="tick" x="{left:.1f}" y="{bottom + 16}" text-anchor="{anchor}">{tick:g}</text>')
    for row, (name, value, margin) in enumerate(zip(names, values, margins, strict=True)):
        y = _TOP + _ROW * row + 27
        parts.append(f'<text x="0" y="{y - 12}">{escape(name)}</text>')
        parts.append(
            f'<line class="interval" x1="{x(value - margin):.1f}" x2="{x(value + margin):.1f}" y1="{y}" y2="{y}"/>'
        )
        parts.append(f'<circle class="point" cx="{x(value):.1f}" cy="{y}" r="4.5"/>')
    parts.append(f'<text class="tick" x="{_WIDTH / 2}" y="{bottom + 34}" text-anchor="middle">{escape(unit)}</text>')
    height = bottom + 42
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(unit)}">'
        f"{''.join(parts)}</svg>"
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the two."""
    span = high - low
    size = 10 ** math.floor(math.log10(span))
    step = next(size * factor for factor in (0.25, 0.5, 1, 2.5, 5, 10) if span / (size * factor) <= _TICKS - 1)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def shade(share: float) -> str:
    """The class of a heat map's cell: `h0` for a share of 0 to `h10` for 1; `none` where there is none."""
    return "none" if math.isnan(share) else f"h{round(10 * min(max(share, 0.0), 1.0))}"
