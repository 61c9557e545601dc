"""Make the networks of the agent `expert` for backgammon: `python benchmarks/expert_backgammon.py make`.

They learn from the decisions of experts and from games with themselves, as
`ludarium.agents.expert.backgammon_learning` says: first from the experts' choices and from how their games
ended; then, generation by generation, from games and experts; then in a few rounds from positions of the latest games,
each looked at one roll ahead. The networks are the means over the last rounds. `--decisions FILE` takes a file of
`ludarium data backgammon FOLDER --held-out 0.1` in place of the decisions that come with the package. The run is kept
in `runs/expert-backgammon`; it can be stopped at any moment, and goes on from where it was saved. At the end the
networks are written beside the agent, rounded to 16 bits.

`measure` plays against pubeval, with the same dice for both sides, in money games without the cube, and prints
Markdown: net points a game ± one standard error over pairs.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.expert import NETWORKS
from ludarium.agents.expert.backgammon_games import PARTS, look_ahead, play, start
from ludarium.agents.expert.backgammon_learning import learn
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.learning.parallel import Parallel, workers
from ludarium.agents.values.backgammon_network import OUTCOMES
from ludarium.envs.backgammon.decision_files import load, shipped
from ludarium.envs.backgammon.decisions import Decisions, is_race
from ludarium.envs.chance import seed_key
from ludarium.envs.files import replacing
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import play_match

GAME = make_game("backgammon")
RUN = Path("runs/expert-backgammon")
SEED, TEST_SEED = 0, 1_000_000
UNITS = {"contact": 192, "race": 64}
GENERATIONS, GAMES = 60, 1000
ROUNDS, AVERAGED = 6, 4  # rounds that look ahead, and the last of them, whose networks' mean is what plays
LOOKED, FRESH, PASSES = 200_000, 5, 6  # positions of a round, generations of games before it, uses of a position
KEPT = 20  # generations from whose games a batch is drawn
FIRST_PASSES, FIRST_RATE = 5, 0.006  # through the decisions of experts
RATES = 0.002, 0.0015  # the step size falls from the one to the other,
ROUND_RATES = 0.001, 0.0001  # and in each round again
PLAY = np.array([0.85, 0.3, 0.5, 0.1])  # see `play`
BATCH, CHOICES, WEIGHT = 200, 12, 0.003  # positions and decisions of a step, and how much the latter count
USES = 3  # how often a position is drawn, on average
SAVED = 10  # generations between two checkpoints; each round has one
PARTS_OF_GAMES = 4  # whatever the number of workers
NAMES = [f"{part}_{name}" for part in PARTS for name in ("hidden", "output", "bias")]
Positions = tuple[NDArray[np.int8], NDArray[np.float32]]


def imitate(arrays: Arrays, known: Decisions) -> None:
    """Learn from the experts' choices, and from how their games ended."""
    draws, steps = np.random.default_rng(SEED), FIRST_PASSES * len(known) // 100
    rows = known.results[known.offsets[:-1] + known.played]
    ended = np.flatnonzero(known.outcomes)
    targets = np.zeros((len(known), OUTCOMES), dtype=np.float32)
    won = known.outcomes[ended]
    targets[ended, np.where(won > 0, won + 2, won + 3)] = 1
    at_once = 1000
    for step in range(0, steps, at_once):
        chosen = draws.integers(0, len(known), (min(at_once, steps - step), 100))
        batches = draws.choice(ended, (len(chosen), 20))
        rate = FIRST_RATE * (1 - 0.9 * step / steps)
        error, likelihood = learn(arrays, "contact", rows, targets, batches, known, chosen, rate, 1.0)
    print(f"imitation: error {error:.3f}, likelihood {likelihood:.3f}", flush=True)


