"""Hanabi: the record and the kernels.

Rules, action ids and observations are those of the Hanabi Learning Environment (Bard et al. 2020, "The Hanabi Challenge",
and its reference code). With h cards per hand, P seats, C colors (in the order red, yellow, green, white, blue) and R ranks:

| action | id |
|---|---|
| discard the card in slot i (0 is the oldest) | i |
| play the card in slot i | h + i |
| hint a color to the seat `offset` places on | 2h + (offset - 1) C + color |
| hint a rank | 2h + (P - 1) C + (offset - 1) R + rank |

A card is color × R + rank; that is also the outcome id at a chance node, where one card is drawn. Seat 0 gets its whole
hand first, then seat 1, and so on; later, a seat draws right after its play or discard. Hints must touch a card.
After the last card is drawn, every seat, including the drawer, has one more turn.

An observation has these sections, all of 0s and 1s, seats counted from the observer:

| section | bits |
|---|---|
| hands of the others: per slot the card | (P - 1) h C R |
| hands that are short of cards | P |
| cards in the deck, as that many ones | cards - P h |
| height of each firework, one-hot, none for 0 | C R |
| information tokens, life tokens, as that many ones | as many as there are |
| discarded copies of each card, as that many ones | cards |
| last move: seat P, kind (play, discard, color, rank) 4, target P, color C, rank R, slots touched h, slot h, card C R, whether a play scored and whether it won a token 2 | 2P + C + R + 2h + C R + 6 |
| knowledge (not in `minimal`), own seat first, per slot: cards not excluded by hints C R, color told C, rank told R | P h (C R + C + R) |

In `seer`, every card is told to its owner as soon as it is drawn.
"""  # noqa: E501

import numpy as np

from ludarium.envs.chance import scale, unit
from ludarium.envs.hanabi.history import HISTORY, remember
from ludarium.envs.jit import jit
from ludarium.envs.kernels import CHANCE, OVER, Floats, Int8s, Record, count_bits, pointer

MAX_SEATS, MAX_COLORS, MAX_RANKS, MAX_HAND = 5, 5, 5, 5
_CARDS = MAX_COLORS * MAX_RANKS

# Kinds of the last move, in the order of the observation.
NONE, PLAY, DISCARD, HINT_COLOR, HINT_RANK = -1, 0, 1, 2, 3
# The option `observation`, as kernels see it.
MINIMAL, CARD_KNOWLEDGE, SEER = 0, 1, 2

STATE = np.dtype(
    [
        # Per seat and slot, without gaps, as in an observation: plausible cards, color told, rank told.
        ("knowledge", np.int8, (MAX_SEATS * MAX_HAND * (_CARDS + MAX_COLORS + MAX_RANKS),)),
        ("color", np.int8, (MAX_SEATS, MAX_HAND)),  # the cards in hand, oldest first; 0 in empty slots
        ("rank", np.int8, (MAX_SEATS, MAX_HAND)),
        ("held", np.int8, (MAX_SEATS,)),  # cards in hand
        ("deck", np.int8, (_CARDS,)),  # copies of each card that are still in the deck
        ("discards", np.int8, (_CARDS,)),  # copies discarded or misplayed
        ("fireworks", np.int8, (MAX_COLORS,)),  # cards played of each color
        ("deck_size", np.int8),
        ("information", np.int8),  # tokens left
        ("lives", np.int8),
        ("score", np.int8),  # cards played
        ("turns_left", np.int8),  # counts down once the deck is empty
        ("seat", np.int8),  # the seat that makes the next move
        ("dealing", np.int8),  # the seat that draws a card before that, or -1
        ("last_kind", np.int8),
        ("last_seat", np.int8),
        ("last_target", np.int8),
        ("last_color", np.int8),  # of the card, or of the hint; -1: none
        ("last_rank", np.int8),
        ("last_slot", np.int8),
        ("last_touched", np.int8),  # bit i: the hint touched slot i
        ("last_scored", np.int8),
        ("last_token", np.int8),  # a play that completed a firework won back a token
        *HISTORY,
        ("seats", np.int8),
        ("colors", np.int8),
        ("ranks", np.int8),
        ("hand_size", np.int8),
        ("information_tokens", np.int8),
        ("life_tokens", np.int8),
        ("observation", np.int8),
        ("points_kept", np.int8),
    ],
    align=True,
)


