"""Lists of rules to evolve from: one written by hand, or anybody's own.

The convention of the one written by hand: a hint asks its receiver to play the newest card that it touches, if that may
be playable; unless the hint is a rank, touches the oldest card without hints, and that may be critical: then it asks to
keep it.
"""

from typing import Any

from numpy.typing import NDArray

from ludarium.agents.lcs.language import empty_rules
from ludarium.agents.lcs.text import read_file, read_rules, rules_text

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


def settled_origin(origin: Any) -> Any:
    """What a run keeps of the option `origin`: of a file of rules its text, so that the run does not need the file.

    Raises:
        ValueError: if there is no such file, or what is wrong with its rules.
    """
    return rules_text(read_file(origin)) if isinstance(origin, str) and origin.endswith(".txt") else origin


def given_list(origin: Any) -> NDArray[Any]:
    """The list that a run starts from, by its settled option `origin`; empty for `"random"`.

    Raises:
        ValueError: if it is neither a list nor the name of one.
    """
    if origin == "random":
        return empty_rules(0)
    if origin == "hand":
        return hand_list()
    if isinstance(origin, str) and "\n" in origin:
        return read_rules(origin, "origin")
    raise ValueError(f"lcs: origin must be 'random', 'hand' or a file of rules, FILE.txt, not {origin!r}")


def check_size(rules: NDArray[Any], most_rules: int, most_conditions: int) -> None:
    """Refuse a list that is larger than lists, or rules, may become.

    Raises:
        ValueError: if it is.
    """
    longest = int((rules["feature"] >= 0).sum(axis=1).max(initial=0))
    for option, needed, given in (("rules", len(rules), most_rules), ("conditions", longest, most_conditions)):
        if given < needed:
            raise ValueError(f"lcs: {option} must be at least {needed}, as many as the list of origin has, not {given}")
