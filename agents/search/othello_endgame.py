"""Exact Othello endgames: alpha-beta over bitboards, to the last disc.

Principal variation search with moves ordered fastest first (fewest replies for the other side; corners and odd regions
before others) and a transposition table; the last four empty squares have their own code. The tree is walked with an
explicit stack, because compiled functions that call themselves cannot be cached on disk.

From Python: `solve(position)`. From compiled code: `solve_endgame`, with a `SCRATCH` record and a table of its own.
"""

from typing import Any, NamedTuple

import numpy as np

from ludarium.envs.jit import jit
from ludarium.envs.othello.rules import EMPTIES_TO_WINNER, WINS, Squares, first, flips, mobility, popcount, score
from ludarium.envs.position import Position

_PLIES, _MOVES = 128, 64  # a disc and a pass for every square; no position has more moves than squares
SCRATCH = np.dtype(
    [
        # the task
        ("board", np.uint64),
        ("inner", np.uint64),
        ("corners", np.uint64),
        ("quadrants", np.uint64, (4,)),
        ("squares", np.int64),
        ("size", np.int64),
        ("empties_to_winner", np.int64),
        # the answer
        ("nodes", np.int64),
        ("best_move", np.int64, (_PLIES,)),  # [0] is the answer; `squares` is the pass, -1 no move
        # the stack: one entry a ply
        ("own", np.uint64, (_PLIES,)),
        ("opponent", np.uint64, (_PLIES,)),
        ("alpha", np.int64, (_PLIES,)),
        ("beta", np.int64, (_PLIES,)),
        ("lowest", np.int64, (_PLIES,)),  # alpha on entry
        ("best", np.int64, (_PLIES,)),
        ("count", np.int64, (_PLIES,)),  # moves
        ("current", np.int64, (_PLIES,)),  # the move that is being searched
        ("scout", np.int64, (_PLIES,)),  # with a null window?
        ("move", np.int64, (_PLIES, _MOVES)),
        ("move_own", np.uint64, (_PLIES, _MOVES)),  # the boards after it, as the other side sees them
        ("move_opponent", np.uint64, (_PLIES, _MOVES)),
        ("key", np.int64, (_MOVES,)),
        ("generation", np.uint64),  # counts the searches: entries of earlier ones are void
    ],
    align=True,
)
TABLE_BITS = 17

_TABLE_EMPTIES = 7  # nodes with at least this many empty squares use the table …
_SORT_EMPTIES = 7  # … and order their moves by the replies they leave to the other side
_LAST = 4  # with at most this many, the code for the last squares takes over
_OPEN = 127  # not a score: the node has moves to search
_NOTHING = -127
_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(255)
_SHIFT_LOWER, _SHIFT_UPPER, _SHIFT_GENERATION = np.uint64(8), np.uint64(16), np.uint64(24)
_A, _B, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03), np.uint64(32)


class Solution(NamedTuple):
    """What `solve` finds: the payoff for the side to move, a best action (-1 at the end), and the positions visited."""

    score: int
    action: int
    nodes: int


def solve(position: Position) -> Solution:
    """Solve an Othello position of any board size; 16 empty squares take about 10 ms, 20 about a second.

    The score is the payoff of the side to move as the game's `scoring` counts it; `"wins"` is the fastest.

    Raises:
        ValueError: if it is not a position of Othello.
    """
    game, record = position.game, position.record
    if game.name != "othello":
        raise ValueError(f"othello endgame: expected a position of othello, not {position!r}")
    scratch = new_scratch(game.options["size"], record.scoring == EMPTIES_TO_WINNER)
    limit = 1 if record.scoring == WINS else game.options["size"] ** 2
    own, opponent = np.uint64(record.own), np.uint64(record.opponent)
    value = int(solve_endgame(own, opponent, -limit, limit, scratch[0], new_table()))
    return Solution(max(-limit, min(limit, value)), int(scratch["best_move"][0, 0]), int(scratch["nodes"][0]))


