"""A compiled policy that errs: now and then it plays at random."""

from typing import Any

import numpy as np

from ludarium.agents.compiled.random_legal import random_action
from ludarium.envs import kernels
from ludarium.envs.chance import uniform
from ludarium.envs.kernels import Bytes, Int8s, Record
from ludarium.envs.policy import Policy

_HEADER = np.dtype([("function", np.int64), ("probability", np.float64)], align=True)
_HEADER_SIZE = _HEADER.itemsize  # the wrapped policy's block follows


def noisy_policy(policy: Policy, probability: float) -> Policy:
    """The policy, with each move replaced by a uniformly random legal one with a probability from 0 to 1."""
    assert policy.block is not None
    header = np.array([(policy.compiled.address, probability)], dtype=_HEADER)
    block = np.concatenate([header.view(np.uint8), policy.block.view(np.uint8).reshape(-1)])
    return Policy(_noisy, _HEADER, block, policy.needs_state, policy.needs_observation, policy.needs_view)


def _noisy(game: Any, state: Bytes, observation: Int8s, mask: Int8s, block: Record, stream: Any) -> int:
    if uniform(stream) < block.probability:
        return random_action(game, mask, stream)
    inner = kernels.advance(block, _HEADER_SIZE)
    return kernels.call_policy(block.function, game, state, observation, mask, inner, stream)
