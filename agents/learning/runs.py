"""Runs in folders: opened to go on, loaded, and turned into agents and evaluations by path."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.agents.learning.checkpoint import (
    Checkpoint,
    check_same,
    check_unused,
    drop_kept,
    drop_metrics,
    holds_run,
    kept_folder,
    read_run,
    run_of_game,
)  # fmt: skip
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.presets import Presets
from ludarium.agents.learning.registry import presets_of
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.files import Arrays, reading
from ludarium.envs.game import Game


@dataclass(frozen=True)
class Run:
    """A run as last saved.

    Attributes:
        learner: the options.
        checkpoint: what was learned, and how much it took.
    """

    learner: Learner
    checkpoint: Checkpoint

    @property
    def arrays(self) -> Arrays:
        """What was learned."""
        return self.checkpoint.arrays

    @classmethod
    def load(cls, folder: Path, learner: Presets | type[Learner]) -> "Run":
        """Read the run in a folder.

        Raises:
            ValueError: if there is none, or it is damaged, of another schema or of another learner.
        """
        presets = presets_of(learner)
        stored = read_run(folder, presets.name)
        with reading(f"{folder}: the trained model is damaged"):
            lacking = presets.lacks(stored.options, stored.preset)
        with reading(f"{folder}" if lacking else f"{folder}: the trained model is damaged"):
            own = presets.of_run(stored.options, stored.preset)
            game, now = own.learned, Checkpoint({}, *stored.counts)
            if (done := getattr(now, own.unit)) > own.budget:
                raise ValueError(f"{own.unit} must be at most the budget, {own.budget}, not {done}")
            arrays = stored.arrays() if now.moment else own.start(game)
            fits = own.fits(game, arrays)
        if not fits:
            raise ValueError(f"{folder}: the trained model is damaged: its arrays are not those of {own.name}")
        return cls(own, replace(now, arrays=arrays))

    @classmethod
    def of_game(cls, path: str, game: Game, learner: Presets | type[Learner]) -> "Run":
        """Read the run that an agent's path stands for in a game: see `run_of_game`.

        Raises:
            ValueError: as `load` does, or if the run learned another game, or nothing yet.
        """
        presets = presets_of(learner)
        if not path:
            raise ValueError(f"{presets.name}: the folder of a run is missing; give {presets.name}:FOLDER")
        run = cls.load(run_of_game(path, game), presets)
        if not run.learner.plays(game):
            raise ValueError(f"{path}: the model was trained on {run.learner.game}, not on {game.spec}")
        if not run.checkpoint.moment:
            raise ValueError(f"{path}: there is no trained model here yet: the run has not reached a checkpoint")
        return run

    @classmethod
    def open(cls, learner: Learner, folder: Path) -> "Run":
        """Open the run in a folder, or a new one; drop what a crash left ahead of the checkpoint.

        Raises:
            ValueError: if the folder holds a run with other options, a damaged one, or something else.
        """
        if (own := learner.resume(folder)) is not None:
            return cls(learner, own)
        run = cls(learner, Checkpoint({}))
        if holds_run(folder):
            run = cls.load(folder, type(learner))
        else:
            check_unused(folder)
        if run.checkpoint.moment:
            check_same(folder, _options(learner), _options(run.learner))
        else:  # nothing is lost if the options differ
            run = cls(learner, Checkpoint(learner.start(learner.learned)))
            folder.mkdir(parents=True, exist_ok=True)
            run.save(folder)
        now = run.checkpoint
        drop_kept(folder, now.number)
        drop_metrics(folder, *(("games", now.games) if now.games else ("generation", now.generations)))
        return run

    def save(self, folder: Path) -> None:
        """Write the run; anyone who reads meanwhile, or after a crash, finds it as it was."""
        preset = {"preset": self.learner.preset} if self.learner.preset else {}
        heading = {"learner": self.learner.name, **preset, "options": asdict(self.learner)}
        self.checkpoint.save(folder, heading)

    def keep(self, folder: Path) -> None:
        """Write the run beside itself, as a checkpoint that stays: see `kept_folder`."""
        kept = kept_folder(folder, self.checkpoint.number)
        kept.mkdir(parents=True, exist_ok=True)
        self.save(kept)

    def player(self, game: Game, path: str, **options: Any) -> Agent:
        """Its player as an agent, which is named after the path and the options."""
        agent = self.learner.player(game, self.arrays, **options)
        query = "&".join(f"{option}={value}" for option, value in options.items())
        agent.name = f"{self.learner.name}:{path}{'?' if query else ''}{query}"
        return agent


def _options(learner: Learner) -> dict[str, Any]:
    return {"preset": learner.preset, **asdict(learner)}


def agent_of_run(learner: Presets | type[Learner], game: Game, path: str, **options: Any) -> Agent:
    """The agent `NAME:PATH`: the player that a run has trained, or what else the learner finds there.

    Args:
        learner: the learner.
        game: the game that the agent is to play.
        path: the folder of the run.
        **options: those of `Learner.player`.

    Raises:
        ValueError: if the folder holds no such run, or one of another game, or an option is not allowed.
    """
    presets = presets_of(learner)
    if presets.agent is not None:
        return presets.agent(game, path, **options)
    return Run.of_game(path, game, presets).player(game, path, **options)


def evaluation_of_run(learner: Presets | type[Learner], game: Game, path: str) -> Evaluation:
    """The evaluation `NAME:PATH` that a run has learned.

    Raises:
        ValueError: if the folder holds no such run, or one of another game, or it learned no evaluation.
    """
    run = Run.of_game(path, game, learner)
    return run.learner.evaluation(game, run.arrays)


def run_of_file(presets: Presets, path: str, game: Game) -> Run:
    """A run that would start from the player in a file, which is its member 0.

    Raises:
        ValueError: if the learner has no such files, or the file is not one.
    """
    if presets.of_file is None:
        raise ValueError(f"{path}: {presets.name} reads the folders of runs, and no files")
    learner, arrays = presets.of_file(path, game)
    return Run(learner, Checkpoint(arrays))
