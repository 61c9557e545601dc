"""Recursion for compiled code: Numba keeps no function on disk that calls itself; here each depth has its own copy."""

from types import FunctionType
from typing import Any

from ludarium.envs.jit import jit


def unroll(function: Any, bottom: Any, copies: int) -> list[Any]:
    """Compiled copies of a function that calls `_below`: the first calls `bottom`, each other the one before it."""
    found = [bottom]
    for n in range(1, copies + 1):
        names = {**function.__globals__, "_below": found[-1]}
        found.append(jit(FunctionType(function.__code__, names, f"{function.__name__}_{n}")))
    return found[1:]
