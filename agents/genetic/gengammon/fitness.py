"""How well a network imitates experts: the fitness functions of the original, mended, and a smooth one.

All are means over decisions. N is the number of results of a turn, and the rank of the expert's choice among them is
that of the best choice if several count as right. Equal scores share a rank, so a network that cannot tell results
apart is worth ½ by `v2`.

| name | fitness of a decision |
|---|---|
| `v1` | (score of the choice - lowest) / (highest - lowest) |
| `v2` | (N - rank) / (N - 1) |
| `v3` | `v2`, and below the first rank up to 1 / (N - 1) more, the less the choice falls behind the highest score |
| `v3-literal` | `v2` + (highest - score of the choice) / (N · highest), as it was published: further behind is better |
| `v3-coded` | `v2` + 1 / N, at most 1, which is what the published program computes |
| `likelihood` | the logarithm of the choice's probability, in proportion to the exponential of its score |
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gengammon.examples import LANES, Examples, add_up, filled_up, make_room, score
from ludarium.agents.values.backgammon_network import Network
from ludarium.envs.jit import jit

FITNESSES = ("v1", "v2", "v3", "v3-literal", "v3-coded", "likelihood")


class Ranks(NamedTuple):
    """What a network makes of decisions, each of shape (n,) float64.

    Attributes:
        results: the number of results.
        rank: of the choice, from 1; equal scores share it.
        choice: the score of the choice.
        highest: the highest score.
        lowest: the lowest score.
        likelihood: the logarithm of the probability of the choice; NaN if it was not asked for.
    """

    results: NDArray[np.float64]
    rank: NDArray[np.float64]
    choice: NDArray[np.float64]
    highest: NDArray[np.float64]
    lowest: NDArray[np.float64]
    likelihood: NDArray[np.float64]

    def fitness(self, name: str) -> NDArray[np.float64]:
        """One of `FITNESSES`, for each decision."""
        if name == "likelihood":
            return self.likelihood
        spread = self.highest - self.lowest
        behind = np.divide(self.highest - self.choice, spread, out=np.full(len(spread), 0.5), where=spread > 0)
        if name == "v1":
            return 1 - behind
        v2 = np.divide(
            self.results - self.rank, self.results - 1, out=np.ones(len(spread)), where=self.results > 1
        )  # a decision without a choice is worth 1 to anything
        if name == "v3":
            return v2 + np.where(self.rank > 1, (1 - behind) / np.maximum(self.results - 1, 1), 0)
        if name == "v3-literal":
            scale = self.results * self.highest
            return v2 + np.divide(self.highest - self.choice, scale, out=np.zeros(len(scale)), where=scale != 0)
        if name == "v3-coded":
            return np.minimum(v2 + 1 / self.results, 1)
        return v2

    @property
    def agreement(self) -> float:
        """The share of decisions in which the choice alone has the highest score."""
        return float((self.rank == 1).mean())


def rank(examples: Examples, some: NDArray[np.int64], network: Network, *, likelihood: bool = True) -> Ranks:
    """What a network with one output makes of some decisions, given by number; the likelihood takes time."""
    found = np.full((6, len(some)), np.nan)
    _rank(examples, some, filled_up(network), likelihood, found)
    return Ranks(*found)


def rank_tables(examples: Examples, some: NDArray[np.int64], tables: NDArray[np.float32]) -> list[Ranks]:
    """As `rank`, for networks that just add up a number for each input; they are judged at once, as hidden units are.

    Args:
        examples: the decisions, by the inputs that the tables are for.
        some: the numbers of some.
        tables: shape (inputs + 1, tables).
    """
    wide = np.pad(tables, ((0, 0), (0, -tables.shape[1] % LANES)))
    found = np.full((tables.shape[1], 6, len(some)), np.nan)
    _rank_tables(examples, some, wide, found)
    return [Ranks(*each) for each in found]


@jit
def _rank_tables(examples: Any, some: Any, tables: Any, found: Any) -> None:
    room = make_room(examples, some, tables.shape[1])
    for at in range(len(some)):
        number = some[at]
        results = add_up(examples, number, tables, room)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        for one in range(len(found)):
            for result in range(results):
                room.scores[result] = room.sums[result, one]
            _note(room.scores[:results], chosen, found[one, :, at])
            found[one, 5, at] = _likelihood(room.scores[:results], chosen, found[one, 3, at])


@jit
def _rank(examples: Any, some: Any, network: Any, likelihood: bool, found: Any) -> None:
    room = make_room(examples, some, network.hidden.shape[1])
    for at in range(len(some)):
        number = some[at]
        results = score(examples, number, network, room)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        _note(room.scores[:results], chosen, found[:, at])
        if likelihood:
            found[5, at] = _likelihood(room.scores[:results], chosen, found[3, at])


@jit
def _note(scores: Any, chosen: Any, found: Any) -> None:
    """Write the fields of `Ranks` for one decision, except the likelihood."""
    choice, highest, lowest = -np.inf, -np.inf, np.inf
    for i in range(len(scores)):
        highest, lowest = max(highest, scores[i]), min(lowest, scores[i])
        if chosen[i]:
            choice = max(choice, scores[i])
    above, equal = 0, 0
    for i in range(len(scores)):
        above += scores[i] > choice
        equal += scores[i] == choice and not chosen[i]
    found[0], found[1], found[2] = len(scores), 1 + above + equal / 2, choice
    found[3], found[4] = highest, lowest


@jit
def _likelihood(scores: Any, chosen: Any, highest: float) -> float:
    """The logarithm of the probability of the choice."""
    right, total = 0.0, 0.0
    for i in range(len(scores)):
        share = np.exp(np.float64(scores[i]) - highest)
        total += share
        right += share * chosen[i]
    return np.log(max(right, 1e-300) / total)
