"""A tournament that is killed at a random moment, again and again, loses nothing and counts nothing twice.

Plays a small tournament once without interruption. Then, `--times` times: starts it as a command, alternately with two
worker processes and two threads, kills the whole process group with SIGKILL at a random moment after its store
appeared, starts it again until it is done, and compares the final table byte by byte. Prints how many tables were
identical, how many games were stored when the runs were killed, and how many of these were lost or counted twice.

Then, `--single` times each: kills single worker processes while the tournament is played, after which the table must be
the same without a restart; and kills single isolated agents, after which every game must be there, and no more games
forfeited than agents were killed, all by that agent. Linux only.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
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


ISOLATED = 3  # the number of first.py

EXECUTORS = ("processes", "threads")
WORKER, AGENT_PROCESS = "spawn_main", "isolated_host"  # in their command lines
UNFINISHED = 2  # exit status of a tournament in which an agent could not be made any more
KILLS = 5  # single processes killed in one tournament


def start(folder: Path, store: Path, executor: str, *options: str) -> "subprocess.Popen[bytes]":
    """Start the tournament as a command in its own process group."""
    arguments = [COMMAND, "tournament", "killed.toml", "--store", store, "--workers", "2", "--executor", executor]
    arguments += ["--out", store.with_suffix(".json"), *options]
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


def descendants(process: int) -> Iterator[int]:
    """The processes that a process has started, and those that they have."""
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


def kill_one(process: int, kind: str, moments: np.random.Generator) -> bool:
    """Kill a descendant of a process with this word in its command line; returns whether there was one."""
    with contextlib.suppress(OSError):  # one may end while we look
        found = [one for one in descendants(process) if is_kind(one, kind)]
        if found:
            os.kill(int(moments.choice(found)), signal.SIGKILL)
            return True
    return False


def is_kind(process: int, kind: str) -> bool:
    """Whether a process has this word in its command line, and is not the guard of such a process."""
    line = Path(f"/proc/{process}/cmdline").read_text(errors="replace")
    return kind in line and "guard.py" not in line


def disturb(folder: Path, store: Path, kind: str, moments: np.random.Generator, seconds: float) -> int:
    """Play to the end while single processes are killed; returns how many were."""
    options = [] if kind == AGENT_PROCESS else ["--no-isolate"]
    running = start(folder, store, "processes", *options)
    wait_for(store)
    killed = 0
    while running.poll() is None:
        time.sleep(moments.uniform(0, 2 * seconds / KILLS))
        killed += killed < KILLS and kill_one(running.pid, kind, moments)
    resumed = kind == AGENT_PROCESS and running.returncode == UNFINISHED  # one was killed while it was made
    if running.returncode != 0 and not (resumed and start(folder, store, "processes", *options).wait() == 0):
        raise SystemExit(f"a tournament did not survive the death of a {kind}")
    return killed


def kill_single(folder: Path, times: int, moments: np.random.Generator, expected: bytes, total: int) -> None:
    """Kill single workers and agents, and print what came of it."""
    counts: Counter[str] = Counter()
    seconds = play_whole(folder, folder / "again.db", "processes")
    for number in range(times):
        store = folder / f"worker{number}.db"
        counts["workers"] += disturb(folder, store, WORKER, moments, seconds)
        counts["identical"] += table(folder, store) == expected
        store = folder / f"agent{number}.db"
        killed = disturb(folder, store, AGENT_PROCESS, moments, seconds)
        rows = games(store)
        forfeited = [row for row in rows if row.cause]
        theirs = all(row.cause.startswith("was killed by SIGKILL") and ISOLATED in (row.a, row.b) for row in forfeited)
        counts.update(agents=killed, forfeited=len(forfeited), whole=len(rows) == total)
        counts["right"] += theirs and len(forfeited) <= killed
    print(
        f"{counts['identical']} of {times} tables identical after {counts['workers']} single workers were killed; "
        f"{counts['agents']} isolated agents were killed and forfeited {counts['forfeited']} games, as they should in "
        f"{counts['right']} of {times} tournaments; {counts['whole']} of these had all games"
    )


def main() -> None:
    """Kill and resume tournaments, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30, help="how often to kill a tournament")
    parser.add_argument("--single", type=int, default=5, help="tournaments in which single processes are killed")
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
        kill_single(folder, given.single, moments, expected, total)
    print(
        f"{counts['identical']} of {given.times} final tables identical; {counts['killed']} runs killed, "
        f"{counts['half_done']} of them with some of the games stored; {counts['lost']} of {counts['stored']} games "
        f"stored by then lost; {counts['doubled']} games counted twice, {counts['missing']} missing at the end"
    )


if __name__ == "__main__":
    main()
