"""What alpha-beta thinks of every move: the search that it plays by, then a look at each of the others.

The search of `ludarium.agents.search.alphabeta` says what the move that it plays is worth, and which line it expects;
of most others it learns only that they are no better.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.othello.discs import counted
from ludarium.agents.othello.endgame.solver import Solution, solve
from ludarium.agents.search.solver import after
from ludarium.agents.search.tree import BLOCK, BLOCK_SIZE, run
from ludarium.agents.search.units import at_sight, in_units
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.opinions import Opinion, Opinions
from ludarium.envs.position import Position

_MOMENT = 1e-9  # a limit of time, since 0 is none


def judge_by_search(position: Position, evaluation: Evaluation | None, block: NDArray[np.uint8]) -> Opinions:
    """What the search of a player has found, and then searches of what each other action leads to, as deep as that.

    All others together may take what the search may take, shared out evenly: at least two positions each, or with a
    limit of time a thousand. Without a table, the line of an action is the action alone.

    Args:
        position: a position where a seat is to move.
        evaluation: that of the block.
        block: of a player, as `tree.run` left it; the searches write to it.
    """
    record = block[:BLOCK_SIZE].view(BLOCK)
    opinions = [_played(record, block)]
    others = [action for action in position.legal_actions() if action != opinions[0].action]
    if not opinions[0].exact:  # otherwise it knows all that there is to know
        record["depth"] = record["reached"]
    record["depth"] -= 1
    nodes, budget, started = int(record["limit"][0]), int(record["budget"][0]), time.monotonic_ns()
    for searched, action in enumerate(others):
        left = len(others) - searched
        record["limit"] = max(1, (nodes - sum(opinion.nodes for opinion in opinions[1:])) // left - 1)
        if budget:
            record["budget"] = max(1, (started + budget - time.monotonic_ns()) // left)
        opinions.append(_other(position, action, evaluation, block))
    return in_units(position, evaluation, opinions).marked(opinions[0].action)


def _played(record: Any, block: NDArray[np.uint8]) -> Opinion:
    """What the search of a position that is in the block has found; the value is as `worth` gives it."""
    result = record[0]
    action, line = int(result["action"]), _line(record, block) or (int(result["action"]),)
    depth, nodes = max(1, int(result["reached"])), int(result["nodes"])
    return Opinion(action, float(result["value"]), bool(result["exact"]), depth, nodes, line)


def _other(position: Position, action: int, evaluation: Evaluation | None, block: NDArray[np.uint8]) -> Opinion:
    """What a search of what an action leads to finds; the value is as `worth` gives it."""
    child, record = after(position, action), block[:BLOCK_SIZE].view(BLOCK)
    if child.over or record["depth"][0] <= 0:
        return at_sight(position, action, evaluation)
    run(position.game.table, child.data, record)
    result = record[0]
    return Opinion(
        action=action,
        value=float(result["value"]) * (1 if child.turn == position.turn else -1),
        exact=bool(result["exact"]),
        depth=1 + int(result["reached"]),
        nodes=1 + int(result["nodes"]),
        line=(action, *_line(record, block)),
    )


def _line(record: Any, block: NDArray[np.uint8]) -> tuple[int, ...]:
    """The actions that the search in the block expects."""
    start, length = int(record["line"][0]), int(record["length"][0])
    return tuple(block[start:][: 8 * length].view(np.int64).tolist())


def judge_endgame(position: Position, best: Solution, seconds: float) -> Opinions:
    """Solve what each action leads to in Othello, to the last disc, for a player that has solved the position.

    The values are discs as the game's `scoring` counts them; with `"wins"`, those squares that are left empty count for
    the winner. If time is limited, the actions that are not solved are known to be no better than the one played.

    Args:
        position: the position.
        best: its solution, in discs.
        seconds: the time for all others together; 0: no limit.
    """
    here, deadline = counted(position.game).from_text(position.text), time.monotonic() + seconds
    depth, line = position.text.count("-"), _best_play(after(here, best.action), -best.score, seconds)
    opinions = [Opinion(best.action, float(best.score), True, depth, best.nodes, (best.action, *line))]
    others = [action for action in here.legal_actions() if action != best.action]
    for number, action in enumerate(others):
        share = max(_MOMENT, (deadline - time.monotonic()) / (len(others) - number)) if seconds else 0.0
        opinions.append(_solved(here, action, best.score, share))
    return Opinions(position.game.unit, tuple(opinions)).marked(best.action)


def _solved(position: Position, action: int, most: int, seconds: float) -> Opinion:
    """The opinion on an action that is worth at most so much."""
    child, depth = after(position, action), position.text.count("-")
    if child.over:
        return Opinion(action, float(child.payoffs()[position.turn]), True, depth, line=(action,))
    solution = solve(child, above=-most - 1, seconds=seconds)
    if not solution.finished:
        return Opinion(action, float(most), True, depth, 1 + solution.nodes, (action,), bound=True)
    line = _best_play(after(child, solution.action), -solution.score, seconds)
    return Opinion(action, float(-solution.score), True, depth, 1 + solution.nodes, (action, solution.action, *line))


def _best_play(position: Position, score: int, seconds: float) -> list[int]:
    """The actions of perfect play, as far as there is time, where the side to move gets `score`."""
    line, here = list[int](), position.copy()
    while not here.over:
        solution = solve(here, above=score - 1, below=score + 1, seconds=seconds)
        if not solution.finished:
            break
        line.append(solution.action)
        here.push(solution.action)
        score = -score
    return line
