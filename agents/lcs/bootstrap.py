"""Random rules of the original's types: the first ones, those that replace weak ones, and those that cover a position.

A rule has a target, as each action of the original has: a pattern of one's own cards, or of the cards that a hint
touches. Mostly it is compound: it asks several other things about the position, all types equally often.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.decide import target
from ludarium.agents.lcs.language import (
    ANY,
    CARD,
    CHANCES,
    DISCARD,
    FEATURES,
    HINT_COLOR,
    HINT_RANK,
    MOST_CONDITIONS,
    NOT,
    NUMBER,
    PLAY,
    SEAT,
    Feature,
    empty_rules,
    pattern_number,
    scope_of,
)
from ludarium.agents.lcs.operators import Random, Rules, put_condition
from ludarium.agents.lcs.policy import BLOCK, rule_player
from ludarium.agents.lcs.scene import look
from ludarium.envs.game import Game
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import jit
from ludarium.envs.kernels import view

TARGETS = NUMBER["card"], NUMBER["tells"]
"""What rules ask of a card, and of a hint: the original's stochastic card rule, and its fellow card rule."""
TYPES = tuple(NUMBER[name] for name in ("tokens", "lives", "seats", "table", "discards", "fellow", "own", "deck-next"))
"""The types of the other conditions."""
GIVEN_HINT = tuple(NUMBER[name] for name in ("touched", "color-told", "rank-told")), (NUMBER["news"],)
"""The type that its author missed: hints that were given already, of a card, and of a hint."""
_ACTIONS = (PLAY, DISCARD, HINT_COLOR, HINT_RANK)
_COMPOUND = 0.8
"""The share of the rules that are compound."""
_REVERSED = 0.25
"""The share of the patterns that stand for all other cards."""
_ASKS_FOR_HINTS = 0.5
"""The share of the rules that also ask for hints given already, if rules may."""
_TRIES = 100


class Language(NamedTuple):
    """What the rules of a run may say.

    Attributes:
        games: the tables, with different numbers of seats.
        nested: the greatest number of conditions besides that on the target.
        given_hint: whether rules may ask for hints given already.
    """

    games: tuple[Game, ...]
    nested: int
    given_hint: bool

    @property
    def types(self) -> tuple[int, ...]:
        """What rules may ask about the position: of the number of seats, only if it varies."""
        return tuple(number for number in TYPES if len(self.games) > 1 or number != NUMBER["seats"])

    def hints(self, action: int) -> tuple[int, ...]:
        """What rules with an action may ask about hints given already."""
        return GIVEN_HINT[scope_of(action) != CARD] if self.given_hint else ()

    def most(self, feature: int, pattern: int) -> float:
        """The greatest value that a feature can have at these tables."""
        return max(_most(game, feature, pattern) for game in self.games)


@lru_cache(10_000)
def _most(game: Any, number: int, pattern: int) -> float:
    options, name, seat = game.options, FEATURES[number].name, pattern // SEAT % 5
    ranks = _ranks(options["colors"], options["ranks"], pattern)
    cards, hand = sum(game.copies[rank] for rank in ranks), options["hand_size"]
    others = 0 if seat >= game.seats else 1 if seat else game.seats - 1
    most: dict[str, float] = {
        "tokens": options["information_tokens"],
        "lives": options["life_tokens"],
        "seats": game.seats,
        "table": len(ranks),
        "discards": cards,
        "fellow": min(cards, others * hand),
        "own": min(cards, hand),
        "tells": min(cards, others * hand, hand),
        "news": hand,
    }
    return most.get(name, FEATURES[number].most if len(ranks) else 0.0)


def _ranks(colors: int, ranks: int, pattern: int) -> list[int]:
    """The ranks of the kinds of cards that a pattern names."""
    color, rank, negated = pattern // 6 % 6, pattern % 6, pattern // NOT % 2 != 0
    kinds = np.indices((colors, ranks)).reshape(2, -1)
    fits = ((kinds[0] == color) | (color == ANY)) & ((kinds[1] == rank) | (rank == ANY))
    return [int(one) for one in kinds[1, fits != negated]]


