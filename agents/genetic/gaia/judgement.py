"""Judging players by a table of positions and regrets, and letting children learn from it.

The *regret* of a move is how much less it is worth than a reference: the best move where values are known
(`ludarium.agents.genetic.gaia.experience`), the mean of the legal moves where they are estimated
(`ludarium.agents.genetic.gaia.rollouts`). The weight of a rule is minus its mean regret over the positions in which it
matches, so exceptions take precedence over defaults without further ado. Estimates of rules that rarely match are
unreliable, so each mean is shrunk towards zero, as if the rule had also matched in `doubt` positions without regret.

The cost of a player is the total regret of the moves it would play. A child covers its errors by new rules, made from
the positions in which it errs, and drops rules that it can do without.

In all functions, `rules` are those of one player, shape (n,) of `RULE`; `evidence` is an `Evidence`, `board` a `Board`,
`undo` its array of that name, and `judged` a `Judged`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gaia.operators import shuffle
from ludarium.agents.genetic.gaia.patterns import matches
from ludarium.envs.chance import below
from ludarium.envs.jit import jit

_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Evidence(NamedTuple):
    """What is known about moves.

    Attributes:
        senses: the positions as rules see them, shape (positions, images, 3) uint64.
        regrets: the regret of each action, shape (positions, actions), in units of won games; NaN where it is not
            legal.
        met: the number of positions in which players are judged, the first ones; rules are weighed in all of them.
        doubt: a rule is weighed as if it had matched in this many more positions, with regret 0.
        rule_cost: the cost of each rule that fires, in units of regret; a rule that saves less is dropped.
    """

    senses: NDArray[np.uint64]
    regrets: NDArray[np.float64]
    met: int
    doubt: float
    rule_cost: float


class Judged(NamedTuple):
    """The regrets of one player in each of the first `met` positions.

    Attributes:
        responses: shape (met, rules): the regret of each rule's move, NaN where the rule does not match.
        least: shape (met,): the regret of the best legal move.
        worst: shape (met,): the regret of the worst legal move.
        errors: shape (met,): the regret of the move that the player would play.
        chosen: shape (met,) int64: the number of the rule that decides, -1 if none matches.
        order: shape (rules,) int64: the numbers of the rules in firing order.
    """

    responses: Any
    least: Any
    worst: Any
    errors: Any
    chosen: Any
    order: Any


@jit
def nothing_judged(evidence: Any, rules: int) -> Any:
    """A `Judged` for a player with this many rules; only the least and the worst regrets are filled in."""
    met = evidence.met
    responses, chosen = np.full((met, rules), np.nan), np.full(met, -1)
    judged = Judged(responses, np.zeros(met), np.zeros(met), np.zeros(met), chosen, np.arange(rules))
    for position in range(met):
        judged.least[position], judged.worst[position] = np.inf, -np.inf
        for regret in evidence.regrets[position]:
            if regret < judged.least[position]:
                judged.least[position] = regret
            if regret > judged.worst[position]:
                judged.worst[position] = regret
    return judged


@jit
def weigh(rules: Any, number: int, evidence: Any, undo: Any, responses: Any) -> None:
    """Weigh a rule, and write its regret in each position in which it matches.

    Args:
        rules: the player's; the rule's weight becomes minus its mean regret over all matches, in any mirror image, or
            -2, the lowest weight possible, if it never matches.
        number: the rule to weigh.
        evidence: see the module.
        undo: see the module.
        responses: shape (first positions, rules): the highest regret among the images that match is written here, NaN
            where none does.
    """
    rule, total, count = rules[number], 0.0, 0
    for position in range(len(evidence.senses)):
        worst = np.nan
        for image in range(len(undo)):
            if matches(rule, evidence.senses[position], image):
                regret = evidence.regrets[position, undo[image, rule.action]]
                if not np.isnan(regret):
                    total, count = total + regret, count + 1
                    worst = worst if worst >= regret else regret
        if position < len(responses):
            responses[position, number] = worst
    rule.weight = -total / (count + evidence.doubt) if count else -2.0


@jit
def rank(rules: Any, order: Any) -> None:
    """Sort the numbers of the rules into firing order, by priority and then by weight.

    This is an insertion sort, since between two calls only one rule changes.
    """
    for last in range(1, len(order)):
        number, place = order[last], last
        while place > 0 and _before(rules[number], number, rules[order[place - 1]], order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = number


@jit
def _before(rule: Any, number: int, other: Any, its_number: int) -> bool:
    if rule.priority != other.priority:
        return rule.priority > other.priority
    return rule.weight > other.weight or (rule.weight == other.weight and number < its_number)


@jit
def decisive(rules: Any, order: Any, responses: Any) -> Any:
    """The rule that decides in a position, -1 if none matches, and its regret; of tied rules, the one with the most."""
    chosen, error = -1, np.nan
    for number in order:
        if chosen >= 0 and (
            rules[number].weight != rules[chosen].weight or rules[number].priority != rules[chosen].priority
        ):
            break
        if not np.isnan(responses[number]) and not responses[number] <= error:
            chosen, error = number, responses[number]
    return chosen, error


@jit
def judge(rules: Any, rule_cost: float, judged: Any) -> float:
    """The cost of a player; counts the `uses` of its rules, and writes its errors.

    Where a random choice among several rules, or images of one, would decide, the worst of them counts. Where no rule
    matches, the worst legal move counts.

    Returns:
        The sum of the errors, plus `rule_cost` for each rule that fires.
    """
    rank(rules, judged.order)
    total = 0.0
    for number in range(len(rules)):
        rules[number].uses = 0
    for position in range(len(judged.errors)):
        decide_by(rules, judged, position)
        total += judged.errors[position]
    for number in range(len(rules)):
        total += rule_cost * (rules[number].uses > 0)
    return total


@jit
def decide_by(rules: Any, judged: Any, position: int) -> None:
    """Enter which rule decides in a position, and the error."""
    chosen, error = decisive(rules, judged.order, judged.responses[position])
    if chosen >= 0:
        rules[chosen].uses += 1
    judged.chosen[position], judged.errors[position] = chosen, error if chosen >= 0 else judged.worst[position]


@jit
def judge_again(rules: Any, number: int, judged: Any) -> None:
    """Judge a player once more after a rule that never fired was replaced: only where the new one matches."""
    rank(rules, judged.order)
    rules[number].uses = 0
    for position in range(len(judged.errors)):
        if not np.isnan(judged.responses[position, number]):
            if judged.chosen[position] >= 0:
                rules[judged.chosen[position]].uses -= 1
            decide_by(rules, judged, position)


@jit
def cover(rules: Any, evidence: Any, board: Any, judged: Any, stream: Any) -> int:
    """Replace a rule that never fires by one for a position in which the player errs.

    The new rule first asks for the whole position. Then senses are dropped in random order, as long as its mean regret
    does not rise.

    Returns:
        The number of the new rule; -1 if the player makes no errors, or all its rules fire.
    """
    wrong, place = -1, len(rules)
    errors, unused, priority = 0, 0, rules[0].priority
    for position in range(len(judged.errors)):
        if judged.errors[position] > judged.least[position]:
            errors += 1
            if below(stream, errors) == 0:
                wrong = position
    for number in range(len(rules)):
        priority = max(priority, rules[number].priority)
        if rules[number].uses == 0:
            unused += 1
            if below(stream, unused) == 0:
                place = number
    if wrong < 0 or place == len(rules):
        return -1
    best, ties = -1, 0
    for action in range(evidence.regrets.shape[1]):
        if evidence.regrets[wrong, action] == judged.least[wrong]:
            ties += 1
            if below(stream, ties) == 0:
                best = action
    rule, senses = rules[place], evidence.senses[wrong, 0]
    rule.own, rule.opponent, rule.empty, rule.action, rule.priority = senses[0], senses[1], senses[2], best, priority
    generalise(rule, evidence, board, stream)
    weigh(rules, place, evidence, board.undo, judged.responses)
    return place


@jit
def generalise(rule: Any, evidence: Any, board: Any, stream: Any) -> None:
    """Drop a rule's senses in random order, except those its action needs, wherever that does not lower its weight."""
    order, undo, regrets = np.arange(board.squares.shape[1]), board.undo, evidence.regrets
    # A case is an image of a position in which the action is legal. Of each that the rule may come to match: the
    # squares that keep it from matching, and the regret of the action.
    lacking, costs, cases = np.empty(len(regrets) * len(undo), dtype=np.uint64), np.empty(len(regrets) * len(undo)), 0
    needed = board.needs[rule.action, 0] | board.needs[rule.action, 1] | board.needs[rule.action, 2]
    shuffle(order, stream)
    for position in range(len(regrets)):
        for image in range(len(undo)):
            regret = regrets[position, undo[image, rule.action]]
            own, opponent, empty = evidence.senses[position, image]
            lack = (rule.own & ~own) | (rule.opponent & ~opponent) | (rule.empty & ~empty)
            if not np.isnan(regret) and lack & needed == _ZERO:
                lacking[cases], costs[cases], cases = lack, regret, cases + 1
    total, count = gain(lacking, _ZERO, costs, cases)
    for square in order:
        bit = _ONE << np.uint64(square)
        if ((rule.own | rule.opponent | rule.empty) & ~needed & bit) == _ZERO:
            continue
        more, others = gain(lacking, bit, costs, cases)
        if (total + more) * (count + evidence.doubt) <= total * (count + others + evidence.doubt):
            total, count = total + more, count + others
            rule.own, rule.opponent, rule.empty = rule.own & ~bit, rule.opponent & ~bit, rule.empty & ~bit
            for case in range(cases):
                lacking[case] &= ~bit
        else:
            cases = without(lacking, costs, cases, bit)