@jit
def copies(s: Record, rank: int) -> int:
    """How many cards of this rank each color has: three of the first, one of the last, two of the others."""
    if rank == 0:
        return 3
    return 1 if rank == s.ranks - 1 else 2


@jit
def cards(s: Record) -> int:
    """Number of cards in the whole game."""
    return s.colors * (3 if s.ranks == 1 else 2 * s.ranks)


def setup(s: Record, o: Record) -> int:
    """Write the position before the deal."""
    s.seats, s.colors, s.ranks, s.hand_size = o.seats, o.colors, o.ranks, o.hand_size
    s.information_tokens, s.life_tokens = o.information_tokens, o.life_tokens
    s.observation, s.points_kept = o.observation, o.score
    s.information, s.lives, s.turns_left = o.information_tokens, o.life_tokens, o.seats
    s.deck_size = cards(s)
    for color in range(s.colors):
        for rank in range(s.ranks):
            s.deck[color * s.ranks + rank] = copies(s, rank)
    clear_last_move(s)
    return 0


@jit
def clear_last_move(s: Record) -> None:
    """Forget the last move."""
    s.last_kind = NONE
    s.last_seat = s.last_target = s.last_color = s.last_rank = s.last_slot = -1
    s.last_touched = s.last_scored = s.last_token = 0


@jit
def after(s: Record, seat: int) -> int:
    """The seat that moves after a seat. Comparing is faster than dividing, above all on older processors."""
    return seat + 1 if seat + 1 < s.seats else 0


@jit
def places_on(s: Record, seat: int, other: int) -> int:
    """How many places on from a seat another one sits."""
    return other - seat if other >= seat else other - seat + s.seats


@jit
def is_over(s: Record) -> bool:
    """No life left, no turn left, or all fireworks complete."""
    return s.lives == 0 or s.turns_left == 0 or s.score == s.colors * s.ranks


def turn(s: Record) -> int:
    """The seat to move; chance while a card is to be drawn."""
    if is_over(s):
        return OVER
    return CHANCE if s.dealing >= 0 else s.seat


@jit
def legal_set(s: Record) -> int:
    """The legal actions as a set: bit i is action i. There are at most 50."""
    if is_over(s) or s.dealing >= 0:
        return 0
    h = s.hand_size
    slots = (1 << s.held[s.seat]) - 1
    actions = slots << h
    if s.information < s.information_tokens:
        actions |= slots
    if s.information > 0:
        color_hint, rank_hint = 2 * h, 2 * h + (s.seats - 1) * s.colors
        target = s.seat
        for _ in range(1, s.seats):
            target = after(s, target)
            for slot in range(s.held[target]):
                actions |= 1 << (color_hint + s.color[target, slot])
                actions |= 1 << (rank_hint + s.rank[target, slot])
            color_hint += s.colors
            rank_hint += s.ranks
    return actions


def legal(s: Record, mask: Int8s) -> int:
    """Plays; discards unless all information tokens are available; hints that touch a card, if there is a token."""
    actions = legal_set(s)
    for action in range(2 * s.hand_size + (s.seats - 1) * (s.colors + s.ranks)):
        mask[action] = (actions >> action) & 1
    return count_bits(actions)


def sample(s: Record, bits: int) -> int:
    """A uniformly random legal action."""
    actions = legal_set(s)
    for _ in range(scale(bits, count_bits(actions))):
        actions &= actions - 1
    return count_bits((actions & -actions) - 1)


def chance(s: Record, probabilities: Floats) -> int:
    """The card that is drawn: each in proportion to its copies in the deck."""
    outcomes = s.colors * s.ranks
    each = 1.0 / s.deck_size
    for card in range(outcomes):
        probabilities[card] = s.deck[card] * each
    return outcomes


def sample_chance(s: Record, bits: int) -> int:
    """The card that is drawn, chosen by 64 random bits."""
    deck = pointer(s.deck, 0)
    card, left = 0, int(unit(bits) * s.deck_size) - deck[0]
    while left >= 0:
        card += 1
        left -= deck[card]
    return card


def play(s: Record, action: int) -> int:
    """Draw the card (at a chance node), discard, play or hint."""
    h = s.hand_size
    if s.dealing >= 0:
        deal(s, action)
        return 0
    if s.deck_size == 0:
        s.turns_left -= 1
    clear_last_move(s)
    s.last_seat = s.seat
    if action < 2 * h:
        play_or_discard(s, action % h, PLAY if action >= h else DISCARD)
    else:
        hint(s, action - 2 * h)
    remember(s, action)
    s.seat = after(s, s.seat)
    return 0


