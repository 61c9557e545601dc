"""How large tournaments can be: `python benchmarks/scale.py`; `--keep` keeps the figures for `docs/results/scale.md`.

`million`: 1,000,000 games on eight Dask workers of this machine. Once the command and the cluster are killed
(SIGKILL), then the cluster alone; the store must end as that of an uninterrupted tournament in threads. `store`: bytes
a game, beside the layout before checksums. `simulation`: what 100 machines would do, by the costs measured in this run:
see `cluster.py`.
"""

import argparse
import contextlib
import hashlib
import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import psutil
from cluster import Cluster, Costs, Games, Machines, simulate
from distributed import Client
from lab import run_study
from results import Study
from timing import fastest

from ludarium.agents.workers import Workers
from ludarium.envs.registry import make_game
from ludarium.evaluation.play.calls import Failed
from ludarium.evaluation.play.match import MatchResult, play_match
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import Arguments, Done, Work, game_rows, play_bundle, time_rows
from ludarium.evaluation.tournament.schedule import games_in_all, run
from ludarium.evaluation.tournament.sizing import QUEUED
from ludarium.evaluation.tournament.store import Store

WORKERS = 8
POLL = 1.0  # seconds between looks at how far a tournament is
GAMES = "tictactoe", "hexapawn"
AGENTS = "random", "greedy", "alphabeta?depth=1", "alphabeta?depth=2", "alphabeta?depth=3"
EVERY = len(AGENTS) * (len(AGENTS) - 1)
"""Games of one pair in every pairing."""
MACHINES, CORES = 100, 8
JOBS = {
    "expert": [(5, 50_000)],
    "expert?nodes=10000": [(5, 50_000)],
    "expert?nodes=1000": [(5, 50_000), (1000, 1)],
    "greedy": [(5, 50_000)],
}
"""Simulated tournaments: agents, with numbers of entrants and pairs."""
PAIRS = 12  # of which the speed of an agent is measured
TRIAL = Tournament(("random", "random"), (GameEntry("othello"),))
CLUSTER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    settings = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=WORKERS, **settings) as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(1e9)
"""


def event(games: int) -> str:
    """The file of a tournament of so many games."""
    pairs = games // EVERY // len(GAMES)
    entries = [f'[[games]]\ngame = "{game}"\npairs = {pairs}\nopening = 1\n' for game in GAMES]
    return f"name = 'scale'\nagents = {list(AGENTS)}\n" + "".join(entries)


@dataclass
class Spent:
    """What a tournament took: seconds by the clock, CPU seconds of all its processes, megabytes of the command."""

    seconds: float = 0.0
    cpu: float = 0.0
    memory: float = 0.0


class Play:
    """A tournament's command as it runs, and the cluster that it plays on."""

    def __init__(self, file: Path, store: Path, executor: str, spent: Spent, cluster: int | None = None) -> None:
        command = [sys.executable, "-m", "ludarium", "tournament", str(file), "--store", str(store)]
        self.process = subprocess.Popen(
            [*command, "--executor", executor],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.store, self.spent, self._cluster, self._cpu = store, spent, cluster, 0.0

    def until(self, games: int) -> bool:
        """Wait until so many games are stored; False if the command ends first."""
        while self.process.poll() is None:
            began = time.monotonic()
            if stored(self.store) >= games:
                return True
            time.sleep(POLL)
            self._look()
            self.spent.seconds += time.monotonic() - began
        self.spent.cpu += self._cpu
        return False

    def _look(self) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            command = psutil.Process(self.process.pid)
            self.spent.memory = max(self.spent.memory, command.memory_info().rss / 1e6)
            roots = [command] if self._cluster is None else [command, psutil.Process(self._cluster)]
            self._cpu = max(self._cpu, sum(map(cpu, roots)))

    def kill(self) -> None:
        """Kill the command and all that it has started."""
        self.spent.cpu += self._cpu
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def end(self) -> tuple[int, str]:
        """Its exit status, and its last line about errors."""
        self.until(sys.maxsize)
        lines = self.process.communicate()[1].decode().splitlines()
        return self.process.returncode, lines[-1] if lines else ""


def cpu(root: psutil.Process) -> float:
    """CPU seconds of a process and of all that are under it."""
    total = 0.0
    for process in [root, *root.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:2])
    return total


def stored(store: Path) -> int:
    """Number of games in a store that somebody else plays into."""
    if not store.exists() or store.stat().st_size == 0:
        return 0
    with Store(store) as kept:
        return sum(session.games for session in kept.sessions())


@contextlib.contextmanager
def cluster(workers: int = WORKERS) -> Iterator[tuple[str, int]]:
    """A cluster on this machine: the address of its scheduler, and the process that it lives in."""
    script = CLUSTER.replace("WORKERS", str(workers))
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def digest(store: Path) -> tuple[int, str]:
    """Number of games, and a hash of them in the order of their keys: all that is known but times."""
    number, hashed = 0, hashlib.sha256()
    with Store(store) as read:
        for entry in range(len(read.tournament["games"])):
            for row in read.games(entry):
                number += 1
                hashed.update(repr(tuple(row)).encode())
    return number, hashed.hexdigest()


