"""Exact play of the last squares of Othello: a policy, and a record with which other policies do the same."""

from typing import Any

import numpy as np

from ludarium.agents.compiled import blocks
from ludarium.agents.othello.endgame.solver import SCRATCH, new_scratch, solve_endgame, table_bits
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import view
from ludarium.envs.othello import rules as othello
from ludarium.envs.policy import Policy

ENDGAME = np.dtype(
    [
        ("empties", np.int64),  # squares; from here on, Othello is played perfectly, if there is time
        ("slots", np.int64),  # of the table that follows this record: shape (slots, 3) uint64
        ("scratch", SCRATCH),
    ],
    align=True,
)
ENDGAME_SIZE = ENDGAME.itemsize


def fill_endgame(endgame: Any, game: Game, empties: int) -> None:
    """Fill in a record, shape (1,) of `ENDGAME`; a table of `table_slots` has to follow it."""
    endgame["empties"], endgame["slots"] = empties, table_slots(empties)
    endgame["scratch"] = new_scratch(game.options["size"], game.options["scoring"] != "discs")


def table_slots(empties: int) -> int:
    """The size of the table of an endgame; a slot has 24 bytes."""
    return 1 << table_bits(empties)


@jit
def is_endgame(state: Any, endgame: Any) -> bool:
    """Whether no more squares are empty than a record of `ENDGAME` says."""
    s = view(state, othello.STATE)
    return othello.popcount(s.board & ~(s.own | s.opponent)) <= endgame.empties


@jit
def solve(state: Any, endgame: Any) -> None:
    """Solve a position; the answer is in the record's scratch, see `solve_endgame`."""
    s = view(state, othello.STATE)
    most: Any = np.int64(s.size) * np.int64(s.size)
    table = blocks.table(endgame, ENDGAME_SIZE, np.uint64, (endgame.slots, 3))
    solve_endgame(s.own, s.opponent, -most, most, endgame.scratch, table)


def exact_endgame(game: Game, empties: int) -> Policy:
    """A policy that plays the last `empties` squares of Othello perfectly, for as many discs as possible.

    It always chooses the same among moves of the same value. Of earlier positions it returns -1, no action.
    """
    block = np.zeros(ENDGAME_SIZE + 24 * table_slots(empties), dtype=np.uint8)
    fill_endgame(block[:ENDGAME_SIZE].view(ENDGAME), game, empties)
    return Policy(_exact, ENDGAME, block, needs_state=True)


def _exact(game: Any, state: Any, observation: Any, mask: Any, endgame: Any, stream: Any) -> int:
    if not is_endgame(state, endgame):
        return -1
    solve(state, endgame)
    return endgame.scratch.best_move[0]
