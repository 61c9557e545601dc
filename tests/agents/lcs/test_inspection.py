"""What is shown of a list of rules."""

from ludarium.agents.lcs.inspection import _bars


def test_bars_are_as_long_as_what_they_stand_for() -> None:
    entries = [
        {"number": 1, "rule": "play: lives >= 1", "fired": 600, "brings": 2.0},
        {"number": 2, "rule": "discard: lives >= 1", "fired": 150, "brings": -1.0},
        {"number": 3, "rule": "discard: tokens < 8", "fired": 0, "brings": float("nan")},
    ]
    bars = [shape for kind, shape in _bars(entries).shapes if kind == "rect"]
    assert [bar["width"] for bar in bars] == [150, 150, 37.5, 75, 1]
    assert bars[1]["fill"] != bars[3]["fill"]  # a gain and a loss
    texts = [shape["text"] for kind, shape in _bars(entries).shapes if kind == "text"]
    assert {"2.0", "+2.00", "0.5", "-1.00"} <= set(texts)
    tops = [bar["y"] for bar in bars]
    places = [(shape["x"], shape["y"]) for kind, shape in _bars(entries).shapes if kind == "text"]
    assert places[3:5] == [(14 + 150, tops[0] + 5), (14 + bars[1]["x"] - 8 + 150, tops[0] + 5)]  # right of the bars
