"""The rules by number and name, and how compiled code asks one."""

from typing import NamedTuple

from ludarium.agents.compiled.hanabi_rules import discard, play, tell
from ludarium.agents.compiled.hanabi_rules.scene import on_slot
from ludarium.agents.compiled.random_legal import random_action
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Floats, Int8s, Record


class Parameter(NamedTuple):
    """A number that a rule takes, with its least and greatest value."""

    name: str
    low: float = 0.0
    high: float = 1.0


class Rule(NamedTuple):
    """A rule: its name here and in the literature, and its parameters."""

    name: str
    origin: str
    parameters: tuple[Parameter, ...] = ()


_P = Parameter("threshold")
_WEIGHTS = (Parameter("good", -10.0, 10.0), Parameter("bad", -10.0, 10.0))

# The numbers of the rules. New ones come at the end, so that stored lists keep their meaning.
(
    PLAY_IF_CERTAIN, PLAY_SAFE_CARD, PLAY_PROBABLY_SAFE_CARD, PLAY_UNIQUE_POSSIBLE_CARD, PLAY_FINESSE,
    PLAY_FINESSE_TOLD, PLAY_JUST_HINTED, TELL_PLAYABLE_CARD, TELL_PLAYABLE_CARD_OUTER, TELL_UNKNOWN, TELL_RANDOMLY,
    TELL_ABOUT_ONES, TELL_FINESSE, TELL_USEFUL_CARD, TELL_OLDEST_USEFUL_CARD, COMPLETE_TELL_USEFUL_CARD,
    TELL_USELESS_CARD, TELL_DISPENSABLE, TELL_FIVES, TELL_ILL_INFORMED, TELL_MOST_INFORMATION, TELL_TO_SAVE,
    TELL_UNAMBIGUOUS, TELL_UNAMBIGUOUS_2, TELL_UNAMBIGUOUS_3, TELL_AT_LEAST_N_USELESS, TELL_HIGH_PROBABILITY_MISTAKE,
    DISCARD_OLDEST_FIRST, DISCARD_OLDEST_NO_INFO_FIRST, DISCARD_UNIDENTIFIED_CARD, DISCARD_RANDOMLY,
    DISCARD_IF_CERTAIN, DISCARD_SAFE_CARD, DISCARD_USELESS_CARD, OSAWA_DISCARD, DISCARD_PROBABLY_USELESS_CARD,
    DISCARD_LEAST_NECESSARY, DISCARD_HIGHEST, TRY_TO_UNBLOCK, LEGAL_RANDOM,
) = range(40)  # fmt: skip

_FIRST_TELL, _FIRST_DISCARD = TELL_PLAYABLE_CARD, DISCARD_OLDEST_FIRST

