"""Monte Carlo tree search for games without hidden information: UCT (Kocsis & Szepesvári 2006).

Each simulation walks down the tree, adds the children of the first position that is visited for the second time, plays
random moves to the end and counts the payoffs on its path. At a decision the walk goes to the child with the greatest

    mean payoff of the mover, scaled to 0..1 by the game's payoff range  +  exploration · √(ln visits / child's visits)

but first to every child once, in random order. Chance nodes are part of the tree: there the walk draws an outcome from
the probabilities. Each child counts payoffs for the seat that chose it, so any number of seats will do. With an
evaluation there are no random moves: a value v at the end of the walk counts as a payoff that lies the fraction
v / (|v| + u) of the way from the middle to the best, where u is a typical value (see `Evaluation.unit`).

The policy has a single block: a `BLOCK` record, the evaluation's weights, then the nodes. The tree is built from
scratch in each call; when the nodes are used up it stops growing, and simulations continue from its leaves.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import takes
from ludarium.agents.othello.discs import in_discs, playout_slopes, slopes
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.units import counted
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs import kernels
from ludarium.envs.batch import playout
from ludarium.envs.chance import below, draw
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, OVER, SEATS, STATE_SIZE, advance, view
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.options import Option
from ludarium.envs.othello import Othello
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_SIMULATIONS = Option(200, 1, 10_000_000)
_MOST_NODES = 2**24
_TINY = 1e-9

BLOCK = np.dtype(
    [
        ("simulations", np.int64),
        ("capacity", np.int64),  # nodes there is room for
        ("used", np.int64),
        ("exploration", np.float64),
        ("lowest", np.float64),  # payoff
        ("span", np.float64),  # highest payoff minus the lowest
        ("evaluation", np.int64),  # its address; 0: play random moves
        ("unit", np.float64),  # a typical value
        ("nodes", np.int64),  # byte offset of the nodes
    ],
    align=True,
)
_NODE = np.dtype(
    [
        ("total", np.float64),  # scaled payoffs of the seat that moved here
        ("visits", np.int32),
        ("seat", np.int32),  # who moved here; CHANCE at the root and after chance
        ("action", np.int32),  # the move, or chance's outcome
        ("parent", np.int32),  # -1 at the root
        ("first", np.int32),  # the children are consecutive: first, first + 1, …
        ("count", np.int32),  # 0 before they are added
    ],
    align=True,
)
_BLOCK_SIZE, _NODE_SIZE = BLOCK.itemsize, _NODE.itemsize


def _check_game(game: Game) -> None:
    if game.hidden_information:
        raise ValueError(
            f"mcts: {game.name} has hidden information, and a search of its position would see it; "
            "use an agent that plays by what it sees, such as 'greedy' or 'random'"
        )


@takes(_check_game)
def mcts(
    game: Game, *, simulations: int = 200, exploration: float = 1.4, evaluation: str | Evaluation | None = "none"
) -> Policy:
    """UCT with random playouts or an evaluation; it plays the action with the most visits.

    Args:
        game: any game without hidden information, with any number of seats, with or without chance.
        simulations: playouts per move.
        exploration: the constant in the formula above; in UCB1 (Auer, Cesa-Bianchi & Fischer 2002) it is √2.
        evaluation: what unfinished positions are worth, in place of a random playout; see
            `ludarium.agents.search.evaluations.evaluation_of`.

    Raises:
        ValueError: for a game with hidden information, an option out of range, or an unknown evaluation.
    """
    chosen = evaluation_of(game, evaluation)
    block = _block(game, simulations, exploration, chosen)

    def judge(position: Position, stream: NDArray[np.uint64]) -> Opinions:
        tried = search(position, stream, simulations=simulations, exploration=exploration, evaluation=chosen)
        return _opinions(position, tried, chosen)

    return Policy(_mcts, BLOCK, block, needs_state=True, judge=judge)


@dataclass(frozen=True)
class Tried:
    """What a search found out about one action.

    Attributes:
        action: the action.
        visits: how often it was tried.
        payoff: the mover's mean payoff over them; without any, the lowest payoff.
        line: the action and what was tried most often after it, up to the next chance node.
    """

    action: int
    visits: int
    payoff: float
    line: tuple[int, ...]


def search(
    position: Position,
    stream: NDArray[np.uint64],
    *,
    simulations: int = 200,
    exploration: float = 1.4,
    evaluation: str | Evaluation | None = "none",
) -> list[Tried]:
    """Search a position as the agent does; return what was tried, most visits first.

    Args:
        position: a position where a seat is to move.
        stream: the stream from which the search draws its random numbers (see `ludarium.envs.chance`).
        simulations: as for `mcts`.
        exploration: as for `mcts`.
        evaluation: as for `mcts`.

    Returns:
        One entry for each legal action.

    Raises:
        ValueError: as for `mcts`.
    """
    game = position.game
    block = _block(game, simulations, exploration, evaluation_of(game, evaluation))
    record = block[:_BLOCK_SIZE].view(BLOCK)
    _search(game.table, position.data, record, stream)
    nodes = block[int(record["nodes"][0]) :].view(_NODE)
    root, (lowest, span) = nodes[0], (float(record[name][0]) for name in ("lowest", "span"))
    children = _children(nodes, root)
    tried = [
        Tried(
            action=int(n["action"]),
            visits=int(n["visits"]),
            payoff=lowest + span * float(n["total"]) / max(1, int(n["visits"])),
            line=_line(nodes, n),
        )
        for n in children
    ]
    return sorted(tried, key=lambda t: (-t.visits, -t.payoff))


def _children(nodes: Any, node: Any) -> Any:
    return nodes[node["first"] : node["first"] + node["count"]]


def _line(nodes: Any, node: Any) -> tuple[int, ...]:
    """The actions on the path of the most visits that begins with a node's own."""
    line = [int(node["action"])]
    while node["count"]:
        children = _children(nodes, node)
        node = children[int(np.argmax(children["visits"]))]
        if node["seat"] == CHANCE or node["visits"] == 0:
            break
        line.append(int(node["action"]))
    return tuple(line)


