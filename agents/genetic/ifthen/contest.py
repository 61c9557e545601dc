"""The comparisons that rank an if-then population, divided into parts for any number of workers.

Where workers share the caller's memory, a part sees all maps and changes those of its players. Elsewhere it is sent
only the rows of its players, and sends them back.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.ifthen.games import Rules, Table, compare, merge_runs, rematch
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key

Order = NDArray[np.int64]
"""(members,) int64: the members, the best first."""
GAMES_ALONE = 100
"""The number of games of a single player, which plays itself, in place of a sort."""
FINALISTS = 4
"""The number of members that meet again in a rematch."""
_PARTS = 4
"""Independent work is divided into this many parts, whatever the number of workers."""


class Part(NamedTuple):
    """Some merges of one level of the sort; it can be sent to another process.

    Attributes:
        rules: see `Rules`.
        maps: the players.
        members: (members,) int64: the rows of the members that play.
        width: the length of the runs.
        first: the number of the first merge within its level.
        key: the key of the level.
    """

    rules: Rules
    maps: Maps
    members: Order
    width: int
    first: int
    key: np.uint64


def merge(part: Part) -> tuple[Order, NDArray[np.int64], Maps]:
    """Merge runs, see `merge_runs`: the places of the members in their new order, the counts, and the maps then."""
    sent = not part.maps.keys.flags.writeable  # some clusters deliver arrays that are read-only
    maps = Maps(*map(np.copy, part.maps)) if sent else part.maps
    table, places = Table.of(part.rules, maps), np.zeros(len(part.members), dtype=np.int64)
    merge_runs(table, part.members, part.width, part.first, part.key, places)
    return places, table.counts, maps


class Contest:
    """The comparisons of one generation.

    Args:
        rules: what all games have in common.
        maps: the population; members learn from the games that they play.
        parallel: maps a function over parts.

    Attributes:
        counts: (4,) int64, see `GAMES`: the counts of all games played so far.
    """

    def __init__(self, rules: Rules, maps: Maps, parallel: Parallel) -> None:
        self._rules, self._maps, self._parallel = rules, maps, parallel
        self.counts = np.zeros(4, dtype=np.int64)

    def sort(self, order: Order, key: np.uint64) -> Order:
        """Rank the members by a merge sort in which every comparison is decided by games; one alone plays itself."""
        if len(order) == 1:
            table = Table.of(self._rules._replace(games_per_comparison=GAMES_ALONE), self._maps)
            compare(table, order[0], order[0], key)
            self.counts += table.counts
        width, level = 1, 0
        while width < len(order):
            order = self._merge_level(order, width, child_key(key, level))
            width, level = 2 * width, level + 1
        return order

    def rematch(self, order: Order, rounds: int, key: np.uint64) -> Order:
        """Order the finalists again by the comparisons they win, with `rounds` for each two; ties stay in order."""
        finalists, others = order[:FINALISTS], order[FINALISTS:]
        table, won = Table.of(self._rules, self._maps), np.zeros(len(finalists), dtype=np.int64)
        rematch(table, finalists, rounds, key, won)
        self.counts += table.counts
        return np.concatenate([finalists[np.argsort(-won, kind="stable")], others])

    def _merge_level(self, order: Order, width: int, key: np.uint64) -> Order:
        """The same members in sorted runs twice as long."""
        shared, ends = self._parallel.shares_memory, cut(-(-len(order) // (2 * width)))
        groups = [order[2 * width * first : 2 * width * last] for first, last in ends]
        parts = [
            Part(self._rules, self._maps, group, width, first, key)
            if shared
            else Part(self._rules, self._maps.rows(group), np.arange(len(group)), width, first, key)
            for group, (first, _) in zip(groups, ends, strict=True)
        ]
        runs = []
        for group, (places, counts, maps) in zip(groups, self._parallel(merge, parts), strict=True):
            self.counts += counts
            runs.append(group[places])
            if not shared:
                for array, changed in zip(self._maps, maps, strict=True):
                    array[group] = changed
        return np.concatenate(runs)


def most_games(members: int, games_per_comparison: int = 1, rounds: int = 0) -> int:
    """The maximum number of games in a sort of so many members and a rematch of so many rounds.

    The comparisons of a merge sort are, for each merged run, at most its length minus one.
    """
    if members == 1:
        return GAMES_ALONE
    comparisons, width = rounds * math.comb(FINALISTS, 2), 1
    while width < members:
        comparisons += sum(min(2 * width, members - start) - 1 for start in range(0, members, 2 * width))
        width *= 2
    return games_per_comparison * comparisons


def cut(count: int, first: int = 0) -> list[tuple[int, int]]:
    """Divide `count` numbers from `first` on into parts of about equal size, none empty: the start and end of each."""
    ends = [first + count * part // _PARTS for part in range(_PARTS + 1)]
    return [(start, end) for start, end in pairwise(ends) if start < end]
