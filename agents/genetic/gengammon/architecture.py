"""How a network is built: what it sees, its hidden units, and what it puts out; and the player that it becomes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.by_contact import by_contact
from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import ACTIVATIONS, IDENTITY, OUTCOMES, Network, network_of
from ludarium.agents.backgammon.player import network_policy
from ludarium.agents.backgammon.pubeval import pubeval
from ludarium.agents.genetic.gengammon import genes as genetic
from ludarium.agents.genetic.gengammon.genes import Genes
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

WRAP = "wrap"
"""The activation that is none, but products of weights and checkers overflow: see `genes.table`."""
Shape = tuple[int, int]


class Architecture(NamedTuple):
    """How a network is built.

    Attributes:
        inputs: what it sees, see `ludarium.agents.backgammon.inputs`.
        hidden: its hidden units.
        activation: one of `ACTIVATIONS`, or `WRAP`.
        output: `"sum"`, `"weights"` or `"outcomes"`, see `BackgammonNetworks`.
    """

    inputs: str
    hidden: int
    activation: str
    output: str

    @property
    def seen(self) -> str:
        """The name of what the network sees that weights turn into."""
        return "stacks" if self.activation == WRAP else self.inputs

    @property
    def shapes(self) -> tuple[Shape, Shape]:
        """Those of the hidden weights and of the output weights; the last rows are biases."""
        outputs = OUTCOMES if self.output == "outcomes" else 1
        return (inputs(self.inputs).number + 1, self.hidden), (self.hidden + 1, outputs)

    @property
    def genes(self) -> int:
        """The length of a genome. The original has no biases; with `output="weights"` output weights are genes, too."""
        return inputs(self.inputs).number * self.hidden + (self.hidden if self.output == "weights" else 0)

    def network(self, hidden: NDArray[Any], output: NDArray[Any]) -> Network:
        """The network with these weights."""
        activation = IDENTITY if self.activation == WRAP else ACTIVATIONS.index(self.activation)
        return network_of(inputs(self.seen), {"hidden": hidden, "output": output}, activation)

    def expressed(self, genome: Genes, scale: float) -> Network:
        """The network of a genome whose largest weight is `scale`."""
        if self.activation == WRAP:
            table = genetic.weights(genetic.table(genome, self.hidden), scale)
            return self.network(np.append(table, [[0]], axis=0).astype(np.float32), np.array([[1], [0]], np.float32))
        weights = genetic.weights(genome, scale)
        hidden, output = (np.zeros(shape, dtype=np.float32) for shape in self.shapes)
        size = hidden[:-1].size
        hidden[:-1] = weights[:size].reshape(hidden[:-1].shape)
        output[:-1, 0] = weights[size:] if self.output == "weights" else 1
        return self.network(hidden, output)


def player_of(game: Game, network: Network, **options: Any) -> Policy:
    """The player that a network becomes; the options are those of `network_policy`.

    A network that has a score leaves races to pubeval's weights for them.
    """
    player = network_policy(game, network, **options)
    return player if network.output.shape[1] == OUTCOMES else by_contact(player, pubeval(game))
