"""How well a network imitates experts: the fitness functions of the original, mended, and a smooth one.

All are means over decisions. N is the number of results of a turn, W that of those among them that do not count as
right, N - 1 as a rule. The rank of the expert's choice is that of the best choice, among it and all wrong results.
Equal scores share a rank, so by any function a network that cannot tell results apart is worth ½, and so is any network
in a decision without a wrong result.

| name | fitness of a decision |
|---|---|
| `v1` | (score of the choice - lowest) / (highest - lowest) |
| `v2` | (W + 1 - rank) / W |
| `v3` | `v2`, and for a choice behind the highest score less than 1 / 2W more, the less it falls behind |
| `v3-literal` | `v2` + (highest - score of the choice) / (N · highest), as it was published: further behind is better |
| `v3-coded` | `v2`, and for a choice behind the highest score 1 / N more: what the published program computes |
| `likelihood` | the logarithm of the choice's probability, in proportion to the exponential of its score |

What `v3` adds is (1 - (reference - score of the choice) / (highest - lowest)) / 2W. The reference is the highest score,
or the next one above the choice. Shared ranks are half a rank apart at least, so half a rank's worth is never enough to
catch up with the rank above.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.examples import LANES, Examples, add_up, filled_up, make_room, score
from ludarium.envs.jit import jit

FITNESSES = ("v1", "v2", "v3", "v3-literal", "v3-coded", "likelihood")
REFERENCES = ("best", "next")
"""What `v3` measures the distance from: the highest score, or the next one above the choice."""
_LIKELIHOOD = 7  # its place among the fields below


class Ranks(NamedTuple):
    """What a network makes of decisions, each of shape (n,) float64.

    Attributes:
        results: the number of results.
        wrong: how many of them do not count as right.
        rank: of the choice, from 1, among it and those; equal scores share it.
        choice: the score of the choice.
        next: the lowest score above it; the same score, if there is none.
        highest: the highest score.
        lowest: the lowest score.
        likelihood: the logarithm of the probability of the choice; NaN if it was not asked for.
    """

    results: NDArray[np.float64]
    wrong: NDArray[np.float64]
    rank: NDArray[np.float64]
    choice: NDArray[np.float64]
    next: NDArray[np.float64]
    highest: NDArray[np.float64]
    lowest: NDArray[np.float64]
    likelihood: NDArray[np.float64]

    def fitness(self, name: str, reference: str = "best") -> NDArray[np.float64]:
        """One of `FITNESSES`, for each decision; `reference`, one of `REFERENCES`, is that of `v3`."""
        if name == "likelihood":
            return self.likelihood
        steps, gap = np.maximum(self.wrong, 1), self.highest - self.choice
        if name == "v1":
            return np.where(self.wrong > 0, 1 - self._of_spread(gap), 0.5)
        worth = 1 - (self.rank - 1) / steps
        if name == "v3":
            behind = self._of_spread(gap if reference == "best" else self.next - self.choice)
            worth += np.where(gap > 0, (1 - behind) / (2 * steps), 0)
        elif name == "v3-literal":
            scale = self.results * self.highest
            worth += np.divide(gap, scale, out=np.zeros(len(gap)), where=scale != 0)
        elif name == "v3-coded":
            worth += (gap > 0) / self.results
        return np.where(self.wrong > 0, worth, 0.5)

    def _of_spread(self, gap: NDArray[np.float64]) -> NDArray[np.float64]:
        """A distance as a share of that between the highest and the lowest score; ½ if all scores are equal."""
        spread = self.highest - self.lowest
        return np.divide(gap, spread, out=np.full(len(gap), 0.5), where=spread > 0)

    @property
    def agreement(self) -> float:
        """The share of decisions in which the choice alone has the highest score."""
        return float((self.rank == 1).mean())


def rank(examples: Examples, some: NDArray[np.int64], network: Network, *, likelihood: bool = True) -> Ranks:
    """What a network with one output makes of some decisions, given by number; the likelihood takes time."""
    ranks = np.full((len(Ranks._fields), len(some)), np.nan)
    _rank(examples, some, filled_up(network), likelihood, ranks)
    return Ranks(*ranks)


def rank_tables(examples: Examples, some: NDArray[np.int64], tables: NDArray[np.float32]) -> list[Ranks]:
    """As `rank`, for networks that just add up a number for each input; they are judged at once, as hidden units are.

    Args:
        examples: the decisions, by the inputs that the tables are for.
        some: the numbers of some.
        tables: shape (inputs + 1, tables).
    """
    wide = np.pad(tables, ((0, 0), (0, -tables.shape[1] % LANES)))
    ranks = np.full((tables.shape[1], len(Ranks._fields), len(some)), np.nan)
    _rank_tables(examples, some, wide, ranks)
    return [Ranks(*each) for each in ranks]


@jit
def _rank_tables(examples: Any, some: Any, tables: Any, ranks: Any) -> None:
    room = make_room(examples, some, tables.shape[1])
    for at in range(len(some)):
        number = some[at]
        results = add_up(examples, number, tables, room)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        for one in range(len(ranks)):
            for result in range(results):
                room.scores[result] = room.sums[result, one]
            _note(room.scores[:results], chosen, ranks[one, :, at])
            ranks[one, _LIKELIHOOD, at] = _likelihood(room.scores[:results], chosen)


@jit
def _rank(examples: Any, some: Any, network: Any, likelihood: bool, ranks: Any) -> None:
    room = make_room(examples, some, network.hidden.shape[1])
    for at in range(len(some)):
        number = some[at]
        results = score(examples, number, network, room)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        _note(room.scores[:results], chosen, ranks[:, at])
        if likelihood:
            ranks[_LIKELIHOOD, at] = _likelihood(room.scores[:results], chosen)


@jit
def _note(scores: Any, chosen: Any, ranks: Any) -> None:
    """Write the fields of `Ranks` for one decision, except the likelihood."""
    choice, highest, lowest = -np.inf, -np.inf, np.inf
    for i in range(len(scores)):
        highest, lowest = max(highest, scores[i]), min(lowest, scores[i])
        if chosen[i]:
            choice = max(choice, scores[i])
    wrong, above, equal, following = 0, 0, 0, highest
    for i in range(len(scores)):
        wrong += not chosen[i]
        equal += scores[i] == choice and not chosen[i]
        if scores[i] > choice:
            above += 1
            following = min(following, scores[i])
    ranks[0], ranks[1], ranks[2] = len(scores), wrong, 1 + above + equal / 2
    ranks[3], ranks[4], ranks[5], ranks[6] = choice, following, highest, lowest


@jit
def _likelihood(scores: Any, chosen: Any) -> float:
    """The logarithm of the probability of the choice."""
    highest, right, total = scores.max(), 0.0, 0.0
    for i in range(len(scores)):
        share = np.exp(np.float64(scores[i]) - highest)
        total += share
        right += share * chosen[i]
    return np.log(max(right, 1e-300) / total)