RULES = (
    Rule("play-if-certain", "PlayIfCertain"),
    Rule("play-safe-card", "PlaySafeCard"),
    Rule("play-probably-safe-card", "PlayProbablySafeCard", (_P,)),
    Rule("play-unique-possible-card", "PlayUniquePossibleCard"),
    Rule("play-finesse", "PlayFinesse"),
    Rule("play-finesse-told", "PlayFinesseTold"),
    Rule(
        "play-just-hinted",
        "PlayJustHinted",
        (Parameter("alone"), Parameter("newest"), Parameter("lives", 0.0, 8.0), _P),
    ),
    Rule("tell-playable-card", "TellPlayableCard"),
    Rule("tell-playable-card-outer", "TellPlayableCardOuter"),
    Rule("tell-unknown", "TellUnknown"),
    Rule("tell-randomly", "TellRandomly"),
    Rule("tell-about-ones", "TellAboutOnes"),
    Rule("tell-finesse", "TellFinesse"),
    Rule("tell-useful-card", "TellAnyoneAboutUsefulCard"),
    Rule("tell-oldest-useful-card", "TellAnyoneAboutOldestUsefulCard"),
    Rule("complete-tell-useful-card", "CompleteTellUsefulCard"),
    Rule("tell-useless-card", "TellAnyoneAboutUselessCard"),
    Rule("tell-dispensable", "TellDispensable"),
    Rule("tell-fives", "TellFives"),
    Rule("tell-ill-informed", "TellIllInformed"),
    Rule("tell-most-information", "TellMostInformation", (Parameter("new"),)),
    Rule("tell-to-save", "TellToSave"),
    Rule("tell-unambiguous", "TellUnambiguous", (Parameter("playable-first"),)),
    Rule("tell-unambiguous-2", "TellUnambiguous2", _WEIGHTS),
    Rule("tell-unambiguous-3", "TellUnambiguous3", _WEIGHTS),
    Rule("tell-at-least-n-useless", "TellAtLeastNUseless", (Parameter("n", 1.0, 5.0),)),
    Rule("tell-high-probability-mistake", "TellHighProbabilityMistake", (Parameter("false-hope"), _P)),
    Rule("discard-oldest-first", "DiscardOldestFirst"),
    Rule("discard-oldest-no-info-first", "DiscardOldestNoInfoFirst"),
    Rule("discard-unidentified-card", "DiscardUnidentifiedCard"),
    Rule("discard-randomly", "DiscardRandomly"),
    Rule("discard-if-certain", "DiscardIfCertain"),
    Rule("discard-safe-card", "DiscardSafeCard"),
    Rule("discard-useless-card", "DiscardUselessCard"),
    Rule("osawa-discard", "OsawaDiscard"),
    Rule("discard-probably-useless-card", "DiscardProbablyUselessCard", (_P,)),
    Rule("discard-least-likely-to-be-necessary", "DiscardLeastLikelyToBeNecessary"),
    Rule("discard-highest", "DiscardHighest"),
    Rule("try-to-unblock", "TryToUnBlock"),
    Rule("legal-random", "LegalRandom"),
)
"""The rules, each in the place of its number."""

CONDITIONS = ("always", "hail-mary", "spare-life", "last-life", "few-hints")
"""When a rule is asked: always; with lives to spare once the deck is empty; with more than one life; with one; with
fewer than four tokens."""
ALWAYS, HAIL_MARY, SPARE_LIFE, LAST_LIFE, FEW_HINTS = range(5)


@jit
def applies(v: Record, condition: int) -> bool:
    """Whether a condition holds."""
    if condition == HAIL_MARY:
        return v.lives > 1 and v.deck_size == 0
    if condition == SPARE_LIFE:
        return v.lives > 1
    if condition == LAST_LIFE:
        return v.lives <= 1
    if condition == FEW_HINTS:
        return v.information < 4
    return True


@jit
def act(game: Bytes, v: Record, m: Record, mask: Int8s, stream: Bytes, rule: int, p: Floats) -> int:
    """The action of a rule with its parameters `p`, or -1; it need not be legal."""
    if rule < _FIRST_TELL:
        return on_slot(_play(v, m, rule, p), v.hand_size)
    if rule < _FIRST_DISCARD:
        return _tell(v, m, stream, rule, p) if v.information > 0 else -1
    if rule < TRY_TO_UNBLOCK:
        return _discard(v, m, stream, rule, p) if v.information < v.information_tokens else -1
    if rule == TRY_TO_UNBLOCK:
        return discard.try_to_unblock(v, m)
    return random_action(game, mask, stream)


@jit
def _play(v: Record, m: Record, rule: int, p: Floats) -> int:
    if rule == PLAY_IF_CERTAIN:
        return play.if_certain(v, m)
    if rule == PLAY_SAFE_CARD:
        return play.safe_card(v, m)
    if rule == PLAY_PROBABLY_SAFE_CARD:
        return play.probably_safe_card(v, m, p[0])
    if rule == PLAY_UNIQUE_POSSIBLE_CARD:
        return play.unique_possible_card(v, m)
    if rule == PLAY_FINESSE:
        return play.finesse(v, m)
    if rule == PLAY_FINESSE_TOLD:
        return play.finesse_told(v, m)
    return play.just_hinted(v, m, p[0] > 0, p[1] > 0, p[2], p[3])


