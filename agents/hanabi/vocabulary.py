"""The rules, one row each, and how compiled code asks one.

A rule is a function `rule(v, m, stream, p) -> int` of the seat's view, the scene (see `scene`), a random stream and the
rule's parameters. It is compiled to a C function of its own, when a player first uses it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from ludarium.agents.hanabi import discard, play, tell
from ludarium.agents.hanabi.scene import SCENE
from ludarium.envs.hanabi.view import VIEW
from ludarium.envs.jit import c_function, jit
from ludarium.envs.kernels import FLOATS, UINT64S, Bytes, Floats, Record, function


class Parameter(NamedTuple):
    """A number that a rule takes, with its least and greatest value."""

    name: str
    low: float = 0.0
    high: float = 1.0


class Rule(NamedTuple):
    """A rule: its name here and in the literature, what it does (`PLAY`, …), its function, and its parameters."""

    name: str
    origin: str
    kind: int
    function: Callable[[Record, Record, Bytes, Floats], int]
    parameters: tuple[Parameter, ...] = ()

    @property
    def address(self) -> int:
        """The address of the C function; compiles it on first use."""
        return int(_compiled(self.function).address)


PLAY, TELL, DISCARD, MOVE = range(4)
"""The kinds of rules, by what the function returns: the slot to play, the action of a hint, the slot to discard, or any
action; -1 for none. A rule is asked only while moves of its kind are legal."""
AT_RANDOM = -2
"""Instead of an action: leave the move to chance."""


def legal_random(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """LegalRandom: a random legal action."""
    return AT_RANDOM


_P = Parameter("threshold")
_HINTED = (Parameter("alone"), Parameter("newest"), Parameter("lives", 0.0, 8.0), _P)
_WEIGHTS = (Parameter("good", -10.0, 10.0), Parameter("bad", -10.0, 10.0))

RULES = (
    Rule("play-if-certain", "PlayIfCertain", PLAY, play.if_certain),
    Rule("play-safe-card", "PlaySafeCard", PLAY, play.safe_card),
    Rule("play-probably-safe-card", "PlayProbablySafeCard", PLAY, play.probably_safe_card, (_P,)),
    Rule("play-unique-possible-card", "PlayUniquePossibleCard", PLAY, play.unique_possible_card),
    Rule("play-finesse", "PlayFinesse", PLAY, play.finesse),
    Rule("play-finesse-told", "PlayFinesseTold", PLAY, play.finesse_told),
    Rule("play-just-hinted", "PlayJustHinted", PLAY, play.just_hinted, _HINTED),
    Rule("tell-playable-card", "TellPlayableCard", TELL, tell.playable_card),
    Rule("tell-playable-card-outer", "TellPlayableCardOuter", TELL, tell.playable_card_outer),
    Rule("tell-unknown", "TellUnknown", TELL, tell.unknown),
    Rule("tell-randomly", "TellRandomly", TELL, tell.randomly),
    Rule("tell-about-ones", "TellAboutOnes", TELL, tell.about_ones),
    Rule("tell-finesse", "TellFinesse", TELL, tell.finesse),
    Rule("tell-useful-card", "TellAnyoneAboutUsefulCard", TELL, tell.useful_card),
    Rule("tell-oldest-useful-card", "TellAnyoneAboutOldestUsefulCard", TELL, tell.oldest_useful_card),
    Rule("complete-tell-useful-card", "CompleteTellUsefulCard", TELL, tell.complete_useful_card),
    Rule("tell-useless-card", "TellAnyoneAboutUselessCard", TELL, tell.useless_card),
    Rule("tell-dispensable", "TellDispensable", TELL, tell.dispensable),
    Rule("tell-fives", "TellFives", TELL, tell.fives),
    Rule("tell-ill-informed", "TellIllInformed", TELL, tell.ill_informed),
    Rule("tell-most-information", "TellMostInformation", TELL, tell.most_information, (Parameter("new"),)),
    Rule("tell-to-save", "TellToSave", TELL, tell.to_save),
    Rule("tell-unambiguous", "TellUnambiguous", TELL, tell.unambiguous, (Parameter("playable-first"),)),
    Rule("tell-unambiguous-2", "TellUnambiguous2", TELL, tell.unambiguous_2, _WEIGHTS),
    Rule("tell-unambiguous-3", "TellUnambiguous3", TELL, tell.unambiguous_3, _WEIGHTS),
    Rule(
        "tell-at-least-n-useless", "TellAtLeastNUseless", TELL, tell.at_least_n_useless, (Parameter("n", 1.0, 5.0),)
    ),
    Rule(
        "tell-high-probability-mistake", "TellHighProbabilityMistake", TELL, tell.high_probability_mistake,
        (Parameter("false-hope"), _P),
    ),
    Rule("discard-oldest-first", "DiscardOldestFirst", DISCARD, discard.oldest_first),
    Rule("discard-oldest-no-info-first", "DiscardOldestNoInfoFirst", DISCARD, discard.oldest_no_info_first),
    Rule("discard-unidentified-card", "DiscardUnidentifiedCard", DISCARD, discard.unidentified_card),
    Rule("discard-randomly", "DiscardRandomly", DISCARD, discard.randomly),
    Rule("discard-if-certain", "DiscardIfCertain", DISCARD, discard.if_certain),
    Rule("discard-safe-card", "DiscardSafeCard", DISCARD, discard.safe_card),
    Rule("discard-useless-card", "DiscardUselessCard", DISCARD, discard.useless_card),
    Rule("osawa-discard", "OsawaDiscard", DISCARD, discard.osawa),
    Rule(
        "discard-probably-useless-card", "DiscardProbablyUselessCard", DISCARD, discard.probably_useless_card, (_P,)
    ),
    Rule(
        "discard-least-likely-to-be-necessary", "DiscardLeastLikelyToBeNecessary", DISCARD,
        discard.least_likely_to_be_necessary,
    ),
    Rule("discard-highest", "DiscardHighest", DISCARD, discard.highest),
    Rule("try-to-unblock", "TryToUnBlock", MOVE, discard.try_to_unblock),
    Rule("legal-random", "LegalRandom", MOVE, legal_random),
)  # fmt: skip
"""The rules; one's number is its place. New ones come at the end, so that stored lists keep their meaning."""

CONDITIONS = ("always", "hail-mary", "spare-life", "last-life", "few-hints")
"""When a rule is asked: always; with lives to spare once the deck is empty; with more than one life; with one; with
fewer than four tokens."""
ALWAYS, HAIL_MARY, SPARE_LIFE, LAST_LIFE, FEW_HINTS = range(5)


@jit
def is_asked(v: Record, kind: int, condition: int) -> bool:
    """Whether a rule is asked: its condition holds, and moves of its kind are legal."""
    if (kind == TELL and v.information == 0) or (kind == DISCARD and v.information == v.information_tokens):
        return False
    if condition == HAIL_MARY:
        return v.lives > 1 and v.deck_size == 0
    if condition == SPARE_LIFE:
        return v.lives > 1
    if condition == LAST_LIFE:
        return v.lives <= 1
    if condition == FEW_HINTS:
        return v.information < 4
    return True


ask = function("pppp")
"""`ask(address, v, m, stream, p)`: call a rule; `m` is a record that begins with the fields of the scene."""


@cache
def _compiled(function: Callable[..., Any]) -> Any:
    scene = np.dtype(SCENE, align=True)
    return c_function(function, types.int64(numba.from_dtype(VIEW), numba.from_dtype(scene), UINT64S, FLOATS))
