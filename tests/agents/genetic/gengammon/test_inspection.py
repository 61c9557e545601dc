"""What people read about a network: its kinds of decisions, its heaviest inputs, the board of its weights."""

import re

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.genetic.gengammon.inspection import _kinds, inspect_network
from ludarium.envs.backgammon.decision_files import load
from ludarium.envs.registry import make_game

KINDS = """\
                  decisions   agreement          v2  likelihood
all                     200       8.0 %       0.503      -2.723
doubles                  30       6.7 %       0.424      -3.601
from the bar             32      21.9 %       0.537      -1.836
a hit, made              39      15.4 %       0.570      -2.860
a hit, not made          33       3.0 %       0.408      -3.148
bearing off               3       0.0 %       0.267      -1.530

the inputs with the heaviest weights:
other point 10 > 3: 0.11
own point 7 ≥ 1: 0.11"""
DIFFERENCE = """\
 O black: 149 pips, 0 off
 white to play 22
the expert plays 7/5(2) 5/3*(2)
the network plays 8/6 11/9 7/5 8/6"""


@pytest.fixture(scope="module")
def inspection(few, network):
    """A random network, and the 200 decisions that were held out."""
    return inspect_network(make_game("backgammon"), network(), inputs("tesauro"), load(few).part(True))


def test_kinds_of_decisions_and_heaviest_inputs(inspection):
    assert inspection.summary == "5 hidden units, 196 inputs"
    assert "\n".join(inspection.head[:11]) == KINDS
    assert inspection.data["kinds"]["doubles"]["decisions"] == 30


@pytest.mark.parametrize(("column", "kind"), [(0, "bearing off"), (25, "from the bar")])
def test_one_checker_is_enough(few, column, kind):
    decisions = load(few).part(True)
    some = decisions.select(np.arange(len(decisions)) < 3)
    some.positions[:, column] = 0, 1, 2
    assert _kinds(some)[kind].tolist() == [False, True, True]
    some.positions[:, column] = 0
    assert kind not in _kinds(some)


def test_a_single_unit(few, network):
    decisions = load(few).part(True)
    one = decisions.select(np.arange(len(decisions)) == 0)
    inspection = inspect_network(make_game("backgammon"), network(units=1), inputs("tesauro"), one)
    assert inspection.summary == "1 hidden unit, 196 inputs"


def test_greatest_difference(inspection):
    assert inspection.tail[:2] == ["", "where it differs most from the experts:"]
    assert "\n".join(inspection.tail[17:21]) == DIFFERENCE
    assert len(inspection.data["differs"]) == 10


def test_board_of_weights(inspection):
    svg = inspection.legend.svg()
    assert re.findall(">([^<]+)</text>", svg) == [
        "bar", *map(str, range(24, 0, -1)), "off", "own checkers", "the opponent&#x27;s",
    ]  # fmt: skip
    bars = re.findall(r'<rect x="(\d+)" y="[\d.]+" width="18" height="([\d.]+)"', svg)
    assert [(int(x), round(float(length))) for x, length in bars[:4]] == [(20, 82), (20, 38), (46, 35), (46, 49)]
    assert max(float(length) for _, length in bars) == 90  # of the heaviest input
    places = [(shape["text"], shape["x"], shape["y"]) for kind, shape in inspection.legend.shapes if kind == "text"]
    assert [places[at] for at in (0, 1, 25, 26, 27)] == [
        ("bar", 29, 114), ("24", 55, 114), ("off", 679, 114), ("own checkers", 16, 8), ("the opponent's", 16, 220),
    ]  # fmt: skip
    tops = [(shape["y"], shape["y"] + shape["height"]) for kind, shape in inspection.legend.shapes if kind == "rect"]
    assert {below for _, below in tops[::2]} == {106}
    assert {above for above, _ in tops[1::2]} == {122}
    assert (inspection.legend.width, inspection.legend.height) == (708, 228)


def test_a_bar_is_as_long_as_the_heaviest_input_of_its_place_weighs(inspection):
    """Of the points as each side counts them: the opponent's first is over the player's last."""
    weights = inspection.data["inputs"]
    heaviest = {}
    for label, weight in weights.items():
        place = re.sub(" [≥>] .", "", label)
        heaviest[place] = max(heaviest.get(place, 0), weight)
    own = ["own bar", *(f"own point {number}" for number in range(24, 0, -1)), "own off"]
    other = ["other bar", *(f"other point {number}" for number in range(1, 25)), "other off"]
    lengths = [shape["height"] for kind, shape in inspection.legend.shapes if kind == "rect"]
    for drawn, places in ((lengths[::2], own), (lengths[1::2], other)):
        assert drawn == pytest.approx([90 * heaviest[place] / max(weights.values()) for place in places])
