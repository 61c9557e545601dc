"""The run that a trained agent comes from, or that would start from it, and the members of its population."""

from dataclasses import dataclass
from pathlib import Path

from ludarium.agents.learning.checkpoint import Checkpoint, checkpoint_at, learner_in
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import Learner
from ludarium.agents.learning.presets import Presets
from ludarium.agents.learning.registry import learner_names, learner_presets
from ludarium.agents.learning.runs import Run, run_of_file
from ludarium.agents.specs import make_agent, split_options
from ludarium.envs.game import Game


@dataclass(frozen=True)
class RunAt:
    """A run as last saved, and where.

    Attributes:
        path: its folder, or the file that it would start from, as the user gave it.
        game: the game that it learned.
        learner: its options.
        checkpoint: what it has learned.
    """

    path: str
    game: Game
    learner: Learner
    checkpoint: Checkpoint

    def spec(self, member: int) -> str:
        """The spec of a member as an agent, by its place; 0 is the champion, or the only player."""
        name = f"{self.learner.name}:{self.path}"
        return f"{name}?member={member}" if self.checkpoint.moment and isinstance(self.learner, Evolver) else name

    def merits(self) -> list[str]:
        """A note on each member, by place: its weight, or how many of its games it won."""
        return self.learner.merits(self.checkpoint.arrays) if isinstance(self.learner, Evolver) else [""]

    def inspect(self, member: int, watch: Watch) -> Inspection:
        """What is inside a member.

        Raises:
            ValueError: if the learner has nothing to show.
        """
        return self.learner.inspect(self.game, self.checkpoint.arrays, member, watch)


def find_run(spec: str, game: Game | None = None) -> tuple[RunAt, int]:
    """The run that an agent comes from, and its place there, which is 0 if its learner keeps no population.

    Args:
        spec: `LEARNER:RUN`, with `?member=3` for a member other than the champion, or the folder of a run; or a file
            from which a learner can start, `LEARNER:FILE`.
        game: the game that it plays; by default the one that the run learned. A file needs it.

    Raises:
        ValueError: if the agent is of another kind, or there is no such run or member.
        TypeError: for an unknown option.
    """
    return _find(spec, game, {name: learner_presets(name) for name in learner_names()}, "does not come from a run")


def find_population(spec: str, game: Game | None = None) -> tuple[RunAt, int]:
    """The run of an agent whose learner keeps a population, and the agent's place there, see `find_run`.

    Raises:
        ValueError: as `find_run` does, or if the learner keeps no population.
        TypeError: for an unknown option.
    """
    kinds = {
        name: presets
        for name, presets in ((name, learner_presets(name)) for name in learner_names())
        if issubclass(presets.classes[0], Evolver)
    }
    run, member = _find(spec, game, kinds, "does not come from a population")
    if Path(run.path).is_file():
        raise ValueError(f"{spec!r} does not come from a population: {run.path} is a file")
    return run, member


def _find(spec: str, game: Game | None, kinds: dict[str, Presets], problem: str) -> tuple[RunAt, int]:
    """The run of a learner of one of these kinds, see `find_run`; `problem` is what is wrong with any other agent."""
    place, options = split_options(spec)
    name, colon, path = place.partition(":")
    if not (colon and name in kinds):
        name, path = learner_in(checkpoint_at(place)), place
    if name not in kinds:
        forms = ", ".join(f"{kind}:RUN" for kind in kinds)
        raise ValueError(f"{spec!r} {problem}: expected {forms}, or the folder of such a run")
    if Path(path).is_file():
        if game is None:
            raise ValueError(f"{path}: this is a file, and does not say which game it is for; give --game")
        run = run_of_file(kinds[name], path, game)
    elif game is None:
        run = Run.load(checkpoint_at(path), kinds[name])
        game = run.learner.learned
    else:
        run = Run.of_game(path, game, kinds[name])
    agent = spec if spec.startswith(f"{name}:") else f"{name}:{spec}"
    make_agent(agent, game)  # checks the options, and whether there is such a member
    return RunAt(path, game, run.learner, run.checkpoint), int(options.get("member", 0))
