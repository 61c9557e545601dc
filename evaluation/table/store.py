"""Where games are kept: in memory while they are looked at, in the table's file, and in a tournament's store.

The table's file is an SQLite file, so that games outlive the server. It is its owner's alone, and one server's at a
time. Games are read where they are asked for, which is quick, and written in a thread, since a disk may keep one
waiting: all that wait are one transaction, in the order in which they came. Whoever keeps a game is told once it is in
the file, or that nothing was changed.

A finished game against a person can be added to a tournament's store: `ludarium report` counts the person as an
entrant. The store's seed and the number of a pair determine the dice and cards of a stored game. So while a store is
open, the table deals new games from that seed. Whoever reads the store knows the seed; so the numbers of pairs are
drawn at random from so many that nobody finds the next one, and no game is dealt twice.
"""

import asyncio
import contextlib
import json
import os
import secrets
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.envs.batch import FINISHED, TRUNCATED
from ludarium.envs.chance import child_key, secret_seed, seed_key
from ludarium.envs.episode import Episode
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.table.agents import Seating
from ludarium.evaluation.table.apart import apart
from ludarium.evaluation.table.game import Session
from ludarium.evaluation.table.plan import ME, Plan, Standing
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.tournament.event import PEOPLE, GameEntry, Tournament
from ludarium.evaluation.tournament.lock import FileLock, Locked
from ludarium.evaluation.tournament.store import GameRow, Store, StoreError, move_type

_APPLICATION = 0x4C555442  # "LUTB" in the file's header marks it as ours
_SCHEMA = 2
_WITH_TOKEN = 1  # the schema that kept the server's secret beside the games
_TABLES = f"""
CREATE TABLE sessions (key TEXT PRIMARY KEY, changed REAL NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_SCHEMA};
"""
_WITHOUT_TOKEN = f"""
PRAGMA secure_delete = ON;
BEGIN;
DROP TABLE settings;
PRAGMA user_version = {_SCHEMA};
COMMIT;
"""
PATIENCE = 5.0
"""Seconds to wait for a file that another program is writing to."""
LEFT = 60.0
"""Seconds after which a game that nobody looks at is left, and its agents stop."""
_MOST_LIVE = 500  # sessions in memory
_LATEST = 12  # listed in the lobby
_SEATS = 2  # of a game in a tournament's store
_PAIR_BITS = 62  # SQLite holds integers of 63
_Write = tuple[str, tuple[Any, ...], "asyncio.Future[None]"]


