"""Pictures of positions: a few shapes that print as SVG and render to pixels.

Games compose a `Drawing` from rectangles, circles, polygons, lines and text, in units of their own choice. The same
drawing gives `svg()` for pages and notebooks and `rgb()` for `render_mode="rgb_array"`, so the two never differ.
"""

import re
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
_SMOOTHING = 3  # pixels are rendered this much larger and averaged
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LETTER, _LINE = 0.62, 1.3  # of plain text, by the size of its letters


class Area(NamedTuple):
    """A rectangle of a drawing, its top left corner at (x, y)."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def of_text(cls, column: int, row: int, columns: int = 1, rows: int = 1, size: float = 16) -> "Area":
        """Where `Drawing.of_text` has a block of letters: its first column and row, and how many of each."""
        step, line = size * _LETTER, size * _LINE
        return cls((column + 0.75) * step, (row + 0.5) * line, columns * step, rows * line)


@dataclass
class Drawing:
    """A canvas of `width` × `height` units; `x` runs right, `y` down. Colours are `"#rrggbb"`.

    Its background is opaque, so it looks the same on a light page and on a dark one. Notebooks show it as SVG.

    Attributes:
        title: what it shows, in a line, for people who hear it; `Position.picture` fills it in.
        description: the same as lines of text.
    """

    width: float
    height: float
    background: str = "#ffffff"
    shapes: list[tuple[str, dict[str, Any]]] = field(default_factory=list, repr=False)
    title: str = ""
    description: str = ""

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, *, edge: str | None = None, radius: float = 0
    ) -> None:
        """A rectangle with its top left corner at (x, y); `radius` rounds the corners."""
        self.shapes.append(
            ("rect", {"x": x, "y": y, "width": width, "height": height, "fill": fill, "edge": edge, "round": radius})
        )

    def circle(self, x: float, y: float, radius: float, fill: str, *, edge: str | None = None, line: float = 1) -> None:
        """A disc around (x, y)."""
        self.shapes.append(("circle", {"x": x, "y": y, "radius": radius, "fill": fill, "edge": edge, "line": line}))

    def polygon(self, points: list[Point], fill: str, *, edge: str | None = None) -> None:
        """A filled polygon."""
        self.shapes.append(("polygon", {"points": points, "fill": fill, "edge": edge}))

    def line(self, start: Point, end: Point, colour: str, line: float = 1) -> None:
        """A straight line of width `line`."""
        self.shapes.append(("line", {"start": start, "end": end, "colour": colour, "line": line}))

    def frame(self, area: Area, colour: str, line: float) -> None:
        """A frame along the inside of an area, a little away from its edges."""
        inset = 0.04 * min(area.width, area.height)
        left, upper, right, lower = area.x + inset, area.y + inset, area.x + area.width, area.y + area.height
        corners = [(left, upper), (right - inset, upper), (right - inset, lower - inset), (left, lower - inset)]
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            self.line(start, end, colour, line)

    def text(self, x: float, y: float, text: str, size: float, colour: str, *, anchor: str = "middle") -> None:
        """One line of text, its middle line at y; `anchor` is `"start"`, `"middle"` or `"end"`."""
        self.shapes.append(("text", {"x": x, "y": y, "text": text, "size": size, "colour": colour, "anchor": anchor}))

    @classmethod
    def of_text(cls, text: str, size: float = 16) -> "Drawing":
        """Plain lines of text, for games that draw nothing better; words stand in columns, as on a terminal."""
        lines, step = text.splitlines() or [""], size * _LETTER
        drawing = cls((max(map(len, lines)) + 2) * step, (len(lines) + 1) * size * _LINE)
        for row, line in enumerate(lines, 1):
            for word in re.finditer(r"\S+", line):
                drawing.text((word.start() + 1) * step, row * size * _LINE, word[0], size, "#1d2329", anchor="start")
        return drawing

    def svg(self) -> str:
        """The drawing as one SVG element, complete in itself."""
        body = "".join(_SVG[kind](shape) for kind, shape in self.shapes)
        role, texts = "", ""
        if self.title:
            role, texts = ' role="img"', f"<title>{_escaped(self.title)}</title>"
            texts += f"<desc>{_escaped(self.description)}</desc>" * bool(self.description)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" font-family="sans-serif"{role}>{texts}'
            f'<rect width="100%" height="100%" fill="{self.background}"/>{body}</svg>'
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def rgb(self, height: int = 400) -> NDArray[np.uint8]:
        """The drawing as pixels, shape (height, width, 3) uint8, the width in proportion."""
        from PIL import Image, ImageDraw

        scale = height / self.height * _SMOOTHING
        size = (max(1, round(self.width * scale / _SMOOTHING)) * _SMOOTHING, height * _SMOOTHING)
        image = Image.new("RGB", size, self.background)
        canvas = ImageDraw.Draw(image)
        for kind, shape in self.shapes:
            _PIXELS[kind](canvas, shape, scale)
        return np.asarray(image.reduce(_SMOOTHING), dtype=np.uint8).copy()


def _escaped(text: str) -> str:
    """The text inside an XML element; characters that XML does not have, such as a terminal's colours, become �."""
    return escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _edge(shape: dict[str, Any]) -> str:
    return f' stroke="{shape["edge"]}" stroke-width="{shape.get("line", 1):g}"' if shape["edge"] else ""


