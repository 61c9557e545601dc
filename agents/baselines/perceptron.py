"""A multilayer perceptron as a compiled policy: what a trained network plays, without PyTorch.

The input is the observation as float32, flattened row by row; each hidden layer is followed by tanh or ReLU; the output
is one score per action. The policy takes the legal action with the greatest score, the lowest action among equals; or
it draws one, where the scores are the logarithms of the probabilities up to a constant.

The layers are kept as plain arrays in an `.npz` file: `activation`, and for each layer `weights_N` (inputs, outputs)
and `biases_N` (outputs,), float32.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import pack, table
from ludarium.envs.chance import uniform
from ludarium.envs.files import read_arrays, reading
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.policy import Policy

ACTIVATIONS = ("Tanh", "ReLU")
"""What may follow a hidden layer, by PyTorch's names."""
_BLOCK = np.dtype(
    [
        ("layers", np.int64),
        ("widest", np.int64),  # the greatest of the sizes
        ("relu", np.int64),
        ("draws", np.int64),
        ("numbers", np.int64),  # how many weights and biases in all
        ("sizes", np.int64),  # (layers + 1,) int64: of the input, and of each layer's output
        ("weights", np.int64),  # (numbers,) float32: of each layer its weights, then its biases
    ]
)


@dataclass(frozen=True, eq=False)
class Network:
    """The layers of a network.

    Attributes:
        activation: one of `ACTIVATIONS`.
        weights: one array per layer, shape (inputs, outputs) float32.
        biases: one array per layer, shape (outputs,) float32.

    Raises:
        ValueError: for another activation, or arrays that do not fit together.
    """

    activation: str
    weights: list[NDArray[np.float32]]
    biases: list[NDArray[np.float32]]

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"network: activation must be one of {', '.join(ACTIVATIONS)}, not {self.activation!r}")
        if not all(array.dtype == np.float32 for array in (*self.weights, *self.biases)) or not self._joined():
            shapes = [(w.shape, b.shape) for w, b in zip(self.weights, self.biases, strict=False)]
            raise ValueError(
                "network: each layer must be float32 weights (inputs, outputs) and biases (outputs,), with as many "
                f"inputs as the layer before has outputs; not {shapes!r}"
            )

    def _joined(self) -> bool:
        return (
            0 < len(self.weights) == len(self.biases)
            and all(w.ndim == 2 and b.shape == w.shape[1:] for w, b in zip(self.weights, self.biases, strict=True))
            and all(one.shape[1] == other.shape[0] for one, other in pairwise(self.weights))
        )

    @property
    def sizes(self) -> list[int]:
        """Number of inputs, then of each layer's outputs."""
        return [self.weights[0].shape[0], *(len(biases) for biases in self.biases)]

    def policy(self, game: Game, *, deterministic: bool = True) -> Policy:
        """The compiled player: it takes the best action, or draws one.

        Raises:
            ValueError: if the network does not fit the game's numbers of observed elements and actions.
        """
        actual, wanted = (self.sizes[0], self.sizes[-1]), (game.observation_size, game.actions)
        if actual != wanted:
            raise ValueError(f"network: {game.spec} has (observed elements, actions) {wanted}, the network {actual}")
        layers = zip(self.weights, self.biases, strict=True)
        weights = np.concatenate([part.reshape(-1) for layer in layers for part in layer])
        numbers = {
            "layers": len(self.weights),
            "widest": max(self.sizes),
            "relu": self.activation == "ReLU",
            "draws": not deterministic,
            "numbers": len(weights),
        }
        block = pack(_BLOCK, numbers, {"sizes": np.array(self.sizes, dtype=np.int64), "weights": weights})
        return Policy(_best, _BLOCK, block, needs_observation=True)

    def probabilities(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """How probable each action is, if the scores are logarithms of probabilities: shape (actions,)."""
        values = observation.reshape(-1).astype(np.float32)
        for layer, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True), 1):
            values = values @ weights + biases
            if layer < len(self.weights):
                values = np.maximum(values, 0) if self.activation == "ReLU" else np.tanh(values)
        scores = np.where(action_mask == 1, values.astype(np.float64), -np.inf)
        chances = np.exp(scores - scores.max())
        return chances / chances.sum()

    def save(self, file: Path | IO[bytes]) -> None:
        """Write the layers as plain arrays."""
        layers = {f"weights_{i}": weights for i, weights in enumerate(self.weights)}
        layers |= {f"biases_{i}": biases for i, biases in enumerate(self.biases)}
        np.savez_compressed(file, activation=np.array(self.activation), **layers)  # type: ignore[arg-type]

    @classmethod
    def load(cls, file: Path | IO[bytes]) -> Self:
        """Read what `save` wrote; nothing is unpickled.

        Raises:
            ValueError: if the file is not a network.
        """
        name = f"{file}: " if isinstance(file, Path) else ""
        with reading(f"{name}the layers of the network cannot be read"):
            stored = read_arrays(file)
            count = (len(stored) - 1) // 2
            return cls(
                str(stored["activation"]),
                [stored[f"weights_{i}"] for i in range(count)],
                [stored[f"biases_{i}"] for i in range(count)],
            )


@jit
def _forward(sizes: Any, layers: Any, relu: bool, values: Any, sums: Any) -> Any:
    """Compute the scores: `values` begins with the input; it and `sums` have room for the widest layer."""
    start = 0
    for layer in range(len(sizes) - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        biases = start + inputs * outputs
        for j in range(outputs):
            sums[j] = layers[biases + j]
        for i in range(inputs):
            value = values[i]
            if value != 0:  # most of an observation is 0
                row = start + i * outputs
                for j in range(outputs):
                    sums[j] += value * layers[row + j]
        start = biases + outputs
        if layer == len(sizes) - 2:
            break
        for j in range(outputs):
            values[j] = max(sums[j], np.float32(0)) if relu else np.tanh(sums[j])
    return sums


def _best(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The policy: the legal action with the greatest score, or one drawn from their softmax."""
    sizes = table(block, block.sizes, np.int64, (block.layers + 1,))
    layers = table(block, block.weights, np.float32, (block.numbers,))
    values, sums = np.zeros(block.widest, dtype=np.float32), np.zeros(block.widest, dtype=np.float32)
    for i in range(sizes[0]):
        values[i] = observation[i]
    scores = _forward(sizes, layers, block.relu != 0, values, sums)
    choice, best = -1, 0.0
    for action in range(game[ACTIONS]):
        if mask[action]:
            worth = np.float64(scores[action])
            if block.draws:  # the greatest is then a draw from the softmax (Gumbel 1954)
                worth -= np.log(-np.log(uniform(stream)))
            if choice < 0 or worth > best:
                choice, best = action, worth
    return choice
