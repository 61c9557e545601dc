"""Hanabi's pictures."""

from typing import Any

import pytest

from ludarium.envs.hanabi import Hanabi


@pytest.mark.parametrize("options", [{}, {"seats": 5}, {"seats": 3, "preset": "very-small"}])
def test_the_picture_of_a_view_hides_the_own_hand(options: dict[str, Any], dealt: Any) -> None:
    position = dealt(Hanabi(**options))
    game = position.game
    position.play(position.legal_actions()[-1])
    assert game.draw(position).svg().count(">?<") == 0
    assert game.draw_view(position, 1).svg().count(">?<") == game.options["hand_size"]
    assert game.draw(position).rgb(300).std() > 5


def test_colors_are_named_for_those_who_cannot_tell_them_apart(dealt: Any) -> None:
    position = dealt(Hanabi(seats=5))
    picture, hands = position.game.draw(position).svg(), position.record.color[:, :4]
    for color, letter in enumerate("RYGWB"):
        named = (hands == color).sum() + 2  # and among the fireworks and the discards
        assert picture.count(f">{letter}<") == named


def test_the_last_turns_are_counted(dealt: Any) -> None:
    position = dealt(Hanabi(preset="very-small", seats=5))
    assert "turns left 5" in position.game.draw(position).svg()
