"""The run behind the name of an agent that evolved, and the members that live in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.agents.learning.checkpoint import Checkpoint, learner_in
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.registry import learner_class, learner_names
from ludarium.agents.specs import make_agent, split_options
from ludarium.envs.game import Game
from ludarium.envs.registry import make_game


@dataclass(frozen=True)
class Population:
    """A population as its run has left it.

    Attributes:
        path: the folder of the run, as it was given.
        game: what it learned.
        checkpoint: what it learned of it.
    """

    path: str
    game: Game
    checkpoint: Checkpoint

    @property
    def learner(self) -> Evolver:
        """The options of the run."""
        learner: Any = self.checkpoint.learner
        return learner

    def spec(self, member: int) -> str:
        """The name of a member as an agent, by its place: 0 is the champion."""
        return f"{self.learner.name}:{self.path}?member={member}"

    def agent(self, member: int) -> Agent:
        """A member, ready to play.

        Raises:
            ValueError: if there is no such member.
        """
        return make_agent(self.spec(member), self.game)

    def merits(self) -> list[str]:
        """What the run says of each member, by place: its weight, or how many of its games it won."""
        return self.learner.merits(self.checkpoint.arrays)


def find_population(spec: str, game: Game | None = None) -> tuple[Population, int]:
    """The population that an agent lives in, and its place there.

    Args:
        spec: `gaia:RUN` or `ifthen:RUN`, with `?member=3` for another than the champion, or the folder of such a run.
        game: the game that it plays; as a default what the run learned.

    Raises:
        ValueError: if the agent is of another kind, or there is no such run or member.
        TypeError: for an unknown option.
    """
    run, options = split_options(spec)
    name, colon, path = run.partition(":")
    kinds = {kind.name: kind for kind in map(learner_class, learner_names()) if issubclass(kind, Evolver)}
    if not (colon and name in kinds):
        name, path = learner_in(Path(run)), run
    if name not in kinds:
        known = ", ".join(f"{kind}:RUN" for kind in kinds)
        raise ValueError(f"{spec!r} is no population: expected {known}, or the folder of such a run")
    if game is None:
        checkpoint = Checkpoint.load(Path(path), kinds[name])
        game = make_game(checkpoint.learner.game)
    else:
        checkpoint = Checkpoint.of_game(path, game, kinds[name])
    agent = spec if spec.startswith(f"{name}:") else f"{name}:{spec}"
    make_agent(agent, game)  # it knows which options there are, and which members
    return Population(path, game, checkpoint), int(options.get("member", 0))