def million(study: Study, args: argparse.Namespace) -> None:
    """The large tournament, killed twice, and the same without interruption."""
    table = study.table(
        "million",
        f"{args.games:,} games of {', '.join(GAMES)} between {', '.join(f'`{agent}`' for agent in AGENTS)}, on "
        f"{os.cpu_count()} cores; seconds by the clock, without those in which clusters start; CPU seconds of all "
        "processes; megabytes of the command; the hash is of all games, without times.",
        *("where", "games", "seconds", "CPU s", "games/CPU s", "MB", "bytes a game", "SHA-256"),
    )
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        file, killed, whole = (Path(folder) / name for name in ("event.toml", "killed.db", "whole.db"))
        file.write_text(event(args.games), encoding="utf-8")
        spent = Spent()
        for life in range(3):
            before = stored(killed)
            with cluster() as (address, process):
                play = Play(file, killed, f"dask:{address}", spent, process)
                if life < 2 and not play.until((life + 1) * args.games // 3):
                    raise AssertionError(f"the tournament ended by itself: {play.end()}")
                if life == 0:
                    play.kill()
                elif life == 1:
                    os.killpg(process, signal.SIGKILL)
                if life:
                    status, line = play.end()
                    print(f"exit status {status}: {line}", file=sys.stderr, flush=True)
                    assert status == (2 if life == 1 else 0)
            print(f"{stored(killed):,} games stored, {before:,} before", file=sys.stderr, flush=True)
            assert stored(killed) > before
        rows = {"eight Dask workers, killed twice": (killed, spent)}
        spent = Spent()
        status, line = Play(file, whole, "threads", spent).end()
        assert status == 0, line
        rows["two threads"] = whole, spent
        digests = {where: digest(store) for where, (store, _) in rows.items()}
        for where, (store, spent) in rows.items():
            number, text = digests[where]
            bytes_a_game = store.stat().st_size / number
            cells = f"{number:,}", f"{spent.seconds:.0f}", f"{spent.cpu:.0f}", f"{number / spent.cpu:,.0f}"
            table.row(where, *cells, f"{spent.memory:.0f}", f"{bytes_a_game:.1f}", f"`{text[:16]}`")
        assert len(set(digests.values())) == 1
        assert all(number == args.games for number, _ in digests.values())


def layout(study: Study, args: argparse.Namespace) -> None:
    """Bytes a game, beside the layout before checksums, with the games inserted in the order of their keys."""
    table = study.table(
        "store",
        "Bytes a game of a store: as a tournament wrote it; and its games, inserted in the order of their keys, with "
        "the columns of now, and with those before games had checksums.",
        *("game", "games", "as written", "in order", "without checksums", "difference"),
    )
    for game in ("othello", *GAMES):
        tournament = Tournament(AGENTS, (GameEntry(game, 2_000, opening=1),))
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            path = Path(folder) / "games.db"
            with Store(path, tournament.data()) as written:
                run(tournament, written, executor="threads")
                games = written.count()
            sizes = [path.stat().st_size, *(size_of(path, columns) for columns in (11, 10))]
        now, ordered, before = (size / games for size in sizes)
        table.row(game, f"{games:,}", f"{now:.1f}", f"{ordered:.1f}", f"{before:.1f}", f"{ordered - before:.1f}")


def size_of(path: Path, columns: int) -> int:
    """Bytes of a file with the first columns of a store's games."""
    copy = path.with_suffix(f".{columns}")
    with contextlib.closing(sqlite3.connect(copy)) as db:
        db.execute("ATTACH ? AS written", (str(path),))
        (text,) = db.execute("SELECT sql FROM written.sqlite_master WHERE name = 'games'").fetchone()
        names = [name for _, name, *_ in db.execute("PRAGMA written.table_info(games)")]
        kept = [line for line in text.splitlines() if not any(f" {name} " in line for name in names[columns:])]
        db.execute("\n".join(kept))
        db.execute(f"INSERT INTO games SELECT {', '.join(names[:columns])} FROM written.games")
        db.commit()
    return copy.stat().st_size


def simulation(study: Study, args: argparse.Namespace) -> None:
    """What a cluster of 100 machines would do."""
    costs, games = measured_costs(args.folder), {agent: measured_games(agent) for agent in JOBS}
    table = study.table(
        "simulation",
        "What the simulation rests on, as measured in this run; `Costs` in `benchmarks/cluster.py` says what they are.",
        "cost",
        "milliseconds",
    )
    for name, seconds in asdict(costs).items():
        table.row(name, milliseconds(seconds))
    for agent, (pace, spread) in games.items():
        table.row(f"a game of Othello, `{agent}`; from pair to pair ± {100 * spread:.0f} %", milliseconds(pace / 2))
    table = study.table(
        "simulation",
        f"{MACHINES} machines of {CORES} cores; a tenth of the machines are half as fast, and two vanish, after a "
        "quarter and after half of the time. Idle: the share of the workers' time without games that count, of which "
        "starting is a part. Busy: for what share of the time the command and Dask's scheduler are.",
        *("agents", "entrants", "games", "minutes", "idle", "starting", "command busy", "scheduler busy"),
    )
    for agent, shapes in JOBS.items():
        for entrants, pairs in shapes:
            tournament = Tournament((agent,) * entrants, (GameEntry("othello", pairs),))
            number, (pace, spread) = games_in_all(tournament), games[agent]
            fair = number * pace / 2 / (MACHINES * CORES)
            slowness = tuple(2.0 if machine % 10 == 0 else 1.0 for machine in range(MACHINES))
            machines = Machines(slowness, CORES, {1: fair / 4, 2: fair / 2})
            usage = simulate(tournament, Cluster(machines, costs, Games(pace, spread)))
            shares = usage.idle, usage.starting / usage.capacity, usage.command / usage.seconds
            cells = [f"{100 * share:.1f} %" for share in (*shares, usage.scheduler / usage.seconds)]
            table.row(f"`{agent}`", f"{entrants:,}", f"{number:,}", f"{usage.seconds / 60:.1f}", *cells)


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds, of which the first digits matter."""
    return f"{1e3 * seconds:,.0f}" if seconds > 0.1 else f"{1e3 * seconds:.2g}"


def measured_games(agent: str) -> tuple[float, float]:
    """Seconds a pair of games of Othello with itself, and its standard deviation as a share of that."""
    game, seconds = make_game("othello"), []
    play_match(game, [agent, agent], 1, 0, opening=6)  # compiles
    for pair in range(PAIRS):
        began = time.thread_time()
        play_match(game, [agent, agent], 1, 0, first=pair, opening=6)
        seconds.append(time.thread_time() - began)
    return float(np.mean(seconds)), float(np.std(seconds) / np.mean(seconds))


def measured_costs(folder: Path | None) -> Costs:
    """What everything but the games costs, on this machine."""
    few, many = bundle(1), bundle(500)
    with cluster(2) as (address, _), Workers(f"dask:{address}") as pool, Client(address) as client:
        trips(pool, client, few, 20)  # its workers load what they need
        hand_out, schedule, done = trips(pool, client, few, 400)
        receive, pass_on, large = trips(pool, client, many, 20)
        travel = fastest(lambda: client.run_on_scheduler(int), repeats=50)[0] / 2
    with tempfile.TemporaryDirectory(dir=folder) as path, Store(Path(path) / "games.db", TRIAL.data()) as kept:
        store, store_many = (storing(kept, one.result, sent[0][2]) for one, sent in ((done, few), (large, many)))
    before = sum(os.times()[2:4])
    once = "from scale import bundle, play_bundle; play_bundle(bundle(1))"
    subprocess.run([sys.executable, "-c", once], cwd=Path(__file__).parent, check=True)
    games = large.result.games
    return Costs(
        hand_out=hand_out,
        schedule=schedule,
        pass_on=max(0.0, pass_on - schedule) / games,
        travel=travel,
        receive=max(0.0, receive - hand_out) / games,
        store=store,
        store_game=store_many / games,
        start=sum(os.times()[2:4]) - before,
        besides=done.besides,
    )


def storing(kept: Store, result: MatchResult, work: Work) -> float:
    """Seconds that it takes to store a piece, each time with other numbers of pairs."""
    places = itertools.count(work.pairs * 1000, work.pairs)

    def add() -> None:
        placed = work._replace(first=next(places))
        kept.add(game_rows(result, placed), time_rows(result, placed))

    return fastest(add, repeats=20)[0]


def bundle(pairs: int) -> list[Arguments]:
    """A bundle of one piece of work."""
    return [(GameEntry("othello"), ("random", "random"), Work(0, 0, 1, 0, pairs), 0)]


def trips(pool: Workers, client: Client, sent: list[Arguments], number: int) -> tuple[float, float, Done]:
    """CPU seconds that a bundle costs the command, and Dask's scheduler; and a result that took as long as most."""
    here, there = time.process_time(), client.run_on_scheduler(time.process_time)
    finished: SimpleQueue[Future[list[Done | Failed]]] = SimpleQueue()
    results = []
    for place in range(number + QUEUED * pool.size):
        if place >= QUEUED * pool.size:
            results += [done for done in finished.get().result() if isinstance(done, Done)]
        if place < number:
            pool.submit(play_bundle, sent).add_done_callback(finished.put)
    return (
        (time.process_time() - here) / number,
        (client.run_on_scheduler(time.process_time) - there) / number,
        sorted(results, key=lambda done: done.besides)[len(results) // 2],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000, help="of the part million")
    parser.add_argument("--folder", type=Path, help="where stores are kept meanwhile; by default for temporary files")
    run_study("scale", {"million": million, "store": layout, "simulation": simulation}, parser)
