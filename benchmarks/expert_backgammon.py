"""Make the networks of the agent `expert` for backgammon: `python benchmarks/expert_backgammon.py make`.

They learn what bgsage (extra `backgammon`) thinks of millions of positions: first of the results that experts had a
choice of, then also of positions of their own games and of what another roll could have made of them. Of the results of
a roll, they learn those that are almost as good as the best, and some of the others. `--decisions FILE` takes a file of
`ludarium data backgammon FOLDER --held-out 0.1` in place of the decisions that come with the package. What has been
done is kept in `runs/expert-backgammon`; the command can be killed at any moment, and goes on from there. At the end
the networks are written beside the agent, rounded to 16 bits.

`measure` plays against pubeval, with the same dice for both sides, in money games without the cube, and prints
Markdown: net points a game ± one standard error over pairs.
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.teaching_games import PARTS, play, start
from ludarium.agents.backgammon.training import learn
from ludarium.agents.expert import NETWORKS
from ludarium.agents.external.bgsage import outcomes
from ludarium.agents.learning.parallel import Parallel, workers
from ludarium.envs.backgammon.decision_files import load, shipped
from ludarium.envs.backgammon.decisions import Decisions, is_race, legal_results, other_side
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays, read_arrays, replacing
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

GAME = make_game("backgammon")
RUN = Path("runs/expert-backgammon")
SEED, TEST_SEED = 0, 1_000_000
UNITS = {"contact": 640, "race": 128}
FIRST_PASSES, PASSES = 2, 15  # uses of each position
RATES = 0.002, 0.00003  # the step size falls from the one to the other
BATCH = 200
NEAR, REST = 0.15, 0.1  # results within so many points of the best are learned, and this share of the others
GAMES, PARTS_OF_GAMES = 15_000, 6  # whatever the number of workers
PLAY = np.array([0.3, 0.5, 0.1])  # see `play`
ROLLED = 400_000  # positions of those games with another roll
AT_ONCE, SAVED = 1000, 10_000  # steps of one call, and between two checkpoints
POINTS = np.array([-3, -2, -1, 1, 2, 3], dtype=np.float32)
NAMES = [f"{part}_{name}" for part in PARTS for name in ("hidden", "output", "bias")]


def kept(name: str, make: Callable[[], Arrays]) -> Arrays:
    """What `make` returned, now or in an earlier run of this command."""
    file, before = RUN / f"{name}.npz", time.process_time()
    if not file.exists():
        write(file, make())
        print(f"{name}: {time.process_time() - before:.0f} CPU s", flush=True)
    return read_arrays(file)


def write(file: Path, arrays: Arrays) -> None:
    with replacing(file) as part, part.open("wb") as out:
        np.savez(out, **arrays)


def judged(rows: NDArray[np.int8], threads: int) -> NDArray[np.float32]:
    """What the teacher thinks of positions."""
    parts = np.array_split(rows, math.ceil(len(rows) / 100_000))
    return np.concatenate([outcomes(some, threads) for some in parts])


def near_the_best(results: NDArray[np.int8], offsets: NDArray[np.int64], threads: int) -> Arrays:
    """Some of the results of each roll, and what the teacher thinks of them."""
    targets = judged(results, threads)
    points = targets @ POINTS
    best = np.repeat(np.maximum.reduceat(points, offsets[:-1]), np.diff(offsets))
    some = (points >= best - NEAR) | (np.random.default_rng(SEED).random(len(points)) < REST)
    return {"rows": results[some], "targets": targets[some]}


def own_positions(arrays: Arrays, decisions: Decisions, parallel: Parallel, threads: int) -> Arrays:
    """Positions of the networks' own games, and what another roll could have made of some of them."""

    def games(part: int) -> NDArray[np.int8]:
        return play(GAME, arrays, decisions.positions, GAMES // PARTS_OF_GAMES, seed_key(SEED, part), PLAY)

    rows, draws = np.concatenate(parallel(games, range(PARTS_OF_GAMES))), np.random.default_rng(SEED)
    before = other_side(rows[draws.choice(len(rows), min(ROLLED, len(rows)), replace=False)])
    dice = np.sort(draws.integers(1, 7, (len(before), 2)), axis=1).astype(np.int8)
    near = near_the_best(*legal_results(before, dice), threads)
    return together({"rows": rows, "targets": judged(rows, threads)}, near)


def together(one: Arrays, other: Arrays) -> Arrays:
    """Distinct positions of both."""
    rows, places = np.unique(np.concatenate([one["rows"], other["rows"]]), axis=0, return_index=True)
    return {"rows": rows, "targets": np.concatenate([one["targets"], other["targets"]])[places]}


def train(name: str, arrays: Arrays, positions: Arrays, passes: int) -> Arrays:
    """Learn from positions."""
    file = RUN / f"{name}-unfinished.npz"
    arrays = dict(arrays) | {f"{part}_done": np.zeros(1, dtype=np.int64) for part in PARTS}
    if file.exists():
        arrays = read_arrays(file)
    rows, targets = positions["rows"], positions["targets"]
    races = is_race(rows)
    for part in PARTS:
        own, done = np.flatnonzero(races == (part == "race")), arrays[f"{part}_done"]
        steps = passes * len(own) // BATCH
        while done[0] < steps:
            draws, size = np.random.default_rng([SEED, int(done[0])]), min(AT_ONCE, steps - int(done[0]))
            batches = own[draws.integers(0, len(own), (size, BATCH))]
            rate = RATES[0] * (RATES[1] / RATES[0]) ** (done[0] / steps)
            error = learn(arrays, part, rows, targets, batches, rate)
            done += size
            if done[0] % SAVED == 0 or done[0] == steps:
                write(file, arrays)
                print(f"{name}, {part}: {done[0]:,} of {steps:,} steps, error {error:.4f}", flush=True)
    return arrays


def make(decisions: str, parallel: Parallel, threads: int) -> None:
    """Train the networks and write them."""
    decisions_read = (load(decisions) if decisions else shipped()).part(held_out=False)
    RUN.mkdir(parents=True, exist_ok=True)
    experts = kept("experts", lambda: near_the_best(decisions_read.results, decisions_read.offsets, threads))
    first = kept("first", lambda: train("first", start(UNITS, SEED), experts, FIRST_PASSES))
    own = kept("own", lambda: own_positions(first, decisions_read, parallel, threads))
    both = together(experts, own)
    arrays = kept("networks", lambda: train("networks", first, both, PASSES))
    np.savez_compressed(NETWORKS, **{name: arrays[name].astype(np.float16) for name in NAMES})
    print(f"{len(both['rows']):,} positions, {NETWORKS.stat().st_size:,} bytes")


def measure(spec: str, pairs: int) -> None:
    """Print the agent's result against pubeval."""
    before = time.process_time()
    played = play_match(GAME, [spec, "greedy"], pairs, TEST_SEED)
    seconds, points = time.process_time() - before, played.points()
    won = float((played.payoffs[:, :, 0] > 0).mean())
    print("| agent | games | net points a game | won | games/s |", "|---|---|---|---|---|", sep="\n")
    error = float(points.std(ddof=1)) / math.sqrt(len(points))
    print(f"| {spec} | {played.games:,} | {points.mean():+.3f} ± {error:.3f} | {100 * won:.1f} % "
          f"| {played.games / seconds:,.0f} |")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("make", "measure"))
    parser.add_argument("--decisions", default="", help="a file of `ludarium data backgammon`")
    parser.add_argument("--workers", type=int, default=2, help="threads that play and judge")
    parser.add_argument("--agent", default="expert", help="what is measured")
    parser.add_argument("--pairs", type=int, default=10_000)
    args = parser.parse_args()
    if args.part == "make":
        with workers("threads", args.workers) as parallel:
            make(args.decisions, parallel, args.workers)
    else:
        measure(args.agent, args.pairs)


if __name__ == "__main__":
    main()
