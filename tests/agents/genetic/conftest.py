"""A game in which it is known who must win: each seat names a number in turn, and the higher wins."""

import numpy as np
import pytest

from ludarium.envs import OVER, Game, kernel

NUMBERS = 8


class Higher(Game):
    name = "higher"
    actions = NUMBERS
    max_moves = 2
    observation_shape = (1,)
    symmetries = (range(NUMBERS),)
    state = np.dtype([("named", np.int8, (2,)), ("moves", np.int8)], align=True)

    @kernel
    def setup(s, o):
        return 0

    @kernel
    def turn(s):
        return OVER if s.moves == 2 else s.moves

    @kernel
    def legal(s, mask):
        for action in range(8):
            mask[action] = s.moves < 2
        return 8 * (s.moves < 2)

    @kernel
    def play(s, action):
        s.named[s.moves] = action
        s.moves += 1
        return 0

    @kernel
    def payoffs(s, out):
        result = 0
        if s.moves == 2:
            result = (s.named[0] > s.named[1]) - (s.named[0] < s.named[1])
        out[0], out[1] = result, -result
        return 0

    @kernel
    def observe(s, seat, out):
        out[0] = 0
        return 0


@pytest.fixture(scope="session")
def higher():
    return Higher()