def _opinions(position: Position, tried: list[Tried], evaluation: Evaluation | None) -> Opinions:
    """What a search thinks; it plays what it tried most. In Othello, mean payoffs are shown in discs."""
    game = position.game
    moves = [Opinion(t.action, t.payoff, depth=len(t.line), nodes=t.visits, line=t.line) for t in tried]
    if not isinstance(game, Othello):
        return Opinions(game.unit, tuple(counted(position, opinion) for opinion in moves)).marked(tried[0].action)
    by_discs = slopes(game, evaluation) if evaluation else playout_slopes(game)

    def in_points(payoff: float) -> float:
        """The value that the search counted as this payoff, or without an evaluation, the share of the best."""
        share = payoff / game.largest_payoff
        return evaluation.unit(game) * share / max(_TINY, 1 - abs(share)) if evaluation else share

    shown = (in_discs(position, replace(opinion, value=in_points(opinion.value)), by_discs) for opinion in moves)
    return Opinions(game.unit, tuple(shown)).marked(tried[0].action)


def _block(game: Game, simulations: int, exploration: float, chosen: Evaluation | None) -> NDArray[np.uint8]:
    simulations = int(_SIMULATIONS.check("mcts", "simulations", simulations))
    number = isinstance(exploration, int | float) and not isinstance(exploration, bool)
    if not (number and 0 <= exploration < math.inf):
        raise ValueError(f"mcts: exploration must be a number of at least 0, not {exploration!r}")
    _check_game(game)
    weights = chosen.weights if chosen else np.zeros(0)
    children = max(game.actions, game.max_outcomes)
    capacity = 1 + max(children, min(simulations * children, _MOST_NODES))
    lowest, highest = game.payoff_range
    record, start = np.zeros(1, dtype=BLOCK), _BLOCK_SIZE + weights.nbytes
    record["simulations"], record["capacity"], record["exploration"] = simulations, capacity, exploration
    record["lowest"], record["span"], record["nodes"] = lowest, (highest - lowest) or 1.0, start
    if chosen:
        record["evaluation"], record["unit"] = chosen.address(game), chosen.unit(game)
    block = np.zeros(start + capacity * _NODE_SIZE, dtype=np.uint8)  # pages are only allocated when they are used
    block[:_BLOCK_SIZE], block[_BLOCK_SIZE:start] = record.view(np.uint8), weights.view(np.uint8)
    return block


