"""Play with a network that the original program saved: `python benchmarks/gengammon_saved.py AI_45000_iterations.txt`.

The original saves a population by Java's serialization, and plays with its first network. Its inputs are 52 numbers of
checkers: its own on 26 places of the board, then the other side's. 18 of its 26 units see eight neighbouring places of
both sides, the others all of them. Products of weights and checkers lose the bits that do not fit into 32. The score is
the sum of the units, so the network is a table with a number for each place and number of checkers. Places are counted
from the same end of the board for both sides. The numbers of checkers borne off stand where those on the bar would be
expected, and only one side sees the other's bar.

Prints as Markdown how the network does against pubeval, whose routine for races it gets, and against random play.
"""

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.by_contact import by_contact
from ludarium.agents.backgammon.cube import leave_cube
from ludarium.agents.backgammon.pubeval import ALL_OFF, pubeval
from ludarium.agents.baselines.random import random
from ludarium.agents.compiled.blocks import pack, table
from ludarium.envs.backgammon.rules import ANSWER, BAR, FINISHED, OFFER, OPENING, STATE
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SCRATCH_SIZE, SIZE, afterstates, step_toward_best
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, advance, view
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

UNITS, INPUTS, MOST = 26, 52, 16
_SIDE, _NEAR, _NARROW = 26, 8, 18  # places of a side, places that a narrow unit sees of it, and such units
_HEAD = rb"u(?:r\x00%b\[I.{8}\x02\x00\x00xp|q\x00\x7e..)\x00\x00\x00%b"  # of an array: a class, new or known; a length
_MATRIX = re.compile(_HEAD % (rb"\x03\[", bytes([UNITS])), re.DOTALL)
_ROW = re.compile(_HEAD % (rb"\x02", bytes([INPUTS])), re.DOTALL)
_BLOCK = np.dtype([("table", np.int64), ("results", np.int64), ("scratch", np.int64)], align=True)


def read(file: Path) -> list[NDArray[np.int32]]:
    """The weights of the networks in a file, each of shape (26, 52).

    Raises:
        ValueError: if there are none.
        OSError: if it cannot be read.
    """
    data, networks = file.read_bytes(), list[NDArray[np.int32]]()
    matrix = _MATRIX.search(data)
    while matrix:
        rows, at = list[NDArray[np.int32]](), matrix.end()
        while len(rows) < UNITS and (row := _ROW.match(data, at)) and row.end() + 4 * INPUTS <= len(data):
            at = row.end() + 4 * INPUTS
            rows.append(np.frombuffer(data[row.end() : at], dtype=">i4").astype(np.int32))
        if len(rows) == UNITS:
            networks.append(np.array(rows))
        matrix = _MATRIX.search(data, at)
    if not networks:
        raise ValueError(
            f"{file}: there is no network of {INPUTS} inputs and {UNITS} units, saved by the original program"
        )
    return networks


def numbers(weights: NDArray[np.int32]) -> NDArray[np.float64]:
    """What so many checkers on each place add to the score, shape (52, 16)."""
    seen = np.zeros((UNITS, INPUTS), dtype=np.int64)
    for unit in range(_NARROW):
        for side in range(2):
            first = _SIDE * side + unit
            seen[unit, first : first + _NEAR] = weights[unit, _NEAR * side : _NEAR * (side + 1)]
    seen[_NARROW:] = weights[_NARROW:]
    products = (seen[:, :, None] * np.arange(MOST)).astype(np.int32)  # this loses the other bits
    return products.sum(axis=0, dtype=np.float64)


def saved(game: Game, weights: NDArray[np.int32]) -> Policy:
    """The player that a network becomes; pubeval plays its races, and it leaves the cube alone."""
    tables = {
        "table": numbers(weights),
        "results": np.zeros(MAX_AFTERSTATES * SIZE, dtype=np.uint8),
        "scratch": np.zeros(SCRATCH_SIZE, dtype=np.uint8),
    }
    return by_contact(Policy(_saved, _BLOCK, pack(_BLOCK, {}, tables), needs_state=True), pubeval(game))


def _saved(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    s, results = view(state, STATE), advance(block, block.results)
    if s.phase == OFFER or s.phase == ANSWER:
        return leave_cube(s)
    adds, scores = table(block, block.table, np.float64, (INPUTS, MOST)), np.empty(afterstates(s, results))
    for i in range(len(scores)):
        scores[i] = score(view(advance(results, i * SIZE), STATE), s.seat, adds)
    return step_toward_best(s, results, scores, advance(block, block.scratch))


@jit
def score(s: Record, seat: int, adds: Any) -> float:
    """The network's score of a turn's result, for the seat that has moved."""
    if s.phase == FINISHED or s.phase == OPENING:
        return ALL_OFF * ALL_OFF
    other, total = 1 - seat, 0.0
    for point in range(1, 25):
        place = point if seat == 0 else 25 - point
        total += adds[place, s.checkers[seat, point]] + adds[51 - place, s.checkers[other, point]]
    if seat == 0:  # counts as the board does
        return total + adds[25, s.checkers[0, 0]] + adds[26, s.checkers[1, BAR]]
    return total + adds[0, s.checkers[1, 0]] + adds[51, s.checkers[0, 0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pairs", type=int, default=5000, help="of games, with the same dice and exchanged seats")
    args = parser.parse_args()
    game = make_game("backgammon")
    player = saved(game, read(args.file)[0])
    print("| opponent | games | net points a game | won |", "|---|---|---|---|", sep="\n")
    for name, opponent in (("pubeval", pubeval(game)), ("`random`", random(game))):
        games = play_match(game, [player, opponent], args.pairs, 0).payoffs[:, :, 0]
        pairs = games.mean(axis=1)
        points = f"{pairs.mean():+.3f} ± {pairs.std() / len(pairs) ** 0.5:.3f}"
        print(f"| {name} | {2 * args.pairs:,} | {points} | {100 * (games > 0).mean():.1f} % |", flush=True)


if __name__ == "__main__":
    main()