@jit
def block_size(s: Record) -> int:
    """Length of one card's knowledge."""
    return s.colors * s.ranks + s.colors + s.ranks


@jit
def deal(s: Record, card: int) -> None:
    """Give a card to the seat that draws; it knows nothing about the card."""
    seat, slot = s.dealing, s.held[s.dealing]
    color, rank = card // s.ranks, card % s.ranks
    s.deck[card] -= 1
    s.deck_size -= 1
    s.color[seat, slot], s.rank[seat, slot] = color, rank
    s.held[seat] = slot + 1
    plausible = (seat * s.hand_size + slot) * block_size(s)
    hints = plausible + s.colors * s.ranks
    knowledge = pointer(s.knowledge, 0)
    for i in range(plausible, hints):
        knowledge[i] = 1
    if s.observation == SEER:
        tell(s, plausible, color, 0, True)
        tell(s, plausible, 0, rank, False)
    if slot + 1 == s.hand_size:
        following = seat + 1
        s.dealing = following if following < s.seats and s.held[following] < s.hand_size else -1


@jit
def play_or_discard(s: Record, slot: int, kind: int) -> None:
    """Take the card from the seat's hand and put it on its firework or discard it."""
    seat = s.seat
    color, rank = s.color[seat, slot], s.rank[seat, slot]
    s.last_kind, s.last_slot, s.last_color, s.last_rank = kind, slot, color, rank
    if kind == PLAY and s.fireworks[color] == rank:
        s.fireworks[color] += 1
        s.score += 1
        s.last_scored = 1
        if rank == s.ranks - 1 and s.information < s.information_tokens:
            s.information += 1
            s.last_token = 1
    else:
        s.discards[color * s.ranks + rank] += 1
        if kind == PLAY:
            s.lives -= 1
        else:
            s.information += 1
    remove(s, seat, slot)
    if s.deck_size > 0:
        s.dealing = seat


@jit
def remove(s: Record, seat: int, slot: int) -> None:
    """Close the gap that a card leaves: younger cards move up."""
    block = block_size(s)
    first = seat * s.hand_size * block
    end = s.held[seat] - 1
    s.held[seat] = end
    for i in range(slot, end):
        s.color[seat, i], s.rank[seat, i] = s.color[seat, i + 1], s.rank[seat, i + 1]
    s.color[seat, end] = s.rank[seat, end] = 0
    knowledge = pointer(s.knowledge, first)
    for i in range(slot * block, end * block):
        knowledge[i] = knowledge[i + block]
    for i in range(end * block, (end + 1) * block):
        knowledge[i] = 0


@jit
def read_hint(s: Record, number: int) -> tuple[bool, int, int]:
    """Whether a hint is of a color, the places from the mover's neighbour to its target, and the color or rank."""
    color_hints = (s.seats - 1) * s.colors
    if number < color_hints:
        return True, number // s.colors, number % s.colors
    return False, (number - color_hints) // s.ranks, (number - color_hints) % s.ranks


@jit
def hint(s: Record, number: int) -> None:
    """Tell another seat all its cards of a color or rank; `number` is the action id minus 2h."""
    by_color, offset, value = read_hint(s, number)
    if by_color:
        s.last_kind, s.last_color = HINT_COLOR, value
    else:
        s.last_kind, s.last_rank = HINT_RANK, value
    target = (s.seat + 1 + offset) % s.seats
    s.last_target = target
    s.information -= 1
    block = block_size(s)
    plausible = target * s.hand_size * block
    for slot in range(s.held[target]):
        touched = (s.color[target, slot] if by_color else s.rank[target, slot]) == value
        if touched:
            s.last_touched |= 1 << slot
            tell(s, plausible, value, value, by_color)
        else:
            exclude(s, plausible, value, by_color)
        plausible += block


@jit
def tell(s: Record, plausible: int, color: int, rank: int, by_color: bool) -> None:
    """Record that the card whose knowledge begins at `plausible` is of this color, or of this rank."""
    hints = plausible + s.colors * s.ranks
    for other in range(s.colors if by_color else s.ranks):
        if other != (color if by_color else rank):
            exclude(s, plausible, other, by_color)
    s.knowledge[hints + color if by_color else hints + s.colors + rank] = 1


