"""The tree of `ludarium.agents.search.alphabeta`, compiled: principal-variation search with iterative deepening.

The search keeps an explicit stack of frames, one per ply. Values are those of the frame's mover: they change sign from
one ply to the next only if the turn changes, so passes and extra turns need no special treatment. A pass costs no
depth. Each iteration begins with a narrow window around the value of the last one. Moves are tried in this order: the
one from the table, the killer, then by the evaluation of what they lead to, or by history close to the horizon.

Everything is in one block: a `BLOCK` record, then positions, frames, move lists, history and the table, at the byte
offsets that the record holds. Nothing in it outlives a call: the table's entries are stamped.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.clock import clock_address, nanoseconds
from ludarium.agents.values.evaluations import Evaluation, result, worth
from ludarium.envs import kernels
from ludarium.envs.chance import mix
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OVER, STATE_SIZE, advance, view

BLOCK = np.dtype(
    [
        ("evaluation", np.int64),  # see `evaluations.worth`
        ("highest", np.float64),  # nothing is worth more than this, or less than `lowest`
        ("lowest", np.float64),
        ("depth", np.int64),
        ("plies", np.int64),  # room on the stack
        ("passing", np.int64),  # the action that passes; -1 if there is none
        ("limit", np.int64),  # nodes
        ("budget", np.int64),  # nanoseconds; 0: no limit
        ("clock", np.int64),  # see `clock.nanoseconds`
        ("slots", np.int64),  # entries of the table, a power of two; 0: no table
        ("stride", np.int64),  # bytes from one position to the next, a multiple of 8
        ("positions", np.int64),  # byte offsets of …
        ("frames", np.int64),
        ("moves", np.int64),
        ("history", np.int64),
        ("mask", np.int64),
        ("line", np.int64),
        ("weights", np.int64),  # of the evaluation
        ("table", np.int64),
        ("extra", np.int64),  # what comes after all this
        ("call", np.uint32),  # stamp of the table's entries
        ("pause", np.int64),  # the number of nodes at which to look whether a limit is reached
        ("deadline", np.int64),
        # what the last call found
        ("action", np.int64),
        ("value", np.float64),
        ("margin", np.float64),  # by how much the value tends to change from one iteration to the next
        ("reached", np.int64),
        ("nodes", np.int64),
        ("exact", np.int64),
        ("length", np.int64),  # of the line that the search expects
        ("payoffs", np.float64, (2,)),  # scratch
        ("now", np.int64, (2,)),
    ],
    align=True,
)
_FRAME = np.dtype(
    [
        ("alpha", np.float64),
        ("beta", np.float64),
        ("floor", np.float64),  # alpha at the beginning
        ("best", np.float64),
        ("key", np.uint64),
        ("seat", np.int64),  # the mover
        ("remaining", np.int64),  # plies to the horizon
        ("count", np.int64),  # legal actions
        ("next", np.int64),  # how many have been searched
        ("choice", np.int64),  # the best so far
        ("complete", np.int64),  # no evaluation has been used below: the value holds for any depth
        ("scout", np.int64),  # the current move is searched with a null window
        ("again", np.int64),  # … and must be searched again with the whole one
        ("killer", np.int64),  # the action that last refuted a sibling of this position
    ],
    align=True,
)
_MOVE = np.dtype([("action", np.int64), ("order", np.float64)])
_ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("call", np.uint32),
        ("action", np.int16),
        ("depth", np.int8),
        ("bound", np.int8),
    ],
    align=True,
)
_COUNT = np.dtype([("times", np.int64)])
_ACTION = np.dtype([("id", np.int64)])
_WORD = np.dtype([("bits", np.uint64)])

_FRAME_SIZE, _MOVE_SIZE, _ENTRY_SIZE = (t.itemsize for t in (_FRAME, _MOVE, _ENTRY))
BLOCK_SIZE = BLOCK.itemsize
_EXACT, _AT_LEAST, _AT_MOST = range(3)
_COMPLETE = 127  # depth of an entry that holds for any depth
_NULL = 1e-6  # width of a null window; any width is sound, since values inside a window are exact
_FIRST, _KILLER = 1e300, 1e200  # the order of the move from the table, and of the killer
_FORESIGHT = 4  # plies to the horizon from which on moves are ordered by evaluating what they lead to
_TRUST = 2  # iterations before windows get narrow
_PATIENCE = 1000  # nodes between two looks at the clock
_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


def check_game(player: str, game: Game) -> None:
    """Refuse games in which sides cannot take turns to maximise and minimise one value.

    Raises:
        ValueError: for these.
    """
    if game.seats != 2 or not game.zero_sum or game.max_outcomes or game.hidden_information:
        raise ValueError(
            f"{player}: {game.name} is not a zero-sum game of two seats without chance and hidden information; "
            "use 'mcts' for games with chance or more seats, 'greedy' or 'random' where information is hidden"
        )


def new_block(
    game: Game, evaluation: Evaluation | None, depth: int, nodes: int, seconds: float, table: int, extra: int = 0
) -> NDArray[np.uint8]:
    """A block for `think`, shape (bytes,).

    Args:
        game: a zero-sum game of two seats without chance and hidden information.
        evaluation: of unfinished positions; None: by the returns so far.
        depth: plies to look ahead, not counting passes.
        nodes: the maximum number of positions; 0: no limit.
        seconds: the maximum time; 0: no limit.
        table: base-2 logarithm of the number of entries in the transposition table; 0 for none.
        extra: bytes to append, at the offset in the field of this name.
    """
    plies = min(2 * depth, game.max_moves) + 1  # there may be a pass for every move
    record = np.zeros(1, dtype=BLOCK)
    weights = evaluation.weights if evaluation else np.zeros(0)
    record["evaluation"] = evaluation.address(game) if evaluation else 0
    record["lowest"], record["highest"] = (result(payoff, evaluation is not None) for payoff in game.payoff_range)
    record["depth"], record["plies"], record["passing"] = min(depth, game.max_moves), plies, game.passing
    record["limit"], record["budget"], record["clock"] = nodes or 2**62, math.ceil(1e9 * seconds), clock_address()
    record["slots"], record["stride"] = 2**table if table else 0, -(-game.state.itemsize // 8) * 8
    end = BLOCK_SIZE
    for name, size in (
        ("positions", plies * int(record["stride"][0])),
        ("frames", plies * _FRAME_SIZE),
        ("moves", plies * game.actions * _MOVE_SIZE),
        ("history", 2 * game.actions * 8),
        ("mask", -(-game.actions // 8) * 8),
        ("line", plies * 8),
        ("weights", weights.nbytes),
        ("table", int(record["slots"][0]) * _ENTRY_SIZE),
        ("extra", extra),
    ):
        record[name], end = end, end + size
    block = np.zeros(end, dtype=np.uint8)
    block[:BLOCK_SIZE] = record.view(np.uint8)
    block[int(record["weights"][0]) :][: weights.nbytes] = weights.view(np.uint8)
    return block


# --- the parts of the block -----------------------------------------------------------------------------------------


@jit
def _position(m: Any, ply: int) -> Any:
    return advance(m, m.positions + ply * m.stride)


@jit
def _frame(m: Any, ply: int) -> Any:
    return view(advance(m, m.frames + ply * _FRAME_SIZE), _FRAME)


@jit
def _move(game: Any, m: Any, ply: int, i: int) -> Any:
    return view(advance(m, m.moves + (ply * game[ACTIONS] + i) * _MOVE_SIZE), _MOVE)


@jit
def _history(game: Any, m: Any, seat: int, action: int) -> Any:
    return view(advance(m, m.history + (seat * game[ACTIONS] + action) * 8), _COUNT)


@jit
def _entry(m: Any, key: Any) -> Any:
    return view(advance(m, m.table + np.int64(key & np.uint64(m.slots - 1)) * _ENTRY_SIZE), _ENTRY)


@jit
def _key(m: Any, ply: int) -> Any:
    """A 64-bit hash of the position."""
    key = _MULTIPLIER
    for offset in range(0, m.stride, 8):
        key = (key ^ view(advance(_position(m, ply), offset), _WORD).bits) * _MULTIPLIER
        key ^= key >> _SHIFT
    return mix(key)


# --- the search ------------------------------------------------------------------------------------------------------


@jit
def think(game: Any, state: Any, m: Any) -> int:
    """Search the position deeper and deeper; return the best action, and leave the result in the block."""
    root = _position(m, 0)
    for i in range(game[STATE_SIZE]):
        root[i] = state[i]
    for i in range(2 * game[ACTIONS]):
        _history(game, m, 0, i).times = 0
    for ply in range(m.plies):
        _frame(m, ply).killer = -1
    m.call += np.uint32(1)
    m.nodes, m.action, m.value, m.margin, m.reached, m.exact = 0, -1, 0.0, 0.0, 0, 0
    started = nanoseconds(m.clock, m.now) if m.budget else 0
    m.deadline = started + m.budget
    m.pause = min(m.limit, _PATIENCE) if m.budget else m.limit
    for depth in range(1, m.depth + 1):
        before, finished = m.action, _deepen(game, m, depth)
        f = _frame(m, 0)
        better = f.choice >= 0 and (depth == 1 or f.best > f.floor)
        if better and (finished or f.choice != before):  # else the value is that of the last depth that was finished
            m.action = f.choice
            m.margin = 0.5 * m.margin + abs(f.best - m.value)
            m.value = f.best
        if finished or m.action != before:
            _keep_line(game, m)
        if not finished:
            break
        m.value, m.reached, m.exact = f.best, depth, f.complete
        if f.complete or (m.budget and 2 * (nanoseconds(m.clock, m.now) - started) > m.budget):
            break  # all is known, or the next iteration could hardly be finished
    return m.action


@jit
def run(game: Any, state: Any, block: Any) -> None:
    """`think` for Python code, with arrays: the position's bytes, and a block's record, shape (1,)."""
    think(game, advance(state, 0), block[0])


@jit
def _keep_line(game: Any, m: Any) -> None:
    """Keep the actions that the search expects, as far as the table holds them: the next iteration overwrites it."""
    m.length, action = 0, m.action if m.slots else -1
    while action >= 0 and m.length + 1 < m.plies:
        position = _play(game, m, m.length, action)
        view(advance(m, m.line + 8 * m.length), _ACTION).id = action
        m.length += 1
        key = _key(m, m.length)
        e = _entry(m, key)
        known = e.call == m.call and e.key == key and (e.bound != _AT_MOST or e.depth == _COMPLETE)
        action = e.action if known and kernels.turn(game, position) != OVER else -1


@jit
def _deepen(game: Any, m: Any, depth: int) -> bool:
    """Search the root to a depth: first with a narrow window; where that fails, again with a wide one."""
    low, high = m.lowest, m.highest
    if depth > _TRUST:
        low, high = max(low, m.value - m.margin), min(high, m.value + m.margin)
    while True:
        finished = _iterate(game, m, depth, low, high)
        best = _frame(m, 0).best
        if finished and best <= low > m.lowest:
            low = m.lowest
        elif finished and best >= high < m.highest:
            high = m.highest
        else:
            return finished


@jit
def _iterate(game: Any, m: Any, depth: int, low: float, high: float) -> bool:
    """Search the root to a depth within a window; return whether this was finished within the limits."""
    _open(game, m, 0, depth, (low, high), kernels.turn(game, _position(m, 0)), _key(m, 0), m.action)
    ply = 0
    while True:
        f = _frame(m, ply)
        if f.next == f.count or f.best >= f.beta:
            _close(game, m, f)
            if ply == 0:
                return True
            ply -= 1
            parent = _frame(m, ply)
            _return(game, m, ply, f.best if f.seat == parent.seat else -f.best, f.complete)
        elif m.nodes >= m.pause and _exhausted(m):
            return False
        elif f.remaining == 1 or ply + 2 == m.plies:
            _look_ahead(game, m, ply)
        elif _descend(game, m, ply):
            ply += 1


@jit
def _exhausted(m: Any) -> bool:
    """Whether a limit is reached; if not, this sets the number of nodes at which to ask again."""
    if m.nodes >= m.limit or nanoseconds(m.clock, m.now) >= m.deadline:
        return True
    m.pause = min(m.limit, m.nodes + _PATIENCE)
    return False


@jit
def _open(game: Any, m: Any, ply: int, depth: int, window: Any, seat: int, key: Any, hint: int) -> None:
    """Begin a frame: list the legal actions, and set the order in which to try them."""
    alpha, beta = window
    f = _frame(m, ply)
    f.alpha, f.beta, f.floor, f.best = alpha, beta, alpha, -np.inf
    f.key, f.seat, f.next, f.choice = key, seat, 0, -1
    f.complete, f.scout, f.again = 1, 0, 0
    mask = advance(m, m.mask)
    kernels.legal(game, _position(m, ply), mask)
    count = 0
    for action in range(game[ACTIONS]):
        if mask[action]:
            move = _move(game, m, ply, count)
            move.action = action
            if action == hint:
                move.order = _FIRST
            elif action == f.killer:
                move.order = _KILLER
            elif depth >= _FORESIGHT:
                move.order = _foresee(game, m, ply, seat, action)
            else:
                move.order = _history(game, m, seat, action).times
            count += 1
    f.count = count
    f.remaining = depth + (count == 1 and _move(game, m, ply, 0).action == m.passing)


@jit
def _play(game: Any, m: Any, ply: int, action: int) -> Any:
    """Play an action of the frame's position; the result is the next ply's position, which is returned."""
    here, position = _position(m, ply), _position(m, ply + 1)
    for offset in range(0, m.stride, 8):
        view(advance(position, offset), _WORD).bits = view(advance(here, offset), _WORD).bits
    kernels.play(game, position, action)
    return position


@jit
def _foresee(game: Any, m: Any, ply: int, seat: int, action: int) -> float:
    """What an action leads to is worth, without any search."""
    position = _play(game, m, ply, action)
    turn = kernels.turn(game, position)
    return worth(game, position, seat, turn, m.evaluation, advance(m, m.weights), m.payoffs)


@jit
def _look_ahead(game: Any, m: Any, ply: int) -> None:
    """Evaluate what the frame's moves lead to, at the horizon; most of a search's time is spent here."""
    f = _frame(m, ply)
    while f.next < f.count:
        _bring_best(game, m, ply, f.next, f.count)
        action = _move(game, m, ply, f.next).action
        position = _play(game, m, ply, action)
        m.nodes += 1
        turn = kernels.turn(game, position)
        value = worth(game, position, f.seat, turn, m.evaluation, advance(m, m.weights), m.payoffs)
        if value > f.best:
            f.best, f.choice = value, action
        f.alpha = max(f.alpha, value)
        f.next += 1
        f.complete = turn == OVER if value >= f.beta else f.complete & (turn == OVER)
        if value >= f.beta or m.nodes >= m.pause:
            return


@jit
def _descend(game: Any, m: Any, ply: int) -> bool:
    """Play the frame's next move; True if it opened a frame for it, False if its value was known and returned."""
    f = _frame(m, ply)
    if not f.again:
        _bring_best(game, m, ply, f.next, f.count)
    position = _play(game, m, ply, _move(game, m, ply, f.next).action)
    m.nodes += 1
    turn = kernels.turn(game, position)
    if turn == OVER:
        kernels.payoffs(game, position, m.payoffs)
        f.scout = 0
        _return(game, m, ply, result(m.payoffs[f.seat], m.evaluation), 1)
        return False
    f.scout = f.next > 0 and not f.again
    low, high = f.alpha, f.alpha + _NULL if f.scout else f.beta
    if turn != f.seat:
        low, high = -high, -low
    key, hint = np.uint64(0), -1
    if m.slots:
        key = _key(m, ply + 1)
        e = _entry(m, key)
        if e.call == m.call and e.key == key:
            hint = e.action
            if e.depth >= f.remaining - 1 and (
                e.bound == _EXACT or (e.value >= high if e.bound == _AT_LEAST else e.value <= low)
            ):
                _return(game, m, ply, e.value if turn == f.seat else -e.value, e.depth == _COMPLETE)
                return False
    _open(game, m, ply + 1, f.remaining - 1, (low, high), turn, key, hint)
    return True


