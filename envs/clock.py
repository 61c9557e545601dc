"""The time, for compiled code: the C library's `clock_gettime`, called by its address."""

import ctypes
import time
from functools import cache
from typing import Any

from ludarium.envs.jit import jit
from ludarium.envs.kernels import function

_CLOCK, _BILLION = getattr(time, "CLOCK_MONOTONIC", 0), 1_000_000_000


@cache
def clock_address() -> int:
    """The address of the clock in this process, for `nanoseconds`; 0 on Windows, whose C library has no such clock."""
    if not hasattr(time, "CLOCK_MONOTONIC"):
        return 0
    return int(ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value or 0)


_read = function("ip")
"""`_read(address, clock, out)`: call `clock_gettime`."""


@jit
def nanoseconds(address: int, scratch: Any) -> int:
    """The time that has passed since some fixed moment, whatever happens to the system's clock.

    Args:
        address: `clock_address()`.
        scratch: a C array or array of two int64.
    """
    _read(address, _CLOCK, scratch)
    return scratch[0] * _BILLION + scratch[1]
