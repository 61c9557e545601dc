"""What hints have told the seats about their own cards, for text and pictures; agents get views."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SlotKnowledge:
    """What hints have told about one card, which is common knowledge to all seats.

    Attributes:
        colors: the colors it may have, in increasing order.
        ranks: the ranks it may have, from 0, in increasing order.
        color_told: its color was hinted (not just found by excluding the others).
        rank_told: its rank was hinted.
    """

    colors: tuple[int, ...]
    ranks: tuple[int, ...]
    color_told: bool
    rank_told: bool


def hand_knowledge(record: Any, seat: int) -> list[SlotKnowledge]:
    """What hints have told a seat about its cards, oldest first; `record` is `position.record`."""
    colors, ranks = int(record.colors), int(record.ranks)
    slots = []
    for block in _blocks(record, seat):
        plausible = block[: colors * ranks].reshape(colors, ranks)
        slots.append(
            SlotKnowledge(
                tuple(np.flatnonzero(plausible.any(axis=1)).tolist()),
                tuple(np.flatnonzero(plausible.any(axis=0)).tolist()),
                bool(block[colors * ranks : colors * ranks + colors].any()),
                bool(block[colors * ranks + colors :].any()),
            )
        )
    return slots


def _blocks(record: Any, seat: int) -> NDArray[np.int8]:
    """A seat's part of the record's knowledge, one row per card held."""
    size = int(record.colors * record.ranks + record.colors + record.ranks)
    first = seat * int(record.hand_size) * size
    return np.asarray(record.knowledge)[first : first + int(record.held[seat]) * size].reshape(-1, size)


def possible_cards(record: Any, seat: int) -> NDArray[np.bool_]:
    """Which card each card of a seat may still be, for the seat itself: shape (held, colors, ranks).

    Hints leave it possible, and not all of its copies are where the seat sees them.
    """
    colors, ranks = int(record.colors), int(record.ranks)
    unseen = record.deck[: colors * ranks].astype(np.int64)
    for slot in range(record.held[seat]):
        unseen[record.color[seat, slot] * ranks + record.rank[seat, slot]] += 1
    plausible = _blocks(record, seat)[:, : colors * ranks].reshape(-1, colors, ranks)
    return (plausible > 0) & (unseen.reshape(colors, ranks) > 0)
