"""Exact Othello endgames: alpha-beta over bitboards, to the last disc.

Principal variation search with a transposition table; `endgame.order` sorts the moves, `endgame.stability` bounds the
scores, and `endgame.last` takes over for the last squares. The tree is walked with an explicit stack, because compiled
functions that call themselves cannot be cached on disk.

From Python: `solve(position)`. From compiled code: `solve_endgame`, with a `SCRATCH` record and a table of its own.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.othello.endgame.boards import ONE, ZERO, Squares, count, flips
from ludarium.agents.othello.endgame.last import LAST, score, solve_last
from ludarium.agents.othello.endgame.order import move_in, sort_moves
from ludarium.agents.othello.endgame.stability import highest_score
from ludarium.agents.othello.endgame.vectors import mobility
from ludarium.envs.clock import clock_address, nanoseconds
from ludarium.envs.jit import jit
from ludarium.envs.kernels import lowest
from ludarium.envs.othello.rules import EMPTIES_TO_WINNER, WINS
from ludarium.envs.position import Position

_PLIES, _MOVES = 128, 64  # a disc and a pass for every square; no position has more moves than squares
SCRATCH = np.dtype(
    [
        # the task; sets of squares are laid out as `endgame.boards` has them
        ("board", np.uint64),
        ("corners", np.uint64),
        ("rim", np.uint64),
        ("sides", np.uint64),  # the first and the last column
        ("ends", np.uint64),  # the first and the last row
        ("quadrant", np.uint64, (64,)),  # of each square
        ("squares", np.int64),
        ("size", np.int64),
        ("empties_to_winner", np.int64),
        ("limit", np.int64),  # give up after about this many nodes; 0: never
        ("budget", np.int64),  # … or nanoseconds; 0: never
        ("clock", np.int64),  # see `clock.nanoseconds`
        # the answer
        ("nodes", np.int64),
        ("finished", np.int64),  # 0 if it gave up
        ("spent", np.int64),  # nanoseconds; only with a budget
        ("best_move", np.int64, (_PLIES,)),  # [0] is the answer; `squares` is the pass, -1 no move
        # the stack: one entry a ply
        ("own", np.uint64, (_PLIES,)),
        ("opponent", np.uint64, (_PLIES,)),
        ("odd", np.uint64, (_PLIES,)),  # the quadrants with an odd number of empty squares
        ("slot", np.int64, (_PLIES,)),  # in the table; -1: it is not used here
        ("alpha", np.int64, (_PLIES,)),
        ("beta", np.int64, (_PLIES,)),
        ("lowest", np.int64, (_PLIES,)),  # alpha on entry
        ("best", np.int64, (_PLIES,)),
        ("count", np.int64, (_PLIES,)),  # moves
        ("current", np.int64, (_PLIES,)),  # the move that is being searched
        ("scout", np.int64, (_PLIES,)),  # with a null window?
        ("move", np.int64, (_PLIES, _MOVES)),  # with its key: see `endgame.order`
        # a small stack, for the last squares (position n has n empty ones) and for looking ahead
        ("small_own", np.uint64, (LAST + 1,)),
        ("small_opponent", np.uint64, (LAST + 1,)),
        ("small_left", np.uint64, (LAST + 1,)),  # not tried yet
        ("small_odd", np.uint64, (LAST + 1,)),
        ("small_alpha", np.int64, (LAST + 1,)),
        ("small_beta", np.int64, (LAST + 1,)),
        ("small_best", np.int64, (LAST + 1,)),
        ("small_sign", np.int64, (LAST + 1,)),
        ("generation", np.uint64),  # counts the searches: entries of earlier ones are void
        ("pause", np.int64),  # the number of nodes at which to look whether a limit is reached
        ("started", np.int64),
        ("now", np.int64, (2,)),
    ],
    align=True,
)
TABLE_BITS = 17  # of `new_table`, unless it is told; `table_bits` knows better

_PASS = 64
_TABLE_EMPTIES = 8  # nodes with at least this many empty squares use the table
_ENHANCED_EMPTIES = 10  # … and with this many, look up their moves first
_OPEN = 127  # not a score: the node has moves to search
_NOTHING = -127
_PATIENCE = 10_000  # nodes between two looks at the clock
_BILLION, _NEVER = 10**9, 2**62
_BYTE = np.uint64(255)
_SHIFT_LOWER, _SHIFT_UPPER, _SHIFT_GENERATION = np.uint64(8), np.uint64(16), np.uint64(24)
_A, _B, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03), np.uint64(32)


class Solution(NamedTuple):
    """What `solve` finds.

    Attributes:
        score: the payoff for the side to move.
        action: a best action; -1 at the end.
        nodes: the positions visited.
        finished: whether it had the time; otherwise the score means nothing.
    """

    score: int
    action: int
    nodes: int
    finished: bool


def solve(position: Position, *, above: int | None = None, below: int | None = None, seconds: float = 0.0) -> Solution:
    """Solve an Othello position of any board size; 16 empty squares take some 10 ms, 20 about 0.3 s, 24 some 10 s.

    The score is the payoff of the side to move as the game's `scoring` counts it; `"wins"` is the fastest.

    Args:
        position: the position.
        above: it is known that the score is greater than this, which saves time; None: nothing is known.
        below: the same for less.
        seconds: how long it may take, but always as long as ten thousand positions; 0 for no limit.

    Raises:
        ValueError: if it is not a position of Othello.
    """
    game, record = position.game, position.record
    if game.name != "othello":
        raise ValueError(f"othello endgame: expected a position of othello, not of {position.game.spec}")
    scratch = new_scratch(game.options["size"], record.scoring == EMPTIES_TO_WINNER)
    limit = 1 if record.scoring == WINS else game.options["size"] ** 2
    own, opponent = np.uint64(record.own), np.uint64(record.opponent)
    table = new_table(table_bits(game.options["size"] ** 2 - (int(own) | int(opponent)).bit_count()))
    scratch["budget"] = math.ceil(_BILLION * seconds)
    window = -limit if above is None else above, limit if below is None else below
    value = int(solve_endgame(own, opponent, *window, scratch[0], table))
    return solution_in(scratch)._replace(score=max(-limit, min(limit, value)))


def solution_in(scratch: np.ndarray[Any, np.dtype[np.void]]) -> Solution:
    """What `solve_endgame` has left in its scratch, shape (1,), for a position that is not over."""
    score, action, nodes, finished = (int(scratch[n].flat[0]) for n in ("best", "best_move", "nodes", "finished"))
    return Solution(score, action, nodes, bool(finished))


def new_scratch(size: int, empties_to_winner: bool) -> np.ndarray[Any, np.dtype[np.void]]:
    """Scratch for `solve_endgame` on a board of `size`, shape (1,) of `SCRATCH`."""
    scratch = np.zeros(1, dtype=SCRATCH)
    rows, columns = np.divmod(np.arange(64), 8)
    board = (rows < size) & (columns < size)
    ends, sides = rows % (size - 1) == 0, columns % (size - 1) == 0
    quadrant_of = 2 * (rows >= size // 2) + (columns >= size // 2)

    def squares(chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        return sum(1 << int(square) for square in np.flatnonzero(chosen & board))

    scratch["board"], scratch["corners"], scratch["rim"] = squares(board), squares(ends & sides), squares(ends | sides)
    scratch["ends"], scratch["sides"] = squares(ends), squares(sides)
    quadrants = [squares(quadrant_of == i) for i in range(4)]
    scratch["quadrant"] = [[quadrants[i] for i in quadrant_of]]
    scratch["squares"], scratch["size"], scratch["empties_to_winner"] = size * size, size, empties_to_winner
    scratch["clock"] = clock_address()
    return scratch


def table_bits(empties: int) -> int:
    """The size of table that pays, for `new_table`, by the number of empty squares: 400 kB up to 14, 50 MB from 21."""
    return max(14, min(21, empties))


def new_table(bits: int = TABLE_BITS) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A transposition table, shape (2 ** bits, 3) uint64: own, opponent, and bounds, move and generation packed."""
    return np.zeros((1 << bits, 3), dtype=np.uint64)


