"""Hanabi by a list of rules: the first rule that has a legal action moves.

The vocabulary of rules and the lists Piers and IGGI are those of Walton-Rivers, Williams, Bartle, Perez-Liebana & Lucas
2017, "Evaluating and modelling Hanabi-playing agents". A rule sees what its seat's observation shows. The *candidates*
of a card are the unseen cards that hints have not excluded; each card is looked at by itself. A color or rank is *told*
if a hint named it. Cards in hand count from the oldest.

Where their engine puts a new card in place of the one that left, here younger cards move up; so ties between cards may
fall otherwise.
"""

import numpy as np

from ludarium.envs.chance import below
from ludarium.envs.game import Game
from ludarium.envs.hanabi import Hanabi
from ludarium.envs.hanabi.view import (
    VIEW,
    color_hint,
    knowledge_at,
    playable_share,
    rank_hint,
    read,
    sizes,
    told_color,
    told_rank,
)
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Int8s, Record
from ludarium.envs.policy import Policy

# When a rule applies.
ALWAYS, HAIL_MARY, SPARE_LIFE, FEW_HINTS = range(4)
# The rules; those with a threshold take it from the list.
(
    PLAY_CERTAIN,
    PLAY_SAFE,
    PLAY_PROBABLE,
    TELL_USEFUL,
    TELL_DISPENSABLE,
    TELL_RANDOMLY,
    DISCARD_SAFE,
    DISCARD_USELESS,
    DISCARD_OLDEST,
    DISCARD_RANDOMLY,
    LEGAL_RANDOM,
) = range(11)

RULE_LISTS: dict[str, list[tuple[int, int, float]]] = {
    "piers": [
        (HAIL_MARY, PLAY_PROBABLE, 0.0),
        (ALWAYS, PLAY_SAFE, 0.0),
        (SPARE_LIFE, PLAY_PROBABLE, 0.6),
        (ALWAYS, TELL_USEFUL, 0.0),
        (FEW_HINTS, TELL_DISPENSABLE, 0.0),
        (ALWAYS, DISCARD_SAFE, 0.0),
        (ALWAYS, DISCARD_USELESS, 0.0),
        (ALWAYS, DISCARD_OLDEST, 0.0),
        (ALWAYS, TELL_RANDOMLY, 0.0),
        (ALWAYS, DISCARD_RANDOMLY, 0.0),
    ],
    "iggi": [
        (ALWAYS, PLAY_CERTAIN, 0.0),
        (ALWAYS, PLAY_SAFE, 0.0),
        (ALWAYS, TELL_USEFUL, 0.0),
        (ALWAYS, DISCARD_SAFE, 0.0),
        (ALWAYS, DISCARD_USELESS, 0.0),
        (ALWAYS, DISCARD_OLDEST, 0.0),
    ],
}
"""Condition, rule and threshold, in order; a legal action at random stands behind every list."""

_LONGEST = 16
BLOCK = np.dtype(
    [
        ("conditions", np.int8, (_LONGEST,)),
        ("rules", np.int8, (_LONGEST,)),
        ("thresholds", np.float64, (_LONGEST,)),
        ("length", np.int64),
        *VIEW,
    ],
    align=True,
)


def rule_list(game: Game, *, name: str = "piers") -> Policy:
    """The policy of a list of rules, `"piers"` or `"iggi"`, for a game of Hanabi.

    Raises:
        ValueError: if there is no such list, or the game is not Hanabi with observations that show knowledge.
    """
    if name not in RULE_LISTS:
        raise ValueError(f"hanabi: there is no rule list {name!r}; known: {', '.join(RULE_LISTS)}")
    if not isinstance(game, Hanabi) or game.options["observation"] == "minimal":
        raise ValueError(f"rule lists play hanabi with observation='card_knowledge', not {game.spec}")
    block = np.zeros(1, dtype=BLOCK)
    for key, size in sizes(game).items():
        block[key] = size
    for i, (condition, rule, threshold) in enumerate(RULE_LISTS[name]):
        block["conditions"][0, i], block["rules"][0, i], block["thresholds"][0, i] = condition, rule, threshold
    block["length"] = len(RULE_LISTS[name])
    return Policy(choose, BLOCK, block, needs_observation=True)


def choose(game: Bytes, state: Bytes, observation: Int8s, mask: Int8s, m: Record, stream: Bytes) -> int:
    """The action of the first rule that has one."""
    read(m, observation)
    for i in range(m.length):
        if applies(m, m.conditions[i]):
            action = act(m, observation, mask, stream, m.rules[i], m.thresholds[i])
            if action >= 0 and mask[action]:
                return action
    return legal_random(m, mask, stream)


# --- the rules --------------------------------------------------------------------------------------------------------


@jit
def applies(m: Record, condition: int) -> bool:
    """Whether a rule's condition holds."""
    if condition == HAIL_MARY:
        return m.lives > 1 and m.deck_size == 0
    if condition == SPARE_LIFE:
        return m.lives > 1
    if condition == FEW_HINTS:
        return m.information < 4
    return True