@jit
def exclude(s: Record, plausible: int, value: int, by_color: bool) -> None:
    """Record that the card is not of this color, or not of this rank."""
    knowledge = pointer(s.knowledge, plausible)
    if by_color:
        for rank in range(s.ranks):
            knowledge[value * s.ranks + rank] = 0
    else:
        for color in range(s.colors):
            knowledge[color * s.ranks + value] = 0


def payoffs(s: Record, out: Floats) -> int:
    """The cards played so far, the same for all seats; 0 if no life is left, unless points are kept."""
    score = 0 if s.lives == 0 and not s.points_kept else s.score
    for seat in range(s.seats):
        out[seat] = score
    return 0


def observe(s: Record, seat: int, out: Int8s) -> int:
    """The canonical observation of the Hanabi Learning Environment; see the module docstring."""
    kinds, h = s.colors * s.ranks, s.hand_size
    board = (s.seats - 1) * h * kinds + s.seats
    last = board + 2 * cards(s) - s.seats * h + kinds + s.information_tokens + s.life_tokens
    size = last + 2 * s.seats + s.colors + s.ranks + 2 * h + kinds + 6
    for i in range(size):
        out[i] = 0
    observe_hands(s, seat, out)
    observe_board(s, board, out)
    if s.last_kind != NONE:
        observe_last_move(s, seat, last, out)
    if s.observation != MINIMAL:
        own, end = seat * h * block_size(s), s.seats * h * block_size(s)
        first, knowledge = (
            pointer(s.knowledge, 0),
            pointer(s.knowledge, own),
        )  # a field's index would be checked for a sign
        for i in range(end - own):
            out[size + i] = knowledge[i]
        for i in range(own):
            out[size + end - own + i] = first[i]
    return 0


@jit
def observe_hands(s: Record, seat: int, out: Int8s) -> None:
    """The other seats' cards, and whose hand is short; the section is zero beforehand, as in the functions below."""
    kinds, h = s.colors * s.ranks, s.hand_size
    short = (s.seats - 1) * h * kinds
    other = seat
    for offset in range(s.seats):
        if offset > 0:
            other = after(s, other)
            for slot in range(s.held[other]):
                cell = ((offset - 1) * h + slot) * kinds
                out[cell + s.color[other, slot] * s.ranks + s.rank[other, slot]] = 1
        if s.held[other] < h:
            out[short + offset] = 1


@jit
def observe_board(s: Record, at: int, out: Int8s) -> None:
    """Deck, fireworks, tokens and discards."""
    most = cards(s) - s.seats * s.hand_size
    for i in range(min(s.deck_size, most)):
        out[at + i] = 1
    at += most
    for color in range(s.colors):
        if s.fireworks[color] > 0:
            out[at + color * s.ranks + s.fireworks[color] - 1] = 1
    at += s.colors * s.ranks
    for i in range(s.information):
        out[at + i] = 1
    at += s.information_tokens
    for i in range(s.lives):
        out[at + i] = 1
    at += s.life_tokens
    for color in range(s.colors):
        for rank in range(s.ranks):
            for i in range(s.discards[color * s.ranks + rank]):
                out[at + i] = 1
            at += copies(s, rank)


@jit
def observe_last_move(s: Record, seat: int, at: int, out: Int8s) -> None:
    """The last move of a seat, not counting card draws."""
    h = s.hand_size
    is_hint = s.last_kind == HINT_COLOR or s.last_kind == HINT_RANK
    out[at + places_on(s, seat, s.last_seat)] = 1
    at += s.seats
    out[at + s.last_kind] = 1
    at += 4
    if is_hint:
        out[at + places_on(s, seat, s.last_target)] = 1
    at += s.seats
    if s.last_kind == HINT_COLOR:
        out[at + s.last_color] = 1
    at += s.colors
    if s.last_kind == HINT_RANK:
        out[at + s.last_rank] = 1
    at += s.ranks
    for slot in range(h):
        out[at + slot] = (s.last_touched >> slot) & 1
    at += h
    if not is_hint:
        out[at + s.last_slot] = 1
        out[at + h + s.last_color * s.ranks + s.last_rank] = 1
    at += h + s.colors * s.ranks
    out[at], out[at + 1] = s.last_scored, s.last_token
