"""Rules that discard a card: they return its slot, or -1. Docstrings begin with the rules' names in the literature."""

from ludarium.agents.hanabi.scene import likeliest, told_done
from ludarium.envs.chance import below
from ludarium.envs.hanabi.beliefs import chance, unseen
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Floats, Record


def oldest_first(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardOldestFirst: the oldest card."""
    return 0


def oldest_no_info_first(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardOldestNoInfoFirst: the oldest card of which nothing was told."""
    for slot in range(v.held[0]):
        if v.color_told[0, slot] < 0 and v.rank_told[0, slot] < 0:
            return slot
    return -1


def unidentified_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardUnidentifiedCard: the first card of which nothing was told."""
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and v.color_told[0, slot] < 0 and v.rank_told[0, slot] < 0:
            return slot
    return -1


def randomly(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardRandomly: a random card."""
    return below(stream, max(v.held[0], 1))


def if_certain(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardIfCertain: the first card whose color and rank were told and that was already played."""
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and v.color_told[0, slot] >= 0 and 0 <= v.rank_told[0, slot] < v.fireworks[v.color_told[0, slot]]:
            return slot
    return -1


@jit
def safe_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardSafeCard: the first card about which enough was told to know that it was already played."""
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and told_done(v, m, 0, slot):
            return slot
    return -1


@jit
def useless_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardUselessCard: the first card of told color whose candidates are all above what its firework can reach."""
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and v.color_told[0, slot] >= 0:
            possible = v.possible[0, slot]
            if unseen(m, 0, possible) == unseen(m, 0, possible & m.dead & ~m.done):
                return slot
    return -1


def osawa(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """OsawaDiscard: DiscardSafeCard, or else DiscardUselessCard."""
    slot = safe_card(v, m, stream, p)
    return slot if slot >= 0 else useless_card(v, m, stream, p)


def probably_useless_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardProbablyUselessCard: the card most likely to be dead, if at least so likely; of equals the last."""
    return likeliest(v, m, m.dead, p[0])


def least_likely_to_be_necessary(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardLeastLikelyToBeNecessary: the card least likely to be critical; of equals the last."""
    least, best = 1.0, -1
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0:
            probability = chance(v, m, 0, slot, m.critical)
            if probability <= least:
                least, best = probability, slot
    return best


def highest(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """DiscardHighest: the first card of the highest rank told."""
    best, oldest = -1, -1
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and v.rank_told[0, slot] > best:
            best, oldest = v.rank_told[0, slot], slot
    return oldest


def try_to_unblock(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """TryToUnBlock: win back a token, the last one being gone, for a seat that could do nothing without.

    The action, not a slot: the first card of which enough was told to know that it was played already is discarded, or
    that it completes a firework is played; if in turn a seat that has no such card, nor one told to be playable, comes
    before any other that could win back a token.
    """
    mine = _unblocking(v, m, 0)
    if v.information > 0 or mine < 0:
        return -1
    for seat in range(1, v.seats):
        if _is_blocked(v, m, seat):
            return mine
        if _unblocking(v, m, seat) >= 0:
            return -1
    return -1


@jit
def _unblocking(v: Record, m: Record, seat: int) -> int:
    """The action with which a seat can win back a token for certain, -1 if there is none."""
    for place in range(v.hand_size):
        slot = m.order[seat, place]
        if slot >= 0:
            if told_done(v, m, seat, slot):
                return slot
            color, rank = v.color_told[seat, slot], v.rank_told[seat, slot]
            if color >= 0 and rank == v.ranks - 1 and v.fireworks[color] == rank:
                return v.hand_size + slot
    return -1


@jit
def _is_blocked(v: Record, m: Record, seat: int) -> bool:
    """Whether no card of a seat is told to be playable or played already."""
    for slot in range(v.held[seat]):
        color, rank = v.color_told[seat, slot], v.rank_told[seat, slot]
        if told_done(v, m, seat, slot) or (color >= 0 and rank >= 0 and v.fireworks[color] == rank):
            return False
    return True
