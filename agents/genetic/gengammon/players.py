"""What all presets of Gengammon share: networks that play backgammon, and the decisions that they learn from."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.backgammon.inputs import NAMES, inputs
from ludarium.agents.backgammon.network import ACTIVATIONS, Network
from ludarium.agents.backgammon.player import plays
from ludarium.agents.genetic.gengammon.architecture import Architecture, player_of
from ludarium.agents.genetic.gengammon.examples import LEARNED, decisions_of
from ludarium.agents.genetic.gengammon.inspection import inspect_network
from ludarium.agents.genetic.gengammon.lessons import Lesson
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import Takes, same_layout
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

FOUNDERS, _BATCH = range(2)  # streams of a generation; those of the presets follow


@dataclass(frozen=True, kw_only=True)
class BackgammonNetworks(Evolver):
    """Options that all presets have; see `Evolver` for the others.

    Attributes:
        generations: the budget, from 1.
        inputs: what a network sees, see `ludarium.agents.backgammon.inputs`.
        hidden: hidden units, 1 to 2000.
        activation: of the hidden units. With `"identity"`, all of them together are no more than one.
        output: `"sum"`: a score, the sum of the hidden units, without biases; `"weights"`: a score with output weights;
            `"outcomes"`: six probabilities, see `ludarium.agents.genetic.gengammon.odds`.
        decisions: a file made by `ludarium data backgammon`; empty: the decisions that come with the package.
        batch: the decisions by which a generation is judged, drawn anew for each; 0: all decisions. They are the same
            for all its networks.
    """

    name: ClassVar[str] = "gengammon"
    takes: ClassVar[Takes] = Takes(chance=True)
    usual_games: ClassVar[int] = 0
    activations: ClassVar[tuple[str, ...]] = ACTIVATIONS
    outputs: ClassVar[tuple[str, ...]] = ("sum", "weights")
    """The values that `output` may have."""
    generations: int = 1000
    inputs: str = "threats"
    hidden: int = 100
    activation: str = "cubic"
    output: str = "weights"
    decisions: str = ""
    batch: int = 1000

    def check(self, game: Game) -> None:
        super().check(game)
        if game.name != "backgammon":
            raise ValueError(f"gengammon: it learns backgammon, not {game.spec}")
        if self.output == "outcomes" and self.output not in self.outputs:
            raise ValueError("gengammon: output='outcomes' is the preset 'judged' now")
        self.check_choice("inputs", *NAMES)
        self.check_choice("activation", *self.activations)
        self.check_choice("output", *self.outputs)
        self.check_at_least(1, "hidden", most=2000)
        self.check_at_least(1, "generations", most=10**9)
        self.check_at_least(0, "batch", most=10**7)
        if self.games != self.generations * self.largest_generation(game):
            raise ValueError(f"gengammon: the budget is in generations, so give generations, not games={self.games!r}")

    def largest_generation(self, game: Game) -> int:
        return 0

    def plays(self, game: Game) -> bool:
        return plays(self.game, game)

    # --- decisions ---------------------------------------------------------------------------------------------------

    @property
    def lesson(self) -> Lesson:
        """What networks learn."""
        return Lesson(self.decisions, LEARNED, self.architecture.seen, outcomes=self.output == "outcomes")

    def batch_of(self, number: int) -> NDArray[np.int64]:
        """The numbers of the decisions, or positions, by which a generation is judged; each is in one of an epoch."""
        all_of_them = self.lesson.examples.number
        if not self.batch or self.batch >= all_of_them:
            return np.arange(all_of_them)
        epoch, first = divmod(number * self.batch, all_of_them - all_of_them % self.batch)
        return _shuffled(all_of_them, int(self.key(epoch, _BATCH)))[first : first + self.batch]

    def draws(self, number: int, stream: int) -> np.random.Generator:
        """The randomness of a generation, by stream."""
        return np.random.default_rng(int(self.key(number, stream)))

    # --- networks ----------------------------------------------------------------------------------------------------

    @property
    def architecture(self) -> Architecture:
        """How the networks are built."""
        return Architecture(self.inputs, self.hidden, self.activation, self.output)

    def network(self, arrays: Arrays, member: int = 0) -> Network:
        """The network of a member; the champion is member 0."""
        raise NotImplementedError

    def first(self) -> Arrays:
        """What a new run knows before it has looked at any decision, or at another run."""
        raise NotImplementedError

    def start(self, game: Game) -> Arrays:
        """What a new run knows.

        Raises:
            ValueError: for decisions of another variant, or without what is to be learned.
            OSError: if they cannot be read.
        """
        variant, learned = decisions_of(self.decisions).variant, game.options["variant"]
        if variant != learned:
            raise ValueError(
                f"gengammon: the decisions are of {variant}, not of {learned}; give decisions=FILE, made by "
                "'ludarium data'"
            )
        return self.first()

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return same_layout(arrays, self.first())

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        return player_of(game, self.network(arrays, index))

    def player(
        self, game: Game, arrays: Arrays, *, member: int | None = None, ply: int = 0, cube: bool = True
    ) -> Agent:
        """The agent `gengammon:RUN`; a network with outcomes takes `?ply=1` and `?cube=False`, too.

        Args:
            game: backgammon, with any options.
            arrays: what the run learned.
            member: the member, by its place in the population from 0; by default the champion.
            ply: 1 to look at the opponent's best answers to all rolls before choosing between good results, else 0.
            cube: double and drop, if the game has the cube.

        Raises:
            ValueError: if there is no such member, or its network has no outcomes and an option needs them.
        """
        self.chosen(game, arrays, member)
        network = self.network(arrays, member or 0)
        return CompiledAgent(self.name, player_of(game, network, ply=ply, cube=cube))

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        decisions = decisions_of(self.decisions)
        seen = inputs(self.architecture.seen)
        return inspect_network(game, self.network(arrays, member), seen, decisions.part(bool(decisions.held_out.any())))


@lru_cache(maxsize=2)
def _shuffled(number: int, key: int) -> NDArray[np.int64]:
    return np.random.default_rng(key).permutation(number)
