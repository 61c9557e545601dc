"""What alpha-beta thinks of every move: a search of each, with an open window, and the line that it expects.

`ludarium.agents.search.alphabeta` itself learns of most moves only that they are worse than the best.
"""

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.search import othello_endgame
from ludarium.agents.search.solver import after
from ludarium.agents.search.tree import BLOCK, BLOCK_SIZE, new_block, think
from ludarium.agents.values.evaluations import Evaluation
from ludarium.agents.values.opinions import at_sight, in_units
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import advance
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position

_BILLION = 10**9


def judge_by_search(
    position: Position, evaluation: Evaluation | None, depth: int, nodes: int, seconds: float, table: int
) -> Opinions:
    """Search what each action leads to.

    Args:
        position: a position where a seat is to move.
        evaluation: of unfinished positions; None: by the returns so far.
        depth: plies to look ahead from here.
        nodes: positions for all actions together, shared out evenly, at least two each; 0: no limit.
        seconds: the same for the time, in which at least a thousand positions each are visited; 0: no limit.
        table: as for `tree.new_block`; without a table, the line of an action is the action alone.
    """
    game, legal = position.game, position.legal_actions()
    block = new_block(game, evaluation, depth, nodes, seconds, table)
    record = block[:BLOCK_SIZE].view(BLOCK)
    record["depth"] -= _plies(game, legal)
    if seconds:  # compiling, on first use, must not take its share
        _search(game.table, position.data, new_block(game, evaluation, 1, 1, 0.0, 0)[:BLOCK_SIZE].view(BLOCK))
    deadline, found = time.monotonic_ns() + math.ceil(_BILLION * seconds), list[Opinion]()
    for searched, action in enumerate(legal):
        left = len(legal) - searched
        if nodes:
            record["limit"] = max(1, (nodes - sum(opinion.nodes for opinion in found)) // left - 1)
        if seconds:
            record["budget"] = max(1, (deadline - time.monotonic_ns()) // left)
        found.append(_opinion(position, action, evaluation, block))
    return in_units(position, evaluation, found)


def _plies(game: Game, legal: list[int]) -> int:
    """What an action takes away from the depth: as in the tree, nothing if it is a pass and there is no other."""
    return 0 if legal == [game.passing] else 1


def _opinion(position: Position, action: int, evaluation: Evaluation | None, block: NDArray[np.uint8]) -> Opinion:
    """The opinion on one action, with the value as `worth` gives it."""
    game, child, record = position.game, after(position, action), block[:BLOCK_SIZE].view(BLOCK)
    if child.over or record["depth"][0] == 0:
        return at_sight(position, action, evaluation)
    _search(game.table, child.data, record)
    found = record[0]
    replies = block[int(found["line"]) :][: 8 * int(found["length"])].view(np.int64)
    return Opinion(
        action=action,
        value=float(found["value"]) * (1 if child.turn == position.turn else -1),
        exact=bool(found["exact"]),
        depth=_plies(game, position.legal_actions()) + int(found["reached"]),
        nodes=1 + int(found["nodes"]),
        line=(action, *replies.tolist()),
    )


@jit
def _search(game: Any, state: Any, block: Any) -> None:
    think(game, advance(state, 0), block[0])


def judge_endgame(position: Position) -> Opinions:
    """Solve what each action leads to in Othello, to the last disc.

    The values are discs as the game's `scoring` counts them; with `"wins"`, those squares that are left empty count for
    the winner.
    """
    game: Game = position.game
    if game.options["scoring"] == "wins":
        game = type(game)(**{**game.options, "scoring": "empties_to_winner"})
    here = game.from_text(position.text)
    depth = position.text.count("-")
    return Opinions("discs", tuple(_solved(here, action, depth) for action in here.legal_actions()))


def _solved(position: Position, action: int, depth: int) -> Opinion:
    seat, child, line, nodes = position.turn, after(position, action), [action], 1
    while not child.over:
        solution = othello_endgame.solve(child)
        if len(line) == 1:
            nodes += solution.nodes
        line.append(solution.action)
        child.push(solution.action)
    return Opinion(action, float(child.payoffs()[seat]), True, depth, nodes, tuple(line))
