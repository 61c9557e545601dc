"""Judging ordered lists of rules by cases, and changing them one rule at a time.

A *case* is a position in which the choice of a move matters. The *regret* of a move is how much less it is worth than
the best one: by values that are remembered (`ludarium.agents.genetic.gaia.memory`), or by those of a map of windows
(`ludarium.agents.genetic.gaia.window_judge`).

In a list the first rule that matches decides, so exceptions come before defaults, and a rule may err wherever another
one before it decides. The cost of a list is the total regret of its moves, and so much for each rule. Of lists that
cost the same otherwise, one is better in which few rules decide most cases: then some other rule has little left to do,
and may soon be dropped (after the fitness of Falkenauer's grouping genetic algorithm, 1996).
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.rules import RULE, matches
from ludarium.envs.jit import jit


class Cases(NamedTuple):
    """Positions in which the choice of a move matters.

    Attributes:
        senses: the positions as rules see them, shape (cases, images, 3) uint64.
        regrets: the regret of each action, shape (cases, actions); NaN where it is not legal.
        least: shape (cases,): the least regret of a legal move.
        unmatched: shape (cases,): the regret if no rule matches.
        rule_cost: the cost of each rule, in units of regret.
    """

    senses: NDArray[np.uint64]
    regrets: NDArray[np.float64]
    least: NDArray[np.float64]
    unmatched: NDArray[np.float64]
    rule_cost: float

    @classmethod
    def among(
        cls, senses: NDArray[np.uint64], regrets: NDArray[np.float64], unmatched: NDArray[np.float64], rule_cost: float
    ) -> Self:
        """The cases among some positions; the arguments are as in the attributes."""
        least = np.nanmin(regrets, axis=1) if len(regrets) else np.zeros(0)
        rows = np.flatnonzero(np.nanmax(regrets, axis=1) > least) if len(regrets) else np.arange(0)
        return cls(senses[rows], regrets[rows], least[rows], unmatched[rows], rule_cost)


class Evidence(NamedTuple):
    """What a judge of lists has to say after its games.

    Attributes:
        cases: see `Cases`.
        games: how many games were played.
        counts: shape (3,) int64: decisions, rule moves and draws in them.
    """

    cases: Cases
    games: int
    counts: NDArray[np.int64]


class Draft(NamedTuple):
    """A list of rules that is being changed, and what each of them does in each case.

    Attributes:
        rules: shape (places,) of `RULE`, in any order.
        size: shape (1,) int64: the number of rules in the list.
        order: shape (places,) int64: the rules' rows in firing order, then the free rows.
        responses: shape (places, cases): the regret of each row's move, NaN where the rule does not match; the highest
            one where several mirror images match.
        deciders: shape (cases,) int64: the place in the order of the rule that decides; the size if none does.
        errors: shape (cases,): the regret of the move that the list plays.
    """

    rules: Any
    size: Any
    order: Any
    responses: Any
    deciders: Any
    errors: Any


@jit
def empty_draft(places: int, cases: Any) -> Any:
    """A list without rules, with room for this many."""
    count = len(cases.regrets)
    return Draft(
        np.zeros(places, dtype=RULE),
        np.zeros(1, dtype=np.int64),
        np.arange(places),
        np.full((places, count), np.nan),
        np.zeros(count, dtype=np.int64),
        cases.unmatched.copy(),
    )


@jit
def respond(rule: Any, cases: Any, undo: Any, response: Any) -> None:
    """Write the regret of a rule's move in each case, see `Draft.responses`, to `response`, shape (cases,)."""
    for case in range(len(response)):
        worst = np.nan
        for image in range(len(undo)):
            if matches(rule, cases.senses[case], image):
                regret = cases.regrets[case, undo[image, rule.action]]
                if not np.isnan(regret) and not worst >= regret:
                    worst = regret
        response[case] = worst


@jit
def best_place(draft: Any, response: Any, gains: Any) -> Any:
    """The place at which a new rule saves most regret, the last of equals, and how much it saves there.

    Args:
        draft: the list.
        response: what the rule does in each case.
        gains: shape (places + 1,), overwritten: what it saves of the cases that each rule decides.
    """
    size = draft.size[0]
    gains[: size + 1] = 0.0
    for case in range(len(response)):
        if not np.isnan(response[case]):
            gains[draft.deciders[case]] += draft.errors[case] - response[case]
    best, place, total = -np.inf, 0, 0.0
    for at in range(size, -1, -1):
        total += gains[at]
        if total > best:
            best, place = total, at
    return place, best


@jit
def insert(draft: Any, rule: Any, response: Any, place: int) -> None:
    """Insert a rule into a list that is not full."""
    size = draft.size[0]
    row = draft.order[size]
    for at in range(size, place, -1):
        draft.order[at] = draft.order[at - 1]
    draft.order[place], draft.size[0] = row, size + 1
    draft.rules[row] = rule
    for case in range(len(response)):
        draft.responses[row, case] = response[case]
        if draft.deciders[case] >= place:
            if np.isnan(response[case]):
                draft.deciders[case] += 1
            else:
                draft.deciders[case], draft.errors[case] = place, response[case]


@jit
def next_decider(draft: Any, cases: Any, case: int, place: int) -> Any:
    """The first place from this one on whose rule matches in a case, the size if none does, and the regret there."""
    for at in range(place, draft.size[0]):
        regret = draft.responses[draft.order[at], case]
        if not np.isnan(regret):
            return at, regret
    return draft.size[0], cases.unmatched[case]


@jit
def saving(draft: Any, cases: Any, place: int) -> float:
    """How much regret the rule at a place saves."""
    total = 0.0
    for case in range(len(draft.errors)):
        if draft.deciders[case] == place:
            total += next_decider(draft, cases, case, place + 1)[1] - draft.errors[case]
    return total


@jit
def remove(draft: Any, cases: Any, place: int) -> None:
    """Remove the rule at a place from a list."""
    for case in range(len(draft.errors)):
        if draft.deciders[case] == place:
            after, draft.errors[case] = next_decider(draft, cases, case, place + 1)
            draft.deciders[case] = after - 1
        elif draft.deciders[case] > place:
            draft.deciders[case] -= 1
    size, row = draft.size[0], draft.order[place]
    for at in range(place, size - 1):
        draft.order[at] = draft.order[at + 1]
    draft.order[size - 1], draft.size[0] = row, size - 1


@jit
def finish(draft: Any, cases: Any, rules: Any) -> float:
    """Write the rules of a list in firing order, and return its cost, see the module.

    The priority of a rule is the number of places from its own to the end. Its `uses` are the cases that it decides,
    and its weight is minus its mean regret in them.

    Args:
        draft: the list.
        cases: see `Cases`.
        rules: shape (places,) of `RULE`, overwritten.
    """
    count, size = len(draft.errors), draft.size[0]
    for place in range(len(rules)):
        rules[place] = draft.rules[draft.order[place]]
        rules[place].weight, rules[place].uses, rules[place].priority = 0.0, 0, len(rules) - place
        if place >= size:
            rules[place].own, rules[place].opponent, rules[place].empty = np.uint64(0), np.uint64(0), np.uint64(0)
            rules[place].action = -1
    total = cases.rule_cost * size
    for case in range(count):
        total += draft.errors[case]
        if draft.deciders[case] < size:
            rules[draft.deciders[case]].uses += 1
            rules[draft.deciders[case]].weight -= draft.errors[case]
    for place in range(size):
        uses = rules[place].uses
        total -= cases.rule_cost * (uses / count) ** 2
        rules[place].weight /= max(1, uses)
    return total