@jit
def solve_endgame(own: Squares, opponent: Squares, alpha: int, beta: int, s: Any, table: Any) -> Any:
    """The exact score of a position for the side to move, if it lies between `alpha` and `beta`, otherwise a bound.

    Args:
        own: discs of the side to move.
        opponent: discs of the other side.
        alpha: scores up to this are all the same to the caller.
        beta: scores from this on are all the same, too.
        s: a `SCRATCH` record from `new_scratch`; it then holds `best_move[0]`, `nodes`, `finished` and `spent`. If it
            gave up at a limit, the result means nothing, and the move is the best so far, or -1.
        table: see `new_table`. What it holds from earlier searches with the same `s` has no influence.
    """
    s.generation += ONE
    s.nodes, s.finished, s.best_move[0] = 0, 1, -1
    s.started = nanoseconds(s.clock, s.now) if s.budget else 0
    _set_pause(s)
    s.own[0], s.opponent[0], s.alpha[0], s.beta[0] = _spread(own, s.size), _spread(opponent, s.size), alpha, beta
    s.odd[0], empty = ZERO, s.board & ~(s.own[0] | s.opponent[0])
    while empty:
        s.odd[0] ^= s.quadrant[lowest(empty)]
        empty &= empty - ONE
    ply = 0
    value = _enter(s, table, ply)
    while value == _OPEN or ply > 0:
        if s.nodes >= s.pause and _exhausted(s):
            s.finished = 0
            break
        if value == _OPEN:
            _descend(s, ply)
            ply += 1
            value = _enter(s, table, ply)
        else:
            ply -= 1
            value = _take(s, table, ply, -value)
    s.best_move[0] = _action(s.best_move[0], s.size)
    s.spent = nanoseconds(s.clock, s.now) - s.started if s.budget else 0
    return value


