"""What the seats know about their own cards, for text and pictures; agents get views."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.position import Position


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
    known = []
    for block in _blocks(record, seat):
        plausible = block[: colors * ranks].reshape(colors, ranks)
        known.append(
            SlotKnowledge(
                tuple(np.flatnonzero(plausible.any(axis=1)).tolist()),
                tuple(np.flatnonzero(plausible.any(axis=0)).tolist()),
                bool(block[colors * ranks : colors * ranks + colors].any()),
                bool(block[colors * ranks + colors :].any()),
            )
        )
    return known


def candidates(position: Position, seat: int) -> NDArray[np.int64]:
    """For each card a seat holds, the unseen copies of every card it could be: shape (held, colors, ranks).

    A row divided by its sum is the seat's belief about that card, if it considers each of its cards alone.
    """
    record = position.record
    colors, ranks = int(record.colors), int(record.ranks)
    plausible = _blocks(record, seat)[:, : colors * ranks].reshape(-1, colors, ranks)
    return plausible * unseen(position, seat)


def unseen(position: Position, seat: int) -> NDArray[np.int64]:
    """How many copies of each card a seat does not see, in the deck or in its own hand: shape (colors, ranks)."""
    record = position.record
    counts = record.deck[: record.colors * record.ranks].astype(np.int64)
    for slot in range(record.held[seat]):
        counts[record.color[seat, slot] * record.ranks + record.rank[seat, slot]] += 1
    return counts.reshape(record.colors, record.ranks)


def _blocks(record: Any, seat: int) -> NDArray[np.int8]:
    """A seat's part of the record's knowledge, one row per card held."""
    size = int(record.colors * record.ranks + record.colors + record.ranks)
    first = seat * int(record.hand_size) * size
    return np.asarray(record.knowledge)[first : first + int(record.held[seat]) * size].reshape(-1, size)
