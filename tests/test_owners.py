from pathlib import Path

import pytest

from ludarium.agents.compiled import blocks
from ludarium.envs.source_file import load_source

OWNERS = load_source(str(Path(__file__).with_name("owners.py")), "owners")
HEADER = """
from typing import Any, NamedTuple
import numpy as np
from ludarium.agents.compiled.blocks import table
from ludarium.envs import kernels
from ludarium.envs.kernels import Record, advance, local, pointer, view

STATE = np.dtype([("phase", np.int64)])

class Pair(NamedTuple):
    one: Any
    two: Any

def part(m: Any, i: int) -> Any:
    return view(advance(m, 8 * i), STATE)

def both(m: Any) -> Any:
    return Pair(part(m, 0), m)

def count(m: Any) -> int:
    s = part(m, 0)
    return s.phase
"""
MEMORY_OF_ITS_OWN = (
    "s = view(np.zeros(8), STATE)",
    "state = np.zeros(8); s = view(state, STATE); state[0] = 1",
    "state = given.copy(); use(kernels.address(state[1:]))",
    "a, (state, b) = given, (np.zeros(8), 1); s = pointer(state, 0)",
    "state = np.zeros(8) if given else given; s = part(state, 1)",
    "for row in np.zeros((2, 8)): use(part(row, 0))",
    "pair = Pair(np.zeros(8), given); s = view(pair.one, STATE)",
    "pair = both(np.zeros(8)); s = pair.one",
    "cells = table(np.zeros(8), 0, np.int64, (1,))",
)
SAFE = (
    "s = view(given, STATE); s.phase = 1",
    "s = local(STATE); use(advance(s, 0))",
    "rows, s = given[1:], view(given[0], STATE)",
    "state = np.zeros(8); use(state); state[0] = count(state)",
    "pair = Pair(given, np.zeros(8)._anything); use(both(given).two)",
)


def faults(tmp_path, function):
    file = tmp_path / "loops.py"
    file.write_text(HEADER + function)
    return OWNERS.faults([blocks, load_source(str(file), "loops")])


@pytest.mark.parametrize("body", MEMORY_OF_ITS_OWN)
def test_a_function_that_looks_into_memory_of_its_own_is_found(tmp_path, body):
    (fault,) = faults(tmp_path, f"def wrong(given: Any) -> None:\n    {body}\n")
    assert "wrong looks into memory that it made, in " in fault


@pytest.mark.parametrize("body", SAFE)
def test_a_function_that_looks_into_what_it_is_given_is_not(tmp_path, body):
    assert faults(tmp_path, f"def right(given: Any) -> None:\n    {body}\n") == []


@pytest.mark.parametrize("result", ["s", "view(s, STATE)", "Pair(1, s)", "part(s, 0)"])
def test_a_local_record_must_not_be_returned(tmp_path, result):
    (fault,) = faults(tmp_path, f"def wrong() -> Record:\n    s = local(STATE)\n    return {result}\n")
    assert "wrong returns a record that ends with it" in fault
    assert faults(tmp_path, "def right() -> int:\n    s = local(STATE)\n    return s.phase\n") == []
