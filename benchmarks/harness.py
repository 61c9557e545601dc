"""The overhead of a tournament over the bare games, all measured in this run; run it on an otherwise idle machine.

Prints Markdown. Between compiled agents: games per second of a whole tournament (schedule, one worker thread, moves
kept, results in an SQLite store in memory) compared with a bare call of the compiled batch; and the same with a worker
on every core and the store in a file, compared with one bare call per core in parallel, so that no core is free for
storing. Between agents in Python: compared with the loop over PettingZoo's wrapped environment that its documentation
shows. Every figure is the best of several alternating repetitions.

`--part isolation`: how much slower a trivial agent in Python plays in a process of its own. `--part verification`: how
many stored games a second are played again by the rules, or compared with their checksums.
"""

import argparse
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pettingzoo.classic import tictactoe_v3
from timing import fastest

from ludarium.agents.specs import make_agent
from ludarium.envs.batch import play_games
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.match import bench, game_keys, play_benches
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.soundness import wrong_games
from ludarium.evaluation.tournament.store import Store

SCALE = 1.0


def compiled(game: str, agent: str, pairs: int, workers: int = 1) -> None:
    """A tournament of two compiled agents compared with the bare batch, with one worker or on all cores."""
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
    """The cheapest agent in Python, so that everything else is measured."""
    return int(action_mask.argmax())


def python(games: int) -> None:
    """A tournament of two Python agents compared with PettingZoo's loop; both begin with three random moves."""
    games = int(games * SCALE)
    spec = "benchmarks/harness.py:first_legal"
    tournament = Tournament((spec, spec), (GameEntry("tictactoe", games // 2, opening=3),))

    def harness() -> None:
        with Store(None, tournament.data()) as store:
            run(tournament, store, executor="threads", workers=1, isolate=False)

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


def isolation(game: str, pairs: int) -> None:
    """A Python agent in this process and in one of its own, against `random`."""
    rules, spec = make_game(game), "benchmarks/harness.py:first_legal"
    ways = (spec, f"isolated:{spec}")
    with contextlib.ExitStack() as closing:
        benches = [[bench([way, "random"], number, rules, closing) for number in range(2)] for way in ways]
        results = [[play_benches(rules, seated, int(pairs * SCALE), seed=1) for seated in benches] for _ in range(5)]
    here, apart = (min(played, key=lambda one: one.seconds) for played in zip(*results, strict=True))
    print(
        f"| {game} | {here.decisions / here.seconds:,.0f} | {apart.decisions / apart.seconds:,.0f} | "
        f"{apart.seconds / here.seconds:.1f} | {1e6 * (apart.seconds - here.seconds) / (apart.decisions / 2):.0f} |",
        flush=True,
    )


def verification(game: str, pairs: int) -> None:
    """The games of a store, verified and compared with their checksums; with reading them."""
    tournament = Tournament(("random", "random"), (GameEntry(game, int(pairs * SCALE)),))
    if make_game(game).cooperative:
        tournament = replace(tournament, agents=("random",))
    with Store(None, tournament.data()) as store:
        run(tournament, store, executor="threads", workers=1)
        games = store.count()
        assert not wrong_games(store, True)
        reading, verifying, comparing = fastest(
            store.games, lambda: wrong_games(store, True), lambda: list(store.changed()), repeats=3
        )
    print(
        f"| {game} | {games:,} | {games / verifying:,.0f} | {games / comparing:,.0f} | {games / reading:,.0f} |",
        flush=True,
    )


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


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the games")
    parser.add_argument("--part", choices=["overhead", "isolation", "verification"], default="overhead")
    global SCALE
    args = parser.parse_args()
    SCALE = 0.2 if args.quick else 1.0
    if args.part == "isolation":
        print("| game | moves/s in one process | moves/s apart | times slower | µs a call |\n|---|---|---|---|---|")
        for game, pairs in (("tictactoe", 400), ("othello", 40), ("backgammon", 10)):
            isolation(game, pairs)
    elif args.part == "verification":
        print("| game | games | verified/s | checksums/s | read/s |\n|---|---|---|---|---|")
        for game in ("hexapawn", "tictactoe", "othello", "backgammon", "hanabi"):
            verification(game, 5_000)
    else:
        print("| task | ours | beside | ratio | wanted |\n|---|---|---|---|---|", flush=True)
        for row in rows():
            row()


if __name__ == "__main__":
    main()
