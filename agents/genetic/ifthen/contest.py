"""The comparisons that rank an if-then population, divided into parts for any number of workers.

Where workers share the caller's memory, a part sees all maps and changes those of its players. Elsewhere it is sent
only the rows of its players, and sends them back.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.ifthen.games import Rules, Table, compare, face_champions, merge_runs, rematch
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key

Order = NDArray[np.int64]
"""(members,) int64: the members, the best first."""
GAMES_ALONE = 100
"""The number of games of a single player, which plays itself, in place of a sort."""
_PARTS = 4
"""Independent work is divided into this many parts, whatever the number of workers."""


class Part(NamedTuple):
    """The comparisons that one worker makes; it can be sent to another process.

    Attributes:
        rules: see `Rules`.
        maps: the players.
        learners: see `Table`.
        members: (members,) int64: the rows of the members that play.
        task: the other arguments of the compiled function.
    """

    rules: Rules
    maps: Maps
    learners: int
    members: Order
    task: tuple[Any, ...]


class Played(NamedTuple):
    """The result of a part: a number for each member, the counts, and the maps after the games."""

    found: NDArray[np.int64]
    counts: NDArray[np.int64]
    maps: Maps


def _play(function: Callable[..., None], part: Part) -> Played:
    sent = not part.maps.keys.flags.writeable  # some clusters deliver arrays that are read-only
    maps = Maps(*map(np.copy, part.maps)) if sent else part.maps
    table, found = Table.of(part.rules, maps, part.learners), np.zeros(len(part.members), dtype=np.int64)
    function(table, part.members, *part.task, found)
    return Played(found, table.counts, maps)


def play_merges(part: Part) -> Played:
    """Merge runs, see `merge_runs`."""
    return _play(merge_runs, part)


def play_champions(part: Part) -> Played:
    """Play past champions, see `face_champions`."""
    return _play(face_champions, part)


class Contest:
    """The comparisons of one generation.

    Args:
        rules: what all games have in common.
        maps: the population, followed by past champions; members learn from the games that they play.
        learners: the number of members of the population.
        parallel: maps a function over parts.

    Attributes:
        counts: (4,) int64, see `GAMES`: the counts of all games played so far.
    """

    def __init__(self, rules: Rules, maps: Maps, learners: int, parallel: Parallel) -> None:
        self._rules, self._maps, self._learners, self._parallel = rules, maps, learners, parallel
        self.counts = np.zeros(4, dtype=np.int64)

    def sort(self, order: Order, key: np.uint64) -> Order:
        """Rank the members by a merge sort in which every comparison is decided by games."""
        width, level = 1, 0
        while width < len(order):
            merges, ends = range(0, len(order), 2 * width), child_key(key, level)
            parts = [
                (order[2 * width * first : 2 * width * last], (width, first, ends)) for first, last in cut(len(merges))
            ]
            places = self._share_out(play_merges, parts, 0)
            order = np.concatenate([members[found] for (members, _), found in zip(parts, places, strict=True)])
            width, level = 2 * width, level + 1
        return order

    def rematch(self, order: Order, finalists: int, rounds: int, key: np.uint64) -> Order:
        """Order the finalists again by the comparisons they win, with `rounds` for each two; ties stay in order."""
        table, won = Table.of(self._rules, self._maps, self._learners), np.zeros(finalists, dtype=np.int64)
        rematch(table, order[:finalists], rounds, key, won)
        self.counts += table.counts
        return np.concatenate([order[:finalists][np.argsort(-won, kind="stable")], order[finalists:]])

    def face_champions(self, order: Order, champions: int, key: np.uint64) -> Order:
        """Rank the members by how many of the first `champions` past champions they beat; ties stay in order."""
        everybody = np.arange(self._learners)
        parts = [(everybody[first:last], (champions, first, key)) for first, last in cut(self._learners)]
        won = np.concatenate(self._share_out(play_champions, parts, champions))
        return order[np.argsort(-won[order], kind="stable")]

    def play_alone(self, games: int, key: np.uint64) -> None:
        """Let the first member play itself."""
        settings = self._rules.settings._replace(games_per_comparison=games)
        table = Table.of(self._rules._replace(settings=settings), self._maps, self._learners)
        compare(table, 0, 0, key)
        self.counts += table.counts

    def _share_out(
        self,
        function: Callable[[Part], Played],
        parts: Sequence[tuple[Order, tuple[Any, ...]]],
        champions: int,
    ) -> list[NDArray[np.int64]]:
        """Play parts, each given by its members and its task, with this many past champions; return their results."""
        if self._parallel.shares_memory:
            work = [Part(self._rules, self._maps, self._learners, *part) for part in parts]
        else:
            rivals = self._learners + np.arange(champions)
            work = [
                Part(self._rules, self._maps.rows([*members, *rivals]), len(members), np.arange(len(members)), task)
                for members, task in parts
            ]
        played = self._parallel(function, work)
        for (members, _), part in zip(parts, played, strict=True):
            self.counts += part.counts
            if not self._parallel.shares_memory:
                for array, changed in zip(self._maps, part.maps, strict=True):
                    array[members] = changed[: len(members)]
        return [part.found for part in played]


def most_comparisons(members: int) -> int:
    """The maximum number of comparisons in a merge sort: for each merged run, its length minus one."""
    count, width = 0, 1
    while width < members:
        count += sum(min(2 * width, members - start) - 1 for start in range(0, members, 2 * width))
        width *= 2
    return count


def cut(count: int, first: int = 0) -> list[tuple[int, int]]:
    """Divide `count` numbers from `first` on into parts of about equal size, none empty: the start and end of each."""
    ends = [first + count * part // _PARTS for part in range(_PARTS + 1)]
    return [(start, end) for start, end in pairwise(ends) if start < end]
