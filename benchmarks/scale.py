"""How large tournaments can be: `python benchmarks/scale.py`; `--keep` keeps the figures for `docs/results/scale.md`.

`million`: 1,000,000 games on eight Dask workers of this machine. Once the command and the cluster are killed
(SIGKILL), then the cluster alone; the store must end as that of an uninterrupted tournament in threads. `store`: bytes
a game, beside the layout before checksums. `simulation`: what 100 machines would do, by the costs measured in this run:
see `cluster.py`.
"""

import argparse
import contextlib
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from lab import named, run_study
from results import Study

from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.schedule import run
from ludarium.evaluation.tournament.store import Store

WORKERS = 8
POLL = 1.0  # seconds between looks at how far a tournament is
GAMES = {"othello": (0.2, 2), "tictactoe": (0.4, 1), "hexapawn": (0.4, 1)}
"""Each game's share of all games, and the random moves at its start."""
AGENTS = ("random", "greedy", "alphabeta?depth=1", "alphabeta?depth=2", "mcts?simulations=8")
EVERY = len(AGENTS) * (len(AGENTS) - 1)
"""Games of one pair in every pairing."""
CLUSTER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    settings = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(WORKERS, **settings) as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(1e9)
"""


def event(games: int) -> str:
    """The file of a tournament of so many games."""
    entries = [
        f'[[games]]\ngame = "{game}"\npairs = {round(share * games / EVERY)}\nopening = {opening}\n'
        for game, (share, opening) in GAMES.items()
    ]
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
    with Store(store) as found:
        return sum(session.games for session in found.sessions())


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
    number, found = 0, hashlib.sha256()
    with Store(store) as read:
        for entry in range(len(read.tournament["games"])):
            for row in read.games(entry):
                number += 1
                found.update(repr(tuple(row)).encode())
    return number, found.hexdigest()


def million(study: Study, given: argparse.Namespace) -> None:
    """The large tournament, killed twice, and the same without interruption."""
    table = study.table(
        "million",
        f"{given.games:,} games of {', '.join(GAMES)} between {', '.join(f'`{agent}`' for agent in AGENTS)}, on "
        f"{os.cpu_count()} cores; seconds by the clock, without those in which clusters start; CPU seconds of all "
        "processes; megabytes of the command; the hash is of all games, without times.",
        *("where", "games", "seconds", "CPU s", "games/CPU s", "MB", "bytes a game", "SHA-256"),
    )
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        file, killed, whole = (Path(folder) / name for name in ("event.toml", "killed.db", "whole.db"))
        file.write_text(event(given.games), encoding="utf-8")
        spent = Spent()
        for life in range(3):
            before = stored(killed)
            with cluster() as (address, process):
                play = Play(file, killed, f"dask:{address}", spent, process)
                if life < 2 and not play.until((life + 1) * given.games // 3):
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
        found = {where: digest(store) for where, (store, _) in rows.items()}
        for where, (store, spent) in rows.items():
            number, text = found[where]
            bytes_a_game = store.stat().st_size / number
            cells = f"{number:,}", f"{spent.seconds:.0f}", f"{spent.cpu:.0f}", f"{number / spent.cpu:,.0f}"
            table.row(where, *cells, f"{spent.memory:.0f}", f"{bytes_a_game:.1f}", f"`{text[:16]}`")
        assert len(set(found.values())) == 1
        assert all(number == given.games for number, _ in found.values())


def store(study: Study, given: argparse.Namespace) -> None:
    """Bytes a game, beside the layout before checksums, with the games inserted in the order of their keys."""
    table = study.table(
        "store",
        "Bytes a game of a store: as a tournament wrote it; and its games, inserted in the order of their keys, with "
        "the columns of now, and with those before games had checksums.",
        *("game", "games", "as written", "in order", "without checksums", "difference"),
    )
    for game, (_, opening) in GAMES.items():
        tournament = Tournament(AGENTS, (GameEntry(game, 2_000, opening),))
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000, help="of the part million")
    parser.add_argument("--folder", type=Path, help="where stores are kept meanwhile; by default for temporary files")
    run_study("scale", named(million, store), parser)
