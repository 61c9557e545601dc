"""What more decisions of experts are worth, as the authors of Gengammon asked: `python benchmarks/gengammon_cross.py`.

Trains the preset `seed` on the first decisions of a file, once for each of `--sizes` (0: all of them), and lets the
networks and `random` play each other, 50,000 games a pair. Prints Markdown, three tables of each row against each
column: the share of games in which the row is ahead once the sides have passed each other, and its mean lead in pips,
both by the Home Bound metric; and net points a game. `--roll-bonus 8.166` is that of the original. Runs are kept in
`runs/gengammon-cross`, so the command can be stopped and goes on. The results do not depend on the number of workers.
"""

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludarium.agents.genetic.gengammon.original import Original
from ludarium.agents.learning.parallel import workers
from ludarium.agents.learning.run import train
from ludarium.envs.backgammon.decision_files import load, save, shipped
from ludarium.envs.registry import make_game
from ludarium.evaluation.measures.backgammon.home_bound import ROLL_BONUS, HomeBound, home_bound

GAME = make_game("backgammon")
RUNS = Path("runs/gengammon-cross")
BATCH = 100  # decisions that judge a generation


class Pairing(NamedTuple):
    """Two players to compare."""

    row: str
    column: str
    pairs: int
    seed: int
    roll_bonus: float


def trained(decisions: str, size: int, generations: int, seed: int) -> str:
    """The spec of a network that has learned from `size` decisions."""
    known = (load(decisions) if decisions else shipped()).part(held_out=False)
    size = min(size or len(known), len(known))
    file, folder = RUNS / f"decisions-{size}.npz", RUNS / f"{size}-{generations}-{seed}"
    RUNS.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        save(known.select(np.arange(len(known)) < size), file, compact=True)
    options = {"decisions": str(file), "seed": seed, "generations": generations, "batch": BATCH}
    train(Original(game=GAME.spec, checkpoints=1, test_games=20, **options), folder)
    return f"gengammon:{folder}"


def compare(pairing: Pairing) -> HomeBound:
    return home_bound(GAME, pairing.row, pairing.column, pairing.pairs, pairing.seed, roll_bonus=pairing.roll_bonus)


def show(
    title: str, names: list[str], cells: dict[tuple[int, int], HomeBound], cell: Callable[[HomeBound], str]
) -> None:
    """Print one table."""
    print(f"\n| {title} | " + " | ".join(names[1:]) + " |", "|---" * len(names) + "|", sep="\n")
    for row, name in enumerate(names[:-1]):
        line = [cell(cells[row, column]) if row < column else "" for column in range(1, len(names))]
        print(f"| {name} | " + " | ".join(line) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", default="", help="a file of `ludarium data backgammon`")
    parser.add_argument("--sizes", type=int, nargs="+", default=[0, 45_000, 30_000, 1500], help="the largest first")
    parser.add_argument("--generations", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=25_000)
    parser.add_argument("--roll-bonus", type=float, default=ROLL_BONUS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--executor", default="threads")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    started, spent = time.perf_counter(), time.process_time()
    agents = [trained(given.decisions, size, given.generations, given.seed) for size in given.sizes] + ["random"]
    print(f"training: {time.perf_counter() - started:.0f} s, {time.process_time() - spent:.0f} CPU s")
    started, spent = time.perf_counter(), time.process_time()
    cells = list(itertools.combinations(range(len(agents)), 2))
    pairings = [Pairing(agents[a], agents[b], given.pairs, given.seed, given.roll_bonus) for a, b in cells]
    with workers(given.executor, given.workers) as parallel:
        found: Any = dict(zip(cells, parallel(compare, pairings), strict=True))
    print(f"games: {time.perf_counter() - started:.0f} s, {time.process_time() - spent:.0f} CPU s")
    names = [f"{size or 'all'} decisions" for size in given.sizes] + ["random"]
    show("ahead", names, found, lambda cell: f"{100 * cell.ahead:.1f} %")
    show("pips", names, found, lambda cell: f"{cell.pips:+.2f} ± {cell.margin:.2f}")
    show("points", names, found, lambda cell: f"{cell.points:+.3f} ± {cell.points_margin:.3f}")


if __name__ == "__main__":
    main()
