"""Rates an agent: plays it against the rungs that tell most, in batches, until the time or the games are used up.

The games against a rung are those of a tournament in memory. So crashes, illegal moves, strangers and workers are
handled as in `ludarium match`, and pair number i against a rung is a function of the seed. Every rung has a seed of its
own: with the same dice and openings against all, their scores would err together.
"""

import contextlib
import time as clock
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.agents.workers import Workers
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.ladder.rating import Climb, Floats, expected
from ludarium.evaluation.ladder.result import Against, Opening, Rating
from ludarium.evaluation.ladder.rungs import Ladder, ladder_of
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.statistics.intervals import half_width
from ludarium.evaluation.tournament.event import GameEntry, Tournament
from ludarium.evaluation.tournament.pieces import entrant_at
from ludarium.evaluation.tournament.schedule import play, usual_executor
from ludarium.evaluation.tournament.seeds import settled
from ludarium.evaluation.tournament.store import GameRow, Store, move_type

MOST_GAMES = 20_000
"""Games after which it ends by itself: more would hardly narrow the interval, to which the rungs' errors belong."""
_FIRST, _GROWTH = 8, 8  # pairs in the first batch; a batch is this part of all before
_OPENING_GAMES, _SURE = 20, 3.0  # games of an opening that is judged, and standard errors from which it is named


def rate(
    agent: Any,
    *,
    game: str,
    time: float = 60.0,
    games: int | None = None,
    seed: int | None = None,
    ladder: str | Path | None = None,
    workers: int | None = None,
    isolate: bool = True,
    progress: Callable[[float], None] = lambda share: None,
) -> Rating:
    """Find out how strong an agent is, by games against players of known strength.

    Args:
        agent: a spec, a callable, an object with `act`, an `Agent`, a model with `predict`, or one of these with a
            name, `{"mine": f}`: see `ludarium.match`.
        game: the game's spec; one that has a ladder: docs/ladder.md.
        time: seconds that it may take, once the agent is made. How many games that is depends on the machine.
        games: play as many games instead, whatever time it takes; an odd number is rounded up. Then the result is a
            function of the seed, whatever the number of workers.
        seed: see `ludarium.match`.
        ladder: a file of one's own with further rungs: see `ludarium rate --keep`.
        workers: how many play; by default one per core. Objects play in this process, unless this asks for more.
        isolate: whether Python code of others plays in processes of its own.
        progress: is told the share of the time or of the games that is used up.

    Raises:
        ValueError: for a game without a ladder, a broken file of rungs, settings that cannot be, an agent that the game
            refuses, or an object that workers cannot import.
        TypeError: for what is no agent.
        OSError: if the file of rungs cannot be read.

    Examples:
        >>> import ludarium
        >>> result = ludarium.rate("greedy", game="tictactoe", games=100, seed=1)
        >>> result.between
        ('MCTS 64', 'one ply')
    """
    if games is not None and games < 1:
        raise ValueError(f"rate: games must be at least 1, not {games}")
    if not time > 0:
        raise ValueError(f"rate: time must be a positive number of seconds, not {time}")
    rules = make_game(game)
    climbed = ladder_of(rules, None if ladder is None else Path(ladder))
    return place(agent, rules, climbed, time, games, seed, workers=workers, isolate=isolate, progress=progress)


