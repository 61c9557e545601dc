"""What a seat may know: one record with all that is common knowledge or visible to the seat, and nothing else.

`see` writes it from the state. The cards in hand are in `color` and `rank`, but not the viewer's own; all else was seen
or heard by everybody. So a view does not depend on the viewer's cards or on the deck.

Seats are counted from the viewer, who is 0; slots from the oldest card; moves from the first, 0. A card is
color × ranks + rank, and a set of cards is a number with a bit for each.
"""

import numpy as np

from ludarium.envs.hanabi.history import MAX_MOVES, SCORED, TOKEN
from ludarium.envs.hanabi.rules import DISCARD, HINT_COLOR, HINT_RANK, MAX_HAND, MAX_SEATS, PLAY, block_size, read_hint
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

_HANDS = (MAX_SEATS, MAX_HAND)

VIEW = np.dtype(
    [
        # The game.
        ("seats", np.int8),
        ("colors", np.int8),
        ("ranks", np.int8),
        ("hand_size", np.int8),
        ("information_tokens", np.int8),  # at the start and at most
        ("life_tokens", np.int8),
        ("seat", np.int8),  # the viewer's seat at the table
        ("turn", np.int8),  # the seat to move, counted from the viewer like all that follow
        # The table.
        ("fireworks", np.int8, (5,)),  # height by color
        ("discards", np.int8, (25,)),  # copies of each card
        ("deck_size", np.int8),
        ("information", np.int8),
        ("lives", np.int8),
        ("score", np.int8),
        ("turns_left", np.int8),  # once the deck is empty
        # The hands, by seat and slot.
        ("held", np.int8, (MAX_SEATS,)),
        ("color", np.int8, _HANDS),  # -1 in the viewer's hand, and where no card is
        ("rank", np.int8, _HANDS),
        ("possible", np.int32, _HANDS),  # the cards that hints leave it, as a set; 0 where no card is
        ("color_told", np.int8, _HANDS),  # the color that a hint named, or -1
        ("rank_told", np.int8, _HANDS),
        ("age", np.int8, _HANDS),  # moves since it was drawn, or the game began
        ("place", np.int8, _HANDS),  # if each new card is put where the old one was
        ("first_hint", np.int8, _HANDS),  # the first move that touched it, or -1
        ("last_hint", np.int8, _HANDS),
        ("alone", np.int8, _HANDS),  # whether the last hint that touched it touched nothing else
        ("fresh", np.int8, _HANDS),  # whether a hint has touched it since its owner's last move
        # The moves so far, in order; what follows them means nothing.
        ("moves", np.int8),
        ("last_move", np.int8, (MAX_SEATS,)),  # each seat's last move, or -1
        ("move_kind", np.int8, (MAX_MOVES,)),  # PLAY, DISCARD, HINT_COLOR or HINT_RANK
        ("move_seat", np.int8, (MAX_MOVES,)),
        ("move_target", np.int8, (MAX_MOVES,)),  # of a hint, else -1
        ("move_slot", np.int8, (MAX_MOVES,)),  # of a play or discard, at the time, else -1
        ("move_color", np.int8, (MAX_MOVES,)),  # of the card, or told; else -1
        ("move_rank", np.int8, (MAX_MOVES,)),
        ("move_touched", np.int8, (MAX_MOVES,)),  # the slots that a hint touched, at the time, as bits
        ("move_scored", np.int8, (MAX_MOVES,)),
        ("move_token", np.int8, (MAX_MOVES,)),  # whether it won back a token
    ],
    align=True,
)


def see(s: Record, seat: int, v: Record) -> int:
    """Write what a seat may know; the kernel `see` of the game."""
    _see_table(s, seat, v)
    _see_moves(s, seat, v)
    for offset in range(MAX_SEATS):
        _see_hand(s, seat, offset, v)
    return 0


@jit
def _see_table(s: Record, seat: int, v: Record) -> None:
    v.seats, v.colors, v.ranks, v.hand_size = s.seats, s.colors, s.ranks, s.hand_size
    v.information_tokens, v.life_tokens = s.information_tokens, s.life_tokens
    v.seat, v.turn = seat, (s.seat - seat) % s.seats
    v.deck_size, v.information, v.lives = s.deck_size, s.information, s.lives
    v.score, v.turns_left = s.score, s.turns_left
    for color in range(5):
        v.fireworks[color] = s.fireworks[color]
    for card in range(25):
        v.discards[card] = s.discards[card]


