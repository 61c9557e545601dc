"""A tournament that is killed at a random moment, again and again, loses nothing and counts nothing twice.

Plays a small tournament once without interruption. Then, `--times` times: starts it as a command, alternately with two
worker processes and two threads, kills the whole process group with SIGKILL at a random moment after its store
appeared, starts it again until it is done, and compares the final table byte by byte. Prints how many tables were
identical, how many games were stored when the runs were killed, and how many of these were lost or counted twice. POSIX
only.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from ludarium.evaluation.tournament.schedule import Tournament
from ludarium.evaluation.tournament.standings import tables, to_data
from ludarium.evaluation.tournament.store import GameRow, Store

COMMAND = Path(sys.executable).with_name("ludarium")
TOURNAMENT = """
name = "to be killed"
seed = 7
agents = ["random", "greedy", "mcts?simulations=40", "first.py"]

[[games]]
game = "othello"
pairs = 100
opening = 4

[[games]]
game = "backgammon"
pairs = 20
agents = ["random", "greedy"]

[[games]]
game = "hanabi"
pairs = 400
agents = ["random", "first.py"]
"""
AGENT = """
def first(observation, action_mask, info):
    return int(action_mask.argmax())
"""


EXECUTORS = ("processes", "threads")


def start(folder: Path, store: Path, executor: str) -> "subprocess.Popen[bytes]":
    """Start the tournament as a command in its own process group."""
    arguments = [COMMAND, "tournament", "killed.toml", "--store", store, "--workers", "2", "--executor", executor]
    arguments += ["--out", store.with_suffix(".json")]
    return subprocess.Popen(
        arguments, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def games(store: Path) -> list[GameRow]:
    """The stored games; none if the command was killed before there was a store."""
    try:
        with Store(store) as found:
            return found.games()
    except FileNotFoundError:
        return []


def play_whole(folder: Path, store: Path, executor: str) -> float:
    """Play without interruption; returns the seconds from the store's appearance to the end."""
    running = start(folder, store, executor)
    began = wait_for(store)
    running.wait()
    return time.perf_counter() - began


def wait_for(store: Path) -> float:
    """Wait for the store to appear; returns the time."""
    while not store.exists():
        time.sleep(0.005)
    return time.perf_counter()


def table(folder: Path, store: Path) -> bytes:
    """What the command wrote in the end, without its block of times, and the table that its store gives, as bytes."""
    tournament = Tournament.from_file(folder / "killed.toml")
    written = json.loads(store.with_suffix(".json").read_text())
    stored = to_data(tournament, tables(tournament, games(store)))
    del written["timing"], stored["timing"]
    return json.dumps([written, stored]).encode()


def main() -> None:
    """Kill and resume tournaments, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30, help="how often to kill a tournament")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments")
    given = parser.parse_args()
    moments = np.random.default_rng(given.seed)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "killed.toml").write_text(TOURNAMENT)
        (folder / "first.py").write_text(AGENT)
        start(folder, folder / "warm.db", "threads").wait()  # compiles
        seconds = {kind: play_whole(folder, folder / f"{kind}.db", kind) for kind in EXECUTORS}
        expected, total = table(folder, folder / "processes.db"), len(games(folder / "processes.db"))
        print(
            f"uninterrupted: {total} games in {', '.join(f'{s:.1f} s ({kind})' for kind, s in seconds.items())}",
            flush=True,
        )
        for number in range(given.times):
            store, executor = folder / f"{number}.db", EXECUTORS[number % 2]
            running = start(folder, store, executor)
            wait_for(store)
            time.sleep(moments.uniform(0, seconds[executor]))
            os.killpg(running.pid, signal.SIGKILL)
            killed = running.wait() == -signal.SIGKILL
            stored = games(store)
            if start(folder, store, executor).wait() != 0:
                raise SystemExit(f"tournament {number} could not be resumed")
            final = games(store)
            lost, doubled = len(set(stored) - set(final)), len(final) - len({row[:5] for row in final})
            same = table(folder, store) == expected
            counts.update(killed=killed, identical=same, stored=len(stored), lost=lost, doubled=doubled)
            counts.update(half_done=0 < len(stored) < total, missing=total - len({row[:5] for row in final}))
            print(
                f"{number + 1}: killed with {len(stored)} games stored; {'identical' if same else 'DIFFERENT'}",
                flush=True,
            )
    print(
        f"{counts['identical']} of {given.times} final tables identical; {counts['killed']} runs killed, "
        f"{counts['half_done']} of them with some of the games stored; {counts['lost']} of {counts['stored']} games "
        f"stored by then lost; {counts['doubled']} games counted twice, {counts['missing']} missing at the end"
    )


if __name__ == "__main__":
    main()
