"""What people read about evaluations: weights in percent, and what a disc on a square is worth."""

import numpy as np
import pytest

from ludarium.agents.genetic.minimax.inspection import inspect_features

GOOD, BAD, PAPER, INK = "#1f6f8b", "#c8654a", "#fcfcfb", "#1c2126"
TUPLES = """\
what a disc on a square is worth:
 -1.00  +3.00  +3.00  -1.00
 +3.00  +0.25  +0.25  +3.00
 +3.00  +0.25  +0.25  +3.00
 -1.00  +3.00  +3.00  -1.00

the tuples whose tables vary most:
b1: best x +2.00, worst o -4.00
a1: best o +1.00, worst x -1.00
b2: best - +0.50, worst o -0.25"""


def bars(inspection):
    """Of each bar or square: left, top, width, height, colour."""
    rows = [shape for kind, shape in inspection.legend.shapes if kind == "rect"]
    return [(row["x"], row["y"], row["width"], row["height"], row["fill"]) for row in rows]


def texts(inspection):
    return [
        (shape["text"], shape["x"], shape["y"], shape["size"])
        for kind, shape in inspection.legend.shapes
        if kind == "text"
    ]


def test_features_are_shares_of_their_phase():
    names = ["corners, early", "corners, late", "mobility, early", "mobility, late"]
    inspection = inspect_features(names, np.array([3.0, -1.0, 1.0, 0.0]))
    assert (inspection.summary, inspection.data["weights"]["corners, late"]) == ("4 weights", -1)
    assert inspection.head == [
        "               early        late",
        "corners        +75.0      -100.0",
        "mobility       +25.0        +0.0",
    ]
    assert bars(inspection) == [
        (250, 11.5, 71.25, 11, GOOD), (155, 28.5, 95, 11, BAD), (250, 62.5, 23.75, 11, GOOD), (250, 79.5, 1, 11, GOOD),
    ]  # fmt: skip
    assert texts(inspection)[:6] == [
        ("corners", 102, 17, 12), ("+75.0", 326.25, 17, 10), ("early", 441, 17, 10), ("-100.0", 150, 34, 10),
        ("late", 441, 34, 10), ("mobility", 102, 68, 12),
    ]  # fmt: skip
    assert (inspection.legend.width, inspection.legend.height) == (445, 119)


@pytest.mark.parametrize(("weights", "percent"), [([3.0, -1.0], ["+75.0", "-25.0"]), ([0.0, 0.0], ["+0.0", "+0.0"])])
def test_features_without_phases(weights, percent):
    inspection = inspect_features(["discs", "corners"], np.array(weights))
    assert inspection.head == [
        "            percent",
        *(f"{n:7}{p:>12}" for n, p in zip(("discs", "corners"), percent, strict=True)),
    ]


def test_squares_and_tuples(small):
    learner = small("seed", features="tuples:all-1")
    arrays = learner.start(learner.learned)
    arrays["champions"] = np.array([[0, -1, 1, 0, 2, -4, 0.5, 0.25, -0.25]])  # a1, b1, b2: empty, own, the other's
    inspection = learner.inspect(learner.learned, arrays, 0, None)
    assert inspection.summary == "9 weights of 3 tuples and their mirror images"
    assert "\n".join(inspection.head) == TUPLES
    assert inspection.data["squares"] == [-1, 3, 3, -1, 3, 0.25, 0.25, 3, 3, 0.25, 0.25, 3, -1, 3, 3, -1]
    assert bars(inspection)[:2] == [(16, 16, 44, 44, "#ebcac0"), (60, 16, 44, 44, GOOD)]  # a third of the way to BAD
    assert bars(inspection)[5] == (60, 60, 44, 44, "#eaf0f2")
    assert texts(inspection)[4:6] == [("+3.00", 38, 82, 11), ("+0.25", 82, 82, 11)]
    assert texts(inspection)[-2:] == [("d", 170, 8, 11), ("4", 8, 170, 11)]
    inks = [shape["colour"] for kind, shape in inspection.legend.shapes if kind == "text"]
    assert inks[:2] == [INK, PAPER]
    assert (inspection.legend.width, inspection.legend.height) == (194, 194)
