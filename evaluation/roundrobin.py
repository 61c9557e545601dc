"""Round robins: every agent against every other, in several games, on all cores; and the tables they end in."""

import itertools
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludarium.agents.agent import make_agent
from ludarium.envs.arena import play_games
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game
from ludarium.evaluation.match import Forfeit, MatchResult, half_width, play_match

_CHUNKS = 8  # a pairing is played in so many parts, so that all cores are busy to the end


@dataclass(frozen=True)
class Event:
    """One game of a round robin.

    Attributes:
        game: spec of the game.
        agents: specs of the agents.
        pairs: pairs of games in each pairing; in a cooperative game, decks for each agent.
        opening: random moves at the start of each game; games without chance need some, or two agents that do not
            play at random would play the same game again and again.
    """

    game: str
    agents: tuple[str, ...]
    pairs: int
    opening: int = 0


@dataclass
class Row:
    """One agent's line in a table.

    Attributes:
        agent: its spec.
        score: mean score, 0 to 1 (a win is 1, a draw ½); in cooperative games the mean return.
        margin: half the 95 % interval of `score`, counted over pairs.
        points: mean payoff a game, with its own half interval.
        games: games it played.
        rate: decisions a second in its games, its opponents' included.
        against: its score against each other agent.
    """

    agent: str
    score: float
    margin: float
    points: float
    points_margin: float
    games: int
    rate: float
    against: dict[str, float] = field(default_factory=dict)


@dataclass
class Table:
    """The result of one event, best agent first, and the games that were forfeited."""

    game: Game
    rows: list[Row]
    forfeits: list[Forfeit] = field(default_factory=list)


def play_event(
    event: Event, seed: int, *, executor: Executor | None = None, progress: Callable[[int], None] = lambda games: None
) -> Table:
    """Play one round robin.

    Args:
        event: what to play.
        seed: results are a function of it, whatever the number of workers.
        executor: where to play; as a default a thread for each core (compiled games run outside Python's lock).
        progress: called with the number of games each time some are finished.
    """
    game = make_game(event.game)
    if event.pairs < 1:
        raise ValueError(f"{game.name}: pairs must be at least 1, not {event.pairs}")
    for agent in event.agents:  # refused agents are an error, and all is compiled, before anything is played
        policy = make_agent(agent, game).policy
        if policy is not None:
            none = np.zeros(0, dtype=np.uint64)
            play_games(game, [policy], np.zeros((0, game.seats), dtype=np.int64), none, none)
    entrants = range(len(event.agents))
    pairings = [(entrant,) for entrant in entrants] if game.cooperative else list(itertools.combinations(entrants, 2))
    if not pairings:
        raise ValueError(f"{game.name}: a round robin needs at least two agents, not {list(event.agents)}")
    results: dict[tuple[int, ...], MatchResult] = {}
    with _workers(executor) as workers:
        parts = [
            (pairing, workers.submit(play_match, game, specs, count, seed, first=first, opening=event.opening))
            for pairing in pairings
            for specs in ([event.agents[entrant] for entrant in pairing],)
            for first, count in _split(event.pairs)
        ]
        for pairing, part in parts:
            played = part.result()
            results[pairing] = _joined(results[pairing], played) if pairing in results else played
            progress(played.games)
    labels = _labels(event.agents)
    rows = [_row(entrant, labels, game, results) for entrant in entrants]
    forfeits = [forfeit for result in results.values() for forfeit in result.forfeits]
    return Table(game, sorted(rows, key=lambda row: -row.score), forfeits)


class _Borrowed:
    """An executor of somebody else's, which is not shut down at the end of a `with`."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def __enter__(self) -> Executor:
        return self._executor

    def __exit__(self, *error: object) -> None: ...


def _workers(executor: Executor | None) -> Any:
    return _Borrowed(executor) if executor is not None else ThreadPoolExecutor(os.cpu_count())


def event_games(event: Event) -> int:
    """How many games an event has."""
    agents = len(event.agents)
    game = make_game(event.game)
    return event.pairs * (agents if game.cooperative else agents * (agents - 1))


def _split(pairs: int) -> Iterator[tuple[int, int]]:
    """Parts of a pairing as (first pair, number of pairs)."""
    edges = np.linspace(0, pairs, min(_CHUNKS, pairs) + 1).astype(int).tolist()
    for first, end in itertools.pairwise(edges):
        yield first, end - first


def _joined(a: MatchResult, b: MatchResult) -> MatchResult:
    return MatchResult(
        a.game,
        a.agents,
        np.concatenate([a.payoffs, b.payoffs]),
        np.concatenate([a.endings, b.endings]),
        a.decisions + b.decisions,
        a.seconds + b.seconds,
        a.forfeits + b.forfeits,
    )


def _labels(agents: tuple[str, ...]) -> list[str]:
    """Names for a table: an agent that is entered twice becomes `random` and `random (2)`."""
    return [f"{a} ({n})" if (n := agents[: i + 1].count(a)) > 1 else a for i, a in enumerate(agents)]


def _row(entrant: int, labels: list[str], game: Game, results: dict[tuple[int, ...], MatchResult]) -> Row:
    scores, points = [], []
    against: dict[str, float] = {}
    games = decisions = 0
    seconds = 0.0
    for pairing, result in results.items():
        if entrant not in pairing:
            continue
        games, decisions, seconds = games + result.games, decisions + result.decisions, seconds + result.seconds
        sign = 1 if pairing[0] == entrant else -1
        points.append(result.points() if game.cooperative else sign * result.points())
        share = result.points() if game.cooperative else result.scores() if sign == 1 else 1 - result.scores()
        scores.append(share)
        for other in pairing:
            if other != entrant:
                against[labels[other]] = float(share.mean())
    all_scores, all_points = np.concatenate(scores), np.concatenate(points)
    return Row(
        labels[entrant],
        float(all_scores.mean()),
        half_width(all_scores),
        float(all_points.mean()),
        half_width(all_points),
        games,
        decisions / seconds,
        against,
    )


def to_json(tables: list[Table], events: list[Event], seed: int) -> dict[str, Any]:
    """The results as plain data; the margin of a single pair, which is infinite, is None."""
    return {
        "schema": 1,
        "seed": seed,
        "events": [
            {
                "game": table.game.spec,
                "pairs": event.pairs,
                "opening": event.opening,
                "cooperative": table.game.cooperative,
                "rows": [{k: None if v == float("inf") else v for k, v in vars(row).items()} for row in table.rows],
                "forfeits": [forfeit._asdict() for forfeit in table.forfeits],
            }
            for table, event in zip(tables, events, strict=True)
        ],
    }


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write atomically: a reader sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    part.replace(path)
