"""Alpha-beta search for games of two seats without chance and hidden information.

Iterative deepening; principal-variation search (Marsland & Campbell 1982) with a transposition table, killer moves and
the history heuristic (Schaeffer 1989): see `ludarium.agents.search.tree`. The last squares of Othello are left to
`ludarium.agents.othello.endgame.solver`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import takes
from ludarium.agents.othello.endgame.exact import ENDGAME, ENDGAME_SIZE, fill_endgame, is_endgame, solve, table_slots
from ludarium.agents.othello.endgame.solver import solution_in
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.judge import judge_by_search, judge_endgame
from ludarium.agents.search.tree import BLOCK, BLOCK_SIZE, check_game, new_block, run, think
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, advance, view
from ludarium.envs.opinions import Opinions
from ludarium.envs.options import Option
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position

_OPTIONS = {
    "depth": Option(4, 1, 100),
    "nodes": Option(0, 0, 2**62),
    "table": Option(18, 0, 28),
    "endgame": Option(12, 0, 24),
}
_LONGEST = 1_000_000  # seconds


@takes(lambda game: check_game("alphabeta", game))
def alphabeta(
    game: Game,
    *,
    depth: int = 4,
    nodes: int = 0,
    seconds: float = 0.0,
    table: int = 18,
    endgame: int = 12,
    evaluation: str | Evaluation | None = "",
) -> Policy:
    """Iterative-deepening alpha-beta on a static evaluation.

    It stops early when the game is searched to its end or a winning line is found. If everything loses, it plays what
    looked best before it saw that. Of equally good actions it takes the one it searched first; nothing is random.

    Args:
        game: a zero-sum game of two seats without chance and hidden information.
        depth: plies to look ahead, 1 to 100; a pass does not count.
        nodes: stop after this many positions, with the best action so far; 0 for no limit.
        seconds: the same for the time that a move takes, at most 1,000,000; 0 for no limit. With a limit, moves depend
            on the machine, and up to half of the time is for a perfect endgame.
        table: base-2 logarithm of the number of entries in the transposition table, up to 28; 0 for none.
        endgame: in Othello, play perfectly once no more than this many squares, up to 24, are empty, for as many discs
            as possible also where only winning counts. With `seconds`, that is tried from more squares on if there is
            time, and given up if it takes too long; 0 for never.
        evaluation: what unfinished positions are worth: an evaluation of the game by name; empty, its first; `"none"`,
            their returns so far; or see `ludarium.agents.specs`.

    Raises:
        ValueError: for another kind of game, an option out of range, or an unknown evaluation.
    """
    check_game("alphabeta", game)
    chosen = evaluation_of(game, evaluation)
    function = _othello if game.name == "othello" else _alphabeta

    def new() -> NDArray[np.uint8]:
        return _block(game, chosen, depth, nodes, seconds, table, endgame)

    def judge(position: Position, stream: NDArray[np.uint64]) -> Opinions:
        block = new()
        (_run_othello if game.name == "othello" else run)(game.table, position.data, block[:BLOCK_SIZE].view(BLOCK))
        if game.name == "othello":
            solution = solution_in(_endgame_of(block)["scratch"])
            if solution.finished:
                return judge_endgame(position, solution, seconds)
        return judge_by_search(position, chosen, block)

    return Policy(function, BLOCK, new(), needs_state=True, judge=judge)


def solved_last(policy: Policy) -> bool:
    """Whether a player of Othello solved the last position in which it was asked for a move."""
    assert policy.block is not None
    return bool(_endgame_of(policy.block)["scratch"]["finished"][0])


@dataclass(frozen=True)
class SearchResult:
    """What `search` found.

    Attributes:
        action: the best action.
        value: what the position is worth to the seat to move: in units of the evaluation, or the `result` of a finished
            game.
        depth: the plies looked ahead.
        nodes: the positions visited.
        exact: whether the value is that of perfect play.
    """

    action: int
    value: float
    depth: int
    nodes: int
    exact: bool


def search(
    position: Position,
    *,
    depth: int = 4,
    nodes: int = 0,
    seconds: float = 0.0,
    table: int = 18,
    evaluation: str | Evaluation | None = "",
) -> SearchResult:
    """Search a position and return the result; arguments and errors are those of `alphabeta`.

    See `ludarium.agents.othello.endgame.solver.solve` for endgames of Othello.
    """
    game = position.game
    check_game("alphabeta", game)
    block = _block(game, evaluation_of(game, evaluation), depth, nodes, seconds, table, 0)
    record = block[:BLOCK_SIZE].view(BLOCK)
    run(game.table, position.data, record)
    result = record[0]
    return SearchResult(
        int(result["action"]),
        float(result["value"]),
        int(result["reached"]),
        int(result["nodes"]),
        bool(result["exact"]),
    )


def check_budget(agent: str, nodes: int, seconds: float) -> None:
    """Refuse a budget that no search can have.

    Args:
        agent: who was given it, for the error.
        nodes: as for `alphabeta`.
        seconds: as for `alphabeta`.

    Raises:
        ValueError: if one of them is out of range.
    """
    _OPTIONS["nodes"].check(agent, "nodes", nodes)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _LONGEST:
        raise ValueError(f"{agent}: seconds must be a number from 0 to {_LONGEST:,}, not {seconds!r}")


def _block(
    game: Game, evaluation: Evaluation | None, depth: int, nodes: int, seconds: float, table: int, endgame: int
) -> NDArray[np.uint8]:
    options = {"depth": depth, "nodes": nodes, "table": table, "endgame": endgame}
    depth, nodes, table, endgame = (int(_OPTIONS[key].check("alphabeta", key, value)) for key, value in options.items())
    check_budget("alphabeta", nodes, seconds)
    if game.name != "othello":
        return new_block(game, evaluation, depth, nodes, seconds, table)
    if seconds and endgame:
        endgame = max(endgame, min(_OPTIONS["endgame"].high, _solved_within(seconds / 2)))
    extra = ENDGAME_SIZE + 24 * table_slots(endgame)
    block = new_block(game, evaluation, depth, nodes, seconds, table, extra=extra)
    end = _endgame_of(block)
    fill_endgame(end, game, endgame)
    end["scratch"]["budget"] = math.ceil(1e9 * seconds / 2)
    return block


def _endgame_of(block: NDArray[np.uint8]) -> Any:
    """The record of the endgame in a block for Othello, shape (1,)."""
    return block[int(block[:BLOCK_SIZE].view(BLOCK)["extra"][0]) :][:ENDGAME_SIZE].view(ENDGAME)


def _solved_within(seconds: float) -> int:
    """With how many empty squares of Othello most positions are solved in this time.

    As `benchmarks/endgame.py --times` measures, nine in ten with 16 empty squares take no more than 0.016 s, and with
    each square more 2.4 times as long.
    """
    return 16 + math.floor(math.log(seconds / 0.016, 2.4)) if seconds > 0.016 else 0


def _alphabeta(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    action = _forced(game, mask)
    return action if action >= 0 else think(game, state, block)


def _othello(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    action = _forced(game, mask)
    return action if action >= 0 else _solve_or_think(game, state, block)


@jit
def _solve_or_think(game: Any, state: Any, m: Any) -> int:
    """Solve an endgame; search if it is none yet, or with what is left of the time if that takes too long."""
    end = view(advance(m, m.extra), ENDGAME)
    if not is_endgame(state, end):
        end.scratch.finished = 0
        return think(game, state, m)
    solve(state, end)
    if end.scratch.finished:
        return end.scratch.best_move[0]
    budget = m.budget
    m.budget = max(1, budget - end.scratch.spent)
    action = think(game, state, m)
    m.budget = budget
    return action


@jit
def _run_othello(game: Any, state: Any, block: Any) -> None:
    """`_solve_or_think` for Python code, as `tree.run`."""
    _solve_or_think(game, advance(state, 0), block[0])


@jit
def _forced(game: Any, mask: Any) -> int:
    """The only legal action, or -1 if there are several."""
    only = -1
    for action in range(game[ACTIONS]):
        if mask[action]:
            if only >= 0:
                return -1
            only = action
    return only
