"""Islands: populations that evolve one after another, each from new founders; the best of all make up the last one.

Lists that evolve from random rules soon settle what a hint means, and seldom change it later: a convention that is
worth two points less stays. So it is better to settle several times, and go on from the best.
"""

from typing import NamedTuple

import numpy as np

from ludarium.agents.lcs.language import RULE, empty_rules
from ludarium.agents.lcs.operators import Rules, padded
from ludarium.agents.lcs.text import well_formed
from ludarium.envs.files import Arrays

SHARE, DECKS = 0.6, 60
"""The share of the games in which islands evolve, and the size of the window of decks at the end of each."""


class Stage(NamedTuple):
    """Where a run is.

    Attributes:
        island: the number of the island; for the last population, the number of islands.
        done: how much of its games have been played, from 0 to 1.
    """

    island: int
    done: float


def stage(games: int, total: float, islands: int) -> Stage:
    """The stage of a run that has played so many games of the total."""
    each = SHARE * total / islands if islands else 0.0
    island = min(int(games / max(each, 1.0)), islands)
    length = each if island < islands else total - islands * each
    return Stage(island, min(1.0, (games - island * each) / max(length, 1.0)))


def start(population: int, longest: int) -> Arrays:
    """Room for the best lists of all islands, in equal shares."""
    settlers, lengths = padded([empty_rules(0)] * population, longest)
    return {"settlers": settlers, "settled": lengths, "island": np.zeros(1, dtype=np.int64)}


def fits(arrays: Arrays, islands: int) -> bool:
    """Whether what was kept can be played."""
    rules, lengths = arrays["settlers"], arrays["settled"]
    return bool(
        0 <= arrays["island"][0] <= islands
        and ((lengths >= 0) & (lengths <= rules.shape[1])).all()
        and all(well_formed(row[:length]) for row, length in zip(rules, lengths, strict=True) if length)
    )


def settle(arrays: Arrays, islands: int) -> None:
    """Keep the best lists of the island that the population leaves."""
    share = len(arrays["lengths"]) // islands
    first = int(arrays["island"][0]) * share
    arrays["settlers"][first : first + share] = arrays["rules"][:share]
    arrays["settled"][first : first + share] = arrays["lengths"][:share]


def settlers(arrays: Arrays) -> list[Rules]:
    """What was kept, the same lists again and again if they are too few for a population."""
    places_settled = np.flatnonzero(arrays["settled"])
    places = np.resize(places_settled, len(arrays["settled"]))
    return [arrays["settlers"][place, : arrays["settled"][place]].astype(RULE) for place in places]


def land(arrays: Arrays, island: int, lists: list[Rules]) -> None:
    """Begin an island with these lists, of which nothing is known."""
    arrays["rules"], arrays["lengths"] = padded(lists, arrays["rules"].shape[1])
    for name in ("scores", "credit"):
        arrays[name] = np.zeros_like(arrays[name])
    arrays["island"][0] = island
