"""Evolution of lists of rules on cases, which takes no games.

A child begins with its mother's list, without a few of the rules. Then it takes over those of its father's rules that
mend most of its errors, each in the place where it mends most: so parents that solve different cases complement each
other. New rules cover the errors that are left, and rules that the child can do without are dropped. Lists are ranked
by cost, see `ludarium.agents.genetic.gaia.draft`; copies come last, and of lists that cost the same the youngest is
better.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board
from ludarium.agents.genetic.gaia.draft import Cases, best_place, empty_draft, finish, insert, respond
from ludarium.agents.genetic.gaia.induction import cover, prune
from ludarium.agents.genetic.gaia.rules import Rules
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, uniform
from ludarium.envs.jit import jit

_OFFERED = 0.2
"""The probability that a rule of the father is considered each time that a child takes over one."""


class Exam(NamedTuple):
    """What lists are judged by.

    Attributes:
        cases: see `Cases`.
        board: the board as rules see it.
        parallel: maps a function over parts.
    """

    cases: Cases
    board: Board
    parallel: Parallel


class Lists(NamedTuple):
    """Some ordered lists and what they cost.

    Attributes:
        rules: shape (lists, rules) of `RULE`.
        costs: shape (lists,).
    """

    rules: Rules
    costs: NDArray[np.float64]

    def rows(self, rows: Any) -> "Lists":
        """Some of them."""
        return Lists(self.rules[rows], self.costs[rows])


class Brood(NamedTuple):
    """Some children to make.

    Attributes:
        numbers: shape (children,) int64: a child is a function of its parents and its number.
        parents: shape (children, 2, rules) of `RULE`: mothers and fathers.
    """

    numbers: NDArray[np.int64]
    parents: Rules


def judge_all(rules: Rules, exam: Exam) -> Lists:
    """Weigh the rules of lists anew, shape (lists, rules)."""
    return _in_parts(partial(_judge, exam.cases, exam.board), rules, exam.parallel)


def bear_all(parents: Rules, exam: Exam, mutation: float, key: np.uint64) -> Lists:
    """The children of couples, one each, see `bear`.

    Args:
        parents: shape (children, 2, rules) of `RULE`: mothers and fathers.
        exam: what they learn from.
        mutation: the probability, from 0 to 1, that a rule of the mother is left out.
        key: the children are a function of it.
    """
    return _in_parts(partial(_bear, exam.cases, exam.board, mutation, key), parents, exam.parallel)


def best_lists(count: int, *lists: Lists) -> Lists:
    """The best of some lists, by cost; copies of others come last."""
    rules, costs = (np.concatenate(part) for part in zip(*lists, strict=True))
    asked = [b"".join(one[name].tobytes() for name in ("own", "opponent", "empty", "action")) for one in rules]
    copies = np.array([one in asked[:place] for place, one in enumerate(asked)])
    return Lists(rules, costs).rows(np.lexsort((costs, copies))[:count])


def _in_parts(function: Any, rules: Rules, parallel: Parallel) -> Lists:
    """Apply a function of a `Brood` to parts of one; join the lists that it returns."""
    groups = [np.arange(first, len(rules), parallel.size) for first in range(min(parallel.size, len(rules)))]
    parts = parallel(function, [Brood(group, rules[group]) for group in groups])
    joined = Lists(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    return joined.rows(np.argsort(np.concatenate(groups)))


def _judge(cases: Cases, board: Board, brood: Brood) -> Lists:
    """Weigh the rules of some lists anew, in any process."""
    rules = brood.parents
    return Lists(rules, np.array([judge(one, cases, board) for one in rules]))


def _bear(cases: Cases, board: Board, mutation: float, key: np.uint64, brood: Brood) -> Lists:
    """Make the children of some couples, in any process."""
    children, costs = np.zeros_like(brood.parents[:, 0]), np.zeros(len(brood.numbers))
    for place, number in enumerate(brood.numbers.tolist()):
        mother, father = brood.parents[place]
        costs[place] = bear(children[place], mother, father, cases, board, mutation, child_key(key, number))
    return Lists(children, costs)


@jit
def judge(rules: Any, cases: Any, board: Any) -> float:
    """Weigh the rules of a list, shape (places,) of `RULE`, in place, and return its cost."""
    draft = empty_draft(len(rules), cases)
    copy_rules(draft, rules, cases, board, 0.0, np.zeros(2, dtype=np.uint64))
    return finish(draft, cases, rules)


@jit
def bear(child: Any, mother: Any, father: Any, cases: Any, board: Any, mutation: float, key: Any) -> float:
    """Make a child, see the module, and return its cost.

    Args:
        child: shape (places,) of `RULE`, overwritten.
        mother: shape (places,) of `RULE`, in firing order.
        father: the same.
        cases: see `Cases`.
        board: see `Board`.
        mutation: the probability, from 0 to 1, that a rule of the mother is left out.
        key: all random choices are a function of it.
    """
    draft, stream = empty_draft(len(child), cases), np.zeros(2, dtype=np.uint64)
    stream[0] = key
    copy_rules(draft, mother, cases, board, mutation, stream)
    take_over(draft, father, cases, board, stream)
    cover(draft, cases, board, stream)
    prune(draft, cases, stream)
    return finish(draft, cases, child)


@jit
def copy_rules(draft: Any, rules: Any, cases: Any, board: Any, mutation: float, stream: Any) -> None:
    """Append the rules of a list to an empty one, in their order, each but with the probability `mutation`."""
    response = np.zeros(len(cases.regrets))
    for number in range(len(rules)):
        if rules[number].action >= 0 and (mutation == 0.0 or uniform(stream) >= mutation):
            respond(rules[number], cases, board.undo, response)
            insert(draft, rules[number], response, draft.size[0])


@jit
def take_over(draft: Any, father: Any, cases: Any, board: Any, stream: Any) -> None:
    """Insert rules of the father, the best of a few at a time, until none of those is worth its cost."""
    responses, gains = np.zeros((len(father), len(cases.regrets))), np.zeros(len(draft.rules) + 1)
    for number in range(len(father)):
        if father[number].action >= 0:
            respond(father[number], cases, board.undo, responses[number])
    while draft.size[0] < len(draft.rules):
        best, most, where = -1, cases.rule_cost, 0
        for number in range(len(father)):
            if father[number].action >= 0 and uniform(stream) < _OFFERED:
                place, gain = best_place(draft, responses[number], gains)
                if gain > most:
                    best, most, where = number, gain, place
        if best < 0:
            break
        insert(draft, father[best], responses[best], where)