def place(
    agent: Any,
    game: Game,
    ladder: Ladder,
    time: float,
    games: int | None,
    seed: int | None,
    *,
    workers: int | None = None,
    isolate: bool = True,
    progress: Callable[[float], None] = lambda share: None,
) -> Rating:
    """As `rate`, on any ladder of the game."""
    climb = (_Team if game.cooperative else _Opponent)(agent, game, ladder, seed)
    executor = usual_executor(climb.tournament)
    if climb.tournament.has_objects and workers in (None, 1):
        workers = 1
    elif climb.tournament.has_objects:
        climb.tournament, executor = climb.tournament.importable(), "processes"
    most = -(-(games or MOST_GAMES) // climb.legs)
    with Workers(executor, workers) as pool, contextlib.ExitStack() as climb.closing:
        climb.tournament.check(pool, isolate=isolate)
        batch, began = batch_size(0, most), clock.perf_counter()
        started = began
        while True:
            for rung, pairs in climb.next(batch):
                climb.play(rung, pairs, pool, isolate)
            climb.read()
            now = clock.perf_counter()
            pace, began = (now - began) / batch, now  # seconds a pair
            batch = batch_size(climb.pairs, most - climb.pairs)
            if games is None:
                batch = min(batch, int((time - (now - started)) / pace))
            if batch < 1:
                return climb.result(now - started)
            progress(climb.pairs / most if games is not None else (now - started) / time)


def batch_size(played: int, left: int) -> int:
    """How many pairs come next: after many, one more of them tells little about which rung is best."""
    return min(left, max(_FIRST, played // _GROWTH))


class _Player:
    """An agent on its way, and its games.

    Attributes:
        tournament: all who may play; the agent is the first entrant, and the rungs follow.
        closing: closes the stores at the end.
        legs: games in a pair.
        rows: the games so far, by rung.
    """

    legs: int

    def __init__(self, agent: Any, game: Game, ladder: Ladder, seed: int | None) -> None:
        self.game, self.ladder = game, ladder
        rungs = {_label(number): rung.agent for number, rung in enumerate(ladder.rungs)}
        entry = GameEntry(game.spec, 1, ladder.opening)
        tournament = Tournament((agent,) if game.cooperative else (agent, rungs), (entry,), name="rate", seed=seed or 0)
        if len(tournament.agents) != 1 + (0 if game.cooperative else len(rungs)):
            raise ValueError(f"rate: expected one agent, with at most one name, not {agent!r}")
        specs = [agent for agent in tournament.agents if isinstance(agent, str)]
        self.tournament = replace(tournament, seed=settled(seed, specs, None))
        self.closing = contextlib.ExitStack()
        self.rows: dict[int, list[GameRow]] = {}
        self._stores: dict[int, Store] = {}

    @property
    def name(self) -> str:
        """The agent's."""
        return self.tournament.labels[0]

    @property
    def pairs(self) -> int:
        """Number of pairs so far, or of decks."""
        return sum(map(len, self.rows.values())) // self.legs

    def next(self, pairs: int) -> list[tuple[int, int]]:
        """Whom it meets next, so many pairs in all: rungs, and the pairs against each."""
        raise NotImplementedError

    def play(self, rung: int, pairs: int, pool: Workers, isolate: bool) -> None:
        """Play more pairs against a rung."""
        (entry,), played = self.tournament.games, len(self.rows.get(rung, ())) // self.legs
        entry = replace(entry, pairs=played + pairs, agents=self.entrants(rung))
        seed = len(self.ladder.rungs) * self.tournament.seed + rung
        event = replace(self.tournament, games=(entry,), seed=seed)
        if rung not in self._stores:
            self._stores[rung] = self.closing.enter_context(Store(None, event.data()))
        self._stores[rung].extend(event.data())
        play(event, self._stores[rung], pool, isolate=isolate)
        self.rows[rung] = self._stores[rung].games()

    def entrants(self, rung: int) -> tuple[str, ...]:
        """Who plays against a rung."""
        raise NotImplementedError

    def read(self) -> None:
        """Take note of all games so far."""

    def result(self, seconds: float) -> Rating:
        """What they come to."""
        raise NotImplementedError

    def forfeits(self) -> dict[str, int]:
        """Games that the agent did not finish, by cause."""
        lost = (row for rows in self.rows.values() for row in rows if row.ending >= FORFEIT)
        return dict(Counter(row.cause for row in lost if entrant_at(row, row.ending - FORFEIT) == 0))


class _Team(_Player):
    """An agent that plays with itself; its rating is its mean score."""

    legs = 1

    def next(self, pairs: int) -> list[tuple[int, int]]:
        return [(0, pairs)]

    def entrants(self, rung: int) -> tuple[str, ...]:
        return (self.name,)

    def result(self, seconds: float) -> Rating:
        points = np.array([row.payoff_a for row in self.rows[0]])
        rungs = [Against(rung.name, rung.rating, None, None, 0) for rung in self.ladder.rungs]
        (low, high), mean = self.game.payoff_range, float(points.mean())
        margin = half_width(points, low, high)
        return Rating(
            self.game,
            self.name,
            mean,
            (max(low, mean - margin), min(high, mean + margin)),
            tuple(rungs),
            len(points),
            self.tournament.seed,
            seconds,
            forfeits=self.forfeits(),
        )


class _Opponent(_Player):
    """An agent against the rungs; its rating is in Elo."""

    legs = 2

    def __init__(self, agent: Any, game: Game, ladder: Ladder, seed: int | None) -> None:
        super().__init__(agent, game, ladder, seed)
        self.climb = Climb(ladder.scale)

    def next(self, pairs: int) -> list[tuple[int, int]]:
        return [(rung, count) for rung, count in enumerate(self.climb.next(pairs)) if count]

    def entrants(self, rung: int) -> tuple[str, ...]:
        return self.name, _label(rung)

    def read(self) -> None:
        shares = (self._shares(rung) for rung in range(len(self.ladder.rungs)))
        self.climb.take([one.reshape(-1, self.legs).mean(axis=1) for one in shares])  # rows are in order, pair by pair

    def _shares(self, rung: int) -> Floats:
        """The agent's score in each game against a rung: a win is 1, a draw ½."""
        return np.array([(1 + np.sign(row.payoff_a)) / 2 for row in self.rows.get(rung, ())])

    def result(self, seconds: float) -> Rating:
        estimate = self.climb.estimate
        chances = expected(estimate.elo - self.ladder.scale.elo).tolist()
        rungs = [
            Against(rung.name, rung.rating, chance, float(scores.mean()) if len(scores) else None, 2 * len(scores))
            for rung, chance, scores in zip(self.ladder.rungs, chances, self.climb.scores, strict=True)
        ]
        return Rating(
            self.game,
            self.name,
            estimate.elo,
            estimate.interval,
            tuple(rungs),
            self.legs * self.pairs,
            self.tournament.seed,
            seconds,
            self._seats(),
            self._openings(),
            self.forfeits(),
        )

    def _seats(self) -> dict[str, float]:
        """The mean score in each seat."""
        shares = np.concatenate([self._shares(rung) for rung in self.rows])
        legs = np.array([row.leg for rows in self.rows.values() for row in rows])
        return {self.game.seat_name(seat): float(shares[legs == seat].mean()) for seat in range(2)}

    def _openings(self) -> tuple[Opening, ...]:
        """The openings in which it scores less than elsewhere against the same rungs, the worst first."""
        kind, many = move_type(self.game), self.ladder.opening
        groups: dict[bytes, list[float]] = {}
        for rung, rows in self.rows.items() if many else ():
            for row, beyond in zip(rows, self._shares(rung) - self.climb.estimate.scores[rung], strict=True):
                groups.setdefault(row.moves[: many * kind.itemsize], []).append(float(beyond))
        openings = []
        for moves, all_beyond in groups.items():
            mean, count = float(np.mean(all_beyond)), len(all_beyond)
            error = max(float(np.std(all_beyond)), 0.1) / count**0.5
            if count >= _OPENING_GAMES and mean < -_SURE * error:
                actions = np.frombuffer(moves, dtype=kind).tolist()
                text = self.game.turn_text(self.game.start(), actions)
                openings.append(Opening(text, mean, count))
        return tuple(sorted(openings, key=lambda opening: opening.beyond))


def _label(rung: int) -> str:
    """What a rung is called in the tournament, so that it may have the same spec as the agent."""
    return f"rung {rung + 1}"
