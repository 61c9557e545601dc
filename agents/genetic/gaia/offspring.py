"""Evolution of lists of rules on remembered cases, which takes no games.

A child begins with its mother's list, without a few of the rules. Then it takes over those of its father's rules that
mend most of its errors, each in the place where it mends most: so parents that solve different cases complement each
other. New rules cover the errors that are left, and rules that the child can do without are dropped. Lists are ranked
by cost, see `ludarium.agents.genetic.gaia.judgement`; copies come last, and of lists that cost the same the youngest is
better. In each breeding one child has no parents: as the cases change, lists that began with fewer carry what is
no longer needed ("random immigrants", Grefenstette 1992). With `selection=none` the parents and those that their
children replace are chosen at random, and the champion is the best list that happens to be left.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board, board
from ludarium.agents.genetic.gaia import operators
from ludarium.agents.genetic.gaia.games import BREEDING, CHILDREN
from ludarium.agents.genetic.gaia.induction import cover, prune
from ludarium.agents.genetic.gaia.judgement import Cases, best_place, empty_draft, finish, insert, respond
from ludarium.agents.genetic.gaia.patterns import RULE
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import child_key, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit

if TYPE_CHECKING:
    from ludarium.agents.genetic.gaia.learner import Gaia

_OFFERED = 0.2
"""The probability that a rule of the father is considered each time that a child takes over one."""


class Brood(NamedTuple):
    """Some children to make.

    Attributes:
        numbers: shape (children,) int64: a child is a function of its parents and its number.
        parents: shape (children, 2, rules) of `RULE`: mothers and fathers.
    """

    numbers: NDArray[np.int64]
    parents: NDArray[Any]


def breed_and_judge(
    gaia: "Gaia", game: Game, arrays: Arrays, breedings: int, key: np.uint64, known: Cases, parallel: Parallel
) -> dict[str, float]:
    """Judge the population, breed, and sort it by cost.

    Returns:
        The metrics `improved`, the share of children that are better than both of their parents, and `champion_rules`.
    """
    seen, better = board(game, gaia.symmetry), [0.0]
    judged = _in_parts(partial(_judge, known, seen), np.arange(gaia.population), arrays["rules"], parallel)
    rules, costs = _ranked(gaia.population, *judged)
    for number in range(breedings if gaia.breeding != "none" else 0):
        couples, left = _couples(gaia, np.array([child_key(child_key(key, BREEDING), number), 0], dtype=np.uint64))
        parents = rules[couples]
        parents[0 if gaia.breeding == "founders" else max(1, len(couples) - 1) :] = no_rules(gaia.rules)
        bear = partial(_bear, known, seen, float(gaia.mutation), child_key(child_key(key, CHILDREN), number))
        children, prices = _in_parts(bear, np.arange(len(couples)), parents, parallel)
        better.append(float((prices < costs[couples].min(axis=1)).mean()))
        pool = np.concatenate([children, rules[left]]), np.concatenate([prices, costs[left]])
        rules, costs = _ranked(gaia.population, *pool)
    arrays["rules"], arrays["weights"] = rules, -costs
    return {"improved": sum(better) / max(1, breedings), "champion_rules": int((rules[0]["action"] >= 0).sum())}


def no_rules(*shape: int) -> NDArray[Any]:
    """Empty lists: an array of `RULE` with empty places only."""
    rules = np.zeros(shape, dtype=RULE)
    rules["action"] = -1
    return rules


def _couples(gaia: "Gaia", stream: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each child's parents, shape (children, 2), and the lists that their children do not replace.

    A single list is both parents of one child, and gives way to it if that is no worse.
    """
    ranks = np.arange(gaia.population)
    if gaia.population == 1:
        return np.zeros((1, 2), dtype=np.int64), ranks
    if gaia.selection == "none":
        operators.shuffle(ranks, stream)
    parents, replaced = (ranks[part] for part in operators.parents_and_replaced(gaia.selection, gaia.population))
    operators.shuffle(parents, stream)
    return operators.couples(parents, len(replaced)), np.setdiff1d(ranks, replaced)


