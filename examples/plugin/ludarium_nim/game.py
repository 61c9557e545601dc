"""Nim: heaps of 3, 4 and 5 pieces; take any number from one heap; whoever takes the last piece wins.

Action 5 h + n takes n + 1 pieces from heap h.
"""

import numpy as np

from ludarium.envs import OVER, Game, kernel
from ludarium.envs.kernels import Floats, Int8s, Record

HEAPS, LARGEST = 3, 5


class Nim(Game):
    """Nim with three heaps."""

    name = "nim"
    title = "Nim"
    actions = HEAPS * LARGEST
    max_moves = 3 + 4 + 5
    observation_shape = (HEAPS,)
    observation_range = (0, LARGEST)
    symmetries = (range(HEAPS * LARGEST),)
    state = np.dtype([("heaps", np.int8, (HEAPS,)), ("mover", np.int8)], align=True)

    @kernel
    def setup(s: Record, o: Record) -> int:
        """Heaps of 3, 4 and 5."""
        for heap in range(HEAPS):
            s.heaps[heap] = 3 + heap
        return 0

    @kernel
    def turn(s: Record) -> int:
        """The seats alternate until nothing is left."""
        return s.mover if s.heaps[0] + s.heaps[1] + s.heaps[2] > 0 else OVER

    @kernel
    def legal(s: Record, mask: Int8s) -> int:
        """Any number of the pieces that a heap has."""
        count = 0
        for action in range(HEAPS * LARGEST):
            mask[action] = action % LARGEST < s.heaps[action // LARGEST]
            count += mask[action]
        return count

    @kernel
    def play(s: Record, action: int) -> int:
        """Take pieces."""
        s.heaps[action // LARGEST] -= action % LARGEST + 1
        s.mover = 1 - s.mover
        return 0

    @kernel
    def payoffs(s: Record, out: Floats) -> int:
        """1 for the side that took the last piece, -1 for the other."""
        over = s.heaps[0] + s.heaps[1] + s.heaps[2] == 0
        out[s.mover], out[1 - s.mover] = -1.0 * over, 1.0 * over
        return 0

    @kernel
    def observe(s: Record, seat: int, out: Int8s) -> int:
        """The heaps."""
        for heap in range(HEAPS):
            out[heap] = s.heaps[heap]
        return 0