@jit
def act(m: Record, observation: Int8s, mask: Int8s, stream: Bytes, rule: int, threshold: float) -> int:
    """The action of a rule, or -1; it need not be legal."""
    h = m.hand_size
    action = -1
    if rule == PLAY_CERTAIN:
        action = on_slot(first_certain(m, observation), h)
    elif rule == PLAY_SAFE:
        action = on_slot(first_safe(m, observation), h)
    elif rule == PLAY_PROBABLE:
        action = on_slot(most_probable(m, observation, threshold), h)
    elif rule == TELL_USEFUL:
        action = tell_useful(m)
    elif rule == TELL_DISPENSABLE:
        action = tell_dispensable(m)
    elif rule == TELL_RANDOMLY:
        action = tell_randomly(m, stream)
    elif rule == DISCARD_SAFE:
        action = on_slot(first_done(m, observation), 0)
    elif rule == DISCARD_USELESS:
        action = on_slot(first_useless(m, observation), 0)
    elif rule == DISCARD_OLDEST:
        action = 0
    elif rule == DISCARD_RANDOMLY:
        action = below(stream, max(m.held[0], 1))
    elif rule == LEGAL_RANDOM:
        action = legal_random(m, mask, stream)
    return action


@jit
def on_slot(slot: int, first: int) -> int:
    """The action on a slot (`first` + slot), -1 for no slot."""
    return first + slot if slot >= 0 else -1


@jit
def legal_random(m: Record, mask: Int8s, stream: Bytes) -> int:
    """LegalRandom: any legal action."""
    count = 0
    for action in range(m.actions):
        count += mask[action]
    n = below(stream, count)
    for action in range(m.actions):
        n -= mask[action]
        if n < 0:
            return action
    return -1


@jit
def first_certain(m: Record, observation: Int8s) -> int:
    """PlayIfCertain: the first card whose color and rank were told and that is playable."""
    for slot in range(m.held[0]):
        color, rank = told_color(m, observation, slot), told_rank(m, observation, slot)
        if color >= 0 and rank >= 0 and m.fireworks[color] == rank:
            return slot
    return -1


@jit
def first_safe(m: Record, observation: Int8s) -> int:
    """PlaySafeCard: the first card all of whose candidates are playable."""
    for slot in range(m.held[0]):
        if playable_share(m, observation, slot) == 1.0:
            return slot
    return -1


@jit
def most_probable(m: Record, observation: Int8s, threshold: float) -> int:
    """PlayProbablySafeCard: the card with the greatest share of playable candidates, at least the threshold.

    The last of several.
    """
    best, found = threshold, -1
    for slot in range(m.held[0]):
        share = playable_share(m, observation, slot)
        if share >= best:
            best, found = share, slot
    return found


@jit
def tell_useful(m: Record) -> int:
    """TellAnyoneAboutUsefulCard: of the first playable card not fully told, the rank, or else the color."""
    for offset in range(1, m.seats):
        for slot in range(m.held[offset]):
            color, rank = m.color[offset, slot], m.rank[offset, slot]
            if rank == m.fireworks[color]:
                if not m.rank_told[offset, slot]:
                    return rank_hint(m, offset, rank)
                if not m.color_told[offset, slot]:
                    return color_hint(m, offset, color)
    return -1


@jit
def tell_dispensable(m: Record) -> int:
    """TellDispensable: what lets a seat find out that a card was played.

    Of the first such card: its color if that is complete, its rank if every firework has it, or what was not told yet
    of a card of which the other half is known.
    """
    for offset in range(1, m.seats):
        for slot in range(m.held[offset]):
            color, rank = m.color[offset, slot], m.rank[offset, slot]
            color_told, rank_told = m.color_told[offset, slot], m.rank_told[offset, slot]
            if not color_told and m.fireworks[color] == m.ranks:
                return color_hint(m, offset, color)
            if not rank_told and rank < m.lowest:
                return rank_hint(m, offset, rank)
            if rank < m.fireworks[color]:
                if rank_told and not color_told:
                    return color_hint(m, offset, color)
                if color_told and not rank_told:
                    return rank_hint(m, offset, rank)
    return -1


@jit
def tell_randomly(m: Record, stream: Bytes) -> int:
    """TellRandomly: color or rank of any card of the next seat."""
    if m.held[1] == 0:
        return -1
    slot = below(stream, m.held[1])
    if below(stream, 2):
        return color_hint(m, 1, m.color[1, slot])
    return rank_hint(m, 1, m.rank[1, slot])


@jit
def first_done(m: Record, observation: Int8s) -> int:
    """DiscardSafeCard: the first card of which enough was told to know that it was played."""
    for slot in range(m.held[0]):
        color, rank = told_color(m, observation, slot), told_rank(m, observation, slot)
        if color >= 0 and (m.fireworks[color] == m.ranks or 0 <= rank < m.fireworks[color]):
            return slot
        if 0 <= rank < m.lowest:
            return slot
    return -1


@jit
def first_useless(m: Record, observation: Int8s) -> int:
    """DiscardUselessCard: the first card of told color whose candidates are all above what its firework can reach."""
    for slot in range(m.held[0]):
        color = told_color(m, observation, slot)
        if color >= 0:
            at = knowledge_at(m, 0, slot) + color * m.ranks
            useless = True
            for rank in range(m.reachable[color]):
                useless &= not (observation[at + rank] and m.unseen[color, rank] > 0)
            if useless:
                return slot
    return -1