@jit
def _bring_best(game: Any, m: Any, ply: int, first: int, count: int) -> None:
    """Move the remaining move with the highest order to the front; of equals, the one with the lowest action."""
    best = first
    for i in range(first + 1, count):
        a, b = _move(game, m, ply, i), _move(game, m, ply, best)
        if a.order > b.order or (a.order == b.order and a.action < b.action):
            best = i
    if best != first:
        a, b = _move(game, m, ply, first), _move(game, m, ply, best)
        action, order = a.action, a.order
        a.action, a.order = b.action, b.order
        b.action, b.order = action, order


@jit
def _return(game: Any, m: Any, ply: int, value: float, complete: int) -> None:
    """Give a frame the value of its current move, as its mover sees it."""
    f = _frame(m, ply)
    if f.scout and f.alpha < value < f.beta:
        f.again = 1
        return
    f.again = 0
    if value > f.best:
        f.best, f.choice = value, _move(game, m, ply, f.next).action
    f.alpha = max(f.alpha, value)
    f.next += 1
    f.complete = complete if value >= f.beta else f.complete & complete


@jit
def _close(game: Any, m: Any, f: Any) -> None:
    """Keep what the search of a frame has shown: its refutation, and an entry in the table."""
    if f.best >= f.beta:
        f.killer = f.choice
        _history(game, m, f.seat, f.choice).times += f.remaining * f.remaining
    if m.slots:
        e = _entry(m, f.key)
        e.key, e.value, e.call, e.action = f.key, f.best, m.call, f.choice
        passed = f.count == 1 and f.choice == m.passing  # which added a ply that did not count
        e.depth = _COMPLETE if f.complete else f.remaining - passed
        e.bound = _AT_LEAST if f.best >= f.beta else (_AT_MOST if f.best <= f.floor else _EXACT)
