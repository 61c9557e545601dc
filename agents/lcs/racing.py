"""Lists of rules judged on common decks: a child plays on only while it keeps up with the list that it comes from.

Both have played the same decks, so the luck of the deal cancels out, and most children need few games: those that are
clearly worse, and those that play just like their mother. What is left decides on all decks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.games import FIRED, SAMPLE, Record
from ludarium.agents.lcs.tables import Table, play_at
from ludarium.agents.learning.parallel import Parallel

_FIRST_HEAT = 8
_DOUBT = 0.7
"""A child is dropped if it is behind by more than this many standard errors."""


@dataclass(eq=False)
class Player:
    """A list of rules, and what it did on the decks so far.

    Attributes:
        rules: shape (n,) of `RULE`.
        scores: shape (games,): one for each deck, the newest deck first.
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

    def take(self, record: Record) -> None:
        """Add what it did in some games, but for the scores."""
        self.credit = record.credit + (self.credit if len(self.credit) else 0)
        if record.sample[0]["known"]:
            self.sample = record.sample

    def without_idle_rules(self) -> "Player":
        """The same without the rules that have never fired, unless none has."""
        fires = self.credit[:, FIRED] > 0
        if not fires[:-1].any():
            return self
        return Player(self.rules[fires[:-1]], self.scores, self.credit[np.append(fires[:-1], True)], self.sample)


class _Entry(NamedTuple):
    """Who plays, on which decks, and the scores to keep up with on these decks, if any."""

    rules: NDArray[Any]
    keys: NDArray[np.uint64]
    rival: NDArray[np.float32] | None = None


class Race:
    """The decks of a generation, and counts of what was played.

    Attributes:
        games: the number of games.
        decisions: the number of decisions.
        repeats: hints that told nothing new.
        fallbacks: decisions in which no rule fired.
    """

    def __init__(self, at: tuple[Table, ...], keys: NDArray[np.uint64], exact: bool, parallel: Parallel) -> None:
        self._keys, self._parallel = keys, parallel
        self._compete = partial(_compete, at, exact)
        self.games = self.decisions = self.repeats = 0
        self.fallbacks = 0.0

    def metrics(self) -> dict[str, float]:
        """What all learners report of their games."""
        decisions = max(self.decisions, 1)
        return {
            "games": self.games,
            "decisions": self.decisions,
            "rule_share": 1 - self.fallbacks / decisions,
            "repeated_hints": self.repeats / decisions,
        }

    def renew(self, players: Sequence[Player], fresh: int) -> None:
        """Let players play the first decks, which are new; these take the place of their oldest."""
        new = self._run(players, [_Entry(player.rules, self._keys[:fresh]) for player in players])
        for player, scores in zip(players, new, strict=True):
            player.scores = np.append(scores, player.scores[: len(self._keys) - fresh])

    def race(self, children: Sequence[Player], rivals: Sequence[Player] | None) -> list[bool]:
        """Let each child play while it keeps up with its rival; without rivals all play all decks.

        Returns:
            Which of them have played all decks, not just like their rivals and not worse.
        """
        behind = [None] * len(children) if rivals is None else [rival.scores for rival in rivals]
        entries = [_Entry(child.rules, self._keys, rival) for child, rival in zip(children, behind, strict=True)]
        for child, scores in zip(children, self._run(children, entries), strict=True):
            child.scores = scores
        return [
            len(child.scores) == len(self._keys) and (rival is None or not _lags(child.scores, rival, 0.0))
            for child, rival in zip(children, behind, strict=True)
        ]

    def _run(self, players: Sequence[Player], entries: Sequence[_Entry]) -> list[NDArray[np.float32]]:
        records_of_players = self._parallel(self._compete, entries)
        for player, records in zip(players, records_of_players, strict=True):
            for record in records:
                player.take(record)
                self.games += len(record.scores)
                self.decisions += record.decisions
                self.repeats += record.repeats
                self.fallbacks += record.credit[-1, FIRED]
        none = np.zeros(0, dtype=np.float32)
        return [
            np.concatenate([none, *(record.scores for record in records)], dtype=np.float32)
            for records in records_of_players
        ]


def _compete(at: tuple[Table, ...], exact: bool, entry: _Entry) -> list[Record]:
    """Play heats, each twice as long as all before, until all decks are played or the rival is too far ahead."""
    if entry.rival is None:
        return [play_at(at, entry.keys, exact, entry.rules)] if len(entry.keys) else []
    records: list[Record] = []
    scores = np.zeros(0, dtype=np.float32)
    while len(scores) < len(entry.keys):
        last = max(_FIRST_HEAT, 2 * len(scores))
        records.append(play_at(at, entry.keys[len(scores) : last], exact, entry.rules))
        scores = np.append(scores, records[-1].scores.astype(np.float32))
        if len(scores) > _FIRST_HEAT and not (scores != entry.rival[: len(scores)]).any():
            break
        if _lags(scores, entry.rival[: len(scores)], _DOUBT):
            break
    return records


def _lags(scores: NDArray[np.float32], rival: NDArray[np.float32], doubt: float) -> bool:
    """Whether scores are below a rival's on the same decks by more than some standard errors."""
    ahead = scores.astype(np.float64) - rival
    return bool(ahead.mean() < -doubt * ahead.std() / np.sqrt(len(ahead)))


def admit(players: list[Player], child: Player, mother: Player, drawn: Sequence[int]) -> None:
    """Put a child in the place of the weakest of some players, or else of its mother, if that is not better.

    If somebody scored the same on every deck, the shorter of these two stays.

    Args:
        players: the players, whose list changes.
        child: a list that has played the same decks.
        mother: the one that it comes from.
        drawn: the places of the players of whom the weakest may go.
    """
    alike = [player for player in players if np.array_equal(player.scores, child.scores)]
    weakest = min((players[place] for place in drawn), key=lambda player: player.mean)
    if alike:
        leaving = alike[0] if len(child.rules) < len(alike[0].rules) else None
    elif weakest.mean <= child.mean:
        leaving = weakest
    else:
        leaving = mother if mother in players and mother.mean <= child.mean else None
    if leaving is not None:
        players[players.index(leaving)] = child


def ordered(players: Sequence[Player]) -> list[Player]:
    """Players by mean score, the best first; of equals the shortest, then the earliest."""
    return sorted(players, key=lambda player: (-player.mean, len(player.rules)))
