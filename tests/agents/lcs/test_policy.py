"""What a list does if none of its rules fires."""

import numpy as np
import pytest

from ludarium.agents.lcs.policy import rule_player
from ludarium.agents.lcs.text import read_rules
from ludarium.envs.chance import stream
from ludarium.envs.hanabi import Hanabi

OWN = "R5:RYGWB:12345,Y5:RYGWB:12345,G5:RYGWB:12345,W5:RYGWB:12345,B5:RYGWB:12345"
NO_RED = "W3:RYGWB:12345,G2:RYGWB:12345,G3:RYGWB:12345,W4:RYGWB:12345,B4:RYGWB:12345"
EARLY = f"fireworks=R0Y0G0W0B0 discards=- hands={OWN}/{NO_RED} lives=3 turn=alice left=2 last=-"
NOBODY_TO_TELL = "fireworks=R1 discards=R1,R1 hands=R2:R:12/- lives=3 turn=alice left=1 last=-"


@pytest.mark.parametrize(
    ("options", "text", "information", "move"),
    [
        ({}, EARLY, 8, "hint-bob-green"),
        ({}, EARLY, 7, "discard-1"),
        ({}, EARLY, 0, "discard-1"),
        ({"colors": 1, "ranks": 2, "hand_size": 1}, NOBODY_TO_TELL, 8, "play-1"),
        ({"colors": 1, "ranks": 2, "hand_size": 1}, NOBODY_TO_TELL, 7, "discard-1"),
        ({"information_tokens": 7}, EARLY, 7, "hint-bob-green"),
    ],
)
def test_the_last_resort(options, text, information, move):
    """The oldest card is discarded; with all tokens there, the first hint is given, or the oldest card played."""
    game = Hanabi(**options)
    position = game.from_text(text.replace(" lives", f" information={information} lives"))
    policy = rule_player(game, read_rules("play: lives >= 4"))
    seen = np.frombuffer(position.view(0).tobytes(), dtype=np.uint8).copy()
    action = policy.choose(game, seen, position.observe(0), position.action_mask(), stream(0))
    assert game.action_to_str(position, action) == move
