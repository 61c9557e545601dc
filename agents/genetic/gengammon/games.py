"""Fitness by games: networks meet with the same dice, each in both seats, and points count.

In each generation, pairs of networks with the same random changes added and subtracted play each other, and a step is
taken towards the winners. The network that has been reached is another matter: after each season it meets the hall of
fame, the latest champions, with new dice, and becomes champion if it wins.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.registry import make_game

if TYPE_CHECKING:
    from ludarium.agents.genetic.gengammon.learner import Gengammon

SEASON = 10
"""Generations after which the network meets the hall of fame."""
HALL = 4
"""The number of champions in it."""
_DICE, _HALL_DICE = 1 << 21, (1 << 21) + 1  # streams of a generation


class Duel(NamedTuple):
    """Games of one network with another, for any worker: each set of dice is a key."""

    learner: "Gengammon"
    one: Network
    other: Network
    keys: NDArray[np.uint64]


def duel(part: Duel) -> tuple[float, int]:
    """The sum over all dice of the first network's net points a game, the mean of both seats; and the decisions."""
    game = make_game(f"backgammon?variant={make_game(part.learner.game).options['variant']}")
    policies = [part.learner.policy_of(game, network) for network in (part.one, part.other)]
    keys = np.concatenate([part.keys, part.keys])
    seating = np.repeat([[0, 1], [1, 0]], len(part.keys), axis=0)
    played = play_games(game, policies, seating, keys, keys)
    first, second = np.split(played.payoffs, 2)
    return float((first[:, 0] + second[:, 1]).sum()) / 2, int(played.lengths.sum())


def new_hall(arrays: Arrays) -> Arrays:
    """A hall of fame in which the first network is the only champion."""
    hall = {f"hall_{name}": np.repeat(arrays[name][None], HALL, axis=0) for name in ("hidden", "output")}
    return {**hall, "crowned": np.ones(1, dtype=np.int64)}


def champion(learner: "Gengammon", arrays: Arrays) -> Network:
    """The latest champion."""
    return _member(learner, arrays, int(arrays["crowned"][0]) - 1)


def dice(learner: "Gengammon", number: int, stream: int = _DICE) -> NDArray[np.uint64]:
    """The keys of a generation's games."""
    key = seed_key(learner.seed, LEARNING, number, stream)
    return np.array([seed_key(int(key), i) for i in range(learner.batch)], dtype=np.uint64)


def crown(learner: "Gengammon", arrays: Arrays, number: int, parallel: Parallel) -> tuple[int, int]:
    """Let the network meet the hall of fame; return the numbers of games and decisions."""
    network, crowned = learner.network(arrays["hidden"], arrays["output"]), int(arrays["crowned"][0])
    keys, known = dice(learner, number, _HALL_DICE), range(max(crowned - HALL, 0), crowned)
    parts = [
        Duel(learner, network, _member(learner, arrays, place), keys[i :: len(known)]) for i, place in enumerate(known)
    ]
    answers = parallel(duel, parts)
    if answers[-1][0] > 0 and sum(points for points, _ in answers) > 0:
        for name in ("hidden", "output"):
            arrays[f"hall_{name}"][crowned % HALL] = arrays[name]
        arrays["crowned"] += 1
    return 2 * len(keys), sum(decisions for _, decisions in answers)


def _member(learner: "Gengammon", arrays: Arrays, place: int) -> Network:
    return learner.network(arrays["hall_hidden"][place % HALL], arrays["hall_output"][place % HALL])
