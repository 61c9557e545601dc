"""If-then rules over a board: what a rule is, when it matches, and which of several fires.

A rule has one of four *senses* for each square of the board, as the seat to move sees it: `P` own, `C` the opponent's,
`V` empty, `*` anything. Where all of them hold, the rule matches, and its action may be played. So a rule is three sets
of squares, of 64 bits each, and a match takes three comparisons. `ludarium.agents.genetic.board` turns a game's
observation into such sets.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.board import Board
from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import below, bits, uniform
from ludarium.envs.jit import jit

RULE = np.dtype(
    [
        ("own", np.uint64),  # P: bit i is square i, row by row
        ("opponent", np.uint64),  # C
        ("empty", np.uint64),  # V; a square in none of the three is *
        ("weight", np.float64),  # how good its moves were
        ("uses", np.int64),
        ("action", np.int32),  # -1: an empty place
        ("priority", np.int32),
    ]
)
Rules = NDArray[Any]
"""An array of `RULE`."""
_ONE, _ALL = np.uint64(1), ~np.uint64(0)


def no_rules(*shape: int) -> Rules:
    """Empty places only."""
    rules = np.zeros(shape, dtype=RULE)
    rules["action"] = -1
    return rules


def in_places(rules: Rules, places: int) -> Rules:
    """An ordered list as a population keeps it: with empty places at the end, and priorities in order."""
    kept = no_rules(places)
    kept[: len(rules)] = rules
    kept["priority"] = np.arange(places, 0, -1)
    return kept


def diversity(rules: Rules) -> float:
    """The number of different rules divided by the number of all rules."""
    senses = (
        rules["own"]
        ^ rules["opponent"] * np.uint64(0x9E3779B97F4A7C15)
        ^ rules["empty"] * np.uint64(0xBF58476D1CE4E5B9)
    )
    keys = senses ^ rules["action"].astype(np.uint64) * np.uint64(0x94D049BB133111EB)
    return len(np.unique(keys)) / keys.size


@jit
def matches(rule: Any, seen: Any, image: int) -> bool:
    """Whether all senses of a rule hold in a mirror image."""
    missing = (rule.own & ~seen[image, 0]) | (rule.opponent & ~seen[image, 1]) | (rule.empty & ~seen[image, 2])
    return rule.action >= 0 and missing == np.uint64(0)


@jit
def same(a: Any, b: Any) -> bool:
    """Whether two rules have the same senses and action, whatever their weights and priorities."""
    return a.own == b.own and a.opponent == b.opponent and a.empty == b.empty and a.action == b.action


@jit
def fire(rules: Any, seen: Any, undo: Any, mask: Any, stream: Any) -> Any:
    """The rule to fire and its action, or (-1, -1) if no rule with a legal action matches.

    Among the rules that match, the highest priority wins, then the highest weight; ties are broken at random. A rule
    that matches in several mirror images counts once for each.
    """
    chosen, action, ties = -1, -1, 0
    for number in range(len(rules)):
        rule = rules[number]
        if chosen >= 0:
            best = rules[chosen]
            if rule.priority < best.priority or (rule.priority == best.priority and rule.weight < best.weight):
                continue
        for image in range(len(undo)):
            if not matches(rule, seen, image) or not mask[undo[image, rule.action]]:
                continue
            best = rules[max(chosen, 0)]
            if chosen < 0 or rule.priority > best.priority or rule.weight > best.weight:
                chosen, action, ties = number, undo[image, rule.action], 1
            else:
                ties += 1
                if below(stream, ties) == 0:
                    chosen, action = number, undo[image, rule.action]
    return chosen, action


@jit
def decide(rules: Any, seen: Any, undo: Any, mask: Any, count: int, stream: Any) -> Any:
    """The rule that fires and its action; if none does, -1 and a random legal action."""
    chosen, action = fire(rules, seen, undo, mask, stream)
    return (chosen, action) if chosen >= 0 else (-1, nth_legal(mask, count, bits(stream)))


@jit
def decide_in_order(rules: Any, seen: Any, undo: Any, mask: Any, count: int, stream: Any) -> Any:
    """The first rule that matches and has a legal action, in the first such mirror image; otherwise as `decide`."""
    for number in range(len(rules)):
        for image in range(len(undo)):
            if matches(rules[number], seen, image) and mask[undo[image, rules[number].action]]:
                return number, undo[image, rules[number].action]
    return -1, nth_legal(mask, count, bits(stream))


class Generator(NamedTuple):
    """What random rules are made from.

    Attributes:
        needs: what each action needs, see `Board`.
        playable: the actions to choose from, see `Board`.
        squares: the number of squares of the board.
        wildcards: the probability, from 0 to 1, of `*` for a square; the other three senses are equally likely.
        priorities: the number of priorities.
        rigged: the probability of a rigged rule: two P or two C, what its action needs, and `*` elsewhere.
    """

    needs: Any
    playable: Any
    squares: int
    wildcards: float
    priorities: int
    rigged: float

    @classmethod
    def of(cls, board: Board, wildcards: float, priorities: int = 1, rigged: float = 0.0) -> Self:
        """The generator for a board; the numbers are as in the attributes."""
        squares = board.squares.shape[1]
        return cls(board.needs, board.playable, squares, float(wildcards), priorities, float(rigged))


@jit
def random_rule(rule: Any, generator: Any, stream: Any) -> None:
    """Write a random rule; its senses include what its action needs to be legal.

    Args:
        rule: an element of an array of `RULE`, overwritten.
        generator: see `Generator`.
        stream: the random stream.
    """
    senses = np.zeros(3, dtype=np.uint64)
    action = generator.playable[below(stream, len(generator.playable))]
    needs = generator.needs[action]
    taken = needs[0] | needs[1] | needs[2]
    if uniform(stream) < generator.rigged:
        side = below(stream, 2)
        for _ in range(2):
            bit = _ONE << np.uint64(below(stream, generator.squares))
            while ((taken | senses[side]) & bit) != np.uint64(0) and (taken | senses[side]) != _ALL:
                bit = _ONE << np.uint64(below(stream, generator.squares))
            senses[side] |= bit
    else:
        for square in range(generator.squares):
            bit = _ONE << np.uint64(square)
            if uniform(stream) >= generator.wildcards:
                sense = below(stream, len(senses))
                if taken & bit == np.uint64(0):
                    senses[sense] |= bit
    rule.own, rule.opponent, rule.empty = senses[0] | needs[0], senses[1] | needs[1], senses[2] | needs[2]
    rule.action, rule.priority = action, below(stream, generator.priorities)
    rule.weight, rule.uses = 0.0, 0
