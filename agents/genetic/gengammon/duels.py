"""Duels, in which two networks meet with the same dice, each in both seats; and the hall of fame of the winners."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.architecture import Architecture, player_of
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.registry import make_game

HALL = 4
"""The number of champions in the hall of fame."""
_WEIGHTS = ("hidden", "output")


class Duel(NamedTuple):
    """Games of one network with another, for any worker: each set of dice is a key."""

    variant: str
    one: Network
    other: Network
    keys: NDArray[np.uint64]


def duel(part: Duel) -> tuple[float, int]:
    """The sum over all dice of the first network's net points a game, the mean of both seats; and the decisions."""
    game = make_game(f"backgammon?variant={part.variant}")
    policies = [player_of(game, network) for network in (part.one, part.other)]
    keys = np.concatenate([part.keys, part.keys])
    seating = np.repeat([[0, 1], [1, 0]], len(part.keys), axis=0)
    played = play_games(game, policies, seating, keys, keys)
    first, second = np.split(played.payoffs, 2)
    return float((first[:, 0] + second[:, 1]).sum()) / 2, int(played.lengths.sum())


def dice(key: int, number: int) -> NDArray[np.uint64]:
    """The keys of so many games."""
    return np.array([seed_key(key, i) for i in range(number)], dtype=np.uint64)


def new_hall(arrays: Arrays) -> Arrays:
    """A hall of fame in which the first network is the only champion."""
    hall = {f"hall_{name}": np.repeat(arrays[name][None], HALL, axis=0) for name in _WEIGHTS}
    return {**hall, "crowned": np.ones(1, dtype=np.int64)}


def latest_champion(architecture: Architecture, arrays: Arrays) -> Network:
    """The latest champion."""
    return _champion(architecture, arrays, int(arrays["crowned"][0]) - 1)


def meet_hall(
    architecture: Architecture, arrays: Arrays, variant: str, keys: NDArray[np.uint64], parallel: Parallel
) -> tuple[int, int]:
    """Let the network meet the champions, and become one if it wins; the arrays change.

    Returns:
        The numbers of games and decisions.
    """
    network = architecture.network(arrays["hidden"], arrays["output"])
    crowned = int(arrays["crowned"][0])
    champions = [_champion(architecture, arrays, number) for number in range(max(crowned - HALL, 0), crowned)]
    parts = [Duel(variant, network, champion, keys[i :: len(champions)]) for i, champion in enumerate(champions)]
    answers = parallel(duel, parts)
    if answers[-1][0] > 0 and sum(points for points, _ in answers) > 0:
        for name in _WEIGHTS:
            arrays[f"hall_{name}"][crowned % HALL] = arrays[name]
        arrays["crowned"] += 1
    return 2 * len(keys), sum(decisions for _, decisions in answers)


def _champion(architecture: Architecture, arrays: Arrays, number: int) -> Network:
    """A champion by number, from 0; the latest are kept."""
    return architecture.network(*(arrays[f"hall_{name}"][number % HALL] for name in _WEIGHTS))
