"""The clock of compiled code."""

import time

import numpy as np

from ludarium.envs.clock import clock_address, nanoseconds
from ludarium.envs.jit import jit


@jit
def readings(address, scratch, out):
    for i in range(len(out)):
        out[i] = nanoseconds(address, scratch)


def test_it_never_goes_back():
    out = np.zeros(10_000, dtype=np.int64)
    readings(clock_address(), np.zeros(2, dtype=np.int64), out)
    assert (np.diff(out) >= 0).all()
    assert out[-1] > out[0]


def test_it_is_the_clock_of_python():
    out = np.zeros(1, dtype=np.int64)
    readings(clock_address(), np.zeros(2, dtype=np.int64), out)  # compiled by now
    before = time.monotonic_ns()
    readings(clock_address(), np.zeros(2, dtype=np.int64), out)
    assert before <= out[0] <= time.monotonic_ns()