@jit
def _see_moves(s: Record, seat: int, v: Record) -> None:
    """The moves; and of each card now in hand, since when it is there, where it lies, and which hints touched it."""
    for offset in range(MAX_SEATS):
        v.last_move[offset] = -1
        for slot in range(MAX_HAND):
            v.age[offset, slot] = 0  # for now the number of moves before it was drawn
            v.place[offset, slot] = slot
            v.first_hint[offset, slot] = v.last_hint[offset, slot] = -1
    v.moves = s.moves
    mover = (s.seat - s.moves - seat) % s.seats
    for i in range(s.moves):
        action, outcome = s.history[i, 0], s.history[i, 1]
        v.move_seat[i] = mover
        v.last_move[mover] = i
        if action < 2 * s.hand_size:
            _see_card_go(s, v, i, action, outcome)
        else:
            _see_hint(s, v, i, action - 2 * s.hand_size, outcome)
        mover = mover + 1 if mover + 1 < s.seats else 0


@jit
def _see_card_go(s: Record, v: Record, i: int, action: int, outcome: int) -> None:
    """A play or a discard: younger cards move up, and a new one comes; if none did, `_see_hand` clears the slot."""
    seat, youngest = v.move_seat[i], s.hand_size - 1
    slot = action - s.hand_size if action >= s.hand_size else action
    v.move_kind[i] = PLAY if action >= s.hand_size else DISCARD
    v.move_slot[i], v.move_target[i], v.move_touched[i] = slot, -1, 0
    v.move_scored[i], v.move_token[i] = (outcome & SCORED) != 0, (outcome & TOKEN) != 0
    card = outcome & (SCORED - 1)
    v.move_color[i], v.move_rank[i] = card // s.ranks, card % s.ranks
    place = v.place[seat, slot]
    for k in range(slot, youngest):
        v.age[seat, k], v.place[seat, k] = v.age[seat, k + 1], v.place[seat, k + 1]
        v.first_hint[seat, k], v.last_hint[seat, k] = v.first_hint[seat, k + 1], v.last_hint[seat, k + 1]
    v.age[seat, youngest], v.place[seat, youngest] = i + 1, place
    v.first_hint[seat, youngest] = v.last_hint[seat, youngest] = -1


@jit
def _see_hint(s: Record, v: Record, i: int, number: int, touched: int) -> None:
    """A hint; `number` is the action minus 2h."""
    by_color, offset, value = read_hint(s, number)
    target = (v.move_seat[i] + 1 + offset) % s.seats
    v.move_kind[i] = HINT_COLOR if by_color else HINT_RANK
    v.move_slot[i], v.move_target[i], v.move_touched[i] = -1, target, touched
    v.move_color[i], v.move_rank[i] = value if by_color else -1, -1 if by_color else value
    v.move_scored[i] = v.move_token[i] = 0
    for slot in range(s.hand_size):
        if touched >> slot & 1:
            v.last_hint[target, slot] = i
            if v.first_hint[target, slot] < 0:
                v.first_hint[target, slot] = i


@jit
def _see_hand(s: Record, viewer: int, offset: int, v: Record) -> None:
    """The cards of a hand, after its past."""
    seat = (viewer + offset) % s.seats
    held = s.held[seat] if offset < s.seats else 0
    v.held[offset] = held
    block = block_size(s)
    at = seat * s.hand_size * block
    for slot in range(MAX_HAND):
        if slot >= held:
            _see_nothing(v, offset, slot)
            continue
        hidden = offset == 0
        v.color[offset, slot] = -1 if hidden else s.color[seat, slot]
        v.rank[offset, slot] = -1 if hidden else s.rank[seat, slot]
        _see_knowledge(s, at + slot * block, v, offset, slot)
        v.age[offset, slot] = s.moves - v.age[offset, slot]
        last = v.last_hint[offset, slot]
        touched = v.move_touched[last] if last >= 0 else 0
        v.alone[offset, slot] = touched != 0 and touched & (touched - 1) == 0
        v.fresh[offset, slot] = last > v.last_move[offset]


@jit
def _see_knowledge(s: Record, at: int, v: Record, offset: int, slot: int) -> None:
    """What hints have told about a card, whose knowledge begins at `at`."""
    kinds = s.colors * s.ranks
    possible = 0
    for card in range(kinds):
        possible |= s.knowledge[at + card] << card
    v.possible[offset, slot] = possible
    v.color_told[offset, slot] = v.rank_told[offset, slot] = -1
    for color in range(s.colors):
        if s.knowledge[at + kinds + color]:
            v.color_told[offset, slot] = color
    for rank in range(s.ranks):
        if s.knowledge[at + kinds + s.colors + rank]:
            v.rank_told[offset, slot] = rank


@jit
def _see_nothing(v: Record, offset: int, slot: int) -> None:
    """An empty slot."""
    v.color[offset, slot] = v.rank[offset, slot] = v.color_told[offset, slot] = v.rank_told[offset, slot] = -1
    v.possible[offset, slot] = v.age[offset, slot] = v.place[offset, slot] = 0
    v.first_hint[offset, slot] = v.last_hint[offset, slot] = -1
    v.alone[offset, slot] = v.fresh[offset, slot] = 0
