"""How a list of rules learns from cases: new rules for its errors, and none that it can do without.

In all functions, `draft` is the list, `cases` are the `Cases`, `board` is a `Board` and `stream` the random stream.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.genetic.gaia.draft import best_place, insert, remove, respond, saving
from ludarium.agents.genetic.gaia.rules import RULE
from ludarium.envs.chance import below, uniform
from ludarium.envs.jit import jit
from ludarium.envs.kernels import local

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_PATIENCE = 4
"""A list has learned when this many new rules in a row were not worth their cost."""


class Reach(NamedTuple):
    """Where a rule might come to match: each row is a mirror image of a case in which its action is legal.

    Attributes:
        cases: shape (rows,) int64.
        lacking: shape (rows,) uint64: the squares that keep the rule from matching.
        regrets: shape (rows,): the regret of the action.
        responses: shape (cases,): the regret of the rule in each case, NaN where it does not match yet.
    """

    cases: Any
    lacking: Any
    regrets: Any
    responses: Any


@jit
def no_reach(cases: Any, board: Any) -> Any:
    """A `Reach` with room for all images of all cases."""
    count, rows = len(cases.regrets), len(cases.regrets) * len(board.undo)
    return Reach(np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.uint64), np.zeros(rows), np.zeros(count))


@jit
def cover(draft: Any, cases: Any, board: Any, stream: Any) -> None:
    """Insert new rules for errors into a list until it is full, or they are not worth their cost."""
    made, response, gains = local(RULE), np.zeros(len(cases.regrets)), np.zeros(len(draft.rules) + 1)
    reach, failures = no_reach(cases, board), 0
    while draft.size[0] < len(draft.rules) and failures < _PATIENCE:
        case = random_error(draft, cases, stream)
        if case < 0:
            break
        induce(made, draft, cases, case, board, reach, stream)
        respond(made, cases, board.undo, response)
        place, gain = best_place(draft, response, gains)
        if gain > cases.rule_cost:
            insert(draft, made, response, place)
            failures = 0
        else:
            failures += 1


@jit
def random_error(draft: Any, cases: Any, stream: Any) -> int:
    """A random case in which a list errs, with a probability in proportion to the regret; -1 if it never errs."""
    total, worst = 0.0, -1
    for case in range(len(draft.errors)):
        loss = draft.errors[case] - cases.least[case]
        if loss > 0.0:
            total += loss
            if uniform(stream) * total < loss:
                worst = case
    return worst


@jit
def induce(rule: Any, draft: Any, cases: Any, case: int, board: Any, reach: Any, stream: Any) -> None:
    """Write a rule that plays a best move in a case, to be inserted before the rule that decides there.

    The rule first asks for the whole position. Then it drops one sense after another, except those its action needs:
    the one by which the list gains most, ties at random, until it would lose by any.
    """
    best, ties = -1, 0
    for action in range(cases.regrets.shape[1]):
        if cases.regrets[case, action] == cases.least[case]:
            ties += 1
            if below(stream, ties) == 0:
                best = action
    rule.own, rule.opponent, rule.empty = cases.senses[case, 0]
    rule.action = best
    needed = board.needs[best, 0] | board.needs[best, 1] | board.needs[best, 2]
    gains = np.zeros(board.squares.shape[1])
    rows = find_reach(rule, needed, draft, cases, draft.deciders[case], board.undo, reach)
    while True:
        weigh_senses(draft.errors, reach, rows, gains)
        asked, square, ties = (rule.own | rule.opponent | rule.empty) & ~needed, -1, 0
        for other in range(len(gains)):
            if asked >> np.uint64(other) & _ONE == _ZERO or gains[other] < 0.0:
                continue
            if square < 0 or gains[other] > gains[square]:
                square, ties = other, 1
            elif gains[other] == gains[square]:
                ties += 1
                if below(stream, ties) == 0:
                    square = other
        if square < 0:
            break
        bit = _ONE << np.uint64(square)
        rule.own, rule.opponent, rule.empty = rule.own & ~bit, rule.opponent & ~bit, rule.empty & ~bit
        rows = drop_sense(reach, rows, bit)


@jit
def find_reach(rule: Any, needed: Any, draft: Any, cases: Any, place: int, undo: Any, reach: Any) -> int:
    """Fill in where a rule at a place of a list might come to match if it drops senses; the number of rows."""
    rows = 0
    for case in range(len(draft.errors)):
        reach.responses[case] = np.nan
        if draft.deciders[case] < place:
            continue
        for image in range(len(undo)):
            regret = cases.regrets[case, undo[image, rule.action]]
            own, opponent, empty = cases.senses[case, image]
            lack = (rule.own & ~own) | (rule.opponent & ~opponent) | (rule.empty & ~empty)
            if not np.isnan(regret) and lack & needed == _ZERO:
                reach.cases[rows], reach.lacking[rows], reach.regrets[rows] = case, lack, regret
                rows += 1
    return drop_sense(reach, rows, _ZERO)


@jit
def drop_sense(reach: Any, rows: int, bit: Any) -> int:
    """Drop a rule's sense for a square, and write what it then does; the number of rows where it does not match yet."""
    left = 0
    for row in range(rows):
        case, lack, regret = reach.cases[row], reach.lacking[row] & ~bit, reach.regrets[row]
        if lack != _ZERO:
            reach.cases[left], reach.lacking[left], reach.regrets[left] = case, lack, regret
            left += 1
        elif not reach.responses[case] >= regret:
            reach.responses[case] = regret
    return left


@jit
def weigh_senses(errors: Any, reach: Any, rows: int, gains: Any) -> None:
    """Write the regret that a list saves if a rule drops its sense for a square, shape (squares,), to `gains`.

    Images of a case that lack the same square are neighbours only in games with few mirror images; where they are not,
    the gain is an estimate.
    """
    gains[:] = 0.0
    last, before, worst = -1, _ZERO, 0.0
    for row in range(rows):
        case, lack, regret = reach.cases[row], reach.lacking[row], reach.regrets[row]
        if lack & (lack - _ONE) != _ZERO:
            continue
        square = 0
        while lack >> np.uint64(square) != _ONE:
            square += 1
        if case == last and lack == before:
            saved, worst = worst - max(worst, regret), max(worst, regret)
        elif np.isnan(reach.responses[case]):
            saved, worst = errors[case] - regret, regret
        else:
            worst = max(reach.responses[case], regret)
            saved = reach.responses[case] - worst
        gains[square] += saved
        last, before = case, lack


@jit
def prune(draft: Any, cases: Any, stream: Any) -> None:
    """Remove the rules that are not worth their cost, trying each in turn from a random one on, until all are."""
    removed = True
    while removed and draft.size[0]:
        removed, first = False, below(stream, draft.size[0])
        for place in range(draft.size[0] - 1, -1, -1):
            at = (place + first) % draft.size[0]
            if saving(draft, cases, at) <= cases.rule_cost:
                remove(draft, cases, at)
                removed = True
