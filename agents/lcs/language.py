"""The language of rules: the numbers that conditions test, and rules as rows of fixed width.

A rule is an action, up to `MOST_CONDITIONS` conditions that must all hold, and up to two orders that choose among the
targets for which they do. The target of `play` and `discard` is a card of one's own hand, that of a hint is the hint. A
condition compares one number, a *feature*, with a threshold: `playable >= 0.6` or, negated, `playable < 0.6`. Features
are about the whole position, about a card as its owner sees it, or about a hint. The language is that of the
original, with the conditions that its author asked for: hints that were already given, and those that others gave each
other.

Rules are numbers in rows, so evolving them compiles nothing. Runs keep these rows: the number of a feature or of a
pattern never changes, and new ones get numbers of their own.
"""

from typing import NamedTuple

import numpy as np

MOST_CONDITIONS, MOST_ORDERS = 8, 2
PLAY, DISCARD, HINT, HINT_COLOR, HINT_RANK = range(5)
ACTIONS = ("play", "discard", "hint", "hint-color", "hint-rank")

RULE = np.dtype(
    [
        ("action", np.int8),
        ("feature", np.int8, (MOST_CONDITIONS,)),  # a number of `FEATURES`; -1: no condition
        ("negated", np.int8, (MOST_CONDITIONS,)),  # whether the feature must be less than the threshold
        ("pattern", np.int16, (MOST_CONDITIONS,)),  # of cards, for features that count them; see `pattern_number`
        ("threshold", np.float64, (MOST_CONDITIONS,)),
        ("order", np.int8, (MOST_ORDERS,)),  # a feature of the target; -1: none
        ("least", np.int8, (MOST_ORDERS,)),  # whether the target with the least value is taken
    ],
    align=True,
)
"""A rule. Its unused conditions and orders are all 0 but for the -1, so equal rules have equal fields."""

POSITION, CARD, OF_HINT = range(3)
SCOPES = ("the position", "a card", "a hint")


class Feature(NamedTuple):
    """A number that conditions test.

    Attributes:
        name: its name in rules.
        scope: what it is about: `POSITION`, `CARD` or `OF_HINT`.
        words: what it is, for people.
        levels: thresholds to choose from; with the one level 1, it is a fact: `fresh` means `fresh >= 1`; with none, it
            only gives an order: a trigger's strength.
        most: its greatest value; a greater threshold would never be reached.
        pattern: whether it counts or weighs the cards of a pattern: `discards:r3`.
        seat: whether the pattern also names a seat: `fellow:+1:r3`.
        chance: whether the pattern also names a probability: `own:0.5:r3`.
    """

    name: str
    scope: int
    words: str
    levels: tuple[float, ...] = (1.0,)
    most: float = 1.0
    pattern: bool = False
    seat: bool = False
    chance: bool = False

    @property
    def is_fact(self) -> bool:
        """Whether it is either 0 or 1."""
        return self.levels == (1.0,) and self.most == 1.0

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        return all(level % 1 == 0 for level in self.levels)


_CHANCE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FEW = (1.0, 2.0, 3.0)

