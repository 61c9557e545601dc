"""Evolution: what every learner of this package that keeps a population shares.

An evolver is a learner (`ludarium.agents.learning.run`) whose knowledge is a whole population as plain arrays.
It lives in generations; number n is a function of (seed, n) and of the generation before. So a run may be stopped at
any moment, by `kill -9` too, and on any number of threads it comes to the same champion. Its folder is that of any
learner, with one line of metrics a generation.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.learning.run import (
    Arrays,
    Checkpoint,
    Learner,
    add_metrics,
    open_run,
    scores_against_random,
)
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

_SECONDS_BETWEEN_CHECKPOINTS = 1.0
Part = TypeVar("Part")
Result = TypeVar("Result")


class Parallel(Protocol):
    """Maps a function over independent parts, on as many threads as there are; the results are in the parts' order."""

    def __call__(self, function: Callable[[Part], Result], parts: Sequence[Part], /) -> list[Result]: ...


@dataclass(frozen=True, kw_only=True)
class Evolver(Learner):
    """Options that all evolving learners have; subclasses add theirs, and say what a generation is.

    Attributes:
        games: the budget: a generation that might pass it is not begun.
        generations: no more generations than this; 0: as many as the budget holds.
        population: how many players live at a time.
        checkpoints: how often the champion is measured against the random agent, evenly spaced. What is kept on disk
            follows the clock besides.
        presets: options by the preset's name: `"seed"` is the learner as its original author described it, `"modern"`
            what is recommended. The two differ in nothing else.

    Raises:
        ValueError: for options out of range, or a game this learner does not take.
    """

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"seed": {}}
    generations: int = 0
    population: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        largest = self.largest_generation(make_game(self.game))
        if self.games < largest:
            raise ValueError(
                f"{self.name}: a generation may take {largest} games; games={self.games!r} is less than one"
            )

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(0, "generations")
        self.check_at_least(2, "population", most=10_000)

    @classmethod
    def from_preset(cls, preset: str, options: Mapping[str, Any]) -> Self:
        """A learner from a preset, and options by name that overrule it.

        Raises:
            ValueError: for an unknown preset or option, or a value that is not allowed.
        """
        if preset not in cls.presets:
            raise ValueError(f"{cls.name}: unknown preset {preset!r}; the presets are: {', '.join(cls.presets)}")
        return cls.from_options({**cls.presets[preset], **options})

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        """Play and breed generation `number` (0 is the first); the dictionary changes, and its arrays.

        Returns:
            The metrics: `games` and `decisions` of this generation, `best`, `mean`, `diversity`, `rule_share` (the
            share of the moves that a rule made), `draws`, and what else the learner wants to tell.
        """
        raise NotImplementedError

    def largest_generation(self, game: Game) -> int:
        """The most games that a generation may take."""
        raise NotImplementedError

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        """The champion."""
        raise NotImplementedError

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """Any member of the population, from 0."""
        raise NotImplementedError


