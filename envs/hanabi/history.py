"""The public past of a game of Hanabi as its record keeps it: two numbers for each move.

`history[i]` is the action of move i, and its outcome: for a hint, the slots that it touched, as bits; for a play or a
discard, the card, plus `SCORED` if it went onto its firework, plus `TOKEN` if that won back a token. Who moved is not
kept: seats move in turn, the last move being that of the seat before `seat`. Chance is not kept either: the cards drawn
since are in the hands of others, or in one's own, unseen.
"""

import numpy as np

from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record

MAX_MOVES = 113
"""The longest game: two seats with one card each, and 16 information tokens."""
SCORED, TOKEN = 32, 64

HISTORY = [("moves", np.int8), ("history", np.int8, (MAX_MOVES, 2))]
"""Fields of the game's record: the number of moves so far, and the moves."""


@jit
def remember(s: Record, action: int) -> None:
    """Add the last move."""
    if s.moves < MAX_MOVES:
        s.history[s.moves, 0] = action
        s.history[s.moves, 1] = s.last_touched if action >= 2 * s.hand_size else outcome(s)
        s.moves += 1


@jit
def outcome(s: Record) -> int:
    """The outcome of the last move, which was a play or a discard."""
    return s.last_color * s.ranks + s.last_rank + SCORED * s.last_scored + TOKEN * s.last_token
