"""The lists that a run starts from: random ones, or one that was written by hand or has evolved, and variants of it."""

from typing import Any

import numpy as np

from ludarium.agents.lcs.hand_written import hand_list
from ludarium.agents.lcs.language import empty_rules
from ludarium.agents.lcs.operators import Limits, Random, Rules, mutate, random_list
from ludarium.agents.lcs.players import RuleLists
from ludarium.agents.lcs.text import read_file, read_rules, rules_text
from ludarium.agents.learning.checkpoint import holds_run, run_of_game
from ludarium.agents.learning.registry import learner_presets
from ludarium.agents.learning.runs import Run
from ludarium.envs.game import Game

_FIRST_RULES = 12
_FIRST_CHANGES = 2


def settled_origin(origin: Any, game: Game) -> Any:
    """What a run keeps of the option `origin`: of a file, or of another run, the rules, so that it needs neither.

    Args:
        origin: the option.
        game: the game that the run learns.

    Raises:
        ValueError: if there is no such file, what is wrong with its rules, or if the other run learned another game.
    """
    if not isinstance(origin, str) or origin in ("random", "hand") or "\n" in origin:
        return origin
    if origin.endswith(".txt"):
        return rules_text(read_file(origin))
    if holds_run(run_of_game(origin, game)):
        run = Run.of_game(origin, game, learner_presets("lcs"))
        assert isinstance(run.learner, RuleLists)
        return rules_text(run.learner.list_of(run.arrays, 0))
    return origin


def given_list(origin: Any) -> Rules:
    """The list that a run starts from, by its settled option `origin`; empty for `"random"`.

    Raises:
        ValueError: if it is neither a list nor the name of one.
    """
    if origin == "random":
        return empty_rules(0)
    if origin == "hand":
        return hand_list()
    if isinstance(origin, str) and "\n" in origin:
        return read_rules(origin, "origin")
    raise ValueError(
        f"lcs: origin must be 'random', 'hand', a file of rules, FILE.txt, or the folder of a run, not {origin!r}"
    )


def check_size(rules: Rules, limits: Limits) -> None:
    """Refuse a list that is larger than lists, or rules, may become.

    Raises:
        ValueError: if it is.
    """
    longest = int((rules["feature"] >= 0).sum(axis=1).max(initial=0))
    for option, needed, most in (("rules", len(rules), limits.rules), ("conditions", longest, limits.conditions)):
        if most < needed:
            raise ValueError(f"lcs: {option} must be at least {needed}, as many as the list of origin has, not {most}")


def first_list(random: Random, own: Rules, limits: Limits) -> Rules:
    """A first list: the given one, changed a little, or a random one if none is given."""
    if not len(own):
        return random_list(random, limits, _FIRST_RULES)
    rules = own
    for _ in range(_FIRST_CHANGES):
        rules = mutate(rules, random, limits, np.ones(len(rules)), None)
    return rules


def first_lists(random: Random, rules: Rules, limits: Limits, count: int) -> list[Rules]:
    """The first lists of a population: the given one itself comes first."""
    first = [rules] if len(rules) else []
    return first + [first_list(random, rules, limits) for _ in range(count - len(first))]
