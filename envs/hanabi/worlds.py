"""Worlds that agree with what a seat sees: other cards in its hand, and so in the deck.

All that a seat does not see are the cards in its own hand and those in the deck, which together are known to it.
"""

from typing import Any

import numpy as np

from ludarium.envs.chance import uniform
from ludarium.envs.hanabi.rules import block_size
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

_MOST = 25  # cards that are not alike


@jit
def redeal(s: Record, seat: int, stream: Any) -> None:
    """Deal a seat's hand anew, from all hands that hints leave possible, each as likely as it is to be dealt.

    So what becomes of the position depends on the view of the seat and on the stream alone. Hands are drawn card by
    card from what hints leave each, and kept with the probability that corrects for this: the product, over the slots,
    of the share of the possible cards that earlier slots have left.

    Args:
        s: the position; the seat's hand and the deck are changed.
        seat: the seat.
        stream: the random numbers, shape (2,) uint64.
    """
    kinds, hand = s.colors * s.ranks, np.zeros(len(s.rank[seat]), dtype=np.int64)
    for slot in range(s.held[seat]):
        s.deck[s.color[seat, slot] * s.ranks + s.rank[seat, slot]] += 1
    left = np.zeros(_MOST, dtype=np.int64)
    while True:
        for card in range(kinds):
            left[card] = s.deck[card]
        kept = 1.0
        for slot in range(s.held[seat]):
            first = (seat * s.hand_size + slot) * block_size(s)
            before = options = 0
            for card in range(kinds):
                before += s.knowledge[first + card] * s.deck[card]
                options += s.knowledge[first + card] * left[card]
            kept *= options / before
            if options == 0:
                break
            number, card = int(uniform(stream) * options), -1
            while number >= 0:
                card += 1
                number -= s.knowledge[first + card] * left[card]
            hand[slot] = card
            left[card] -= 1
        if uniform(stream) < kept:
            break
    for slot in range(s.held[seat]):
        s.deck[hand[slot]] -= 1
        s.color[seat, slot], s.rank[seat, slot] = hand[slot] // s.ranks, hand[slot] % s.ranks