@jit
def _exhausted(s: Any) -> bool:
    """Whether a limit is reached; if not, this sets the number of nodes at which to ask again."""
    if (s.limit and s.nodes >= s.limit) or (s.budget and nanoseconds(s.clock, s.now) >= s.started + s.budget):
        return True
    _set_pause(s)
    return False


@jit
def _set_pause(s: Any) -> None:
    s.pause = min(s.limit if s.limit else _NEVER, s.nodes + _PATIENCE if s.budget else _NEVER)


@jit
def _spread(squares: Squares, size: int) -> Squares:
    """Lay the rows of a board out as rows of eight."""
    spread, row, step = ZERO, (ONE << np.uint64(size)) - ONE, np.uint64(size)
    for i in range(size):
        spread |= ((squares >> (np.uint64(i) * step)) & row) << np.uint64(8 * i)
    return spread


@jit
def _action(move: int, size: int) -> Any:
    """The action for a move on 8 × 8."""
    if move == _PASS:
        return size * size
    return move if move < 0 else (move >> 3) * size + (move & 7)


@jit
def _enter(s: Any, table: Any, ply: int) -> Any:
    """Begin a node; return its score if it is known at once, otherwise `_OPEN`, with its moves on the stack."""
    own, opponent, alpha, beta = s.own[ply], s.opponent[ply], s.alpha[ply], s.beta[ply]
    empty = s.board & ~(own | opponent)
    empties = count(empty)
    if empties <= LAST and ply > 0:
        return solve_last(s, own, opponent, empty, s.odd[ply], alpha, beta)
    s.nodes += 1
    if ply > 0 and alpha >= max(2 * (empties - 4), s.squares - 2 * count(opponent)):  # else it can hardly be enough
        highest = highest_score(s, opponent, empty)
        if highest <= alpha:
            return highest
    hint: Any = -1
    s.slot[ply] = -1
    if empties >= _TABLE_EMPTIES:
        s.slot[ply] = slot = _slot(table, own, opponent)
        if _holds(s, table, slot, own, opponent):
            entry = table[slot, 2]
            lower, upper = np.int64((entry >> _SHIFT_LOWER) & _BYTE) - 128, _upper(entry)
            if lower >= beta or lower == upper:
                return lower
            if upper <= alpha:
                return upper
            hint = np.int64(entry & _BYTE)
    s.best[ply], s.best_move[ply], s.lowest[ply] = _NOTHING, -1, alpha
    s.current[ply] = s.scout[ply] = 0
    moves = mobility(own, opponent, empty)
    if moves == ZERO:
        if mobility(opponent, own, empty) == ZERO:
            return score(s, own, opponent)
        s.count[ply], s.move[ply, 0] = 1, _PASS
        return _OPEN
    if empties >= _ENHANCED_EMPTIES and ply > 0:
        value = _refuted(s, table, own, opponent, moves, beta)
        if value >= beta:
            return value
    sort_moves(s, ply, empty, moves, hint)
    return _OPEN


