"""Speed of the searches in Othello: `python benchmarks/search.py`; run it on an idle machine.

Prints Markdown: positions a CPU second of `alphabeta` in six positions of random games with 16 to 36 moves, by
evaluation; and evaluations a CPU second of `beam` ten plies deep. A tuple evaluation gets random weights, since its
speed does not depend on them. With `pip install rust-reversi`, the same positions are searched to the same depth by
its alpha-beta with the weights of `wpc`, and the times are compared.
"""

import time
from collections.abc import Callable

import numpy as np
from timing import fastest, installed

from ludarium.agents.othello.tuples import layout
from ludarium.agents.search.alphabeta import search
from ludarium.agents.search.beam import beam, evaluations_made
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import below, stream
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game

GAME = make_game("othello")
DEPTH, REPEATS = 8, 3
QUADRANT = [[100, -25, 10, 5], [-25, -25, 1, 1], [10, 1, 5, 2], [5, 1, 2, 1]]
SQUARES = [row + row[::-1] for row in QUADRANT + QUADRANT[::-1]]
"""The weights of `wpc`, times 100."""


def positions() -> list[Position]:
    positions = []
    for number, plies in enumerate(range(16, 37, 4)):
        draws, position = stream(5, number), GAME.start()
        for _ in range(plies):
            actions = position.legal_actions()
            position.play(actions[int(below(draws, len(actions)))])
        positions.append(position)
    return positions


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """What the work counts, and the shortest CPU time of several repetitions."""
    return work(), fastest(work, repeats=REPEATS, clock=time.process_time)[0]


def tuple_evaluation(name: str) -> Evaluation:
    shape = layout(8, name)
    return shape.evaluation(np.random.default_rng(1).normal(size=shape.starts[-1]))


def peer(here: list[Position]) -> float | None:
    """CPU seconds of rust_reversi's alpha-beta for all positions, to the same depth."""
    if not installed("rust_reversi"):
        return None
    from rust_reversi import AlphaBetaSearch, Board, MatrixEvaluator, Turn

    other = AlphaBetaSearch(MatrixEvaluator(SQUARES), DEPTH, 1 << 20)
    boards = []
    for position in here:
        cells, turn = position.text.split()
        board = Board()
        board.set_board_str(cells, Turn.BLACK if turn == "X" else Turn.WHITE)
        boards.append(board)
    return timed(lambda: sum(other.get_move(board) is not None for board in boards))[1]


def main() -> None:
    here = positions()
    print(
        f"| search, {DEPTH} plies | evaluation | positions | CPU s | million a second |",
        "|---|---|---|---|---|",
        sep="\n",
    )
    evaluations = {name: evaluation_of(GAME, name) for name in ("wpc", "six", "shares")}
    evaluations |= {name: tuple_evaluation(name) for name in ("all-2", "4+2x2", "patterns")}
    times = {}
    for name, evaluation in evaluations.items():
        nodes, times[name] = timed(lambda e=evaluation: sum(search(p, depth=DEPTH, evaluation=e).nodes for p in here))
        print(f"| alphabeta | {name} | {nodes:,} | {times[name]:.2f} | {nodes / times[name] / 1e6:.2f} |", flush=True)
    policy = beam(GAME, evaluation="six")

    def look() -> int:
        total = 0
        for number, position in enumerate(here):
            mask = position.action_mask()
            policy.choose(GAME, position.data, mask, mask, stream(number))
            total += evaluations_made(policy)
        return total

    made, seconds = timed(look)
    print(f"| beam, 10 plies | six | {made:,} | {seconds:.2f} | {made / seconds / 1e6:.2f} |")
    theirs = peer(here)
    if theirs is not None:
        print(f"\nrust_reversi with the weights of `wpc`: {theirs:.2f} s, {theirs / times['wpc']:.1f} × ours")


if __name__ == "__main__":
    main()
