"""A population of whole lists in the arrays of a run, and the window of decks on which all of them are judged.

In each generation a few new decks come, and the oldest go.
"""

from collections.abc import Sequence

import numpy as np

from ludarium.agents.lcs.games import SAMPLE
from ludarium.agents.lcs.language import RULE
from ludarium.agents.lcs.operators import Rules, padded
from ludarium.agents.lcs.racing import Player
from ludarium.envs.files import Arrays

GAMES, WINDOW, LAST = range(3)
"""Of the array `progress`: games so far, decks in the window, and the number of all decks so far."""


def start(lists: list[Rules], longest: int, decks: int) -> Arrays:
    """Lists of which nothing is known, with room for rules up to the longest list, and for scores on so many decks."""
    rules, lengths = padded(lists, longest)
    return {
        "rules": rules,
        "lengths": lengths,
        "scores": np.zeros((len(lists), decks), dtype=np.float32),
        "credit": np.zeros((len(lists), longest + 1, 3)),
        "samples": np.zeros(len(lists), dtype=SAMPLE),
        "progress": np.zeros(3, dtype=np.int64),
    }


def players(arrays: Arrays) -> list[Player]:
    """The population."""
    count, players = int(arrays["progress"][WINDOW]), []
    for place, length in enumerate(arrays["lengths"]):
        rules, credit = arrays["rules"][place, :length].astype(RULE), arrays["credit"][place]
        credit = np.append(credit[:length], credit[-1:], axis=0)
        players.append(Player(rules, arrays["scores"][place, :count], credit, arrays["samples"][[place]]))
    return players


def store(arrays: Arrays, members: Sequence[Player]) -> None:
    """Make these players the population; if they are too few, the best fill the empty places."""
    size = len(arrays["lengths"])
    members = [members[place % len(members)] for place in range(size)]
    arrays["rules"], arrays["lengths"] = padded([player.rules for player in members], arrays["rules"].shape[1])
    for name in ("scores", "credit"):  # the players may hold parts of the old ones
        arrays[name] = np.zeros_like(arrays[name])
    for place, player in enumerate(members):
        arrays["scores"][place, : len(player.scores)] = player.scores
        arrays["credit"][place, : len(player.rules)] = player.credit[:-1]
        arrays["credit"][place, -1] = player.credit[-1]
        arrays["samples"][place] = player.sample[0]


def move_window(arrays: Arrays, size: int, season: int) -> int:
    """Move the window of decks on.

    Args:
        arrays: what the run knows.
        size: how many decks the window must have; it never shrinks.
        season: the number of generations in which all decks are replaced.

    Returns:
        How many decks are new.
    """
    progress = arrays["progress"]
    size = max(int(progress[WINDOW]), size)
    fresh = max(-(-size // season), size - int(progress[WINDOW]))
    progress[WINDOW] = size
    progress[LAST] += fresh
    return fresh


def window(arrays: Arrays) -> range:
    """The numbers of the decks in the window, the newest first."""
    last, count = int(arrays["progress"][LAST]), int(arrays["progress"][WINDOW])
    return range(last - 1, last - 1 - count, -1)


def merits(arrays: Arrays) -> list[str]:
    """The mean score of each member on the window."""
    count = int(arrays["progress"][WINDOW])
    if not count:
        return [""] * len(arrays["scores"])
    return [f"{scores[:count].mean(dtype=np.float64):.2f} points" for scores in arrays["scores"]]
