"""A list of rules written by hand, to evolve from.

Its convention: a hint asks its receiver to play the newest card that it touches, if that may be playable; unless the
hint is a rank, touches the oldest card without hints, and that may be critical: then it asks to keep it.
"""

from typing import Any

from numpy.typing import NDArray

from ludarium.agents.lcs.text import read_rules

HAND = """
play, most playable: fresh and playable >= 1
play, most place: fresh and playable >= 0.05 and not saved and lives >= 2
play, most place: fresh and playable >= 0.05 and seats >= 3 and lives >= 2
play, most playable, least place: playable >= 1
play, most playable: playable >= 0.1 and deck < 1 and lives >= 2
play, most playable: playable >= 0.7 and touched and seats >= 3 and lives >= 2
hint, most touches, least receiver: saves >= 1 and good and seats >= 3
hint, most gain, most touches: good and gain >= 1 and not bad
hint, most touches, least receiver: saves >= 1 and not bad
hint, most touches: chop-critical and touches-chop and not bad and seats < 4
hint, most touches: told-rank >= 5 and news >= 1 and not bad and seats < 4
hint, most news: pace < 2 and not bad and news >= 1 and seats < 5
discard, least place: dead >= 1
hint, most useless: tokens >= 5 and not bad and plays-next
hint: tokens >= 8 and not bad
discard, least critical, least place: not touched and seats >= 3
discard, least place: chop
discard, least critical
hint: not bad
"""


def hand_list() -> NDArray[Any]:
    """The list written by hand, shape (rules,) of `RULE`."""
    return read_rules(HAND, "the list written by hand")
