"""Drawings: the same shapes as SVG and as pixels."""

from xml.etree import ElementTree

import numpy as np
import pytest

from ludarium.envs.drawing import Area, Drawing

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawing() -> Drawing:
    drawing = Drawing(200, 100, "#ffffff")
    drawing.rect(10, 10, 30, 20, "#ff0000")
    drawing.circle(70, 50, 20, "#00ff00", edge="#000000", line=2)
    drawing.polygon([(100, 90), (120, 50), (140, 90)], "#0000ff", edge="#000000")
    drawing.line((150, 10), (150, 90), "#808080", 6)
    drawing.text(175, 50, "a<b", 20, "#000000")
    return drawing


def test_svg_is_one_valid_element_with_every_shape(drawing):
    root = ElementTree.fromstring(drawing.svg())
    assert root.tag == f"{SVG}svg"
    assert root.attrib["viewBox"] == "0 0 200 100"
    assert [child.tag.removeprefix(SVG) for child in root] == ["rect", "rect", "circle", "polygon", "line", "text"]
    assert root[-1].text == "a<b"
    assert root[2].attrib["stroke"] == "#000000"
    assert "stroke" not in root[1].attrib


def test_pixels_show_the_shapes_where_they_are(drawing):
    pixels = drawing.rgb(200)
    assert (pixels.shape, pixels.dtype) == ((200, 400, 3), np.uint8)
    assert pixels.flags.writeable

    def at(x, y):
        return tuple(int(value) for value in pixels[2 * y, 2 * x])

    assert at(2, 2) == (255, 255, 255)
    assert at(25, 20) == (255, 0, 0)
    assert at(70, 50) == (0, 255, 0)
    assert at(120, 80) == (0, 0, 255)
    assert at(150, 50) == (128, 128, 128)
    assert pixels[80:120, 330:370].min() < 64  # the text is there


def dark_pixels(draw, height):
    """Left, right, upper and lower end of what a function draws on 100 × 50 units."""
    drawing = Drawing(100, 50)
    draw(drawing)
    rows, columns = np.nonzero(drawing.rgb(height).min(axis=2) < 128)
    return columns.min(), columns.max() + 1, rows.min(), rows.max() + 1


@pytest.mark.parametrize(
    ("draw", "units"),
    [
        (lambda drawing: drawing.rect(10, 5, 30, 20, "#ff0000"), (10, 40, 5, 25)),
        (lambda drawing: drawing.circle(50, 20, 10, "#ff0000"), (40, 60, 10, 30)),
        (lambda drawing: drawing.polygon([(10, 10), (40, 10), (40, 30)], "#ff0000"), (10, 40, 10, 30)),
        (lambda drawing: drawing.line((20, 10), (20, 40), "#000000", 6), (17, 23, 10, 40)),
        (lambda drawing: drawing.line((20, 10), (60, 10), "#000000", 6), (20, 60, 7, 13)),
        (lambda drawing: drawing.text(50, 20, "H", 20, "#000000"), (44, 56, 13, 27)),
    ],
)
def test_a_shape_fills_its_place_in_pixels(draw, units):
    for height in (50, 200):
        pixels = np.array(units) * height / 50
        np.testing.assert_allclose(dark_pixels(draw, height), pixels, atol=height / 50)


def test_edges_have_their_width_in_pixels():
    drawing = Drawing(100, 50)
    drawing.rect(10, 10, 30, 30, "#ffffff", edge="#000000")
    drawing.circle(70, 25, 15, "#ffffff", edge="#000000", line=4)
    drawing.polygon([(90, 0), (100, 0), (100, 50), (90, 50)], "#ffffff", edge="#000000")
    pixels = drawing.rgb(100)[50, :, 0]
    rect, circle, polygon = [20, 21, 78, 79], [*range(110, 118), *range(162, 170)], [180, 181, 198, 199]
    assert np.flatnonzero(pixels < 128).tolist() == rect + circle + polygon


