"""Lists of rules judged on common decks, in heats: who lags behind plays no more."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.games import FIRED, SAMPLE, play_lists
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.game import Game

HEATS = (0.1, 0.4, 1.0)
"""The shares of the decks that children have played when the worse half of them goes home."""


@dataclass
class Player:
    """A list of rules, and what it did on the decks so far.

    Attributes:
        rules: shape (n,) of `RULE`.
        scores: shape (games,): one for each deck, in order.
        credit: shape (n + 1, 3); see `ludarium.agents.lcs.games.Record`.
        sample: shape (1,) of `SAMPLE`: a position that it met.
    """

    rules: NDArray[Any]
    scores: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    credit: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    sample: NDArray[Any] = field(default_factory=lambda: np.zeros(1, dtype=SAMPLE))

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(self.scores.mean(dtype=np.float64)) if len(self.scores) else -np.inf


class Race:
    """The decks of a generation, and counts of what was played.

    Attributes:
        games: the number of games.
        decisions: the number of decisions.
        repeats: hints that told nothing new.
        fallbacks: decisions in which no rule fired.
    """

    def __init__(self, game: Game, keys: NDArray[np.uint64], exact: bool, parallel: Parallel) -> None:
        self._game, self._keys, self._exact, self._parallel = game, keys, exact, parallel
        self.games = self.decisions = self.repeats = 0
        self.fallbacks = 0.0

    def play(self, players: Sequence[Player], share: float = 1.0) -> None:
        """Let players go on until they have played a share of the decks."""
        last = max(1, round(share * len(self._keys)))
        for first in sorted({len(player.scores) for player in players}):
            group = [player for player in players if len(player.scores) == first]
            if first < last:
                self._play(group, self._keys[first:last])

    def _play(self, players: Sequence[Player], keys: NDArray[np.uint64]) -> None:
        found = play_lists(self._game, [player.rules for player in players], keys, self._parallel, self._exact)
        for player, record in zip(players, found, strict=True):
            player.scores = np.append(player.scores, record.scores.astype(np.float32))
            player.credit = record.credit + (player.credit if len(player.credit) else 0)
            player.sample = record.sample
            self.games += len(keys)
            self.decisions += record.decisions
            self.repeats += record.repeats
            self.fallbacks += record.credit[-1, FIRED]

    def race(self, players: Sequence[Player]) -> list[Player]:
        """Let players play in heats; returns those that played all decks."""
        left = list(players)
        for share in HEATS:
            self.play(left, share)
            if share < 1.0:
                left = sorted(left, key=lambda player: -player.mean)[: max(1, len(left) // 2)]
        return left


def most_games(players: int, decks: int) -> int:
    """The games of a generation in which all players and as many children are judged."""
    games, left, played = players * decks, players, 0
    for share in HEATS:
        last = max(1, round(share * decks))
        games, left, played = games + left * (last - played), max(1, left // 2), last
    return games


def ranked(players: Sequence[Player]) -> list[Player]:
    """Players by mean score, the best first; of those that play alike only the shortest, of equals the earliest."""
    best: dict[bytes, Player] = {}
    for player in sorted(players, key=lambda player: (-player.mean, len(player.rules))):
        best.setdefault(player.scores.tobytes(), player)
    return list(best.values())
