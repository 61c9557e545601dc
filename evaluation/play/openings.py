"""Books: which opening each pair of games begins with, a function of the seed and the number of the pair.

Both games of a pair begin alike, and so does the pair with this number in every pairing. A book is played through and
then from its beginning again, so openings are played equally often, up to one pair.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import child_key, seed_key
from ludarium.envs.game import Game
from ludarium.envs.openings import Openings, random_openings, read_openings

ORDERS = ("random", "sequential")
_ORDER_PATH = 1 << 40  # separates the order of openings from the chance of pairs


@dataclass(frozen=True)
class Book:
    """Openings, and their order.

    Attributes:
        texts: the openings, as `ludarium.envs.openings` reads them.
        order: `"random"`: an order that is a function of the seed; `"sequential"`: as they are given.
    """

    texts: tuple[str, ...]
    order: str = ORDERS[0]

    def numbers(self, seed: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The opening of each pair, counted from 0."""
        places = pairs % len(self.texts)
        return places if self.order == "sequential" else _shuffled(len(self.texts), seed)[places]


@functools.lru_cache(maxsize=32)
def _shuffled(count: int, seed: int) -> NDArray[np.int64]:
    """The numbers below `count` in an order that is a function of the seed."""
    key = seed_key(seed, _ORDER_PATH)
    return np.argsort([child_key(key, number) for number in range(count)], kind="stable")


def openings_of(game: Game, opening: int | Book, seed: int, pairs: NDArray[np.int64]) -> Openings:
    """How games begin.

    Args:
        game: the game.
        opening: number of random moves, or a book.
        seed: the seed of the match.
        pairs: shape (games,): the number of the pair of each game.

    Raises:
        RecordError: if a text of the book is no opening of this game.
    """
    if isinstance(opening, int):
        return random_openings(game, len(pairs), opening)
    return read_openings(game, opening.texts)._replace(which=opening.numbers(seed, pairs))
