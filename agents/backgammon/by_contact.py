"""A player of backgammon made of two: one while checkers can still be hit, one for the race."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.pubeval import race_begun
from ludarium.envs import kernels
from ludarium.envs.kernels import Bytes, Int8s, Record
from ludarium.envs.opinions import Opinions
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_HEADER = np.dtype([("contact", np.int64), ("race", np.int64), ("race_block", np.int64)], align=True)
_HEADER_SIZE = _HEADER.itemsize  # the block of the player in contact follows, then the other's


def by_contact(contact: Policy, race: Policy) -> Policy:
    """The player that plays as `contact`, and in a race as `race`; both see the state alone."""
    assert contact.block is not None
    assert race.block is not None
    first = contact.block.view(np.uint8).reshape(-1)
    first = np.append(first, np.zeros(-len(first) % 8, dtype=np.uint8))
    numbers = (contact.compiled.address, race.compiled.address, _HEADER_SIZE + len(first))
    header = np.array([numbers], dtype=_HEADER).view(np.uint8)
    block = np.concatenate([header, first, race.block.view(np.uint8).reshape(-1)])

    def judge(position: Position, stream: NDArray[np.uint64]) -> Opinions | None:
        chosen = race if race_begun(position.data) else contact
        return chosen.judge(position, stream) if chosen.judge is not None else None

    return Policy(_by_contact, _HEADER, block, needs_state=True, judge=judge)


def _by_contact(game: Any, state: Bytes, observation: Int8s, mask: Int8s, block: Record, stream: Any) -> int:
    if race_begun(state):
        inner = kernels.advance(block, block.race_block)
        return kernels.call_policy(block.race, game, state, observation, mask, inner, stream)
    inner = kernels.advance(block, _HEADER_SIZE)
    return kernels.call_policy(block.contact, game, state, observation, mask, inner, stream)
