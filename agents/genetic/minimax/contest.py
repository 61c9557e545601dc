"""Games between genomes: the weights of an evaluation, played by a search.

Which games are played, and how they end, is a function of the genomes and the keys alone. So they can be divided into
parts for any number of workers of any kind; a part is sent the weights, and makes the players itself.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.noisy import noisy_policy
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.search.alphabeta import alphabeta
from ludarium.agents.search.beam import beam
from ludarium.agents.search.evaluations import evaluations, form
from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.batch import play_games
from ludarium.envs.chance import child_key
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

SEARCHES = ("beam", "alphabeta", "one-ply")
_PARTS = 8
"""The games are divided into this many parts, whatever the number of workers."""


class Player(NamedTuple):
    """How an evaluation is played.

    Attributes:
        search: one of `SEARCHES`.
        depth: plies to look ahead; `"one-ply"` needs none.
        beam: the other options of a beam, by name; those that are not given have the defaults of the beam.
        noise: the probability, from 0 to 1, of a random move instead.
    """

    search: str
    depth: int = 1
    beam: Mapping[str, Any] | None = None
    noise: float = 0.0

    def policy(self, game: Game, evaluation: Evaluation) -> Policy:
        """The compiled player."""
        if self.search == "one-ply":
            policy = one_ply(game, evaluation)
        elif self.search == "beam":
            policy = beam(game, depth=self.depth, evaluation=evaluation, **(self.beam or {}))
        else:
            table = 0 if self.depth < 4 else 12
            policy = alphabeta(game, depth=self.depth, table=table, endgame=0, evaluation=evaluation)
        return noisy_policy(policy, self.noise) if self.noise else policy


class Genome(NamedTuple):
    """One side of a game: the name of an evaluation, and its weights if it has any."""

    name: str
    weights: NDArray[np.float64]

    def evaluation(self, game: Game) -> Evaluation:
        """The evaluation with these weights; do not change it."""
        return _evaluation(game, self.name, self.weights.tobytes())


@lru_cache(maxsize=128)  # most rivals are met again and again, and every part of the games needs them all
def _evaluation(game: Game, name: str, weights: bytes) -> Evaluation:
    return form(game, name).evaluation(np.frombuffer(weights)) if weights else evaluations(game)[name]


class Pairing(NamedTuple):
    """Games to play.

    Attributes:
        seating: shape (games, 2) int64: who moves first and second.
        keys: shape (games,) uint64: the opening of each game, and the draws of the players.
        opening: the number of random moves at the start.
    """

    seating: NDArray[np.int64]
    keys: NDArray[np.uint64]
    opening: int = 0


def every_two(players: int, times: int, key: np.uint64) -> Pairing:
    """Games between every two players; in the first of each two, the one with the lower number moves first."""
    pairs = np.array([(low, high) for high in range(players) for low in range(high)])
    seating = np.concatenate([pairs[:, :: 1 if leg % 2 == 0 else -1] for leg in range(times)])
    return Pairing(seating, np.array([child_key(key, game) for game in range(len(seating))], dtype=np.uint64))


def with_rivals(players: int, rivals: int, key: np.uint64, opening: int) -> Pairing:
    """Two games of every player with each rival, in both seats; with the same rival, all play from the same opening.

    Rivals are numbered after the players.
    """
    ours = np.repeat(np.arange(players), rivals)
    theirs = players + np.tile(np.arange(rivals), players)
    openings = np.array([child_key(key, rival) for rival in range(rivals)], dtype=np.uint64)
    seating = np.stack([ours, theirs, theirs, ours], axis=1).reshape(-1, 2)
    return Pairing(seating, np.repeat(np.tile(openings, players), 2), opening)


def shares(payoffs: NDArray[np.float64], players: int) -> NDArray[np.float64]:
    """The share of the points that each player won in games `with_rivals`, shape (players,)."""
    points = (1 + np.sign(payoffs.reshape(players, -1, 2, 2))) / 2  # by player, rival, game and seat
    return np.asarray((points[:, :, 0, 0] + points[:, :, 1, 1]).mean(axis=1) / 2)


class Part(NamedTuple):
    """Some of the games, which can be sent to another process."""

    game: Game
    player: Player
    genomes: list[Genome]
    pairing: Pairing


def play(
    game: Game, player: Player, genomes: Sequence[Genome], pairing: Pairing, parallel: Parallel
) -> tuple[NDArray[np.float64], int]:
    """Play the games; return the payoffs, shape (games, 2), and the number of decisions."""
    parts = []
    for games in np.array_split(np.arange(len(pairing.keys)), _PARTS):
        if len(games):
            sitting, seating = np.unique(pairing.seating[games], return_inverse=True)
            some = Pairing(seating.reshape(-1, 2), pairing.keys[games], pairing.opening)
            parts.append(Part(game, player, [genomes[number] for number in sitting], some))
    played = parallel(play_part, parts)
    return np.concatenate([payoffs for payoffs, _ in played]), sum(decisions for _, decisions in played)


def play_part(part: Part) -> tuple[NDArray[np.float64], int]:
    """Play the games of a part."""
    game, pairing = part.game, part.pairing
    policies = [part.player.policy(game, genome.evaluation(game)) for genome in part.genomes]
    keys = np.array(pairing.keys)  # some clusters deliver arrays that are read-only
    played = play_games(game, policies, np.array(pairing.seating), keys, keys, opening=pairing.opening)
    return played.payoffs, int(played.lengths.sum())
