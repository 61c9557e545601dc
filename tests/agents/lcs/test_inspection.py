"""What is shown of a list of rules."""

import numpy as np

from ludarium.agents.lcs.inspection import _bars, _data, inspect_rules
from ludarium.agents.lcs.text import read_rules
from ludarium.envs.registry import make_game

RULES = """\
1.79 points in 300 games of a team; of its moves 28.4 % are hints that tell nothing new, 94.7 % are no rule's
number in the list, times fired in a game, points after it (standard deviation), points that it brings:

  2     2.14    1.7 (1.6)    +1.20  hint: touches >= 4
    give a hint
    if touched cards is at least 4
    of several that to the next player, color first

  1     1.79    2.2 (1.2)    +1.79  play: playable >= 1
    play a card
    if the probability that it is playable is at least 100 %
    of several the oldest"""


def test_rules_in_print() -> None:
    game = make_game("hanabi?score=points-kept")
    inspection = inspect_rules(
        game, read_rules("play: playable >= 1\nhint: touches >= 4\ndiscard: tokens < 7"), False, 0
    )
    assert "\n".join(inspection.head[:12]) == RULES
    assert (inspection.data["points"], inspection.data["rules"][2]["brings"]) == (1.79, 0)
    alone = inspect_rules(game, read_rules("discard"), False, 0)
    assert "+nan  discard" in alone.head[3]  # without it there is no list


def test_what_is_known_of_a_rule() -> None:
    """Of its moves, the points after them, and their squares."""
    (rule,) = read_rules("discard")
    for credit, points, deviation in (([2.0, 6.0, 18.0], 3, 0), ([2.0, 6.0, 26.0], 3, 2), ([0.0, 0.0, 0.0], 0, 0)):
        told = _data(rule, 4, np.array(credit), 0.5)
        assert (told["number"], told["fired"], told["brings"]) == (5, credit[0], 0.5)
        assert (told["points_after"], told["deviation"]) == (points, deviation)


def test_bars_are_as_long_as_what_they_stand_for() -> None:
    entries = [
        {"number": 1, "rule": "play: lives >= 1", "fired": 600, "brings": 2.0},
        {"number": 2, "rule": "discard: lives >= 1", "fired": 150, "brings": -1.0},
        {"number": 3, "rule": "discard: tokens < 8", "fired": 0, "brings": float("nan")},
    ]
    drawing = _bars(entries)
    shapes = drawing.shapes
    bars = [shape for kind, shape in shapes if kind == "rect"]
    assert [bar["width"] for bar in bars] == [150, 150, 37.5, 75, 1]
    assert bars[1]["fill"] != bars[3]["fill"]  # a gain and a loss
    texts = [shape["text"] for kind, shape in shapes if kind == "text"]
    assert {"2.0", "+2.00", "0.5", "-1.00"} <= set(texts)
    tops = [bar["y"] for bar in bars]
    places = [(shape["x"], shape["y"]) for kind, shape in shapes if kind == "text"]
    assert places[3:5] == [(14 + 150, tops[0] + 5), (14 + bars[1]["x"] - 8 + 150, tops[0] + 5)]  # right of the bars
    rows = [(shape["text"], shape["x"], shape["y"], shape["size"]) for kind, shape in shapes if kind == "text"]
    assert rows[:3] == [
        ("times fired in a game", 8, 17, 11), ("points that it brings", 218, 17, 11),
        ("1. play: lives >= 1", 8, 42, 8),
    ]  # fmt: skip
    assert [(bar["x"], bar["y"], bar["height"]) for bar in bars[:3]] == [(8, 50, 9), (218, 50, 9), (8, 84, 9)]
    assert (drawing.width, drawing.height) == (420, 136)
