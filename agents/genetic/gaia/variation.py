"""How ordered lists of rules vary where nothing but the results of games judges them: mutation and crossover.

A list is an array of `RULE` without empty places; the first rule that matches decides. Draws come from a NumPy
generator made from the seed and the number of the generation.
"""

from typing import Any

import numpy as np

from ludarium.agents.genetic.gaia.rules import RULE, Generator, Rules, random_rule

_SIDES = ("own", "opponent", "empty")
_ANYTHING = 3  # beside the sides
_LAST_CHANGE = 0.6  # the probability that a change of a child is its last
_FREES, _CHANGES_SENSE, _CHANGES_ACTION, _MOVES, _DROPS, _EXCEPTS = 0.1, 0.35, 0.42, 0.55, 0.65, 0.8
"""Each kind of change is made where a uniform number is below its limit and none before it; above all, a new rule."""
_OTHER_ACTION = 0.3  # the probability that an exception also has another action than its rule
_WHOLE = 0.4  # the probability of a crossover that takes the first rules of one and the last of the other
_NEAR = 2  # how far from its father's place another crossover puts a rule at most
_ONE = np.uint64(1)


def new_rule(draws: np.random.Generator, generator: Generator) -> Rules:
    """A random rule, shape (1,), with few senses or many."""
    generator = generator._replace(wildcards=float(draws.choice([0.5, 0.7, 0.85])))
    rule = np.zeros(1, dtype=RULE)
    random_rule(rule[0], generator, np.array([draws.integers(1 << 64, dtype=np.uint64), 0], dtype=np.uint64))
    return rule


def new_list(draws: np.random.Generator, generator: Generator, count: int) -> Rules:
    """A list of random rules."""
    return np.concatenate([new_rule(draws, generator) for _ in range(count)])


def set_sense(rule: Any, square: int, side: int, generator: Generator) -> None:
    """Let a rule ask for something else on a square, unless its action settles it.

    Args:
        rule: an element of a list.
        square: the square.
        side: 0 to 2: own, the opponent's, empty; 3: anything.
        generator: what actions need.
    """
    bit = _ONE << np.uint64(square)
    if bit & np.bitwise_or.reduce(generator.needs[rule["action"]]):
        return
    for number, name in enumerate(_SIDES):
        rule[name] = rule[name] & ~bit | (bit if number == side else np.uint64(0))


def set_action(rule: Any, action: int, generator: Generator) -> None:
    """Give a rule another action: it asks for what that needs, and no longer for what the other needed."""
    before, needs = generator.needs[rule["action"]], generator.needs[action]
    settled = np.bitwise_or.reduce(needs)
    for number, name in enumerate(_SIDES):
        rule[name] = rule[name] & ~before[number] & ~settled | needs[number]
    rule["action"] = action


def mutate(rules: Rules, draws: np.random.Generator, generator: Generator, most: int) -> Rules:
    """A changed copy of a list that has at most `most` rules."""
    rules = rules.copy()
    for _ in range(draws.geometric(_LAST_CHANGE)):
        rules = _change(rules, draws, generator, most)
    return rules


def _change(rules: Rules, draws: np.random.Generator, generator: Generator, most: int) -> Rules:
    """Change one rule, its place, or whether it is there."""
    kind, place = draws.random(), int(draws.integers(len(rules)))
    if kind < _CHANGES_SENSE:
        _change_sense(rules[place], draws, generator, _ANYTHING if kind < _FREES else _any_side(draws))
    elif kind < _CHANGES_ACTION:
        set_action(rules[place], int(draws.choice(generator.playable)), generator)
    elif kind < _MOVES:
        order = np.delete(np.arange(len(rules)), place)
        rules = rules[np.insert(order, int(draws.integers(len(rules))), place)]
    elif kind < _DROPS and len(rules) > 1:
        rules = np.delete(rules, place)
    elif kind < _EXCEPTS and len(rules) < most:  # an exception to a rule, in front of it
        exception = rules[place : place + 1].copy()
        for _ in range(draws.integers(1, 3)):
            _change_sense(exception[0], draws, generator, _any_side(draws))
        if draws.random() < _OTHER_ACTION:
            set_action(exception[0], int(draws.choice(generator.playable)), generator)
        rules = _with(rules, int(draws.integers(place + 1)), exception)
    elif len(rules) < most:
        rules = _with(rules, int(draws.integers(len(rules) + 1)), new_rule(draws, generator))
    return rules


def _any_side(draws: np.random.Generator) -> int:
    return int(draws.integers(_ANYTHING + 1))


def _change_sense(rule: Any, draws: np.random.Generator, generator: Generator, side: int) -> None:
    set_sense(rule, int(draws.integers(generator.squares)), side, generator)


def _with(rules: Rules, place: int, more: Rules) -> Rules:
    return np.concatenate([rules[:place], more, rules[place:]])


def cross(mother: Rules, father: Rules, draws: np.random.Generator, most: int) -> Rules:
    """The first rules of the mother and the last of the father, or the mother with one of the father's rules."""
    if draws.random() < _WHOLE:
        share = draws.random()
        child = np.concatenate([mother[: round(share * len(mother))], father[round(share * len(father)) :]])
        return child[:most] if len(child) else mother
    place = int(draws.integers(len(father)))
    near = round(place / len(father) * len(mother)) + int(draws.integers(-_NEAR, _NEAR + 1))
    return _with(mother, min(max(near, 0), len(mother)), father[place : place + 1])[:most]