def _mcts(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    count, last = 0, 0
    for action in range(game[ACTIONS]):
        if mask[action]:
            count, last = count + 1, action
    return last if count == 1 else _think(game, state, block, stream)


@jit
def _search(game: Any, state: Any, block: Any, stream: Any) -> None:
    _think(game, advance(state, 0), block[0], stream)


@jit
def _node(m: Any, i: int) -> Any:
    return view(advance(m, m.nodes + i * _NODE_SIZE), _NODE)


@jit
def _think(game: Any, state: Any, m: Any, stream: Any) -> int:
    """Build a tree for the position; return the action with the most visits, of equals the one with the best mean."""
    position = np.empty(game[STATE_SIZE], dtype=np.uint8)
    mask = np.empty(game[ACTIONS], dtype=np.int8)
    probabilities = np.empty(game[MAX_OUTCOMES] + 1)
    payoffs = np.empty(game[SEATS])
    m.used = 0
    _add(m, -1, CHANCE, -1)
    for _ in range(m.simulations):
        for i in range(game[STATE_SIZE]):
            position[i] = state[i]
        leaf = _walk(game, m, position, mask, probabilities, stream)
        if m.evaluation != 0 and kernels.turn(game, position) != OVER:
            _judge(game, m, position, payoffs)
        else:
            playout(game, position, mask, probabilities, stream)
            kernels.payoffs(game, position, payoffs)
        _count(m, leaf, payoffs)
    root = _node(m, 0)
    best = root.first
    for i in range(root.first + 1, root.first + root.count):
        a, b = _node(m, i), _node(m, best)
        if a.visits > b.visits or (a.visits == b.visits and a.total > b.total):
            best = i
    return _node(m, best).action


@jit
def _walk(game: Any, m: Any, position: Any, mask: Any, probabilities: Any, stream: Any) -> int:
    """Play from the root to a leaf of the tree; return the leaf's number."""
    i = 0
    while True:
        turn = kernels.turn(game, position)
        n = _node(m, i)
        if turn == OVER or (n.visits == 0 and i > 0):
            return i
        if n.count == 0 and not _expand(game, m, i, turn, position, mask, probabilities, stream):
            return i
        if turn == CHANCE:
            i = n.first + draw(game, position, probabilities, stream)
        else:
            i = _choose(m, i)
        kernels.play(game, position, _node(m, i).action)


@jit
def _expand(
    game: Any, m: Any, i: int, turn: int, position: Any, mask: Any, probabilities: Any, stream: Any
) -> bool:  # fmt: skip
    """Add a node's children: the outcomes in order, or the legal actions in random order; False if there is no room."""
    n, first = _node(m, i), m.used
    if turn == CHANCE:
        count = kernels.outcomes(game, position, probabilities)
    else:
        count = kernels.legal(game, position, mask)
    if first + count > m.capacity:
        return False
    n.first, n.count = first, count
    if turn == CHANCE:
        for outcome in range(count):
            _add(m, i, CHANCE, outcome)
        return True
    for action in range(game[ACTIONS]):
        if mask[action]:
            _add(m, i, turn, action)
            new, other = _node(m, m.used - 1), _node(m, first + below(stream, m.used - first))
            new.action, other.action = other.action, new.action
    return True


@jit
def _add(m: Any, parent: int, seat: int, action: int) -> None:
    n = _node(m, m.used)
    n.total, n.visits, n.seat, n.action, n.parent, n.first, n.count = 0.0, 0, seat, action, parent, 0, 0
    m.used += 1


@jit
def _choose(m: Any, i: int) -> int:
    """The child to go to: the next that has not been visited, or the one with the greatest upper bound."""
    n = _node(m, i)
    visits = n.visits if i == 0 else n.visits - 1  # the first visit to a node ends there
    if visits < n.count:
        return n.first + visits
    best, highest, log_visits = n.first, -np.inf, math.log(visits)
    for j in range(n.first, n.first + n.count):
        child = _node(m, j)
        bound = child.total / child.visits + m.exploration * math.sqrt(log_visits / child.visits)
        if bound > highest:
            best, highest = j, bound
    return best


@jit
def _judge(game: Any, m: Any, position: Any, payoffs: Any) -> None:
    """Write the payoffs that the evaluation of an unfinished position stands for."""
    for seat in range(len(payoffs)):
        value = kernels.call_evaluation(m.evaluation, position, seat, advance(m, _BLOCK_SIZE))
        payoffs[seat] = m.lowest + 0.5 * m.span * (1.0 + value / (abs(value) + m.unit))


@jit
def _count(m: Any, leaf: int, payoffs: Any) -> None:
    """Count the payoffs of one simulation from a leaf up to the root."""
    i = leaf
    while i >= 0:
        n = _node(m, i)
        n.visits += 1
        if n.seat >= 0:
            n.total += (payoffs[n.seat] - m.lowest) / m.span
        i = n.parent
