"""Hash tables with open addressing, for compiled learners that store what they know by position.

A table is an array of 64-bit hashes, 0 where a slot is empty; its length is a power of two, and whoever fills it must
leave some slots empty. It does not hold the positions: the chance that any two among a million positions share a hash
is 3 in 100 million.
"""

from typing import Any

import numpy as np

from ludarium.envs.chance import mix
from ludarium.envs.jit import jit

EMPTY = np.uint64(0)
"""The key of an empty slot."""


@jit
def hash_state(state: Any) -> Any:
    """The hash of a state's words (shape (words,) uint64), never `EMPTY`."""
    key = np.uint64(0)
    for word in state:
        key = mix(key ^ word)
    return key if key != EMPTY else np.uint64(1)


@jit
def find(keys: Any, key: Any) -> int:
    """The slot of a table (shape (slots,) uint64) that holds a key, or the empty one where it belongs."""
    last = len(keys) - 1
    slot: Any = np.int64(key & np.uint64(last))
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & last
    return slot
