"""What alpha-beta thinks of every move: the search that it plays by, then a look at each of the others.

The search of `ludarium.agents.search.alphabeta` says what the move that it plays is worth, and which line it expects;
of most others it learns only that they are no better.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.search import othello_endgame
from ludarium.agents.search.solver import after
from ludarium.agents.search.tree import BLOCK, BLOCK_SIZE, run
from ludarium.agents.values.evaluations import Evaluation
from ludarium.agents.values.opinions import at_sight, in_units
from ludarium.envs.game import Game
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position


def judge_by_search(position: Position, evaluation: Evaluation | None, block: NDArray[np.uint8]) -> Opinions:
    """Search the position as in play, and then what each other action leads to, as deep as that search came.

    All others together may take what the search may take, shared out evenly: at least two positions each, or with a
    limit of time a thousand. Without a table, the line of an action is the action alone.

    Args:
        position: a position where a seat is to move.
        evaluation: that of the block.
        block: of a player, see `tree.new_block`; the searches write to it.
    """
    game, record = position.game, block[:BLOCK_SIZE].view(BLOCK)
    run(game.table, position.data, record)
    found = [_played(record, block)]
    others = [action for action in position.legal_actions() if action != found[0].action]
    if not found[0].exact:  # otherwise it knows all that there is to know
        record["depth"] = record["reached"]
    record["depth"] -= 1
    nodes, budget, started = int(record["limit"][0]), int(record["budget"][0]), time.monotonic_ns()
    for searched, action in enumerate(others):
        left = len(others) - searched
        record["limit"] = max(1, (nodes - sum(opinion.nodes for opinion in found[1:])) // left - 1)
        if budget:
            record["budget"] = max(1, (started + budget - time.monotonic_ns()) // left)
        found.append(_other(position, action, evaluation, block))
    return in_units(position, evaluation, found).marked(found[0].action)


def _played(record: Any, block: NDArray[np.uint8]) -> Opinion:
    """What the search of a position that is in the block has found; the value is as `worth` gives it."""
    found = record[0]
    action, line = int(found["action"]), _line(record, block) or (int(found["action"]),)
    depth, nodes = max(1, int(found["reached"])), int(found["nodes"])
    return Opinion(action, float(found["value"]), bool(found["exact"]), depth, nodes, line)


def _other(position: Position, action: int, evaluation: Evaluation | None, block: NDArray[np.uint8]) -> Opinion:
    """What a search of what an action leads to finds; the value is as `worth` gives it."""
    child, record = after(position, action), block[:BLOCK_SIZE].view(BLOCK)
    if child.over or record["depth"][0] <= 0:
        return at_sight(position, action, evaluation)
    run(position.game.table, child.data, record)
    found = record[0]
    return Opinion(
        action=action,
        value=float(found["value"]) * (1 if child.turn == position.turn else -1),
        exact=bool(found["exact"]),
        depth=1 + int(found["reached"]),
        nodes=1 + int(found["nodes"]),
        line=(action, *_line(record, block)),
    )


def _line(record: Any, block: NDArray[np.uint8]) -> tuple[int, ...]:
    """The actions that the search in the block expects."""
    start, length = int(record["line"][0]), int(record["length"][0])
    return tuple(block[start:][: 8 * length].view(np.int64).tolist())


def judge_endgame(position: Position, action: int) -> Opinions:
    """Solve what each action leads to in Othello, to the last disc, for a player that plays `action`.

    The values are discs as the game's `scoring` counts them; with `"wins"`, those squares that are left empty count for
    the winner.
    """
    game: Game = position.game
    if game.options["scoring"] == "wins":
        game = type(game)(**{**game.options, "scoring": "empties_to_winner"})
    here = game.from_text(position.text)
    depth = position.text.count("-")
    return Opinions("discs", tuple(_solved(here, one, depth) for one in here.legal_actions())).marked(action)


def _solved(position: Position, action: int, depth: int) -> Opinion:
    seat, child, line, nodes = position.turn, after(position, action), [action], 1
    while not child.over:
        solution = othello_endgame.solve(child)
        if len(line) == 1:
            nodes += solution.nodes
        line.append(solution.action)
        child.push(solution.action)
    return Opinion(action, float(child.payoffs()[seat]), True, depth, nodes, tuple(line))
