"""Rules that play a card: they return its slot, or -1. Docstrings begin with the rules' names in the literature."""

from ludarium.agents.hanabi.scene import likeliest, told_playable
from ludarium.envs.hanabi.beliefs import chance
from ludarium.envs.hanabi.rules import HINT_COLOR, PLAY
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Bytes, Floats, Record, count_bits


def if_certain(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlayIfCertain: the first card whose color and rank were told and that is playable."""
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and told_playable(v, 0, slot):
            return slot
    return -1


def safe_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlaySafeCard: the first card that must be playable."""
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and chance(v, m, 0, slot, m.playable) > 0.999999:
            return slot
    return -1


def probably_safe_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlayProbablySafeCard: the card most likely to be playable, if at least so likely; of equals the last."""
    return likeliest(v, m, m.playable, p[0])


def unique_possible_card(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlayUniquePossibleCard: the card that the latest hint singled out, if that color or rank could be playable.

    If it could not, or the card is gone, the hint before that counts, and so on.
    """
    for i in range(v.moves - 1, -1, -1):
        if v.move_target[i] == 0 and count_bits(v.move_touched[i]) == 1:
            slot = _now_in(v, i)
            if slot >= 0 and _could_be_playable(v, m, i):
                return slot
    return -1


@jit
def _now_in(v: Record, i: int) -> int:
    """The slot of the only card that move i touched in the viewer's hand; -1 if the card is gone."""
    slot = count_bits(v.move_touched[i] - 1)
    for j in range(i + 1, v.moves):
        if v.move_seat[j] == 0 and v.move_slot[j] >= 0:
            if v.move_slot[j] == slot:
                return -1
            if v.move_slot[j] < slot:
                slot -= 1
    return slot


@jit
def _could_be_playable(v: Record, m: Record, i: int) -> bool:
    """Whether an unseen playable card is of the color or rank that move i told."""
    for color in range(v.colors):
        rank = v.fireworks[color]
        hinted = v.move_color[i] == color if v.move_kind[i] == HINT_COLOR else v.move_rank[i] == rank
        if hinted and rank < v.ranks and m.pools[0, 0] >> (color * v.ranks + rank) & 1:
            return True
    return False


def finesse(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlayFinesse: the newest card, if the last move told the next seat a card that lacks just one before it.

    For three or more seats. Such a hint is taken to mean that the viewer holds the missing card.
    """
    i = v.moves - 1
    if v.seats < 3 or i < 0 or v.move_target[i] != 1:
        return -1
    for slot in range(v.held[1]):
        touched = v.move_touched[i] >> slot & 1
        if touched and v.rank[1, slot] == v.fireworks[v.color[1, slot]] + 1:
            return v.held[0] - 1
    return -1


def finesse_told(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlayFinesseTold: the card that the move before the last singled out, if the last move was a play."""
    hint, last = v.moves - 2, v.moves - 1
    if hint < 0 or v.move_kind[last] != PLAY or v.move_seat[last] == 0:
        return -1
    if v.move_target[hint] != 0 or count_bits(v.move_touched[hint]) != 1:
        return -1
    return count_bits(v.move_touched[hint] - 1)


def just_hinted(v: Record, m: Record, stream: Bytes, p: Floats) -> int:
    """PlayJustHinted: of the cards touched since the viewer's last turn, the one most likely to be playable.

    It must be certain, or at least as likely as the threshold while more than `lives` lives are left. With `alone` only
    hints count that touched nothing else, with `newest` only the newest card.
    """
    alone, newest, lives, threshold = p[0] > 0, p[1] > 0, p[2], p[3]
    touched = 0
    for i in range(v.last_move[0] + 1, v.moves):
        if v.move_target[i] == 0 and (not alone or count_bits(v.move_touched[i]) == 1):
            touched |= v.move_touched[i]
    best, likeliest = -1.0, -1
    for place in range(v.hand_size):
        slot = m.order[0, place]
        if slot >= 0 and touched >> slot & 1 and (not newest or slot == v.held[0] - 1):
            probability = chance(v, m, 0, slot, m.playable)
            if probability >= best:
                best, likeliest = probability, slot
    return likeliest if best > 0.999999 or (best >= threshold and v.lives > lives) else -1
