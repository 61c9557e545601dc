"""Games that try lists of rules: the same for all lists, so that results alone can rank them.

A *test* is a game against a given other side: a key decides which past champion that is, and where it moves at random.
So every list can take the same test. Where one of its rules leaves a choice between mirror images, that is settled once
for all, or lists would live on luck.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.play import DECISIONS, DRAWS, RULE_MOVES, Field, desk, goes_on, look, make_move
from ludarium.agents.genetic.gaia.rules import Rules, decide_in_order, in_places
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import MAX_MOVES

_DRAW, _RULE = 0.02, 0.0005  # what a drawn game and a rule cost, in defeats


class Entrant(NamedTuple):
    """A list and what it reached in the first tests.

    Attributes:
        rules: the list, shape (n,) of `RULE`, without empty places.
        results: shape (2, k) int8, by the seat it sat in: 1 for a win, 0 for a draw, -1 for a defeat.
    """

    rules: Rules
    results: NDArray[np.int8]

    @property
    def cost(self) -> float:
        """Defeats, draws and rules."""
        lost, drawn = (float((self.results == result).mean()) for result in (-1, 0))
        return lost + _DRAW * drawn + _RULE * len(self.rules)


def entrant(rules: Rules) -> Entrant:
    """A list that has taken no test."""
    return Entrant(rules, np.zeros((2, 0), dtype=np.int8))


class Rival(NamedTuple):
    """The other side of all tests; it can be sent to another process.

    Attributes:
        game: the game.
        symmetry: whether rules stand for all their mirror images.
        lists: shape (lists, rules) of `RULE`: the lists that it may be.
        noise: the probability, from 0 to 1, that a move of it is random.
    """

    game: Game
    symmetry: bool
    lists: Rules
    noise: float


class _Part(NamedTuple):
    """Some lists, and the tests that they are to take."""

    rival: Rival
    tests: NDArray[np.uint64]
    lists: list[Rules]


class Trials:
    """The tests of a season, and how many games it took to take them.

    Args:
        rival: the other side.
        tests: shape (2, k) uint64: the keys of the tests in which a list has each seat.
        parallel: maps a function over parts.

    Attributes:
        games: the number of games so far.
        counts: decisions, rule moves and draws in these.
    """

    def __init__(self, rival: Rival, tests: NDArray[np.uint64], parallel: Parallel) -> None:
        self._rival, self._tests, self._parallel = rival, tests, parallel
        self.games, self.counts = 0, np.zeros(3, dtype=np.int64)

    def take(self, entrants: Sequence[Entrant], share: float = 1.0) -> list[Entrant]:
        """Let lists, which have all taken as many tests, take the others among the first of them.

        Args:
            entrants: the lists.
            share: the share of the tests that they will have taken.
        """
        if not entrants:
            return []
        tests = self._tests[:, entrants[0].results.shape[1] : max(1, round(share * self._tests.shape[1]))]
        if not tests.size:
            return list(entrants)
        groups = [entrants[first :: self._parallel.size] for first in range(min(self._parallel.size, len(entrants)))]
        parts = [_Part(self._rival, tests, [one.rules for one in group]) for group in groups]
        after: list[Any] = [None] * len(entrants)
        for first, (group, (results, counts)) in enumerate(zip(groups, self._parallel(_take, parts), strict=True)):
            both = (np.concatenate([one.results, more], axis=1) for one, more in zip(group, results, strict=True))
            after[first :: len(groups)] = map(Entrant, (one.rules for one in group), both)
            self.counts += counts
        self.games += tests.size * len(entrants)
        return after


def _take(part: _Part) -> tuple[list[NDArray[np.int8]], NDArray[np.int64]]:
    """Let some lists take some tests, in any process; return their results, and the counts of these games."""
    rival, tests = part.rival, part.tests
    field, counts, reached = Field.of(rival.game, rival.symmetry), np.zeros(3, dtype=np.int64), []
    for rules in part.lists:
        results = np.zeros(tests.shape, dtype=np.int8)
        take_tests(field, in_places(rules, len(rules)), rival.lists, float(rival.noise), tests, counts, results)
        reached.append(results)
    return reached, counts


@jit
def take_tests(field: Any, rules: Any, rivals: Any, noise: float, tests: Any, counts: Any, results: Any) -> None:
    """Let a list take tests.

    Args:
        field: the game.
        rules: the list, shape (n,) of `RULE`.
        rivals: shape (lists, rules) of `RULE`: the lists that the other side may be.
        noise: the probability, from 0 to 1, that a move of the other side is random.
        tests: shape (2, k) uint64: the keys of the tests in which the list has each seat.
        counts: decisions, rule moves and draws are added to it.
        results: shape (2, k) int8, filled in, see `Entrant`.
    """
    d = desk(field)
    for seat in range(2):
        for number in range(tests.shape[1]):
            key, plies = tests[seat, number], 0
            d.stream[0], d.stream[1] = derive(key, field.table[MAX_MOVES]), 0
            rival = below(d.stream, len(rivals))
            d.state[:] = 0
            kernels.setup(field.table, d.state, field.options)
            while goes_on(field, d.state, plies):
                d.stream[0], d.stream[1] = derive(key, plies), 0  # what it decides does not depend on the game so far
                if kernels.turn(field.table, d.state) == seat:
                    count = kernels.legal(field.table, d.state, d.mask)
                    look(field, d.state, d)
                    rule, action = decide_in_order(rules, d.seen, field.board.undo, d.mask, count, d.stream)
                    counts[DECISIONS] += 1
                    counts[RULE_MOVES] += rule >= 0
                    kernels.play(field.table, d.state, action)
                else:
                    make_move(field, rivals[rival], noise, counts, d)
                plies += 1
            kernels.payoffs(field.table, d.state, d.payoffs)
            counts[DRAWS] += d.payoffs[0] == d.payoffs[1]
            results[seat, number] = np.int8(np.sign(d.payoffs[seat]))