def _points(shape: dict[str, Any]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in shape["points"])


_SVG: dict[str, Any] = {
    "rect": lambda s: (
        f'<rect x="{s["x"]:g}" y="{s["y"]:g}" width="{s["width"]:g}" height="{s["height"]:g}" '
        f'rx="{s["round"]:g}" fill="{s["fill"]}"{_edge(s)}/>'
    ),
    "circle": lambda s: f'<circle cx="{s["x"]:g}" cy="{s["y"]:g}" r="{s["radius"]:g}" fill="{s["fill"]}"{_edge(s)}/>',
    "polygon": lambda s: f'<polygon points="{_points(s)}" fill="{s["fill"]}"{_edge(s)}/>',
    "line": lambda s: (
        f'<line x1="{s["start"][0]:g}" y1="{s["start"][1]:g}" x2="{s["end"][0]:g}" y2="{s["end"][1]:g}" '
        f'stroke="{s["colour"]}" stroke-width="{s["line"]:g}" stroke-linecap="round"/>'
    ),
    "text": lambda s: (  # dy, since not every viewer knows dominant-baseline
        f'<text x="{s["x"]:g}" y="{s["y"]:g}" font-size="{s["size"]:g}" fill="{s["colour"]}" '
        f'text-anchor="{s["anchor"]}" dy="0.35em">{_escaped(s["text"])}</text>'
    ),
}


def _pixel_rect(canvas: Any, s: dict[str, Any], k: float) -> None:
    box = [s["x"] * k, s["y"] * k, (s["x"] + s["width"]) * k, (s["y"] + s["height"]) * k]
    canvas.rounded_rectangle(box, s["round"] * k, fill=s["fill"], outline=s["edge"], width=max(1, round(k)))


def _pixel_circle(canvas: Any, s: dict[str, Any], k: float) -> None:
    x, y, r = s["x"] * k, s["y"] * k, s["radius"] * k
    canvas.ellipse([x - r, y - r, x + r, y + r], fill=s["fill"], outline=s["edge"], width=max(1, round(s["line"] * k)))


def _pixel_polygon(canvas: Any, s: dict[str, Any], k: float) -> None:
    corners = [(x * k, y * k) for x, y in s["points"]]
    canvas.polygon(corners, fill=s["fill"], outline=s["edge"], width=max(1, round(k)))


def _pixel_line(canvas: Any, s: dict[str, Any], k: float) -> None:
    (x1, y1), (x2, y2) = s["start"], s["end"]
    canvas.line([x1 * k, y1 * k, x2 * k, y2 * k], fill=s["colour"], width=max(1, round(s["line"] * k)))


def _pixel_text(canvas: Any, s: dict[str, Any], k: float) -> None:
    from PIL import ImageFont

    anchor = {"start": "lm", "middle": "mm", "end": "rm"}[s["anchor"]]
    font = ImageFont.load_default(max(1, s["size"] * k))
    canvas.text((s["x"] * k, s["y"] * k), s["text"], fill=s["colour"], font=font, anchor=anchor)


_PIXELS: dict[str, Any] = {
    "rect": _pixel_rect,
    "circle": _pixel_circle,
    "polygon": _pixel_polygon,
    "line": _pixel_line,
    "text": _pixel_text,
}