# --- rules ------------------------------------------------------------------------------------------------------------

Fires = Callable[[Rules], bool]
"""Whether a rule, shape (1,), fires where it should."""


def random_rule(random: Random, language: Language, fires: Fires = lambda rule: True) -> Rules:
    """A random rule, shape (1,); with `fires`, one that covers a position.

    Args:
        random: the draws.
        language: what the rule may say.
        fires: conditions with which the rule would not fire are turned round, or left out.
    """
    for _ in range(_TRIES):
        rule = empty_rules(1)
        rule["action"] = action = int(random.choice(_ACTIONS))
        rule["order"][0, 0] = NUMBER["match"]  # the strongest trigger
        aim = TARGETS[scope_of(action) != CARD]
        if add_condition(rule[0], random, language, [aim]) and fires(rule):
            break
    compound = language.nested > 1 and random.random() < _COMPOUND
    for _ in range(int(random.integers(2, language.nested + 1)) if compound else 1):
        _extend(rule, random, language, language.types, fires)
    if language.given_hint and random.random() < _ASKS_FOR_HINTS:
        _extend(rule, random, language, language.hints(action), fires)
    return rule


def _extend(rule: Rules, random: Random, language: Language, types: Sequence[int], fires: Fires) -> None:
    for _ in range(_TRIES):
        longer = rule.copy()
        if add_condition(longer[0], random, language, types):
            if not fires(longer):
                longer["negated"][0, np.count_nonzero(longer["feature"] >= 0) - 1] ^= 1
            if fires(longer):
                rule[:] = longer
                return


def add_condition(rule: Any, random: Random, language: Language, types: Sequence[int]) -> bool:
    """Add a random condition of one of some types to a rule, unless it has none left, or asks the same already."""
    number = int(random.choice(types))
    feature, aims = FEATURES[number], number in TARGETS
    pattern = _pattern(random, language, feature) if feature.pattern else 0
    most = language.most(number, pattern)
    levels = [level for level in feature.levels if level <= most]
    same = (rule["feature"] == number) & (rule["pattern"] == pattern)
    if not levels or same.any() or len(nested(rule)) + 1 + (not aims) > MOST_CONDITIONS:
        return False
    negated = not aims and bool(random.integers(2))
    put_condition(rule, number, negated, pattern, float(random.choice(levels)))
    return True


def nested(rule: Any) -> NDArray[np.int64]:
    """The places of a rule's conditions, but for that on its target."""
    asked = rule["feature"]
    return np.flatnonzero((asked >= 0) & (asked != TARGETS[0]) & (asked != TARGETS[1]))


def _pattern(random: Random, language: Language, feature: Feature) -> int:
    """A color, a rank or both, or all other cards; for some features whose they are, or how probably they are it."""
    options, kind = language.games[0].options, int(random.integers(3))
    color = ANY if kind == 0 else int(random.integers(options["colors"]))
    rank = ANY if kind == 1 else int(random.integers(options["ranks"]))
    seat = int(random.integers(max(game.seats for game in language.games))) if feature.seat else 0
    chance = 1 - int(random.integers(CHANCES)) / CHANCES if feature.chance else 1.0
    return pattern_number(color, rank, seat, random.random() < _REVERSED, chance)


def fires_in(game: Game, exact: bool, met: NDArray[np.uint8]) -> Fires:
    """Whether rules fire in a position that was met, the bytes of a view."""
    block = rule_player(game, empty_rules(1), exact=exact).block
    return lambda rule: bool(_fires(met, block, rule))


@jit
def _fires(seen: Any, block: Any, rules: Any) -> bool:
    v, m = view(seen, VIEW), view(block, BLOCK)
    look(v, m)
    return target(v, m, rules, 0) >= 0
