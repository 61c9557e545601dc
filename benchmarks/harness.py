"""What a tournament costs beside the bare games: everything measured in this run, on an otherwise idle machine.

Prints Markdown. Between compiled agents: games a second of a whole tournament (schedule, one worker thread, moves kept,
results in an SQLite store in memory) beside those of a bare call of the compiled batch; and the same with a worker on
every core and the store in a file, beside as many bare calls at once, so that no core is free for the storing. Between
agents in Python: beside the loop over PettingZoo's environment with its wrappers, as its documentation shows it. Then
the fit of a thousand entrants' ratings. Every figure is the best of some alternating repetitions.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pettingzoo.classic import tictactoe_v3

from ludarium.agents.specs import make_agent
from ludarium.envs.batch import play_games
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import game_keys
from ludarium.evaluation.statistics.ratings import Results, fit
from ludarium.evaluation.tournament.schedule import GameEntry, Tournament, run
from ludarium.evaluation.tournament.store import Store

SCALE = 1.0


def fastest(*works: Callable[[], object], repeats: int = 5) -> list[float]:
    """The least seconds of each work; they take turns, so that all have the same share of a busy machine."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            started = time.perf_counter()
            work()
            taken.append(time.perf_counter() - started)
    return [min(taken) for taken in times]


def compiled(game: str, agent: str, pairs: int, workers: int = 1) -> None:
    """A tournament of two compiled agents beside the bare batch, with one worker, or on all cores."""
    pairs = int(pairs * SCALE) * workers
    rules = make_game(game)
    policies = [policy for _ in range(2) if (policy := make_agent(agent, rules).policy) is not None]
    seating = np.tile([[0, 1], [1, 0]], (pairs, 1))
    keys, agent_keys = game_keys(0, 0, pairs, 2)

    def part(number: int) -> None:
        mine = slice(number, None, workers)
        play_games(rules, policies, seating[mine], keys[mine].copy(), agent_keys[mine].copy())

    def bare() -> None:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(part, range(workers)))

    def harness() -> None:
        tournament = Tournament((agent, agent), (GameEntry(game, pairs),))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "games.db" if workers > 1 else None
            with Store(path, tournament.data()) as store:
                run(tournament, store, executor="threads", workers=workers)

    harness()  # compiles
    bare_time, harness_time = fastest(bare, harness)
    print(
        f"| {game}, {agent} v {agent}{', all cores' * (workers > 1)} | {2 * pairs / harness_time:,.0f} games/s | "
        f"bare batch {2 * pairs / bare_time:,.0f} games/s | {100 * bare_time / harness_time:.0f} % | 90 % |",
        flush=True,
    )


def first_legal(observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, object]) -> int:
    """The cheapest agent in Python, so that what is measured is all the rest."""
    return int(action_mask.argmax())


def python(games: int) -> None:
    """A tournament of two agents in Python beside PettingZoo's loop; both start each game with three random moves."""
    games = int(games * SCALE)
    spec = "benchmarks/harness.py:first_legal"
    tournament = Tournament((spec, spec), (GameEntry("tictactoe", games // 2, opening=3),))

    def harness() -> None:
        with Store(None, tournament.data()) as store:
            run(tournament, store, executor="threads", workers=1)

    def pettingzoo() -> None:
        rng = np.random.default_rng(0)
        env = tictactoe_v3.env()
        for number in range(games):
            env.reset(seed=number)
            for ply, _ in enumerate(env.agent_iter()):
                observation, _, terminated, truncated, info = env.last()
                mask = observation["action_mask"]
                if terminated or truncated:
                    action = None
                elif ply < 3:
                    action = int(rng.choice(np.flatnonzero(mask)))
                else:
                    action = first_legal(observation["observation"], mask, info)
                env.step(action)

    harness()
    harness_time, their_time = fastest(harness, pettingzoo, repeats=3)
    print(
        f"| tictactoe, two functions in Python | {games / harness_time:,.0f} games/s | PettingZoo, wrapped "
        f"{games / their_time:,.0f} games/s | {their_time / harness_time:.1f} × | 5 × |",
        flush=True,
    )


def ratings(entrants: int) -> None:
    """The fit of ratings from sparse results: each entrant meets twenty others in five pairs."""
    rng = np.random.default_rng(0)
    strengths = rng.normal(0, 1, entrants)
    a = np.repeat(np.arange(entrants), 100)
    b = (a + np.repeat(rng.integers(1, entrants, 20 * entrants), 5)) % entrants
    first, second = np.stack([a, b], 1).ravel(), np.stack([b, a], 1).ravel()
    won = rng.random(len(first)) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    names = ("random", *(f"agent {i}" for i in range(1, entrants)))
    results = Results(names, first, second, won.astype(float), np.repeat(np.arange(len(a)), 2))
    (taken,) = fastest(lambda: fit(results), repeats=3)
    print(f"| ratings of {entrants:,} entrants | {taken:.2f} s | {len(first):,} games | | 1 s |")


def rows() -> Iterator[Callable[[], None]]:
    """The rows of the table, cheapest first."""
    yield lambda: compiled("othello", "greedy", 12_000)
    yield lambda: compiled("othello", "random", 80_000)
    cores = os.cpu_count() or 1
    if cores > 1:
        yield lambda: compiled("othello", "greedy", 50_000, cores)
        yield lambda: compiled("othello", "random", 250_000, cores)
    yield lambda: compiled("backgammon", "greedy", 2_000)
    yield lambda: python(3_000)
    yield lambda: ratings(1_000)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the games")
    global SCALE
    SCALE = 0.2 if parser.parse_args().quick else 1.0
    print("| task | ours | beside | ratio | wanted |\n|---|---|---|---|---|", flush=True)
    for row in rows():
        row()


if __name__ == "__main__":
    main()
