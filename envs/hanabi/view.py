"""What an observation of Hanabi says, for compiled code that plays by it.

`VIEW` are the fields of a record that holds it: `sizes` gives the fixed ones, and `read` fills in the rest from an
observation. Nothing here sees the position: what a seat may not know is not in its observation.
"""

from typing import Any

import numpy as np

from ludarium.envs.hanabi import Hanabi
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Int8s, Record

_GRID = (5, 5)  # seats from the own one, and slots; or colors and ranks

VIEW: list[tuple[Any, ...]] = [
    # Sizes of the game.
    ("seats", np.int64),
    ("colors", np.int64),
    ("ranks", np.int64),
    ("hand_size", np.int64),
    ("information_tokens", np.int64),
    ("life_tokens", np.int64),
    ("deck_most", np.int64),  # cards in the deck after the deal
    ("knowledge", np.int64),  # where that begins in an observation
    ("actions", np.int64),
    # What an observation says.
    ("held", np.int64, (5,)),
    ("color", np.int8, _GRID),  # of the cards of the others
    ("rank", np.int8, _GRID),
    ("color_told", np.int8, _GRID),
    ("rank_told", np.int8, _GRID),
    ("unseen", np.int64, _GRID),  # copies of each card in the deck or the own hand
    ("fireworks", np.int64, (5,)),
    ("reachable", np.int64, (5,)),  # the greatest height each firework can still have
    ("lowest", np.int64),  # the height of the lowest firework
    ("deck_size", np.int64),
    ("information", np.int64),
    ("lives", np.int64),
]
"""The fields, for the record type of a policy's block (`align=True`)."""


def sizes(game: Hanabi) -> dict[str, int]:
    """The fields that are the same in all positions of a game.

    Raises:
        ValueError: if the game's observations do not show what hints have told.
    """
    options = game.options
    if options["observation"] == "minimal":
        raise ValueError(f"{game.spec}: observations show no knowledge; say observation='card_knowledge'")
    seats, hand, colors, ranks = (options[key] for key in ("seats", "hand_size", "colors", "ranks"))
    return {
        **{key: options[key] for key in ("seats", "colors", "ranks", "hand_size", "information_tokens", "life_tokens")},
        "deck_most": sum(game.copies) * colors - seats * hand,
        "knowledge": game.observation_size - seats * hand * (colors * ranks + colors + ranks),
        "actions": game.actions,
    }


@jit
def read(m: Record, observation: Int8s) -> None:
    """Fill in what an observation says."""
    _read_board(m, observation)
    _read_knowledge(m, observation)


@jit
def count_ones(observation: Int8s, at: int, length: int) -> int:
    """How many ones there are in a section."""
    total = 0
    for i in range(length):
        total += observation[at + i]
    return total


@jit
def copies(m: Record, rank: int) -> int:
    """How many cards of this rank each color has."""
    if rank == 0:
        return 3
    return 1 if rank == m.ranks - 1 else 2


@jit
def _read_board(m: Record, observation: Int8s) -> None:
    """The others' hands, the deck, the fireworks, the tokens and the discards; then what follows from them."""
    kinds = m.colors * m.ranks
    for color in range(m.colors):
        for rank in range(m.ranks):
            m.unseen[color, rank] = copies(m, rank)
    for offset in range(1, m.seats):
        m.held[offset] = 0
        for slot in range(m.hand_size):
            at = ((offset - 1) * m.hand_size + slot) * kinds
            for card in range(kinds):
                if observation[at + card]:
                    color, rank = card // m.ranks, card % m.ranks
                    m.color[offset, slot], m.rank[offset, slot] = color, rank
                    m.held[offset] = slot + 1
                    m.unseen[color, rank] -= 1
    at = (m.seats - 1) * m.hand_size * kinds + m.seats
    m.deck_size = count_ones(observation, at, m.deck_most)
    at += m.deck_most
    fireworks = at
    at += kinds
    m.information = count_ones(observation, at, m.information_tokens)
    at += m.information_tokens
    m.lives = count_ones(observation, at, m.life_tokens)
    at += m.life_tokens
    m.lowest = m.ranks
    for color in range(m.colors):
        m.fireworks[color] = 0
        for rank in range(m.ranks):
            if observation[fireworks + color * m.ranks + rank]:
                m.fireworks[color] = rank + 1
        m.lowest = min(m.lowest, m.fireworks[color])
        m.reachable[color] = m.ranks
        for rank in range(m.ranks):
            gone = count_ones(observation, at, copies(m, rank))
            at += copies(m, rank)
            m.unseen[color, rank] -= gone + (1 if rank < m.fireworks[color] else 0)
            if rank >= m.fireworks[color] and gone == copies(m, rank):
                m.reachable[color] = min(m.reachable[color], rank)


@jit
def knowledge_at(m: Record, offset: int, slot: int) -> int:
    """Where the knowledge of a card begins."""
    return m.knowledge + (offset * m.hand_size + slot) * (m.colors * m.ranks + m.colors + m.ranks)


@jit
def _read_knowledge(m: Record, observation: Int8s) -> None:
    """What was told about every card, and how many cards the own hand has."""
    m.held[0] = 0
    for offset in range(m.seats):
        for slot in range(m.hand_size):
            at = knowledge_at(m, offset, slot)
            if offset == 0 and count_ones(observation, at, m.colors * m.ranks):
                m.held[0] = slot + 1
            at += m.colors * m.ranks
            m.color_told[offset, slot] = count_ones(observation, at, m.colors)
            m.rank_told[offset, slot] = count_ones(observation, at + m.colors, m.ranks)


@jit
def told_rank(m: Record, observation: Int8s, slot: int) -> int:
    """The rank that was told of an own card, or -1."""
    at = knowledge_at(m, 0, slot) + m.colors * m.ranks + m.colors
    for rank in range(m.ranks):
        if observation[at + rank]:
            return rank
    return -1


@jit
def told_color(m: Record, observation: Int8s, slot: int) -> int:
    """The color that was told of an own card, or -1."""
    at = knowledge_at(m, 0, slot) + m.colors * m.ranks
    for color in range(m.colors):
        if observation[at + color]:
            return color
    return -1


@jit
def playable_share(m: Record, observation: Int8s, slot: int) -> float:
    """The share of playable cards among an own card's candidates."""
    at = knowledge_at(m, 0, slot)
    total = playable = 0
    for color in range(m.colors):
        for rank in range(m.ranks):
            if observation[at + color * m.ranks + rank]:
                total += m.unseen[color, rank]
                if rank == m.fireworks[color]:
                    playable += m.unseen[color, rank]
    return playable / total if total > 0 else 0.0


@jit
def color_hint(m: Record, offset: int, color: int) -> int:
    """The action that tells a color."""
    return 2 * m.hand_size + (offset - 1) * m.colors + color


@jit
def rank_hint(m: Record, offset: int, rank: int) -> int:
    """The action that tells a rank."""
    return 2 * m.hand_size + (m.seats - 1) * m.colors + (offset - 1) * m.ranks + rank