@jit
def without(lacking: Any, costs: Any, cases: int, squares: Any) -> int:
    """Remove the cases in which one of these squares keeps a rule from matching, for good; the number of the others."""
    left = 0
    for case in range(cases):
        if lacking[case] & squares == _ZERO:
            lacking[left], costs[left], left = lacking[case], costs[case], left + 1
    return left


@jit
def gain(lacking: Any, squares: Any, costs: Any, cases: int) -> Any:
    """The total regret and the number of the cases in which exactly these squares keep a rule from matching."""
    total, count = 0.0, 0
    for case in range(cases):
        if lacking[case] == squares:
            total += costs[case]
            count += 1
    return total, count


@jit
def drop(rules: Any, rule_cost: float, judged: Any, stream: Any) -> None:
    """Drop the rules that a player can do without, trying each in turn from a random one on."""
    rank(rules, judged.order)
    first = below(stream, len(rules))
    for step in range(len(rules)):
        number = (first + step) % len(rules)
        if rules[number].action < 0:
            continue
        kept, change, fires = judged.responses[:, number].copy(), 0.0, False
        for position in range(len(kept)):
            if np.isnan(kept[position]):
                continue
            responses = judged.responses[position]
            chosen, error = decisive(rules, judged.order, responses)
            responses[number] = np.nan
            other, without = decisive(rules, judged.order, responses)
            fires |= chosen == number
            change += (without if other >= 0 else judged.worst[position]) - error
        if change > rule_cost * fires:
            for position in range(len(kept)):
                judged.responses[position, number] = kept[position]
        else:
            rules[number].action = -1


@jit
def improve(rules: Any, evidence: Any, board: Any, key: Any, young: bool) -> float:
    """Weigh a player's rules, let it learn if it is young, and return its cost, see `judge`.

    To learn, a player covers its errors by new rules, and then drops the rules that it can do without.

    Args:
        rules: the player's, updated in place.
        evidence: see the module.
        board: see the module.
        key: all random choices are a function of it.
        young: whether the player learns.
    """
    judged, stream = nothing_judged(evidence, len(rules)), np.zeros(2, dtype=np.uint64)
    stream[0] = key
    for number in range(len(rules)):
        weigh(rules, number, evidence, board.undo, judged.responses)
    if young:
        judge(rules, evidence.rule_cost, judged)
        for _ in range(evidence.met):  # each round covers at least one position
            new = cover(rules, evidence, board, judged, stream)
            if new < 0:
                break
            judge_again(rules, new, judged)
        drop(rules, evidence.rule_cost, judged, stream)
    return judge(rules, evidence.rule_cost, judged)
