"""Minimax over a few children of each position, drawn by rank: the search of the original `minimax` learner.

At every position the moves are ranked by the evaluation of what they lead to, as the mover sees it, and only some are
kept: a draw in which the first of n moves has weight n, the second n - 1, the last 1; or simply the first ones. Below
the kept ones the tree goes on to its full depth. Its value is found by alpha-beta, which prunes it without changing the
value: the draw at a position depends on the path to it, not on earlier searches.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import takes
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.solver import after
from ludarium.agents.search.tree import check_game
from ludarium.agents.search.units import at_sight, in_units
from ludarium.agents.values.evaluations import Evaluation, worth
from ludarium.envs import kernels
from ludarium.envs.chance import below, bits, child_key, derive
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, OVER, STATE_SIZE, advance, view
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.options import Option
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_OPTIONS = {"depth": Option(10, 1, 100), "width": Option(3, 1, 64)}
DRAWS, VIEWS = ("rank", "best"), ("mover", "searcher")

_BLOCK = np.dtype(
    [
        ("evaluation", np.int64),
        ("depth", np.int64),
        ("width", np.int64),
        ("drawn", np.int64),  # whether moves are drawn
        ("drawn_at_root", np.int64),
        ("replacement", np.int64),
        ("as_searcher", np.int64),  # ranked as the searching side sees them
        ("stride", np.int64),  # bytes from one position to the next, a multiple of 8
        ("weights", np.int64),  # byte offsets of …
        ("frames", np.int64),
        ("moves", np.int64),
        ("positions", np.int64),
        ("lines", np.int64),
        ("mask", np.int64),
        ("evaluations", np.int64),  # how many there were in the last call
        ("payoffs", np.float64, (2,)),  # scratch
        ("stream", np.uint64, (2,)),
    ],
    align=True,
)
_FRAME = np.dtype(
    [
        ("alpha", np.float64),
        ("beta", np.float64),
        ("best", np.float64),
        ("key", np.uint64),  # of its draws
        ("seat", np.int64),
        ("remaining", np.int64),
        ("kept", np.int64),
        ("next", np.int64),
        ("length", np.int64),  # of its best line
    ],
    align=True,
)
_MOVE = np.dtype(
    [("value", np.float64), ("action", np.int64), ("turn", np.int64), ("place", np.int64), ("kept", np.int64)],
    align=True,
)
_WORD, _ACTION = np.dtype([("bits", np.uint64)]), np.dtype([("id", np.int64)])
_BLOCK_SIZE, _FRAME_SIZE, _MOVE_SIZE = _BLOCK.itemsize, _FRAME.itemsize, _MOVE.itemsize


@takes(lambda game: check_game("beam", game))
def beam(
    game: Game,
    *,
    depth: int = 10,
    width: int = 3,
    draw: str = "rank",
    draw_at_root: bool = True,
    replacement: bool = False,
    view: str = "mover",
    evaluation: str | Evaluation | None = "",
) -> Policy:
    """Minimax over `width` children of each position.

    Args:
        game: a zero-sum game of two seats without chance and hidden information.
        depth: plies to look ahead, 1 to 100.
        width: how many children of each position are kept, 1 to 64.
        draw: how they are chosen: `"rank"`, at random by rank; or `"best"`, the first ones.
        draw_at_root: whether the moves themselves are drawn, too; otherwise all are searched.
        replacement: whether a child may be drawn twice, so that fewer are kept.
        view: for whom the best child comes first: `"mover"`, the side that moves there; or `"searcher"`, always the
            side that searches.
        evaluation: what unfinished positions are worth: an evaluation of the game by name; empty, its first; `"none"`,
            their returns so far; or see `ludarium.agents.specs`.

    Raises:
        ValueError: for another kind of game, an option out of range, or an unknown evaluation.
    """
    depth, width = (int(_OPTIONS[k].check("beam", k, v)) for k, v in {"depth": depth, "width": width}.items())
    for name, value, choices in (("draw", draw, DRAWS), ("view", view, VIEWS)):
        if value not in choices:
            raise ValueError(f"beam: {name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    check_game("beam", game)
    chosen, record = evaluation_of(game, evaluation), np.zeros(1, dtype=_BLOCK)
    record["evaluation"] = chosen.address(game) if chosen else 0
    record["depth"], record["width"] = min(depth, game.max_moves), width
    record["drawn"], record["drawn_at_root"] = draw == "rank", draw_at_root
    record["replacement"], record["as_searcher"] = replacement, view == "searcher"
    block = _lay_out(game, record, chosen.weights if chosen else np.zeros(0))

    def judge(position: Position, stream: NDArray[np.uint64]) -> Opinions:
        played = _look(position, block.copy(), stream)
        others = (_opinion(position, a, chosen, block, stream) for a in position.legal_actions() if a != played.action)
        if after(position, played.action).over:
            played = at_sight(position, played.action, chosen)
        return in_units(position, chosen, [played, *others]).marked(played.action)

    return Policy(_beam, _BLOCK, block, needs_state=True, judge=judge)


def _look(position: Position, block: NDArray[np.uint8], stream: NDArray[np.uint64]) -> Opinion:
    """What a beam plays, as in play, and what it finds there, with the value as `worth` gives it."""
    mask, record = position.action_mask(), block[:_BLOCK_SIZE].view(_BLOCK)[0]
    action = Policy(_beam, _BLOCK, block).choose(position.game, position.data, mask, mask, stream)  # it needs no view
    root = block[int(record["frames"]) :][:_FRAME_SIZE].view(_FRAME)[0]
    line = block[int(record["lines"]) :][: 8 * int(root["length"])].view(np.int64)
    depth, nodes = int(record["depth"]), int(record["evaluations"])
    return Opinion(action, float(root["best"]), depth=depth, nodes=nodes, line=tuple(line.tolist()))


def _opinion(
    position: Position, action: int, evaluation: Evaluation | None, block: NDArray[np.uint8], stream: NDArray[np.uint64]
) -> Opinion:
    """What another beam finds below an action, with draws of its own, with the value as `worth` gives it.

    A beam that ranks as the searcher would see the other side as the searcher there, so it judges at sight.
    """
    own = block.copy()
    record, child = own[:_BLOCK_SIZE].view(_BLOCK)[0], after(position, action)
    if child.over or record["depth"] == 1 or record["as_searcher"]:
        return at_sight(position, action, evaluation)
    record["depth"], record["drawn_at_root"] = record["depth"] - 1, 1
    below = _look(child, own, np.array([child_key(stream[0], action), 0], dtype=np.uint64))
    sign = 1 if child.turn == position.turn else -1
    return Opinion(action, sign * below.value, depth=below.depth + 1, nodes=below.nodes + 1, line=(action, *below.line))


def evaluations_made(policy: Policy) -> int:
    """How many positions the beam evaluated in its last decision."""
    assert policy.block is not None
    return int(policy.block[:_BLOCK_SIZE].view(_BLOCK)["evaluations"][0])


def _lay_out(game: Game, record: Any, weights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The block: the record, and room for everything else."""
    record["stride"] = stride = -(-game.state.itemsize // 8) * 8
    plies, end = int(record["depth"][0]) + 1, _BLOCK_SIZE
    for name, size in (
        ("weights", weights.nbytes),
        ("frames", plies * _FRAME_SIZE),
        ("moves", plies * game.actions * _MOVE_SIZE),
        ("positions", plies * game.actions * stride),
        ("lines", plies * plies * 8),
        ("mask", -(-game.actions // 8) * 8),
    ):
        record[name], end = end, end + size
    block = np.zeros(end, dtype=np.uint8)
    block[:_BLOCK_SIZE] = record.view(np.uint8)
    block[int(record["weights"][0]) :][: weights.nbytes] = weights.view(np.uint8)
    return block


@jit
def _frame(m: Any, ply: int) -> Any:
    return view(advance(m, m.frames + ply * _FRAME_SIZE), _FRAME)


@jit
def _move(game: Any, m: Any, ply: int, i: int) -> Any:
    return view(advance(m, m.moves + (ply * game[ACTIONS] + i) * _MOVE_SIZE), _MOVE)


@jit
def _child(game: Any, m: Any, ply: int, place: int) -> Any:
    """The position that a frame's move leads to, by the move's place among the legal ones."""
    return advance(m, m.positions + (ply * game[ACTIONS] + place) * m.stride)


@jit
def _step(m: Any, ply: int, i: int) -> Any:
    """An action of a frame's best line."""
    return view(advance(m, m.lines + 8 * (ply * (m.depth + 1) + i)), _ACTION)


def _beam(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    m, root = block, _child(game, block, block.depth, 0)  # the last ply has no children of its own
    for i in range(game[STATE_SIZE]):
        root[i] = state[i]
    m.evaluations = 0
    _open(game, m, 0, root, -np.inf, np.inf, kernels.turn(game, root), bits(stream))
    ply = 0
    while True:
        f = _frame(m, ply)
        if f.next < f.kept and f.best < f.beta:
            move = _move(game, m, ply, f.next)
            if move.turn != OVER and f.remaining > 1:
                low, high = max(f.alpha, f.best), f.beta
                if move.turn != f.seat:
                    low, high = -high, -low
                child, key = _child(game, m, ply, move.place), derive(f.key, f.next)
                _open(game, m, ply + 1, child, low, high, move.turn, key)
                ply += 1
                continue
            value, _frame(m, ply + 1).length = move.value, 0
        elif ply == 0:
            return _step(m, 0, 0).id
        else:
            ply -= 1
            parent = _frame(m, ply)
            value, f = f.best if f.seat == parent.seat else -f.best, parent
        if value > f.best:
            f.best = value
            _lengthen(m, ply, _move(game, m, ply, f.next).action)
        f.next += 1


@jit
def _lengthen(m: Any, ply: int, action: int) -> None:
    """The best line of a frame: an action, then the best line of the frame under it."""
    f, lower = _frame(m, ply), _frame(m, ply + 1)
    _step(m, ply, 0).id, f.length = action, 1 + lower.length
    for i in range(lower.length):
        _step(m, ply, i + 1).id = _step(m, ply + 1, i).id


@jit
def _open(game: Any, m: Any, ply: int, position: Any, alpha: float, beta: float, seat: int, key: Any) -> None:
    """Begin a frame: evaluate what all moves lead to, rank them, and bring those that are kept to the front."""
    f = _frame(m, ply)
    f.alpha, f.beta, f.best, f.next, f.length = alpha, beta, -np.inf, 0, 0
    f.key, f.seat, f.remaining = key, seat, m.depth - ply
    mask, count = advance(m, m.mask), 0
    worst_first = m.as_searcher and ply > 0 and seat != _frame(m, 0).seat
    kernels.legal(game, position, mask)
    for action in range(game[ACTIONS]):
        if not mask[action]:
            continue
        child = _child(game, m, ply, count)
        for offset in range(0, m.stride, 8):
            view(advance(child, offset), _WORD).bits = view(advance(position, offset), _WORD).bits
        kernels.play(game, child, action)
        turn = kernels.turn(game, child)
        value = worth(game, child, seat, turn, m.evaluation, advance(m, m.weights), m.payoffs)
        place = count
        while place > 0 and (_move(game, m, ply, place - 1).value < value) != worst_first:
            if _move(game, m, ply, place - 1).value == value:
                break
            _copy(_move(game, m, ply, place - 1), _move(game, m, ply, place))
            place -= 1
        move = _move(game, m, ply, place)
        move.value, move.action, move.turn, move.place, move.kept = value, action, turn, count, 0
        count += 1
    m.evaluations += count
    f.kept = _keep(game, m, ply, count)


@jit
def _copy(source: Any, target: Any) -> None:
    target.value, target.action, target.turn = source.value, source.action, source.turn
    target.place, target.kept = source.place, source.kept


@jit
def _keep(game: Any, m: Any, ply: int, count: int) -> int:
    """Choose which of the ranked moves are kept, move them to the front in the order of rank; return their number."""
    if ply == 0 and not m.drawn_at_root:
        return count
    if count <= m.width or not m.drawn:
        return min(count, m.width)
    m.stream[0], m.stream[1] = _frame(m, ply).key, 0
    total: Any = count * (count + 1) // 2
    for _ in range(m.width):
        lot = below(m.stream, total)
        for rank in range(count):
            move = _move(game, m, ply, rank)
            if move.kept and not m.replacement:
                continue
            lot -= count - rank
            if lot < 0:
                if not m.replacement:
                    total -= count - rank
                move.kept = 1
                break
    kept = 0
    for rank in range(count):
        if _move(game, m, ply, rank).kept:
            if rank != kept:
                _copy(_move(game, m, ply, rank), _move(game, m, ply, kept))
            kept += 1
    return kept