@jit
def _tell(v: Record, m: Record, stream: Bytes, rule: int, p: Floats) -> int:
    action = -1
    if rule == TELL_PLAYABLE_CARD:
        action = tell.playable_card(v, m, stream)
    elif rule == TELL_PLAYABLE_CARD_OUTER:
        action = tell.playable_card_outer(v, m)
    elif rule == TELL_UNKNOWN:
        action = tell.unknown(v, m)
    elif rule == TELL_RANDOMLY:
        action = tell.randomly(v, m, stream)
    elif rule == TELL_ABOUT_ONES:
        action = tell.about_ones(v, m)
    elif rule == TELL_FINESSE:
        action = tell.finesse(v, m)
    elif rule in (TELL_USEFUL_CARD, COMPLETE_TELL_USEFUL_CARD):
        action = tell.anyone_about_useful_card(v, m, rule == COMPLETE_TELL_USEFUL_CARD)
    elif rule == TELL_OLDEST_USEFUL_CARD:
        action = tell.anyone_about_oldest_useful_card(v, m)
    elif rule == TELL_USELESS_CARD:
        action = tell.anyone_about_useless_card(v, m)
    elif rule == TELL_DISPENSABLE:
        action = tell.dispensable(v, m)
    elif rule == TELL_FIVES:
        action = tell.fives(v, m)
    elif rule == TELL_ILL_INFORMED:
        action = tell.ill_informed(v, m)
    elif rule == TELL_MOST_INFORMATION:
        action = tell.most_information(v, m, p[0] > 0)
    elif rule == TELL_TO_SAVE:
        action = tell.to_save(v, m)
    elif rule == TELL_UNAMBIGUOUS:
        action = tell.unambiguous(v, m, p[0] > 0)
    elif rule in (TELL_UNAMBIGUOUS_2, TELL_UNAMBIGUOUS_3):
        action = tell.expected_plays(v, m, p[0], p[1], rule == TELL_UNAMBIGUOUS_3)
    elif rule == TELL_AT_LEAST_N_USELESS:
        action = tell.at_least_n_useless(v, m, p[0])
    elif rule == TELL_HIGH_PROBABILITY_MISTAKE:
        action = tell.high_probability_mistake(v, m, p[0] > 0, p[1])
    return action


@jit
def _discard(v: Record, m: Record, stream: Bytes, rule: int, p: Floats) -> int:
    """The slot, which is also the action."""
    slot = -1
    if rule == DISCARD_OLDEST_FIRST:
        slot = 0
    elif rule == DISCARD_OLDEST_NO_INFO_FIRST:
        slot = discard.oldest_no_info_first(v, m)
    elif rule == DISCARD_UNIDENTIFIED_CARD:
        slot = discard.unidentified_card(v, m)
    elif rule == DISCARD_RANDOMLY:
        slot = discard.randomly(v, m, stream)
    elif rule == DISCARD_IF_CERTAIN:
        slot = discard.if_certain(v, m)
    elif rule == DISCARD_SAFE_CARD:
        slot = discard.safe_card(v, m)
    elif rule == DISCARD_USELESS_CARD:
        slot = discard.useless_card(v, m)
    elif rule == OSAWA_DISCARD:
        slot = discard.osawa(v, m)
    elif rule == DISCARD_PROBABLY_USELESS_CARD:
        slot = discard.probably_useless_card(v, m, p[0])
    elif rule == DISCARD_LEAST_NECESSARY:
        slot = discard.least_likely_to_be_necessary(v, m)
    elif rule == DISCARD_HIGHEST:
        slot = discard.highest(v, m)
    return slot
