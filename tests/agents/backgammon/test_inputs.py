"""What networks see of a backgammon position, place by place, as the table of the inputs and the literature say."""

import numpy as np
import pytest

from ludarium.agents.backgammon.inputs import NAMES, inputs
from ludarium.agents.backgammon.threats import NAMES as THREATS

OWN, OTHER = range(2)
OFF, SIX, BAR = 0, 6, 25


def seen(name, side, place, checkers):
    """The inputs that are not 0, by label, if a side has these checkers on a place and nothing else is there."""
    layout = inputs(name)
    pairs = zip(layout.columns[side, place].tolist(), layout.values[place, checkers].tolist(), strict=True)
    return {layout.labels[column]: pytest.approx(value) for column, value in pairs if column >= 0 and value}


@pytest.mark.parametrize(
    ("name", "number"), [("counts", 52), ("tesauro", 196), ("exact", 208), ("stacks", 750), ("threats", 220)]
)
def test_there_are_as_many_inputs_as_the_table_says_and_each_has_one_place(name, number):
    layout = inputs(name)
    assert layout.number == len(set(layout.labels)) == number
    of_places = number - 2 * layout.threats
    assert sorted(layout.columns[layout.columns >= 0].tolist()) == list(range(of_places))
    assert not layout.values[:, 0].any()  # no checkers
    assert layout.values.shape[:2] == (26, 16)


def test_no_other_inputs():
    with pytest.raises(ValueError, match=r"^backgammon: inputs must be one of counts, tesauro, exact, .*, not 'raw'$"):
        inputs("raw")
    assert NAMES == ("counts", "tesauro", "exact", "stacks", "threats")


@pytest.mark.parametrize(
    ("name", "place", "checkers", "expected"),
    [
        ("counts", SIX, 5, {"own point 6": 5}),
        ("counts", OFF, 5, {}),
        ("tesauro", SIX, 1, {"own point 6 ≥ 1": 1}),
        ("tesauro", SIX, 3, {"own point 6 ≥ 1": 1, "own point 6 ≥ 2": 1, "own point 6 ≥ 3": 1}),
        ("tesauro", SIX, 6, {"own point 6 ≥ 1": 1, "own point 6 ≥ 2": 1, "own point 6 ≥ 3": 1, "own point 6 > 3": 1.5}),
        ("tesauro", BAR, 3, {"own bar": 1.5}),
        ("tesauro", OFF, 6, {"own off": 0.4}),
        ("exact", SIX, 1, {"own point 6 = 1": 1}),
        ("exact", SIX, 2, {"own point 6 = 2": 1}),
        ("exact", SIX, 3, {"own point 6 = 3": 1}),
        ("exact", SIX, 6, {"own point 6 > 3": 1.5}),
        ("exact", BAR, 4, {"own bar > 3": 0.5}),
        ("exact", OFF, 15, {"own off > 3": 6}),
        ("stacks", SIX, 1, {"own point 6 = 1": 1}),
        ("stacks", BAR, 15, {"own bar = 15": 1}),
        ("stacks", OFF, 15, {}),
        ("threats", SIX, 2, {"own point 6 = 2": 1}),
    ],
)
def test_what_a_place_shows(name, place, checkers, expected):
    assert seen(name, OWN, place, checkers) == expected
    assert seen(name, OTHER, place, checkers) == {
        label.replace("own", "other"): value for label, value in expected.items()
    }


def test_each_half_of_the_counts_has_both_bars():
    assert seen("counts", OWN, BAR, 2) == {"own bar": 2, "other half: the opponent's bar": 2}
    assert seen("counts", OTHER, BAR, 2) == {"other bar": 2, "own half: the opponent's bar": 2}


def test_inputs_go_from_point_1_to_the_bar_and_what_is_off_first_of_the_own_side():
    points, sides = [*(f"point {point}" for point in range(1, 25)), "bar"], ("own", "other")
    assert list(inputs("counts").labels) == [
        *(f"{who} {place}" for who in sides for place in points),
        *(f"{who} half: the opponent's bar" for who in sides),
    ]
    exact, threats = inputs("exact"), inputs("threats")
    assert list(dict.fromkeys(label.split(" =")[0].split(" >")[0] for label in exact.labels)) == [
        f"{who} {place}" for who in sides for place in (*points, "off")
    ]
    assert threats.labels == exact.labels + tuple(f"{who} {text}" for who in sides for text in THREATS)
    assert np.array_equal(threats.columns, exact.columns)
