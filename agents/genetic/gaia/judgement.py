"""How a population's rules are judged by a table of positions and regrets, and how its children learn from it.

The *regret* of a move is how much less it is worth than another in the same position: the best one where worths are
known, see `ludarium.agents.genetic.gaia.experience`, the average one where they are estimated, see
`ludarium.agents.genetic.gaia.rollouts`. A rule's weight is its mean regret over the positions in which it matches,
negative, so in the four-step choice exceptions come before defaults by themselves. Where regrets are estimated, a rule
is as doubtful as it is rarely seen: its mean is taken as if it had also matched in so many positions without any
effect.

A player's cost is the regret of what it would play. A child covers errors by new rules, made from the position they
occurred in, and drops the rules it does not miss.

In the functions, `rules` is a player's, shape (n,) of `RULE`; `needs` and `undo` are those of `Board`; for `senses`,
`regrets`, `doubt` and `rule_cost` see `Evidence`.
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


@jit
def weigh(rules: Any, number: int, senses: Any, undo: Any, regrets: Any, doubt: float, responses: Any) -> None:
    """Weigh a rule, and write its regret in each position in which it fires.

    Args:
        rules: the player's; the weight becomes the mean regret where the rule matches, in any image, negative; -2, the
            least there is, if it never does.
        number: which rule.
        senses: see above.
        undo: see above.
        regrets: see above.
        doubt: see above.
        responses: shape (first positions, rules): the worst of the images is written here, NaN where none fires.
    """
    rule, total, count = rules[number], 0.0, 0
    for position in range(len(senses)):
        worst = np.nan
        for image in range(len(undo)):
            if matches(rule, senses[position], image):
                regret = regrets[position, undo[image, rule.action]]
                if not np.isnan(regret):
                    total, count = total + regret, count + 1
                    worst = worst if worst >= regret else regret
        if position < len(responses):
            responses[position, number] = worst
    rule.weight = -total / (count + doubt) if count else -2.0


@jit
def ranks(rules: Any) -> Any:
    """The numbers of the rules in the order of their priorities and weights, the first to fire first."""
    order = np.argsort(-rules.weight, kind="mergesort")
    return order[np.argsort(-rules.priority[order], kind="mergesort")]


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
def judge(rules: Any, rule_cost: float, responses: Any, worst: Any, errors: Any) -> float:
    """What a player's moves cost, and its rules; their `uses` are counted.

    Where several rules, or images of one, are fired at random, the worst counts; where none is, the worst legal move.

    Args:
        rules: the player's.
        rule_cost: see `Evidence`.
        responses: the regret of each rule, shape (positions, rules), NaN where it does not fire.
        worst: the regret of the worst legal move, shape (positions,).
        errors: the player's regret in each position is written here.

    Returns:
        The sum of the errors, and `rule_cost` for each rule that fires.
    """
    order, total = ranks(rules), 0.0
    for number in range(len(rules)):
        rules[number].uses = 0
    for position in range(len(responses)):
        chosen, errors[position] = decisive(rules, order, responses[position])
        if chosen >= 0:
            rules[chosen].uses += 1
        else:
            errors[position] = worst[position]
        total += errors[position]
    for number in range(len(rules)):
        total += rule_cost * (rules[number].uses > 0)
    return total


@jit
def cover(
    rules: Any, senses: Any, undo: Any, regrets: Any, doubt: float, responses: Any, errors: Any, needs: Any,
    squares: int, stream: Any,
) -> int:  # fmt: skip
    """Put a rule for a position in which the player errs in the place of one that never fires.

    The new rule asks for the whole position, then for as little as it can without a greater regret: senses are
    dropped in random order.

    Returns:
        Its number, -1 if there is no error or no place.
    """
    wrong, place = -1, -1
    count, unused = 0, 0
    for position in range(len(errors)):
        if errors[position] > np.nanmin(regrets[position]):
            count += 1
            if below(stream, count) == 0:
                wrong = position
    for number in range(len(rules)):
        if rules[number].uses == 0:
            unused += 1
            if below(stream, unused) == 0:
                place = number
    if wrong < 0 or place < 0:
        return -1
    rule = rules[place]
    best, least, ties = -1, np.nanmin(regrets[wrong]), 0
    for action in range(regrets.shape[1]):
        if regrets[wrong, action] == least:
            ties += 1
            if below(stream, ties) == 0:
                best = action
    rule.own, rule.opponent, rule.empty = senses[wrong, 0, 0], senses[wrong, 0, 1], senses[wrong, 0, 2]
    rule.action, rule.priority = best, rules.priority.max()
    generalise(rule, senses, undo, regrets, doubt, needs, squares, stream)
    weigh(rules, place, senses, undo, regrets, doubt, responses)
    return place


@jit
def generalise(
    rule: Any, senses: Any, undo: Any, regrets: Any, doubt: float, needs: Any, squares: int, stream: Any
) -> None:  # fmt: skip
    """Drop senses in random order, as long as the weight is not lowered; what the action needs stays."""
    order, lacking = np.arange(squares), np.empty((len(senses), len(undo)), dtype=np.uint64)
    shuffle(order, stream)
    for position in range(len(senses)):
        for image in range(len(undo)):
            own, opponent, empty = senses[position, image]
            illegal = np.isnan(regrets[position, undo[image, rule.action]])
            lack = (rule.own & ~own) | (rule.opponent & ~opponent) | (rule.empty & ~empty)
            lacking[position, image] = ~_ZERO if illegal else lack  # the squares for which the rule does not match
    total, count = gain(lacking, _ZERO, regrets, undo, rule.action)
    needed = needs[rule.action, 0] | needs[rule.action, 1] | needs[rule.action, 2]
    for square in order:
        bit = _ONE << np.uint64(square)
        if ((rule.own | rule.opponent | rule.empty) & ~needed & bit) == _ZERO:
            continue
        more, others = gain(lacking, bit, regrets, undo, rule.action)
        if (total + more) * (count + doubt) <= total * (count + others + doubt):
            total, count = total + more, count + others
            rule.own, rule.opponent, rule.empty = rule.own & ~bit, rule.opponent & ~bit, rule.empty & ~bit
            for position in range(len(lacking)):
                for image in range(len(undo)):
                    lacking[position, image] &= ~bit


@jit
def gain(lacking: Any, squares: Any, regrets: Any, undo: Any, action: int) -> Any:
    """The regret, and the number, of the matches that lack these squares and no others."""
    total, count = 0.0, 0
    for position in range(len(lacking)):
        for image in range(len(undo)):
            if lacking[position, image] == squares:
                total += regrets[position, undo[image, action]]
                count += 1
    return total, count


@jit
def drop(rules: Any, rule_cost: float, responses: Any, worst: Any, stream: Any) -> None:
    """Drop the rules that a player does not miss, beginning at a random one."""
    order, first = ranks(rules), below(stream, len(rules))
    for step in range(len(rules)):
        number = (first + step) % len(rules)
        if rules[number].action < 0:
            continue
        kept, change, fires = responses[:, number].copy(), 0.0, False
        for position in range(len(responses)):
            if np.isnan(kept[position]):
                continue
            chosen, error = decisive(rules, order, responses[position])
            responses[position, number] = np.nan
            other, without = decisive(rules, order, responses[position])
            fires |= chosen == number
            change += (without if other >= 0 else worst[position]) - error
        if change > rule_cost * fires:
            responses[:, number] = kept
        else:
            rules[number].action = -1


@jit
def improve(
    rules: Any, senses: Any, regrets: Any, met: int, doubt: float, rule_cost: float, undo: Any, needs: Any,
    squares: int, key: Any, young: bool,
) -> float:  # fmt: skip
    """Weigh a player's rules; what it costs, see `judge`. The young first cover errors, and drop what they can spare.

    Args:
        rules: the player's; they change.
        senses: see `Evidence`.
        regrets: see `Evidence`.
        met: see `Evidence`.
        doubt: see `Evidence`.
        rule_cost: see `Evidence`.
        undo: see `Board`.
        needs: see `Board`.
        squares: how many the board has.
        key: its randomness.
        young: whether it was just born.
    """
    stream, errors, worst = np.zeros(2, dtype=np.uint64), np.zeros(met), np.zeros(met)
    stream[0] = key
    for position in range(met):
        worst[position] = np.nanmax(regrets[position])
    responses = np.empty((met, len(rules)))
    for number in range(len(rules)):
        weigh(rules, number, senses, undo, regrets, doubt, responses)
    cost = judge(rules, rule_cost, responses, worst, errors)
    if not young:
        return cost
    for _ in range(met):  # each covers one position at least
        if cover(rules, senses, undo, regrets, doubt, responses, errors, needs, squares, stream) < 0:
            break
        judge(rules, rule_cost, responses, worst, errors)
    drop(rules, rule_cost, responses, worst, stream)
    return judge(rules, rule_cost, responses, worst, errors)
