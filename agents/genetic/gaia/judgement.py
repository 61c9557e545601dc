"""How a population's rules are judged by a table of positions and regrets, and how its children learn from it.

The *regret* of a move is how much less it is worth than another in the same position: the best one where worths are
known, see `ludarium.agents.genetic.gaia.experience`, the average one where they are estimated, see
`ludarium.agents.genetic.gaia.rollouts`. A rule's weight is its mean regret over the positions in which it matches,
negative, so in the four-step choice exceptions come before defaults by themselves. Where regrets are estimated, a rule
is as doubtful as it is rarely seen: its mean is taken as if it had also matched in so many positions without any
effect.

A player's cost is the regret of what it would play. A child covers errors by new rules, made from the position they
occurred in, and drops the rules it does not miss.

In the functions, `rules` is a player's, shape (n,) of `RULE`; for `evidence` see `Evidence`, for `undo` and `board`
see `Board`, for `judged` see `Judged`.
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
    """What is known of moves.

    Attributes:
        senses: positions as rules see them, shape (positions, images, 3) uint64.
        regrets: of each action, shape (positions, actions), in units of won games; NaN where it is not legal.
        met: players are judged in so many positions, the first ones; rules in all of them.
        doubt: a rule is weighed as if it had matched in so many more positions, without effect.
        rule_cost: what a rule that fires costs, in units of regret; what saves less is dropped.
    """

    senses: NDArray[np.uint64]
    regrets: NDArray[np.float64]
    met: int
    doubt: float
    rule_cost: float


class Judged(NamedTuple):
    """A player in each of the first `met` positions.

    Attributes:
        responses: shape (met, rules): the regret of each rule, NaN where it does not fire.
        least: shape (met,): the regret of the best legal move.
        worst: shape (met,): that of the worst.
        errors: shape (met,): that of the player.
        order: shape (rules,) int64: the numbers of the rules, the first to fire first.
    """

    responses: Any
    least: Any
    worst: Any
    errors: Any
    order: Any


@jit
def nothing_judged(evidence: Any, rules: int) -> Any:
    """Room to judge a player of so many rules; the least and the worst regrets are filled in."""
    met = evidence.met
    judged = Judged(np.full((met, rules), np.nan), np.zeros(met), np.zeros(met), np.zeros(met), np.arange(rules))
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
    """Weigh a rule, and write its regret in each position in which it fires.

    Args:
        rules: the player's; the weight becomes the mean regret where the rule matches, in any image, negative; -2, the
            least there is, if it never does.
        number: which rule.
        evidence: see above.
        undo: see above.
        responses: shape (first positions, rules): the worst of the images is written here, NaN where none fires.
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
    """Put the numbers of the rules in the order of their priorities and weights, the first to fire first.

    An insertion sort: between two calls one rule has changed.
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
    """The rule that decides in a position, -1 if none, and its regret: of rules that are as good, the worst."""
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
    """What a player's moves cost, and its rules; their `uses` are counted, and the errors written.

    Where several rules, or images of one, are fired at random, the worst counts; where none is, the worst legal move.

    Returns:
        The sum of the errors, and `rule_cost` for each rule that fires.
    """
    rank(rules, judged.order)
    total = 0.0
    for number in range(len(rules)):
        rules[number].uses = 0
    for position in range(len(judged.errors)):
        chosen, error = decisive(rules, judged.order, judged.responses[position])
        if chosen >= 0:
            rules[chosen].uses += 1
        else:
            error = judged.worst[position]
        judged.errors[position] = error
        total += error
    for number in range(len(rules)):
        total += rule_cost * (rules[number].uses > 0)
    return total


@jit
def cover(rules: Any, evidence: Any, board: Any, judged: Any, stream: Any) -> int:
    """Put a rule for a position in which the player errs in the place of one that never fires.

    The new rule asks for the whole position, then for as little as it can without a greater regret: senses are
    dropped in random order.

    Returns:
        Its number, -1 if there is no error or no place.
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
    """Drop senses in random order, as long as the weight is not lowered; what the action needs stays."""
    order, undo, regrets = np.arange(board.squares.shape[1]), board.undo, evidence.regrets
    # For each image of a position in which the action is legal: the squares for which the rule does not match, and the
    # regret of the action.
    lacking, costs, cases = np.empty(len(regrets) * len(undo), dtype=np.uint64), np.empty(len(regrets) * len(undo)), 0
    shuffle(order, stream)
    for position in range(len(regrets)):
        for image in range(len(undo)):
            regret = regrets[position, undo[image, rule.action]]
            if not np.isnan(regret):
                own, opponent, empty = evidence.senses[position, image]
                lacking[cases] = (rule.own & ~own) | (rule.opponent & ~opponent) | (rule.empty & ~empty)
                costs[cases] = regret
                cases += 1
    total, count = gain(lacking, _ZERO, costs, cases)
    needed = board.needs[rule.action, 0] | board.needs[rule.action, 1] | board.needs[rule.action, 2]
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


@jit
def gain(lacking: Any, squares: Any, costs: Any, cases: int) -> Any:
    """The regret, and the number, of the cases that lack these squares and no others."""
    total, count = 0.0, 0
    for case in range(cases):
        if lacking[case] == squares:
            total += costs[case]
            count += 1
    return total, count


@jit
def drop(rules: Any, rule_cost: float, judged: Any, stream: Any) -> None:
    """Drop the rules that a player does not miss, beginning at a random one."""
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
    """Weigh a player's rules; what it costs, see `judge`. The young first cover errors, and drop what they can spare.

    Args:
        rules: the player's; they change.
        evidence: see above.
        board: see above.
        key: its randomness.
        young: whether it learns.
    """
    judged, stream = nothing_judged(evidence, len(rules)), np.zeros(2, dtype=np.uint64)
    stream[0] = key
    for number in range(len(rules)):
        weigh(rules, number, evidence, board.undo, judged.responses)
    for _ in range(evidence.met if young else 0):  # each covers one position at least
        judge(rules, evidence.rule_cost, judged)
        if cover(rules, evidence, board, judged, stream) < 0:
            break
    if young:
        drop(rules, evidence.rule_cost, judged, stream)
    return judge(rules, evidence.rule_cost, judged)