class Kept:
    """A file of games.

    Args:
        path: the file, made if there is none, for its owner's eyes only; None keeps everything in memory.

    Raises:
        ValueError: if it is another kind of file, or of another version, or another server has it.
        OSError: if it cannot be made, or not be kept from others.
    """

    def __init__(self, path: Path | None) -> None:
        self._waiting: list[_Write] = []
        self._writing: asyncio.Task[None] | None = None
        with contextlib.ExitStack() as opened:
            if path is not None:
                path = path.resolve()
                _make(path)
                opened.callback(_lock(path).release)
            place = ":memory:" if path is None else path
            try:
                self._db = opened.enter_context(contextlib.closing(_connect(place)))
                self._prepare(path)
                self._writer = self._db  # in memory, another connection would be another database
                if path is not None:
                    _close_to_others(path)
                    self._writer = opened.enter_context(contextlib.closing(_connect(place)))
                    self._writer.execute("PRAGMA synchronous = NORMAL")
                    self._db.execute("PRAGMA busy_timeout = 0")  # nothing else goes on while it is read
            except sqlite3.Error as error:
                raise ValueError(
                    f"{path} cannot be used as the file of games ({error}); give another --games"
                ) from None
            self._opened = opened.pop_all()

    def _prepare(self, path: Path | None) -> None:
        (tables,) = self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not tables:
            self._db.executescript(_TABLES)
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (schema,) = self._db.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION or schema not in (_WITH_TOKEN, _SCHEMA):
            raise ValueError(
                f"{path} is not a file of games of this version; it was left as it is; give another --games"
            )
        if schema == _WITH_TOKEN:
            self._db.executescript(_WITHOUT_TOKEN)
        self._db.execute("PRAGMA journal_mode = WAL")

    async def keep(self, key: str, data: dict[str, Any]) -> None:
        """Keep a game as it is now; it is in the file when this returns.

        Raises:
            Refusal: if the file cannot be written; then it holds the game as it was.
        """
        row = key, time.time(), json.dumps(data)
        await self._write("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", row)

    async def forget(self, key: str) -> None:
        """Remove a game; errors are those of `keep`."""
        await self._write("DELETE FROM sessions WHERE key = ?", (key,))

    async def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((statement, values, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            refusal: Refusal | None = None
            try:
                await apart(self._commit, batch)
            except Exception as error:
                refusal = Refusal(f"the file of games cannot be written ({error}); mend that and try again", 503)
            for *_, done in batch:
                if done.done():  # nobody waits any more
                    continue
                if refusal is not None:
                    done.set_exception(refusal)
                else:
                    done.set_result(None)
        self._writing = None

    def _commit(self, batch: list[_Write]) -> None:
        with self._writer:
            self._writer.execute("BEGIN IMMEDIATE")
            for statement, values, _ in batch:
                self._writer.execute(statement, values)

    def find(self, key: str) -> dict[str, Any] | None:
        """A game's data; None if there is no such game.

        Raises:
            Refusal: if the file cannot be read.
        """
        rows = self._read("SELECT key, data FROM sessions WHERE key = ?", key)
        return rows[0][1] if rows else None

    def latest(self, most: int) -> list[tuple[str, dict[str, Any]]]:
        """The games that changed last, the newest first; errors are those of `find`."""
        return self._read("SELECT key, data FROM sessions ORDER BY changed DESC LIMIT ?", most)

    def _read(self, query: str, value: Any) -> list[tuple[str, dict[str, Any]]]:
        try:
            rows = self._db.execute(query, (value,)).fetchall()
        except sqlite3.Error as error:
            raise Refusal(f"the file of games cannot be read ({error}); mend that and try again", 503) from None
        return [(key, json.loads(data)) for key, data in rows]

    async def finish(self) -> None:
        """Wait until all that was to be written is."""
        if self._writing is not None:
            await self._writing

    def close(self) -> None:
        """Close the file."""
        self._opened.close()


def _connect(place: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(place, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


def _make(path: Path) -> None:
    """Make a file if there is none, and its folder, for nobody but their owner."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _close_to_others(path: Path) -> None:
    """Let nobody but its owner read a file that was made otherwise, or the files that SQLite keeps beside it."""
    for file in (path, *(Path(f"{path}-{companion}") for companion in ("wal", "shm", "journal"))):
        if file.exists() and file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _lock(path: Path) -> FileLock:
    """Keep other servers away: each would overwrite the moves of the other."""
    try:
        return FileLock(Path(f"{path}-lock"))
    except Locked as held:
        who = f"process {held.process}" if held.process else "another process"
        raise ValueError(
            f"another table keeps its games in {path} ({who}); stop it, or give this one another file: --games OTHER"
        ) from None


class Tables:
    """The sessions of a server.

    Args:
        kept: where they outlive it.
        seating: makes agents.
        patience: seconds that an agent may think about a move.
    """

    def __init__(self, kept: Kept, seating: Seating, patience: float) -> None:
        self._kept, self._seating, self._patience = kept, seating, patience
        self._live: dict[str, Session] = {}

    async def open(self, plan: Plan, kept: dict[str, Any] | None = None) -> Session:
        """Begin a game, or take up one from its moves.

        Raises:
            Refusal: if an agent of the plan may not be named here, there are too many games, or it cannot be kept.
        """
        for seat, spec in enumerate(plan.seats):
            if seat not in plan.people:
                await apart(self._seating.check, spec)
        key, now = secrets.token_urlsafe(9), Standing.of(plan, kept or {})
        self._check_room()
        await self._kept.keep(key, now.data())
        return self._start(key, now)

    def _check_room(self) -> None:
        if len(self._live) >= _MOST_LIVE:
            raise Refusal(f"there are {_MOST_LIVE} games at the table already; leave one first", 503)

    def _start(self, key: str, now: Standing) -> Session:
        session = Session(key, now, self._seating, self._patience, self._kept.keep)
        self._live[key] = session
        self.looked_away(session)
        return session

    def get(self, key: str) -> Session:
        """A session by its key.

        Raises:
            Refusal: if there is none, or there are too many.
        """
        if key not in self._live:
            data = self._kept.find(key)
            if data is None:
                raise Refusal("there is no such game at this table", 404)
            self._check_room()
            self._start(key, Standing.of(Plan.from_data(data["plan"]), data))
        return self._live[key]

    def looked_away(self, session: Session) -> None:
        """Leave a game if nobody comes back to it; it can be taken up later."""

        def leave() -> None:
            if self._live.get(session.key) is not session:
                return
            if session.changing_now:
                self.looked_away(session)
            elif not session.viewers:
                del self._live[session.key]
                session.close()

        asyncio.get_running_loop().call_later(LEFT, leave)

    async def forget(self, key: str) -> None:
        """Leave a game for good.

        Raises:
            Refusal: if there is none, or it cannot be removed from the file.
        """
        session = self.get(key)
        async with session.changing():
            await self._kept.forget(key)
            self._live.pop(key, None)
            session.close()

    def latest(self) -> list[dict[str, Any]]:
        """The games that went on last, in a few words each."""
        return [
            {
                "key": key,
                "game": data["plan"]["game"],
                "seats": data["plan"]["seats"],
                "moves": len(data["moves"]),
                "result": data["ending"],
            }
            for key, data in self._kept.latest(_LATEST)
        ]

    async def close(self) -> None:
        """Leave all games; they stay in the file."""
        for session in self._live.values():
            session.close()
        self._live.clear()
        await self._kept.finish()


class PeoplesGames:
    """A store of games that a person has finished.

    Args:
        path: its file, which the first game that is kept makes.
        name: the person.

    Raises:
        StoreError: if the file is not a store, or the store of a tournament between agents.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._seed = secret_seed()
        if path.exists():
            tournament, *_ = read_store(path)
            if tournament.name != PEOPLE:
                raise StoreError(f"{path} holds the tournament {tournament.name!r}; give another file as --store")
            self._seed = tournament.seed

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def deal(self, plan: Plan) -> Plan:
        """The plan with dice or cards that the store can keep."""
        return replace(plan, seed=self._seed, pair=secrets.randbits(_PAIR_BITS))

    def keep(self, ended: Standing) -> str:
        """Add a finished game.

        Returns:
            Its key in the store, `EVENT:A:B:PAIR:LEG`.

        Raises:
            Refusal: if a store cannot hold the game.
        """
        self._check(ended)
        plan = ended.plan
        opponent = plan.seats[1 - plan.people[0]]
        if opponent == self._name:
            raise Refusal(f"you have the name of the agent {opponent!r}; start the table with another --name", 409)
        stored = Tournament((self._name,), (self._entry(plan),), PEOPLE, self._seed)
        if self._path.exists():
            stored = read_store(self._path)[0]
        tournament = self._joined(stored, plan, opponent)
        row = self._row(ended, tournament, opponent)
        with Store(self._path, (stored if self._path.exists() else tournament).data()) as store:
            store.extend(tournament.data())
            before = store.count()
            store.add([row])
            if store.count() == before:
                raise Refusal("this game is in the store already", 409)
        return ":".join(map(str, row[:5]))

    def _check(self, ended: Standing) -> None:
        plan, game = ended.plan, ended.plan.made
        if not ended.over:
            raise Refusal("the game is not over yet; a store keeps finished games", 409)
        if game.seats != _SEATS or len(plan.people) != 1 or plan.names:
            raise Refusal("a store keeps games of one person with one agent", 409)
        if plan.start is not None or plan.script:
            raise Refusal("a store keeps games from the start, with the dice or cards that the table dealt", 409)
        if ended.taken_back:
            raise Refusal("moves were taken back, so this game does not count", 409)
        if plan.seed != self._seed:
            raise Refusal(f"it was not dealt for {self.name}: begin the game without a seed of your own", 409)

    @staticmethod
    def _entry(plan: Plan) -> GameEntry:
        return GameEntry(plan.game, 1, crossplay=plan.made.cooperative)

    def _joined(self, before: Tournament, plan: Plan, opponent: str) -> Tournament:
        """The tournament with the game and its two players among the others."""
        entry = self._entry(plan)
        games = {one.game: one for one in before.games}
        games.setdefault(entry.game, entry)
        agents = dict.fromkeys([*before.agents, self._name, opponent])
        return replace(before, agents=tuple(agents), games=tuple(games.values()))

    def _row(self, ended: Standing, tournament: Tournament, opponent: str) -> GameRow:
        """The game as it is stored, played once more."""
        plan, game = ended.plan, ended.plan.made
        seats = [tournament.agents.index(self._name if spec == ME else opponent) for spec in plan.seats]
        episode = Episode(game, child_key(seed_key(plan.seed), plan.pair), None, [])
        actions = [move.action for move in ended.moves]
        for action in actions:
            cheap = {way.action for way in game.resignations(episode.position)[:-1]}
            if action in cheap:
                raise Refusal("the agent might have won more than what was resigned, so this game does not count", 409)
            episode.play(action)
        ending, cause = (TRUNCATED if episode.truncated else FINISHED), ""
        if ended.loser is not None:
            episode.forfeit(ended.loser)
            ending, cause = FORFEIT + ended.loser, ended.ending
        a, b = sorted(seats)
        event = [entry.game for entry in tournament.games].index(plan.game)
        payoff_a, payoff_b = (float(episode.returns[seats.index(entrant)]) for entrant in (a, b))
        moves = np.array(actions, dtype=move_type(game)).tobytes()
        return GameRow(event, a, b, plan.pair, seats.index(a), payoff_a, payoff_b, ending, cause, moves)