def test_thin_lines_and_small_letters_do_not_vanish():
    for draw in (
        lambda drawing: drawing.line((0, 25), (100, 25), "#000000", 0.01),
        lambda drawing: drawing.circle(50, 25, 20, "#ffffff", edge="#000000", line=0.01),
        lambda drawing: drawing.rect(10, 10, 80, 30, "#ffffff", edge="#000000"),
        lambda drawing: drawing.text(50, 25, "MMM", 1, "#000000"),
    ):
        drawing = Drawing(100, 50)
        draw(drawing)
        assert drawing.rgb(10).min() < 255


@pytest.mark.parametrize("height", [1, 7, 100, 333])
def test_pixels_have_the_height_asked_for_and_the_width_in_proportion(drawing, height):
    assert drawing.rgb(height).shape == (height, max(1, round(2 * height)), 3)


@pytest.mark.parametrize(("anchor", "left", "right"), [("start", 50, 100), ("middle", 25, 75), ("end", 0, 50)])
def test_text_is_anchored(anchor, left, right):
    drawing = Drawing(100, 40)
    drawing.text(50, 20, "MMM", 14, "#000000", anchor=anchor)
    columns = np.flatnonzero(drawing.rgb(40).min(axis=(0, 2)) < 128)
    assert left <= columns.min()
    assert columns.max() < right + 1
    assert ElementTree.fromstring(drawing.svg())[-1].attrib["text-anchor"] == anchor


def test_corners_are_rounded():
    drawing = Drawing(100, 100)
    drawing.rect(0, 0, 100, 100, "#000000", radius=40)
    pixels = drawing.rgb(100)
    assert pixels[1, 1].min() == 255
    assert pixels[50, 50].max() == 0
    assert ElementTree.fromstring(drawing.svg())[-1].attrib["rx"] == "40"


def test_plain_text_becomes_a_picture_of_its_lines():
    drawing = Drawing.of_text("first\nsecond & last")
    texts = [child.text for child in ElementTree.fromstring(drawing.svg()) if child.tag == f"{SVG}text"]
    assert texts == ["first", "second", "&", "last"]
    assert drawing.rgb(60).min() < 128
    assert (drawing.width, drawing.height) == pytest.approx((15 * 16 * 0.62, 3 * 16 * 1.3))
    assert Drawing.of_text("").rgb(10).shape[0] == 10
    assert drawing.rgb().shape[0] == 400


def test_words_of_plain_text_stand_where_a_terminal_has_them():
    """Also in letters of different widths; so a board in print is a board in the picture."""
    drawing = Drawing.of_text(". x\nx .")
    places = [(shape["x"], shape["y"]) for _, shape in drawing.shapes]
    areas = [Area.of_text(column, row) for row in (0, 1) for column in (0, 2)]
    for (x, y), area in zip(places, areas, strict=True):
        assert area.x < x < area.x + area.width / 2
        assert y == pytest.approx(area.y + area.height / 2)
    block = Area.of_text(0, 0, columns=3, rows=2)
    assert block[:2] == areas[0][:2]
    assert block.x + block.width == pytest.approx(areas[3].x + areas[3].width)
    assert block.y + block.height == pytest.approx(areas[3].y + areas[3].height)


def test_a_frame_lies_inside_its_area():
    drawing = Drawing(100, 100)
    drawing.frame(Area(10, 20, 50, 60), "#000000", 2)
    ends = np.array([(shape["start"], shape["end"]) for _, shape in drawing.shapes])
    assert ends.shape == (4, 2, 2)
    np.testing.assert_allclose(ends.min(axis=(0, 1)), (12, 22))
    np.testing.assert_allclose(ends.max(axis=(0, 1)), (58, 78))
    pixels = drawing.rgb(100)
    assert pixels[22, 30].max() < 128 < pixels[50, 30].min()