def evolve(
    config: Evolver,
    out_dir: str | Path,
    *,
    workers: int | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, text: None,
) -> Path:
    """Evolve, or go on with a run that was stopped; a finished one is left as it is.

    Ctrl-C finishes the running generation and saves it, then it is raised; a second one stops at once.

    Args:
        config: the learner with its options.
        out_dir: the folder of the run; it is made if need be.
        workers: threads; as a default one for each core. The result does not depend on it.
        progress: called with the games done, the games in all, and the last score as text.

    Returns:
        The folder, which is an agent by its path.

    Raises:
        ValueError: if the folder holds a run with other options, a damaged one, or something else.
        KeyboardInterrupt: after Ctrl-C, if there was room for another generation; it says how far the run has come.
    """
    folder, game = Path(out_dir), make_game(config.game)
    now, lines, saved = open_run(config, folder), [], time.monotonic()
    progress(now.games, config.games, "")
    with _threads(workers or os.cpu_count() or 1) as parallel, _interrupt() as interrupted:
        while not (_is_over(config, game, now) or interrupted.is_set()):
            before = now
            now, metrics = _next(config, game, before, parallel)
            if measured := _is_due(config, game, before, now):
                scores = scores_against_random(game, config.policy(game, now.arrays), config.test_games, config.seed)
                now = replace(now, test_games=now.test_games + 2 * (config.test_games // 2))
                metrics |= {**scores, "test_games": now.test_games}
            lines.append(metrics)
            progress(now.games, config.games, f"random {100 * metrics['score']:.1f} %" if measured else "")
            if measured or time.monotonic() - saved > _SECONDS_BETWEEN_CHECKPOINTS:
                _save(folder, now, lines)
                lines, saved = [], time.monotonic()
    _save(folder, now, lines)
    if not _is_over(config, game, now):
        raise KeyboardInterrupt(f"stopped after {now.games:,} of {config.games:,} games; the same command goes on")
    return folder


def evolved(kind: type[Evolver], game: Game, path: str, member: int | None) -> CompiledAgent:
    """The agent `LEARNER:PATH?member=3`: a member of the population that a run has left, as a default its champion.

    Raises:
        ValueError: if the folder holds no such run, one of another game, or no such member.
    """
    checkpoint = Checkpoint.of_game(path, game, kind)
    learner: Any = checkpoint.learner
    if member is None:
        return CompiledAgent(f"{kind.name}:{path}", learner.policy(game, checkpoint.arrays))
    if type(member) is not int or not 0 <= member < learner.population:
        raise ValueError(f"{path}: member must be an integer from 0 to {learner.population - 1}, not {member!r}")
    return CompiledAgent(f"{kind.name}:{path}?member={member}", learner.member(game, checkpoint.arrays, member))


def _next(config: Evolver, game: Game, now: Checkpoint, parallel: Parallel) -> tuple[Checkpoint, dict[str, float]]:
    """The run one generation later, and the line about it."""
    arrays = now.arrays
    told = config.generation(game, arrays, now.generations, parallel)
    later = replace(
        now,
        games=now.games + int(told.pop("games")),
        decisions=now.decisions + int(told.pop("decisions")),
        generations=now.generations + 1,
    )
    return later, {
        "games": later.games,
        "decisions": later.decisions,
        "generation": later.generations,
        **{name: round(float(value), 6) for name, value in told.items()},
    }


def _is_over(config: Evolver, game: Game, now: Checkpoint) -> bool:
    """Whether there is no room for another generation."""
    return 0 < config.generations <= now.generations or now.games + config.largest_generation(game) > config.games


def _is_due(config: Evolver, game: Game, before: Checkpoint, now: Checkpoint) -> bool:
    """Whether the champion is to be measured: at even steps of the budget, and at the end."""

    def steps(moment: Checkpoint) -> int:
        by_games = moment.games * config.checkpoints // config.games
        by_generations = moment.generations * config.checkpoints // max(config.generations, 1)
        return max(by_games, by_generations) if config.generations else by_games

    return steps(now) > steps(before) or _is_over(config, game, now)


def _save(folder: Path, now: Checkpoint, lines: list[dict[str, float]]) -> None:
    """Metrics first: those that run ahead of the checkpoint are dropped when the run goes on."""
    if lines:
        add_metrics(folder, lines)
        now.save(folder)


@contextmanager
def _threads(workers: int) -> Iterator[Parallel]:
    """A map on so many threads: compiled code runs outside Python's lock."""
    with ThreadPoolExecutor(workers) as pool:

        def parallel(function: Callable[[Part], Result], parts: Sequence[Part], /) -> list[Result]:
            return list(pool.map(function, parts) if workers > 1 else map(function, parts))

        yield parallel


@contextmanager
def _interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second does what it always does."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # others may not handle signals
        yield interrupted
        return
    usual = signal.getsignal(signal.SIGINT)

    def finish(number: int, frame: Any) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, finish)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, usual)