def new_scratch(size: int, empties_to_winner: bool) -> np.ndarray[Any, np.dtype[np.void]]:
    """Scratch for `solve_endgame` on a board of `size`, shape (1,) of `SCRATCH`."""
    scratch = np.zeros(1, dtype=SCRATCH)
    rows, columns = np.divmod(np.arange(size * size), size)

    def squares(chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        return sum(1 << int(square) for square in np.flatnonzero(chosen))

    edge_row, edge_column = (rows % (size - 1) == 0), (columns % (size - 1) == 0)
    scratch["board"], scratch["inner"] = squares(rows >= 0), squares(~edge_column)
    scratch["corners"] = squares(edge_row & edge_column)
    quadrant = 2 * (rows >= size // 2) + (columns >= size // 2)
    scratch["quadrants"] = [[squares(quadrant == i) for i in range(4)]]
    scratch["squares"], scratch["size"], scratch["empties_to_winner"] = size * size, size, empties_to_winner
    return scratch


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
        s: a `SCRATCH` record from `new_scratch`; it then holds `best_move[0]` and `nodes`.
        table: see `new_table`. What it holds from earlier searches has no influence.
    """
    s.generation += _ONE
    s.nodes = 0
    s.own[0], s.opponent[0], s.alpha[0], s.beta[0] = own, opponent, alpha, beta
    ply = 0
    value = _enter(s, table, ply)
    while True:
        if value == _OPEN:
            _descend(s, ply)
            ply += 1
            value = _enter(s, table, ply)
        elif ply == 0:
            return value
        else:
            ply -= 1
            value = _take(s, table, ply, -value)


@jit
def _enter(s: Any, table: Any, ply: int) -> Any:
    """Begin a node; return its score if it is known at once, otherwise `_OPEN`, with its moves on the stack."""
    own, opponent = s.own[ply], s.opponent[ply]
    empty = s.board & ~(own | opponent)
    empties = popcount(empty)
    if empties <= _LAST and ply > 0:
        return _last(s, own, opponent, empty, empties, s.alpha[ply], s.beta[ply])
    s.nodes += 1
    s.best[ply], s.best_move[ply] = _NOTHING, -1
    s.lowest[ply] = s.alpha[ply]
    s.current[ply] = s.scout[ply] = 0
    moves = empty & mobility(own, opponent, s.size, s.inner)
    if moves == _ZERO:
        if empty & mobility(opponent, own, s.size, s.inner) == _ZERO:
            return score(own, opponent, s.empties_to_winner, s.squares)
        s.count[ply], s.move[ply, 0] = 1, s.squares
        s.move_own[ply, 0], s.move_opponent[ply, 0] = opponent, own
        return _OPEN
    hint: Any = -1
    if empties >= _TABLE_EMPTIES:
        entry = table[_slot(table, own, opponent)]
        if entry[0] == own and entry[1] == opponent and entry[2] >> _SHIFT_GENERATION == s.generation:
            lower = np.int64((entry[2] >> _SHIFT_LOWER) & _BYTE) - 128
            upper = np.int64((entry[2] >> _SHIFT_UPPER) & _BYTE) - 128
            if lower >= s.beta[ply] or lower == upper:
                return lower
            if upper <= s.alpha[ply]:
                return upper
            hint = np.int64(entry[2] & _BYTE)
    if empties >= _SORT_EMPTIES:
        _sorted_moves(s, ply, moves, _odd(s, empty), hint)
    else:
        odd = _odd(s, empty)
        s.count[ply] = 0
        _add_moves(s, ply, moves & odd)
        _add_moves(s, ply, moves & ~odd)
    return _OPEN


@jit
def _descend(s: Any, ply: int) -> None:
    """Put the position after the current move on the stack."""
    current = s.current[ply]
    s.own[ply + 1], s.opponent[ply + 1] = s.move_own[ply, current], s.move_opponent[ply, current]
    s.alpha[ply + 1] = -s.alpha[ply] - 1 if s.scout[ply] else -s.beta[ply]
    s.beta[ply + 1] = -s.alpha[ply]


@jit
def _take(s: Any, table: Any, ply: int, value: int) -> Any:
    """Take the current move's value; return the node's score if the node is done, otherwise `_OPEN`."""
    current = s.current[ply]
    again = s.scout[ply] and s.alpha[ply] < value < s.beta[ply]
    if value > s.best[ply]:
        s.best[ply], s.best_move[ply] = value, s.move[ply, current]
    s.alpha[ply] = max(s.alpha[ply], value)
    if s.alpha[ply] < s.beta[ply]:
        if again:  # the scout only found a lower bound
            s.scout[ply] = 0
            return _OPEN
        if current + 1 < s.count[ply]:
            s.current[ply] = current + 1
            s.scout[ply] = 1
            return _OPEN
    _store(s, table, ply)
    return s.best[ply]


@jit
def _store(s: Any, table: Any, ply: int) -> None:
    own, opponent, best = s.own[ply], s.opponent[ply], s.best[ply]
    if popcount(s.board & ~(own | opponent)) < _TABLE_EMPTIES:
        return
    lower = best if best > s.lowest[ply] else -127
    upper = best if best < s.beta[ply] else 127
    entry = table[_slot(table, own, opponent)]
    entry[0], entry[1] = own, opponent
    entry[2] = (
        np.uint64(s.best_move[ply])
        | np.uint64(lower + 128) << _SHIFT_LOWER
        | np.uint64(upper + 128) << _SHIFT_UPPER
        | s.generation << _SHIFT_GENERATION
    )


@jit
def _slot(table: Any, own: Squares, opponent: Squares) -> Any:
    mixed = (own * _A) ^ (opponent * _B)
    mixed ^= mixed >> _HALF
    return np.int64((mixed * _A) >> _HALF) & (table.shape[0] - 1)


# --- the order of moves ----------------------------------------------------------------------------------------------


@jit
def _odd(s: Any, empty: Squares) -> Squares:
    """The quadrants with an odd number of empty squares: whoever plays there first tends to play there last."""
    odd = _ZERO
    for i in range(4):
        if popcount(empty & s.quadrants[i]) & 1:
            odd |= s.quadrants[i]
    return odd


@jit
def _add_moves(s: Any, ply: int, moves: Squares) -> None:
    own, opponent, count = s.own[ply], s.opponent[ply], s.count[ply]
    while moves:
        square = moves & (~moves + _ONE)
        moves ^= square
        turned = flips(square, own, opponent, s.size, s.inner)
        s.move[ply, count] = first(square)
        s.move_own[ply, count], s.move_opponent[ply, count] = opponent & ~turned, own | turned | square
        count += 1
    s.count[ply] = count


@jit
def _sorted_moves(s: Any, ply: int, moves: Squares, odd: Squares, hint: int) -> None:
    """Insertion sort by the other side's replies; the table's move comes first."""
    s.count[ply] = 0
    _add_moves(s, ply, moves)
    for i in range(s.count[ply]):
        move, own, opponent = s.move[ply, i], s.move_own[ply, i], s.move_opponent[ply, i]
        square = _ONE << np.uint64(move)
        replies = s.board & ~(own | opponent) & mobility(own, opponent, s.size, s.inner)
        key = 4 * (popcount(replies) + popcount(replies & s.corners))
        if square & s.corners:
            key -= 6
        if square & odd:
            key -= 3
        if move == hint:
            key = -1000
        j = i
        while j > 0 and s.key[j - 1] > key:
            s.key[j], s.move[ply, j] = s.key[j - 1], s.move[ply, j - 1]
            s.move_own[ply, j], s.move_opponent[ply, j] = s.move_own[ply, j - 1], s.move_opponent[ply, j - 1]
            j -= 1
        s.key[j], s.move[ply, j], s.move_own[ply, j], s.move_opponent[ply, j] = key, move, own, opponent


# --- the last squares: one function for each number, as a function must not call itself ------------------------------


@jit
def _last(s: Any, own: Squares, opponent: Squares, empty: Squares, empties: int, alpha: int, beta: int) -> Any:
    """The score with at most four empty squares."""
    if empties == 4:
        return _last_four(s, own, opponent, empty, alpha, beta)
    if empties == 3:
        return _last_three(s, own, opponent, empty, alpha, beta)
    if empties == 2:
        return _last_two(s, own, opponent, empty, alpha, beta)
    if empties == 1:
        return _last_one(s, own, opponent, empty)
    s.nodes += 1
    return score(own, opponent, s.empties_to_winner, s.squares)


@jit
def _last_four(s: Any, own: Squares, opponent: Squares, empty: Squares, alpha: int, beta: int) -> Any:
    s.nodes += 1
    odd = empty & _odd(s, empty)
    for sign in (1, -1):  # the side to move; if it must pass, the other
        best = _NOTHING
        for part in (odd, empty ^ odd):
            moves = part
            while moves:
                square = moves & (~moves + _ONE)
                moves ^= square
                turned = flips(square, own, opponent, s.size, s.inner)
                if turned:
                    after, mine = opponent & ~turned, own | turned | square
                    value = -_last_three(s, after, mine, empty ^ square, -beta, -max(alpha, best))
                    if value > best:
                        best = value
                        if best >= beta:
                            return sign * best
        if best != _NOTHING:
            return sign * best
        own, opponent, alpha, beta = opponent, own, -beta, -alpha
    return score(own, opponent, s.empties_to_winner, s.squares)


@jit
def _last_three(s: Any, own: Squares, opponent: Squares, empty: Squares, alpha: int, beta: int) -> Any:
    s.nodes += 1
    odd = empty & _odd(s, empty)
    for sign in (1, -1):
        best = _NOTHING
        for part in (odd, empty ^ odd):
            moves = part
            while moves:
                square = moves & (~moves + _ONE)
                moves ^= square
                turned = flips(square, own, opponent, s.size, s.inner)
                if turned:
                    after, mine = opponent & ~turned, own | turned | square
                    value = -_last_two(s, after, mine, empty ^ square, -beta, -max(alpha, best))
                    if value > best:
                        best = value
                        if best >= beta:
                            return sign * best
        if best != _NOTHING:
            return sign * best
        own, opponent, alpha, beta = opponent, own, -beta, -alpha
    return score(own, opponent, s.empties_to_winner, s.squares)


@jit
def _last_two(s: Any, own: Squares, opponent: Squares, empty: Squares, alpha: int, beta: int) -> Any:
    s.nodes += 1
    for sign in (1, -1):
        best = _NOTHING
        moves = empty
        while moves:
            square = moves & (~moves + _ONE)
            moves ^= square
            turned = flips(square, own, opponent, s.size, s.inner)
            if turned:
                value = -_last_one(s, opponent & ~turned, own | turned | square, empty ^ square)
                if value > best:
                    best = value
                    if best >= beta:
                        return sign * best
        if best != _NOTHING:
            return sign * best
        own, opponent, alpha, beta = opponent, own, -beta, -alpha
    return score(own, opponent, s.empties_to_winner, s.squares)


@jit
def _last_one(s: Any, own: Squares, opponent: Squares, square: Squares) -> Any:
    """One square: count what it turns over, for whichever side can play there."""
    s.nodes += 1
    turned = flips(square, own, opponent, s.size, s.inner)
    if turned:
        return 2 * (popcount(own) + popcount(turned) + 1) - s.squares
    turned = flips(square, opponent, own, s.size, s.inner)
    if turned:
        return 2 * (popcount(own) - popcount(turned)) - s.squares
    return score(own, opponent, s.empties_to_winner, s.squares)
