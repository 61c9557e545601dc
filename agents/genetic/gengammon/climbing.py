"""What the presets share in which one network takes step after step towards what is better."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.examples import VALIDATION
from ludarium.agents.genetic.gengammon.lessons import Asked, Lesson, credits_of, gradient, mean_of, split
from ludarium.agents.genetic.gengammon.mutants import Slopes
from ludarium.agents.genetic.gengammon.neurons import Mutation
from ludarium.agents.genetic.gengammon.players import FOUNDERS, BackgammonNetworks
from ludarium.agents.genetic.gengammon.validation import is_time, look, new_best
from ludarium.agents.learning.checkpoint import checkpoint_at
from ludarium.agents.learning.learner import same_layout
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.learning.runs import Run
from ludarium.agents.values.adam import Adam
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

_KEPT_SQUARES = 0.99  # by the moving average of the squares of slopes
_WIDER = 3  # the first output weights, in comparison with the others


@dataclass(frozen=True, kw_only=True)
class Climber(BackgammonNetworks):
    """Options of presets in which one network learns; see `BackgammonNetworks` for the others.

    Attributes:
        origin: the folder of a run with such a network, from which learning goes on.
        alpha: the step size (Adam), up to 1000; it falls linearly to 0.
        decay: by this share of the step size, each step also takes the input weights back towards 0 (AdamW).
        first_spread: the standard deviation of the first weights, up to 1000.
    """

    origin: str = ""
    alpha: float = 0.01
    decay: float = 0.0
    first_spread: float = 0.1

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_number(0, 10, "decay")
        self.check_number(1e-6, 1000, "alpha", "first_spread")
        self.check_idle("because one network learns", "breeding")

    def start(self, game: Game) -> Arrays:
        arrays = super().start(game)
        if self.lesson.outcomes:
            arrays["output"][-1] = np.log(self.lesson.examples.odds.mean(axis=0))
        if self.origin:
            origin = self._network_of_origin()
            arrays["hidden"], arrays["output"] = origin.hidden.copy(), origin.output.copy()
        return arrays | self.champions(arrays)

    def fits(self, game: Game, arrays: Arrays) -> bool:
        first = self.first()
        return same_layout(arrays, first | self.champions(first))

    def first(self) -> Arrays:
        draws = self.draws(0, FOUNDERS)
        hidden, output = (draws.normal(0, self.first_spread, shape) for shape in self.architecture.shapes)
        output *= _WIDER
        output[-1] = 0
        if self.output == "sum":
            hidden[-1], output[:-1] = 0, 1
        arrays = {"hidden": hidden.astype(np.float32), "output": output.astype(np.float32)}
        memories = [f"{name}_{memory}" for name in arrays for memory in ("mean", "square")]
        return arrays | {memory: np.zeros_like(arrays[memory.partition("_")[0]]) for memory in memories}

    def champions(self, arrays: Arrays) -> Arrays:
        """What a run that begins with these arrays knows of its best networks, apart from the one that learns."""
        return {}

    def _network_of_origin(self) -> Network:
        """The network from which learning goes on.

        Raises:
            ValueError: if there is none in the folder, or another one.
        """
        run = Run.load(checkpoint_at(self.origin), type(self))
        origin = cast(BackgammonNetworks, run.learner)
        for name, theirs, ours in zip(self.architecture._fields, origin.architecture, self.architecture, strict=True):
            if theirs != ours:
                raise ValueError(
                    f"gengammon: the network of {self.origin} has {name}={theirs}, not {ours!r}; give options that "
                    "agree"
                )
        if not run.checkpoint.moment:
            raise ValueError(f"{self.origin}: there is no trained model here yet: the run has not reached a checkpoint")
        return origin.network(run.arrays)

    def now(self, arrays: Arrays) -> Network:
        """The network as it is now, which need not be the champion."""
        return self.architecture.network(arrays["hidden"], arrays["output"])

    def climb(self, arrays: Arrays, slopes: Slopes, number: int) -> None:
        """Take one step of Adam; the arrays change.

        A sum has no biases and no output weights, and the biases of outcomes stay what they are in the mean.
        """
        hidden, output = slopes
        alpha, learned = self.alpha * (1 - number / self.generations), {"hidden": hidden, "output": output}
        arrays["hidden"] *= np.float32(1 - alpha * self.decay)
        if self.output == "sum":
            hidden[-1] = 0
            del learned["output"]
        elif self.output == "outcomes":
            output[-1] = 0
        for name, slope in learned.items():
            adam = Adam(arrays[f"{name}_mean"], arrays[f"{name}_square"], kept_squares=_KEPT_SQUARES)
            adam.step(arrays[name], slope, alpha, number + 1)


@dataclass(frozen=True, kw_only=True)
class Student(Climber):
    """Options of presets in which one network learns decisions; see `Climber` for the others.

    Attributes:
        validation: the share of the matches, 0 to 0.5, that is not learned from, but says which network of the run is
            best, see `ludarium.agents.genetic.gengammon.validation`; 0: the last one is.
    """

    validation: float = 0.0

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_number(0, 0.5, "validation")
        self.check_idle("because one network learns", "population")

    @property
    def lesson(self) -> Lesson:
        return super().lesson._replace(validation=self.validation)

    def champions(self, arrays: Arrays) -> Arrays:
        return new_best(arrays) if self.validation else {}

    def network(self, arrays: Arrays, member: int = 0) -> Network:
        best = "best_" if self.validation else ""
        return self.architecture.network(arrays[f"{best}hidden"], arrays[f"{best}output"])

    def mutation(self, number: int) -> Mutation | None:
        """The mutants that show where to go in a generation; without any, the gradient does."""
        return None

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        network, batch, mutation = self.now(arrays), self.batch_of(number), self.mutation(number)
        parts = [Asked(self.lesson, network, some, self.seed, mutation) for some in split(batch)]
        likelihood, slopes = mean_of(parallel(credits_of if mutation else gradient, parts), len(batch))
        self.climb(arrays, slopes, number)
        line = {"games": 0, "decisions": len(batch), "likelihood": likelihood, "size": float(arrays["hidden"].std())}
        if not self.validation or not is_time(number + 1, self.generations):
            return line
        return line | look(arrays, self.now(arrays), self.lesson._replace(part=VALIDATION), parallel)