def _ranked(count: int, rules: NDArray[Any], costs: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The best lists and their costs; copies of others come last."""
    asked = [b"".join(one[name].tobytes() for name in ("own", "opponent", "empty", "action")) for one in rules]
    copies = np.array([one in asked[:place] for place, one in enumerate(asked)])
    order = np.lexsort((costs, copies))[:count]
    return rules[order], costs[order]


def _in_parts(
    function: Any, numbers: NDArray[np.int64], rules: NDArray[Any], parallel: Parallel
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Apply a function of a `Brood` to parts of one; join the lists of rules and costs that it returns."""
    groups = [numbers[first :: parallel.size] for first in range(min(parallel.size, len(numbers)))]
    found = parallel(function, [Brood(group, rules[group]) for group in groups])
    order = np.argsort(np.concatenate(groups))
    lists, costs = (np.concatenate(part)[order] for part in zip(*found, strict=True))
    return lists, costs


def _judge(known: Cases, seen: Board, brood: Brood) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Weigh the rules of some lists anew, in any process; return them and their costs."""
    rules = brood.parents
    return rules, np.array([judge(one, known, seen) for one in rules])


def _bear(
    known: Cases, seen: Board, mutation: float, key: np.uint64, brood: Brood
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Make the children of some couples, in any process; return them and their costs."""
    children, costs = np.zeros_like(brood.parents[:, 0]), np.zeros(len(brood.numbers))
    for place, number in enumerate(brood.numbers.tolist()):
        mother, father = brood.parents[place]
        costs[place] = bear(children[place], mother, father, known, seen, mutation, child_key(key, number))
    return children, costs


@jit
def judge(rules: Any, known: Any, board: Any) -> float:
    """Weigh the rules of a list, shape (places,) of `RULE`, in place, and return its cost."""
    draft = empty_draft(len(rules), known)
    copy_rules(draft, rules, known, board, 0.0, np.zeros(2, dtype=np.uint64))
    return finish(draft, known, rules)


@jit
def bear(child: Any, mother: Any, father: Any, known: Any, board: Any, mutation: float, key: Any) -> float:
    """Make a child, see the module, and return its cost.

    Args:
        child: shape (places,) of `RULE`, overwritten.
        mother: shape (places,) of `RULE`, in firing order.
        father: the same.
        known: the `Cases`.
        board: see `Board`.
        mutation: the probability that a rule of the mother is left out.
        key: all random choices are a function of it.
    """
    draft, stream = empty_draft(len(child), known), np.zeros(2, dtype=np.uint64)
    stream[0] = key
    copy_rules(draft, mother, known, board, mutation, stream)
    take_over(draft, father, known, board, stream)
    cover(draft, known, board, stream)
    prune(draft, known, stream)
    return finish(draft, known, child)


@jit
def copy_rules(draft: Any, rules: Any, known: Any, board: Any, mutation: float, stream: Any) -> None:
    """Append the rules of a list to an empty one, in their order, each but with the probability `mutation`."""
    response = np.zeros(len(known.regrets))
    for number in range(len(rules)):
        if rules[number].action >= 0 and (mutation == 0.0 or uniform(stream) >= mutation):
            respond(rules[number], known, board.undo, response)
            insert(draft, rules[number], response, draft.size[0])


@jit
def take_over(draft: Any, father: Any, known: Any, board: Any, stream: Any) -> None:
    """Insert rules of the father, the best of a few at a time, until none of those is worth its cost."""
    responses, gains = np.zeros((len(father), len(known.regrets))), np.zeros(len(father) + 1)
    for number in range(len(father)):
        if father[number].action >= 0:
            respond(father[number], known, board.undo, responses[number])
    while draft.size[0] < len(draft.rules):
        best, most, where = -1, known.rule_cost, 0
        for number in range(len(father)):
            if father[number].action >= 0 and uniform(stream) < _OFFERED:
                place, gain = best_place(draft, responses[number], gains)
                if gain > most:
                    best, most, where = number, gain, place
        if best < 0:
            break
        insert(draft, father[best], responses[best], where)
