"""Alpha-beta search for games of two seats without chance and hidden information.

Iterative deepening; principal-variation search (Marsland & Campbell 1982) with a transposition table, killer moves and
the history heuristic (Schaeffer 1989). The search keeps an explicit stack of frames, one per ply. Values are those of
the frame's mover: they change sign from one ply to the next only if the turn changes, so passes and extra turns need no
special treatment. The last squares of Othello are left to `ludarium.agents.search.othello_endgame`.

The policy has a single block: a `BLOCK` record, then positions, frames, move lists, history and the table, at the byte
offsets that the record holds. Nothing in it outlives a call: the table's entries are stamped.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled import blocks
from ludarium.agents.search import othello_endgame
from ludarium.agents.values.evaluations import evaluation_of, win_scale, worth
from ludarium.envs import kernels
from ludarium.envs.chance import mix
from ludarium.envs.game import Game, Option
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OVER, STATE_SIZE, advance, view
from ludarium.envs.othello import rules as othello
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_OPTIONS = {
    "depth": Option(4, 1, 100),
    "nodes": Option(0, 0, 2**62),
    "table": Option(18, 0, 28),
    "endgame": Option(12, 0, 24),
}

BLOCK = np.dtype(
    [
        ("evaluation", np.int64),  # see `evaluations.worth`
        ("scale", np.float64),
        ("highest", np.float64),  # nothing is worth more than this, or less than `lowest`
        ("lowest", np.float64),
        ("depth", np.int64),
        ("limit", np.int64),  # nodes; 0: none
        ("slots", np.int64),  # entries of the table, a power of two; 0: no table
        ("stride", np.int64),  # bytes from one position to the next, a multiple of 8
        ("positions", np.int64),  # byte offsets of …
        ("frames", np.int64),
        ("moves", np.int64),
        ("history", np.int64),
        ("mask", np.int64),
        ("weights", np.int64),  # of the evaluation
        ("table", np.int64),
        ("scratch", np.int64),  # both for endgames of Othello
        ("endings", np.int64),  # their table …
        ("slots_endings", np.int64),  # … and its number of entries
        ("endgame", np.int64),  # the maximum number of empty squares in them
        ("call", np.uint32),  # stamp of the table's entries
        # what the last call found
        ("action", np.int64),
        ("value", np.float64),
        ("reached", np.int64),
        ("nodes", np.int64),
        ("exact", np.int64),
        ("payoffs", np.float64, (2,)),  # scratch
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
_MOVE = np.dtype([("action", np.int64), ("order", np.int64)])
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
_WORD = np.dtype([("bits", np.uint64)])

_FRAME_SIZE, _MOVE_SIZE, _ENTRY_SIZE, _BLOCK_SIZE = (t.itemsize for t in (_FRAME, _MOVE, _ENTRY, BLOCK))
_EXACT, _AT_LEAST, _AT_MOST = range(3)
_COMPLETE = 127  # depth of an entry that holds for any depth
_NULL = 1e-6  # width of a null window; any width is sound, since values inside a window are exact
_FIRST, _KILLER = 2**62, 2**61  # move order: from the table, killer, then history
_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


def alphabeta(game: Game, *, depth: int = 4, nodes: int = 0, table: int = 18, endgame: int = 12) -> Policy:
    """Iterative-deepening alpha-beta on the game's static evaluation.

    It stops early when the game is searched to its end or a winning line is found. If everything loses, it plays what
    looked best before it saw that. Of equally good actions it takes the one it searched first; nothing is random.

    Args:
        game: a zero-sum game of two seats without chance and hidden information.
        depth: plies to look ahead, 1 to 100.
        nodes: stop after this many positions, with the best action so far; 0 for no limit.
        table: base-2 logarithm of the number of entries in the transposition table; 0 for none.
        endgame: in Othello, play perfectly once no more than this many squares are empty.

    Raises:
        ValueError: for another kind of game, or an option out of range.
    """
    block = _block(game, depth, nodes, table, endgame)
    return Policy(_othello if game.name == "othello" else _alphabeta, BLOCK, block, needs_state=True)


@dataclass(frozen=True)
class Found:
    """What `search` found.

    Attributes:
        action: the best action.
        value: what the position is worth to the seat to move: in units of the evaluation, or a finished game's payoff
            times `win_scale(game)`.
        depth: the plies looked ahead.
        nodes: the positions visited.
        exact: whether the value is that of perfect play.
    """

    action: int
    value: float
    depth: int
    nodes: int
    exact: bool


def search(position: Position, *, depth: int = 4, nodes: int = 0, table: int = 18) -> Found:
    """Search a position and return what was found; arguments and errors are those of `alphabeta`.

    See `ludarium.agents.search.othello_endgame.solve` for endgames of Othello.
    """
    game = position.game
    block = _block(game, depth, nodes, table, 0)
    record = block[:_BLOCK_SIZE].view(BLOCK)
    _search(game.table, position.data, record)
    found = record[0]
    return Found(
        int(found["action"]), float(found["value"]), int(found["reached"]), int(found["nodes"]), bool(found["exact"])
    )


def _block(game: Game, depth: int, nodes: int, table: int, endgame: int) -> NDArray[np.uint8]:
    given = {"depth": depth, "nodes": nodes, "table": table, "endgame": endgame}
    depth, nodes, table, endgame = (int(_OPTIONS[key].check("alphabeta", key, value)) for key, value in given.items())
    if game.seats != 2 or not game.zero_sum or game.max_outcomes or game.hidden_information:
        raise ValueError(
            f"alphabeta: {game.name} is not a zero-sum game of two seats without chance and hidden information; "
            "use 'mcts' for games with chance or more seats, 'greedy' or 'random' where information is hidden"
        )
    scale, plies = win_scale(game), min(depth, game.max_moves) + 1
    record = np.zeros(1, dtype=BLOCK)
    found = evaluation_of(game)
    weights = found.weights if found else np.zeros(0)
    record["evaluation"], record["scale"] = found.address(game) if found else 0, scale
    record["lowest"], record["highest"] = (scale * payoff for payoff in game.payoff_range)
    record["depth"], record["limit"], record["slots"] = plies - 1, nodes, 2**table if table else 0
    record["endgame"] = endgame = endgame if game.name == "othello" else 0
    record["slots_endings"] = 2 ** othello_endgame.table_bits(endgame) if endgame else 0
    record["stride"] = stride = -(-game.state.itemsize // 8) * 8
    end = _BLOCK_SIZE
    for name, size in (
        ("positions", plies * stride),
        ("frames", plies * _FRAME_SIZE),
        ("moves", plies * game.actions * _MOVE_SIZE),
        ("history", 2 * game.actions * 8),
        ("mask", -(-game.actions // 8) * 8),
        ("weights", weights.nbytes),
        ("table", int(record["slots"][0]) * _ENTRY_SIZE),
        ("scratch", othello_endgame.SCRATCH.itemsize if endgame else 0),
        ("endings", int(record["slots_endings"][0]) * 3 * 8),
    ):
        record[name], end = end, end + size
    block = np.zeros(end, dtype=np.uint8)
    block[:_BLOCK_SIZE] = record.view(np.uint8)
    block[int(record["weights"][0]) :][: weights.nbytes] = weights.view(np.uint8)
    if endgame:
        rule = game.options["scoring"] == "empties_to_winner"
        scratch = othello_endgame.new_scratch(game.options["size"], rule).view(np.uint8)
        block[int(record["scratch"][0]) :][: len(scratch)] = scratch
    return block


def _alphabeta(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    action = _forced(game, mask)
    return action if action >= 0 else _think(game, state, block)


def _othello(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    action = _forced(game, mask)
    if action >= 0:
        return action
    s = view(state, othello.STATE)
    if othello.popcount(s.board & ~(s.own | s.opponent)) > block.endgame:
        return _think(game, state, block)
    scratch = view(advance(block, block.scratch), othello_endgame.SCRATCH)
    table = blocks.table(block, block.endings, np.uint64, (block.slots_endings, 3))
    limit: Any = 1 if s.scoring == othello.WINS else np.int64(s.size) * np.int64(s.size)
    othello_endgame.solve_endgame(s.own, s.opponent, -limit, limit, scratch, table)
    return scratch.best_move[0]


@jit
def _forced(game: Any, mask: Any) -> int:
    """The only legal action, or -1 if there are several."""
    found = -1
    for action in range(game[ACTIONS]):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


@jit
def _search(game: Any, state: Any, block: Any) -> None:
    _think(game, advance(state, 0), block[0])


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
def _think(game: Any, state: Any, m: Any) -> int:
    """Search the position deeper and deeper; return the best action, and leave what was found in the block."""
    root = _position(m, 0)
    for i in range(game[STATE_SIZE]):
        root[i] = state[i]
    for i in range(2 * game[ACTIONS]):
        _history(game, m, 0, i).times = 0
    for ply in range(m.depth):
        _frame(m, ply).killer = -1
    m.call += np.uint32(1)
    m.nodes, m.action, m.value, m.reached, m.exact = 0, -1, 0.0, 0, 0
    for depth in range(1, m.depth + 1):
        finished = _iterate(game, m, depth)
        f = _frame(m, 0)
        if f.choice >= 0:
            m.value = f.best
            if depth == 1 or f.best > m.lowest:
                m.action = f.choice
        if not finished:
            break
        m.reached, m.exact = depth, f.complete
        if f.complete:
            break
    return m.action


@jit
def _iterate(game: Any, m: Any, depth: int) -> bool:
    """Search the root to a depth; return whether this was finished within the limit of nodes."""
    _open(game, m, 0, depth, (m.lowest, m.highest), kernels.turn(game, _position(m, 0)), _key(m, 0), m.action)
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
        elif m.limit and m.nodes >= m.limit:
            return False
        elif _descend(game, m, ply):
            ply += 1


@jit
def _open(game: Any, m: Any, ply: int, depth: int, window: Any, seat: int, key: Any, hint: int) -> None:
    """Begin a frame: list the legal actions, and set the order in which to try them."""
    alpha, beta = window
    f = _frame(m, ply)
    f.alpha, f.beta, f.floor, f.best = alpha, beta, alpha, -np.inf
    f.key, f.seat, f.remaining, f.next, f.choice = key, seat, depth, 0, -1
    f.complete, f.scout, f.again = 1, 0, 0
    mask = advance(m, m.mask)
    kernels.legal(game, _position(m, ply), mask)
    count = 0
    for action in range(game[ACTIONS]):
        if mask[action]:
            move = _move(game, m, ply, count)
            move.action = action
            move.order = _FIRST if action == hint else _history(game, m, seat, action).times
            if action == f.killer:
                move.order += _KILLER
            count += 1
    f.count = count


@jit
def _descend(game: Any, m: Any, ply: int) -> bool:
    """Play the frame's next move; True if it opened a frame for it, False if its value was known and returned."""
    f = _frame(m, ply)
    if not f.again:
        _bring_best(game, m, ply, f.next, f.count)
    position = _position(m, ply + 1)
    for offset in range(0, m.stride, 8):
        view(advance(position, offset), _WORD).bits = view(advance(_position(m, ply), offset), _WORD).bits
    kernels.play(game, position, _move(game, m, ply, f.next).action)
    m.nodes += 1
    turn = kernels.turn(game, position)
    if turn == OVER or f.remaining == 1:
        value = worth(game, position, f.seat, turn, m.evaluation, advance(m, m.weights), m.scale, m.payoffs)
        f.scout = 0
        _return(game, m, ply, value, turn == OVER)
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
        e.depth = _COMPLETE if f.complete else f.remaining
        e.bound = _AT_LEAST if f.best >= f.beta else (_AT_MOST if f.best <= f.floor else _EXACT)
