"""Time controls: which texts describe them, and how clocks count."""

import re

import pytest

from ludarium.agents.time_control import Clock, TimeControl, TimeLeft

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "control", "told"),
    [
        ("60", TimeControl(60), "60 s a game"),
        ("60+0.5", TimeControl(60, 0.5), "60 s a game and 0.5 s more after each move"),
        ("2.5/move", TimeControl(2.5, per_move=True), "2.5 s a move"),
    ],
)
def test_texts(text, control, told):
    assert TimeControl.read(text) == control
    assert str(control) == told
    assert TimeControl.read(text).margin == 0.05
    assert (TimeControl.read(text, 0).margin, TimeControl.read(text, 7).margin) == (0, 0.007)


@pytest.mark.parametrize(
    "text", ["", " 60", "-60", "60+", "+1", "60-1", "1:30", "1e3", "60+1/move", "2/moves", "/move", "nan", "٦٠"]
)
def test_other_texts(text):
    told = "clock: expected seconds a game, such as '60', with what each move adds, '60+0.5', or seconds a move, '2/mo"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}.*, not {re.escape(repr(text))}$"):
        TimeControl.read(text)


@pytest.mark.parametrize("text", ["0", "0+1", "0/move", "0.0", "1000001", "60+1000001"])
def test_times_out_of_range(text):
    told = "clock: expected more than 0 and at most 1,000,000 seconds, and at most as many for each move, not"
    with pytest.raises(ValueError, match=re.escape(f"{told} {text!r}")):
        TimeControl.read(text)


@pytest.mark.parametrize("margin", [-1, 10**9 + 1])
def test_margins_out_of_range(margin):
    with pytest.raises(ValueError, match=f"margin: expected 0 to 1,000,000,000 milliseconds, not {margin}"):
        TimeControl.read("60", margin)


def test_the_longest_times():
    assert TimeControl.read("1000000+1000000", 10**9) == TimeControl(10**6, 10**6, margin=10**6)


def test_a_game_clock():
    clock = Clock(TimeControl(3, 0.5, margin=0.25), seats=2)
    assert clock.told() == TimeLeft((3.0, 3.0), 0.5, False, 0.25)
    assert not clock.spend(0, 1 * SECOND)
    assert clock.told().left == (2.5, 3.0)  # 3 - 1 + 0.5
    assert not clock.spend(1, SECOND // 10)
    assert clock.told().left == (2.5, 3.4)
    assert clock.told().allowed(0) == 2.75
    assert not clock.spend(0, 2_600_000_000)  # within the margin: nothing is left but the increment
    assert clock.told().left == (0.5, 3.4)
    assert clock.spend(0, 750_000_000)


def test_the_same_time_for_every_move():
    clock = Clock(TimeControl(2, per_move=True, margin=0), seats=3)
    assert not clock.spend(2, 2 * SECOND - 1)
    assert clock.told().left == (2.0, 2.0, 2.0)
    assert clock.spend(2, 2 * SECOND)