@jit
def _descend(s: Any, ply: int) -> None:
    """Put the position after the current move on the stack."""
    own, opponent, move = s.own[ply], s.opponent[ply], move_in(s.move[ply, s.current[ply]])
    if move == _PASS:
        s.own[ply + 1], s.opponent[ply + 1], s.odd[ply + 1] = opponent, own, s.odd[ply]
    else:
        turned = flips(move, own, opponent)
        s.own[ply + 1], s.opponent[ply + 1] = opponent ^ turned, own | turned | (ONE << move)
        s.odd[ply + 1] = s.odd[ply] ^ s.quadrant[move]
    s.alpha[ply + 1] = -s.alpha[ply] - 1 if s.scout[ply] else -s.beta[ply]
    s.beta[ply + 1] = -s.alpha[ply]


@jit
def _take(s: Any, table: Any, ply: int, value: int) -> Any:
    """Take the current move's value; return the node's score if the node is done, otherwise `_OPEN`."""
    current = s.current[ply]
    again = s.scout[ply] and s.alpha[ply] < value < s.beta[ply]
    if value > s.best[ply]:
        s.best[ply], s.best_move[ply] = value, np.int64(move_in(s.move[ply, current]))
    s.alpha[ply] = max(s.alpha[ply], value)
    if s.alpha[ply] < s.beta[ply]:
        if again:  # the scout only found a lower bound
            s.scout[ply] = 0
            return _OPEN
        if current + 1 < s.count[ply]:
            s.current[ply] = current + 1
            s.scout[ply] = 1
            return _OPEN
    if s.slot[ply] >= 0:
        _store(s, table, ply)
    return s.best[ply]


# --- the table --------------------------------------------------------------------------------------------------------


@jit
def _slot(table: Any, own: Squares, opponent: Squares) -> Any:
    mixed = (own * _A) ^ (opponent * _B)
    mixed ^= mixed >> _HALF
    return np.int64((mixed * _A) >> _HALF) & (table.shape[0] - 1)


@jit
def _holds(s: Any, table: Any, slot: int, own: Squares, opponent: Squares) -> Any:
    """Is the slot's entry that of this position, and of this search?"""
    if table[slot, 0] != own or table[slot, 1] != opponent:
        return False
    return table[slot, 2] >> _SHIFT_GENERATION == s.generation


@jit
def _upper(entry: Any) -> Any:
    return np.int64((entry >> _SHIFT_UPPER) & _BYTE) - 128


@jit
def _store(s: Any, table: Any, ply: int) -> None:
    best, slot = s.best[ply], s.slot[ply]
    lower = best if best > s.lowest[ply] else -127
    upper = best if best < s.beta[ply] else 127
    table[slot, 0], table[slot, 1] = s.own[ply], s.opponent[ply]
    table[slot, 2] = (
        np.uint64(s.best_move[ply])
        | np.uint64(lower + 128) << _SHIFT_LOWER
        | np.uint64(upper + 128) << _SHIFT_UPPER
        | s.generation << _SHIFT_GENERATION
    )


@jit
def _refuted(s: Any, table: Any, own: Squares, opponent: Squares, moves: Squares, beta: int) -> Any:
    """A score of at least `beta` that the table promises for a move, if there is one: otherwise less than `beta`.

    Enhanced transposition cutoff (Plaat, Schaeffer, Pijls & de Bruin 1996).
    """
    while moves:
        square = lowest(moves)
        moves ^= ONE << square
        turned = flips(square, own, opponent)
        after, mine = opponent ^ turned, own | turned | (ONE << square)
        slot = _slot(table, after, mine)
        if _holds(s, table, slot, after, mine) and -_upper(table[slot, 2]) >= beta:
            return -_upper(table[slot, 2])
    return _NOTHING