_POSITION = (
    Feature("tokens", POSITION, "information tokens left", tuple(map(float, range(1, 9))), 16),
    Feature("lives", POSITION, "lives left", (2.0, 3.0), 8),
    Feature("deck", POSITION, "cards in the deck", (1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0), 50),
    Feature("score", POSITION, "cards on the table", (5.0, 10.0, 15.0, 18.0, 20.0, 22.0), 25),
    Feature("seats", POSITION, "players", (3.0, 4.0, 5.0), 5),
    Feature("pace", POSITION, "discards that cost no point yet", (1.0, 2.0, 3.0, 5.0, 8.0, 12.0), 50),
    Feature("lowest", POSITION, "height of the lowest firework", (1.0, 2.0, 3.0, 4.0), 5),
    Feature("table", POSITION, "cards on the table of a pattern", _FEW, 25, True),
    Feature("discards", POSITION, "discarded cards of a pattern", _FEW, 50, True),
    Feature("fellow", POSITION, "cards of a pattern in another hand", _FEW, 20, True, True),
    Feature("deck-next", POSITION, "the probability that the next card drawn is of a pattern", _CHANCE, 1, True),
    Feature("plays-next", POSITION, "whether the next player would play a card without a hint"),
    Feature("plays-expected", POSITION, "how many other players would play a playable card without a hint", _FEW, 4),
    Feature("mistakes-expected", POSITION, "how many other players would play another card without a hint", _FEW, 4),
    Feature("losses-expected", POSITION, "how many other players would discard a critical card", _FEW, 4),
)
_CARD = (
    Feature("playable", CARD, "the probability that it is playable", _CHANCE),
    Feature("dead", CARD, "the probability that it is dead", _CHANCE),
    Feature("critical", CARD, "the probability that it is critical", _CHANCE),
    Feature("soon", CARD, "the probability that just one card before it is missing", _CHANCE),
    Feature("seen", CARD, "the probability that another hand holds a copy", _CHANCE),
    Feature("card", CARD, "the probability that it is of a pattern", _CHANCE, 1, True),
    Feature("place", CARD, "how many cards of the hand are older", (1.0, 2.0, 3.0, 4.0), 4),
    Feature("age", CARD, "moves since it was drawn", (2.0, 4.0, 8.0, 16.0, 32.0), 113),
    Feature("touched", CARD, "whether a hint ever touched it"),
    Feature("fresh", CARD, "whether a hint touched it since its owner's last move"),
    Feature("focus", CARD, "whether it was the newest card that its last hint touched"),
    Feature("alone", CARD, "whether its last hint touched nothing else"),
    Feature("by-rank", CARD, "whether its last hint told the rank"),
    Feature("with-chop", CARD, "whether its last hint touched the oldest card without hints"),
    Feature(
        "saved", CARD, "whether its last hint, a rank, touched the oldest card without hints, and this may be critical"
    ),
    Feature("chop", CARD, "whether it is the oldest card without hints"),
    Feature("color-told", CARD, "whether its color was told"),
    Feature("rank-told", CARD, "whether its rank was told"),
    Feature("best", CARD, "the probability that the hand's best card is playable", _CHANCE),
    Feature("opens", CARD, "the probability that another hand holds the card that follows it", _CHANCE),
    Feature("match", CARD, "the sum of what the rule's conditions on the target require", ()),
)
_HINT = (
    Feature("receiver", OF_HINT, "1 for the next player, 2 for the one after", (2.0, 3.0, 4.0), 4),
    Feature("good", OF_HINT, "whether its receiver, by these rules, would then play a playable card"),
    Feature("bad", OF_HINT, "whether its receiver, by these rules, would then play another card"),
    Feature(
        "gain",
        OF_HINT,
        "how much better its receiver would then play than without it, from -2 to 2",
        (-1.0, 0.0, 1.0, 2.0),
        2,
    ),
    Feature("sure", OF_HINT, "cards that become surely playable to their owner", _FEW, 5),
    Feature("useless", OF_HINT, "cards that become surely dead to their owner", _FEW, 5),
    Feature("news", OF_HINT, "touched cards of which this was not told", _FEW, 5),
    Feature("touches", OF_HINT, "touched cards", _FEW, 5),
    Feature("touches-new", OF_HINT, "touched cards without hints", _FEW, 5),
    Feature("touches-playable", OF_HINT, "touched playable cards", _FEW, 5),
    Feature("touches-dead", OF_HINT, "touched dead cards", _FEW, 5),
    Feature("touches-critical", OF_HINT, "touched critical cards", _FEW, 5),
    Feature("touches-chop", OF_HINT, "whether it touches the oldest card without hints"),
    Feature("chop-critical", OF_HINT, "whether that card is critical"),
    Feature(
        "saves",
        OF_HINT,
        "what it saves: 1 if its receiver would no longer discard a critical card, -1 if now it would",
        (0.0, 1.0),
    ),
    Feature("told-rank", OF_HINT, "the rank that it tells, 0 for a color", (1.0, 2.0, 3.0, 4.0, 5.0), 5),
    Feature("played-rank", OF_HINT, "the rank of the card that its receiver would then play, 0 for none", _FEW, 5),
    Feature("unlocks", OF_HINT, "whether a hand holds the card that follows the one its receiver would then play"),
    Feature("tells", OF_HINT, "touched cards of a pattern", _FEW, 5, True, True),
)
_OWN = Feature("own", POSITION, "cards of one's own hand that are so probably of a pattern", _FEW, 5, True, chance=True)

FEATURES = (*_POSITION, *_CARD, *_HINT, _OWN)
"""All features; one's number is its place."""
FIRST_CARD, FIRST_HINT, OWN = len(_POSITION), len(_POSITION) + len(_CARD), len(FEATURES) - 1
NUMBER = {feature.name: number for number, feature in enumerate(FEATURES)}
"""The number of each feature by name."""
ANY = 5
"""In patterns: any color, or any rank."""
SEAT, NOT, DOUBT = 36, 180, 360
"""In the number of a pattern, what a seat, being any other card, and a twentieth less than certain count."""
CHANCES = 20
"""Probabilities in patterns are twentieths."""


def pattern_number(color: int, rank: int, seat: int = 0, negated: bool = False, chance: float = 1.0) -> int:
    """The number of a pattern of cards.

    Args:
        color: `ANY` for any.
        rank: `ANY` for any.
        seat: whose cards, counted on; 0: anybody's.
        negated: whether all other cards are meant.
        chance: how probably a card must be one of them.
    """
    return color * 6 + rank + seat * SEAT + negated * NOT + round((1 - chance) * CHANCES) * DOUBT


def scope_of(action: int) -> int:
    """What an action's targets are: `CARD` or `OF_HINT`."""
    return CARD if action in (PLAY, DISCARD) else OF_HINT


def empty_rules(count: int) -> np.ndarray:
    """Rules without conditions or orders, shape (count,) of `RULE`."""
    rules = np.zeros(count, dtype=RULE)
    rules["feature"] = rules["order"] = -1
    return rules