def played(arrays: Arrays, known: Decisions, path: tuple[int, ...], parallel: Parallel) -> Positions:
    """Positions of a generation's games, and their returns."""

    def games(part: int) -> Positions:
        return play(GAME, arrays, known.positions, GAMES // PARTS_OF_GAMES, seed_key(SEED, *path, part), PLAY)

    parts = parallel(games, range(PARTS_OF_GAMES))
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([targets for _, targets in parts])


def learn_from_games(arrays: Arrays, number: int, known: Decisions, kept: list[Positions], parallel: Parallel) -> str:
    """Play, and learn from the latest games and from experts; returns what to report."""
    draws = np.random.default_rng([SEED, number])
    kept.append(played(arrays, known, (number,), parallel))
    del kept[:-KEPT]
    rows, targets = np.concatenate([pair[0] for pair in kept]), np.concatenate([pair[1] for pair in kept])
    rate, told, races = falling(RATES, number / GENERATIONS), [], is_race(rows)
    for part in PARTS:
        own = np.flatnonzero(races == (part == "race"))
        steps = USES * len(own) // len(kept) // BATCH
        batches = draws.choice(own, (steps, BATCH))
        chosen = draws.integers(0, len(known), (steps, CHOICES if part == "contact" else 0))
        error, likelihood = learn(arrays, part, rows, targets, batches, known, chosen, rate, WEIGHT)
        told.append(f"{part} {steps} steps, error {error:.3f}, likelihood {likelihood:.3f}")
    return "; ".join(told)


def learn_ahead(arrays: Arrays, number: int, known: Decisions, kept: list[Positions], parallel: Parallel) -> str:
    """Play, and learn what the networks themselves expect one roll later; returns what to report."""
    draws = np.random.default_rng([SEED, number])
    for fresh in range(FRESH):
        kept.append(played(arrays, known, (number, fresh), parallel))
    del kept[:-KEPT]
    rows = np.concatenate([pair[0] for pair in kept])
    rows = rows[draws.choice(len(rows), LOOKED, replace=False)]
    targets = np.concatenate(parallel(lambda some: look_ahead(GAME, arrays, some), np.array_split(rows, 16)))
    told, races, at_once = [], is_race(rows), 500
    for part in PARTS:
        own = np.flatnonzero(races == (part == "race"))
        steps = PASSES * len(own) // BATCH
        for step in range(0, steps, at_once):
            batches = draws.choice(own, (min(at_once, steps - step), BATCH))
            chosen = draws.integers(0, len(known), (len(batches), CHOICES if part == "contact" else 0))
            rate = falling(ROUND_RATES, step / steps)
            error, likelihood = learn(arrays, part, rows, targets, batches, known, chosen, rate, WEIGHT)
        told.append(f"{part} {steps} steps, error {error:.3f}, likelihood {likelihood:.3f}")
    if number >= GENERATIONS + ROUNDS - AVERAGED:
        for name in NAMES:
            arrays[f"{name}_total"] = arrays.get(f"{name}_total", 0.0) + arrays[name].astype(np.float64)
    return "; ".join(told)


def falling(rates: tuple[float, float], time: float) -> float:
    return rates[0] * (rates[1] / rates[0]) ** time


def make(decisions: str, stop: float, parallel: Parallel) -> None:
    """Train the networks and write them; `stop` ends the work early, after this many minutes."""
    known = (load(decisions) if decisions else shipped()).part(held_out=False)
    RUN.mkdir(parents=True, exist_ok=True)
    file, before, began = RUN / "run.npz", time.process_time(), time.monotonic()
    if file.exists():
        with np.load(file, allow_pickle=False) as stored:
            arrays = Arrays(stored)
        kept = [(arrays.pop(f"rows{i}"), arrays.pop(f"targets{i}")) for i in range(KEPT) if f"rows{i}" in arrays]
    else:
        arrays, kept = start(UNITS, SEED) | {"generation": np.zeros(1, dtype=np.int64), "cpu": np.zeros(1)}, []
        imitate(arrays, known)
    for number in range(int(arrays["generation"][0]), GENERATIONS + ROUNDS):
        step = learn_from_games if number < GENERATIONS else learn_ahead
        told = step(arrays, number, known, kept, parallel)
        arrays["generation"][0] = number + 1
        if (number + 1) % SAVED == 0 or number >= GENERATIONS:
            arrays["cpu"] += time.process_time() - before
            before = time.process_time()
            print(f"generation {number + 1}: {arrays['cpu'][0]:.0f} CPU s; {told}", flush=True)
            buffer = {
                f"{name}{i}": pair[k] for i, pair in enumerate(kept) for k, name in enumerate(("rows", "targets"))
            }
            with replacing(file) as part, part.open("wb") as out:
                np.savez(out, **arrays, **buffer)
            if stop and time.monotonic() - began > 60 * stop:
                return
    np.savez_compressed(NETWORKS, **{name: (arrays[f"{name}_total"] / AVERAGED).astype(np.float16) for name in NAMES})
    print(f"{arrays['cpu'][0]:.0f} CPU s, {NETWORKS.stat().st_size:,} bytes")


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
    parser.add_argument("--workers", type=int, help="threads that play; by default one per core")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after this time; the command then goes on")
    parser.add_argument("--agent", default="expert", help="what is measured")
    parser.add_argument("--pairs", type=int, default=10_000)
    given = parser.parse_args()
    if given.part == "make":
        with workers("threads", given.workers) as parallel:
            make(given.decisions, given.minutes, parallel)
    else:
        measure(given.agent, given.pairs)


if __name__ == "__main__":
    main()
